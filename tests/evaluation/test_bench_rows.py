"""Rows survive being killed: what was finished stays, what was half-written goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from averment.errors import DatasetError, IndexUnavailable
from averment.evaluation.rows import open_rows, read_rows
from evaluation.rows_by_hand import failed, graded


def test_a_row_comes_back_as_it_was(tmp_path: Path) -> None:
    rows = [graded("single", 1, 0.5, confidences={"token_probability": 0.25}), failed("none", 2)]

    with open_rows(tmp_path) as file:
        for row in rows:
            file.append(row)

    assert read_rows(tmp_path / "rows.jsonl") == rows


def test_a_line_that_was_half_written_is_cut_off(tmp_path: Path) -> None:
    row = graded("single", 1, 0.5)
    (tmp_path / "rows.jsonl").write_text(row.dumps() + "\n" + row.dumps()[:90])

    with open_rows(tmp_path) as file:
        file.append(graded("single", 2, 1.0))

    assert [each.id for each in read_rows(tmp_path / "rows.jsonl")] == ["q001", "q002"]


def test_a_line_of_which_only_the_end_is_missing_is_kept(tmp_path: Path) -> None:
    row = graded("single", 1, 0.5)
    (tmp_path / "rows.jsonl").write_text(row.dumps())

    with open_rows(tmp_path) as file:
        file.append(graded("single", 2, 1.0))

    assert [each.id for each in read_rows(tmp_path / "rows.jsonl")] == ["q001", "q002"]


def test_a_damaged_line_within_the_file_is_named(tmp_path: Path) -> None:
    row = graded("single", 1, 0.5).dumps()
    (tmp_path / "rows.jsonl").write_text(f"{row}\nnonsense\n{row}\n")

    with pytest.raises(DatasetError, match=r"rows\.jsonl:2 is no row"), open_rows(tmp_path):
        pass


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"polcy": "none"}', "'polcy' means nothing there"),
        ('{"id": "q001"}', "it lacks 'set'"),
    ],
)
def test_what_a_line_lacks_is_told_in_words(tmp_path: Path, line: str, why: str) -> None:
    (tmp_path / "rows.jsonl").write_text(f"{line}\n")

    with pytest.raises(DatasetError, match=rf"{why}\."):
        read_rows(tmp_path / "rows.jsonl")


def test_of_two_rows_of_a_question_the_later_one_counts(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(failed("none", 1).dumps() + "\n")

    with open_rows(tmp_path) as file:
        file.append(again := graded("none", 1, 1.0))  # its set is the same
        rows = dict(file.rows)

    assert rows == {again.key: again}


def test_settled_rows_have_the_order_of_the_bench_and_keep_what_is_outside_it(
    tmp_path: Path,
) -> None:
    rows = [graded("b", 1, 0.0), graded("other", 1, 0.0), graded("a", 1, 1.0)]
    with open_rows(tmp_path) as file:
        for row in rows:
            file.append(row)

        file.settle([("s", "q001", "a"), ("s", "q001", "b")])

    assert [row.policy for row in read_rows(tmp_path / "rows.jsonl")] == ["a", "b", "other"]


def test_two_processes_do_not_add_to_one_run(tmp_path: Path) -> None:
    with (
        open_rows(tmp_path),
        pytest.raises(IndexUnavailable, match="is writing the run"),
        open_rows(tmp_path),
    ):
        pass


def test_half_a_character_does_not_end_a_run(tmp_path: Path) -> None:
    row = graded("a", 1, 0.0, reason="half \ud83d of it")

    with open_rows(tmp_path) as file:
        file.append(row)
        file.settle([row.key])

    assert read_rows(tmp_path / "rows.jsonl") == [row]
