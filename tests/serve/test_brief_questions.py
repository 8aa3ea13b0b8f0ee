"""Brief questions to the corpus are answered at once, long ones in a thread; all say the same."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import averment
from averment.index.embedded import EmbeddedIndex
from averment.serve import corpus
from averment.serve.requests import CooccurRequest, CountRequest
from averment.shapes import cooccurrence_object
from averment.wiring.serving import Serving
from contracts.index_engines import WITHOUT_CORE
from serve.running import client, running, serving_of
from towns_by_hand import scripted

pytestmark = WITHOUT_CORE
COUNT, COOCCUR = "/v1/corpus/count", "/v1/corpus/cooccur"
BRIEF, LONG = ("Prague", "Vltava"), ("brook", "stone")
PLACES = 4


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("brief") / "towns"
    documents = [
        averment.Document("1", "Prague lies on the Vltava. Prague is old."),
        averment.Document("2", "brook stone " * 9000),
        averment.Document("3", "and " * 530_000 + "ferry"),
    ]
    averment.build_index(documents, made)
    return made


@pytest.fixture
def serving(path: Path) -> Iterator[Serving]:
    with serving_of(path, scripted(), serve_queue=0) as made:
        yield made


@pytest.fixture
def asked_in(monkeypatch: pytest.MonkeyPatch) -> dict[Any, str]:
    """In which thread the index was last asked for a pair."""
    threads: dict[Any, str] = {}
    cooccurrence = EmbeddedIndex.cooccurrence

    def noting(self: EmbeddedIndex, pairs: Any, **more: Any) -> Any:
        threads.update(dict.fromkeys(pairs, threading.current_thread().name))
        return cooccurrence(self, pairs, **more)

    monkeypatch.setattr(EmbeddedIndex, "cooccurrence", noting)
    return threads


@pytest.mark.parametrize(
    ("phrases", "more", "is_brief"),
    [
        (["Prague", "lies on the Vltava"], {}, True),
        ([], {}, True),
        (["Oslo", "—"], {}, True),
        (["brook"], {}, True),
        (["brook", "stone"], {}, False),
        (["and ferry"], {}, False),
        (["Prague"], {"show": 1}, False),
        (["Prague"], {"aliases": True}, False),
        (["Prague"] * 17, {}, False),
        (["Prague " * 80], {}, False),
    ],
    ids=[
        *["few", "none", "no word", "9,000 starts"],
        *["18,000 starts", "530,000 postings", "texts", "forms", "many phrases", "long"],
    ],
)
def test_what_is_brief_is_known_from_its_words(
    phrases: list[str], more: dict[str, Any], is_brief: bool, serving: Serving
) -> None:
    asked = CountRequest(phrases=phrases, **more)

    assert corpus.is_brief(serving, asked, phrases) is is_brief


def test_a_brief_question_needs_no_thread_and_a_long_one_has_one(
    serving: Serving, asked_in: dict[Any, str]
) -> None:
    with running(serving) as url, client(url) as c:
        made = [c.post(COOCCUR, json={"pairs": [pair]}).json() for pair in (BRIEF, LONG)]

    assert [asked_in[pair].startswith("averment") for pair in (BRIEF, LONG)] == [False, True]
    for (a, b), each in zip((BRIEF, LONG), made, strict=True):
        (found,) = serving.index.cooccurrence([(a, b)], window_words=1000)
        assert each["results"] == [
            cooccurrence_object(a, b, found, window_words=1000, occurrences=())
        ]


def test_a_brief_question_does_not_pass_those_that_wait(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_asked, go_on = threading.Semaphore(0), threading.Event()
    cooccurrence = EmbeddedIndex.cooccurrence

    def blocked(self: EmbeddedIndex, pairs: Any, **more: Any) -> Any:
        n_asked.release()
        assert go_on.wait(20)
        return cooccurrence(self, pairs, **more)

    monkeypatch.setattr(EmbeddedIndex, "cooccurrence", blocked)
    with running(serving) as url, client(url) as c, ThreadPoolExecutor(PLACES) as others:

        def ask_long(_: int) -> int:
            return c.post(COOCCUR, json={"pairs": [LONG]}).status_code

        asked = others.map(ask_long, range(PLACES))
        assert all(n_asked.acquire(timeout=20) for _ in range(PLACES))
        shed = c.post(COUNT, json={"phrases": ["Prague"]}).status_code
        go_on.set()
        served = list(asked)
        then = c.post(COUNT, json={"phrases": ["Prague"]}).status_code

    assert (shed, served, then) == (429, [200] * PLACES, 200)


def test_a_phrase_without_a_word_is_a_400_without_a_thread_too(serving: Serving) -> None:
    with running(serving) as url, client(url) as c:
        refused = c.post(COOCCUR, json={"pairs": [["Prague", "—"]]})

    assert (refused.status_code, refused.json()["error"]["kind"]) == (400, "QueryError")


@pytest.mark.parametrize("padding", [0, 20_000], ids=["small", "large"])
@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8"])
def test_a_body_says_the_same_however_it_is_read(kind: str, padding: int, serving: Serving) -> None:
    body = json.dumps({"pairs": [BRIEF], "window_words": 9}) + " " * padding
    asked = CooccurRequest(pairs=[BRIEF], window_words=9)

    with running(serving) as url, client(url) as c:
        made = c.post(COOCCUR, content=body, headers={"Content-Type": kind})

    assert made.json() == corpus.cooccur(serving, asked)
