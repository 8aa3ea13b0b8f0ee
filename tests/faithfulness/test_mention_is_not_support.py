"""AT-4: that head and tail of a claim stand in one passage never makes it faithful."""

from __future__ import annotations

import statistics

import pytest

from averment.faithfulness.lexical import LexicalAlignment
from averment.ports import FaithfulnessScorer
from faithfulness.mentions import Pair, mentioned_pairs, stated_pairs
from faithfulness.shipped import shipped_scorer  # noqa: F401

MARGIN = 0.4


def mean_score(scorer: FaithfulnessScorer, pairs: list[Pair]) -> float:
    return statistics.mean(
        each.score for each in scorer.score([(p.claim, [p.passage]) for p in pairs])
    )


def test_there_are_at_least_100_pairs_that_mention_both_ends() -> None:
    pairs = mentioned_pairs()

    assert len(set(pairs)) == len(pairs) >= 100


def test_lexical_alignment_scores_mention_below_support() -> None:
    scorer = LexicalAlignment()

    assert mean_score(scorer, stated_pairs()) - mean_score(scorer, mentioned_pairs()) > MARGIN


def test_lexical_alignment_scores_no_mention_above_the_claim_that_is_stated() -> None:
    scorer = LexicalAlignment()
    stated = min(
        each.score for each in scorer.score([(p.claim, [p.passage]) for p in stated_pairs()])
    )

    mentioned = scorer.score([(p.claim, [p.passage]) for p in mentioned_pairs()])

    assert max(each.score for each in mentioned) < stated


def test_the_shipped_model_scores_mention_below_support(
    shipped_scorer: FaithfulnessScorer,
) -> None:
    stated = mean_score(shipped_scorer, stated_pairs())
    mentioned = mean_score(shipped_scorer, mentioned_pairs())

    assert stated - mentioned > MARGIN


@pytest.mark.parametrize("times", [2, 10])
def test_mentioning_more_often_does_not_support_more(times: int) -> None:
    scorer = LexicalAlignment()
    once = scorer.score([(p.claim, [p.passage]) for p in mentioned_pairs()])

    often = scorer.score([(p.claim, [p.passage] * times) for p in mentioned_pairs()])

    assert [each.score for each in often] == [each.score for each in once]
