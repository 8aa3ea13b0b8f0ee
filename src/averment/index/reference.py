"""The reference engine: exact answers from numpy arrays on disk, as plainly as can be said.

It is the oracle that every other engine must equal and the fallback where none can be compiled.
Words are numbered through from 0, document after document. Kept are the term of every word, the
words of every term (postings), and where documents begin; so a phrase is found at its rarest word
and confirmed by looking at the words beside it. Eight bytes a word: this is the clear engine.
It has no threads: `n_threads` is there for the protocol's sake.
What this module does not do: several segments, documents (`averment.index.embedded`).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from copy import copy
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from averment.errors import IndexFormatError, QueryError
from averment.index.arrays import REBUILD, Positions, load_array, save_array
from averment.index.string_table import StringTable, save_strings
from averment.index.windows import (
    NEVER,
    Partners,
    closest_pairs,
    count_pairs,
    n_distinct,
    nearest_partners,
)
from averment.text import TextForm

if TYPE_CHECKING:
    from averment.index.engines import Pairs, Segment
    from averment.types import Phrase


class ReferenceSegmentWriter:
    """An `engines.SegmentWriter`: collects the words of documents; `write` inverts them."""

    def __init__(self, form: TextForm) -> None:
        self._form = form
        self._vocabulary = _Vocabulary()
        self._words = array("I")
        self._document_starts = [0]

    @property
    def n_words(self) -> int:
        """Words added so far."""
        return len(self._words)

    def add(self, text: str) -> None:
        """Append the text of a document."""
        self._words.extend(map(self._vocabulary.__getitem__, self._form.words(text)))
        self._document_starts.append(len(self._words))

    def copy(self, segment: ReferenceSegment) -> None:
        """Append the documents that another segment is about."""
        for start, end in segment.document_bounds().tolist():
            self._words.extend(map(self._vocabulary.__getitem__, segment.spelled(start, end)))
            self._document_starts.append(len(self._words))

    def close(self) -> None:
        """There is nothing to let go."""

    def write(self, directory: Path) -> int:
        """Write the arrays; the same documents give the same bytes."""
        terms = sorted(self._vocabulary)
        rank = np.zeros(len(terms), dtype=np.uint32)
        for number, term in enumerate(terms):
            rank[self._vocabulary[term]] = number
        words = rank[np.array(self._words, dtype=np.uint32)]
        posting_offsets = np.zeros(len(terms) + 1, dtype=np.int64)
        np.cumsum(np.bincount(words, minlength=len(terms)), out=posting_offsets[1:])
        save_array(directory, "words", words)
        save_array(directory, "postings", np.argsort(words, kind="stable").astype(np.uint32))
        save_array(directory, "posting_offsets", posting_offsets)
        save_array(directory, "document_starts", np.array(self._document_starts, dtype=np.int64))
        save_strings(directory, "terms", terms)
        return len(words)


class _Vocabulary(dict[str, int]):
    """Numbers words in the order in which they are first asked for."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class _Spans(NamedTuple):
    """Where a phrase occurs: its starts, ascending, and how many words it has at each."""

    starts: Positions
    n_words: Positions


def merge_reference(segments: Sequence[Segment], directory: Path) -> int:
    """Write a segment of the documents that some reference segments are about."""
    writer = ReferenceSegmentWriter(TextForm())
    for segment in segments:
        writer.copy(cast("ReferenceSegment", segment))
    return writer.write(directory)


class _Join(NamedTuple):
    """Two phrases in a segment that holds both.

    `partners` starts from the rarer phrase, which is the second one if `swapped`.
    """

    partners: Partners
    other: Positions
    swapped: bool


