"""The two branches of a calibrator: which rows teach which curve, with which weight.

Weighted isotonic regressions with the policy for scarce data that `calibration` describes; for
modes without labels, ranks or nothing.
What this module does not do: check rows, damp corpus evidence.

Source: FRANQ (arXiv 2505.21072), calibrated and condition-calibrated variants; the rest is ours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from averment.errors import CalibrationError
from averment.franq.calibrator import Curve, MadeWith, Mode, Raw, Rule, Side
from averment.franq.components import CONSTANT, LOG_PROBABILITIES
from averment.franq.corpus_stack import PRIOR_WEIGHTS, Features, Term, fitted_terms
from averment.franq.em import joint_fit
from averment.franq.isotonic import BoolArray, FloatArray, Monotone, blended, isotonic, mid_ranks
from averment.franq.rows import Table

PRIOR_TRUE_IF_FAITHFUL: Final = 0.9
"""Stands for the base rate of the faithful side where there are no labels. Nobody fitted it."""
PRIOR_TRUE_IF_UNFAITHFUL: Final = 0.5
"""Likewise of the unfaithful side."""


@dataclass(frozen=True, slots=True)
class Scarcity:
    """What counts as few rows.

    Args:
        min_labelled: Labelled rows below which nothing is fitted.
        min_side: Rows of a side below which its curve is mixed with that of all rows (n_min).
        prior_rows: How many rows the curve of all rows counts for in that mixture (n_0).
    """

    min_labelled: int = 20
    min_side: int = 30
    prior_rows: float = 50.0


@dataclass(frozen=True, slots=True, eq=False)
class Branches:
    """Both branches and their corpus terms: faithful first."""

    sides: tuple[Side, Side]
    terms: tuple[tuple[Term, ...], tuple[Term, ...]]


def fit_branches(
    table: Table, mode: Mode, *, centred: bool, scarcity: Scarcity, features: Features
) -> Branches:
    """Fit both curves and the curves of the corpus features on checked rows.

    Args:
        table: At least one row of each class.
        mode: One that reads labels.
        centred: See `isotonic`.
        scarcity: What counts as few rows.
        features: Corpus features of each branch.

    Raises:
        CalibrationError: Mode gold without gold labels, mode em with too few complete rows.
    """
    weights = _weights(table, mode, scarcity)
    sides, terms = [], []
    for confidence, mass, names in zip(
        (table.uf, table.uu), weights, (features.faithful, features.unfaithful), strict=True
    ):
        side = _side(confidence, table.is_true, mass, centred=centred, scarcity=scarcity)
        sides.append(side)
        terms.append(
            fitted_terms(names, evidence=table.evidence, is_true=table.is_true, weights=mass)
        )
    return Branches((sides[0], sides[1]), (terms[0], terms[1]))


def _weights(table: Table, mode: Mode, scarcity: Scarcity) -> tuple[FloatArray, FloatArray]:
    """How far each row teaches the faithful side and the other one."""
    pf = table.p_faithful
    if mode is Mode.SHARED:
        return np.ones(len(pf)), np.ones(len(pf))
    if mode is Mode.CONDITION:
        return (pf >= 0.5).astype(np.float64), (pf < 0.5).astype(np.float64)
    if mode is Mode.GOLD:
        if np.isnan(table.is_faithful).all():
            raise CalibrationError(
                "Mode gold needs is_faithful; no labelled row has it.",
                hint="Use mode condition, or label faithfulness.",
            )
        return np.nan_to_num(table.is_faithful), np.nan_to_num(1 - table.is_faithful)
    return _em_weights(table, scarcity) if mode is Mode.EM else (pf, 1 - pf)


def _em_weights(table: Table, scarcity: Scarcity) -> tuple[FloatArray, FloatArray]:
    uf, uu = _or_constant(table.uf, scarcity), _or_constant(table.uu, scarcity)
    complete = ~np.isnan(uf) & ~np.isnan(uu)
    if complete.sum() < scarcity.min_labelled:
        raise CalibrationError(
            f"Mode em needs at least {scarcity.min_labelled} labelled rows with both confidences; "
            f"{complete.sum()} have uf and uu.",
            hint="Use mode condition, or name an estimator 'constant'.",
        )
    joint = joint_fit(
        table.p_faithful[complete],
        uf=uf[complete],
        uu=uu[complete],
        is_true=table.is_true[complete],
    )
    faithful, unfaithful = np.zeros(len(complete)), np.zeros(len(complete))
    faithful[complete] = joint.faithful_weights
    unfaithful[complete] = 1 - joint.faithful_weights
    return faithful, unfaithful


def _or_constant(confidence: FloatArray, scarcity: Scarcity) -> FloatArray:
    """The confidence, or one value for all rows where so few have any that no curve is fitted."""
    is_too_rare = np.count_nonzero(~np.isnan(confidence)) < scarcity.min_labelled
    return np.zeros(len(confidence)) if is_too_rare else confidence


def _side(
    confidence: FloatArray,
    is_true: BoolArray,
    weights: FloatArray,
    *,
    centred: bool,
    scarcity: Scarcity,
) -> Side:
    n = float(weights.sum())
    n_true = min(float(weights[is_true].sum()), n)
    rate = _base_rate(n, n_true, pool=float(is_true.mean()), scarcity=scarcity)
    curve, rule = _curve(confidence, is_true, weights, centred=centred, scarcity=scarcity)
    return Side(curve, rate, rule, n, n_true)


def _base_rate(n: float, n_true: float, *, pool: float, scarcity: Scarcity) -> float:
    """The share of true rows, clipped and shrunk like a curve."""
    if n == 0:
        return pool
    margin = 1 / (n + 2)
    own_weight = _own_weight(n, n_true, scarcity)
    return own_weight * min(max(n_true / n, margin), 1 - margin) + (1 - own_weight) * pool


def _own_weight(n: float, n_true: float, scarcity: Scarcity) -> float:
    # Less than one row of a class, by weight, is one class.
    if n >= scarcity.min_side and min(n_true, n - n_true) >= 1:
        return 1.0
    return n / (n + scarcity.prior_rows) if n else 0.0


def _curve(
    confidence: FloatArray,
    is_true: BoolArray,
    weights: FloatArray,
    *,
    centred: bool,
    scarcity: Scarcity,
) -> tuple[Monotone | None, Rule]:
    known = ~np.isnan(confidence)
    if known.sum() < scarcity.min_labelled:
        return None, Rule.BASE_RATE
    pool = isotonic(confidence[known], is_true[known], centred=centred).clipped()
    mine = known & (weights > 0)
    if not mine.any():
        return pool, Rule.SHRUNK
    own = isotonic(confidence[mine], is_true[mine], weights=weights[mine], centred=centred)
    own_weight = _own_weight(own.n, own.n_positive or 0.0, scarcity)
    if own_weight == 1 or bool((weights[known] == 1).all()):  # the latter: it is the pool itself
        return own.clipped(), Rule.OWN
    return blended(own.clipped(), pool, own_weight=own_weight), Rule.SHRUNK


# --- without labels -----------------------------------------------------------------------------


def unlabelled_sides(
    table: Table, mode: Mode, made_with: MadeWith, features: Features
) -> tuple[Side, Side]:
    """Both branches for a mode that reads no labels; `PRIOR_WEIGHTS` for the features they name.

    Raises:
        CalibrationError: Mode quantile, and no row has a confidence.
    """
    weights = PRIOR_WEIGHTS.only(features.unfaithful)
    faithful = _unlabelled_side(table.uf, mode, made_with.uf, PRIOR_TRUE_IF_FAITHFUL)
    unfaithful = _unlabelled_side(table.uu, mode, made_with.uu, PRIOR_TRUE_IF_UNFAITHFUL)
    return faithful, replace(unfaithful, evidence=weights if weights.weights else None)


def _unlabelled_side(confidence: FloatArray, mode: Mode, estimator: str, prior: float) -> Side:
    known = confidence[~np.isnan(confidence)]
    curve: Curve = None
    if estimator != CONSTANT:
        if mode is Mode.NONE:
            curve = Raw.LOG_PROBABILITY if estimator in LOG_PROBABILITIES else Raw.PROBABILITY
        elif not len(known):
            raise CalibrationError(
                f"Mode quantile ranks confidences, and no row has one of {estimator!r}.",
                hint="Name the estimator 'constant', or score the rows with it first.",
            )
        else:
            curve = mid_ranks(known)
    return Side(curve, prior, Rule.OWN, float(len(known)), None)
