"""What metrics refuse, and what they call undefined: unknown is never a number."""

from __future__ import annotations

import math

import numpy as np
import pytest

from averment.metrics.calibration_error import (
    brier_score,
    brier_skill,
    calibrated_ece_band,
    expected_calibration_error,
    reliability_table,
)
from averment.metrics.ranking import pr_auc, roc_auc
from averment.metrics.rejection import aurc, prediction_rejection_ratio, risk_coverage_curve
from averment.metrics.rows import MetricValue, known_labels

RANKING = [pr_auc, roc_auc, prediction_rejection_ratio, aurc]
CALIBRATION = [expected_calibration_error, brier_score, brier_skill]
METRICS = RANKING + CALIBRATION
NEED_BOTH_CLASSES = [pr_auc, roc_auc, prediction_rejection_ratio, brier_skill]
DEFINED_WITH_ONE_CLASS = [aurc, expected_calibration_error, brier_score]
TABLES = [risk_coverage_curve, reliability_table]


def name(function):
    return function.__name__


@pytest.mark.parametrize("metric", METRICS + TABLES, ids=name)
def test_nan_is_refused_with_how_many_and_where(metric) -> None:
    estimates = np.array([0.1, math.nan, 0.3, math.nan])

    with pytest.raises(ValueError, match=r"2 of 4 rows \(1, 3\) is NaN"):
        metric(estimates, np.array([True, False, True, False]))


def test_of_many_missing_rows_the_first_five_are_named() -> None:
    with pytest.raises(ValueError, match=r"7 of 7 rows \(0, 1, 2, 3, 4, …\)"):
        pr_auc(np.full(7, math.nan), np.ones(7, dtype=bool))


@pytest.mark.parametrize("unknown", [None, math.nan], ids=["none", "nan"])
@pytest.mark.parametrize("metric", METRICS + TABLES, ids=name)
def test_an_unknown_label_is_refused_and_the_way_to_leave_it_out_named(metric, unknown) -> None:
    labels = np.array([True, unknown, False], dtype=object)

    with pytest.raises(ValueError, match=r"1 of 3 rows \(1\) is unknown.*known_labels"):
        metric(np.array([0.1, 0.2, 0.3]), labels)


@pytest.mark.parametrize("metric", METRICS + TABLES, ids=name)
def test_a_label_between_true_and_false_is_refused(metric) -> None:
    with pytest.raises(ValueError, match=r"1 of 2 rows \(0\) is neither"):
        metric(np.array([0.1, 0.2]), np.array([0.5, 1.0]))


@pytest.mark.parametrize("metric", METRICS + TABLES, ids=name)
def test_lengths_that_differ_are_refused(metric) -> None:
    with pytest.raises(ValueError, match="3 estimates and 2 labels"):
        metric(np.array([0.1, 0.2, 0.3]), np.array([True, False]))


@pytest.mark.parametrize("metric", METRICS + TABLES, ids=name)
def test_a_matrix_is_refused(metric) -> None:
    with pytest.raises(ValueError, match=r"shape \(n,\), not \(2, 1\)"):
        metric(np.array([[0.1], [0.2]]), np.array([True, False]))


@pytest.mark.parametrize("outside", [-0.1, 1.1, math.inf])
@pytest.mark.parametrize("metric", [*CALIBRATION, reliability_table], ids=name)
def test_what_is_no_probability_is_no_confidence(metric, outside) -> None:
    with pytest.raises(ValueError, match=r"\[0, 1\]; 1 of 2 rows \(1\) does not"):
        metric(np.array([0.5, outside]), np.array([True, False]))


def test_the_band_refuses_what_is_no_probability() -> None:
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        calibrated_ece_band(np.array([2.0]))


@pytest.mark.parametrize("metric", METRICS, ids=name)
def test_without_rows_every_metric_is_undefined(metric) -> None:
    assert metric(np.array([]), np.array([], dtype=bool)) == MetricValue(None, "there are no rows")


def test_without_rows_the_curve_has_no_points_and_the_bins_are_empty() -> None:
    nothing = np.array([]), np.array([], dtype=bool)

    curve = risk_coverage_curve(*nothing)
    table = reliability_table(*nothing)

    assert len(curve.coverage) == len(curve.risk) == len(curve.uncertainty_at_most) == 0
    assert [(b.n_rows, b.mean_confidence, b.share_true) for b in table] == [(0, None, None)] * 10


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        (True, "all 6 claims are true, and none is false"),
        (False, "all 6 claims are false, and none is true"),
    ],
    ids=["all true", "all false"],
)
@pytest.mark.parametrize("metric", NEED_BOTH_CLASSES, ids=name)
def test_with_one_class_what_compares_classes_is_undefined(metric, label, reason) -> None:
    measured = metric(np.arange(6) / 10, np.full(6, label))

    assert measured == MetricValue(None, reason)


@pytest.mark.parametrize("label", [True, False], ids=["all true", "all false"])
@pytest.mark.parametrize("metric", DEFINED_WITH_ONE_CLASS, ids=name)
def test_with_one_class_what_is_a_mean_over_claims_is_defined(metric, label) -> None:
    measured = metric(np.arange(6) / 10, np.full(6, label))

    assert measured.reason is None


def test_known_labels_sets_unknown_ones_aside() -> None:
    labels = known_labels([None, True, False, math.nan, True])

    assert labels.is_known.tolist() == [False, True, True, False, True]
    assert labels.is_true.tolist() == [True, False, True]
    assert labels.is_true.dtype == np.bool_
    assert labels.n_unknown == 2


def test_known_labels_of_nothing_are_nothing() -> None:
    labels = known_labels([])

    assert (len(labels.is_known), len(labels.is_true), labels.n_unknown) == (0, 0, 0)


def test_known_labels_refuses_what_is_neither_true_nor_false() -> None:
    with pytest.raises(ValueError, match="neither"):
        known_labels([True, 2])


def test_ones_and_zeros_are_labels_too() -> None:
    uncertainty = np.array([0.3, 0.1, 0.2])

    assert roc_auc(uncertainty, np.array([0, 1, 1])) == roc_auc(
        uncertainty, np.array([False, True, True])
    )


@pytest.mark.parametrize(
    ("value", "reason"),
    [(None, None), (0.5, "why"), (math.nan, None), (math.inf, None)],
    ids=["neither", "both", "nan", "infinite"],
)
def test_a_metric_value_is_a_finite_number_or_a_reason(value, reason) -> None:
    with pytest.raises(ValueError, match=r"value|finite"):
        MetricValue(value, reason)
