"""Whether a difference between two policies could be chance: the paired sign-flip test.

If both were equally good, each question's difference would have had either sign, so the observed
mean is held against those of all (or many) choices of signs. It says nothing of how large the
difference is; `averment.metrics.resampling` does. What this module does not do: correct for many
comparisons, or decide what is significant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from averment.metrics.rows import (
    FloatArray,
    IntArray,
    finite,
    question_numbers,
    refuse_other_lengths,
)

_CHUNK = 1000  # choices of signs at a time: 8 MB for a thousand questions
_SAME = 1e-9  # sums that differ by less, as a share of the largest possible one, are equal


@dataclass(frozen=True, slots=True)
class SignFlipTest:
    """How often chance alone makes a difference as large as the observed one."""

    mean_difference: float | None
    """mean(scores) − mean(baseline); None where there are no rows."""
    p_value: float | None
    """Two-sided, in (0, 1]; None where there are no rows."""
    reason: str | None
    """Why there is no value, in words."""
    n_rows: int
    n_questions: int
    n_differing: int
    """Questions on which the two differ; the others say nothing."""
    is_exact: bool
    """Whether all choices of signs were tried; otherwise `n_permutations` were drawn."""
    n_permutations: int
    seed: int


def sign_flip_test(
    scores: FloatArray,
    *,
    baseline: FloatArray,
    question_ids: Sequence[str] | Sequence[int],
    n_permutations: int = 10_000,
    seed: int = 0,
) -> SignFlipTest:
    """Test the hypothesis that scores and baseline are exchangeable within each question.

    The sum of a question's differences changes its sign as a whole, so that its rows stay together.
    With k questions that differ, all 2^k choices of signs are tried if they are no more than
    `n_permutations`. Otherwise that many are drawn, and p = (b + 1) / (n_permutations + 1), b being
    how many are at least as extreme: an estimate that never is 0.

    Args:
        scores: One number a row, in any direction. Shape (n,).
        baseline: What they are compared with, of the same rows. Shape (n,).
        question_ids: Which question each row belongs to. Length n.
        n_permutations: At least 1.
        seed: The same seed draws the same signs.

    Returns:
        The test; p is 1 where no question differs.

    Raises:
        ValueError: Lengths differ, a number is NaN or infinite, or `n_permutations` is below 1.

    Source: Fisher 1935, “The Design of Experiments”, section 21; for systems on one test set: Dror
        et al. 2018, “The Hitchhiker's Guide to Testing Statistical Significance in Natural
        Language Processing”; the estimate: Phipson and Smyth 2010, “Permutation P-values Should
        Never Be Zero”.
    """
    refuse_other_lengths(scores=scores, baseline=baseline, question_ids=question_ids)
    if n_permutations < 1:
        raise ValueError(f"A test needs at least 1 permutation, not {n_permutations}.")
    difference = finite(scores, "score") - finite(baseline, "baseline")
    n_rows = len(difference)
    sums = np.bincount(question_numbers(question_ids), weights=difference) if n_rows else difference
    differing = sums[np.abs(sums) > _SAME * np.abs(difference).sum()]
    n_choices = 2 ** len(differing)  # a whole number of any length
    is_exact = n_choices <= n_permutations
    n_tried = n_choices if is_exact else n_permutations
    p_value = None
    if n_rows:
        k = len(differing)
        choices = _all_signs(k) if is_exact else _drawn_signs(k, n_tried, seed)
        n_extreme = sum(_n_extreme(signs, differing) for signs in choices)
        p_value = n_extreme / n_tried if is_exact else (n_extreme + 1) / (n_tried + 1)
    return SignFlipTest(
        mean_difference=float(difference.mean()) if n_rows else None,
        p_value=p_value,
        reason=None if n_rows else "there are no rows",
        n_rows=n_rows,
        n_questions=len(sums),
        n_differing=len(differing),
        is_exact=is_exact,
        n_permutations=n_tried,
        seed=seed,
    )


def _n_extreme(signs: IntArray, sums: FloatArray) -> int:
    """How many of these choices of signs make a total at least as far from 0 as the real one."""
    slack = _SAME * float(np.abs(sums).sum())
    return int(np.count_nonzero(np.abs(signs @ sums) >= abs(float(sums.sum())) - slack))


def _all_signs(n_questions: int) -> Iterator[IntArray]:
    for start in range(0, 2**n_questions, _CHUNK):
        numbers = np.arange(start, min(start + _CHUNK, 2**n_questions))
        yield 2 * (numbers[:, None] >> np.arange(n_questions) & 1) - 1


def _drawn_signs(n_questions: int, n_permutations: int, seed: int) -> Iterator[IntArray]:
    random = np.random.default_rng(seed)
    for start in range(0, n_permutations, _CHUNK):
        size = (min(_CHUNK, n_permutations - start), n_questions)
        yield 2 * random.integers(2, size=size) - 1
