"""ECE, its table and band, Brier score and skill."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from averment.metrics.calibration_error import (
    brier_score,
    brier_skill,
    calibrated_ece_band,
    expected_calibration_error,
    reliability_table,
)
from metrics.labelled_rows import columns, random_columns, untimed

any_rows = columns(min_size=1, max_size=30, both_classes=False)


def occupied_bin(confidence: float, n_bins: int = 10) -> int:
    table = reliability_table(np.array([confidence]), np.array([True]), n_bins=n_bins)
    (number,) = (number for number, found in enumerate(table) if found.n_rows)
    return number


@pytest.mark.parametrize("tenth", range(1, 11))
def test_an_edge_belongs_to_the_bin_that_it_closes(tenth) -> None:
    assert occupied_bin(float(f"{tenth / 10:.1f}")) == tenth - 1


@pytest.mark.parametrize("tenth", range(10))
def test_just_above_an_edge_the_next_bin_begins(tenth) -> None:
    assert occupied_bin(np.nextafter(tenth / 10, 1)) == tenth


def test_zero_belongs_to_the_first_bin() -> None:
    assert occupied_bin(0.0) == 0


def test_the_table_says_bounds_size_confidence_and_truth() -> None:
    confidence = np.array([0.05, 0.1, 0.62, 0.66])
    is_true = np.array([False, True, True, True])

    table = reliability_table(confidence, is_true, n_bins=5)

    assert [(b.low, b.high) for b in table] == [
        (0.0, 0.2),
        (0.2, 0.4),
        (0.4, 0.6),
        (0.6, 0.8),
        (0.8, 1.0),
    ]
    assert [b.n_rows for b in table] == [2, 0, 0, 2, 0]
    assert table[0].mean_confidence == pytest.approx(0.075)
    assert table[0].share_true == 0.5
    assert table[3].mean_confidence == pytest.approx(0.64)
    assert table[3].share_true == 1
    assert (table[1].mean_confidence, table[1].share_true) == (None, None)


@pytest.mark.parametrize("function", [reliability_table, expected_calibration_error])
def test_there_must_be_a_bin(function) -> None:
    with pytest.raises(ValueError, match="at least 1 bin"):
        function(np.array([0.5]), np.array([True]), n_bins=0)


def test_one_bin_compares_the_means_only() -> None:
    measured = expected_calibration_error(np.array([0.2, 0.8]), np.array([True, False]), n_bins=1)

    assert measured.value == 0


def test_ece_worked_by_hand() -> None:
    confidence = np.array([0.95, 0.95, 0.95, 0.95, 0.35])
    is_true = np.array([True, True, True, False, False])

    measured = expected_calibration_error(confidence, is_true)

    assert measured.value == pytest.approx(4 / 5 * 0.20 + 1 / 5 * 0.35)


@untimed
@given(rows=any_rows, n_bins=st.integers(1, 15))
def test_ece_is_the_weighted_gap_of_the_table(rows, n_bins) -> None:
    confidence, is_true = rows
    table = reliability_table(confidence, is_true, n_bins=n_bins)

    gaps = [b.n_rows * abs(b.mean_confidence - b.share_true) for b in table if b.n_rows]

    measured = expected_calibration_error(confidence, is_true, n_bins=n_bins)
    assert measured.value == pytest.approx(sum(gaps) / len(is_true))
    assert 0 <= measured.value <= 1


@untimed
@given(rows=any_rows, seed=st.integers(0, 1000))
def test_the_order_of_the_rows_changes_nothing_but_rounding(rows, seed) -> None:
    confidence, is_true = rows
    order = np.random.default_rng(seed).permutation(len(is_true))

    for metric in (expected_calibration_error, brier_score):
        assert metric(confidence[order], is_true[order]).value == pytest.approx(
            metric(confidence, is_true).value
        )


@untimed
@given(rows=any_rows, times=st.integers(2, 4))
def test_rows_that_are_all_there_several_times_give_the_same(rows, times) -> None:
    confidence, is_true = rows

    for metric in (expected_calibration_error, brier_score):
        repeated = metric(np.tile(confidence, times), np.tile(is_true, times))
        assert repeated.value == pytest.approx(metric(confidence, is_true).value)


@untimed
@given(rows=columns(min_size=2, max_size=30, both_classes=True))
def test_certain_and_right_is_perfect(rows) -> None:
    _, is_true = rows

    assert expected_calibration_error(is_true * 1.0, is_true).value == 0
    assert brier_score(is_true * 1.0, is_true).value == 0
    assert brier_skill(is_true * 1.0, is_true).value == 1


@untimed
@given(rows=columns(min_size=2, max_size=30, both_classes=True))
def test_the_share_of_true_claims_has_no_skill_and_no_calibration_error(rows) -> None:
    _, is_true = rows
    base_rate = np.full(len(is_true), is_true.mean())

    assert brier_skill(base_rate, is_true).value == pytest.approx(0, abs=1e-9)
    assert expected_calibration_error(base_rate, is_true).value == pytest.approx(0, abs=1e-9)


def test_worse_than_the_share_of_true_claims_is_negative_skill() -> None:
    assert brier_skill(np.array([0.0, 1.0]), np.array([True, False])).value == -3


@untimed
@given(rows=columns(min_size=2, max_size=30, both_classes=True))
def test_brier_score_equals_that_of_scikit_learn(rows) -> None:
    confidence, is_true = rows

    theirs = brier_score_loss(is_true, confidence)

    assert brier_score(confidence, is_true).value == pytest.approx(theirs)


def test_the_table_equals_the_calibration_curve_of_scikit_learn() -> None:
    confidence, is_true = random_columns(11, n_rows=500, n_levels=997)
    share_true, mean_confidence = calibration_curve(is_true, confidence, n_bins=10)

    table = reliability_table(confidence, is_true)

    assert [b.share_true for b in table] == pytest.approx(share_true.tolist())
    assert [b.mean_confidence for b in table] == pytest.approx(mean_confidence.tolist())


def test_the_band_of_one_claim_is_its_two_possible_errors() -> None:
    band = calibrated_ece_band(np.array([0.3]), n_simulations=500)

    assert (band.low, band.high) == pytest.approx((0.3, 0.7))
    assert (band.level, band.n_rows, band.n_simulations, band.seed) == (0.95, 1, 500, 0)


def test_certain_confidence_cannot_err_if_it_is_calibrated() -> None:
    band = calibrated_ece_band(np.array([0.0, 1.0, 1.0]), n_simulations=20)

    assert (band.low, band.high) == (0, 0)


def test_without_rows_there_is_no_band() -> None:
    band = calibrated_ece_band(np.array([]))

    assert (band.low, band.high, band.n_simulations) == (None, None, 0)


def test_the_same_seed_gives_the_same_band_and_another_one_another() -> None:
    confidence, _ = random_columns(2, n_rows=60, n_levels=100)

    first, again, other = (
        calibrated_ece_band(confidence, n_simulations=100, seed=seed) for seed in (1, 1, 2)
    )

    assert first == again
    assert (first.low, first.high) != (other.low, other.high)


def test_calibrated_labels_fall_into_the_band_about_as_often_as_its_level_says() -> None:
    random = np.random.default_rng(7)
    confidence = random.random(200)
    band = calibrated_ece_band(confidence, n_simulations=1000)

    eces = [
        expected_calibration_error(confidence, random.random(200) < confidence).value
        for _ in range(400)
    ]

    within = np.mean([band.low <= ece <= band.high for ece in eces])
    assert 0.91 < within < 0.985


def test_overconfidence_is_above_the_band() -> None:
    random = np.random.default_rng(8)
    confidence = random.uniform(0.6, 1, 500)
    is_true = random.random(500) < confidence - 0.2

    band = calibrated_ece_band(confidence, n_simulations=300)

    assert expected_calibration_error(confidence, is_true).value > band.high


@pytest.mark.parametrize("setting", [{"level": 0.0}, {"level": 1.0}, {"n_simulations": 0}], ids=str)
def test_a_band_needs_a_level_and_simulations(setting) -> None:
    with pytest.raises(ValueError, match="level"):
        calibrated_ece_band(np.array([0.5]), **setting)
