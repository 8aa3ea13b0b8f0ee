"""A server that promises an error rate: nothing of an answer leaves before it is decided."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from averment.calibrating import calibrate
from averment.franq.calibrator import Mode
from averment.franq.calibrator_json import to_json
from averment.types import Document
from averment.wiring import scores
from labels_by_hand import a_calibrator, some_labels
from serve.rivers_index import rivers  # noqa: F401
from serve.running import ask, client, events, running, serving_of
from towns_by_hand import scripted

GOOD, BAD = "The Vltava flows through Prague.", "Brno was founded by sailors from Iceland."
FINAL = "So the answer is Vltava."
MODEL = "single/tiny"


@pytest.fixture(scope="module")
def calibrator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made of labels that scores tell a lot about, half of them held out."""
    return a_calibrator(tmp_path_factory.mktemp("made") / "calibrator.json")


def answers(rivers: Path, calibrator: Path, mode: str, **settings: Any) -> tuple[Any, list[str]]:
    """The body without a stream, and the texts of the pieces with one."""
    promised = {"calibrator": calibrator, "target_error": 0.35, **settings}
    with (
        serving_of(rivers, scripted(f" {GOOD} {BAD} {FINAL}"), **promised) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        asked = ask(model=MODEL, averment={"mode": mode})
        body = c.post("/v1/chat/completions", json=asked).json()
        found = events(c.post("/v1/chat/completions", json={**asked, "stream": True}).text)[:-1]
    said = [piece["choices"][0]["delta"].get("content") for piece in found]
    return body, [text for text in said if text]


@pytest.mark.parametrize("mode", ["hold-sentence", "hold-answer"])
def test_what_is_withheld_never_leaves_streamed_or_not(
    mode: str, rivers: Path, calibrator: Path
) -> None:
    body, pieces = answers(rivers, calibrator, mode)

    message = body["choices"][0]["message"]
    details = body["averment"]
    assert message["content"] == f"{GOOD} {FINAL}"
    assert pieces == [message["content"]]
    assert details["mode"] == "hold-answer"
    assert (details["verdict"], details["reason"]) == ("warned", "not_checked")
    assert [claim["withheld"] for claim in details["claims"]] == [False, True, False]
    assert details["promise"]["target_error"] == 0.35


def test_citations_stand_where_their_sentence_stands_in_what_is_said(
    rivers: Path, calibrator: Path
) -> None:
    body, _ = answers(rivers, calibrator, "hold-answer")

    message = body["choices"][0]["message"]
    cited = [each["url_citation"] for each in message["annotations"]]
    assert cited
    texts = {message["content"][each["start_index"] : each["end_index"]] for each in cited}
    assert texts <= {GOOD, FINAL}


def test_annotated_streams_say_everything_with_what_is_held_of_it(
    rivers: Path, calibrator: Path
) -> None:
    body, pieces = answers(rivers, calibrator, "annotate")

    assert "".join(pieces) == body["choices"][0]["message"]["content"]
    assert BAD in "".join(pieces)


def test_hedged_answers_say_so(rivers: Path, calibrator: Path) -> None:
    body, pieces = answers(rivers, calibrator, "hold-sentence", withheld="hedge")

    assert "".join(pieces) == f"{GOOD} It may be that {BAD} {FINAL}"
    assert body["averment"]["reason"] == "claims_hedged"


def test_a_calibrator_is_read_once_and_again_when_its_file_is_another(
    rivers: Path, calibrator: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []
    real = scores.read_calibrator
    monkeypatch.setattr(scores, "read_calibrator", lambda path: read.append(path) or real(path))
    path = tmp_path / "calibrator.json"
    path.write_text(calibrator.read_text(encoding="utf-8"), encoding="utf-8")
    evidence = [Document("a", GOOD)]

    with serving_of(rivers, scripted(), calibrator=path) as serving:
        first, again = (serving.check(GOOD, None, evidence).report for _ in range(2))
        made = calibrate(some_labels(300, seed=9), mode=Mode.CONDITION, created_by="test")
        path.write_text(to_json(made.calibrator) + "\n", encoding="utf-8")
        other = serving.check(GOOD, None, evidence).report

    assert len(read) == 2
    assert first.claims == again.claims
    assert first.claims[0].p_true != other.claims[0].p_true


def test_a_server_with_a_calibrator_weighs_drafts_by_what_errors_cost(
    rivers: Path, calibrator: Path
) -> None:
    with (
        serving_of(rivers, scripted(f" {GOOD} {FINAL}"), calibrator=calibrator) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        listed = [model["id"] for model in c.get("/v1/models").json()["data"]]
        body = c.post("/v1/chat/completions", json=ask(model="expected-cost/tiny")).json()

    assert "expected-cost/tiny" in listed
    assert body["averment"]["mode"] == "hold-answer"
    assert body["averment"]["costs"]["false"] == 1.0
    assert body["averment"]["claims"][0]["weighed"][0]["text"] == GOOD


def test_without_a_calibrator_it_is_refused_with_what_to_do(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        refused = c.post("/v1/chat/completions", json=ask(model="expected-cost/tiny"))

    assert refused.status_code == 400
    assert "--calibrator" in refused.json()["error"]["message"]
