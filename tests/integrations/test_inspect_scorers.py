"""Scorers for Inspect, in Inspect itself; skipped where it is absent."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import pytest

import averment
from averment.calibrating import calibrate
from averment.errors import MissingExtraError
from averment.franq.calibrator import Mode
from averment.franq.calibrator_json import to_json
from labels_by_hand import some_labels

FERRY = "The ferry Sørlandia sails from Hirtshals to Kristiansand."


def test_without_inspect_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "averment.integrations.inspect_scorers", raising=False)
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    monkeypatch.setitem(sys.modules, "inspect_ai.scorer", None)

    with pytest.raises(MissingExtraError, match="inspect"):
        import averment.integrations.inspect_scorers  # noqa: F401


def evaluated(scorer: Any, *samples: tuple[str, str, str, dict[str, Any]]) -> Any:
    """The log of Inspect for samples of question, target, completion and metadata."""
    import inspect_ai
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.solver import solver

    @solver
    def as_scripted() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            state.output = ModelOutput.from_content("script", samples[state.sample_id - 1][2])
            return state

        return solve

    dataset = [Sample(asked, target=gold, metadata=more) for asked, gold, _, more in samples]
    task = inspect_ai.Task(dataset=dataset, solver=as_scripted(), scorer=scorer)
    (log,) = inspect_ai.eval(task, model="mockllm/model", log_dir="logs", display="none")
    assert log.status == "success", log.error.message
    return log


def metrics(log: Any) -> dict[str, float]:
    return {
        f"{score.name} {name}": metric.value
        for score in log.results.scores
        for name, metric in score.metrics.items()
    }


@pytest.fixture
def scorers() -> Any:
    reason = "Inspect is absent; type: pip install 'averment[inspect]'"
    pytest.importorskip("inspect_ai", reason=reason)
    from averment.integrations import inspect_scorers

    return inspect_scorers


pytestmark = pytest.mark.filterwarnings("ignore")


def test_answers_are_graded_like_those_of_a_bench(scorers: Any) -> None:
    log = evaluated(
        scorers.answer_grades(),
        ("Where to?", "Kristiansand", f"{FERRY} So the answer is Kristiansand.", {}),
        ("Where to?", "Kristiansand", "So the answer is the port of Kristiansand.", {}),
    )

    found = metrics(log)
    assert found["exact_match mean"] == 0.5
    assert found["f1 mean"] == pytest.approx((1 + 0.5) / 2)
    assert [sample.scores["answer_grades"].answer for sample in log.samples] == [
        "Kristiansand",
        "the port of Kristiansand",
    ]


def test_labels_have_an_accuracy(scorers: Any) -> None:
    log = evaluated(scorers.answer_grades("yes_no"), ("Is it?", "yes", "Yes, it is.", {}))

    assert metrics(log)["accuracy mean"] == 1.0


def test_claims_are_held_against_the_passages_of_their_sample(scorers: Any) -> None:
    passages = {"contexts": [FERRY]}

    log = evaluated(
        scorers.claim_verdicts(faithfulness="lexical"),
        ("Where from?", "Hirtshals", "The ferry Sørlandia sails from Hirtshals.", passages),
        ("Where from?", "Hirtshals", "Ludwig van Beethoven was born in Bonn.", passages),
    )

    found = metrics(log)
    assert found["supported mean"] == 0.5
    report = log.samples[0].scores["claim_verdicts"].metadata
    assert [claim["verdict"] for claim in report["claims"]] == ["supported"]


def test_what_nobody_calibrated_is_unscored_and_not_zero(scorers: Any) -> None:
    log = evaluated(
        scorers.claim_verdicts(faithfulness="lexical"),
        ("Where from?", "Hirtshals", FERRY, {"contexts": [FERRY]}),
    )

    p_true = next(score for score in log.results.scores if score.name == "p_true")
    assert (p_true.scored_samples, p_true.unscored_samples) == (0, 1)
    assert math.isnan(metrics(log)["claim_verdicts ece"])


def test_with_a_calibrator_claims_have_a_probability_and_it_an_error(
    scorers: Any, tmp_path: Path
) -> None:
    made = calibrate(some_labels(), mode=Mode.CONDITION, created_by="test").calibrator
    (tmp_path / "calibrator.json").write_text(to_json(made), encoding="utf-8")

    log = evaluated(
        scorers.claim_verdicts(
            faithfulness="lexical", calibrator=str(tmp_path / "calibrator.json")
        ),
        ("Where from?", FERRY, FERRY, {"contexts": [FERRY]}),
    )

    found = metrics(log)
    assert 0 < found["p_true mean"] < 1
    assert found["claim_verdicts ece"] == pytest.approx(1 - found["p_true mean"])


def test_claims_are_held_against_an_index(scorers: Any, tmp_path: Path) -> None:
    averment.build_index([averment.Document("ferry", FERRY)], tmp_path / "idx")

    log = evaluated(
        scorers.claim_verdicts(str(tmp_path / "idx"), faithfulness="lexical"),
        ("Where from?", "Hirtshals", "The ferry Sørlandia sails from Hirtshals.", {}),
    )

    assert metrics(log)["supported mean"] == 1.0


def test_a_sample_with_nothing_to_hold_its_claims_against_is_an_error(scorers: Any) -> None:
    with pytest.raises(AssertionError, match="no passages under 'contexts'"):
        evaluated(scorers.claim_verdicts(), ("Where?", "Oslo", "Oslo.", {}))


def test_metrics_read_the_confidence_of_every_sample(scorers: Any) -> None:
    from inspect_ai.scorer import SampleScore, Score

    scores = [
        SampleScore(score=Score(value={"p_true": 0.9, "score": 0.9, "right": float(n < 9)}))
        for n in range(10)
    ]

    assert scorers.calibration()(scores)["ece"] == pytest.approx(0.0)
    assert scorers.selective_accuracy()(scores)["selective_accuracy"] == pytest.approx(0.9)
