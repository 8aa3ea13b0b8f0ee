"""Rows of runs that nobody ran, with only what a test is about."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from averment.evaluation.correctness import Grades
from averment.evaluation.rows import FILE_NAME, Row, write_rows
from averment.evaluation.tables import Run
from averment.trace import Failure


def graded(
    policy: str,
    number: int,
    f1: float,
    *,
    name: str = "s",
    draft_f1: float | None = None,
    **more: Any,
) -> Row:
    """The row of question `number`; exactly right where its F1 is 1."""
    values: dict[str, Any] = {
        "verdict": "answered",
        "retrievals": 1,
        "triggers": {"rare_entity": 1},
        "counts": 10,
        "unknown_counts": 0,
        **more,
    }
    grades = Grades(float(f1 == 1.0), f1, None, None, draft_f1)
    return Row(
        name, f"q{number:03}", "Who?", ("A",), policy, policy, "tiny", "A", grades=grades, **values
    )


def failed(policy: str, number: int) -> Row:
    """The row of a question that ended in an error."""
    error = Failure("MalformedReply", "garbage")
    return Row("s", f"q{number:03}", "Who?", ("A",), policy, policy, "tiny", error=error)


def run_of(folder: Path, rows: Sequence[Row], *, label: str = "", max_unknown: float = 0.05) -> Run:
    """A run of these rows."""
    folder.mkdir(parents=True, exist_ok=True)
    write_rows(folder / FILE_NAME, rows)
    return Run(label, folder, max_unknown)
