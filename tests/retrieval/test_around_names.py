"""Passages around the names of a query, out of an index that shows its documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import averment
from averment.errors import IndexUnavailable
from averment.ports import CorpusIndex
from averment.retrieval.around_names import AroundNames
from averment.types import Document, Passage, Retrieval

DOCUMENTS = [
    Document("bridge", "The Forth Bridge crosses the Firth of Forth. It was opened in 1890."),
    Document("hardy", "Silas Hardy came to Reno. Later Silas Hardy opened an office in Reno."),
    Document("reno", "Reno lies in Nevada."),
]


@pytest.fixture
def index(tmp_path: Path) -> CorpusIndex:
    averment.build_index(DOCUMENTS, tmp_path / "idx")
    return averment.open_index(tmp_path / "idx")


def found(retrieval: Retrieval) -> list[str]:
    return [hit.passage.document_id for hit in retrieval.hits]


def test_documents_that_have_most_of_the_query_come_first(index: CorpusIndex) -> None:
    [retrieval] = AroundNames(index).search(["When did Silas Hardy come to Reno?"], k=5)

    assert found(retrieval) == ["hardy", "reno"]
    scores = [hit.score for hit in retrieval.hits]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == pytest.approx(4 / 7)
    assert [hit.rank for hit in retrieval.hits] == [1, 2]


def test_no_more_than_asked_for(index: CorpusIndex) -> None:
    [retrieval] = AroundNames(index).search(["Reno"], k=1)

    assert len(retrieval.hits) == 1


@pytest.mark.parametrize("query", ["when was it opened?", "Where is Kumbasaram?", ""])
def test_a_query_without_a_name_that_is_known_finds_nothing(index: CorpusIndex, query: str) -> None:
    [retrieval] = AroundNames(index).search([query], k=5)

    assert retrieval.hits == ()


class Failing:
    """An index whose documents cannot be read, all or those of pairs."""

    def __init__(self, index: CorpusIndex, *, all_of_them: bool) -> None:
        self._index = index
        self._all = all_of_them

    def __getattr__(self, name: str) -> object:
        return getattr(self._index, name)

    def nearest_windows(
        self, pairs: Sequence[tuple[str, str]], **options: int
    ) -> list[tuple[Passage, ...]]:
        if self._all or pairs[0][0] != pairs[0][1]:
            raise IndexUnavailable("down")
        return self._index.nearest_windows(pairs, **options)  # type: ignore[arg-type]


def test_what_cannot_be_read_is_an_error_and_not_nothing(index: CorpusIndex) -> None:
    query = ["When did Silas Hardy come to Reno?"]

    with pytest.raises(IndexUnavailable):
        AroundNames(Failing(index, all_of_them=True)).search(query, k=5)  # type: ignore[arg-type]

    [some] = AroundNames(Failing(index, all_of_them=False)).search(query, k=5)  # type: ignore[arg-type]
    assert found(some) == ["hardy", "reno"]
