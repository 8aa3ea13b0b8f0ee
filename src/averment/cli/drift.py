"""`averment drift`: whether a calibrator's promises still speak of the answers at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from averment.cli.console import err, out, print_json
from averment.cli.label import load_claims
from averment.cli.options import JsonOption
from averment.text import n_of


def drift(
    answers: Annotated[
        Path, typer.Argument(help="JSONL of `ask --json` or `check --json`; no labels needed.")
    ],
    calibrator: Annotated[
        Path, typer.Option(help="A file of `averment calibrate --hold-out`.")
    ] = Path("calibrator.json"),
    json: JsonOption = False,
) -> None:
    """Hold the scores of new answers against the held-out ones; exit 1 if they are of another kind.

    What cannot be seen without labels: that claims with the same scores are true less often.
    """
    from averment.calibrating import row_of, scored_by
    from averment.errors import CalibrationError, UsageError
    from averment.franq.score import Score
    from averment.franq.selective import drift as held_against
    from averment.trace import to_plain
    from averment.wiring import read_calibrator

    made = read_calibrator(calibrator)
    if made.held_out is None:
        raise CalibrationError(
            f"The calibrator {calibrator} was made without held-out questions: there is nothing to "
            "hold answers against.",
            hint="Make it again: averment calibrate LABELLED.jsonl --hold-out 0.5",
        )
    claims = [claim.labelled(None, None) for claim in load_claims(answers)]
    made.require(scored_by(claims))
    numbers = {name: at for at, name in enumerate(sorted({c.question_id for c in claims}))}
    found = [
        (score, numbers[claim.question_id])
        for claim, score in zip(claims, made.scores([row_of(c) for c in claims]), strict=True)
        if isinstance(score, Score)
    ]
    told = held_against(
        made.held_out,
        p_true=[score.p_true for score, _ in found],
        p_faithful=[score.p_faithful for score, _ in found],
        question=[question for _, question in found],
    )
    if told is None:
        raise UsageError(
            f"No claim of {answers} has a score.", hint="Write it with: averment ask … --json"
        )
    warning = told.warning()
    if json:
        print_json({**to_plain(told), "n_claims": len(found), "warning": warning})
    elif warning is None:
        out().print(
            f"{n_of(len(found), 'claim')} of {n_of(told.n_questions, 'question')}: no sign that "
            f"they are of another kind than the held-out ones (p = {told.p_value:.3f}). "
            f"P(true) {told.mean_p_true:.2f} on average, {told.mean_p_true_held_out:.2f} there; "
            f"P(faithful) {told.mean_p_faithful:.2f}, {told.mean_p_faithful_held_out:.2f} there.",
            highlight=False,
        )
    if warning is not None:
        err().print(warning, style="yellow", markup=False)
        raise typer.Exit(1)
