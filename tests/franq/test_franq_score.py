"""The formula of FRANQ: the paper's worked examples, and what holds for any numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.franq.score import Branch, Score, Source, mixture

UNIT = st.floats(0, 1)


@pytest.mark.parametrize(
    ("pf", "uf", "uu", "uncalibrated", "f", "g", "calibrated"),
    [
        pytest.param(0.98, 0.99, 3.5e-15, 0.97, 0.95, 0.13, 0.93, id="chestnuts, faithful, true"),
        pytest.param(0.05, 0.19, 0.05, 0.06, 0.21, 0.99, 0.95, id="RAM, unfaithful, true"),
        pytest.param(0.04, 0.72, 3.8e-15, 0.03, 0.49, 0.14, 0.15, id="diabetes, unfaithful, false"),
    ],
)
def test_the_worked_examples_of_the_paper(
    pf: float, uf: float, uu: float, uncalibrated: float, f: float, g: float, calibrated: float
) -> None:
    assert round(float(mixture(pf, uf, uu)), 2) == uncalibrated
    assert round(float(mixture(pf, f, g)), 2) == calibrated


@given(UNIT, UNIT, UNIT)
def test_the_mixture_lies_between_its_branches(pf: float, f: float, g: float) -> None:
    p = float(mixture(pf, f, g))

    assert min(f, g) - 1e-12 <= p <= max(f, g) + 1e-12
    assert 0 <= p <= 1


@given(UNIT, UNIT, UNIT, UNIT)
def test_the_mixture_rises_in_p_faithful_where_the_faithful_branch_is_higher(
    pf: float, other: float, f: float, g: float
) -> None:
    low, high = sorted((pf, other))

    step = float(mixture(high, max(f, g), min(f, g)) - mixture(low, max(f, g), min(f, g)))

    assert step >= -1e-12


@given(UNIT, UNIT, UNIT, UNIT)
def test_the_mixture_never_falls_in_either_branch(
    pf: float, low: float, high: float, other: float
) -> None:
    low, high = sorted((low, high))

    assert mixture(pf, low, other) <= mixture(pf, high, other)
    assert mixture(pf, other, low) <= mixture(pf, other, high)


@given(UNIT, UNIT)
def test_certain_faithfulness_leaves_one_branch_exactly(f: float, g: float) -> None:
    assert float(mixture(1, f, g)) == f
    assert float(mixture(0, f, g)) == g


@pytest.mark.parametrize("part", [-0.1, 1.1, math.nan])
@pytest.mark.parametrize("position", range(3))
def test_a_part_that_is_no_probability_is_refused(part: float, position: int) -> None:
    parts = [0.5, 0.5, 0.5]
    parts[position] = part

    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        mixture(*parts)


def test_arrays_are_mixed_one_by_one() -> None:
    assert mixture(np.array([0, 1]), [0.2, 0.2], [0.9, 0.9]).tolist() == [0.9, 0.2]


@pytest.mark.parametrize(
    ("pf", "branch", "weight"),
    [(0.9, Branch.FAITHFUL, 0.9), (0.5, Branch.FAITHFUL, 0.5), (0.2, Branch.UNFAITHFUL, 0.8)],
)
def test_the_heavier_branch_decides(pf: float, branch: Branch, weight: float) -> None:
    score = Score(0.5, pf, 0.5, 0.5, Source.CURVE, Source.CURVE, calibrated=True)

    assert (score.branch, score.branch_weight) == (branch, weight)
