"""What is gained by leaving the most uncertain claims out: PRR, risk-coverage curve, AURC.

Rows of equal uncertainty are rejected in no particular order, so each of them counts with the
share of true claims in its group. As the share kept that is true depends on the order linearly,
this is exactly the mean over all orders of the ties, and no order of the rows leaks in.
What this module does not do: choose a threshold; the curve has those there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from averment.metrics.ranking import TieGroups, tie_groups
from averment.metrics.rows import BoolArray, FloatArray, IntArray, MetricValue, uncertain_rows


@dataclass(frozen=True, slots=True, eq=False)
class RiskCoverageCurve:
    """What keeping the claims up to some uncertainty costs; one point for each uncertainty.

    Shapes (n_points,), from the strictest threshold to the one that keeps everything.
    """

    uncertainty_at_most: FloatArray
    """The threshold: claims up to this uncertainty are kept."""
    coverage: FloatArray
    """Share of the claims that are kept, in (0, 1], rising to 1."""
    risk: FloatArray
    """Share of the kept claims that are false, in [0, 1]."""


def prediction_rejection_ratio(
    uncertainty: FloatArray, is_true: BoolArray, *, max_rejection: float = 0.5
) -> MetricValue:
    """How near rejecting by uncertainty comes to rejecting the false claims first.

    PRR = (A − A_random) / (A_oracle − A_random), where A is the mean, over r = 0 … k−1 rejected
    claims, of the share of true claims among the n−r least uncertain, with
    k = ⌊max_rejection · n⌋. The oracle is uncertain of the false claims only. A_random has a
    closed form: whatever is kept at random holds the share of true claims of all rows.

    Args:
        uncertainty: Higher is worse, any scale. Shape (n,).
        is_true: Whether each claim is true. Shape (n,).
        max_rejection: Up to which share of the claims is rejected, in (0, 1].

    Returns:
        At most 1, better when higher. 1 for the oracle, 0 for constant uncertainty, negative if
        worse than chance, without a fixed lower bound. Undefined without rows, with one class, or
        where k < 2, as nothing is rejected then.

    Raises:
        ValueError: Lengths differ; NaN or an unknown label; `max_rejection` outside (0, 1].

    Source: Malinin and Gales 2021, “Uncertainty Estimation in Autoregressive Structured
        Prediction”; at most half rejected: Vashurin et al. 2025, “Benchmarking Uncertainty
        Quantification Methods for Large Language Models with LM-Polygraph”. Differs from the code
        of LM-Polygraph in ties (there by input order) and chance (there 1,000 permutations).
    """
    if not 0 < max_rejection <= 1:
        raise ValueError(f"max_rejection is a share in (0, 1], not {max_rejection}.")
    rows = uncertain_rows(uncertainty, is_true)
    n_steps = int(max_rejection * rows.n_rows + 1e-9)  # subtle: 0.29 · 100 is 28.999… in floats
    reason = rows.reason_for_one_class()
    if reason is None and n_steps < 2:
        reason = f"of {rows.n_rows} claims a share of {max_rejection} rejects none"
    if reason is not None:
        return MetricValue(None, reason)
    n_true, n_false = rows.n_true, rows.n_rows - rows.n_true
    area = _mean_of_last(_share_kept_true(tie_groups(rows)), n_steps)
    oracle = _mean_of_last(_share_kept_true(_oracle(n_true, n_false)), n_steps)
    chance = n_true / rows.n_rows
    return MetricValue((area - chance) / (oracle - chance))


def risk_coverage_curve(uncertainty: FloatArray, is_true: BoolArray) -> RiskCoverageCurve:
    """The risk at each coverage that a threshold can reach.

    Args:
        uncertainty: Higher is worse, any scale. Shape (n,).
        is_true: Whether each claim is true. Shape (n,).

    Returns:
        One point for each different uncertainty; none without rows.

    Raises:
        ValueError: Lengths differ; NaN or an unknown label.

    Source: El-Yaniv and Wiener 2010, “On the Foundations of Noise-free Selective Classification”.
    """
    rows = uncertain_rows(uncertainty, is_true)
    groups = tie_groups(rows)
    n_kept = np.cumsum(groups.n_rows)
    n_false_kept = n_kept - np.cumsum(groups.n_true)
    # Without rows there are no points either, so nothing is divided by 0.
    return RiskCoverageCurve(groups.uncertainty, n_kept / rows.n_rows, n_false_kept / n_kept)


def aurc(uncertainty: FloatArray, is_true: BoolArray) -> MetricValue:
    """Area under the risk-coverage curve: the mean risk over all numbers of claims kept.

    AURC = (1/n) · Σ_{m=1…n} (share of false claims among the m least uncertain).

    Args:
        uncertainty: Higher is worse, any scale. Shape (n,).
        is_true: Whether each claim is true. Shape (n,).

    Returns:
        In [0, 1], better when lower. The share of false claims if all uncertainties are equal.
        Depends on that share, so it compares uncertainties on the same claims only. Defined with
        one class too (0 or 1); undefined without rows.

    Raises:
        ValueError: Lengths differ; NaN or an unknown label.

    Source: Geifman, Uziel and El-Yaniv 2019, “Bias-Reduced Uncertainty Estimation for Deep Neural
        Classifiers”; the mean over the orders of ties is ours.
    """
    rows = uncertain_rows(uncertainty, is_true)
    reason = rows.reason_for_no_rows()
    if reason is not None:
        return MetricValue(None, reason)
    return MetricValue(1 - _mean_of_last(_share_kept_true(tie_groups(rows)), rows.n_rows))


def _share_kept_true(groups: TieGroups) -> FloatArray:
    """Entry m−1 is the share of true claims among the m least uncertain, over orders of ties."""
    share_true = np.repeat(groups.n_true / groups.n_rows, groups.n_rows)
    n_kept: IntArray = np.arange(1, len(share_true) + 1)
    return np.cumsum(share_true) / n_kept


def _oracle(n_true: int, n_false: int) -> TieGroups:
    return TieGroups(np.array([0.0, 1.0]), np.array([n_true, n_false]), np.array([n_true, 0]))


def _mean_of_last(share_kept_true: FloatArray, n_steps: int) -> float:
    return float(share_kept_true[-n_steps:].mean())
