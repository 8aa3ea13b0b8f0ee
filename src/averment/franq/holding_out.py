"""Questions that a calibrator is not fitted on, so that its promises can be tested on them.

Whole questions are held out; which ones depends on their names and the seed alone.
What this module does not do: test anything (`averment.franq.selective`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from averment.errors import CalibrationError
from averment.franq.calibrator import Calibrator
from averment.franq.cross_fitting import groups_of
from averment.franq.rows import Row
from averment.franq.score import Score
from averment.franq.selective import HeldOut, least_probable, thresholds


def held_out_rows(
    rows: Sequence[Row], *, share: float, seed: int
) -> tuple[list[Row], list[tuple[str, Row]]]:
    """The rows to fit on, and the held-out ones with their questions.

    Args:
        rows: Labelled or not.
        share: Of the questions, in (0, 1); rounded up to whole questions.
        seed: The same seed holds out the same questions.

    Raises:
        CalibrationError: There are fewer than 2 questions.
    """
    groups = groups_of(rows)
    names = np.unique(np.asarray(groups))
    n_held_out = int(np.ceil(share * len(names)))
    if not 0 < n_held_out < len(names):
        raise CalibrationError(
            f"Of {len(names)} questions a share of {share:g} cannot be held out.",
            hint="Label more questions (averment label), or hold out another share.",
        )
    chosen = set(np.random.default_rng(seed).permutation(names)[:n_held_out].tolist())
    kept = [row for row, group in zip(rows, groups, strict=True) if group not in chosen]
    held = [(group, row) for row, group in zip(rows, groups, strict=True) if group in chosen]
    return kept, held


def with_held_out(
    calibrator: Calibrator,
    held_out: Sequence[tuple[str, Row]],
    *,
    fitted_on: Sequence[Row],
) -> Calibrator:
    """The calibrator with the labels that it did not see.

    Args:
        calibrator: Fitted on `fitted_on` alone.
        held_out: Those without a score are left out.
        fitted_on: The other rows: thresholds are taken from its scores of these, since its curves
            have steps, and a threshold between two of them would be none.

    Raises:
        CalibrationError: No held-out row has a label and a score.
    """
    numbered = {name: at for at, name in enumerate(sorted({group for group, _ in held_out}))}
    found = calibrator.scores([row for _, row in held_out])
    told = [
        (numbered[group], score, row.is_true)
        for (group, row), score in zip(held_out, found, strict=True)
        if isinstance(score, Score)
    ]
    if all(is_true is None for _, _, is_true in told):
        raise CalibrationError(
            "No claim of the held-out questions has a label and a score.",
            hint="Label more questions (averment label), or hold out another share.",
        )
    seen = [
        (group, score.p_true)
        for group, score in zip(groups_of(fitted_on), calibrator.scores(fitted_on), strict=True)
        if isinstance(score, Score)
    ]
    answers = least_probable([p for _, p in seen], [group for group, _ in seen])
    return replace(
        calibrator,
        held_out=HeldOut(
            claim_thresholds=thresholds([p for _, p in seen]),
            answer_thresholds=thresholds(list(answers.values())),
            question=tuple(at for at, _, _ in told),
            p_true=tuple(score.p_true for _, score, _ in told),
            p_faithful=tuple(score.p_faithful for _, score, _ in told),
            is_true=tuple(None if label is None else bool(label) for _, _, label in told),
        ),
    )
