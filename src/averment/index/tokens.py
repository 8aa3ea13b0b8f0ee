"""The words of every document, packed, for an index that keeps no text but shows snippets.

Words stand in their normal form, a blank between two, in blocks that zstd compresses; a document
lies in one block, so that it is read without its neighbours. What this module does not do: keep
case, punctuation or offsets, which only the text has (`averment.index.documents`).
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

import numpy as np

from averment.errors import IndexFormatError
from averment.index.arrays import REBUILD, load_array, map_file, save_array

_FILE_NAME = "tokens.zst"
_BLOCK_BYTES = 1 << 16  # before compression: what one snippet has to unpack


def _zstd() -> ModuleType:
    """Imported here, since few indexes keep words."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


class TokenWriter:
    """Appends the words of documents; `finish` writes where they are.

    Args:
        directory: Where to write; it exists.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._file: BinaryIO = (directory / _FILE_NAME).open("wb")
        self._block: list[bytes] = []
        self._n_block_bytes = 0
        self._blocks = array("q", [0])  # where each ends in the file
        self._places = array("q")  # of each document: its block, its start and its end therein

    def add(self, words: Sequence[str]) -> None:
        """Append the words of a document, in their normal form."""
        packed = " ".join(words).encode()
        start = self._n_block_bytes
        self._places.extend((len(self._blocks) - 1, start, start + len(packed)))
        self._block.append(packed)
        self._n_block_bytes += len(packed)
        if self._n_block_bytes >= _BLOCK_BYTES:
            self._close_block()

    def _close_block(self) -> None:
        packed = _zstd().compress(b"".join(self._block))
        self._file.write(packed)
        self._blocks.append(self._blocks[-1] + len(packed))
        self._block, self._n_block_bytes = [], 0

    def close(self) -> None:
        """Let go of the file; nothing can be added afterwards."""
        self._file.close()

    def finish(self) -> None:
        """Write the last block and the places, and close."""
        self._close_block()
        self.close()
        places = np.array(self._places, dtype=np.uint32).reshape(-1, 3)
        save_array(self._directory, "token_places", places)
        save_array(self._directory, "token_blocks", np.array(self._blocks, dtype=np.int64))


class TokenStore:
    """What a `TokenWriter` wrote; immutable, so any thread may read.

    Args:
        directory: Where it was written.

    Raises:
        IndexFormatError: The files are missing or do not fit together.
    """

    def __init__(self, directory: Path) -> None:
        self._path = directory / _FILE_NAME
        self._places = load_array(directory, "token_places", np.uint32)
        self._blocks = load_array(directory, "token_blocks", np.int64)
        self._packed = map_file(self._path)

    def words(self, document: int) -> list[str]:
        """The words of a document by its number in the segment.

        Raises:
            IndexFormatError: Its block is not what was written.
        """
        block, start, end = self._places[document].tolist()
        packed = self._packed[self._blocks[block] : self._blocks[block + 1]]
        try:
            words: str = _zstd().decompress(packed)[start:end].decode()
        except (ValueError, _zstd().ZstdError) as error:
            raise IndexFormatError(
                f"{self._path} is damaged at document {document}: {error!r}.", hint=REBUILD
            ) from error
        return words.split()
