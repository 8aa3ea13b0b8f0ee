"""How sure a metric is: bootstrap intervals, of one metric and of a difference on the same rows.

Claims of one answer depend on each other, so whole questions are drawn, never single rows. What
this module does not do: test hypotheses (`averment.metrics.permutation`), correct for many
comparisons, or make up a value for a resample in which the metric is undefined; it counts those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from averment.metrics.rows import (
    BoolArray,
    FloatArray,
    IntArray,
    Metric,
    MetricValue,
    finite,
    question_numbers,
    refuse_other_lengths,
)


@dataclass(frozen=True, slots=True)
class BootstrapInterval:
    """A metric of all rows, and between which values it lies over resamples of questions."""

    value: float | None
    """The metric of all rows; None where it is undefined."""
    low: float | None
    """None where there is no interval; `high` likewise."""
    high: float | None
    reason: str | None
    """Why the value or the interval is None, in words."""
    level: float
    n_rows: int
    n_questions: int
    n_resamples: int
    """How many were drawn; 0 where there was no use in it."""
    n_undefined: int
    """Resamples in which the metric is undefined; the interval is of the others."""
    seed: int


def bootstrap_interval(
    metric: Metric,
    estimates: FloatArray,
    *,
    is_true: BoolArray,
    question_ids: Sequence[str] | Sequence[int],
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> BootstrapInterval:
    """Percentile interval of a metric, by drawing questions with replacement.

    Args:
        metric: Of uncertainty or confidence; ``functools.partial`` binds its settings.
        estimates: What the metric takes. Shape (n,).
        is_true: Whether each claim is true. Shape (n,).
        question_ids: Which question each row belongs to. Length n.
        level: In (0, 1).
        n_resamples: At least 1.
        seed: The same seed draws the same questions, whatever the metric.

    Returns:
        The interval; without low and high where the metric of all rows is undefined, where there
        are fewer than two questions, or where every resample is undefined.

    Raises:
        ValueError: Lengths differ, a setting is out of range, or the metric refuses the rows.

    Source: Efron and Tibshirani 1993, “An Introduction to the Bootstrap”, chapter 13; whole groups
        drawn: Davison and Hinkley 1997, “Bootstrap Methods and their Application”, section 3.8.
    """
    refuse_other_lengths(estimates=estimates, is_true=is_true, question_ids=question_ids)
    numbers, truth = np.asarray(estimates), np.asarray(is_true)
    return _interval(
        lambda rows: metric(numbers[rows], truth[rows]),
        _Questions.of(question_ids),
        level=level,
        n_resamples=n_resamples,
        seed=seed,
    )


def bootstrap_difference(
    metric: Metric,
    estimates: FloatArray,
    *,
    baseline: FloatArray,
    is_true: BoolArray,
    question_ids: Sequence[str] | Sequence[int],
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> BootstrapInterval:
    """Percentile interval of metric(estimates) − metric(baseline), both on the same resamples.

    What makes a set of questions easy does so for both, and cancels: the interval of the difference
    is narrower than two intervals side by side suggest.

    Args:
        metric: Of uncertainty or confidence.
        estimates: What the metric takes. Shape (n,).
        baseline: What the estimates are compared with, of the same rows. Shape (n,).
        is_true: Whether each claim is true. Shape (n,).
        question_ids: Which question each row belongs to. Length n.
        level: In (0, 1).
        n_resamples: At least 1.
        seed: The same seed draws the same questions, whatever the metric.

    Returns:
        The interval; its value is positive where the metric of `estimates` is the higher one.

    Raises:
        ValueError: As `bootstrap_interval`.
    """
    refuse_other_lengths(
        estimates=estimates, baseline=baseline, is_true=is_true, question_ids=question_ids
    )
    numbers, compared, truth = np.asarray(estimates), np.asarray(baseline), np.asarray(is_true)

    def difference(rows: IntArray) -> MetricValue:
        of_estimates = metric(numbers[rows], truth[rows])
        of_baseline = metric(compared[rows], truth[rows])
        if of_estimates.value is None or of_baseline.value is None:
            return MetricValue(None, of_estimates.reason or of_baseline.reason)
        return MetricValue(of_estimates.value - of_baseline.value)

    return _interval(
        difference,
        _Questions.of(question_ids),
        level=level,
        n_resamples=n_resamples,
        seed=seed,
    )


def bootstrap_mean_difference(
    scores: FloatArray,
    *,
    baseline: FloatArray,
    question_ids: Sequence[str] | Sequence[int],
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> BootstrapInterval:
    """Percentile interval of mean(scores) − mean(baseline), paired by row.

    For two policies on the same questions: exact match, F1, retrievals, seconds. Where a question
    has several rows (runs, claims), they are drawn together, and each row counts the same.

    Args:
        scores: One number a row, in any direction. Shape (n,).
        baseline: What they are compared with, of the same rows. Shape (n,).
        question_ids: Which question each row belongs to. Length n.
        level: In (0, 1).
        n_resamples: At least 1.
        seed: The same seed draws the same questions.

    Returns:
        The interval; its value is positive where `scores` are higher on average.

    Raises:
        ValueError: Lengths differ, a setting is out of range, or a number is NaN or infinite: what
            was not measured is left out of both sides, and said.

    Source: Efron and Tibshirani 1993, “An Introduction to the Bootstrap”, chapter 13; paired, for
        systems on one test set: Koehn 2004, “Statistical Significance Tests for Machine
        Translation Evaluation”.
    """
    refuse_other_lengths(scores=scores, baseline=baseline, question_ids=question_ids)
    difference = finite(scores, "score") - finite(baseline, "baseline")

    def mean(rows: IntArray) -> MetricValue:
        if not len(rows):
            return MetricValue(None, "there are no rows")
        return MetricValue(float(difference[rows].mean()))

    return _interval(
        mean,
        _Questions.of(question_ids),
        level=level,
        n_resamples=n_resamples,
        seed=seed,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Questions:
    """The rows of each question: ``by_question[first[q] : first[q] + n_rows[q]]``."""

    by_question: IntArray
    first: IntArray
    n_rows: IntArray

    @classmethod
    def of(cls, question_ids: Sequence[str] | Sequence[int]) -> _Questions:
        question = question_numbers(question_ids)
        sizes = np.bincount(question)
        return cls(np.argsort(question, kind="stable"), np.cumsum(sizes) - sizes, sizes)

    def rows_of(self, drawn: IntArray) -> IntArray:
        """The rows of the drawn questions one after another, without a loop over questions."""
        sizes = self.n_rows[drawn]
        ends = np.cumsum(sizes)
        within = np.arange(ends[-1]) - np.repeat(ends - sizes, sizes)
        rows: IntArray = self.by_question[np.repeat(self.first[drawn], sizes) + within]
        return rows


def _interval(
    metric_of: Callable[[IntArray], MetricValue],
    questions: _Questions,
    *,
    level: float,
    n_resamples: int,
    seed: int,
) -> BootstrapInterval:
    if not (0 < level < 1 and n_resamples >= 1):
        raise ValueError(
            "A bootstrap needs a level in (0, 1) and at least 1 resample, "
            f"not {level} and {n_resamples}."
        )
    n_rows, n_questions = len(questions.by_question), len(questions.n_rows)
    of_all = metric_of(np.arange(n_rows))
    low = high = None
    reason, n_drawn, n_defined = of_all.reason, 0, 0
    if reason is None and n_questions < 2:
        reason = "all rows are of one question, and questions are what is drawn"
    if reason is None:
        values = _resampled(metric_of, questions, n_resamples, seed)
        n_drawn, n_defined = n_resamples, len(values)
        if values:
            low, high = map(float, np.quantile(values, [(1 - level) / 2, (1 + level) / 2]))
        else:
            reason = f"the metric is undefined in all {n_resamples} resamples"
    return BootstrapInterval(
        value=of_all.value,
        low=low,
        high=high,
        reason=reason,
        level=level,
        n_rows=n_rows,
        n_questions=n_questions,
        n_resamples=n_drawn,
        n_undefined=n_drawn - n_defined,
        seed=seed,
    )


def _resampled(
    metric_of: Callable[[IntArray], MetricValue], questions: _Questions, n_resamples: int, seed: int
) -> list[float]:
    """The metric of each resample that defines it."""
    random = np.random.default_rng(seed)
    n_questions = len(questions.n_rows)
    values = (
        metric_of(questions.rows_of(random.integers(n_questions, size=n_questions))).value
        for _ in range(n_resamples)
    )
    return [value for value in values if value is not None]
