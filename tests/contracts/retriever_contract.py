"""What every `averment.ports.Retriever` keeps; subclass it and say how one is opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from averment.ports import Retriever
from averment.types import Passage

_TEXTS = (
    ("Kumbasaram", "Kumbasaram is a film directed by Haneef."),
    ("Haneef", "Haneef was born in a village by the sea."),
    ("Vetham", "Vetham is a film about a village."),
    ("Village", "A village, a village and a village."),
)
PASSAGES = tuple(
    Passage(f"p{number}", f"d{number}", title, text, 0, len(text))
    for number, (title, text) in enumerate(_TEXTS)
)


class RetrieverContract:
    """Inherit and give `open_retriever`; collected through the class that inherits."""

    def open_retriever(self, passages: Sequence[Passage], directory: Path) -> Retriever:
        """A retriever over exactly these passages."""
        raise NotImplementedError

    @pytest.fixture
    def retriever(self, tmp_path: Path) -> Retriever:
        return self.open_retriever(PASSAGES, tmp_path / "retriever")

    def test_each_query_has_its_retrieval_in_order(self, retriever: Retriever) -> None:
        queries = ["village", "Haneef", "village"]

        retrievals = retriever.search(queries, k=2)

        assert [retrieval.query for retrieval in retrievals] == queries
        assert retrievals[0] == retrievals[2]

    def test_no_query_has_no_retrieval(self, retriever: Retriever) -> None:
        assert retriever.search([], k=3) == []

    def test_the_passage_that_the_words_are_about_comes_first(self, retriever: Retriever) -> None:
        [retrieval] = retriever.search(["Who directed Kumbasaram?"], k=3)

        assert retrieval.hits[0].passage == PASSAGES[0]

    def test_ranks_count_from_one_and_scores_never_rise(self, retriever: Retriever) -> None:
        [retrieval] = retriever.search(["a film about a village by the sea"], k=4)

        scores = [hit.score for hit in retrieval.hits]
        assert [hit.rank for hit in retrieval.hits] == [1, 2, 3, 4]
        assert scores == sorted(scores, reverse=True)

    def test_at_most_k_passages_come_back(self, retriever: Retriever) -> None:
        [retrieval] = retriever.search(["village"], k=2)

        assert len(retrieval.hits) == 2

    def test_k_may_be_larger_than_the_corpus(self, retriever: Retriever) -> None:
        [retrieval] = retriever.search(["village"], k=1000)

        assert 1 <= len(retrieval.hits) <= len(PASSAGES)

    def test_the_same_query_gives_the_same_hits(self, retriever: Retriever) -> None:
        first = retriever.search(["village film"], k=3)

        assert retriever.search(["village film"], k=3) == first

    def test_retrievals_name_their_retriever(self, retriever: Retriever) -> None:
        [retrieval] = retriever.search(["village"], k=1)

        assert retrieval.retriever

    def test_an_empty_query_is_no_error(self, retriever: Retriever) -> None:
        assert len(retriever.search(["", "?!"], k=3)) == 2
