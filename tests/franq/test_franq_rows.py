"""Labelled rows: what is refused, what is left out and counted, and what identifies them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from averment.errors import CalibrationError
from averment.franq.rows import Row, training

ROW = Row(0.5, 0.1, 0.2, is_true=True)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (replace(ROW, p_faithful=math.nan), "Row 2 has p_faithful nan"),
        (replace(ROW, p_faithful=1.5), "Row 2 has p_faithful 1.5"),
        (replace(ROW, uf=math.inf), "Row 2 has uf inf"),
        (replace(ROW, uu=-math.inf), "Row 2 has uu -inf"),
        (replace(ROW, is_true=2), "Row 2 has is_true 2; labels are true, false or unknown"),
        (replace(ROW, is_true="unverifiable"), "Row 2 has is_true 'unverifiable'"),
        (replace(ROW, is_true=math.nan), "Row 2 has is_true nan"),
        (replace(ROW, is_faithful=0.5), "Row 2 has is_faithful 0.5"),
        (replace(ROW, evidence={"npmi_weakest": math.nan}), "Row 2 has npmi_weakest nan"),
    ],
)
def test_what_cannot_be_is_refused_with_its_row(row: Row, complaint: str) -> None:
    with pytest.raises(CalibrationError) as refused:
        training([ROW, row])

    assert refused.value.message.startswith(complaint)
    assert refused.value.hint


@pytest.mark.parametrize("label", [True, 1, 1.0, np.bool_(True), np.int64(1)], ids=repr)
def test_a_label_may_be_written_in_several_ways(label: object) -> None:
    made = training([replace(ROW, is_true=label)])  # type: ignore[arg-type]

    assert made.table.is_true.tolist() == [True]
    assert made.fingerprint == training([ROW]).fingerprint


def test_what_says_nothing_is_left_out_and_counted() -> None:
    rows = [ROW, ROW, replace(ROW, is_true=None), replace(ROW, p_faithful=None, is_true=False)]

    counts = training(rows).counts

    assert (counts.n_rows, counts.n_used, counts.n_true) == (4, 2, 2)
    assert (counts.n_unlabelled, counts.n_without_p_faithful, counts.n_duplicates) == (1, 1, 1)


def test_unlabelled_rows_stay_where_no_labels_are_needed() -> None:
    counts = training([replace(ROW, is_true=None)], needs_labels=False).counts

    assert (counts.n_used, counts.n_unlabelled) == (1, 0)


def test_the_fingerprint_depends_on_the_rows_but_not_on_their_order() -> None:
    other = replace(ROW, uf=0.3)

    fingerprint = training([ROW, other]).fingerprint

    assert fingerprint == training([other, ROW]).fingerprint
    assert fingerprint != training([ROW, ROW]).fingerprint
    assert fingerprint == training([ROW, other, replace(ROW, is_true=None)]).fingerprint


def test_rows_without_a_group_are_a_group_with_their_duplicates() -> None:
    rows = [ROW, ROW, replace(ROW, uf=0.3), replace(ROW, group="q"), replace(ROW, uu=1, group="q")]

    assert training(rows).counts.n_groups == 3
