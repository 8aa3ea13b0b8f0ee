"""Whether confidence means what it says: ECE, its reliability table, Brier score and skill.

Confidence is the probability that a claim is true; of the claims with confidence 0.7, 70 % should
be. Even perfect confidence has an ECE above 0 on finitely many claims; `calibrated_ece_band` says
how much. What this module does not do: calibrate, or turn what is no probability into one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from averment.metrics.rows import (
    BoolArray,
    FloatArray,
    IntArray,
    MetricValue,
    confident_rows,
    probabilities,
)


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The claims whose confidence lies in (low, high]; the first bin has 0 too."""

    low: float
    high: float
    n_rows: int
    mean_confidence: float | None
    """In [low, high]; None where the bin is empty."""
    share_true: float | None
    """In [0, 1]; None where the bin is empty."""


@dataclass(frozen=True, slots=True)
class EceBand:
    """Between which values the ECE of perfectly calibrated confidence lies, by simulation."""

    low: float | None
    """None where there are no rows."""
    high: float | None
    level: float
    """Share of the simulations within the band, half of the others on either side."""
    n_rows: int
    n_simulations: int
    seed: int


def reliability_table(
    confidence: FloatArray, is_true: BoolArray, *, n_bins: int = 10
) -> tuple[ReliabilityBin, ...]:
    """Confidence and truth side by side, in bins of equal width over [0, 1].

    A confidence on an edge is in the bin that the edge closes: 0.3 in (0.2, 0.3].

    Args:
        confidence: In [0, 1]. Shape (n,).
        is_true: Whether each claim is true. Shape (n,).
        n_bins: At least 1.

    Returns:
        All bins, also empty ones, from low to high.

    Raises:
        ValueError: Lengths differ; NaN, a confidence outside [0, 1] or an unknown label.

    Source: Guo et al. 2017, “On Calibration of Modern Neural Networks”, section 2.
    """
    rows = confident_rows(confidence, is_true)
    edges = _edges(n_bins)
    bins = _bins(rows.estimates, n_bins)
    n_rows = np.bincount(bins, minlength=n_bins)
    n_true = np.bincount(bins, weights=rows.is_true, minlength=n_bins)
    confidence_sum = np.bincount(bins, weights=rows.estimates, minlength=n_bins)
    return tuple(
        ReliabilityBin(
            low=float(edges[number]),
            high=float(edges[number + 1]),
            n_rows=int(n),
            mean_confidence=float(confidence_sum[number] / n) if n else None,
            share_true=float(n_true[number] / n) if n else None,
        )
        for number, n in enumerate(n_rows)
    )


def expected_calibration_error(
    confidence: FloatArray, is_true: BoolArray, *, n_bins: int = 10
) -> MetricValue:
    """How far confidence and truth are apart, bin by bin.

    ECE = Σ_b (n_b / n) · |mean confidence in b − share of true claims in b|, over the bins of
    `reliability_table`.

    Args:
        confidence: In [0, 1]. Shape (n,).
        is_true: Whether each claim is true. Shape (n,).
        n_bins: At least 1.

    Returns:
        In [0, 1], better when lower; see `calibrated_ece_band` for how low it can be expected to
        be. Resampling raises it, so that a bootstrap interval of it lies too high. Defined with
        one class too; undefined without rows.

    Raises:
        ValueError: Lengths differ; NaN, a confidence outside [0, 1] or an unknown label.

    Source: Guo et al. 2017, “On Calibration of Modern Neural Networks”, section 2; 10 bins as in
        the paper of FRANQ (arXiv 2505.21072, version 2).
    """
    rows = confident_rows(confidence, is_true)
    bins = _bins(rows.estimates, n_bins)
    reason = rows.reason_for_no_rows()
    if reason is not None:
        return MetricValue(None, reason)
    return MetricValue(_ece(rows.estimates - rows.is_true, bins, n_bins))


