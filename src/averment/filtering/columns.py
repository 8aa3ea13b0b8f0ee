"""A Parquet file with one column more, split in what is kept and what is rejected.

All other columns stay as they are, whatever their type; a batch of rows is in memory at a time.
Needs the extra [parquet].
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from averment.errors import DatasetError
from averment.filtering.fields import COLUMN
from averment.filtering.keep import COUNTED, JUDGED
from averment.filtering.reading import ParquetSource

KEPT, REJECTED = "kept.parquet", "rejected.parquet"


def write_parquet(source: ParquetSource, columns: Path, folder: Path) -> None:
    """Write the rows of a source with the column that was found for each.

    Args:
        source: All of its rows are done.
        columns: JSONL with the new column, one line a row.
        folder: Where ``kept.parquet`` and ``rejected.parquet`` go.

    Raises:
        DatasetError: There are not as many lines as rows.
    """
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    kind = _kind()
    with columns.open(encoding="utf-8") as lines, ExitStack() as stack:
        writers: dict[str, Any] = {}
        for batch in source.batches():
            found = [_plain(each) for each in _next(lines, batch.num_rows, columns)]
            table = pyarrow.table(batch)
            if COLUMN in table.column_names:
                table = table.drop_columns([COLUMN])
            table = table.append_column(COLUMN, pyarrow.array(found, kind))
            is_kept = pyarrow.array([each["verdict"] == "keep" for each in found])
            for name, mask in ((KEPT, is_kept), (REJECTED, pyarrow.compute.invert(is_kept))):
                if name not in writers:
                    staged = ParquetWriter(folder / f"{name}.partial", table.schema)
                    writers[name] = stack.enter_context(staged)
                writers[name].write_table(table.filter(mask))
    for name in writers:
        (folder / f"{name}.partial").replace(folder / name)


def _next(lines: Iterator[str], n: int, path: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for _, line in zip(range(n), lines, strict=False)]
    if len(found) < n:
        raise DatasetError(f"{path} has fewer lines than the input has rows.")
    return found


def _plain(column: Mapping[str, Any]) -> dict[str, Any]:
    return {**column, "reasons": list(column.get("reasons", {}).items())}


def _kind() -> Any:
    """The type of the column."""
    import pyarrow as pa
    import pyarrow.compute

    text, whole, real = pa.string(), pa.int64(), pa.float64()
    pair = pa.struct([("head", text), ("relation", text), ("tail", text)])
    claim = pa.struct(
        [
            *(("start", whole), ("end", whole), ("support", text), ("reason", text)),
            *(("verdict", text), ("p_faithful", real), ("p_true", real)),
        ]
    )
    numbers = [(n, real if n.startswith("lowest") else whole) for n in (*COUNTED, *JUDGED)]
    return pa.struct(
        [
            *(("verdict", text), ("reason", text), ("line", whole), ("detail", text)),
            ("flags", pa.list_(text)),
            *numbers,
            ("least_documents_of", text),
            ("claims", pa.list_(claim)),
            ("absent_pairs", pa.list_(pair)),
            ("not_covered_pairs", pa.list_(pair)),
            ("reasons", pa.map_(text, text)),
            *(("version", text), ("index", text)),
        ]
    )
