"""AT-6: passages that have nothing to do with a claim, and their order, change no score."""

from __future__ import annotations

import random

import pytest

from averment.faithfulness.lexical import LexicalAlignment
from averment.faithfulness.scorer import ChunkedScorer
from averment.ports import FaithfulnessScorer
from faithfulness.judges import OverlapJudge
from faithfulness.mentions import mentioned_pairs, stated_pairs
from faithfulness.shipped import shipped_scorer  # noqa: F401

PAIRS = stated_pairs()[::7] + mentioned_pairs()[::7]
IRRELEVANT = [
    f"Recipe {at}: stir {at + 2} spoons of flour into warm milk, add salt, and bake it slowly."
    for at in range(20)
]
SCORERS = {
    "lexical alignment": LexicalAlignment(),
    "a judge": ChunkedScorer(OverlapJudge()),
    "a judge of few chunks": ChunkedScorer(OverlapJudge(), most_chunks=2),
}
TOLERANCE = 0.05


def scores(scorer: FaithfulnessScorer, added: list[str], seed: int | None = None) -> list[float]:
    asked = []
    for claim, passage in PAIRS:
        passages = [passage, *added]
        if seed is not None:
            random.Random(seed).shuffle(passages)
        asked.append((claim, passages))
    return [each.score for each in scorer.score(asked)]


@pytest.mark.parametrize("k", [1, 5, 20])
@pytest.mark.parametrize("scorer", SCORERS.values(), ids=SCORERS.keys())
def test_irrelevant_passages_change_no_score_at_all(scorer: FaithfulnessScorer, k: int) -> None:
    assert scores(scorer, IRRELEVANT[:k]) == scores(scorer, [])


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("scorer", SCORERS.values(), ids=SCORERS.keys())
def test_the_order_of_passages_changes_no_score_at_all(
    scorer: FaithfulnessScorer, seed: int
) -> None:
    assert scores(scorer, IRRELEVANT, seed) == scores(scorer, IRRELEVANT)


@pytest.mark.parametrize("k", [1, 5, 20])
def test_irrelevant_passages_hardly_change_a_score_of_the_shipped_model(
    shipped_scorer: FaithfulnessScorer, k: int
) -> None:
    alone = scores(shipped_scorer, [])
    among = scores(shipped_scorer, IRRELEVANT[:k], seed=k)

    assert max(abs(a - b) for a, b in zip(alone, among, strict=True)) <= TOLERANCE


def test_a_sentence_of_a_passage_stays_supported_beside_others(
    shipped_scorer: FaithfulnessScorer,
) -> None:
    claim = "Sørlandia was built in Rauma in 1998."
    passages = [claim, f"{claim} {' '.join(IRRELEVANT[:4])}", f"{IRRELEVANT[0]} {claim}"]

    found = shipped_scorer.score([(claim, [passage]) for passage in passages])

    assert [each.score for each in found] == [1.0, 1.0, 1.0]
    assert all(not each.contradiction for each in found)
