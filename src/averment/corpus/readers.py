"""From files to documents: one a text file, one a line of JSONL.

A record that cannot be used never ends a run: it is reported with file, line and reason, and the
next one is read. Text is kept as it stands, line ends included, since offsets point into it; only
a byte order mark is dropped. What this module does not do: guess encodings (UTF-8 or nothing),
repair JSON, decide whether bad records are tolerable (the caller's `on_bad` may raise).
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, NamedTuple, NoReturn

from averment.corpus.files import BadRecord, CorpusFile, list_files
from averment.types import Document

_HEADING = re.compile(r"^#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*\r?$", re.MULTILINE)
_YEAR_OR_MONTH = re.compile(r"\d{4}(-(0[1-9]|1[0-2]))?")
_FIELDS = ("text", "title", "date", "language", "source")


def read_documents(
    paths: Sequence[Path],
    *,
    on_bad: Callable[[BadRecord], None],
    on_bytes: Callable[[int, int], None] | None = None,
) -> Iterator[Document]:
    """The documents of files and directories, in a fixed order.

    ``.txt`` and ``.md`` are one document each, named by their path below the root given.
    ``.jsonl``, ``.jsonl.gz`` and ``.jsonl.zst`` hold one record a line: ``text``, and optionally
    ``id`` or ``_id``, ``title``, ``date`` (ISO 8601), ``language``, ``source``; all else is
    metadata. A record without an id is named ``path:line``.

    Args:
        paths: Files and directories.
        on_bad: Told of everything that is left out.
        on_bytes: Told (bytes consumed so far, bytes of all files) after each record; bytes as
            they lie on disk, so compressed ones of a compressed file.

    Raises:
        UsageError: A path does not exist.
    """
    found = list_files(paths)  # here, so that a missing path is known before the first document
    return _read_all(found, on_bad, on_bytes or _nobody_listens)


def _nobody_listens(n_read: int, n_total: int) -> None:
    """What `on_bytes` is when nobody wants to know."""


class _Unusable(Exception):
    """Why a record cannot be used."""


class _Read(NamedTuple):
    """What was found at a line (None: the whole file), and how far into the file that was."""

    line: int | None
    found: Document | _Unusable
    n_bytes: int


def _read_all(
    files: Sequence[CorpusFile | BadRecord],
    on_bad: Callable[[BadRecord], None],
    on_bytes: Callable[[int, int], None],
) -> Iterator[Document]:
    n_total = sum(file.n_bytes for file in files if isinstance(file, CorpusFile))
    n_before = 0
    first_places: dict[str, str] = {}
    for file in files:
        if isinstance(file, BadRecord):
            on_bad(file)
            continue
        for line, found, n_bytes in _read_file(file):
            on_bytes(n_before + n_bytes, n_total)
            if isinstance(found, _Unusable):
                on_bad(BadRecord(file.path, line, str(found)))
                continue
            place = str(file.path) if line is None else f"{file.path}:{line}"
            if found.document_id in first_places:
                first = first_places[found.document_id]
                reason = f"duplicate id {found.document_id!r}, first at {first}"
                on_bad(BadRecord(file.path, line, reason))
                continue
            first_places[found.document_id] = place
            yield found
        n_before += file.n_bytes
        on_bytes(n_before, n_total)


def _read_file(file: CorpusFile) -> Iterator[_Read]:
    read = _read_whole if file.suffix in (".txt", ".md") else _read_lines
    try:
        yield from read(file)
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
        yield _Read(None, _Unusable(reason), file.n_bytes)


def _read_whole(file: CorpusFile) -> Iterator[_Read]:
    found: Document | _Unusable
    try:
        text = _decode(file.path.read_bytes())
        title = file.path.stem
        if file.suffix == ".md" and (heading := _HEADING.search(text)):
            title = heading.group(1) or title
        found = Document(file.name, _not_empty(text), title=title)
    except _Unusable as reason:
        found = reason
    yield _Read(None, found, file.n_bytes)


def _read_lines(file: CorpusFile) -> Iterator[_Read]:
    number = 0
    with file.path.open("rb") as raw:
        lines, damage = _decompress(raw, file.suffix)
        try:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _Read(number, _read_record(line, number, file), raw.tell())
                if b"\0" in line:
                    return  # what follows in a binary file is no line either
        except damage as error:
            reason = _Unusable(f"damaged or cut short: {error}")
            yield _Read(number + 1, reason, file.n_bytes)


def _decompress(raw: IO[bytes], suffix: str) -> tuple[Iterable[bytes], tuple[type[Exception], ...]]:
    """The lines of a file, and the errors that mean it is damaged."""
    if suffix == ".jsonl.gz":
        return gzip.GzipFile(fileobj=raw), (EOFError, gzip.BadGzipFile, zlib.error)
    if suffix == ".jsonl.zst":
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        return zstd.ZstdFile(raw), (EOFError, zstd.ZstdError)
    return raw, ()


def _read_record(line: bytes, number: int, file: CorpusFile) -> Document | _Unusable:
    try:
        record = _parse(_decode(line.rstrip(b"\r\n")))
        if "text" not in record:
            raise _Unusable(f"no field 'text' (found: {', '.join(record) or 'nothing'})")
        id_field = "id" if "id" in record else "_id"
        document_id = record.get(id_field, f"{file.name}:{number}")
        if not isinstance(document_id, (str, int)) or isinstance(document_id, bool):
            raise _Unusable(f"{id_field!r} is neither a string nor a whole number")
        if document_id == "":
            raise _Unusable(f"{id_field!r} is empty")
        return Document(
            document_id=str(document_id),
            text=_not_empty(_string(record, "text")),
            title=_optional_string(record, "title") or "",
            source=_optional_string(record, "source") or "",
            date=_date(record),
            language=_optional_string(record, "language"),
            metadata={k: v for k, v in record.items() if k not in (id_field, *_FIELDS)},
        )
    except _Unusable as reason:
        return reason


def _decode(data: bytes) -> str:
    nul = data.find(b"\0")
    if nul >= 0:
        raise _Unusable(f"binary, not text: a NUL byte at byte {nul}")
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        byte = data[error.start]
        raise _Unusable(f"not UTF-8: 0x{byte:02x} at byte {error.start}") from error


def _parse(line: str) -> Mapping[str, object]:
    try:
        record = json.loads(line, parse_constant=_refuse_constant)
        if "\\ud" in line.lower():  # an escaped half of a surrogate pair is not a character
            json.dumps(record, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise _Unusable(f"invalid JSON: {error.msg} at column {error.colno}") from error
    except UnicodeEncodeError as error:
        raise _Unusable("invalid JSON: an escape that is half of a surrogate pair") from error
    except RecursionError as error:
        raise _Unusable("invalid JSON: nested too deeply") from error
    except ValueError as error:  # NaN and numbers without end
        raise _Unusable(f"invalid JSON: {error}") from error
    if not isinstance(record, dict):
        raise _Unusable(f"not a JSON object but {type(record).__name__}")
    return record


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _not_empty(text: str) -> str:
    if not text.strip():
        raise _Unusable("empty text")
    return text


def _string(record: Mapping[str, object], field: str) -> str:
    value = record[field]
    if not isinstance(value, str):
        raise _Unusable(f"{field!r} is not a string but {type(value).__name__}")
    return value


def _optional_string(record: Mapping[str, object], field: str) -> str | None:
    return None if record.get(field) is None else _string(record, field)


def _date(record: Mapping[str, object]) -> str | None:
    date = _optional_string(record, "date")
    if date is None or _YEAR_OR_MONTH.fullmatch(date):
        return date
    try:
        datetime.fromisoformat(date)
    except ValueError as error:
        raise _Unusable(f"'date' is not ISO 8601: {date!r}") from error
    return date
