"""Records in Parquet files: a batch of rows at a time, by the rules of all records.

Columns that JSON cannot hold (bytes, decimals, durations) are not read, unless one of the fields
with a meaning is among them: then the file is told as unusable. What this module does not do:
partitioned data sets, encrypted files.

Needs the extra [parquet]; pyarrow is imported when the first file is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any

from averment.corpus.files import CorpusFile
from averment.corpus.records import FIELDS, Read, Unusable, damaged, document_of, id_field
from averment.errors import MissingExtraError
from averment.types import Document

_BATCH_ROWS = 128  # one short value on disk can stand for as many long ones in memory


def read_parquet(file: CorpusFile) -> Iterator[Read]:
    """The records of a Parquet file; rows are counted from 1.

    Dates and timestamps become ISO 8601 (with ``+00:00`` where the column has a time zone).

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ModuleNotFoundError as error:
        raise MissingExtraError("Parquet files", "parquet") from error
    number = 0
    with file.path.open("rb") as raw:
        try:
            parquet = ParquetFile(raw)
            columns = _columns(parquet.schema_arrow)
            n_rows = max(parquet.metadata.num_rows, 1)
            for batch in parquet.iter_batches(_BATCH_ROWS, columns=columns):
                for found in _documents(batch, file, number):
                    number += 1
                    yield Read(number, found, file.n_bytes * min(number, n_rows) // n_rows)
        except Unusable as reason:
            yield Read(None, reason, file.n_bytes)
        except (ArrowException, OSError) as error:
            yield Read(number + 1 if number else None, damaged("Parquet", error), file.n_bytes)


def _columns(schema: Any) -> list[str]:
    """The columns to read.

    Raises:
        Unusable: There is no text, or a field is of a type that it cannot be.
    """
    types = dict(zip(schema.names, schema.types, strict=True))
    if len(types) < len(schema.names):
        raise Unusable("two columns have one name")
    if "text" not in types:
        raise Unusable(f"no column 'text' (found: {', '.join(types) or 'nothing'})")
    from pyarrow.types import is_date, is_integer, is_null, is_timestamp

    allowed: dict[str, tuple[str, tuple[Callable[[Any], bool], ...]]] = {
        **dict.fromkeys(FIELDS, ("strings", (_is_text, is_null))),
        "text": ("strings", (_is_text,)),
        "date": ("strings or dates", (_is_text, is_null, is_date, is_timestamp)),
        id_field(types): ("strings or whole numbers", (_is_text, is_integer)),
    }
    for name, (expected, tests) in allowed.items():
        if name in types and not any(test(types[name]) for test in tests):
            raise Unusable(f"column {name!r} is not of {expected} but {types[name]}")
    readable = (_fits_json, is_date, is_timestamp)
    return [n for n, kind in types.items() if n in allowed or any(test(kind) for test in readable)]


def _is_text(kind: Any) -> bool:
    from pyarrow.types import is_dictionary, is_large_string, is_string, is_string_view

    value = kind.value_type if is_dictionary(kind) else kind
    return bool(is_string(value) or is_large_string(value) or is_string_view(value))


def _fits_json(kind: Any) -> bool:
    """Whether values of a type are strings, numbers, truth values, or made of such."""
    from pyarrow import types

    if types.is_nested(kind):
        parts = [kind.field(at).type for at in range(kind.num_fields)]
        return not types.is_union(kind) and all(_fits_json(part) for part in parts)
    if types.is_dictionary(kind):
        return _fits_json(kind.value_type)
    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_null)
    return _is_text(kind) or any(test(kind) for test in tests)


def _documents(batch: Any, file: CorpusFile, n_before: int) -> Iterator[Document | Unusable]:
    columns = {
        name: _in_microseconds(column)
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    }
    for at in range(batch.num_rows):
        try:
            row = {name: _plain(column[at].as_py()) for name, column in columns.items()}
            yield document_of(_with_json(row), f"{file.name}:{n_before + at + 1}")
        except Unusable as reason:
            yield reason
        except UnicodeDecodeError:
            yield Unusable("not UTF-8")
        except (ValueError, OverflowError) as error:  # a date before year 1 or after 9999
            yield damaged("Parquet", error)


def _in_microseconds(column: Any) -> Any:
    """Timestamps as Python has them: no nanoseconds, and UTC for those with a time zone."""
    import pyarrow

    if not pyarrow.types.is_timestamp(column.type):
        return column
    zone = "UTC" if column.type.tz else None
    return column.cast(pyarrow.timestamp("us", zone), safe=False)


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value


def _with_json(row: Mapping[str, object]) -> dict[str, object]:
    """A row without the metadata that is no JSON after all, such as NaN."""
    return {name: value for name, value in row.items() if name in FIELDS or _is_json(value)}


def _is_json(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True
