"""What every metric takes and gives: rows of a number and a label, and a value that may not exist.

A label says whether a claim is true. A row whose label or number is unknown is refused, never
filled in: leave unknown labels out with `known_labels`, decide upstream what a missing estimate
means. What the caller did wrong (lengths that differ, NaN, a probability above 1) is a
``ValueError``; what the rows cannot define (no rows, all claims true) is a `MetricValue` without a
value and with the reason. No function of this room returns NaN.
What this module does not do: measure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
IntArray: TypeAlias = npt.NDArray[np.int64]

_SHOWN_ROWS = 5


@dataclass(frozen=True, slots=True)
class MetricValue:
    """What a metric says of some rows: a finite number, or why there is none.

    Raises:
        ValueError: Both or neither are given, or the value is NaN or infinite.
    """

    value: float | None
    """None where the rows do not define the metric."""
    reason: str | None = None
    """Why there is no value, in words; None where there is one."""

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError(f"A metric has either a value or a reason; this one has {self}.")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"A metric is a finite number or undefined, not {self.value}.")


Metric: TypeAlias = Callable[[FloatArray, BoolArray], MetricValue]
"""A metric of estimates (uncertainty or confidence) and labels, both of shape (n,)."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownLabels:
    """The labels that are known, and which rows they belong to."""

    is_known: BoolArray
    """Shape (n,). Selects the same rows of everything else: ``uncertainty[labels.is_known]``."""
    is_true: BoolArray
    """Shape (n_known,). Whether each claim with a known label is true."""
    n_unknown: int


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Estimates and labels that were checked. Shapes (n,)."""

    estimates: FloatArray
    is_true: BoolArray

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.is_true)

    @property
    def n_true(self) -> int:
        """How many of the claims are true."""
        return int(np.count_nonzero(self.is_true))

    def reason_for_no_rows(self) -> str | None:
        """Why nothing at all can be measured; None where something can."""
        return None if self.n_rows else "there are no rows"

    def reason_for_one_class(self) -> str | None:
        """Why true and false claims cannot be told apart; None where both occur."""
        if 0 < self.n_true < self.n_rows:
            return None
        kind, other = ("true", "false") if self.n_true else ("false", "true")
        found = f"all {self.n_rows} claims are {kind}, and none is {other}"
        return self.reason_for_no_rows() or found


def known_labels(labels: Sequence[bool | None] | npt.ArrayLike) -> KnownLabels:
    """Set the rows with an unknown label aside. Do this after any split, so that rows stay put.

    Args:
        labels: True, False, or None (NaN in arrays) where nobody knows. Shape (n,).

    Raises:
        ValueError: Not one-dimensional, or a label is something else.

    Example:
        >>> labels = known_labels([True, None, False])
        >>> labels.is_known.tolist(), labels.is_true.tolist(), labels.n_unknown
        ([True, False, True], [True, False], 1)
    """
    numbers = _one_dimensional(labels, "labels")
    is_known: BoolArray = ~np.isnan(numbers)
    is_true = _truth(numbers[is_known])
    return KnownLabels(is_known, is_true, len(numbers) - len(is_true))


def uncertain_rows(uncertainty: npt.ArrayLike, is_true: npt.ArrayLike) -> Rows:
    """Check what a metric of uncertainty was given.

    Args:
        uncertainty: Worse when higher, any scale; infinite is more or less than all finite ones.
            Shape (n,).
        is_true: Whether each claim is true. Shape (n,).

    Raises:
        ValueError: Not one-dimensional, lengths differ, NaN or an unknown label.
    """
    return _rows(_without_nan(_one_dimensional(uncertainty, "uncertainty"), "uncertainty"), is_true)


def confident_rows(confidence: npt.ArrayLike, is_true: npt.ArrayLike) -> Rows:
    """Check what a metric of confidence was given.

    Args:
        confidence: Probability that the claim is true, in [0, 1]. Shape (n,).
        is_true: Whether each claim is true. Shape (n,).

    Raises:
        ValueError: As `uncertain_rows`, or a confidence outside [0, 1].
    """
    return _rows(probabilities(confidence), is_true)


def probabilities(confidence: npt.ArrayLike) -> FloatArray:
    """Check confidences alone.

    Args:
        confidence: In [0, 1]. Shape (n,).

    Raises:
        ValueError: Not one-dimensional, NaN, or outside [0, 1].
    """
    numbers = _without_nan(_one_dimensional(confidence, "confidence"), "confidence")
    outside = (numbers < 0) | (numbers > 1)
    if outside.any():
        raise ValueError(f"Confidence lies in [0, 1]; {_where(outside)} does not.")
    return numbers


def finite(values: npt.ArrayLike, name: str) -> FloatArray:
    """Check numbers of which a mean is taken.

    Args:
        values: Shape (n,).
        name: What to call them in a message.

    Raises:
        ValueError: Not one-dimensional, NaN or infinite.
    """
    numbers = _without_nan(_one_dimensional(values, name), name)
    infinite = np.isinf(numbers)
    if infinite.any():
        raise ValueError(f"The {name} of {_where(infinite)} is infinite, and so would be the mean.")
    return numbers


def question_numbers(question_ids: Sequence[str] | Sequence[int]) -> IntArray:
    """Which question each row belongs to, as whole numbers from 0. Shape (n,).

    Raises:
        ValueError: An id is neither a string nor a whole number.
    """
    for row, question_id in enumerate(question_ids):
        if not isinstance(question_id, str | int | np.integer):
            raise ValueError(f"The question id of row {row} is {question_id!r}, not a string.")
    numbers: IntArray = np.unique(np.asarray(question_ids), return_inverse=True)[1]
    return numbers


def refuse_other_lengths(**columns: Sized) -> None:
    """Refuse columns that are not of the same rows.

    Raises:
        ValueError: Lengths differ.
    """
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{length} {name}" for name, length in lengths.items())
        raise ValueError(f"Each row needs one of each, but there are {found}.")


def _rows(estimates: FloatArray, is_true: npt.ArrayLike) -> Rows:
    numbers = _one_dimensional(is_true, "labels")
    if len(numbers) != len(estimates):
        raise ValueError(
            f"There are {len(estimates)} estimates and {len(numbers)} labels; "
            "each row needs one of both."
        )
    unknown = np.isnan(numbers)
    if unknown.any():
        raise ValueError(
            f"Labels are True or False; {_where(unknown)} is unknown. "
            "Leave such rows out with known_labels."
        )
    return Rows(estimates, _truth(numbers))


def _one_dimensional(values: Sequence[bool | None] | npt.ArrayLike, name: str) -> FloatArray:
    numbers = np.asarray(values, dtype=np.float64)  # None becomes NaN
    if numbers.ndim != 1:
        raise ValueError(f"The {name} must have shape (n,), not {numbers.shape}.")
    return numbers


def _truth(numbers: FloatArray) -> BoolArray:
    neither = (numbers != 0) & (numbers != 1)
    if neither.any():
        raise ValueError(f"Labels are True or False (1 or 0); {_where(neither)} is neither.")
    is_true: BoolArray = numbers == 1
    return is_true


def _without_nan(numbers: FloatArray, name: str) -> FloatArray:
    missing = np.isnan(numbers)
    if missing.any():
        raise ValueError(
            f"The {name} of {_where(missing)} is NaN. "
            "A missing estimate is neither high nor low: leave these rows out, and say so."
        )
    return numbers


def _where(chosen: BoolArray) -> str:
    """Such as ``2 of 10 rows (3, 7)``: how many and where, counted from 0."""
    rows = np.flatnonzero(chosen)
    shown = ", ".join(map(str, rows[:_SHOWN_ROWS].tolist()))
    more = ", …" if len(rows) > _SHOWN_ROWS else ""
    return f"{len(rows)} of {len(chosen)} rows ({shown}{more})"
