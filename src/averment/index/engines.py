"""What an engine is: something that writes segments and answers over one of them.

An index is a directory of segments of one engine, named in its manifest. Everything else (the
directory, the documents, several segments at once) is the same for all engines, so an engine
answers with plain numbers over one segment: documents and the words in them count from 0.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from pathlib import Path
from typing import Protocol

from averment.errors import IndexFormatError
from averment.index import compiled, reference
from averment.text import TextForm

Phrase = str | Set[str]
"""A phrase, or the surface forms of one name.

A set occurs where a regular expression of its forms, the longest first, finds it from left to right
in a document: of overlapping spans the first counts, of those that start together the longest. Its
forms are compared as words, and a set with one form is that phrase.
"""

Pairs = Sequence[tuple[Phrase, Phrase]]


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
