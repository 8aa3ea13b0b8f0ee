"""Isotonic regression: exact, the same as brute force and as scikit-learn, and safe to read."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from averment.franq.isotonic import Monotone, blended, isotonic, mid_ranks, pooled

FINITE = st.floats(allow_nan=False, allow_infinity=False)
UNIT = st.floats(0, 1)
ROWS = st.lists(st.tuples(st.integers(0, 6), UNIT, st.integers(1, 4)), min_size=1, max_size=7)


def columns(rows: list[tuple[float, float, float]]) -> list[np.ndarray]:
    return [np.array(column, dtype=float) for column in zip(*rows, strict=True)]


def best_by_brute_force(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
    """The least squared error over all ways to cut the distinct x into blocks with rising means."""
    places = np.unique(x)
    best = math.inf
    for cuts in itertools.product([False, True], repeat=len(places) - 1):
        block = np.concatenate([[0], np.cumsum(cuts)]).astype(int)[np.searchsorted(places, x)]
        means = [np.average(y[block == b], weights=w[block == b]) for b in range(block.max() + 1)]
        if all(a <= b + 1e-12 for a, b in itertools.pairwise(means)):
            best = min(best, float((w * (np.array(means)[block] - y) ** 2).sum()))
    return best


@given(ROWS)
@settings(deadline=None)
def test_no_rising_step_function_is_nearer_than_the_fit(rows: list[tuple[int, float, int]]) -> None:
    x, y, w = columns(rows)

    curve = isotonic(x, y, weights=w)

    error = float((w * (curve(x) - y) ** 2).sum())
    assert error == pytest.approx(best_by_brute_force(x, y, w), abs=1e-9)


@given(ROWS, st.lists(FINITE, min_size=1, max_size=5))
@settings(deadline=None)
def test_the_fit_reads_like_that_of_scikit_learn(
    rows: list[tuple[int, float, int]], at: list[float]
) -> None:
    x, y, w = columns(rows)
    oracle = IsotonicRegression(out_of_bounds="clip").fit(x, y, sample_weight=w)

    curve = isotonic(x, y, weights=w)

    places = np.clip(np.concatenate([x, x + 0.3, at]), -10, 10)
    np.testing.assert_allclose(curve(places), oracle.predict(places), atol=1e-9)


def test_a_large_fit_is_the_one_of_scikit_learn() -> None:
    random = np.random.default_rng(1)
    x, w = random.normal(size=3000).round(2), random.random(3000)
    y = (random.random(3000) < 1 / (1 + np.exp(-x))).astype(float)
    oracle = IsotonicRegression(out_of_bounds="clip").fit(x, y, sample_weight=w)

    curve = isotonic(x, y, weights=w)

    np.testing.assert_allclose(curve(x), oracle.predict(x), atol=1e-9)


def test_the_weighted_mean_of_the_fit_is_that_of_the_targets() -> None:
    x, y, w = np.arange(8.0), np.array([1, 0, 0, 1, 0, 1, 1, 0.5]), np.arange(1.0, 9.0)

    curve = isotonic(x, y, weights=w)

    assert np.average(curve(x), weights=w) == pytest.approx(np.average(y, weights=w))


def test_rows_of_equal_x_are_pooled_before_anything_else() -> None:
    curve = isotonic([1, 1, 1, 2], [1, 0, 0, 1])

    assert curve == Monotone((1.0, 2.0), (1 / 3, 1.0), 4.0, 2.0)


@given(ROWS)
def test_a_row_that_occurs_twice_is_a_row_of_weight_two(rows: list[tuple[int, float, int]]) -> None:
    x, y, _ = columns(rows)

    twice = isotonic(np.tile(x, 2), np.tile(y, 2))

    assert twice(x) == pytest.approx(isotonic(x, y, weights=np.full(len(x), 2.0))(x))
    assert twice(x) == pytest.approx(isotonic(x, y)(x))


def test_rows_of_weight_zero_are_as_if_they_were_not_there() -> None:
    assert isotonic([0, 1, 2], [1, 0, 1], weights=[0, 1, 1]) == isotonic([1, 2], [0, 1])


# --- centred ------------------------------------------------------------------------------------


def test_a_centred_plateau_is_one_point_at_the_weighted_mean_of_its_x() -> None:
    curve = isotonic([0, 1, 3, 4], [0, 1, 0, 1], weights=[1, 1, 3, 1], centred=True)

    assert curve.x == (0.0, 2.5, 4.0)
    assert curve.y == (0.0, 0.25, 1.0)
    assert curve(1.25) == pytest.approx(0.125)


def test_centring_keeps_plateaus_at_zero_and_one() -> None:
    curve = isotonic([0, 1, 2, 3, 4, 5], [0, 0, 1, 0, 1, 1], centred=True)

    assert curve.x == (0.0, 1.0, 2.5, 4.0, 5.0)
    assert curve.y == (0.0, 0.0, 0.5, 1.0, 1.0)


def test_centring_leaves_fewer_ties() -> None:
    random = np.random.default_rng(3)
    x = random.random(200)
    y = random.random(200) < x

    plain, centred = (isotonic(x, y, centred=centred)(x) for centred in (False, True))

    assert len(np.unique(plain)) < 40
    assert len(np.unique(centred)) > 150


@given(st.lists(st.tuples(FINITE, UNIT), min_size=1, max_size=8))
def test_a_centred_curve_is_a_curve_for_any_finite_x(rows: list[tuple[float, float]]) -> None:
    x, y = zip(*rows, strict=True)

    curve = isotonic(x, y, centred=True)

    assert np.all((curve(x) >= 0) & (curve(x) <= 1))


# --- reading a curve ----------------------------------------------------------------------------


@given(
    st.lists(st.tuples(FINITE, UNIT), min_size=1, max_size=8),
    st.lists(FINITE, min_size=2, max_size=8),
)
def test_a_curve_never_falls_and_is_never_nan_at_any_finite_place(
    rows: list[tuple[float, float]], at: list[float]
) -> None:
    x, y = zip(*rows, strict=True)

    heights = isotonic(x, y)(sorted(at))

    assert np.all((heights >= 0) & (heights <= 1))
    assert np.all(np.diff(heights) >= 0)


def test_a_curve_is_constant_outside_of_its_breakpoints_and_linear_between() -> None:
    curve = Monotone((0.0, 1.0), (0.2, 0.6), 2.0, 1.0)

    assert curve([-9, 0, 0.5, 1, 9]) == pytest.approx([0.2, 0.2, 0.4, 0.6, 0.6])


def test_a_curve_keeps_the_shape_of_what_it_reads() -> None:
    assert isotonic([1], [0.5])(np.zeros((2, 3))).shape == (2, 3)


@pytest.mark.parametrize("place", [math.nan, math.inf, -math.inf])
def test_a_curve_refuses_to_be_read_where_there_is_no_number(place: float) -> None:
    with pytest.raises(ValueError, match="finite places"):
        isotonic([1, 2], [0, 1])([place])


@pytest.mark.parametrize(
    ("x", "y", "n", "n_positive", "complaint"),
    [
        ((), (), 1, 1, "needs breakpoints"),
        ((1.0,), (0.1, 0.2), 1, 1, "needs breakpoints"),
        ((1.0, math.nan), (0.1, 0.2), 1, 1, "finite"),
        ((1.0, 1.0), (0.1, 0.2), 1, 1, "rise in x"),
        ((1.0, 2.0), (0.3, 0.2), 1, 1, "never falls"),
        ((1.0, 2.0), (-0.1, 0.2), 1, 1, r"lie in \[0, 1\]"),
        ((1.0, 2.0), (0.1, 1.2), 1, 1, r"lie in \[0, 1\]"),
        ((1.0,), (0.1,), 1, 2, "2 positive of 1"),
        ((1.0,), (0.1,), -1, None, "None positive of -1"),
    ],
)
def test_what_is_no_rising_curve_cannot_be_made(
    x: tuple[float, ...], y: tuple[float, ...], n: float, n_positive: float, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        Monotone(x, y, n, n_positive)


@pytest.mark.parametrize(
    ("x", "y", "weights", "complaint"),
    [
        ([1, 2], [0], None, "Shapes differ"),
        ([[1]], [[0]], None, "Shapes differ"),
        ([1, math.nan], [0, 1], None, "finite x"),
        ([1, 2], [0, 1], [1, math.inf], "finite x and weights"),
        ([1, 2], [0, math.nan], None, "Targets"),
        ([1, 2], [0, 2], None, "Targets"),
        ([1, 2], [0, 1], [1, -1], "not negative"),
        ([1, 2], [0, 1], [0, 0], "above 0"),
        ([], [], None, "above 0"),
    ],
)
def test_what_cannot_be_fitted_is_refused(
    x: object, y: object, weights: object, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        isotonic(x, y, weights=weights)  # type: ignore[arg-type]


# --- what is done with curves -------------------------------------------------------------------


def test_a_clipped_curve_is_as_sure_as_its_number_of_rows_allows() -> None:
    assert isotonic([1, 2, 3], [0, 1, 1]).clipped().y == (0.2, 0.8, 0.8)


@given(ROWS, ROWS, UNIT, st.floats(-1, 7))
def test_a_blend_is_the_weighted_mean_of_both_curves_everywhere(
    first: list[tuple[int, float, int]],
    second: list[tuple[int, float, int]],
    own_weight: float,
    at: float,
) -> None:
    own, pool = (isotonic(*columns(rows)[:2]) for rows in (first, second))

    blend = blended(own, pool, own_weight=own_weight)

    assert blend(at) == pytest.approx(own_weight * own(at) + (1 - own_weight) * pool(at))
    assert blend.n == own.n


def test_a_mid_rank_is_the_share_below_with_ties_counting_half() -> None:
    ranks = mid_ranks([5, 1, 1, 9])

    assert ranks == Monotone((1.0, 5.0, 9.0), (0.25, 0.625, 0.875), 4.0, None)


def test_mid_ranks_of_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="needs breakpoints"):
        mid_ranks([])


def test_points_without_weight_take_the_value_before_them() -> None:
    values = pooled(np.array([0.0, 1.0, 0.0, 0.5, 0.0]), np.array([0.0, 2.0, 0.0, 1.0, 0.0]))

    assert values == pytest.approx([0.5, 0.5, 0.5, 0.5, 0.5])


def test_points_of_which_none_has_a_weight_are_undecided() -> None:
    assert pooled(np.zeros(2), np.zeros(2)).tolist() == [0.5, 0.5]
