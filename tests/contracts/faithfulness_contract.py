"""What every `averment.ports.FaithfulnessScorer` keeps; subclass it and say how one is made."""

from __future__ import annotations

import math

import pytest

from averment.ports import FaithfulnessScorer

DOG = "The dog ran fast. The cat sat."
MILL = "The mill stands at noon."
CLAIM = "The dog ran fast."


class FaithfulnessContract:
    """Inherit and give `scorer`; collected through the class that inherits."""

    @pytest.fixture
    def scorer(self) -> FaithfulnessScorer:
        raise NotImplementedError

    def test_it_has_a_name(self, scorer: FaithfulnessScorer) -> None:
        assert scorer.name

    def test_nothing_in_is_nothing_out(self, scorer: FaithfulnessScorer) -> None:
        assert scorer.score([]) == []

    def test_scores_come_in_order_and_point_into_their_passage(
        self, scorer: FaithfulnessScorer
    ) -> None:
        passages = [MILL, DOG]

        found = scorer.score([(CLAIM, passages), ("The mill stands.", passages), (CLAIM, passages)])

        assert found[0] == found[2]
        for each in found:
            assert 0.0 <= each.score <= 1.0
            assert each.passage is not None
            assert each.start is not None
            assert each.end is not None
            assert passages[each.passage][each.start : each.end].strip()

    @pytest.mark.parametrize("passages", [[], [""], [" \n", "…"]], ids=["none", "empty", "blank"])
    def test_without_evidence_the_score_is_0(
        self, scorer: FaithfulnessScorer, passages: list[str]
    ) -> None:
        [found] = scorer.score([(CLAIM, passages)])

        assert (found.score, found.reason, found.passage) == (0.0, "no_evidence", None)

    def test_an_empty_claim_scores_0(self, scorer: FaithfulnessScorer) -> None:
        [found] = scorer.score([(" ", [DOG])])

        assert (found.score, found.reason, found.passage) == (0.0, "empty_claim", None)

    def test_a_passage_more_never_lowers_a_score(self, scorer: FaithfulnessScorer) -> None:
        [alone], [among] = scorer.score([(CLAIM, [DOG])]), scorer.score([(CLAIM, [MILL, DOG])])

        assert among.score >= alone.score - 1e-6

    def test_the_order_of_passages_does_not_matter(self, scorer: FaithfulnessScorer) -> None:
        [one], [other] = scorer.score([(CLAIM, [DOG, MILL])]), scorer.score([(CLAIM, [MILL, DOG])])

        assert math.isclose(one.score, other.score, abs_tol=1e-6)
