"""Intervals from drawing whole questions, and paired differences."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from averment.metrics.calibration_error import brier_score
from averment.metrics.ranking import pr_auc, roc_auc
from averment.metrics.rejection import prediction_rejection_ratio
from averment.metrics.resampling import bootstrap_difference, bootstrap_interval
from averment.metrics.rows import MetricValue
from metrics.labelled_rows import random_columns


def question_ids(n_rows: int, *, n_questions: int) -> list[str]:
    """Every question has rows all over the place, and they differ in number."""
    random = np.random.default_rng(n_rows)
    ids = np.concatenate([np.arange(n_questions), random.integers(n_questions, size=n_rows)])
    return [f"q{number}" for number in ids[:n_rows].tolist()]


def values_one_by_one(metric, estimates, is_true, ids, *, n_resamples, seed) -> list[float]:
    """The definition: draw questions, put their rows together, measure; skip the undefined."""
    names = sorted(set(ids))
    random = np.random.default_rng(seed)
    values = []
    for _ in range(n_resamples):
        drawn = random.integers(len(names), size=len(names))
        rows = [row for number in drawn for row, q in enumerate(ids) if q == names[number]]
        values.append(metric(estimates[rows], is_true[rows]).value)
    return [value for value in values if value is not None]


def test_the_interval_is_of_whole_questions_drawn_with_replacement() -> None:
    confidence, is_true = random_columns(1, n_rows=40, n_levels=10)
    ids = question_ids(40, n_questions=9)
    values = values_one_by_one(roc_auc, -confidence, is_true, ids, n_resamples=50, seed=3)

    interval = bootstrap_interval(
        roc_auc, -confidence, is_true=is_true, question_ids=ids, n_resamples=50, seed=3
    )

    assert interval.value == roc_auc(-confidence, is_true).value
    assert (interval.low, interval.high) == pytest.approx(
        tuple(np.quantile(values, [0.025, 0.975]))
    )
    assert (interval.n_rows, interval.n_questions, interval.n_resamples) == (40, 9, 50)


def test_rows_repeated_within_their_questions_make_nothing_surer() -> None:
    confidence, is_true = random_columns(2, n_rows=30, n_levels=10)
    ids = np.arange(30)

    once = bootstrap_interval(
        brier_score, confidence, is_true=is_true, question_ids=ids, n_resamples=200
    )
    often = bootstrap_interval(
        brier_score,
        np.repeat(confidence, 5),
        is_true=np.repeat(is_true, 5),
        question_ids=np.repeat(ids, 5),
        n_resamples=200,
    )

    assert (often.low, often.high) == pytest.approx((once.low, once.high))


def test_the_order_of_the_rows_changes_nothing() -> None:
    confidence, is_true = random_columns(3, n_rows=50, n_levels=10)
    ids = np.array(question_ids(50, n_questions=12))
    order = np.random.default_rng(0).permutation(50)

    as_given = bootstrap_interval(
        pr_auc, -confidence, is_true=is_true, question_ids=ids, n_resamples=50
    )
    shuffled = bootstrap_interval(
        pr_auc,
        -confidence[order],
        is_true=is_true[order],
        question_ids=ids[order],
        n_resamples=50,
    )

    assert shuffled == as_given


def test_resamples_without_a_value_are_counted() -> None:
    estimates = np.array([0.9, 0.1, 0.2, 0.3])
    is_true = np.array([False, True, True, True])
    ids = ["a", "a", "b", "c"]  # without "a" there is no false claim
    values = values_one_by_one(roc_auc, estimates, is_true, ids, n_resamples=100, seed=0)

    interval = bootstrap_interval(
        roc_auc, estimates, is_true=is_true, question_ids=ids, n_resamples=100
    )

    assert interval.n_undefined == 100 - len(values) > 0
    assert (interval.low, interval.high) == (1, 1)


def test_a_metric_that_is_undefined_has_no_interval_and_says_why() -> None:
    interval = bootstrap_interval(
        roc_auc, np.array([0.1, 0.2]), is_true=np.array([True, True]), question_ids=["a", "b"]
    )

    assert (interval.value, interval.low, interval.high) == (None, None, None)
    assert interval.reason == "all 2 claims are true, and none is false"
    assert (interval.n_resamples, interval.n_undefined) == (0, 0)


def test_without_rows_there_is_no_interval() -> None:
    interval = bootstrap_interval(
        brier_score, np.array([]), is_true=np.array([], dtype=bool), question_ids=[]
    )

    assert (interval.value, interval.low, interval.reason) == (None, None, "there are no rows")
    assert (interval.n_rows, interval.n_questions) == (0, 0)


def test_one_question_gives_a_value_and_no_interval() -> None:
    interval = bootstrap_interval(
        brier_score, np.array([0.1, 0.9]), is_true=np.array([False, True]), question_ids=["a", "a"]
    )

    assert interval.value == pytest.approx(0.01)
    assert (interval.low, interval.high) == (None, None)
    assert "one question" in interval.reason


def test_where_every_resample_is_undefined_there_is_no_interval() -> None:
    def only_of_all(estimates, is_true) -> MetricValue:
        if len(set(estimates)) == 8:
            return MetricValue(1.0)
        return MetricValue(None, "not all")

    interval = bootstrap_interval(
        only_of_all,
        np.arange(8.0),
        is_true=np.ones(8, dtype=bool),
        question_ids=list(range(8)),
        n_resamples=5,
    )

    assert (interval.value, interval.low, interval.n_undefined) == (1.0, None, 5)
    assert interval.reason == "the metric is undefined in all 5 resamples"


def test_a_seed_decides_and_is_recorded() -> None:
    confidence, is_true = random_columns(4, n_rows=60, n_levels=10)
    interval_of = partial(
        bootstrap_interval,
        brier_score,
        confidence,
        is_true=is_true,
        question_ids=range(60),
        n_resamples=40,
    )

    first, again, other = interval_of(seed=1), interval_of(seed=1), interval_of(seed=2)

    assert first == again
    assert (first.low, first.high) != (other.low, other.high)
    assert (first.seed, other.seed) == (1, 2)


def test_a_higher_level_gives_a_wider_interval() -> None:
    confidence, is_true = random_columns(5, n_rows=60, n_levels=10)

    narrow, wide = (
        bootstrap_interval(
            brier_score,
            confidence,
            is_true=is_true,
            question_ids=range(60),
            level=level,
            n_resamples=200,
        )
        for level in (0.5, 0.99)
    )

    assert wide.low < narrow.low < narrow.high < wide.high


def test_settings_of_a_metric_are_bound_by_the_caller() -> None:
    confidence, is_true = random_columns(6, n_rows=60, n_levels=10)
    metric = partial(prediction_rejection_ratio, max_rejection=1.0)

    interval = bootstrap_interval(
        metric, -confidence, is_true=is_true, question_ids=range(60), n_resamples=20
    )

    assert interval.value == metric(-confidence, is_true).value


def test_estimates_do_not_differ_from_themselves() -> None:
    confidence, is_true = random_columns(7, n_rows=60, n_levels=10)

    interval = bootstrap_difference(
        roc_auc,
        -confidence,
        baseline=-confidence,
        is_true=is_true,
        question_ids=range(60),
        n_resamples=40,
    )

    assert (interval.value, interval.low, interval.high) == (0, 0, 0)


def test_a_difference_is_taken_within_each_resample() -> None:
    better, is_true = random_columns(8, n_rows=40, n_levels=10)
    worse = np.random.default_rng(8).random(40)
    ids = question_ids(40, n_questions=15)
    pairs = [
        values_one_by_one(brier_score, numbers, is_true, ids, n_resamples=60, seed=5)
        for numbers in (better, worse)
    ]
    differences = np.subtract(*pairs)

    interval = bootstrap_difference(
        brier_score,
        better,
        baseline=worse,
        is_true=is_true,
        question_ids=ids,
        n_resamples=60,
        seed=5,
    )

    both = brier_score(better, is_true).value - brier_score(worse, is_true).value
    assert interval.value == pytest.approx(both)
    assert (interval.low, interval.high) == pytest.approx(
        tuple(np.quantile(differences, [0.025, 0.975]))
    )


def test_turning_a_difference_round_turns_its_interval_round() -> None:
    one, is_true = random_columns(9, n_rows=50, n_levels=10)
    other = np.random.default_rng(9).random(50)

    forth, back = (
        bootstrap_difference(
            pr_auc,
            first,
            baseline=second,
            is_true=is_true,
            question_ids=range(50),
            n_resamples=60,
        )
        for first, second in ((one, other), (other, one))
    )

    assert (forth.value, forth.low, forth.high) == pytest.approx(
        (-back.value, -back.high, -back.low)
    )


def test_a_difference_of_what_is_undefined_is_undefined() -> None:
    interval = bootstrap_difference(
        roc_auc,
        np.array([0.1, 0.2]),
        baseline=np.array([0.3, 0.2]),
        is_true=np.array([False, False]),
        question_ids=["a", "b"],
    )

    assert interval.value is None
    assert interval.reason == "all 2 claims are false, and none is true"


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"is_true": [True] * 4}, "3 estimates, 3 baseline, 4 is_true, 3 question_ids"),
        ({"baseline": [0.1]}, "3 estimates, 1 baseline, 3 is_true, 3 question_ids"),
        ({"question_ids": ["a"]}, "3 estimates, 3 baseline, 3 is_true, 1 question_ids"),
    ],
    ids=["labels", "baseline", "question ids"],
)
def test_lengths_that_differ_are_refused_by_name(changed, found) -> None:
    given = {
        "baseline": [0.1, 0.2, 0.3],
        "is_true": [True, False, True],
        "question_ids": ["a", "b", "c"],
    }

    with pytest.raises(ValueError, match=found):
        bootstrap_difference(roc_auc, np.array([0.1, 0.2, 0.3]), **(given | changed))


@pytest.mark.parametrize("is_true", [[True], [True] * 4], ids=["too few", "too many"])
def test_an_interval_of_other_lengths_is_refused(is_true) -> None:
    with pytest.raises(ValueError, match=f"3 estimates, {len(is_true)} is_true"):
        bootstrap_interval(
            brier_score, np.array([0.1, 0.2, 0.3]), is_true=is_true, question_ids=["a", "b", "c"]
        )


@pytest.mark.parametrize("missing", [None, float("nan")], ids=["none", "nan"])
def test_a_row_without_a_question_is_refused(missing) -> None:
    with pytest.raises(ValueError, match="question id of row 1"):
        bootstrap_interval(
            brier_score,
            np.array([0.1, 0.2]),
            is_true=np.array([True, False]),
            question_ids=["a", missing],
        )


def test_missing_estimates_are_refused_here_too() -> None:
    with pytest.raises(ValueError, match=r"1 of 2 rows \(1\) is NaN"):
        bootstrap_interval(
            pr_auc,
            np.array([0.1, float("nan")]),
            is_true=np.array([True, False]),
            question_ids=["a", "b"],
        )


@pytest.mark.parametrize("setting", [{"level": 0.0}, {"level": 1.0}, {"n_resamples": 0}], ids=str)
def test_a_bootstrap_needs_a_level_and_resamples(setting) -> None:
    with pytest.raises(ValueError, match="level"):
        bootstrap_interval(
            brier_score,
            np.array([0.1, 0.2]),
            is_true=np.array([True, False]),
            question_ids=["a", "b"],
            **setting,
        )