def calibrated_ece_band(
    confidence: FloatArray,
    *,
    n_bins: int = 10,
    level: float = 0.95,
    n_simulations: int = 2000,
    seed: int = 0,
) -> EceBand:
    """What the ECE of these confidences would be if they were perfectly calibrated.

    Each simulation draws new labels: a claim is true with the probability that its confidence
    states, independently of the others. Claims of one answer depend on each other, which makes
    the ECE vary more than this; a real ECE above the band may be no fault of the confidence where
    answers have many claims.

    Args:
        confidence: In [0, 1]. Shape (n,).
        n_bins: As of the ECE to compare with.
        level: In (0, 1).
        n_simulations: At least 1.
        seed: The same seed gives the same band.

    Returns:
        The middle share `level` of the simulated ECEs.

    Raises:
        ValueError: NaN, a confidence outside [0, 1], or a setting out of range.

    Source: consistency resampling; Bröcker and Smith 2007, “Increasing the Reliability of
        Reliability Diagrams”, there for each bin by itself.
    """
    p_true = probabilities(confidence)
    bins = _bins(p_true, n_bins)
    if not (0 < level < 1 and n_simulations >= 1):
        raise ValueError(
            "A band needs a level in (0, 1) and at least 1 simulation, "
            f"not {level} and {n_simulations}."
        )
    if not len(p_true):
        return EceBand(None, None, level, 0, 0, seed)
    random = np.random.default_rng(seed)
    eces = [
        _ece(p_true - (random.random(len(p_true)) < p_true), bins, n_bins)
        for _ in range(n_simulations)
    ]
    low, high = np.quantile(eces, [(1 - level) / 2, (1 + level) / 2])
    return EceBand(float(low), float(high), level, len(p_true), n_simulations, seed)


def brier_score(confidence: FloatArray, is_true: BoolArray) -> MetricValue:
    """Mean squared distance of confidence from truth (1 or 0).

    Args:
        confidence: In [0, 1]. Shape (n,).
        is_true: Whether each claim is true. Shape (n,).

    Returns:
        In [0, 1], better when lower; 0.25 for a confidence of 0.5 throughout. Defined with one
        class too; undefined without rows.

    Raises:
        ValueError: Lengths differ; NaN, a confidence outside [0, 1] or an unknown label.

    Source: Brier 1950, “Verification of Forecasts Expressed in Terms of Probability”, halved as
        is usual for two classes.
    """
    rows = confident_rows(confidence, is_true)
    reason = rows.reason_for_no_rows()
    if reason is not None:
        return MetricValue(None, reason)
    return MetricValue(float(np.mean((rows.estimates - rows.is_true) ** 2)))


def brier_skill(confidence: FloatArray, is_true: BoolArray) -> MetricValue:
    """How much better the Brier score is than that of stating the share of true claims each time.

    Args:
        confidence: In [0, 1]. Shape (n,).
        is_true: Whether each claim is true. Shape (n,).

    Returns:
        At most 1, better when higher; 0 for the share of true claims, negative if worse than that.
        Undefined without rows or with one class, where that share cannot be improved on.

    Raises:
        ValueError: Lengths differ; NaN, a confidence outside [0, 1] or an unknown label.
    """
    rows = confident_rows(confidence, is_true)
    score = brier_score(confidence, is_true)
    reason = rows.reason_for_one_class()
    if score.value is None or reason is not None:
        return MetricValue(None, reason)
    share_true = rows.n_true / rows.n_rows
    return MetricValue(1 - score.value / (share_true * (1 - share_true)))


def _edges(n_bins: int) -> FloatArray:
    if n_bins < 1:
        raise ValueError(f"There must be at least 1 bin, not {n_bins}.")
    # subtle: 3/10 is the float 0.3, while three steps of 0.1 are a little more.
    return np.arange(n_bins + 1) / n_bins


def _bins(confidence: FloatArray, n_bins: int) -> IntArray:
    """The bin of each confidence; shape (n,), in [0, n_bins)."""
    return np.searchsorted(_edges(n_bins)[1:-1], confidence, side="left")


def _ece(excess: FloatArray, bins: IntArray, n_bins: int) -> float:
    """ECE of confidence minus truth, whose means within bins are differences of the means."""
    excess_in_bin = np.bincount(bins, weights=excess, minlength=n_bins)
    return float(np.abs(excess_in_bin).sum()) / len(excess)
