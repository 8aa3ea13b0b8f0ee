"""Many strings in two arrays on disk: their UTF-8 bytes in a row, and where each begins.

Opened by memory map, so that opening costs nothing and a look-up touches a few pages. What this
module does not do: hashing, updates; a table is written once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from averment.errors import IndexFormatError
from averment.index.arrays import REBUILD, load_array, save_array


def save_strings(directory: Path, name: str, strings: Sequence[str]) -> None:
    """Write ``name.npy`` and ``name_offsets.npy`` into a directory."""
    encoded = [string.encode() for string in strings]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(one) for one in encoded], out=offsets[1:])
    save_array(directory, name, np.frombuffer(b"".join(encoded), dtype=np.uint8))
    save_array(directory, f"{name}_offsets", offsets)


class StringTable:
    """The strings that `save_strings` wrote, by number.

    Args:
        directory: Where they were written.
        name: Under which name.
    """

    def __init__(self, directory: Path, name: str) -> None:
        self._what = directory / f"{name}.npy"
        self._bytes = load_array(directory, name, np.uint8)
        self._offsets = load_array(directory, f"{name}_offsets", np.int64)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, number: int) -> str:
        try:
            return self.encoded(number).decode()
        except UnicodeDecodeError as error:
            raise IndexFormatError(
                f"{self._what} is damaged at string {number}: {error}.", hint=REBUILD
            ) from error

    def __iter__(self) -> Iterator[str]:
        return (self[number] for number in range(len(self)))

    def encoded(self, number: int) -> bytes:
        """A string as UTF-8, whose order of bytes is the order of code points."""
        return self._bytes[self._offsets[number] : self._offsets[number + 1]].tobytes()

    def find(self, string: str) -> int | None:
        """The number of a string in a sorted table, by binary search; None if it is not there."""
        wanted = string.encode()
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.encoded(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self.encoded(low) == wanted else None
