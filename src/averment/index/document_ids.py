"""The ids of the documents of a segment: by number, and the number by id.

A number is found through a sorted array of checksums, so that adding to an index of millions of
documents reads a few pages and not all ids. What this module does not do: know which documents are
deleted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import numpy as np

from averment.errors import IndexFormatError
from averment.index.arrays import REBUILD, load_array, save_array
from averment.index.string_table import StringTable, save_strings

_NAME = "document_ids"


def save_document_ids(directory: Path, ids: Sequence[str]) -> None:
    """Write ids in the order of their documents, and their checksums in ascending order."""
    save_strings(directory, _NAME, ids)
    checksums = np.array([crc32(one.encode()) for one in ids], dtype=np.uint32)
    order = np.argsort(checksums, kind="stable").astype(np.uint32)
    save_array(directory, f"{_NAME}_checksums", np.stack((checksums[order], order)))


class DocumentIds:
    """What `save_document_ids` wrote.

    Args:
        directory: Where it was written.

    Raises:
        IndexFormatError: The files are missing or do not fit together.
    """

    def __init__(self, directory: Path) -> None:
        self._ids = StringTable(directory, _NAME)
        table = load_array(directory, f"{_NAME}_checksums", np.uint32)
        if table.shape != (2, len(self._ids)):
            raise IndexFormatError(f"The ids in {directory} do not fit together.", hint=REBUILD)
        self._checksums, self._numbers = table

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, number: int) -> str:
        return self._ids[number]

    def encoded(self, number: int) -> bytes:
        """An id as UTF-8."""
        return self._ids.encoded(number)

    def find(self, encoded: bytes) -> int | None:
        """The number of the document that has an id; None if there is none."""
        checksum = np.uint32(crc32(encoded))
        at = int(np.searchsorted(self._checksums, checksum))
        while at < len(self._checksums) and self._checksums[at] == checksum:
            number = int(self._numbers[at])
            if number < len(self._ids) and self._ids.encoded(number) == encoded:
                return number
            at += 1
        return None
