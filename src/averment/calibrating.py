"""From labelled claims to a calibrator, and to what it changes on claims that it has not seen.

The calibrator that is kept is fitted on all rows but those held out for promises of an error rate.
What is reported of it is not: each claim is scored by a calibrator fitted on the folds of other
questions, so that the numbers hold for new claims. Beside it stand the same claims without
calibration.

What this module does not do: score claims, read or write files.

Source: cross-fitting by question: FRANQ (arXiv 2505.21072) calibrates on a split of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from averment.errors import CalibrationError
from averment.franq.calibration import fit
from averment.franq.calibrator import Calibrator, MadeWith, Mode
from averment.franq.corpus_stack import CORPUS, PLAIN
from averment.franq.cross_fitting import Fit, cross_fitted_scores
from averment.franq.holding_out import held_out_rows, with_held_out
from averment.franq.isotonic import BoolArray, FloatArray
from averment.franq.rows import Row
from averment.franq.score import Score, Unscored
from averment.labels import LabelledClaim
from averment.metrics.calibration_error import (
    EceBand,
    ReliabilityBin,
    brier_score,
    calibrated_ece_band,
    expected_calibration_error,
    reliability_table,
)
from averment.metrics.ranking import pr_auc, roc_auc
from averment.metrics.rejection import aurc, prediction_rejection_ratio, risk_coverage_curve

_PARTS = ("uf", "uu", "faithfulness", "model")


@dataclass(frozen=True, slots=True)
class Quality:
    """How good the scores of some labelled claims are; None where a metric is undefined.

    ``pr_auc``, ``roc_auc`` and ``prr``: better when higher, false claims are what is looked for.
    ``ece``, ``brier`` and ``aurc``: better when lower; ``risk_coverage`` is the curve of the last.
    """

    name: str
    reliability: tuple[ReliabilityBin, ...]
    ece: float | None
    brier: float | None
    pr_auc: float | None
    roc_auc: float | None
    prr: float | None
    aurc: float | None
    risk_coverage: tuple[tuple[float, float], ...]
    """Pairs of coverage and the share of false claims among those kept, both in [0, 1]."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A calibrator and what it changes on claims that it was not fitted on.

    ``ece_band`` is where the ECE of perfectly calibrated scores of so many claims lies. ``before``
    and ``after`` are of the same claims, or ``before`` of none, where its scores are none.
    """

    calibrator: Calibrator
    before: Quality
    after: Quality
    ece_band: EceBand
    n_rows: int


def calibrate(
    labels: Sequence[LabelledClaim],
    *,
    mode: Mode,
    created_by: str,
    with_corpus: bool = True,
    n_folds: int = 5,
    seed: int = 0,
    hold_out: float = 0.0,
) -> Calibration:
    """Fit a calibrator on labelled claims.

    Args:
        labels: Rows of `averment label`, all scored by the same estimators.
        mode: Which rows teach which curve.
        created_by: Program and version.
        with_corpus: Corpus features enter, if the rows have any.
        n_folds: Of the cross-fitting that the report is from.
        seed: Of those folds, and of what is held out.
        hold_out: The share of questions that are kept apart, for `franq.selective.promise`;
            in [0, 1). The report is of the others.

    Raises:
        CalibrationError: Scores of different estimators, rows without scores, too few rows or
            questions, one class.
    """
    made_with = scored_by(labels)
    rows = [row_of(label) for label in labels]
    features = CORPUS if with_corpus and any(row.evidence for row in rows) else PLAIN
    fitted = partial(
        fit, mode=mode, made_with=made_with, created_by=created_by, features=features, seed=seed
    )
    held_out: list[tuple[str, Row]] = []
    if hold_out:
        rows, held_out = held_out_rows(rows, share=hold_out, seed=seed)
    calibrator = fitted(rows)
    if held_out:
        calibrator = with_held_out(calibrator, held_out, fitted_on=rows)
    raw = fitted(rows, mode=Mode.NONE)
    before = raw.scores(rows)
    after = _cross_fitted(rows, fitted, n_folds=n_folds, seed=seed)
    labelled = [
        at
        for at, (row, new) in enumerate(zip(rows, after, strict=True))
        if row.is_true is not None and isinstance(new, Score)
    ]
    comparable = [at for at in labelled if isinstance(before[at], Score)]
    # Entropies and the like are no scores without a calibrator; what one makes of them still is.
    chosen = comparable or labelled
    p_after = _p_true(after, chosen)
    return Calibration(
        calibrator,
        quality("before", _p_true(before, comparable), _is_true(rows, comparable)),
        quality("after", p_after, _is_true(rows, chosen)),
        calibrated_ece_band(p_after, seed=seed),
        len(chosen),
    )


def _cross_fitted(
    rows: Sequence[Row], fitted: Fit, *, n_folds: int, seed: int
) -> list[Score | Unscored]:
    try:
        return cross_fitted_scores(rows, fitted, n_folds=n_folds, seed=seed)
    except CalibrationError as error:
        raise CalibrationError(
            "The labels are enough for a calibrator, but not to test it on claims that it has not "
            f"seen, one fold of {n_folds} at a time. {error.message}",
            hint="Label more claims, of more questions (averment label).",
        ) from error


def quality(name: str, p_true: FloatArray, is_true: BoolArray) -> Quality:
    """The metrics of some scores.

    Args:
        name: What to call them.
        p_true: In [0, 1], shape (n,).
        is_true: Shape (n,).
    """
    uncertainty = 1 - p_true
    curve = risk_coverage_curve(uncertainty, is_true)
    return Quality(
        name,
        reliability_table(p_true, is_true),
        expected_calibration_error(p_true, is_true).value,
        brier_score(p_true, is_true).value,
        pr_auc(uncertainty, is_true).value,
        roc_auc(uncertainty, is_true).value,
        prediction_rejection_ratio(uncertainty, is_true).value,
        aurc(uncertainty, is_true).value,
        tuple(zip(curve.coverage.tolist(), curve.risk.tolist(), strict=True)),
    )


def scored_by(labels: Sequence[LabelledClaim]) -> MadeWith:
    """Who made the scores of all rows.

    Raises:
        CalibrationError: Nobody is named, or several are.
    """
    if not labels:
        raise CalibrationError(
            "There are no labelled claims.", hint="Label some: averment label ANSWERS.jsonl"
        )
    found = {_made_with(label) for label in labels}
    if None in found:
        raise CalibrationError(
            "The rows do not say which estimators scored them: 'made_by.made_with' is missing.",
            hint="Label what `averment ask --json` or `averment check --json` prints.",
        )
    if len(found) > 1:
        told = "; ".join(sorted(str(made) for made in found))
        raise CalibrationError(
            f"The rows were scored by different estimators: {told}.",
            hint="Calibrate each of them on its own.",
        )
    (made_with,) = found
    assert made_with is not None
    return made_with


def row_of(label: LabelledClaim) -> Row:
    """The scores and labels of one claim.

    Raises:
        CalibrationError: A score is neither a number nor null.
    """
    features = label.scores.get("features", {})
    if not isinstance(features, Mapping):
        raise _no_number(label, "features", features)
    p_faithful, uf, uu = (
        _number(label, name, label.scores.get(name)) for name in ("p_faithful", "uf", "uu")
    )
    return Row(
        p_faithful=p_faithful,
        uf=uf,
        uu=uu,
        is_true=label.label,
        is_faithful=label.faithful,
        group=label.question_id,
        evidence={name: _number(label, name, value) for name, value in features.items()},
    )


def _number(label: LabelledClaim, name: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _no_number(label, name, value)
    try:
        return float(value)
    except OverflowError:  # a whole number of 309 digits
        raise _no_number(label, name, math.inf) from None


def _no_number(label: LabelledClaim, name: str, value: object) -> CalibrationError:
    return CalibrationError(
        f"The claim {label.claim!r} ({label.claim_id}) has {name} {value!r}; expected a number.",
        hint="Write null for a score that nobody knows.",
    )


def _made_with(label: LabelledClaim) -> MadeWith | None:
    made: Any = label.made_by.get("made_with")
    if not isinstance(made, Mapping):
        return None
    parts = [part for name in _PARTS if isinstance(part := made.get(name), str)]
    return MadeWith(*parts) if len(parts) == len(_PARTS) else None


def _is_true(rows: Sequence[Row], chosen: Sequence[int]) -> BoolArray:
    return np.array([bool(rows[at].is_true) for at in chosen], dtype=np.bool_)


def _p_true(scores: Sequence[Score | Unscored], chosen: Sequence[int]) -> FloatArray:
    found = [scores[at] for at in chosen]
    return np.array([score.p_true for score in found if isinstance(score, Score)], dtype=np.float64)
