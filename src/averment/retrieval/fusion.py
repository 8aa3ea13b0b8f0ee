"""Reciprocal rank fusion: one ranking of several, by ranks alone.

A passage at rank r of a ranking gets 1 / (60 + r) from it, nothing from one where it is missing,
and the sums rank. Scores are not looked at, so retrievers whose scores mean different things go
together. What this module does not do: weigh the retrievers, or tune the constant.

Source: Cormack, Clarke and Buettcher, "Reciprocal rank fusion outperforms Condorcet and individual
rank learning methods", SIGIR 2009; the constant 60 is theirs.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from averment.ports import Retriever
from averment.types import Passage, Retrieval, ScoredPassage

RANK_CONSTANT = 60
DEPTH = 100
"""How many passages of each ranking are fused, if not more are asked for."""


class ReciprocalRankFusion:
    """A `Retriever` that asks others; they must search the same passages.

    Args:
        retrievers: At least one; earlier ones win ties.

    Raises:
        ValueError: There is none.
    """

    def __init__(self, retrievers: Sequence[Retriever]) -> None:
        if not retrievers:
            raise ValueError("a fusion needs a retriever")
        self._retrievers = tuple(retrievers)

    def search(self, queries: Sequence[str], *, k: int) -> list[Retrieval]:
        """The k passages of each query with the largest sums, best first.

        Ties go to the passage with the best rank anywhere, then to that of the earlier retriever.

        Raises:
            ValueError: k is below 1.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        found = [each.search(queries, k=max(k, DEPTH)) for each in self._retrievers]
        return [fused(rankings, k=k) for rankings in zip(*found, strict=True)]


def fused(rankings: Sequence[Retrieval], *, k: int) -> Retrieval:
    """One ranking of at least one; see `ReciprocalRankFusion.search`.

    Args:
        rankings: Of the same query; a passage is told by its ``passage_id``.
        k: How many passages are kept at most.
    """
    passages: dict[str, Passage] = {}
    ranks: defaultdict[str, list[int]] = defaultdict(list)
    for ranking in rankings:
        for hit in ranking.hits:
            passages.setdefault(hit.passage.passage_id, hit.passage)
            ranks[hit.passage.passage_id].append(hit.rank)
    # fsum: the same ranks give the same sum, in whatever order they came.
    sums = {name: math.fsum(1 / (RANK_CONSTANT + rank) for rank in ranks[name]) for name in ranks}
    # Sorting is stable, and names are in the order of the retrievers.
    best = sorted(sums, key=lambda name: (-sums[name], min(ranks[name])))[:k]
    hits = tuple(
        ScoredPassage(passages[name], sums[name], rank) for rank, name in enumerate(best, start=1)
    )
    named = ", ".join(ranking.retriever for ranking in rankings)
    return Retrieval(rankings[0].query, hits, f"fusion({named})")
