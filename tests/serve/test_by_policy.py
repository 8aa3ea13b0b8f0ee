"""Requests that a policy answers: what is said early, what waits, and what is shown of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from averment.models.scripted import ScriptedModel
from contracts.model_server import ModelServer
from serve.rivers_index import rivers  # noqa: F401
from serve.running import ask, client, events, running, serving_of
from towns_by_hand import scripted

PRESENT = "The Vltava flows through Prague."
ABSENT = "The Danube flows through Prague."


def _pieces(answer: str, rivers: Path, mode: str) -> list[str]:
    with serving_of(rivers, scripted(answer)) as serving, running(serving) as url, client(url) as c:
        asked = ask(stream=True, averment={"mode": mode})
        found = events(c.post("/v1/chat/completions", json=asked).text)[:-1]
    said = (piece["choices"][0]["delta"].get("content") for piece in found)
    return [text for text in said if text]


@pytest.mark.parametrize(
    ("mode", "pieces"),
    [
        ("hold-sentence", [PRESENT, " So the answer is Vltava."]),
        ("hold-answer", [f"{PRESENT} So the answer is Vltava."]),
        ("annotate", [PRESENT, " So the answer is Vltava."]),
    ],
)
def test_a_mode_decides_in_which_pieces_an_answer_leaves(
    mode: str, pieces: list[str], rivers: Path
) -> None:
    assert _pieces(f" {PRESENT} So the answer is Vltava.", rivers, mode) == pieces


@pytest.mark.parametrize(
    ("mode", "content"),
    [
        ("hold-sentence", f"{PRESENT} I do not know."),
        ("hold-answer", "I do not know."),
        ("annotate", f"{PRESENT} {ABSENT} So the answer is Oslo."),
    ],
)
def test_of_an_answer_that_is_not_given_only_what_had_support_was_said(
    mode: str, content: str, rivers: Path
) -> None:
    answer = f" {PRESENT} {ABSENT} So the answer is Oslo."

    assert "".join(_pieces(answer, rivers, mode)) == content


def test_what_is_behind_a_sentence_without_support_waits_with_it(rivers: Path) -> None:
    answer = f" {PRESENT} {ABSENT} Prague is the capital of Bohemia. So the answer is Vltava."

    first, rest = _pieces(answer, rivers, "hold-sentence")

    assert first == PRESENT
    assert rest.startswith(f" {ABSENT} Prague is")


def test_the_policy_runs_over_a_model_of_the_upstream(rivers: Path) -> None:
    def write(before: str) -> str:
        if "Answer: " in before.rpartition("Question:")[2]:
            return " So the answer is Vltava."
        return f" {PRESENT} So the answer is Vltava."

    with (
        ModelServer(write, models=("org/tiny",)) as stub,
        serving_of(rivers, base_url=stub.url) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        names = [row["id"] for row in c.get("/v1/models").json()["data"]]
        made = c.post("/v1/chat/completions", json=ask(model="quco/org/tiny")).json()
        missing = c.post("/v1/chat/completions", json=ask(model="quco/huge"))

    assert "quco/org/tiny" in names
    assert (made["averment"]["route"], made["averment"]["verdict"]) == ("policy", "answered")
    assert made["averment"]["model"] == "org/tiny"
    assert (missing.status_code, missing.json()["error"]["kind"]) == (404, "UnknownNameError")


def test_what_was_retrieved_is_cited_and_said_to_be_ours(rivers: Path) -> None:
    with (
        serving_of(rivers, scripted(f" {PRESENT} So the answer is Vltava.")) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        made = c.post("/v1/chat/completions", json=ask(model="single/tiny")).json()

    assert made["averment"]["evidence_sources"] == ["retrieval"]
    message: dict[str, Any] = made["choices"][0]["message"]
    cited = message["annotations"][0]["url_citation"]
    assert cited["url"] == "urn:averment:document:prague"
    assert message["content"][cited["start_index"] : cited["end_index"]] == PRESENT
    assert made["citations"][0] == cited["url"]


@pytest.mark.parametrize("content", ["", "???", "a" * 8001], ids=["empty", "no word", "too long"])
def test_what_is_no_question_is_a_400(content: str, rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        whole = c.post("/v1/chat/completions", json=ask(content))
        streamed = c.post("/v1/chat/completions", json=ask(content, stream=True))

    assert [whole.status_code, streamed.status_code] == [400, 400]
    assert whole.json()["error"]["kind"] == "UsageError"


def test_answers_are_counted_by_verdict_and_tokens(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        c.post("/v1/chat/completions", json=ask())
        c.post("/v1/chat/completions", json=ask(stream=True))
        measured = c.get("/metrics").text

    assert 'averment_answers_total{reason="none",route="policy",verdict="answered"} 2.0' in measured
    assert 'averment_requests_total{route="/v1/chat/completions",status="200"} 2.0' in measured
    assert 'averment_tokens_total{kind="generated_tokens"}' in measured
    assert "Prague" not in measured


def test_many_requests_at_once_each_get_their_own_answer(rivers: Path) -> None:
    towns = {"Prague": "Vltava", "Vienna": "Danube"}

    def write(prompt: Any) -> str:
        town = next(name for name in towns if name in prompt.text.rpartition("Question:")[2])
        if prompt.answer:
            return f" So the answer is {towns[town]}."
        return f" The {towns[town]} flows through {town}. So the answer is {towns[town]}."

    model = ScriptedModel(write, name="tiny", capabilities=frozenset())
    with serving_of(rivers, model) as serving, running(serving) as url, client(url) as c:

        def answer(town: str) -> str:
            asked = ask(f"Which river flows through {town}?")
            made = c.post("/v1/chat/completions", json=asked).json()
            return str(made["averment"]["final_answer"])

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(answer, [*towns] * 8))

    assert answers == [*towns.values()] * 8
