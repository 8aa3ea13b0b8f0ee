"""What every reader shares: the fields of a record, and why one cannot be used.

The rules are the same for a line of JSONL, a row of CSV and a row of Parquet; readers only bring
the fields. What this module does not do: open or parse a file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from averment.types import Document

FIELDS = ("text", "title", "date", "language", "source")
"""The fields with a meaning, beside the id; all others are metadata."""

_YEAR_OR_MONTH = re.compile(r"\d{4}(-(0[1-9]|1[0-2]))?")


class Unusable(Exception):
    """Why a record or a file cannot be used."""


class Partly(NamedTuple):
    """A document of which a part cannot be used, and why that cannot."""

    document: Document
    missing: Unusable


class Read(NamedTuple):
    """What was found at a line or row (None: the whole file), and how far into the file it was."""

    line: int | None
    found: Document | Unusable
    n_bytes: int


def decode(data: bytes, encoding: str = "utf-8") -> str:
    """The text of bytes, without a byte order mark.

    Raises:
        Unusable: They are binary, or not in this encoding.
    """
    nul = data.find(b"\0")
    if nul >= 0:
        raise Unusable(f"binary, not text: a NUL byte at byte {nul}")
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        byte = data[error.start]
        name = encoding.upper()
        raise Unusable(f"not {name}: 0x{byte:02x} at byte {error.start}") from error


def damaged(kind: str, error: Exception) -> Unusable:
    """What there is to say of a file whose parser gave up."""
    if isinstance(error, RecursionError):
        return Unusable(f"cannot be read as {kind}: nested too deeply")
    said = str(error).partition("\n")[0][:200] or type(error).__name__
    return Unusable(f"cannot be read as {kind}: {said}")


def not_empty(text: str) -> str:
    """The text itself.

    Raises:
        Unusable: It is blank.
    """
    if not text.strip():
        raise Unusable("empty text")
    return text


def id_field(fields: Mapping[str, object]) -> str:
    """The field that names a record: ``id`` where there is one, otherwise ``_id``."""
    return "id" if "id" in fields else "_id"


def document_of(record: Mapping[str, object], default_id: str) -> Document:
    """The document of a record; its title is the first line of its text.

    Most records keep their subject in ``title`` alone ("He was born in …"), and what is not in the
    text is neither counted nor near to anything. A text that begins with its title stays as it is.

    Args:
        record: Its fields by name.
        default_id: Its id if it has none of its own.

    Raises:
        Unusable: A field is missing, empty or of the wrong type.
    """
    if "text" not in record:
        raise Unusable(f"no field 'text' (found: {', '.join(record) or 'nothing'})")
    key = id_field(record)
    document_id = record.get(key, default_id)
    if not isinstance(document_id, (str, int)) or isinstance(document_id, bool):
        raise Unusable(f"{key!r} is neither a string nor a whole number")
    if document_id == "":
        raise Unusable(f"{key!r} is empty")
    text = not_empty(_string(record, "text"))
    title = _optional_string(record, "title") or ""
    return Document(
        document_id=str(document_id),
        text=text if _begins_with(text, title) else f"{title}\n\n{text}",
        title=title,
        source=_optional_string(record, "source") or "",
        date=_date(record),
        language=_optional_string(record, "language"),
        metadata={name: value for name, value in record.items() if name not in (key, *FIELDS)},
    )


def _begins_with(text: str, title: str) -> bool:
    return text.lstrip().casefold().startswith(title.strip().casefold())


def _string(record: Mapping[str, object], field: str) -> str:
    value = record[field]
    if not isinstance(value, str):
        raise Unusable(f"{field!r} is not a string but {type(value).__name__}")
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
        raise Unusable(f"'date' is not ISO 8601: {date!r}") from error
    return date
