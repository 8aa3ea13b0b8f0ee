"""Numbers that harnesses show for a list of (confidence, is it right): calibration, selection.

Pairs without a confidence (NaN, the harnesses' word for unscored) are left out, and a list that
defines nothing gives NaN: harnesses have no other way to say so. What this module does not do:
make confidence up, or take what is no probability for one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from averment.metrics.calibration_error import calibrated_ece_band, expected_calibration_error
from averment.metrics.rejection import risk_coverage_curve
from averment.metrics.resampling import bootstrap_interval
from averment.metrics.rows import BoolArray, FloatArray, MetricValue

Pair: TypeAlias = tuple[float, float]
"""How sure an answer is, better when higher, and whether it is right: 0 or 1."""


def calibration(pairs: Sequence[Pair]) -> dict[str, float]:
    """The expected calibration error over ten bins.

    Args:
        pairs: Confidence is a probability, in [0, 1].

    Returns:
        ``ece``, in [0, 1], better when lower, and ``ece_band_low`` and ``ece_band_high``,
        between which the ECE of perfectly calibrated confidence lies in 95 % of cases at so many
        answers.

    Raises:
        ValueError: A confidence outside [0, 1], or an answer that is neither right nor wrong.
    """
    confidence, is_right = _arrays(pairs)
    ece = expected_calibration_error(confidence, is_right)
    band = calibrated_ece_band(confidence)
    return {
        "ece": _or_nan(ece.value),
        "ece_band_low": _or_nan(band.low),
        "ece_band_high": _or_nan(band.high),
    }


def selective_accuracy(pairs: Sequence[Pair], *, coverage: float = 0.8) -> dict[str, float]:
    """The share of right answers among the most confident ones.

    Answers of the same confidence are kept or left out together, so that the order of the list
    means nothing; somewhat more than `coverage` may be kept.

    Args:
        pairs: Confidence on any scale.
        coverage: The share of answers that is kept at least, in (0, 1].

    Returns:
        ``selective_accuracy``, in [0, 1], better when higher, and ``selective_accuracy_low`` and
        ``selective_accuracy_high``, its 95 % interval over resamples of answers.

    Raises:
        ValueError: `coverage` is out of range, or an answer is neither right nor wrong.
    """
    if not 0 < coverage <= 1:
        raise ValueError(f"Coverage is in (0, 1], not {coverage}.")
    confidence, is_right = _arrays(pairs)
    found = bootstrap_interval(
        partial(_accuracy_at, coverage),
        confidence,
        is_true=is_right,
        question_ids=list(range(len(is_right))),
    )
    return {
        "selective_accuracy": _or_nan(found.value),
        "selective_accuracy_low": _or_nan(found.low),
        "selective_accuracy_high": _or_nan(found.high),
    }


def _accuracy_at(coverage: float, confidence: FloatArray, is_right: BoolArray) -> MetricValue:
    curve = risk_coverage_curve(-confidence, is_right)
    if not len(curve.risk):
        return MetricValue(None, "there are no rows")
    # subtle: 0.8 of ten rows is eight of them, whatever the rounding of 8/10.
    at = int(np.argmax(curve.coverage >= coverage - 1e-9))
    return MetricValue(float(1 - curve.risk[at]))


def _arrays(pairs: Sequence[Pair]) -> tuple[FloatArray, BoolArray]:
    known = [(sure, right) for sure, right in pairs if not (math.isnan(sure) or math.isnan(right))]
    if any(right not in (0, 1) for _, right in known):
        raise ValueError("An answer is right (1) or wrong (0), and nothing between.")
    confidence = np.array([sure for sure, _ in known], dtype=np.float64)
    return confidence, np.array([right == 1 for _, right in known], dtype=np.bool_)


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value
