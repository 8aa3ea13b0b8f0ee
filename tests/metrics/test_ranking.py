"""PR-AUC, ROC-AUC, PRR and AURC see nothing but the order, and ties have none."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from averment.metrics.ranking import pr_auc, roc_auc
from averment.metrics.rejection import aurc, prediction_rejection_ratio, risk_coverage_curve
from metrics.labelled_rows import columns, random_columns, untimed

METRICS = [pr_auc, roc_auc, prediction_rejection_ratio, aurc]
MONOTONE = {
    "shifted": lambda u: u + 3.0,
    "exponential": np.exp,
    "cubed": lambda u: (u - 0.5) ** 3,
    "to infinity": lambda u: np.where(u == 1, np.inf, u),
}
both_classes = columns(min_size=2, max_size=30, both_classes=True)
few_rows = columns(min_size=4, max_size=6, both_classes=True)


def name(function):
    return function.__name__


def kept_true_over_tie_orders(uncertainty, is_true) -> list[float]:
    """Entry m-1: share true of the m least uncertain, as a mean over all orders that sort them."""
    sorted_orders = [
        order
        for order in permutations(range(len(uncertainty)))
        if all(uncertainty[a] <= uncertainty[b] for a, b in pairwise(order))
    ]
    return [
        sum(sum(bool(is_true[row]) for row in order[:m]) / m for order in sorted_orders)
        / len(sorted_orders)
        for m in range(1, len(uncertainty) + 1)
    ]


def prr_over_tie_orders(uncertainty, is_true) -> float:
    n_steps = len(uncertainty) // 2
    kept_true = kept_true_over_tie_orders(uncertainty, is_true)
    oracle = kept_true_over_tie_orders([not label for label in is_true], is_true)
    chance = sum(is_true.tolist()) / len(is_true)
    area = sum(kept_true[-n_steps:]) / n_steps
    return (area - chance) / (sum(oracle[-n_steps:]) / n_steps - chance)


@pytest.mark.parametrize("transform", MONOTONE.values(), ids=MONOTONE.keys())
@pytest.mark.parametrize("metric", METRICS, ids=name)
@untimed
@given(rows=both_classes)
def test_a_strictly_monotone_transform_changes_nothing(metric, transform, rows) -> None:
    uncertainty, is_true = rows

    assert metric(transform(uncertainty), is_true) == metric(uncertainty, is_true)


@pytest.mark.parametrize("metric", METRICS, ids=name)
@untimed
@given(rows=both_classes, seed=st.integers(0, 1000))
def test_the_order_of_the_rows_changes_nothing(metric, rows, seed) -> None:
    uncertainty, is_true = rows
    order = np.random.default_rng(seed).permutation(len(is_true))

    assert metric(uncertainty[order], is_true[order]) == metric(uncertainty, is_true)


@pytest.mark.parametrize(
    ("metric", "best"), [(pr_auc, 1), (roc_auc, 1), (prediction_rejection_ratio, 1)]
)
@untimed
@given(rows=columns(min_size=4, max_size=30, both_classes=True))
def test_the_oracle_scores_one(metric, best, rows) -> None:
    _, is_true = rows

    assert metric(~is_true * 1.0, is_true).value == pytest.approx(best, abs=1e-12)


@untimed
@given(rows=columns(min_size=4, max_size=30, both_classes=True))
def test_constant_uncertainty_scores_as_chance_does(rows) -> None:
    _, is_true = rows
    constant = np.full(len(is_true), 0.7)
    share_false = 1 - is_true.mean()

    assert prediction_rejection_ratio(constant, is_true).value == pytest.approx(0, abs=1e-9)
    assert roc_auc(constant, is_true).value == 0.5
    assert pr_auc(constant, is_true).value == pytest.approx(share_false)
    assert aurc(constant, is_true).value == pytest.approx(share_false)


@untimed
@given(rows=both_classes)
def test_uncertainty_turned_round_turns_roc_auc_round(rows) -> None:
    uncertainty, is_true = rows

    turned = roc_auc(-uncertainty, is_true).value

    assert turned == pytest.approx(1 - roc_auc(uncertainty, is_true).value)


@untimed
@given(rows=columns(min_size=4, max_size=30, both_classes=True))
def test_every_value_is_between_that_of_the_oracle_and_of_its_opposite(rows) -> None:
    uncertainty, is_true = rows
    oracle, opposite = ~is_true * 1.0, is_true * 1.0

    for metric in (pr_auc, roc_auc, prediction_rejection_ratio):
        assert metric(uncertainty, is_true).value <= metric(oracle, is_true).value + 1e-12
    for metric in (roc_auc, prediction_rejection_ratio):
        assert metric(opposite, is_true).value <= metric(uncertainty, is_true).value + 1e-12
    assert aurc(oracle, is_true).value - 1e-12 <= aurc(uncertainty, is_true).value
    assert aurc(uncertainty, is_true).value <= aurc(opposite, is_true).value + 1e-12


@pytest.mark.parametrize("metric", [pr_auc, roc_auc], ids=name)
@untimed
@given(rows=both_classes, times=st.integers(2, 4))
def test_rows_that_are_all_there_several_times_change_nothing(metric, rows, times) -> None:
    uncertainty, is_true = rows

    repeated = metric(np.tile(uncertainty, times), np.tile(is_true, times))

    assert repeated.value == pytest.approx(metric(uncertainty, is_true).value)


def test_prr_and_aurc_of_repeated_rows_tend_to_a_limit() -> None:
    uncertainty, is_true = random_columns(3, n_rows=40, n_levels=10)

    for metric in (prediction_rejection_ratio, aurc):
        often, more_often = (
            metric(np.tile(uncertainty, times), np.tile(is_true, times)).value
            for times in (100, 200)
        )
        assert often == pytest.approx(more_often, abs=2e-3)


@untimed
@given(rows=few_rows)
def test_prr_is_the_mean_over_all_orders_of_the_ties(rows) -> None:
    uncertainty, is_true = rows

    measured = prediction_rejection_ratio(uncertainty, is_true)

    assert measured.value == pytest.approx(prr_over_tie_orders(uncertainty, is_true))


@untimed
@given(rows=columns(min_size=1, max_size=6, both_classes=False))
def test_aurc_is_the_mean_over_all_orders_of_the_ties(rows) -> None:
    uncertainty, is_true = rows
    kept_true = kept_true_over_tie_orders(uncertainty, is_true)

    measured = aurc(uncertainty, is_true)

    assert measured.value == pytest.approx(1 - sum(kept_true) / len(kept_true))


def test_prr_worked_by_hand() -> None:
    uncertainty = np.array([0.1, 0.2, 0.3, 0.4])
    is_true = np.array([True, False, True, False])

    measured = prediction_rejection_ratio(uncertainty, is_true)

    # k = 2: half of the four kept are true, then 2 of 3; the oracle has 2 of 3 there too.
    assert measured.value == pytest.approx(1)


def test_prr_can_be_far_below_minus_one_where_most_claims_are_false() -> None:
    is_true = np.array([True, False, False, False])

    assert prediction_rejection_ratio(is_true * 1.0, is_true).value == pytest.approx(-3)


def test_a_larger_share_may_be_rejected() -> None:
    uncertainty = np.array([0.1, 0.2, 0.3, 0.4])
    is_true = np.array([False, True, True, False])

    measured = prediction_rejection_ratio(uncertainty, is_true, max_rejection=1.0)

    area, oracle = (1 / 2 + 2 / 3 + 1 / 2 + 0) / 4, (1 / 2 + 2 / 3 + 1 + 1) / 4
    assert measured.value == pytest.approx((area - 0.5) / (oracle - 0.5))


def test_the_share_rejected_is_not_a_victim_of_rounding() -> None:
    uncertainty, is_true = random_columns(5, n_rows=100, n_levels=50)

    as_written = prediction_rejection_ratio(uncertainty, is_true, max_rejection=0.29)
    a_little_more = prediction_rejection_ratio(uncertainty, is_true, max_rejection=0.2901)

    assert as_written == a_little_more


@pytest.mark.parametrize("n_rows", [2, 3])
def test_prr_is_undefined_where_nothing_is_rejected(n_rows) -> None:
    is_true = np.arange(n_rows) == 0

    measured = prediction_rejection_ratio(np.arange(n_rows) * 1.0, is_true)

    assert measured.value is None
    assert measured.reason == f"of {n_rows} claims a share of 0.5 rejects none"


@pytest.mark.parametrize("share", [0.0, -0.5, 1.5, float("nan")])
def test_a_share_outside_of_0_to_1_is_refused(share) -> None:
    with pytest.raises(ValueError, match="max_rejection"):
        prediction_rejection_ratio(np.arange(4.0), np.arange(4) > 1, max_rejection=share)


def test_the_curve_has_a_point_for_each_threshold() -> None:
    uncertainty = np.array([0.2, 0.1, 0.2, 0.9])
    is_true = np.array([True, True, False, False])

    curve = risk_coverage_curve(uncertainty, is_true)

    assert curve.uncertainty_at_most.tolist() == [0.1, 0.2, 0.9]
    assert curve.coverage.tolist() == [0.25, 0.75, 1.0]
    assert curve.risk.tolist() == pytest.approx([0, 1 / 3, 1 / 2])


@untimed
@given(rows=columns(min_size=1, max_size=30, both_classes=False))
def test_each_point_of_the_curve_is_what_its_threshold_keeps(rows) -> None:
    uncertainty, is_true = rows

    curve = risk_coverage_curve(uncertainty, is_true)

    points = zip(curve.uncertainty_at_most, curve.coverage, curve.risk, strict=True)
    for at_most, coverage, risk in points:
        kept = is_true[uncertainty <= at_most]
        assert coverage == pytest.approx(len(kept) / len(is_true))
        assert risk == pytest.approx(1 - kept.mean())
    assert set(curve.uncertainty_at_most) == set(uncertainty)


def test_without_ties_aurc_is_the_mean_risk_of_the_curve() -> None:
    random = np.random.default_rng(0)
    uncertainty, is_true = random.permutation(50) * 1.0, random.random(50) < 0.7

    measured = aurc(uncertainty, is_true).value

    assert measured == pytest.approx(risk_coverage_curve(uncertainty, is_true).risk.mean())


@untimed
@given(rows=both_classes)
def test_pr_auc_equals_average_precision_of_scikit_learn(rows) -> None:
    uncertainty, is_true = rows

    theirs = average_precision_score(~is_true, uncertainty)

    assert pr_auc(uncertainty, is_true).value == pytest.approx(theirs)


@untimed
@given(rows=both_classes)
def test_roc_auc_equals_that_of_scikit_learn(rows) -> None:
    uncertainty, is_true = rows

    theirs = roc_auc_score(~is_true, uncertainty)

    assert roc_auc(uncertainty, is_true).value == pytest.approx(theirs)


@pytest.mark.parametrize("n_levels", [3, 20, 10**9], ids=["many ties", "ties", "no ties"])
def test_a_thousand_rows_give_what_scikit_learn_gives(n_levels) -> None:
    confidence, is_true = random_columns(n_levels, n_rows=1000, n_levels=n_levels)
    uncertainty = -confidence

    assert pr_auc(uncertainty, is_true).value == pytest.approx(
        average_precision_score(~is_true, uncertainty)
    )
    assert roc_auc(uncertainty, is_true).value == pytest.approx(
        roc_auc_score(~is_true, uncertainty)
    )
