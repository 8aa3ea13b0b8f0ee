"""The compiled engine: segments of the C++ core `averment.index._native`, one file each.

Counts in microseconds and about a third of the bytes of the reference engine, with the same
answers. The core is absent where averment was installed without a C++ compiler; `available` tells.
What this module does not do: several segments, documents (`averment.index.embedded`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from averment.errors import IndexFormatError
from averment.index.arrays import REBUILD
from averment.text import TextForm

if TYPE_CHECKING:
    from averment.index import _native

_FILE_NAME = "segment.bin"


@cache
def available() -> bool:
    """Whether the core is here and cuts text as this Python does."""
    try:
        from averment.index import _native
    except ImportError:
        return False
    return _native.unicode_version == unicodedata.unidata_version


class CompiledSegmentWriter:
    """An `engines.SegmentWriter` over the core's builder; needs about 12 bytes a word."""

    def __init__(self, form: TextForm) -> None:
        from averment.index import _native

        self._builder = _native.SegmentBuilder(fold_accents=form.fold_accents)

    @property
    def n_words(self) -> int:
        """Words added so far."""
        return self._builder.n_words

    def add(self, text: str) -> None:
        """Append the text of a document."""
        self._builder.add(text)

    def write(self, directory: Path) -> None:
        """Write the segment; the same documents give the same bytes."""
        self._builder.finish(str(directory / _FILE_NAME))


class CompiledSegment:
    """An `engines.Segment` as `CompiledSegmentWriter` wrote it.

    Args:
        directory: Where it was written.
        form: The text form of its documents.

    Raises:
        IndexFormatError: It is damaged, or of another text form.
    """

    def __init__(self, directory: Path, form: TextForm) -> None:
        from averment.index import _native

        file = directory / _FILE_NAME
        try:
            self._segment: _native.Segment = _native.Segment(str(file))
        except OSError as error:
            raise IndexFormatError(f"{file} cannot be opened: {error}.", hint=REBUILD) from error
        self._facts = self._segment.facts
        if self._facts["fold_accents"] != form.fold_accents:
            raise IndexFormatError(f"{file} is not of the index's text form.", hint=REBUILD)

    @property
    def n_words(self) -> int:
        """Words in the segment."""
        return self._facts["n_words"]

    @property
    def n_documents(self) -> int:
        """Documents in the segment."""
        return self._facts["n_documents"]

    @property
    def n_terms(self) -> int:
        """Different words in the segment."""
        return self._facts["n_terms"]

    def count(self, phrases: Sequence[str]) -> list[tuple[int, int]]:
        """For each phrase its occurrences and the documents that hold it."""
        return self._segment.count(phrases)

    def exists(self, pairs: Sequence[tuple[str, str]], window_words: int) -> list[bool]:
        """For each pair whether both start within the window in one document."""
        return self._segment.exists(pairs, window_words)

    def cooccurrence(
        self, pairs: Sequence[tuple[str, str]], window_words: int
    ) -> list[tuple[int, int, int | None]]:
        """For each pair (documents, pairs of starts, smallest distance in words)."""
        return self._segment.cooccurrence(pairs, window_words)

    def occurrences(self, phrase: str, limit: int) -> list[tuple[int, int]]:
        """The first occurrences as (document, word of it)."""
        return self._segment.occurrences(phrase, limit)

    def nearest_pairs(
        self, a: str, b: str, window_words: int, limit: int
    ) -> list[tuple[int, int, int]]:
        """The closest pair of each of the first documents that hold one within the window."""
        return self._segment.nearest_pairs(a, b, window_words, limit)
