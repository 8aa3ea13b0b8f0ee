"""Fitting a calibrator: which rows teach which curve, and what is done where they are few.

Each mode (`calibrator.Mode`) gives every row a weight for the faithful curve and one for the
other; the curves are weighted isotonic regressions. The order of the rows does not matter.

Scarce data (`Scarcity`): fewer labelled rows than `min_labelled`, or one class in all of them, is a
`CalibrationError`. A side with fewer rows than `min_side`, or one class, is mixed with the curve of
all rows, λ = n_side / (n_side + prior_rows). A confidence that fewer than `min_labelled` rows have
is not used: that side is its base rate. No height is nearer to 0 or 1 than 1/(n+2). `Side.rule`
says what was done.
What this module does not do: choose a mode or an estimator; do that on training rows.

Source: FRANQ (arXiv 2505.21072), calibrated and condition-calibrated variants; gold, soft, em,
quantile, scarcity and corpus evidence are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from averment.errors import CalibrationError
from averment.franq.calibrator import (
    Calibrator,
    Curve,
    FaithfulnessRange,
    MadeWith,
    Mode,
    Raw,
    Rule,
    Side,
)
from averment.franq.components import CONSTANT, LOG_PROBABILITIES
from averment.franq.corpus_stack import (
    PLAIN,
    PRIOR_WEIGHTS,
    Features,
    Stack,
    Term,
    fitted_terms,
    shifted,
    sum_of_terms,
)
from averment.franq.em import joint_fit
from averment.franq.folds import fold_of_each
from averment.franq.isotonic import BoolArray, FloatArray, Monotone, blended, isotonic, mid_ranks
from averment.franq.rows import Row, RowCounts, Table, training
from averment.franq.score import mixture

PRIOR_TRUE_IF_FAITHFUL: Final = 0.9
"""Stands for the base rate of the faithful side where there are no labels. Nobody fitted it."""
PRIOR_TRUE_IF_UNFAITHFUL: Final = 0.5
"""Likewise of the unfaithful side."""

_ALPHAS: Final = tuple(step / 10 for step in range(11))
_N_FOLDS: Final = 5


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


USUAL: Final = Scarcity()


def fit(
    rows: Sequence[Row],
    *,
    mode: Mode,
    made_with: MadeWith,
    created_by: str,
    centred: bool = False,
    scarcity: Scarcity = USUAL,
    features: Features = PLAIN,
    seed: int = 0,
) -> Calibrator:
    """Fit a calibrator on labelled rows; modes none and quantile need no labels.

    Args:
        rows: Claims. Those without a label or without p_faithful are left out and counted, and so
            are, where a curve is fitted, those that lack its confidence. Mode em fits on rows with
            both confidences, mode gold on rows with `is_faithful`.
        mode: Which rows teach which curve.
        made_with: Who made the numbers; a confidence named ``constant`` is not read.
        created_by: Program and version.
        centred: Leave fewer ties, see `isotonic`.
        scarcity: What counts as few rows.
        features: Corpus features to add. Their curves are fitted on the rows of their branch, their
            damping by cross-fitting over groups. Without labels, `PRIOR_WEIGHTS` stand for them.
        seed: Of the folds of that cross-fitting.

    Raises:
        CalibrationError: Too few rows, one class, a third label, a number that cannot be.
    """
    made = training(rows, needs_labels=mode.reads_labels)
    table = _without_constants(made.table, made_with)
    if mode.reads_labels:
        _refuse_what_teaches_nothing(made.counts, scarcity)
        fitted = _fitted(table, mode, centred=centred, scarcity=scarcity, features=features)
        sides = fitted.sides
        if features != PLAIN:
            alphas = _dampings(table, mode, centred, scarcity, features, seed)
            sides = _with_stacks(fitted, alphas)
    else:
        sides = _unlabelled_sides(table, mode, made_with, features)
    return Calibrator(
        mode=mode,
        centred=centred,
        made_with=made_with,
        created_by=created_by,
        fingerprint=made.fingerprint,
        counts=made.counts,
        p_faithful_range=_range(table.p_faithful),
        faithful=sides[0],
        unfaithful=sides[1],
    )


# --- the two curves -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Fitted:
    """Both branches: faithful first."""

    sides: tuple[Side, Side]
    terms: tuple[tuple[Term, ...], tuple[Term, ...]]


def _fitted(
    table: Table, mode: Mode, *, centred: bool, scarcity: Scarcity, features: Features
) -> _Fitted:
    weights = _weights(table, mode)
    sides, terms = [], []
    for confidence, mass, names in zip(
        (table.uf, table.uu), weights, (features.faithful, features.unfaithful), strict=True
    ):
        side = _side(confidence, table.is_true, mass, centred=centred, scarcity=scarcity)
        sides.append(side)
        terms.append(
            fitted_terms(names, evidence=table.evidence, is_true=table.is_true, weights=mass)
        )
    return _Fitted((sides[0], sides[1]), (terms[0], terms[1]))


def _weights(table: Table, mode: Mode) -> tuple[FloatArray, FloatArray]:
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
    return _em_weights(table) if mode is Mode.EM else (pf, 1 - pf)


def _em_weights(table: Table) -> tuple[FloatArray, FloatArray]:
    complete = ~np.isnan(table.uf) & ~np.isnan(table.uu)
    if not complete.any():
        raise CalibrationError(
            "Mode em needs rows with both confidences; no labelled row has uf and uu.",
            hint="Use mode condition, or name the missing estimator 'constant'.",
        )
    joint = joint_fit(
        table.p_faithful[complete],
        uf=table.uf[complete],
        uu=table.uu[complete],
        is_true=table.is_true[complete],
    )
    faithful, unfaithful = np.zeros(len(complete)), np.zeros(len(complete))
    faithful[complete] = joint.faithful_weights
    unfaithful[complete] = 1 - joint.faithful_weights
    return faithful, unfaithful


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


# --- the damping of corpus evidence -------------------------------------------------------------


def _dampings(
    table: Table,
    mode: Mode,
    centred: bool,
    scarcity: Scarcity,
    features: Features,
    seed: int,
) -> tuple[float, float]:
    """α of each branch: the pair with the best likelihood of held-out labels under the mixture.

    The mixture is what is scored in the end, and unlike the likelihood of one branch it needs no
    weights that have seen the label. Of equals the smallest is taken.
    """
    folds = fold_of_each(table.group, n_folds=_N_FOLDS, seed=seed)
    held_out = []
    for fold in range(int(folds.max()) + 1):
        taught, rest = table.take(np.flatnonzero(folds != fold)), np.flatnonzero(folds == fold)
        if len(taught.is_true) < scarcity.min_labelled or len(set(taught.is_true.tolist())) < 2:
            raise CalibrationError(
                f"Corpus evidence is damped by cross-fitting, and without fold {fold + 1} too few "
                f"labelled rows remain: {len(taught.is_true)}, {int(taught.is_true.sum())} true.",
                hint="Label more claims, or calibrate without corpus features.",
            )
        fitted = _fitted(taught, mode, centred=centred, scarcity=scarcity, features=features)
        held_out.append(_HeldOut.of(fitted, table.take(rest)))
    return max(
        ((f, u) for f in _alphas(features.faithful) for u in _alphas(features.unfaithful)),
        key=lambda pair: (
            round(sum(part.log_likelihood(*pair) for part in held_out), 9),
            -pair[0] - pair[1],
        ),
    )


def _alphas(features: Sequence[str]) -> tuple[float, ...]:
    return _ALPHAS if features else (0.0,)


@dataclass(frozen=True, slots=True, eq=False)
class _HeldOut:
    """What the curves of the other folds say of the rows of one fold. Shapes (n,)."""

    p_faithful: FloatArray
    is_true: BoolArray
    branches: tuple[FloatArray, FloatArray]
    terms: tuple[FloatArray, FloatArray]

    @classmethod
    def of(cls, fitted: _Fitted, table: Table) -> _HeldOut:
        faithful, unfaithful = fitted.sides
        return cls(
            table.p_faithful,
            table.is_true,
            (faithful.p_true(table.uf), unfaithful.p_true(table.uu)),
            (
                sum_of_terms(fitted.terms[0], table.evidence),
                sum_of_terms(fitted.terms[1], table.evidence),
            ),
        )

    def log_likelihood(self, alpha_faithful: float, alpha_unfaithful: float) -> float:
        """Σ log P(label), in nats."""
        if_faithful = shifted(self.branches[0], alpha_faithful * self.terms[0])
        if_unfaithful = shifted(self.branches[1], alpha_unfaithful * self.terms[1])
        p_true = mixture(self.p_faithful, if_faithful, if_unfaithful)
        return float(np.log(np.where(self.is_true, p_true, 1 - p_true)).sum())


def _with_stacks(fitted: _Fitted, alphas: tuple[float, float]) -> tuple[Side, Side]:
    faithful, unfaithful = (
        replace(side, evidence=Stack(alpha, terms)) if terms else side
        for side, alpha, terms in zip(fitted.sides, alphas, fitted.terms, strict=True)
    )
    return faithful, unfaithful


# --- without labels -----------------------------------------------------------------------------


def _unlabelled_sides(
    table: Table, mode: Mode, made_with: MadeWith, features: Features
) -> tuple[Side, Side]:
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


# --- rows ---------------------------------------------------------------------------------------


def _without_constants(table: Table, made_with: MadeWith) -> Table:
    """The table with 0 for every confidence of a constant estimator: one point, its base rate."""
    zeros = np.zeros(len(table.p_faithful))
    return replace(
        table,
        uf=zeros if made_with.uf == CONSTANT else table.uf,
        uu=zeros if made_with.uu == CONSTANT else table.uu,
    )


def _refuse_what_teaches_nothing(counts: RowCounts, scarcity: Scarcity) -> None:
    if counts.n_labelled < scarcity.min_labelled:
        left_out = counts.n_unlabelled + counts.n_without_p_faithful
        raise CalibrationError(
            f"There are {counts.n_labelled} labelled claims ({left_out} left out); calibration "
            f"needs at least {scarcity.min_labelled}, some true and some false.",
            hint="Label more claims (averment label), or use mode quantile: uncalibrated.",
        )
    if counts.n_true in (0, counts.n_labelled):
        kind = "true" if counts.n_true else "false"
        raise CalibrationError(
            f"All {counts.n_labelled} labelled claims are {kind}; calibration needs both kinds.",
            hint="Label more claims, or use mode quantile: uncalibrated.",
        )


def _range(p_faithful: FloatArray) -> FaithfulnessRange:
    if not len(p_faithful):
        return FaithfulnessRange(0.0, 1.0, 0.5)
    low, high = np.quantile(p_faithful, [0.01, 0.99])
    return FaithfulnessRange(float(low), float(high), float(p_faithful.mean()))
