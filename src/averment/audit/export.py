"""Records for others: JSON, one line a record, as the published schema has it.

Whoever has such a file can verify it without averment and without trusting us: `record` in
canonical JSON (RFC 8785) has the SHA-256 `sha256`, each record names that of the one before it, and
SHA-256 over the salt and the text of a content is the hash that the record has of it. The same in
columns is `parquet`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from typing import Any, TextIO

from averment.audit.canonical import read_canonical
from averment.audit.chain import Record
from averment.audit.reading import LedgerReader

SCHEMA_FILE = "export.schema.json"


def schema_text() -> str:
    """The JSON Schema of a line."""
    return (resources.files("averment.audit") / SCHEMA_FILE).read_text(encoding="utf-8")


def export_row(reader: LedgerReader, record: Record, *, with_contents: bool) -> dict[str, Any]:
    """A record as it is exported.

    Args:
        reader: Of the ledger.
        record: The record.
        with_contents: With its texts; without, they are left out and `contents` is null.

    Raises:
        LedgerFormatError: A content was altered.
    """
    row: dict[str, Any] = {"record": read_canonical(record.body), "sha256": record.digest}
    if not with_contents:
        return {**row, "contents": None}
    salt = reader.salt(record)
    kept = reader.contents(record)
    contents = {
        name: {"salt": salt.hex(), "text": kept[name]} if salt and name in kept else None
        for name in record.contents
    }
    return {**row, "contents": contents}


def write_lines(
    target: TextIO, reader: LedgerReader, records: Iterator[Record], *, with_contents: bool
) -> int:
    """Write records as JSON, one a line.

    Args:
        target: Where.
        reader: Of the ledger.
        records: Which.
        with_contents: With their texts.

    Returns:
        How many.

    Raises:
        LedgerFormatError: A content was altered.
    """
    n_records = 0
    for record in records:
        row = export_row(reader, record, with_contents=with_contents)
        target.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
        n_records += 1
    return n_records
