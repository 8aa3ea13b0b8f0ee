"""How well uncertainty puts false claims above true ones: PR-AUC and ROC-AUC.

False claims are the positive class, since they are what uncertainty is to find. Only the order of
the uncertainties matters, and rows of equal uncertainty have no order: both metrics see them as
one group. What this module does not do: choose a threshold, or judge probabilities
(`averment.metrics.calibration_error`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from averment.metrics.rows import BoolArray, FloatArray, IntArray, MetricValue, Rows, uncertain_rows


@dataclass(frozen=True, slots=True, eq=False)
class TieGroups:
    """Rows of equal uncertainty, taken together, the least uncertain first. Shapes (n_groups,)."""

    uncertainty: FloatArray
    n_rows: IntArray
    n_true: IntArray


def tie_groups(rows: Rows) -> TieGroups:
    """Take rows of equal uncertainty together.

    All that a ranking can be judged by is in here, which is why neither the order of the rows nor
    the scale of the uncertainties changes a metric by as much as a rounding error.
    """
    uncertainty, group = np.unique(rows.estimates, return_inverse=True)
    n_rows = np.bincount(group, minlength=len(uncertainty))
    n_true = np.bincount(group[rows.is_true], minlength=len(uncertainty))
    return TieGroups(uncertainty, n_rows, n_true)


def pr_auc(uncertainty: FloatArray, is_true: BoolArray) -> MetricValue:
    """Average precision in finding false claims by their uncertainty.

    PR-AUC = Σ_n (R_n − R_{n−1}) · P_n, where P_n and R_n are precision and recall of calling the
    claims of the n most uncertain tie groups false. It has no linear interpolation, and a tie
    group counts with the precision at its end.

    Args:
        uncertainty: Higher is worse, any scale. Shape (n,).
        is_true: Whether each claim is true. Shape (n,).

    Returns:
        In (0, 1], better when higher. 1 if every false claim is above every true one, the share of
        false claims if all uncertainties are equal. Undefined without rows or with one class.

    Raises:
        ValueError: Lengths differ; NaN or an unknown label.

    Source: ``average_precision_score`` of scikit-learn; false claims as positives: the paper of
        FRANQ (arXiv 2505.21072, version 2).
    """
    rows = uncertain_rows(uncertainty, is_true)
    reason = rows.reason_for_one_class()
    if reason is not None:
        return MetricValue(None, reason)
    groups = tie_groups(rows)
    n_false = (groups.n_rows - groups.n_true)[::-1]  # the most uncertain first
    precision = np.cumsum(n_false) / np.cumsum(groups.n_rows[::-1])
    return MetricValue(float(n_false @ precision) / (rows.n_rows - rows.n_true))


def roc_auc(uncertainty: FloatArray, is_true: BoolArray) -> MetricValue:
    """How often a false claim is more uncertain than a true one; equal ones count half.

    Args:
        uncertainty: Higher is worse, any scale. Shape (n,).
        is_true: Whether each claim is true. Shape (n,).

    Returns:
        In [0, 1], better when higher. 1 if every false claim is above every true one, 0.5 if all
        uncertainties are equal, 0 if the order is turned round. Undefined without rows or with one
        class.

    Raises:
        ValueError: Lengths differ; NaN or an unknown label.

    Source: the Mann-Whitney statistic; Hanley and McNeil 1982, “The meaning and use of the area
        under a receiver operating characteristic (ROC) curve”.
    """
    rows = uncertain_rows(uncertainty, is_true)
    reason = rows.reason_for_one_class()
    if reason is not None:
        return MetricValue(None, reason)
    groups = tie_groups(rows)
    n_true_below = np.cumsum(groups.n_true) - groups.n_true
    n_false = groups.n_rows - groups.n_true
    twice_won = int(n_false @ (2 * n_true_below + groups.n_true))
    return MetricValue(twice_won / (2 * rows.n_true * (rows.n_rows - rows.n_true)))
