"""Counts, pairs and passages over HTTP are what the index says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import averment
from averment.serve import infinigram
from averment.shapes import cooccurrence_object, counts_object
from averment.types import Count, CountKind
from serve.running import client, running, serving_of
from towns_by_hand import scripted


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path = tmp_path_factory.mktemp("corpus") / "towns"
    documents = [
        averment.Document("1", "Prague lies on the Vltava. Prague is old."),
        averment.Document("2", "New York City is big. NYC never sleeps."),
    ]
    averment.build_index(documents, path)
    with serving_of(path, scripted()) as serving, running(serving) as url, client(url) as c:
        yield c, serving.index


def test_a_batch_of_phrases_is_counted_as_the_command_counts(server: Any) -> None:
    c, index = server
    phrases = ["Prague", "on the Vltava", "Oslo"]

    made = c.post("/v1/corpus/count", json={"phrases": phrases}).json()

    assert made == counts_object(phrases, index.count(phrases), index.info)
    assert [row["count"] for row in made["counts"]] == [2, 1, 0]


def test_a_batch_of_pairs_is_counted_as_the_command_counts(server: Any) -> None:
    c, index = server
    pairs = [("Prague", "Vltava"), ("Prague", "NYC")]

    made = c.post("/v1/corpus/cooccur", json={"pairs": pairs, "window_words": 4, "show": 2}).json()

    found = index.cooccurrence(pairs, window_words=4)
    assert made["results"] == [
        cooccurrence_object(
            a, b, each, window_words=4, occurrences=index.locate_pair(a, b, window_words=4, limit=2)
        )
        for (a, b), each in zip(pairs, found, strict=True)
    ]


def test_names_are_counted_by_all_their_forms_if_asked_for(server: Any) -> None:
    c, _ = server

    made = c.post("/v1/corpus/count", json={"phrases": ["U.S.A."], "aliases": True}).json()

    assert len(made["counts"][0]["forms"]) > 1


def test_passages_are_found_for_each_query(server: Any) -> None:
    c, _ = server

    made = c.post("/v1/corpus/search", json={"queries": ["Vltava", "Oslo"], "k": 1}).json()

    found, missing = made["results"]
    assert [passage["document_id"] for passage in found["passages"]] == ["1"]
    assert missing["passages"] == []


def test_an_empty_batch_has_no_results(server: Any) -> None:
    c, _ = server

    assert c.post("/v1/corpus/count", json={"phrases": []}).json()["counts"] == []


def test_a_phrase_without_a_word_is_a_400_that_says_so(server: Any) -> None:
    c, _ = server

    refused = c.post("/v1/corpus/count", json={"phrases": ["—"]})

    assert (refused.status_code, refused.json()["error"]["kind"]) == (400, "QueryError")


# --- infini-gram's shape ------------------------------------------------------------------------


def _infinigram(server: Any, query: str, **more: Any) -> Any:
    c, _ = server
    return c.post(
        "/infinigram", json={"index": "towns", "query_type": "count", "query": query, **more}
    )


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("Prague", 2),
        ("prague LIES", 1),
        ("Oslo", 0),
        ("Prague AND Vltava", 2),
        ("Prague OR NYC", 3),
        ("Prague OR NYC AND Vltava", 2),
        ("Prague AND NYC", 0),
    ],
)
def test_infinigram_counts_are_exact_and_say_so(query: str, count: int, server: Any) -> None:
    made = _infinigram(server, query, max_clause_freq=1, max_diff_tokens=100).json()

    assert (made["count"], made["approx"]) == (count, False)
    assert made["latency"] >= 0


def test_infinigram_windows_are_in_words(server: Any) -> None:
    counts = [
        _infinigram(server, "Prague AND Vltava", max_diff_tokens=words).json()["count"]
        for words in (1, 4)
    ]

    assert counts == [1, 2]


@pytest.mark.parametrize(
    "asked",
    [
        {"query_type": "count", "query": "a"},
        {"index": "towns", "query": "a"},
        {"index": "towns", "query_type": "count"},
        {"index": "v4_dolma", "query_type": "count", "query": "a"},
        {"index": "towns", "query_type": "ntd", "query": "a"},
        {"index": "towns", "query_type": "count", "query_ids": [1]},
    ],
    ids=["no index", "no type", "no query", "another index", "another type", "ids"],
)
def test_infinigram_requests_that_miss_something_are_400(
    asked: dict[str, Any], server: Any
) -> None:
    c, _ = server

    refused = c.post("/infinigram", json=asked)

    assert refused.status_code == 400
    assert refused.json()["error"].startswith("[averment] ")


@pytest.mark.parametrize(
    ("query", "more"),
    [
        ("a" * 1001, {}),
        ("—", {}),
        ("", {}),
        ("a AND b AND c", {}),
        ("a OR b OR c OR d OR e", {}),
        ("a AND b", {"max_diff_tokens": 1001}),
        ("a", {"max_clause_freq": "many"}),
    ],
    ids=["long", "no word", "empty", "three clauses", "five terms", "wide", "no number"],
)
def test_infinigram_values_that_cannot_be_used_are_an_error_and_no_count(
    query: str, more: dict[str, Any], server: Any
) -> None:
    made = _infinigram(server, query, **more)

    assert made.status_code == 200
    assert list(made.json()) == ["error"]


class _HalfAnIndex:
    """An index of which a segment is missing: its counts are lower bounds."""

    def __init__(self, index: Any) -> None:
        self.info = index.info

    def count(self, phrases: Any) -> list[Count]:
        return [Count(0, 0, CountKind.LOWER_BOUND) for _ in phrases]


def test_infinigram_gives_no_number_where_there_is_no_exact_one(server: Any) -> None:
    _, index = server
    asked = {"index": "towns", "query_type": "count", "query": "Prague"}

    made = infinigram.answer(_HalfAnIndex(index), index.form, asked)  # type: ignore[arg-type]

    assert list(made) == ["error"]


def test_infinigram_lists_the_index(server: Any) -> None:
    c, _ = server

    assert c.get("/infinigram").json() == ["towns"]
