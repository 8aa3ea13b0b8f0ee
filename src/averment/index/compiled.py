"""The compiled engine: segments of the C++ core `averment.index._native`, one file each.

Counts in microseconds and about a third of the bytes of the reference engine, with the same
answers. The core is absent where averment was installed without a C++ compiler; `available` tells.
What this module does not do: several segments, documents (`averment.index.embedded`).
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from averment.errors import IndexFormatError
from averment.index.arrays import REBUILD
from averment.text import TextForm

if TYPE_CHECKING:
    from averment.index import _native
    from averment.index.engines import Segment

_FILE_NAME = "segment.bin"
_BATCH_CHARACTERS = 1 << 20
_THREADS = min(os.cpu_count() or 1, 4)  # more have little to do: one at a time numbers the words


@cache
def available() -> bool:
    """Whether the core is here and cuts text as this Python does."""
    try:
        from averment.index import _native
    except ImportError:
        return False
    return _native.unicode_version == unicodedata.unidata_version


def words(text: str, form: TextForm) -> list[str]:
    """The words of a text, as `TextForm.words` gives them."""
    from averment.index import _native

    return _native.words(text, fold_accents=form.fold_accents)


def batch_characters(words_per_segment: int) -> int:
    """Characters after which a batch of texts is handed over."""
    return min(_BATCH_CHARACTERS, words_per_segment)


class CompiledSegmentWriter:
    """An `engines.SegmentWriter` over the core's builder; needs about 12 bytes a word.

    Texts are handed over in batches, which a thread indexes while the next one comes in.
    """

    def __init__(self, form: TextForm, words_per_segment: int) -> None:
        from averment.index import _native

        self._builder = _native.SegmentBuilder(fold_accents=form.fold_accents, n_threads=_THREADS)
        self._batch: list[str] = []
        self._n_characters = 0
        self._most_characters = batch_characters(words_per_segment)
        self._worker = ThreadPoolExecutor(1)
        self._under_way: Future[list[int]] | None = None
        self._n_words = 0

    @property
    def n_words(self) -> int:
        """Words of all batches but the last."""
        return self._n_words

    def add(self, text: str) -> None:
        """Append the text of a document."""
        self._batch.append(text)
        self._n_characters += len(text)
        if self._n_characters >= self._most_characters:
            self._hand_over()

    def _hand_over(self) -> None:
        self._wait()
        self._under_way = self._worker.submit(self._builder.add_many, self._batch)
        self._batch, self._n_characters = [], 0

    def _wait(self) -> None:
        if self._under_way:
            self._n_words += sum(self._under_way.result())
            self._under_way = None

    def write(self, directory: Path) -> int:
        """Write the segment; the same documents give the same bytes."""
        self._hand_over()
        self._wait()
        self.close()
        self._builder.finish(str(directory / _FILE_NAME))
        return self._n_words

    def close(self) -> None:
        """Let the thread go."""
        self._worker.shutdown()


def merge_compiled(segments: Sequence[Segment], directory: Path) -> int:
    """Write a segment of the documents that some compiled segments are about."""
    from averment.index import _native

    sources = cast("Sequence[_native.Segment]", segments)
    facts = _native.merge(sources, str(directory / _FILE_NAME), n_threads=_THREADS)
    return facts["n_words"]


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
