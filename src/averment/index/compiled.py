"""The compiled engine: segments of the C++ core `averment.index._native`, one file each.

Counts in microseconds and about a third of the bytes of the reference engine, with the same
answers. The core is absent where averment was installed without a C++ compiler; `available` tells.
What this module does not do: several segments, documents (`averment.index.embedded`).
"""

from __future__ import annotations

import unicodedata
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


def open_compiled(directory: Path, form: TextForm) -> _native.Segment:
    """An `engines.Segment` as `CompiledSegmentWriter` wrote it: the core's own.

    Args:
        directory: Where it was written.
        form: The text form of its documents.

    Raises:
        IndexFormatError: It is damaged, or of another text form.
    """
    from averment.index import _native

    file = directory / _FILE_NAME
    try:
        segment = _native.Segment(str(file))
    except OSError as error:
        raise IndexFormatError(f"{file} cannot be opened: {error}.", hint=REBUILD) from error
    if segment.facts["fold_accents"] != form.fold_accents:
        raise IndexFormatError(f"{file} is not of the index's text form.", hint=REBUILD)
    return segment
