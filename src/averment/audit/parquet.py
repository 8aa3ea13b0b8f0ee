"""Records for others as columns: a Parquet file, one row a record.

The file verifies by itself: `by`, `contents` (the hash of each by its name), `facts`, `format`,
`kind`, `previous`, `seq`, `time` and `versions` are the fields of the record, and its canonical
JSON (RFC 8785) has the SHA-256 `sha256`. Facts differ from kind to kind, so they are one column of
canonical JSON. A text that is not there is null, with why in `reason`.

Rows are written in groups of some megabytes, and no more than one group is held. What this module
does not do: verify, or decide which records are exported.

Needs the extra [parquet]; pyarrow is imported when the first file is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from averment.audit.canonical import canonical
from averment.audit.chain import Record
from averment.audit.export import export_row
from averment.audit.reading import LedgerReader
from averment.errors import LedgerFormatError, MissingExtraError

ERASED, LEFT_OUT, MISSING = "erased", "left_out", "missing"
"""Why there is no text: `erasure` is the record that says so; it was exported without texts; it is
neither there nor erased on record, which a verification tells as well."""
_GROUP_ROWS = 2_000
_GROUP_CHARACTERS = 8_000_000


def write_parquet(
    path: Path, reader: LedgerReader, records: Iterator[Record], *, with_contents: bool
) -> int:
    """Write records as a Parquet file.

    Args:
        path: The file; it is not whole until this returns.
        reader: Of the ledger.
        records: Which.
        with_contents: With their texts.

    Returns:
        How many.

    Raises:
        MissingExtraError: pyarrow is not installed.
        LedgerFormatError: A record or content was altered.
    """
    try:
        from pyarrow import ArrowException, Table
        from pyarrow.parquet import ParquetWriter
    except ModuleNotFoundError as error:
        raise MissingExtraError("Parquet files", "parquet") from error
    schema = _schema()
    erasures = reader.erasures()
    rows = (
        _row(export_row(reader, record, with_contents=with_contents), erasures)
        for record in records
    )
    n_records = 0
    # Of texts none: the footer, held to the end, would have the smallest and largest of each group.
    statistics = ["seq", "time", "kind", "by"]
    with ParquetWriter(path, schema, compression="zstd", write_statistics=statistics) as writer:
        for group in _groups(rows):
            try:
                table = Table.from_pylist(group, schema=schema)
            except (ArrowException, TypeError) as error:
                raise LedgerFormatError(
                    f"Records {group[0]['seq']} to {group[-1]['seq']} of the ledger {reader.path} "
                    f"do not fit into columns: {error}.",
                    hint="Write lines instead: --format jsonl",
                ) from error
            writer.write_table(table)
            n_records += len(group)
    return n_records


def _schema() -> Any:
    import pyarrow as pa

    text = pa.string()

    def field(name: str, kind: Any = text) -> Any:
        return pa.field(name, kind, nullable=False)

    content = [
        field("name"),
        field("sha256"),
        pa.field("salt", text),  # 32 bytes in hexadecimal digits
        pa.field("text", text),
        pa.field("reason", text),
        pa.field("erasure", pa.int64()),
    ]
    return pa.schema(
        [
            field("seq", pa.int64()),
            field("previous"),
            field("sha256"),
            field("time"),
            field("kind"),
            pa.field("by", text),
            field("facts"),
            field("contents", pa.list_(field("item", pa.struct(content)))),
            field("versions", pa.map_(text, text)),
            field("format", pa.int32()),
        ],
        metadata={"averment": "audit-export 1"},
    )


def _row(exported: dict[str, Any], erasures: dict[int, int]) -> dict[str, Any]:
    """A record as columns.

    Args:
        exported: As it is exported as JSON.
        erasures: Of records whose contents were erased, the record that says so.
    """
    record, contents = exported["record"], exported["contents"]
    erasure = erasures.get(record["seq"])
    absent = {"reason": MISSING if erasure is None else ERASED, "erasure": erasure}
    if contents is None:
        contents, absent = {}, {"reason": LEFT_OUT}
    return {
        **record,
        "sha256": exported["sha256"],
        "facts": canonical(record["facts"]).decode(),
        "contents": [
            {"name": name, "sha256": digest, **(contents.get(name) or absent)}
            for name, digest in record["contents"].items()
        ],
        "versions": list(record["versions"].items()),
    }


def _groups(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Rows in groups that are no larger than need be."""
    group: list[dict[str, Any]] = []
    n_characters = 0
    for row in rows:
        group.append(row)
        n_characters += len(row["facts"])
        n_characters += sum(len(content.get("text") or "") for content in row["contents"])
        if len(group) == _GROUP_ROWS or n_characters >= _GROUP_CHARACTERS:
            yield group
            group, n_characters = [], 0
    if group:
        yield group
