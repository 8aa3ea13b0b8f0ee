"""The rows of a file, one by one: JSONL, also as .gz or .zst, and Parquet.

A row that cannot be read is told as such, and the next one comes. A file is told again by a digest
of what has been read of it, so that a run that goes on knows that it reads the same rows.
What this module does not do: know what a field means, repair a row.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from averment.corpus.lines import cut_short, decompressed, parsed_object
from averment.corpus.records import Unusable, damaged, decode
from averment.errors import DatasetError, MissingExtraError, UsageError

_PEEKED_ROWS = 100
_LONGEST_LINE_BYTES = 2**26
_TOO_LONG = Unusable("longer than 64 MiB")
_PARQUET_ROWS = 512
_SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet")


class InputRow(NamedTuple):
    """A row, its line or number from 1, and the line as it stands there (Parquet: nothing)."""

    line: int
    row: Mapping[str, object] | Unusable
    raw: str = ""


class Source(Protocol):
    """A file of rows."""

    path: Path

    def names(self) -> list[str]:
        """The fields that rows have."""
        ...

    def rows(self, fields: Sequence[str]) -> Iterator[InputRow]:
        """All rows from the first; of Parquet with these fields only."""
        ...

    @property
    def digest(self) -> str:
        """Of what `rows` has given so far, or of the whole file."""
        ...

    @property
    def share_read(self) -> float:
        """How much of the file `rows` has given, in [0, 1]."""
        ...


def open_source(path: Path) -> Source:
    """A file of rows.

    Raises:
        UsageError: There is no such file, or it is of another type.
        MissingExtraError: It is Parquet, and pyarrow is not installed.
    """
    if not path.is_file():
        raise UsageError(f"{path} is no file.", hint="Name a file of rows: data.jsonl")
    name = path.name.lower()
    suffix = next((each for each in _SUFFIXES if name.endswith(each)), None)
    if suffix is None:
        raise UsageError(
            f"{path.name} is not of a type that is read.", hint=f"Read are {', '.join(_SUFFIXES)}."
        )
    return ParquetSource(path) if suffix == ".parquet" else JsonlSource(path, suffix)


class JsonlSource:
    """A file with a JSON object on each line; blank lines are no rows.

    Args:
        path: The file.
        suffix: ``.jsonl``, with ``.gz`` or ``.zst`` where it is compressed.
    """

    def __init__(self, path: Path, suffix: str) -> None:
        self.path = path
        self._suffix = suffix
        self._given = hashlib.sha256()
        self._n_bytes = max(path.stat().st_size, 1)
        self._read_bytes = 0

    def names(self) -> list[str]:
        """The fields of the first rows.

        Raises:
            UsageError: There is no row, or none of them can be read.
        """
        peeked = list(islice(self.rows(()), _PEEKED_ROWS))
        read = [row for _, row, _ in peeked if isinstance(row, Mapping)]
        if not read:
            why = f"line {peeked[0].line} is {peeked[0].row}" if peeked else "it is empty"
            raise UsageError(
                f"{self.path} has no row that can be read: {why}.",
                hint="Expected is one JSON object a line, packed as the name of the file says.",
            )
        return list(dict.fromkeys(name for row in read for name in row))

    def rows(self, fields: Sequence[str]) -> Iterator[InputRow]:
        """All rows, from the first, with all of their fields."""
        read = hashlib.sha256()
        self._given, self._read_bytes = read.copy(), 0
        number = 0
        with self.path.open("rb") as raw:
            lines, damage = decompressed(raw, self._suffix)
            try:
                while line := lines.readline(_LONGEST_LINE_BYTES):
                    number += 1
                    read.update(line)
                    self._read_bytes = raw.tell()
                    if not line.strip():
                        continue
                    is_long = len(line) == _LONGEST_LINE_BYTES and not line.endswith(b"\n")
                    while is_long and line and not line.endswith(b"\n"):
                        line = lines.readline(_LONGEST_LINE_BYTES)
                        read.update(line)
                    self._given = read.copy()  # without the blank lines that may follow
                    yield InputRow(number, _TOO_LONG) if is_long else _row(number, line)
            except damage as error:
                yield InputRow(number + 1, cut_short(error))

    @property
    def digest(self) -> str:
        """Of the bytes up to the last row that was given."""
        return self._given.hexdigest()

    @property
    def share_read(self) -> float:
        """Of the bytes on disk."""
        return self._read_bytes / self._n_bytes


def _row(number: int, line: bytes) -> InputRow:
    raw = ""
    try:
        raw = decode(line.rstrip(b"\r\n"))
        return InputRow(number, parsed_object(raw), raw)
    except Unusable as reason:
        return InputRow(number, reason, raw or line.decode("utf-8", "backslashreplace"))


class ParquetSource:
    """A Parquet file; its values are read where they are asked for, the others stay as they are.

    Args:
        path: The file.

    Raises:
        MissingExtraError: pyarrow is not installed.
        DatasetError: It is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._digest = ""
        self._n_read = 0
        self._n_rows = 1
        with self._opened() as parquet:
            self._n_rows = max(int(parquet.metadata.num_rows), 1)
            self._names = list(parquet.schema_arrow.names)

    def names(self) -> list[str]:
        """The columns."""
        return self._names

    def rows(self, fields: Sequence[str]) -> Iterator[InputRow]:
        """All rows, with these columns."""
        self._n_read = 0
        for batch in self.batches(columns=list(fields)):
            for row in _plain_rows(batch):
                self._n_read += 1
                yield InputRow(self._n_read, row)

    def batches(self, columns: list[str] | None = None) -> Iterator[Any]:
        """The file as record batches of Arrow, in order.

        Args:
            columns: Those to read; None: all.

        Raises:
            DatasetError: It is damaged.
        """
        from pyarrow import ArrowException

        with self._opened() as parquet:
            try:
                yield from parquet.iter_batches(_PARQUET_ROWS, columns=columns)
            except (ArrowException, OSError) as error:
                raise _damaged(self.path, error) from error

    def _opened(self) -> Any:
        try:
            from pyarrow import ArrowException
            from pyarrow.parquet import ParquetFile
        except ModuleNotFoundError as error:
            raise MissingExtraError("Parquet files", "parquet") from error
        try:
            return ParquetFile(self.path)
        except (ArrowException, OSError) as error:
            raise _damaged(self.path, error) from error

    @property
    def digest(self) -> str:
        """Of the whole file."""
        if not self._digest:
            with self.path.open("rb") as stream:
                self._digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return self._digest

    @property
    def share_read(self) -> float:
        """Of the rows."""
        return self._n_read / self._n_rows


def _plain_rows(batch: Any) -> Iterator[Mapping[str, object] | Unusable]:
    """The rows of a batch as Python has them."""
    try:
        yield from batch.to_pylist()
    except ValueError:  # one of them is not UTF-8, or holds a date that Python does not have
        for at in range(batch.num_rows):
            try:
                yield batch.slice(at, 1).to_pylist()[0]
            except ValueError as error:
                yield damaged("Parquet", error)


def _damaged(path: Path, error: Exception) -> DatasetError:
    return DatasetError(f"{path} cannot be read as Parquet: {str(error).partition(chr(10))[0]}.")
