"""Records in text files: JSONL, CSV and TSV, as they are or compressed.

Each is read line by line, never as a whole. A record that cannot be used is told with its line
and the next one is read. What this module does not do: guess a separator or an encoding (UTF-8 or
nothing), repair JSON or CSV.
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from io import BufferedIOBase, BufferedReader, TextIOWrapper
from typing import IO, NoReturn, cast

from averment.corpus.files import CorpusFile, LineSpan
from averment.corpus.records import Read, Unusable, decode, document_of
from averment.types import Document

_LONGEST_CELL = 2**26  # characters; what a quote that is never closed may take up of the memory


def read_jsonl(file: CorpusFile) -> Iterator[Read]:
    """The records of a file with a JSON object on each line."""
    span = file.lines or LineSpan(0, sys.maxsize, 1)
    number = span.first_line - 1
    with file.path.open("rb") as raw:
        raw.seek(span.start)
        lines, damage = decompressed(raw, file.suffix)
        try:
            for number, line in enumerate(lines, start=span.first_line):
                if line.strip():
                    found = _line_document(line, number, file)
                    yield Read(number, found, raw.tell() - span.start)
                if b"\0" in line or raw.tell() >= span.end:
                    return  # what follows in a binary file is no line either
        except damage as error:
            yield Read(number + 1, cut_short(error), file.n_bytes)


def read_csv(file: CorpusFile) -> Iterator[Read]:
    """The records of a file whose first row names the columns.

    Cells without text are as if they were not there, and so are columns without a name. Rows are
    separated by commas, in ``.tsv`` by tabs; a cell may hold both and line ends between quotes.
    """
    columns: Sequence[str] | None = None
    with file.path.open("rb") as raw:
        for line, row in _rows(raw, file.suffix):
            if columns is None:
                try:
                    columns = _columns(row)
                except Unusable as reason:
                    yield Read(line, reason, file.n_bytes)
                    return
            else:
                default_id = f"{file.name}:{line}"
                yield Read(line, _row_document(columns, row, default_id), raw.tell())
    if columns is None:
        yield Read(None, Unusable("no header row"), file.n_bytes)


def decompressed(
    raw: BufferedReader, suffix: str
) -> tuple[BufferedIOBase, tuple[type[Exception], ...]]:
    """The content of a file, and the errors that mean it is damaged.

    Args:
        raw: The file.
        suffix: Its suffix; ``.gz`` and ``.zst`` are taken apart.
    """
    if suffix.endswith(".gz"):
        return gzip.GzipFile(fileobj=raw), (EOFError, gzip.BadGzipFile, zlib.error)
    if suffix.endswith(".zst"):
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        return zstd.ZstdFile(raw), (EOFError, zstd.ZstdError)
    return raw, ()


def cut_short(error: Exception) -> Unusable:
    """Why nothing follows in a file."""
    return Unusable(f"damaged or cut short: {error}")


# --- JSONL ---------------------------------------------------------------------------------------


def _line_document(line: bytes, number: int, file: CorpusFile) -> Document | Unusable:
    try:
        return document_of(parsed_object(decode(line.rstrip(b"\r\n"))), f"{file.name}:{number}")
    except Unusable as reason:
        return reason


def parsed_object(line: str) -> Mapping[str, object]:
    """The JSON object on a line.

    Raises:
        Unusable: It holds something else.
    """
    try:
        record = json.loads(line, parse_constant=_refuse_constant)
        if "\\ud" in line.lower():  # an escaped half of a surrogate pair is not a character
            json.dumps(record, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise Unusable(f"invalid JSON: {error.msg} at column {error.colno}") from error
    except UnicodeEncodeError as error:
        raise Unusable("invalid JSON: an escape that is half of a surrogate pair") from error
    except RecursionError as error:
        raise Unusable("invalid JSON: nested too deeply") from error
    except ValueError as error:  # NaN and numbers without end
        raise Unusable(f"invalid JSON: {error}") from error
    if not isinstance(record, dict):
        raise Unusable(f"not a JSON object but {type(record).__name__}")
    return record


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


# --- CSV and TSV ---------------------------------------------------------------------------------


def _rows(raw: BufferedReader, suffix: str) -> Iterator[tuple[int, list[str] | Unusable]]:
    """Each row that is not blank with the line on which it starts."""
    stream, damage = decompressed(raw, suffix)
    content = cast("IO[bytes]", stream)
    # What is not UTF-8 is carried along as surrogates, so that only its own row is lost.
    with TextIOWrapper(content, "utf-8-sig", errors="surrogateescape", newline="") as text:
        rows = csv.reader(text, delimiter="\t" if suffix.startswith(".tsv") else ",", strict=True)
        while True:
            line = rows.line_num + 1
            try:
                row = _next_row(rows)
            except StopIteration:
                return
            except csv.Error as error:
                yield line, Unusable(f"invalid CSV: {error}")
                continue
            except damage as error:
                yield line, cut_short(error)
                return
            if any("\0" in cell for cell in row):
                yield line, Unusable("binary, not text: a NUL byte")
                return  # what follows in a binary file is no row either
            if row:
                yield line, row


def _next_row(rows: Iterator[list[str]]) -> list[str]:
    """The next row; the limit belongs to the process, so it is put back."""
    limit = csv.field_size_limit(_LONGEST_CELL)
    try:
        return next(rows)
    finally:
        csv.field_size_limit(limit)


def _columns(header: list[str] | Unusable) -> Sequence[str]:
    """The names of the columns, in order."""
    names = _valid(header)
    for name in names:
        if name and names.count(name) > 1:
            raise Unusable(f"two columns are named {name!r}")
    if "text" not in names:
        raise Unusable(f"no column 'text' (found: {', '.join(filter(None, names)) or 'nothing'})")
    return names


def _row_document(
    columns: Sequence[str], row: list[str] | Unusable, default_id: str
) -> Document | Unusable:
    try:
        cells = _valid(row)
        if len(cells) != len(columns):
            raise Unusable(f"cells: {len(cells)}, columns: {len(columns)}")
        named = {name: cell for name, cell in zip(columns, cells, strict=True) if name}
        required = ("text", "id", "_id")
        return document_of({n: c for n, c in named.items() if c or n in required}, default_id)
    except Unusable as reason:
        return reason


def _valid(row: list[str] | Unusable) -> list[str]:
    if isinstance(row, Unusable):
        raise row
    try:
        "".join(row).encode()
    except UnicodeEncodeError as error:
        byte = ord(error.object[error.start]) - 0xDC00
        raise Unusable(f"not UTF-8: 0x{byte:02x}") from error
    return row
