"""The counts of an index as a table: how often each word occurs, and in how many documents.

Which words there are is read off the documents, so an index of counts alone has no table; how often
they occur is what the index answers. What this module does not do: count phrases.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from averment.errors import MissingExtraError
from averment.files import staged
from averment.index.embedded import EmbeddedIndex

_ROWS_A_GROUP = 100_000


def write_counts(index: EmbeddedIndex, target: Path) -> int:
    """Write the table as Parquet, whole or not at all; its rows are in the order of the words.

    Columns are ``word`` (in its normal form), ``occurrences`` and ``documents``; text form, digest
    and the totals of the index are in the metadata of the file.

    Args:
        index: Keeps text, or words.
        target: The file.

    Returns:
        The number of rows.

    Raises:
        MissingExtraError: pyarrow is not installed.
        CapabilityError: The index keeps no words.
    """
    try:
        import pyarrow
        from pyarrow.parquet import ParquetWriter
    except ImportError as error:
        raise MissingExtraError("Parquet files", "parquet") from error
    words: set[str] = set()
    for each in index.contents():
        words.update(each.words)
    info = index.info
    numbers = {"n_documents": info.n_documents, "n_words": info.n_words}
    told = {"text_form": info.text_form, "digest": info.digest, **numbers}
    schema = pyarrow.schema(
        [
            pyarrow.field("word", pyarrow.string(), nullable=False),
            pyarrow.field("occurrences", pyarrow.int64(), nullable=False),
            pyarrow.field("documents", pyarrow.int64(), nullable=False),
        ],
        metadata={f"averment.{name}": str(value) for name, value in told.items()},
    )
    with staged(target) as partial, ParquetWriter(partial, schema, compression="zstd") as file:
        ordered = sorted(words)
        for first in range(0, len(ordered), _ROWS_A_GROUP):
            some = ordered[first : first + _ROWS_A_GROUP]
            counts = index.count(some)
            columns: list[list[Any]] = [
                some,
                [count.value for count in counts],
                [count.documents for count in counts],
            ]
            file.write_table(pyarrow.table(columns, schema=schema))
    return len(words)
