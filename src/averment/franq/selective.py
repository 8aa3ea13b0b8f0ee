"""A threshold on P(true) that keeps a promise of an error rate: Learn-then-Test on held-out labels.

The calibrator must not have seen the claims on which a threshold is tested, so some questions are
held out (`HeldOut`). Thresholds are tested in an order that was fixed before, from the one that
keeps the most probable fifth towards the one that keeps everything; the first that fails ends it,
so that all tests together err with probability 1 − confidence at most.

Claims of one question depend on each other: a question counts once, with the share of false claims
among those it keeps. Where every question has one claim the test is the exact binomial one, else
that of Hoeffding and Bentkus.

What this module does not do: fit scores, decide what happens to what is withheld.

Source: Angelopoulos et al. 2021, “Learn then Test: Calibrating Predictive Algorithms to Achieve
Risk Control”: fixed-sequence testing and the Hoeffding–Bentkus p-value; thresholds from the scores
of other rows are ours.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from averment.errors import UsageError
from averment.franq.isotonic import BoolArray, FloatArray, IntArray
from averment.promises import NotAttainable, Promise, Unit

COVERAGES = tuple(percent / 100 for percent in range(20, 101, 5))
"""Which shares of claims the thresholds keep, about. A stricter start would be tested on too few
claims to be passed; on simulated scores of three shapes this single start kept more than several
starts that share the confidence did, and than all thresholds at once."""
_MOST_QUESTIONS = 1_000_000
_DRAWS = 999
_CHUNK = 2_000_000

_Q = TypeVar("_Q", int, str)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Labelled claims that no curve was fitted on, and the thresholds to be tested on them.

    Raises:
        ValueError: Lengths differ, a number is no probability or no question's, thresholds rise.
    """

    claim_thresholds: tuple[float, ...]
    """Falling, from scores of other rows. The last is 0: everything is kept."""
    answer_thresholds: tuple[float, ...]
    question: tuple[int, ...]
    """Of each claim, numbered from 0."""
    p_true: tuple[float, ...]
    p_faithful: tuple[float, ...]
    """Raw; for `drift`."""
    is_true: tuple[bool | None, ...]
    """None: nobody can tell. Such a claim counts for nothing, and its answer is not known to be
    right."""

    def __post_init__(self) -> None:
        columns = (self.question, self.p_true, self.p_faithful, self.is_true)
        if len({len(column) for column in columns}) > 1:
            raise ValueError("Held-out claims have one question, score and label each.")
        if not all(0 <= number < _MOST_QUESTIONS for number in self.question):
            raise ValueError(f"Held-out questions have numbers from 0 to {_MOST_QUESTIONS:,}.")
        for numbers in (self.p_true, self.p_faithful, *self._thresholds()):
            if not all(0 <= number <= 1 for number in numbers):  # true for NaN too
                raise ValueError("Held-out scores and thresholds lie in [0, 1].")
        for falling in self._thresholds():
            if falling[-1:] != (0.0,) or any(map(operator.le, falling, falling[1:])):
                raise ValueError("The thresholds of held-out claims fall to 0.")

    def _thresholds(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return self.claim_thresholds, self.answer_thresholds

    @property
    def n_questions(self) -> int:
        """How many questions were held out that have a label."""
        return len(
            {q for q, label in zip(self.question, self.is_true, strict=True) if label is not None}
        )


def thresholds(p_true: Sequence[float]) -> tuple[float, ...]:
    """The thresholds that keep `COVERAGES` of some claims, falling; the last is 0.

    Args:
        p_true: Of claims that are not held out.
    """
    if not p_true:
        return (0.0,)
    found = np.quantile(np.array(p_true), [1 - share for share in COVERAGES[:-1]], method="lower")
    return (*sorted({float(t) for t in found if t > 0}, reverse=True), 0.0)


def least_probable(p_true: Sequence[float], question: Sequence[_Q]) -> dict[_Q, float]:
    """The lowest P(true) of each question: that of its answer as a whole."""
    lowest: dict[_Q, float] = {}
    for p, number in zip(p_true, question, strict=True):
        lowest[number] = min(p, lowest.get(number, 1.0))
    return lowest


def promise(
    held_out: HeldOut, *, target_error: float, confidence: float, unit: Unit = Unit.CLAIM
) -> Promise | NotAttainable:
    """The lowest threshold that keeps the target, or why there is none.

    A higher target or a lower confidence never gives a higher threshold.

    Args:
        held_out: The labels.
        target_error: The error that is allowed, in (0, 1); see `Unit`.
        confidence: How sure it shall be, in (0, 1).
        unit: What is kept or withheld.

    Raises:
        UsageError: Target or confidence is out of range.
    """
    for name, value in (("target error", target_error), ("confidence", confidence)):
        if not 0 < value < 1:
            raise UsageError(
                f"The {name} is {value}; it lies between 0 and 1.",
                hint="Such as: --target-error 0.1 --confidence 0.9",
            )
    rows = _rows(held_out, unit)
    kept: _Kept | None = None
    threshold = 1.0
    for at in rows.thresholds:
        next_kept = rows.kept(at)
        if next_kept.p_value(target_error) > 1 - confidence:
            break
        kept, threshold = next_kept, at
    if kept is None:
        return _not_attainable(rows, target_error, confidence, unit)
    return Promise(
        target_error=target_error,
        confidence=confidence,
        unit=unit,
        p_true_at_least=threshold,
        n_questions=rows.n_questions,
        n_kept_questions=kept.n,
        error_kept=kept.error,
        coverage=kept.coverage,
    )


@dataclass(frozen=True, slots=True)
class Drift:
    """Whether new claims look like the held-out ones."""

    p_value: float
    """Of a permutation test that both are of one kind, in (0, 1]. It cannot be low with few
    questions: then it tells nothing."""
    n_questions: int
    mean_p_true: float
    mean_p_true_held_out: float
    mean_p_faithful: float
    mean_p_faithful_held_out: float

    def warning(self, *, at_most: float = 0.01) -> str | None:
        """Words of warning where the p-value is that low, else None."""
        if self.p_value > at_most:
            return None
        return (
            f"These {self.n_questions} questions are not like the held-out ones (p = "
            f"{self.p_value:.3f}): P(true) is {self.mean_p_true:.2f} on average, "
            f"{self.mean_p_true_held_out:.2f} there; P(faithful) {self.mean_p_faithful:.2f}, "
            f"{self.mean_p_faithful_held_out:.2f} there. No promise of an error holds for them. "
            "Label some of them and calibrate again."
        )


def drift(
    held_out: HeldOut,
    *,
    p_true: Sequence[float],
    p_faithful: Sequence[float],
    question: Sequence[int],
    seed: int = 0,
) -> Drift | None:
    """Hold the scores of new claims against those of the held-out ones.

    The statistic is the largest distance between the distribution functions, of P(true) or of
    P(faithful); whole questions are exchanged 999 times. Labels are not needed, so that a change
    in how often claims are true at the same scores is not seen.

    Args:
        held_out: The labels.
        p_true: Of new claims, in [0, 1].
        p_faithful: Of the same claims, in [0, 1].
        question: Of the same claims.
        seed: Of the exchanges.

    Returns:
        None where there is nothing to compare.

    Source: Kolmogorov–Smirnov statistic, as a permutation test over clusters.
    """
    if not p_true or not held_out.p_true:
        return None
    offset = max(held_out.question) + 1
    scores = np.array(
        [[*held_out.p_true, *p_true], [*held_out.p_faithful, *p_faithful]], dtype=np.float64
    )
    numbers = [*held_out.question, *(offset + number for number in question)]
    of_claim: IntArray = np.unique(numbers, return_inverse=True)[1]
    n_held, n_all = len(set(held_out.question)), int(of_claim.max()) + 1
    is_new = np.arange(n_all) >= n_held  # held-out questions have the lower numbers
    observed = _distances(scores, is_new[None, :][:, of_claim])
    random = np.random.default_rng(seed)
    n_extreme = 0
    size = max(1, _CHUNK // len(numbers))
    for start in range(0, _DRAWS, size):
        draws = [random.permutation(is_new) for _ in range(min(size, _DRAWS - start))]
        exchanged = np.array(draws)[:, of_claim]
        n_extreme += int((_distances(scores, exchanged) >= observed[0] - 1e-12).sum())
    split = len(held_out.p_true)
    return Drift(
        p_value=(n_extreme + 1) / (_DRAWS + 1),
        n_questions=n_all - n_held,
        mean_p_true=float(scores[0, split:].mean()),
        mean_p_true_held_out=float(scores[0, :split].mean()),
        mean_p_faithful=float(scores[1, split:].mean()),
        mean_p_faithful_held_out=float(scores[1, :split].mean()),
    )


# --- the tests ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a threshold keeps: n questions with something kept, and the sum of their losses."""

    n: int
    loss: float
    coverage: float
    one_each: bool

    @property
    def error(self) -> float:
        return self.loss / self.n

    def p_value(self, target: float) -> float:
        """Of the hypothesis that the error is above the target."""
        if not self.n:
            return 1.0
        if self.one_each:
            return binomial_tail(round(self.loss), self.n, target)
        return hoeffding_bentkus(self.error, self.n, target)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Claims or answers as columns, with the thresholds to be tested in order."""

    score: FloatArray
    is_false: BoolArray
    question: IntArray
    thresholds: tuple[float, ...]
    n_questions: int
    one_each: bool

    def kept(self, threshold: float) -> _Kept:
        chosen = self.score >= threshold
        n_kept = np.bincount(self.question[chosen], minlength=self.n_questions)
        n_false = np.bincount(self.question[chosen & self.is_false], minlength=self.n_questions)
        some = n_kept > 0
        share = n_false[some] / n_kept[some]
        coverage = float(chosen.mean()) if len(chosen) else 0.0
        return _Kept(int(some.sum()), float(share.sum()), coverage, self.one_each)


def _rows(held_out: HeldOut, unit: Unit) -> _Rows:
    if unit is Unit.CLAIM:
        told = np.array([label is not None for label in held_out.is_true], dtype=np.bool_)
        numbers = np.array(held_out.question, dtype=np.int64)[told]
        question = np.unique(numbers, return_inverse=True)[1]
        score = np.array(held_out.p_true, dtype=np.float64)[told]
        is_false = ~np.array(held_out.is_true, dtype=np.bool_)[told]
        n_questions = held_out.n_questions
        tried = held_out.claim_thresholds
    else:
        lowest = least_probable(held_out.p_true, held_out.question)
        wrong = {
            number
            for number, is_true in zip(held_out.question, held_out.is_true, strict=True)
            if not is_true
        }
        question = np.arange(len(lowest))
        score = np.array(list(lowest.values()), dtype=np.float64)
        is_false = np.array([number in wrong for number in lowest], dtype=np.bool_)
        n_questions = len(lowest)
        tried = held_out.answer_thresholds
    return _Rows(score, is_false, question, tried, n_questions, len(score) == n_questions)


def binomial_tail(n_false: int, n: int, p: float) -> float:
    """P(X ≤ n_false) of X ~ Binomial(n, p): the p-value of an error above p.

    Args:
        n_false: In 0 … n.
        n: At least 1.
        p: In (0, 1).
    """
    ks = np.arange(n_false + 1)
    log_factorial = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, n + 1)))))
    logs = (
        log_factorial[n]
        - log_factorial[ks]
        - log_factorial[n - ks]
        + ks * math.log(p)
        + (n - ks) * math.log1p(-p)
    )
    highest = float(logs.max())
    return min(1.0, math.exp(highest) * float(np.exp(logs - highest).sum()))


def hoeffding_bentkus(error: float, n: int, target: float) -> float:
    """The p-value of a mean of n numbers in [0, 1] whose expectation is above the target.

    Args:
        error: The mean, in [0, 1].
        n: At least 1.
        target: In (0, 1).
    """
    low = min(error, target)
    divergence = (low * math.log(low / target) if low else 0.0) + (1 - low) * (
        math.log1p(-low) - math.log1p(-target)
    )
    hoeffding = math.exp(-n * divergence)
    bentkus = math.e * binomial_tail(math.ceil(n * error - 1e-9), n, target)
    return min(1.0, hoeffding, bentkus)


def _not_attainable(
    rows: _Rows, target_error: float, confidence: float, unit: Unit
) -> NotAttainable:
    strictest = rows.kept(rows.thresholds[0])
    return NotAttainable(
        target_error=target_error,
        confidence=confidence,
        unit=unit,
        n_questions=rows.n_questions,
        n_kept_questions=strictest.n,
        error_kept=strictest.error if strictest.n else None,
        best_target_error=_best_target(strictest, confidence),
        n_questions_needed=_questions_needed(rows, strictest, target_error, confidence),
    )


def _best_target(kept: _Kept, confidence: float) -> float | None:
    """The lowest target with a p-value of at most 1 − confidence, rounded up to a thousandth."""
    if not kept.n:
        return None
    found = [
        target / 1000 for target in range(1, 1000) if kept.p_value(target / 1000) <= 1 - confidence
    ]
    return min(found, default=None)


def _questions_needed(
    rows: _Rows, kept: _Kept, target_error: float, confidence: float
) -> int | None:
    """How many questions to hold out, by doubling and halving, if the strictest error stays."""
    if not kept.n or kept.error >= target_error:
        return None

    def is_enough(n: int) -> bool:
        grown = _Kept(n, math.ceil(kept.error * n - 1e-9), kept.coverage, kept.one_each)
        return grown.p_value(target_error) <= 1 - confidence

    high = kept.n
    while not is_enough(high):
        high *= 2
        if high > _MOST_QUESTIONS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return math.ceil(high * rows.n_questions / kept.n)


def _distances(scores: FloatArray, is_new: BoolArray) -> FloatArray:
    """The larger of the two KS statistics for each way to tell new claims from held-out ones.

    Args:
        scores: Shape (2, n_claims).
        is_new: Shape (n_ways, n_claims).

    Returns:
        Shape (n_ways,), in [0, 1].
    """
    n_new = is_new.sum(axis=1, keepdims=True)
    steps = np.where(is_new, 1 / n_new, -1 / (is_new.shape[1] - n_new))
    largest = np.zeros(len(is_new))
    for values in scores:
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        is_last = np.append(ordered[1:] != ordered[:-1], True)
        heights = np.abs(np.cumsum(steps[:, order], axis=1))[:, is_last]
        largest = np.maximum(largest, heights.max(axis=1))
    return largest
