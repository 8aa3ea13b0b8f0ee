"""What is held out: whole questions, by name and seed, that the calibrator has not seen."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from claims_by_hand import claims, fit_by_hand

from averment.errors import CalibrationError
from averment.franq.calibrator import Calibrator, Mode
from averment.franq.holding_out import held_out_rows, with_held_out
from averment.franq.rows import Row
from averment.franq.selective import HeldOut

ROWS = claims(240, seed=1, groups_of=3).rows
FIT = partial(fit_by_hand, mode=Mode.CONDITION)


def made(rows: list[Row] = ROWS) -> tuple[Calibrator, HeldOut, list[tuple[str, Row]]]:
    kept, held = held_out_rows(rows, share=0.4, seed=0)
    calibrator = with_held_out(FIT(kept), held, fitted_on=kept)
    assert calibrator.held_out is not None
    return calibrator, calibrator.held_out, held


def test_whole_questions_are_held_out_whatever_the_order_of_the_rows() -> None:
    kept, held = held_out_rows(ROWS, share=0.4, seed=0)

    questions = {row.group for _, row in held}
    assert (len(kept), len(held), len(questions)) == (144, 96, 32)
    assert not questions & {row.group for row in kept}
    _, backwards = held_out_rows(ROWS[::-1], share=0.4, seed=0)
    assert {row.group for _, row in backwards} == questions
    _, other = held_out_rows(ROWS, share=0.4, seed=1)
    assert {row.group for _, row in other} != questions


def test_held_out_claims_are_scored_by_the_calibrator_that_did_not_see_them() -> None:
    calibrator, held_out, held = made()

    scores = calibrator.scores([row for _, row in held])
    assert held_out.p_true == tuple(score.p_true for score in scores)  # type: ignore[union-attr]
    assert held_out.p_faithful == tuple(row.p_faithful for _, row in held)
    assert held_out.is_true == tuple(row.is_true for _, row in held)
    assert held_out.n_questions == 32
    assert len(held_out.claim_thresholds) > 10
    assert held_out.answer_thresholds[0] < held_out.claim_thresholds[0]


def test_claims_without_a_score_are_left_out_and_those_without_a_label_are_not() -> None:
    _, _, held = made()
    first, second = held[0][1], held[1][1]
    rows = [
        replace(row, is_true=None) if row is first else row
        for row in (replace(row, p_faithful=None) if row is second else row for row in ROWS)
    ]

    _, held_out, _ = made(rows)

    assert len(held_out.p_true) == len(held) - 1
    assert held_out.is_true.count(None) == 1


def test_held_out_questions_without_any_label_are_refused() -> None:
    kept, held = held_out_rows(ROWS, share=0.4, seed=0)
    unlabelled = [(group, replace(row, is_true=None)) for group, row in held]

    with pytest.raises(CalibrationError, match="No claim of the held-out questions has a label"):
        with_held_out(FIT(kept), unlabelled, fitted_on=kept)


def test_rows_that_nobody_could_score_give_no_thresholds() -> None:
    kept, held = held_out_rows(ROWS, share=0.4, seed=0)
    unscored = [replace(row, p_faithful=None) for row in kept]
    calibrator = FIT(kept)

    found = with_held_out(calibrator, held, fitted_on=unscored).held_out

    assert found is not None
    assert found.claim_thresholds == (0.0,)


@pytest.mark.parametrize("share", [0.99, 1.0])
def test_something_must_be_left_to_fit_on(share: float) -> None:
    with pytest.raises(CalibrationError, match=r"Of 80 questions a share of .* held out"):
        held_out_rows(ROWS, share=share, seed=0)
