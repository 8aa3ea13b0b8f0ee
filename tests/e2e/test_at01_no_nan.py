"""AT-1: whatever an answer is, there is a typed outcome, and no number that is none.

Answers that are empty, a greeting, a refusal, code only, or 10,000 characters, through the library
and the command line, with passages, without, with a corpus, with a calibrator, with models whose
log-probabilities are unusable. Every JSON is read strictly and searched for scores without reason.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import averment
from averment.calibrating import calibrate
from averment.cli.app import run
from averment.franq.calibrator import Mode
from averment.franq.calibrator_json import to_json
from averment.models.scripted import ScriptedModel
from averment.shapes import answer_object, report_object
from averment.types import Capability, ClaimVerdict, Report, Verdict
from contracts.disk import disk_without_fsync  # noqa: F401
from contracts.model_server import ModelServer
from e2e.believable import BelievableModel
from e2e.judges import EACH_JUDGE
from e2e.strict_json import read_strictly, unexplained
from labels_by_hand import some_labels

QUESTION = "Of which country is Oslo the capital?"
SENTENCE = "Oslo is the capital of Norway and lies on the Oslofjord. "
ANSWERS = {
    "empty": "",
    "blank": " \n\t ",
    "a greeting": "Hello there!",
    "a refusal": "I'm sorry, but I do not know that.",
    "code only": "```python\nprint('Oslo')\n```\n",
    "code without a fence": "for city in cities:\n    print(city)\n",
    "a question": "Which Oslo do you mean?",
    "no words": "*** … !!!",
    "10,000 characters": (SENTENCE * 200)[:10_000],
    "10,000 letters in a row": "x" * 10_000,
    "10,000 without a full stop": "Oslo and Norway and " * 500,
    "strange characters": "Oslo\u200b is \ufffd in 挪威 😀\x00.",
}
CLAIM_NOTHING = ("empty", "blank", "a greeting", "a refusal", "code only", "no words")
EACH_ANSWER = pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "index"
    documents = [
        averment.Document("oslo", "Oslo is the capital of Norway.", title="Oslo"),
        averment.Document("bergen", "Bergen is a city in Norway.", title="Bergen"),
    ]
    averment.build_index(documents, path)
    return path


@pytest.fixture(scope="module")
def calibrator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("calibrator") / "calibrator.json"
    labels = some_labels(with_features=True)
    path.write_text(to_json(calibrate(labels, mode=Mode.SHARED, created_by="t").calibrator))
    return path


def assert_typed(report: Report) -> None:
    """Each part of the text is a claim with a verdict, or has the reason why it is none."""
    assert all(isinstance(claim.verdict, ClaimVerdict) for claim in report.claims)
    covered = [(claim.start, claim.end) for claim in report.claims]
    covered += [(start, end) for start, end, reason in report.skipped if reason]
    rest = "".join(
        c for at, c in enumerate(report.text) if not any(a <= at < b for a, b in covered)
    )
    assert not rest.strip()


def assert_strict(printed: str) -> Any:
    made = read_strictly(printed)
    assert list(unexplained(made)) == []
    return made


# --- given texts --------------------------------------------------------------------------------

EVIDENCE: dict[str, dict[str, Any]] = {
    "nothing to hold it against": {},
    "a passage": {"contexts": ["Oslo is the capital of Norway."]},
    "an empty passage": {"contexts": [""]},
    "a question": {"contexts": ["Oslo is the capital of Norway."], "question": QUESTION},
}


def _some_names(prompt: Any) -> str:
    """What it writes for the canary."""
    return " cats, dogs"


MODELS: dict[str, ScriptedModel | None] = {
    "no model": None,
    "a model": BelievableModel(_some_names, logprob=-0.5),
    "a model of NaN": BelievableModel(_some_names, logprob=math.nan),
    "an infinitely surprised model": BelievableModel(_some_names, logprob=-math.inf),
    "a model of impossible numbers": BelievableModel(_some_names, logprob=2.0),
    "a model without log-probabilities": BelievableModel(
        _some_names, capabilities=frozenset({Capability.SCORING})
    ),
}


@EACH_ANSWER
@pytest.mark.parametrize("evidence", EVIDENCE.values(), ids=EVIDENCE.keys())
@EACH_JUDGE
def test_a_text_is_a_typed_report(answer: str, evidence: dict[str, Any], faithfulness: str) -> None:
    report = averment.check(answer, faithfulness=faithfulness, **evidence)

    assert_typed(report)
    assert_strict(json.dumps(report_object(report)))


@EACH_ANSWER
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_a_text_is_a_typed_report_whatever_a_model_says(
    answer: str, model: ScriptedModel | None, index: Path
) -> None:
    report = averment.check(answer, index=index, model=model, faithfulness="lexical")

    assert_typed(report)
    made = assert_strict(json.dumps(report_object(report)))
    assert all(0.0 <= claim["score"] <= 1.0 for claim in made["claims"])


@EACH_ANSWER
def test_a_text_is_a_typed_report_with_a_calibrator(
    answer: str, index: Path, calibrator: Path
) -> None:
    report = averment.check(answer, index=index, calibrator=calibrator, faithfulness="lexical")

    assert_typed(report)
    made = assert_strict(json.dumps(report_object(report)))
    assert all(0.0 < claim["p_true"] < 1.0 for claim in made["claims"])


@EACH_ANSWER
@pytest.mark.parametrize("more", [[], ["--context", "atlas.txt"]], ids=["alone", "with a context"])
def test_the_command_prints_a_typed_report(
    answer: str, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("answer.txt").write_text(answer, encoding="utf-8")
    Path("atlas.txt").write_text("Oslo is the capital of Norway.", encoding="utf-8")

    code = run(["check", "answer.txt", "--faithfulness", "lexical", "--json", *more])

    assert code == 0
    made = assert_strict(capsys.readouterr().out)
    assert all(part["reason"] for part in made["skipped"])


@pytest.mark.parametrize("name", CLAIM_NOTHING)
def test_what_claims_nothing_has_no_claim_and_the_reason_for_it(name: str) -> None:
    report = averment.check(ANSWERS[name], contexts=["Oslo."], faithfulness="lexical")

    assert report.claims == ()
    assert bool(report.skipped) is bool(ANSWERS[name].strip())


# --- answers that a model wrote -----------------------------------------------------------------


@EACH_ANSWER
@pytest.mark.parametrize("policy", ["none", "single", "quco"])
def test_whatever_a_model_writes_is_a_typed_answer(answer: str, policy: str, index: Path) -> None:
    model = ScriptedModel(_once(answer))

    with averment.open_engine(index, model, policy=policy, faithfulness="lexical") as engine:
        made = engine.ask(QUESTION)

    assert isinstance(made.verdict, Verdict)
    assert made.reason or made.verdict is Verdict.ANSWERED
    assert_strict(json.dumps(answer_object(made.answer)))
    assert_strict(made.trace.dumps())


@EACH_ANSWER
@pytest.mark.parametrize("logprobs", [True, False], ids=["log-probabilities", "none"])
def test_the_command_prints_a_typed_answer(
    answer: str,
    logprobs: bool,
    index: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AVERMENT_FAITHFULNESS", "lexical")
    with ModelServer(_written_once(answer), logprobs=logprobs) as server:
        named = ["--base-url", server.url, "--model", "tiny", "--timeout", "20"]
        files = ["--trace", "trace.json", "--html", "page.html"]
        code = run(["ask", QUESTION, "--index", str(index), "--json", *named, *files])

    assert code == 0
    made = assert_strict(capsys.readouterr().out)
    assert made["verdict"] in set(Verdict)
    assert made["reason"] or made["verdict"] == "answered"
    assert_strict(Path("trace.json").read_text(encoding="utf-8"))
    assert Path("page.html").read_text(encoding="utf-8").rstrip().endswith("</html>")


def _once(answer: str) -> Callable[[Any], str]:
    """A script that writes the answer and then has nothing more to say."""
    return lambda prompt: "" if prompt.answer else answer


def _written_once(answer: str) -> Callable[[str], str]:
    return lambda before: answer if before.endswith("Answer:") else ""


# --- the search itself --------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_the_search_finds_what_is_no_number(number: str) -> None:
    with pytest.raises(AssertionError, match=number):
        read_strictly(f'{{"claims": [{{"p_true": {number}}}]}}')


def test_the_search_finds_a_score_that_is_missing_without_a_word() -> None:
    claims = [{"p_true": None, "uf": None, "reasons": {"uf": "not_rescored"}}]

    assert list(unexplained({"claims": claims})) == ["$.claims[0].p_true"]
