"""The rows of a run: one a policy and question, kept in a file that survives being killed.

A row is appended and synced when its question is done; a line that was half-written when the
process died is cut off when the file is opened again. At the end of a run the rows are brought into
the order of the bench, so that runs which were interrupted elsewhere have the same file. All that
varies from run to run stands under `timing`. This module computes nothing of the rows.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypeAlias

from averment.errors import DatasetError, UsageError
from averment.evaluation.correctness import Grades
from averment.files import write_whole
from averment.index.lock import exclusive
from averment.trace import Failure, from_plain, to_plain

FILE_NAME = "rows.jsonl"
RowKey: TypeAlias = tuple[str, str, str]
"""Set, question id, policy."""


@dataclass(frozen=True, slots=True)
class Timing:
    """What varies from run to run.

    `seconds` are those of all steps; where model calls were remembered, these count with what they
    took when they were made.
    """

    seconds: float
    cached_calls: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """What a policy made of one question. What nobody knows is None, never 0.

    Args:
        set: The question set.
        id: Of the question, unique within the set.
        question: Its text.
        gold: The answers that count as right.
        policy: The preset, or the system that gave the answer.
        settings: The policy with every parameter.
        model: Who wrote.
        prediction: What is graded: the final answer, all of the text where there is none, nothing
            where the policy abstained.
        draft: All that was written, also where the policy abstained.
        verdict: ``answered``, ``warned``, ``abstained``; None where there was an error.
        reason: The code of a verdict.
        grades: How right the prediction is; None where there was an error.
        retrievals: Searches.
        triggers: How often each trigger led to a search.
        gold_retrieved: Share of the gold passages among what was retrieved, in [0, 1]; None where
            the data set names none.
        model_calls: Of the policy.
        prompt_tokens: Of the policy's calls.
        generated_tokens: Of the policy's calls.
        extractor_tokens: Prompt and generated tokens of all other calls of the model: extraction,
            judging, re-scoring.
        counts: How many counts and co-occurrences were asked for.
        unknown_counts: How many of these nobody could give.
        confidences: How sure the answer is by each measure that there is, in [0, 1].
        averment: Its version.
        index: Digest of the index.
        data: Digest of the data file.
        error: What ended the question, if something did.
        timing: What varies from run to run.
    """

    set: str
    id: str
    question: str
    gold: tuple[str, ...]
    policy: str
    settings: str
    model: str
    prediction: str = ""
    draft: str = ""
    verdict: str | None = None
    reason: str | None = None
    grades: Grades | None = None
    retrievals: int | None = None
    triggers: Mapping[str, int] | None = None
    gold_retrieved: float | None = None
    model_calls: int | None = None
    prompt_tokens: int | None = None
    generated_tokens: int | None = None
    extractor_tokens: int | None = None
    counts: int | None = None
    unknown_counts: int | None = None
    confidences: Mapping[str, float] = field(default_factory=dict)
    averment: str = ""
    index: str = ""
    data: str = ""
    error: Failure | None = None
    timing: Timing | None = None

    @property
    def key(self) -> RowKey:
        """What tells rows apart; of several with one key the last counts."""
        return self.set, self.id, self.policy

    def dumps(self) -> str:
        """One line of JSON, without its end."""
        line = json.dumps(to_plain(self), ensure_ascii=False, allow_nan=False)
        # subtle: half a character of UTF-16 becomes the JSON escape of itself.
        return line.encode("utf-8", "backslashreplace").decode("utf-8")


class RowFile:
    """The rows of a run on disk; made by `open_rows`.

    Args:
        path: The file.
        rows: Those that are there.
        stream: Open for appending.
    """

    def __init__(self, path: Path, rows: Iterable[Row], stream: IO[bytes]) -> None:
        self._path = path
        self._rows = {row.key: row for row in rows}
        self._stream = stream

    @property
    def rows(self) -> Mapping[RowKey, Row]:
        """The last row of each key."""
        return self._rows

    def append(self, row: Row) -> None:
        """Add a row; it is on the disk when this returns."""
        self._stream.write(row.dumps().encode("utf-8") + b"\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._rows[row.key] = row

    def settle(self, order: Sequence[RowKey]) -> None:
        """Rewrite the file with one row a key, in this order; other keys come last, sorted."""
        rank = {key: number for number, key in enumerate(order)}
        keys = sorted(self._rows, key=lambda key: (rank.get(key, len(rank)), key))
        write_rows(self._path, [self._rows[key] for key in keys])
        self._stream.close()
        self._stream = self._path.open("ab")

    def close(self) -> None:
        """Let go of the file."""
        self._stream.close()


@contextmanager
def open_rows(directory: Path) -> Iterator[RowFile]:
    """The rows of a run, to be added to by this process alone.

    Raises:
        DatasetError: A line within the file is no row.
        IndexUnavailable: Another process adds to them.
    """
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / FILE_NAME
    with exclusive(directory, what="the run"):
        _repair(path)
        rows = read_rows(path) if path.exists() else []
        file = RowFile(path, rows, path.open("ab"))
        try:
            yield file
        finally:
            file.close()


def read_rows(path: Path) -> list[Row]:
    """The rows of a file, as they stand there.

    Raises:
        UsageError: There is no such file.
        DatasetError: A line is no row.
    """
    try:
        lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    except OSError as error:
        raise UsageError(
            f"There are no rows at {path}.", hint="Make some: averment bench run NAME"
        ) from error
    return [_row(line, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()]


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write a file of rows; whole or not at all."""
    write_whole(path, "".join(row.dumps() + "\n" for row in rows))


def _row(line: str, where: str) -> Row:
    try:
        row: Row = from_plain(Row, json.loads(line))
    except (TypeError, ValueError) as error:
        raise DatasetError(
            f"{where} is no row of a run: {error}.",
            hint="Delete the line; its question is then asked again.",
        ) from error
    return row


def _repair(path: Path) -> None:
    """Cut off what a process that died has not finished writing."""
    if not path.exists():
        return
    with path.open("r+b") as stream:
        whole = stream.read()
        end = whole.rfind(b"\n") + 1
        if end == len(whole):
            return
        if _is_json(whole[end:]):  # only the end of the line was not written
            stream.write(b"\n")
        else:
            stream.truncate(end)


def _is_json(tail: bytes) -> bool:
    try:
        json.loads(tail)
    except ValueError:
        return False
    return True
