"""AT-2: without a passage a claim has faithfulness 0, and only the unfaithful branch speaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import averment
from averment.calibrating import calibrate
from averment.cli.app import run
from averment.franq.calibrator import Calibrator, Mode
from averment.franq.calibrator_json import to_json
from averment.shapes import report_object
from averment.types import ClaimVerdict, Verdict
from contracts.disk import disk_without_fsync  # noqa: F401
from e2e.believable import BelievableModel
from e2e.judges import EACH_JUDGE
from e2e.strict_json import read_strictly, unexplained
from labels_by_hand import MADE_WITH, labelled, some_labels

FABRICATED = "The Zanfor Bridge in Quelmburg was opened by Ilmar Vost in 1871."
QUESTION = "Who opened the Zanfor Bridge?"
NO_EVIDENCE: dict[str, list[str]] = {
    "no passage": [],
    "an empty passage": [""],
    "passages of blanks and marks": [" \n", "*** …"],
}


@pytest.fixture
def calibrator() -> Calibrator:
    """Of the lexical tier, without a model; its two branches have different base rates."""
    return calibrate(some_labels(400), mode=Mode.GOLD, created_by="test").calibrator


@pytest.mark.parametrize("contexts", NO_EVIDENCE.values(), ids=NO_EVIDENCE.keys())
@EACH_JUDGE
def test_a_fabricated_claim_without_evidence_is_not_faithful_and_says_why(
    contexts: list[str], faithfulness: str
) -> None:
    report = averment.check(FABRICATED, contexts=contexts, faithfulness=faithfulness)

    (claim,) = report.claims
    assert (claim.p_faithful, claim.reasons["p_faithful"]) == (0.0, "no_evidence")
    assert (claim.verdict, claim.evidence) == (ClaimVerdict.UNVERIFIED, ())


@pytest.mark.parametrize("contexts", NO_EVIDENCE.values(), ids=NO_EVIDENCE.keys())
def test_its_probability_is_that_of_the_unfaithful_branch_alone(
    contexts: list[str], calibrator: Calibrator, tmp_path: Path
) -> None:
    (tmp_path / "c.json").write_text(to_json(calibrator), encoding="utf-8")

    report = averment.check(
        FABRICATED, contexts=contexts, faithfulness="lexical", calibrator=tmp_path / "c.json"
    )

    (claim,) = report.claims
    assert claim.p_true == claim.p_true_if_unfaithful == calibrator.unfaithful.base_rate
    assert claim.p_true_if_faithful == calibrator.faithful.base_rate
    assert abs(calibrator.faithful.base_rate - calibrator.unfaithful.base_rate) > 0.3


def test_what_the_faithful_branch_would_say_changes_nothing(tmp_path: Path) -> None:
    made_with = {**MADE_WITH, "uf": "max_probability", "uu": "parametric_knowledge"}
    made_with["model"] = "scripted"
    found = []
    for sign in (1, -1):  # confidence with the passages before its eyes: for, then against truth
        labels = [
            labelled(
                n,
                n % 3 > 0,
                made_with=made_with,
                p_faithful=float(n % 2),
                uf=-1.0 - sign * (n % 3 > 0) - (1 - sign) / 2,
                uu=-float(n % 7),
            )
            for n in range(200)
        ]
        path = tmp_path / f"{sign}.json"
        path.write_text(
            to_json(calibrate(labels, mode=Mode.CONDITION, created_by="t").calibrator),
            encoding="utf-8",
        )
        report = averment.check(
            FABRICATED,
            model=BelievableModel(_tell_a_story, logprob=-0.1),
            faithfulness="lexical",
            calibrator=path,
        )
        found.append(report.claims[0])

    first, second = found
    assert first.p_true_if_faithful != second.p_true_if_faithful
    assert first.p_true == second.p_true == first.p_true_if_unfaithful


@pytest.mark.parametrize("empty_file", [True, False], ids=["an empty file", "no file"])
@EACH_JUDGE
def test_the_command_says_the_same(
    empty_file: bool, faithfulness: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("answer.txt").write_text(FABRICATED, encoding="utf-8")
    Path("empty.txt").write_text("", encoding="utf-8")
    more = ["--context", "empty.txt"] if empty_file else []

    code = run(["check", "answer.txt", "--faithfulness", faithfulness, "--json", *more])

    made = read_strictly(capsys.readouterr().out)
    (claim,) = made["claims"]
    assert code == 0
    assert (claim["p_faithful"], claim["reasons"]["p_faithful"]) == (0.0, "no_evidence")
    assert list(unexplained(made)) == []


def test_in_words_no_faithfulness_is_shown_where_there_was_nothing_to_be_faithful_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("answer.txt").write_text(FABRICATED, encoding="utf-8")

    assert run(["check", "answer.txt", "--faithfulness", "lexical"]) == 0

    out = capsys.readouterr().out
    assert "unverified" in out
    assert "faithfulness" not in out


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """A corpus that knows nothing of the bridge."""
    documents = [averment.Document("oslo", "Oslo is the capital of Norway.", title="Oslo")]
    averment.build_index(documents, tmp_path / "index")
    return tmp_path / "index"


def test_a_corpus_that_does_not_know_the_names_supports_nothing(index: Path) -> None:
    report = averment.check(FABRICATED, index=index, faithfulness="lexical")

    (claim,) = report.claims
    assert claim.support in ("absent", "not_covered")
    assert claim.verdict is not ClaimVerdict.SUPPORTED
    made = report_object(report)
    assert list(unexplained(json.loads(json.dumps(made, allow_nan=False)))) == []


@pytest.mark.parametrize("policy", ["none", "single", "quco"])
def test_a_fabricated_answer_is_never_simply_answered(policy: str, index: Path) -> None:
    model = BelievableModel(_tell_a_story)

    with averment.open_engine(index, model, policy=policy, faithfulness="lexical") as engine:
        made = engine.ask(QUESTION)

    assert made.verdict is not Verdict.ANSWERED
    assert {claim.verdict for claim in made.claims}.isdisjoint({ClaimVerdict.SUPPORTED})
    without = [c for c in made.claims if c.reasons.get("p_faithful") == "no_evidence"]
    assert all(claim.p_faithful == 0.0 for claim in without)
    assert all(claim.score == pytest.approx(_unfaithful(claim)) for claim in without)


def _tell_a_story(prompt: Any) -> str:
    return f" {FABRICATED}" if not prompt.answer else " So the answer is Ilmar Vost."


def _unfaithful(claim: Any) -> float:
    """Without a calibrator the unfaithful branch is the model's own confidence, moved by counts."""
    import math

    p = math.exp(claim.uu)
    log_odds = math.log(p / (1 - p)) - claim.features.get("surprise_weakest", 0.0)
    log_odds += 1.5 * max(claim.features.get("npmi_weakest", 0.0), 0.0)
    return 1 / (1 + math.exp(-log_odds))