class ReferenceSegment:
    """An `engines.Segment` as `ReferenceSegmentWriter` wrote it.

    Args:
        directory: Where it was written.
        form: The text form of its documents, through which phrases pass.

    Raises:
        IndexFormatError: Arrays are missing or do not fit together.
    """

    def __init__(self, directory: Path, form: TextForm) -> None:
        self._form = form
        self._terms = StringTable(directory, "terms")
        self._document_starts = load_array(directory, "document_starts", np.int64)
        self._words = load_array(directory, "words", np.uint32)
        self._postings = load_array(directory, "postings", np.uint32)
        self._posting_offsets = load_array(directory, "posting_offsets", np.int64)
        fits = (
            len(self._postings) == len(self._words) == self._document_starts[-1]
            and len(self._posting_offsets) == len(self._terms) + 1
        )
        if not fits:
            raise IndexFormatError(f"The arrays in {directory} do not fit together.", hint=REBUILD)
        self._members: npt.NDArray[np.bool_] = np.ones(self.n_documents, dtype=np.bool_)

    @property
    def n_documents(self) -> int:
        """Documents in the segment."""
        return len(self._document_starts) - 1

    @property
    def n_words(self) -> int:
        """Words in the segment."""
        return len(self._words)

    @property
    def n_terms(self) -> int:
        """Different words in the segment."""
        return len(self._terms)

    def among(self, members: bytes) -> ReferenceSegment:
        """The same segment restricted to some documents, and to those it is restricted to."""
        if len(members) != (self.n_documents + 7) // 8:
            raise QueryError(
                f"The set of documents has {8 * len(members)} bits, "
                f"but the segment has {self.n_documents} documents."
            )
        bits = np.unpackbits(np.frombuffer(members, dtype=np.uint8), bitorder="little")
        restricted = copy(self)
        restricted._members = self._members & bits[: self.n_documents].astype(np.bool_)
        return restricted

    def document_words(self, document: int) -> int:
        """How many words a document has."""
        return int(self._document_starts[document + 1] - self._document_starts[document])

    def document_bounds(self) -> Positions:
        """Where the documents that answers are about begin and end, shape ``(n, 2)``."""
        bounds = np.column_stack((self._document_starts[:-1], self._document_starts[1:]))
        return bounds[self._members]

    def spelled(self, start: int, end: int) -> list[str]:
        """Some words in a row."""
        return [self._terms[term] for term in self._words[start:end].tolist()]

    # --- answers --------------------------------------------------------------------------------

    def count(self, phrases: Sequence[Phrase], *, n_threads: int = 1) -> list[tuple[int, int]]:
        """For each phrase its occurrences and the documents that hold it."""
        return [
            (len(found.starts), n_distinct(self._documents_of(found.starts)))
            for found in self._find(phrases)
        ]

    def exists(self, pairs: Pairs, window_words: int, *, n_threads: int = 1) -> list[bool]:
        """For each pair whether both start within the window in one document."""
        return [
            any(
                bool((join.partners.words_apart <= window_words).any()) for join in self._join(a, b)
            )
            for a, b in self._find_pairs(pairs)
        ]

    def cooccurrence(
        self, pairs: Pairs, window_words: int, *, n_threads: int = 1
    ) -> list[tuple[int, int, int | None]]:
        """For each pair (documents, pairs of starts, smallest distance in words)."""
        return [
            (*within, nearest)
            for nearest, (within,) in self.cooccurrence_by_window(pairs, [window_words])
        ]

    def cooccurrence_by_window(
        self, pairs: Pairs, windows_words: Sequence[int], *, n_threads: int = 1
    ) -> list[tuple[int | None, list[tuple[int, int]]]]:
        """For each pair the smallest distance, and (documents, pairs) for each window."""
        if not windows_words:
            raise QueryError("There is no window to count within.")
        return [self._cooccurrence(a, b, windows_words) for a, b in self._find_pairs(pairs)]

    def occurrences(self, phrase: Phrase, limit: int) -> list[tuple[int, int, int]]:
        """The first occurrences as (document, word of it, number of words)."""
        (found,) = self._find([phrase])
        starts, n_words = (column[:limit] for column in found)
        documents = self._documents_of(starts)
        columns = (documents, starts - self._document_starts[documents], n_words)
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def nearest_pairs(
        self, a: Phrase, b: Phrase, window_words: int, limit: int
    ) -> list[tuple[int, int, int, int, int]]:
        """The closest pair of each of the first documents that hold one within the window."""
        of_a, of_b = self._find([a, b])
        nearest = []
        for join in self._join(of_a, of_b):
            for document, start, partner in closest_pairs(join.partners, window_words)[:limit]:
                first = int(self._document_starts[document])
                at_a, at_b = (partner, start) if join.swapped else (start, partner)
                a_n_words, b_n_words = (
                    int(found.n_words[np.searchsorted(found.starts, at)])
                    for found, at in ((of_a, at_a), (of_b, at_b))
                )
                nearest.append((document, at_a - first, at_b - first, a_n_words, b_n_words))
        return nearest

    def _join(self, a: _Spans, b: _Spans) -> Iterator[_Join]:
        swapped = len(b.starts) < len(a.starts)
        rarer, other = (b.starts, a.starts) if swapped else (a.starts, b.starts)
        if len(rarer):
            partners = nearest_partners(
                rarer,
                other,
                documents=self._documents_of(rarer),
                document_starts=self._document_starts,
            )
            yield _Join(partners, other, swapped)

    def _cooccurrence(
        self, a: _Spans, b: _Spans, windows_words: Sequence[int]
    ) -> tuple[int | None, list[tuple[int, int]]]:
        for join in self._join(a, b):
            nearest = int(join.partners.words_apart.min())
            within = [self._count_within(join, window_words) for window_words in windows_words]
            return None if nearest == NEVER else nearest, within
        return None, [(0, 0) for _ in windows_words]

    def _count_within(self, join: _Join, window_words: int) -> tuple[int, int]:
        """Documents and pairs of starts."""
        within = join.partners.words_apart <= window_words
        documents = join.partners.documents[within]
        n_pairs = count_pairs(
            join.partners.starts[within],
            join.other,
            documents=documents,
            document_starts=self._document_starts,
            window_words=window_words,
        )
        return n_distinct(documents), n_pairs

    # --- phrases --------------------------------------------------------------------------------

    def _documents_of(self, positions: Positions) -> Positions:
        """The document in which each word stands."""
        return np.searchsorted(self._document_starts, positions, side="right") - 1

    def _find_pairs(self, pairs: Pairs) -> Iterator[tuple[_Spans, _Spans]]:
        found = self._find(list(chain.from_iterable(pairs)))
        return zip(found[::2], found[1::2], strict=True)

    def _find(self, phrases: Sequence[Phrase]) -> list[_Spans]:
        """Where each phrase occurs; every distinct one is looked up once."""
        asked = [self._forms(phrase) for phrase in phrases]
        found = {forms: self._spans(forms) for forms in set(asked)}
        return [found[forms] for forms in asked]

    def _forms(self, phrase: Phrase) -> frozenset[tuple[str, ...]]:
        """The words of each form."""
        spellings = [phrase] if isinstance(phrase, str) else phrase
        if not spellings:
            raise QueryError("A set of forms is empty.")
        forms = {spelling: tuple(self._form.words(spelling)) for spelling in spellings}
        for spelling, words in forms.items():
            if not words:
                raise QueryError(
                    f"The phrase {spelling!r} has no word to count.",
                    hint="Ask for at least one letter or digit.",
                )
        return frozenset(forms.values())

    def _spans(self, forms: frozenset[tuple[str, ...]]) -> _Spans:
        """Where a set of forms occurs in the documents in question."""
        starts_of = {form: self._phrase_starts(form) for form in forms}
        starts = np.concatenate(list(starts_of.values()))
        n_words = np.repeat([len(form) for form in forms], [len(s) for s in starts_of.values()])
        if len(forms) > 1:
            first_and_longest = np.lexsort((-n_words, starts))
            counted, end = [], 0
            for at in first_and_longest.tolist():
                if starts[at] >= end:
                    counted.append(at)
                    end = starts[at] + n_words[at]
            starts, n_words = starts[counted], n_words[counted]
        asked = self._members[self._documents_of(starts)]
        return _Spans(starts[asked], n_words[asked])

    def _phrase_starts(self, words: Sequence[str]) -> Positions:
        """Where a phrase begins, in ascending order; it lies within one document.

        Args:
            words: Its words in their normal form, at least one.
        """
        terms = [term for term in map(self._terms.find, words) if term is not None]
        if len(terms) < len(words):
            return np.zeros(0, dtype=np.int64)
        frequencies = [self._posting_offsets[t + 1] - self._posting_offsets[t] for t in terms]
        rarest = int(np.argmin(frequencies))
        low, high = self._posting_offsets[terms[rarest] : terms[rarest] + 2]
        found = self._postings[low:high].astype(np.int64)
        if len(terms) == 1:
            return found
        document = self._documents_of(found)
        starts = found - rarest
        whole = (starts >= self._document_starts[document]) & (
            starts + len(terms) <= self._document_starts[document + 1]
        )
        starts = starts[whole]
        for offset, term in enumerate(terms):
            if offset != rarest:
                starts = starts[self._words[starts + offset] == term]
        return starts
