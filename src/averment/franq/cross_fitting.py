"""Scores of rows by calibrators that never saw their question, and how far a calibrator may be off.

Both take a function that fits a calibrator, such as `functools.partial` of `calibration.fit`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from averment.errors import CalibrationError
from averment.franq.calibrator import Calibrator
from averment.franq.folds import fold_of_each
from averment.franq.rows import Row, canonical_line, group_keys
from averment.franq.score import Score, Unscored

Fit: TypeAlias = Callable[[Sequence[Row]], Calibrator]
"""From rows to a calibrator."""


@dataclass(frozen=True, slots=True)
class Band:
    """Between which values P(true) of a claim lies over resamples of the training groups."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class BootstrapBand:
    """The band of each claim; None for a claim that cannot be scored."""

    bands: tuple[Band | None, ...]
    n_resamples: int
    n_failed: int
    """Resamples on which nothing could be fitted, such as those of one class; left out."""


def cross_fitted_scores(
    rows: Sequence[Row], fit: Fit, *, n_folds: int = 5, seed: int = 0
) -> list[Score | Unscored]:
    """Score each row by a calibrator fitted on the folds of other groups.

    Args:
        rows: Labelled or not; unlabelled ones are scored too. Groups are `Row.group`.
        fit: Fits on the other folds.
        n_folds: At least 2.
        seed: Of the folds. They do not depend on the order of the rows.

    Returns:
        One for each row, in order.

    Raises:
        CalibrationError: Fewer than 2 groups, or a fold leaves too little to fit on.
    """
    folds = fold_of_each(groups_of(rows), n_folds=n_folds, seed=seed)
    scores: dict[int, Score | Unscored] = {}
    for fold in range(int(folds.max()) + 1):
        held_out = np.flatnonzero(folds == fold).tolist()
        calibrator = fit([rows[index] for index in np.flatnonzero(folds != fold).tolist()])
        found = calibrator.scores([rows[index] for index in held_out])
        scores.update(zip(held_out, found, strict=True))
    return [scores[index] for index in range(len(rows))]


def bootstrap_band(
    rows: Sequence[Row],
    fit: Fit,
    *,
    at: Sequence[Row],
    n_resamples: int = 200,
    level: float = 0.95,
    seed: int = 0,
) -> BootstrapBand:
    """Percentile band of P(true) for some claims, drawing groups of training rows.

    Args:
        rows: What a calibrator is fitted on.
        fit: Fits on a resample.
        at: The claims whose P(true) is wanted.
        n_resamples: At least 1.
        level: In (0, 1).
        seed: Of the draws.

    Raises:
        ValueError: A setting is out of range.
        CalibrationError: Nothing could be fitted on any resample.
    """
    if not (n_resamples >= 1 and 0 < level < 1):
        raise ValueError(f"A band needs resamples and a level: {n_resamples}, {level}.")
    by_group: dict[str, list[Row]] = {}
    for group, row in sorted(zip(groups_of(rows), rows, strict=True), key=lambda pair: pair[0]):
        by_group.setdefault(group, []).append(row)
    groups = list(by_group.values())
    if not groups:
        raise CalibrationError("There are no rows to draw from.", hint="Label some claims.")
    random = np.random.default_rng(seed)
    drawn: list[list[float]] = []
    last_error: CalibrationError | None = None
    for _ in range(n_resamples):
        chosen = random.integers(len(groups), size=len(groups)).tolist()
        try:
            calibrator = fit([row for group in chosen for row in groups[group]])
        except CalibrationError as error:
            last_error = error
            continue
        drawn.append([_p_true(score) for score in calibrator.scores(at)])
    if not drawn:
        raise CalibrationError(
            f"None of {n_resamples} resamples of the rows can be fitted on. The last: {last_error}",
        )
    low, high = np.quantile(np.array(drawn), [(1 - level) / 2, (1 + level) / 2], axis=0)
    bands = tuple(
        None if np.isnan(a) else Band(float(a), float(b)) for a, b in zip(low, high, strict=True)
    )
    return BootstrapBand(bands, n_resamples, n_resamples - len(drawn))


def groups_of(rows: Sequence[Row]) -> list[str]:
    """The group of each row; one of its own, with its exact duplicates, where it has none."""
    return group_keys([(canonical_line(row, n), row) for n, row in enumerate(rows, start=1)])


def _p_true(score: Score | Unscored) -> float:
    return score.p_true if isinstance(score, Score) else float("nan")
