from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest

from averment.retrieval.fusion import DEPTH, ReciprocalRankFusion, fused
from averment.types import Passage, Retrieval, ScoredPassage


def ranking(names: str, retriever: str = "one", query: str = "q") -> Retrieval:
    """Passages in this order, with scores that say nothing."""
    hits = tuple(
        ScoredPassage(passage(name), 100.0 - rank, rank) for rank, name in enumerate(names, start=1)
    )
    return Retrieval(query, hits, retriever)


def passage(name: str) -> Passage:
    return Passage(name, name, "", name, 0, 1)


class Fixed:
    """Gives the same ranking for every query, and remembers how many passages were asked for."""

    def __init__(self, names: str, name: str) -> None:
        self._names, self.name = names, name
        self.asked: list[int] = []

    def search(self, queries: Sequence[str], *, k: int) -> list[Retrieval]:
        self.asked.append(k)
        return [ranking(self._names[:k], self.name, query) for query in queries]


def order(retrieval: Retrieval) -> str:
    return "".join(hit.passage.passage_id for hit in retrieval.hits)


# --- ranks by hand ------------------------------------------------------------------------------


def test_sums_are_those_of_the_paper() -> None:
    found = fused([ranking("abc"), ranking("cad", "two")], k=10)

    assert order(found) == "acbd"
    assert [hit.score for hit in found.hits] == pytest.approx(
        [1 / 61 + 1 / 62, 1 / 63 + 1 / 61, 1 / 62, 1 / 63]
    )
    assert [hit.rank for hit in found.hits] == [1, 2, 3, 4]


def test_two_middling_ranks_beat_one_good_one() -> None:
    found = fused([ranking("abcdefg"), ranking("hbidecg", "two")], k=1)

    assert order(found) == "b"


@pytest.mark.parametrize(
    ("rankings", "expected"),
    [
        pytest.param(["ab", "ba"], "ab", id="the same ranks: as the first retriever has it"),
        pytest.param(["a", "b"], "ab", id="found by one each: the first retriever's"),
        pytest.param(["ab", "cd"], "acbd", id="rank by rank"),
        pytest.param(["abc", "", "cb"], "cba", id="one found nothing"),
    ],
)
def test_ties_have_an_order(rankings: list[str], expected: str) -> None:
    found = fused([ranking(names, str(at)) for at, names in enumerate(rankings)], k=9)

    assert order(found) == expected


def test_of_equal_sums_the_best_single_rank_wins() -> None:
    # 1/65 + 1/104 = 1/80 + 1/80, by hand: (65 + 104) / (65 * 104) = 169 / 6760 = 1 / 40.
    balanced, uneven = [20, 20], [5, 44]
    rankings = [_at({"b": b, "u": u}) for b, u in zip(balanced, uneven, strict=True)]

    found = fused(rankings, k=2)

    assert found.hits[0].score == pytest.approx(1 / 40)
    assert order(found) == "ub"


def _at(ranks: dict[str, int]) -> Retrieval:
    hits = [
        ScoredPassage(passage(name), 0.0, rank)
        for name, rank in sorted(ranks.items(), key=lambda each: each[1])
    ]
    return Retrieval("q", tuple(hits), "one")


def test_the_order_of_three_retrievers_changes_no_sum() -> None:
    rankings = [ranking("abc"), ranking("cab", "two"), ranking("bca", "three")]

    sums = {
        tuple(sorted((hit.passage.passage_id, hit.score) for hit in fused(each, k=3).hits))
        for each in permutations(rankings)
    }

    assert len(sums) == 1


def test_a_passage_keeps_one_place_and_its_rank_counts_from_one() -> None:
    found = fused([ranking("ab"), ranking("ab", "two")], k=5)

    assert order(found) == "ab"
    assert [hit.rank for hit in found.hits] == [1, 2]


# --- asking -------------------------------------------------------------------------------------


def test_each_retriever_is_asked_for_more_than_is_given() -> None:
    one, two = Fixed("abc", "one"), Fixed("cba", "two")

    [found] = ReciprocalRankFusion([one, two]).search(["q"], k=2)

    assert len(found.hits) == 2
    assert one.asked == two.asked == [DEPTH]


def test_so_many_as_are_asked_for_can_come() -> None:
    one = Fixed("abc", "one")

    ReciprocalRankFusion([one]).search(["q"], k=DEPTH + 1)

    assert one.asked == [DEPTH + 1]


def test_retrievals_name_the_retrievers_and_their_query() -> None:
    fusion = ReciprocalRankFusion([Fixed("ab", "bm25"), Fixed("ba", "dense(1234)")])

    found = fusion.search(["one", "two"], k=1)

    assert [each.query for each in found] == ["one", "two"]
    assert {each.retriever for each in found} == {"fusion(bm25, dense(1234))"}


def test_a_search_for_no_passage_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        ReciprocalRankFusion([Fixed("a", "one")]).search(["q"], k=0)


def test_a_fusion_of_nothing_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="needs a retriever"):
        ReciprocalRankFusion([])
