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
from dataclasses import replace
from typing import Final

import numpy as np

from averment.errors import CalibrationError
from averment.franq.calibrator import Calibrator, FaithfulnessRange, MadeWith, Mode
from averment.franq.components import CONSTANT
from averment.franq.corpus_stack import PLAIN, Features
from averment.franq.damping import dampings, with_stacks
from averment.franq.isotonic import FloatArray
from averment.franq.rows import Row, RowCounts, Table, training
from averment.franq.sides import Scarcity, fit_branches, unlabelled_sides

USUAL: Final = Scarcity()
"""The defaults of `Scarcity`."""


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
        fitted = fit_branches(table, mode, centred=centred, scarcity=scarcity, features=features)
        sides = fitted.sides
        if features != PLAIN:
            alphas = dampings(
                table, mode, centred=centred, scarcity=scarcity, features=features, seed=seed
            )
            sides = with_stacks(fitted, alphas)
    else:
        sides = unlabelled_sides(table, mode, made_with, features)
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


def _without_constants(table: Table, made_with: MadeWith) -> Table:
    """The table without the confidences of constant estimators: such a side is its base rate."""
    unknown = np.full(len(table.p_faithful), np.nan)
    return replace(
        table,
        uf=unknown if made_with.uf == CONSTANT else table.uf,
        uu=unknown if made_with.uu == CONSTANT else table.uu,
    )


def _refuse_what_teaches_nothing(counts: RowCounts, scarcity: Scarcity) -> None:
    if counts.n_used < scarcity.min_labelled:
        left_out = counts.n_unlabelled + counts.n_without_p_faithful
        raise CalibrationError(
            f"There are {counts.n_used} labelled claims ({left_out} left out); calibration "
            f"needs at least {scarcity.min_labelled}, some true and some false.",
            hint="Label more claims (averment label), or use mode quantile: uncalibrated.",
        )
    if counts.n_true in (0, counts.n_used):
        kind = "true" if counts.n_true else "false"
        raise CalibrationError(
            f"All {counts.n_used} labelled claims are {kind}; calibration needs both kinds.",
            hint="Label more claims, or use mode quantile: uncalibrated.",
        )


def _range(p_faithful: FloatArray) -> FaithfulnessRange:
    if not len(p_faithful):
        return FaithfulnessRange(0.0, 1.0, 0.5)
    low, high = np.quantile(p_faithful, [0.01, 0.99])
    return FaithfulnessRange(float(low), float(high), float(p_faithful.mean()))
