"""What an engine is: something that writes segments and answers over one of them.

An index is a directory of segments of one engine, named in its manifest. Everything else (the
directory, the documents, several segments at once) is the same for all engines, so an engine
answers with plain numbers over one segment: documents and the words in them count from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeAlias

from averment.errors import IndexFormatError
from averment.index import compiled, reference
from averment.text import TextForm
from averment.types import Phrase

Pairs: TypeAlias = Sequence[tuple[Phrase, Phrase]]
"""Pairs of phrases."""


class SegmentWriter(Protocol):
    """Collects documents and writes them as one immutable segment."""

    @property
    def n_words(self) -> int:
        """Words so far; those of the latest documents may be missing, always of the same ones."""
        ...

    def add(self, text: str) -> None:
        """Append the text of a document."""
        ...

    def write(self, directory: Path) -> int:
        """Write the segment into a directory and return its number of words.

        The same documents give the same bytes.
        """
        ...

    def close(self) -> None:
        """Give up; nothing is written."""
        ...


class Segment(Protocol):
    """An open segment, whole or restricted to some documents: immutable, so any thread may ask.

    Every method that is given phrases looks each distinct one up once, and raises `QueryError`
    for one without a word and for an empty set. `n_threads` is how many threads may share the
    questions of a batch, where an engine has threads.
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

    def document_words(self, document: int) -> int:
        """How many words a document has."""
        ...

    def among(self, members: bytes) -> Segment:
        """The same segment restricted to some documents: all answers are exactly about these.

        Numbers of documents, and how many documents, words and terms there are, stay those of the
        whole segment.

        Args:
            members: Bit d % 8 of byte d // 8 says whether document d is one of them
                (`numpy.packbits(mask, bitorder="little")`); a restricted segment is further
                restricted.

        Raises:
            QueryError: There is not one bit for each document.
        """
        ...

    def count(self, phrases: Sequence[Phrase], *, n_threads: int = 1) -> list[tuple[int, int]]:
        """For each phrase its occurrences and the documents that hold it."""
        ...

    def exists(self, pairs: Pairs, window_words: int, *, n_threads: int = 1) -> list[bool]:
        """For each pair whether both start within the window in one document."""
        ...

    def cooccurrence(
        self, pairs: Pairs, window_words: int, *, n_threads: int = 1
    ) -> list[tuple[int, int, int | None]]:
        """For each pair (documents, pairs of starts, smallest distance in words).

        The first two are within the window; the distance is of any shared document, whatever the
        window, and None if there is none.
        """
        ...

    def cooccurrence_by_window(
        self, pairs: Pairs, windows_words: Sequence[int], *, n_threads: int = 1
    ) -> list[tuple[int | None, list[tuple[int, int]]]]:
        """For each pair (smallest distance, [(documents, pairs of starts) for each window]).

        Raises:
            QueryError: There is no window.
        """
        ...

    def occurrences(self, phrase: Phrase, limit: int) -> list[tuple[int, int, int]]:
        """The first occurrences as (document, word of it, number of words)."""
        ...

    def nearest_pairs(
        self, a: Phrase, b: Phrase, window_words: int, limit: int
    ) -> list[tuple[int, int, int, int, int]]:
        """The closest pair of each of the first documents that hold one within the window.

        As (document, word where `a` starts, word where `b` starts, number of words of `a`, of `b`);
        of equally close pairs the earliest.
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

_WORDS_PER_SEGMENT = {COMPILED: 64_000_000, REFERENCE: 8_000_000}


def default_engine() -> str:
    """The engine that new indexes are built with: the fastest that is here."""
    return COMPILED if compiled.available() else REFERENCE


def words_per_segment(engine: str) -> int:
    """Words after which a segment is written: what bounds the memory of a build."""
    return _WORDS_PER_SEGMENT[engine]


def segment_writer(
    engine: str, form: TextForm, most_words: int = _WORDS_PER_SEGMENT[COMPILED]
) -> SegmentWriter:
    """A writer of a segment of an engine that is here, for about so many words."""
    if engine == COMPILED:
        return compiled.CompiledSegmentWriter(form, most_words)
    return reference.ReferenceSegmentWriter(form)


def merge_segments(engine: str, segments: Sequence[Segment], directory: Path) -> int:
    """Write a segment of the documents that some segments are about; returns its words.

    It has the bytes of one that was built from these documents.
    """
    if engine == COMPILED:
        return compiled.merge_compiled(segments, directory)
    return reference.merge_reference(segments, directory)


def words(engine: str, form: TextForm, text: str) -> list[str]:
    """The words of a text, as fast as the engine can cut them."""
    return compiled.words(text, form) if engine == COMPILED else form.words(text)


def check_engine(engine: str) -> None:
    """Refuse an engine that is not here.

    Raises:
        IndexFormatError: This installation does not have it.
    """
    if engine == REFERENCE or (engine == COMPILED and compiled.available()):
        return
    remedy = "Rebuild it: averment index build PATHS"
    if engine == COMPILED:
        remedy = f"Install g++ or clang and reinstall averment. Or: {remedy}"
    raise IndexFormatError(
        f"The index was built by the engine {engine!r}, which this installation does not have.",
        hint=remedy,
    )


def open_segment(engine: str, directory: Path, form: TextForm) -> Segment:
    """Open a segment of an engine.

    Raises:
        IndexFormatError: It is damaged, or its engine is not here.
    """
    check_engine(engine)
    if engine == COMPILED:
        return compiled.open_compiled(directory, form)
    return reference.ReferenceSegment(directory, form)
