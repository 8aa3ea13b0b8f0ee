"""What an engine is: something that writes segments and answers over one of them.

An index is a directory of segments of one engine, named in its manifest. Everything else (the
directory, the documents, several segments at once) is the same for all engines, so an engine
answers with plain numbers over one segment: documents and the words in them count from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from averment.errors import IndexFormatError
from averment.index import compiled, reference
from averment.text import TextForm


class SegmentWriter(Protocol):
    """Collects documents and writes them as one immutable segment."""

    @property
    def n_words(self) -> int:
        """Words added so far."""
        ...

    def add(self, text: str) -> None:
        """Append the text of a document."""
        ...

    def write(self, directory: Path) -> None:
        """Write the segment into a directory; the same documents give the same bytes."""
        ...


class Segment(Protocol):
    """An open segment: immutable, so any thread may ask.

    Every method that is given phrases looks each distinct one up once, and raises `QueryError`
    for one without a word.
    """

    @property
    def n_words(self) -> int:
        """Words in the segment."""
        ...

    @property
    def n_documents(self) -> int:
        """Documents in the segment."""
        ...

    @property
    def n_terms(self) -> int:
        """Different words in the segment."""
        ...

    def count(self, phrases: Sequence[str]) -> list[tuple[int, int]]:
        """For each phrase its occurrences and the documents that hold it."""
        ...

    def exists(self, pairs: Sequence[tuple[str, str]], window_words: int) -> list[bool]:
        """For each pair whether both start within the window in one document."""
        ...

    def cooccurrence(
        self, pairs: Sequence[tuple[str, str]], window_words: int
    ) -> list[tuple[int, int, int | None]]:
        """For each pair (documents, pairs of starts, smallest distance in words).

        The first two are within the window; the distance is of any shared document, whatever the
        window, and None if there is none.
        """
        ...

    def occurrences(self, phrase: str, limit: int) -> list[tuple[int, int]]:
        """The first occurrences as (document, word of it)."""
        ...

    def nearest_pairs(
        self, a: str, b: str, window_words: int, limit: int
    ) -> list[tuple[int, int, int]]:
        """The closest pair of each of the first documents that hold one within the window.

        As (document, word where `a` starts, word where `b` starts); of equally close pairs the
        earliest.
        """
        ...


REFERENCE = "reference"
COMPILED = "compiled"
ENGINES = (COMPILED, REFERENCE)
"""The engines, the fastest first."""

WITHOUT_CORE = (
    "the compiled index core is not here, so counting is slower; "
    "install g++ or clang and reinstall averment"
)

_WORDS_PER_SEGMENT = {COMPILED: 32_000_000, REFERENCE: 8_000_000}


def default_engine() -> str:
    """The engine that new indexes are built with: the fastest that is here."""
    return COMPILED if compiled.available() else REFERENCE


def words_per_segment(engine: str) -> int:
    """Words after which a segment is written: what bounds the memory of a build."""
    return _WORDS_PER_SEGMENT[engine]


def segment_writer(engine: str, form: TextForm) -> SegmentWriter:
    """A writer of segments of an engine that is here."""
    if engine == COMPILED:
        return compiled.CompiledSegmentWriter(form)
    return reference.ReferenceSegmentWriter(form)


def open_segment(engine: str, directory: Path, form: TextForm) -> Segment:
    """Open a segment of an engine.

    Raises:
        IndexFormatError: It is damaged, or its engine is not here.
    """
    if engine == REFERENCE:
        return reference.ReferenceSegment(directory, form)
    if engine == COMPILED and compiled.available():
        return compiled.open_compiled(directory, form)
    remedy = "Rebuild it: averment index build PATHS"
    if engine == COMPILED:
        remedy = f"Install g++ or clang and reinstall averment. Or: {remedy}"
    raise IndexFormatError(
        f"The index was built by the engine {engine!r}, which this installation does not have.",
        hint=remedy,
    )
