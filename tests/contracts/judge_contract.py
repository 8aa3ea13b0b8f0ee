"""What every `averment.ports.PairJudge` keeps; subclass it and say how one is made."""

from __future__ import annotations

import math

import pytest

from averment.ports import PairJudge

PASSAGE = "The dog ran fast. The mill stands."
PAIRS = [
    (PASSAGE, "The dog ran fast."),
    (PASSAGE, "The cat sat at noon."),
    ("", "The dog ran."),
    (PASSAGE, "The dog ran fast."),
]


class PairJudgeContract:
    """Inherit and give `judge`; collected through the class that inherits."""

    @pytest.fixture
    def judge(self) -> PairJudge:
        raise NotImplementedError

    def test_it_has_a_name(self, judge: PairJudge) -> None:
        assert judge.name

    def test_nothing_in_is_nothing_out(self, judge: PairJudge) -> None:
        assert judge.judge([]) == []

    def test_each_pair_has_a_distribution_in_order(self, judge: PairJudge) -> None:
        judged = judge.judge(PAIRS)

        assert len(judged) == len(PAIRS)
        assert judged[0] == judged[3]
        for each in judged:
            parts = (each.entailment, each.neutral, each.contradiction)
            assert all(0.0 <= part <= 1.0 for part in parts)
            assert math.isclose(sum(parts), 1.0, abs_tol=1e-6)

    def test_a_pair_is_judged_alike_in_any_company(self, judge: PairJudge) -> None:
        alone = [judge.judge([pair])[0] for pair in PAIRS]

        together = judge.judge(PAIRS)

        for one, other in zip(alone, together, strict=True):
            assert math.isclose(one.entailment, other.entailment, abs_tol=1e-6)
            assert math.isclose(one.contradiction, other.contradiction, abs_tol=1e-6)
