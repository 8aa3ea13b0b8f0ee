"""Some of the rejected rows, to be looked at: of each reason a few, drawn at random.

A run does not carry them along: they are read back from what it wrote, so that one that was killed
shows the same rows. What this module does not do: say what a row is worth.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from averment.corpus.records import Unusable
from averment.filtering.fields import COLUMN, FieldChoice
from averment.filtering.reading import InputRow, Source
from averment.filtering.sampling import Reservoir

_OF_EACH_REASON = 6

Found: TypeAlias = tuple[InputRow, Mapping[str, Any]]
"""A row, and the column that was found for it."""


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """A row that is not kept.

    Args:
        line: Where it stands in its file, from 1.
        text: What was checked; of a row that could not be read, the row as it was written.
        question: What the text answers; None: nobody asked, or it could not be read.
        column: What was found about it.
    """

    line: int
    text: str
    question: str | None
    column: Mapping[str, Any]


def examples_of(rejected: Iterable[Found], fields: FieldChoice) -> dict[str, list[RejectedRow]]:
    """A few rejected rows of each reason, in their order.

    Args:
        rejected: All of them.
        fields: Those that were read.
    """
    drawn: dict[str, Reservoir[Found]] = {}
    for row, column in rejected:
        drawn.setdefault(column["reason"], Reservoir(_OF_EACH_REASON)).add((row, column))
    return {
        reason: [
            _rejected(row, column, fields)
            for row, column in sorted(of_reason.kept, key=lambda found: found[0].line)
        ]
        for reason, of_reason in drawn.items()
    }


def read_back(written: Source, fields: FieldChoice) -> Iterator[Found]:
    """The rows of a file that a run wrote, each with its column.

    Args:
        written: ``rejected.jsonl`` or ``rejected.parquet``.
        fields: Those that were read.
    """
    for row in written.rows([*fields.names, COLUMN]):
        column = row.row.get(COLUMN) if isinstance(row.row, Mapping) else None
        if isinstance(column, Mapping):  # not of a line that its column made too long to be read
            yield row, column


def _rejected(row: InputRow, column: Mapping[str, Any], fields: FieldChoice) -> RejectedRow:
    if not isinstance(row.row, Mapping):
        return RejectedRow(row.line, row.raw, None, column)
    try:
        texts = fields.read(row.row)
    except Unusable:
        told = {name: value for name, value in row.row.items() if name not in (COLUMN, "line")}
        raw = told.get("raw") if set(told) == {"raw"} else None  # a line that was no object
        text = raw if isinstance(raw, str) else json.dumps(told, ensure_ascii=False, default=str)
        return RejectedRow(row.line, text, None, column)
    return RejectedRow(row.line, texts.text, texts.question, column)
