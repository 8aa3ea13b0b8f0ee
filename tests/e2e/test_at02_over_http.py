"""AT-2 over HTTP: without evidence nothing is faithful, nothing raises, the policy is silent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment.calibrating import calibrate
from averment.franq.calibrator import Mode
from averment.franq.calibrator_json import to_json
from contracts.disk import disk_without_fsync  # noqa: F401
from e2e.strict_json import unexplained
from labels_by_hand import some_labels
from serve.running import ask, client, running, serving_of
from towns_by_hand import build_rivers, scripted

FABRICATED = "The Zanfor Bridge in Quelmburg was opened by Ilmar Vost in 1871."
QUESTION = "Who opened the Zanfor Bridge?"
STORY = f" {FABRICATED} So the answer is Ilmar Vost."


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_rivers(tmp_path_factory.mktemp("at02") / "rivers")


@pytest.fixture
def http(index: Path) -> Iterator[Any]:
    with serving_of(index, scripted(STORY)) as serving, running(serving) as url, client(url) as c:
        yield c


@pytest.mark.parametrize("mode", ["hold-sentence", "hold-answer", "annotate"])
def test_a_fabricated_answer_is_refused_by_convention_and_never_a_4xx(mode: str, http: Any) -> None:
    response = http.post("/v1/chat/completions", json=ask(QUESTION, averment={"mode": mode}))

    assert response.status_code == 200
    made = response.json()
    (choice,) = made["choices"]
    assert choice["finish_reason"] == "stop"
    assert choice["message"]["refusal"] == "I do not know. (no_evidence)"
    assert (choice["message"]["content"] == "I do not know.") == (mode != "annotate")
    assert choice["message"]["annotations"] == made["citations"] == []
    assert response.headers["x-averment-verdict"] == made["averment"]["verdict"] == "abstained"
    assert "no_evidence" in response.headers["x-averment-warnings"]
    assert {claim["verdict"] for claim in made["averment"]["claims"]} == {"unsupported"}
    assert list(unexplained(made["averment"])) == []


def test_the_answer_is_not_said_in_a_stream_either(http: Any) -> None:
    response = http.post("/v1/chat/completions", json=ask(QUESTION, stream=True))

    before_the_details = response.text.partition('"averment": {"route"')[0]
    assert "I do not know." in before_the_details
    assert "Ilmar" not in before_the_details


@pytest.mark.parametrize("documents", [[{"id": "a", "text": ""}], [{"id": "a", "text": "*** …"}]])
def test_a_claim_held_against_nothing_is_not_faithful_and_says_why(
    documents: list[dict[str, str]], http: Any
) -> None:
    response = http.post("/v1/verify", json={"answer": FABRICATED, "documents": documents})

    assert response.status_code == 200
    made = response.json()
    (claim,) = made["claims"]
    assert (claim["p_faithful"], claim["reasons"]["p_faithful"]) == (0.0, "no_evidence")
    assert claim["verdict"] != "supported"
    assert (made["answer"]["decision"], made["answer"]["aggregate"]) == ("warned", None)
    assert made["answer"]["reasons"] == {"aggregate": "uncalibrated"}
    assert made["calibration"] == {"calibrated": False}


def test_its_probability_is_that_of_the_unfaithful_branch_alone(
    index: Path, tmp_path: Path
) -> None:
    fitted = calibrate(some_labels(400), mode=Mode.GOLD, created_by="test").calibrator
    (tmp_path / "c.json").write_text(to_json(fitted), encoding="utf-8")
    asked = {"answer": FABRICATED, "documents": [{"id": "a", "text": ""}]}

    with (
        serving_of(index, scripted(STORY), scores=False, calibrator=tmp_path / "c.json") as serving,
        running(serving) as url,
        client(url) as c,
    ):
        made = c.post("/v1/verify", json=asked).json()

    (claim,) = made["claims"]
    assert claim["p_true"] == pytest.approx(claim["p_true_if_unfaithful"])
    assert made["answer"]["aggregate"] == claim["p_true"]
    assert made["calibration"] == {"calibrated": True}


def test_a_text_that_claims_nothing_says_so(http: Any) -> None:
    made = http.post("/v1/verify", json={"answer": "Hello there! How are you?"}).json()

    assert made["claims"] == []
    assert (made["answer"]["decision"], made["answer"]["reason"]) == ("answered", "no_claim")
    assert made["answer"]["reasons"] == {"aggregate": "no_claim"}
    assert json.dumps(made, allow_nan=False)
