"""What a run leaves in its folder, so that it can be killed at any time and goes on.

    filter.json        what the run is, and how far it has got: replaced as a whole, last of all
    kept.jsonl, rejected.jsonl        the rows, each with one column more
    kept.parquet, rejected.parquet    the same of a Parquet file, written at the end
    columns.jsonl      of a Parquet file the new column alone, until then
    report.json        sums over all rows, written at the end

Rows are on the disk before `filter.json` says so. What a killed run wrote after that is cut off,
and these rows are filtered again: so there are no half rows, and none twice. A folder is of one
input and one way to filter. What this module does not do: decide where a row goes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from averment.errors import DatasetError, UsageError
from averment.filtering import columns
from averment.filtering.fields import COLUMN
from averment.filtering.reading import InputRow
from averment.filtering.tally import Tally
from averment.index.lock import exclusive

JOURNAL = "filter.json"
KEPT, REJECTED, COLUMNS = "kept.jsonl", "rejected.jsonl", "columns.jsonl"
REPORT = "report.json"
ROWS = (KEPT, REJECTED, COLUMNS, columns.KEPT, columns.REJECTED)
FILES = (JOURNAL, *ROWS, REPORT)
_FORMAT = 1
_MOST_RAW_CHARACTERS = 10_000
_BLANK, _COLON, _COMMA = re.compile(r"\s*"), re.compile(r"\s*:\s*"), re.compile(r"\s*,?")
_DECODER = json.JSONDecoder()
_ANOTHER = "Name another folder with -o, or delete this one to begin anew."


@dataclass
class Progress:
    """How far a run has got.

    Args:
        settings: What makes it this run and no other.
        line: The line (Parquet: row number) of the last row that is done; 0: none.
        input_digest: Of the input up to there (Parquet: of all of it).
        n_bytes: Of each file, as far as rows are done.
        tally: Of the rows that are done.
    """

    settings: Mapping[str, Any]
    line: int = 0
    input_digest: str = ""
    n_bytes: dict[str, int] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)


class Output:
    """The files of a run; made by `open_output`.

    Args:
        folder: Where they are.
        progress: How far it has got.
        streams: By file name, open for appending.
    """

    def __init__(self, folder: Path, progress: Progress, streams: Mapping[str, IO[bytes]]) -> None:
        self.folder = folder
        self.progress = progress
        self._streams = streams

    def write(self, row: InputRow, column: Mapping[str, Any]) -> None:
        """Put a row where it belongs; it is on the disk after the next `commit`."""
        if COLUMNS in self._streams:
            name, line = COLUMNS, _dumps(column)
        else:
            name = KEPT if column["verdict"] == "keep" else REJECTED
            line = with_column(row, column)
        self._streams[name].write(line.encode("utf-8", "backslashreplace") + b"\n")

    def commit(self, line: int, input_digest: str) -> None:
        """Make the rows up to a line of the input last."""
        for name, stream in self._streams.items():
            stream.flush()
            os.fsync(stream.fileno())
            self.progress.n_bytes[name] = stream.tell()
        self.progress.line, self.progress.input_digest = line, input_digest
        write_synced(self.folder / JOURNAL, _dumps(_plain(self.progress)) + "\n")


@contextmanager
def open_output(
    folder: Path, settings: Mapping[str, Any], *, columns_only: bool
) -> Iterator[Output]:
    """The files of a run, new or as far as an earlier one has got.

    Args:
        folder: Is made if it is not there.
        settings: What makes it this run.
        columns_only: Write the new column alone (Parquet).

    Raises:
        UsageError: The folder holds something else, or a run with other settings.
        DatasetError: A file of the run is shorter than it was.
        IndexUnavailable: Another process writes there.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is no folder.", hint="Name one that is to be made: -o kept/")
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        stack.enter_context(exclusive(folder, what="filtered rows"))
        progress = _earlier(folder, settings)
        streams = {}
        for name in (COLUMNS,) if columns_only else (KEPT, REJECTED):
            stream = stack.enter_context((folder / name).open("ab"))
            _cut_off(stream, folder / name, progress.n_bytes.get(name, 0))
            streams[name] = stream
        output = Output(folder, progress, streams)
        if not progress.line:  # before the first rows, so that a run killed among them goes on too
            output.commit(0, "")
        yield output


def _earlier(folder: Path, settings: Mapping[str, Any]) -> Progress:
    path = folder / JOURNAL
    if not path.exists():
        others = [name for name in (*ROWS, REPORT) if (folder / name).exists()]
        if any((folder / name).stat().st_size for name in others):
            raise UsageError(
                f"{folder} holds {others[0]}, but no {JOURNAL} that says what it is.",
                hint=_ANOTHER,
            )
        return Progress(settings)
    try:
        made = json.loads(path.read_text(encoding="utf-8"))
        if made["format"] != _FORMAT:
            raise UsageError(f"{path} is of another averment (format {made['format']}).")
        tally = Tally.from_json(made["tally"])
        progress = Progress(
            made["settings"], made["line"], made["input_digest"], made["n_bytes"], tally
        )
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} cannot be read: {error!r}.", hint=_ANOTHER) from error
    before = progress.settings
    for name in dict.fromkeys([*before, *settings]):
        if before.get(name) != settings.get(name):
            raise UsageError(
                f"{folder} holds rows that were filtered otherwise: {name} was "
                f"{before.get(name)!r} and is now {settings.get(name)!r}.",
                hint=_ANOTHER,
            )
    return progress


def _cut_off(stream: IO[bytes], path: Path, n_bytes: int) -> None:
    if stream.tell() < n_bytes:
        raise DatasetError(
            f"{path} has {stream.tell():,} bytes, but {n_bytes:,} were written.", hint=_ANOTHER
        )
    stream.truncate(n_bytes)
    stream.seek(n_bytes)


def with_column(row: InputRow, column: Mapping[str, Any]) -> str:
    """The line of a row with one column more; what stands in it stays as it was written.

    A line that could not be read is told as ``{"line": …, "raw": …}``; of a very long one the
    beginning.
    """
    told = _dumps(column)
    if not isinstance(row.row, Mapping):
        raw = row.raw[:_MOST_RAW_CHARACTERS]
        return _dumps({"line": row.line, "raw": raw, COLUMN: column})
    if COLUMN in row.row:  # filtered before: the new column takes the place of the old one
        members = [*_other_members(row.raw), f'"{COLUMN}": {told}']
        return f"{{{', '.join(members)}}}"
    body = row.raw.rstrip()[:-1].rstrip()
    comma = ", " if row.row else ""
    return f'{body}{comma}"{COLUMN}": {told}}}'


def _other_members(raw: str) -> Iterator[str]:
    """The members of an object as they are written, without the column of an earlier run."""
    at = raw.index("{") + 1
    while raw[start := _past(_BLANK, raw, at)] != "}":
        name, end = _DECODER.raw_decode(raw, start)
        _, end = _DECODER.raw_decode(raw, _past(_COLON, raw, end))
        if name != COLUMN:
            yield raw[start:end]
        at = _past(_COMMA, raw, end)


def _past(pattern: re.Pattern[str], raw: str, at: int) -> int:
    found = pattern.match(raw, at)
    assert found is not None
    return found.end()


def write_synced(path: Path, text: str) -> None:
    """Replace a file as a whole; it is on the disk when this returns."""
    staged = path.with_name(path.name + ".partial")
    with staged.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    staged.replace(path)


def _plain(progress: Progress) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "settings": dict(progress.settings),
        "line": progress.line,
        "input_digest": progress.input_digest,
        "n_bytes": progress.n_bytes,
        "tally": progress.tally.to_json(),
    }


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
