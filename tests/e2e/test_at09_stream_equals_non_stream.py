"""AT-9: a stream ends in what the same request gets without one, and holds what is not checked."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment.models.scripted import ScriptedModel
from contracts.disk import disk_without_fsync  # noqa: F401
from serve.assembled import assembled, comparable
from serve.reading import Reading
from serve.running import ask, client, events, running, serving_of
from serve.stub_upstream import StubUpstream
from towns_by_hand import QUESTION, build_rivers, scripted

MODES = ["hold-sentence", "hold-answer", "annotate"]
ANSWERS = {
    "answered": " The Vltava flows through Prague. So the answer is Vltava.",
    "warned": " The Danube flows through Prague. So the answer is Vltava.",
    "abstained": " The Vltava flows through Prague. So the answer is Oslo.",
    "abstained at once": " Zanfor Bridge was opened by Ilmar Vost. So the answer is Ilmar Vost.",
    "unknown": " So the answer is unknown.",
    "without a final answer": " The Vltava flows through Prague.",
}
CHECKED: dict[str, dict[str, Any]] = {
    "documents": {
        "documents": [{"id": "d", "title": "Rivers", "text": "The Vltava is in Prague."}]
    },
    "two choices": {"n": 2},
    "tools": {"tools": [{"type": "function", "function": {"name": "look_up"}}]},
    "a format": {"response_format": {"type": "json_object"}},
    "usage": {"stop": ["###"], "stream_options": {"include_usage": True}},
}
TWO_SENTENCES = "The Vltava flows through Prague. The Danube flows through Brno."


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_rivers(tmp_path_factory.mktemp("at09") / "rivers")


@pytest.fixture
def upstream() -> Iterator[StubUpstream]:
    with StubUpstream((TWO_SENTENCES, "Vienna lies on the Danube.")) as stub:
        yield stub


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
def test_a_stream_of_a_policy_ends_in_what_the_request_gets_without_one(
    answer: str, mode: str, index: Path
) -> None:
    asked = ask(averment={"mode": mode}, stream_options={"include_usage": True})

    with serving_of(index, scripted(answer)) as serving, running(serving) as url, client(url) as c:
        whole = c.post("/v1/chat/completions", json=asked).json()
        streamed = c.post("/v1/chat/completions", json={**asked, "stream": True})

    assert comparable(assembled(events(streamed.text))) == comparable(whole)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("more", CHECKED.values(), ids=CHECKED.keys())
def test_a_stream_that_is_checked_afterwards_ends_in_what_the_request_gets_without_one(
    more: dict[str, Any], mode: str, index: Path, upstream: StubUpstream
) -> None:
    asked = ask(model="quco/up", averment={"mode": mode}, **more)
    include_usage = "stream_options" in more

    with (
        serving_of(index, base_url=upstream.url) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        whole = c.post("/v1/chat/completions", json=asked).json()
        streamed = c.post("/v1/chat/completions", json={**asked, "stream": True})
    if not include_usage:
        del whole["usage"]

    assert comparable(assembled(events(streamed.text))) == comparable(whole)
    assert whole["averment"]["route"] == "checked_afterwards"


class _WaitingIndex:
    """Counts pairs with Bohemia only when it is told to."""

    def __init__(self, index: Any) -> None:
        self._index = index
        self.is_asked = threading.Event()
        self.go_on = threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def cooccurrence(self, pairs: Any, *, window_words: int) -> Any:
        if any("Bohemia" in pair for pair in pairs):
            self.is_asked.set()
            assert self.go_on.wait(20)
        return self._index.cooccurrence(pairs, window_words=window_words)


def test_no_byte_of_a_sentence_leaves_before_its_verdict(index: Path) -> None:
    second = "Prague is the capital of Bohemia."
    said = f" The Vltava flows through Prague. {second} So the answer is Vltava."
    with serving_of(index, scripted(said)) as serving, running(serving) as url, client(url) as c:
        engine = serving.engine("quco", "tiny")
        waiting = _WaitingIndex(engine.edges.index)
        engine.edges = dataclasses.replace(engine.edges, index=waiting)  # type: ignore[arg-type]

        with (
            c.stream("POST", "/v1/chat/completions", json=ask(stream=True)) as streamed,
            Reading(streamed) as reading,
        ):
            reading.wait_for("Vltava")
            assert waiting.is_asked.wait(20)
            before = reading.so_far(c)
            waiting.go_on.set()
            reading.wait_for(second)

    (first,) = events(before)
    assert first["choices"][0]["delta"]["content"] == "The Vltava flows through Prague."
    assert first["averment"]["sentence"]["support"] == "present"


def test_a_sentence_of_an_upstream_waits_until_it_is_complete_and_checked(index: Path) -> None:
    first, second = TWO_SENTENCES.split(". ", 1)[0] + ".", "The Danube flows through Brno."
    n_first = len(first.split())
    has_begun, go_on = threading.Event(), threading.Event()

    def before_piece(number: int) -> None:
        if number == n_first + 2:  # two words of the second sentence are on their way
            has_begun.set()
            assert go_on.wait(20)

    asked = ask(model="quco/up", stop=["###"], stream=True)
    with (
        StubUpstream((TWO_SENTENCES,), before_piece=before_piece) as stub,
        serving_of(index, base_url=stub.url) as serving,
        running(serving) as url,
        client(url) as c,
        c.stream("POST", "/v1/chat/completions", json=asked) as streamed,
        Reading(streamed) as reading,
    ):
        reading.wait_for("Prague.")
        assert has_begun.wait(20)
        before = reading.so_far(c)
        go_on.set()
        reading.wait_for("[DONE]")
        after = reading.so_far(c)

    pieces = events(before)
    said = "".join(piece["choices"][0]["delta"]["content"] for piece in pieces)
    assert said == first
    assert [claim["text"] for claim in pieces[0]["averment"]["claims"]] == [first]
    body = assembled(events(after))
    assert body["choices"][0]["message"]["content"] == f"{first} {second}"


@pytest.mark.parametrize("mode", MODES)
def test_what_was_rejected_on_the_way_never_leaves(mode: str, index: Path) -> None:
    def errs_until_it_reads(prompt: Any) -> str:
        river = "Vltava" if "The Vltava flows through Prague" in prompt.text else "Danube"
        if prompt.answer:
            return f" So the answer is {river}."
        return f" The {river} flows through Prague. So the answer is {river}."

    model = ScriptedModel(errs_until_it_reads, name="tiny", capabilities=frozenset())
    with serving_of(index, model) as serving, running(serving) as url, client(url) as c:
        asked = ask(QUESTION, averment={"mode": mode}, stream=True)
        pieces = events(c.post("/v1/chat/completions", json=asked).text)

    body = assembled(pieces)
    assert body["choices"][0]["message"]["content"].startswith("The Vltava flows through Prague.")
    assert body["averment"]["evidence_sources"] == ["retrieval"]
    said = [c["delta"].get("content", "") for piece in pieces[:-1] for c in piece["choices"]]
    assert "Danube" not in "".join(said)
