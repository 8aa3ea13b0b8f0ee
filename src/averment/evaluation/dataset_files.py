"""The records of one file of a data set, whatever they are written in.

JSON lines, a JSON array, a JSON map of records, CSV, TSV and Parquet, the first five also packed
by gzip. Data sets name their files as they please (TimeQA packs JSON lines as ``.json.gzip``), so
content decides what a file is, and only ``.csv`` and ``.tsv`` are taken at their word. A file is
read whole: an evaluation set is small beside a corpus.

What this module does not do: know what a field means (`averment.evaluation.dataset_fields`), or
repair anything.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

from averment.corpus.records import Unusable, decode
from averment.errors import DatasetError, MissingExtraError
from averment.evaluation.examples import SkippedRecord

_T = TypeVar("_T")

Fields: TypeAlias = Mapping[str, object]
"""A record: its fields by name."""

_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
_SEPARATORS = {".csv": ",", ".tsv": "\t"}


class NumberedRecord(NamedTuple):
    """What stands at a line (or, without lines, at which place), from 1."""

    line: int
    found: Fields | Unusable


@dataclass(frozen=True, slots=True)
class FileRecords:
    """The records of a file in order, and the SHA-256 of its bytes as they lie on disk."""

    name: str
    records: tuple[NumberedRecord, ...]
    digest: str

    def by_id(
        self, make: Callable[[Fields], tuple[str, _T]], skipped: list[SkippedRecord]
    ) -> dict[str, _T]:
        """What the records give, in order.

        Args:
            make: An id and a value of a record; raises `Unusable` where there are none.
            skipped: Gets the records that cannot be used or whose id was there before.
        """
        made: dict[str, _T] = {}
        for line, found in self.records:
            try:
                if isinstance(found, Unusable):
                    raise found
                key, value = make(found)
                if key in made:
                    raise Unusable(f"the id {key!r} was there before")
            except Unusable as reason:
                skipped.append(SkippedRecord(self.name, line, str(reason)))
            else:
                made[key] = value
        return made


def read_file(path: Path) -> FileRecords:
    """The records of a file.

    Args:
        path: A file; packed or not is seen from its first bytes.

    Raises:
        DatasetError: It cannot be opened or unpacked, or is neither JSON nor a table.
        MissingExtraError: It is Parquet, and pyarrow is not installed.
    """
    try:
        stored = path.read_bytes()
        content = gzip.decompress(stored) if stored.startswith(_GZIP) else stored
    except OSError as error:
        reason = error.strerror or str(error)  # a damaged gzip file is an OSError without an errno
        raise DatasetError(
            f"{path} cannot be read: {reason}.", hint="Name a file of the data set."
        ) from error
    except (EOFError, zlib.error) as error:
        raise DatasetError(
            f"{path} is damaged or cut short: {error}.", hint="Fetch it again."
        ) from error
    try:
        records = tuple(_records(content, path))
    except Unusable as reason:
        raise DatasetError(f"{path}: {reason}.") from reason
    return FileRecords(path.name, records, hashlib.sha256(stored).hexdigest())


def _records(content: bytes, path: Path) -> Iterator[NumberedRecord]:
    separators = [_SEPARATORS[suffix] for suffix in path.suffixes if suffix in _SEPARATORS]
    if content.startswith(_PARQUET):
        return _parquet_rows(content)
    if separators:
        return _table_rows(decode(content), separators[-1])
    return _json_records(content)


# --- JSON ---------------------------------------------------------------------------------------


def _json_records(content: bytes) -> Iterator[NumberedRecord]:
    lines = [(at, line) for at, line in enumerate(content.splitlines(), start=1) if line.strip()]
    if not lines:
        return
    is_lines = not lines[0][1].lstrip().startswith(b"[")
    if is_lines and (len(lines) == 1 or isinstance(_record(lines[0][1]), Unusable)):
        # A map on one line or over several; what is neither is told line by line.
        with contextlib.suppress(Unusable):
            is_lines = not isinstance(_parsed(content), dict)
    if is_lines:
        for at, line in lines:
            yield NumberedRecord(at, _record(line))
    else:
        for at, record in enumerate(_held(_parsed(content)), start=1):
            yield NumberedRecord(at, _object(record))


def _held(value: object) -> list[object]:
    """The records that a JSON value holds: a list, ``{"Data": [...]}``, a map by id, or itself."""
    if not isinstance(value, dict):
        return list(value) if isinstance(value, list) else [value]
    for name in ("Data", "data"):
        if isinstance(value.get(name), list):
            return list(value[name])
    if value and all(isinstance(record, dict) for record in value.values()):
        return [{"id": key, **record} for key, record in value.items()]
    return [value]


def _record(line: bytes) -> Fields | Unusable:
    try:
        return _object(_parsed(line))
    except Unusable as reason:
        return reason


def _parsed(content: bytes) -> object:
    try:
        return json.loads(decode(content))
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}"
        raise Unusable(f"invalid JSON: {error.msg} at {at}") from error
    except (ValueError, RecursionError) as error:  # a number without end; too deep
        raise Unusable(f"invalid JSON: {error}") from error


def _object(value: object) -> Fields | Unusable:
    if isinstance(value, dict):
        return value
    return Unusable(f"not a JSON object but {type(value).__name__}")


# --- tables -------------------------------------------------------------------------------------


def _table_rows(text: str, separator: str) -> Iterator[NumberedRecord]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    columns: list[str] | None = None
    while True:
        line = rows.line_num + 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield NumberedRecord(line, Unusable(f"invalid CSV: {error}"))
            continue
        if columns is None:
            columns = row
        elif row:
            yield NumberedRecord(line, _row(columns, row))


def _row(columns: list[str], row: list[str]) -> Fields | Unusable:
    if len(row) != len(columns):
        return Unusable(f"cells: {len(row)}, columns: {len(columns)}")
    return dict(zip(columns, row, strict=True))


def _parquet_rows(content: bytes) -> Iterator[NumberedRecord]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("Parquet files", "parquet") from error
    try:
        rows = parquet.read_table(pyarrow.BufferReader(content)).to_pylist()
    except pyarrow.ArrowException as error:
        raise Unusable(f"cannot be read as Parquet: {error}") from error
    for at, row in enumerate(rows, start=1):
        yield NumberedRecord(at, row)
