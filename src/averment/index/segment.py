"""One immutable segment: which word stands where, in numpy arrays.

Words are numbered through from 0, document after document. Kept are the term of every word, the
words of every term (postings), and where documents begin; so a phrase is found at its rarest word
and confirmed by looking at the words beside it. Eight bytes a word: this is the clear engine.
What this module does not do: document text (`averment.index.documents`), windows
(`averment.index.windows`).
"""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from averment.errors import IndexFormatError
from averment.index.arrays import REBUILD, Positions, load_array, save_array
from averment.index.string_table import StringTable, save_strings


class SegmentWriter:
    """Collects the words of documents; `write` inverts them."""

    def __init__(self) -> None:
        self._vocabulary = _Vocabulary()
        self._words = array("I")
        self._document_starts = [0]
        self._document_ids: list[str] = []

    @property
    def n_words(self) -> int:
        """Words added so far."""
        return len(self._words)

    def add(self, document_id: str, words: Sequence[str]) -> None:
        """Append a document."""
        self._words.extend(map(self._vocabulary.__getitem__, words))
        self._document_starts.append(len(self._words))
        self._document_ids.append(document_id)

    def write(self, directory: Path) -> None:
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
        save_strings(directory, "document_ids", self._document_ids)


class _Vocabulary(dict[str, int]):
    """Numbers words in the order in which they are first asked for."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class Segment:
    """A segment as `SegmentWriter` wrote it; immutable, so any thread may ask.

    Args:
        directory: Where it was written.

    Raises:
        IndexFormatError: Arrays are missing or do not fit together.
    """

    def __init__(self, directory: Path) -> None:
        self.terms = StringTable(directory, "terms")
        self.document_ids = StringTable(directory, "document_ids")
        self.document_starts = load_array(directory, "document_starts", np.int64)
        self._words = load_array(directory, "words", np.uint32)
        self._postings = load_array(directory, "postings", np.uint32)
        self._posting_offsets = load_array(directory, "posting_offsets", np.int64)
        fits = (
            len(self._postings) == len(self._words) == self.document_starts[-1]
            and len(self._posting_offsets) == len(self.terms) + 1
            and len(self.document_starts) - 1 == len(self.document_ids)
        )
        if not fits:
            raise IndexFormatError(f"The arrays in {directory} do not fit together.", hint=REBUILD)

    @property
    def n_documents(self) -> int:
        """Documents in the segment."""
        return len(self.document_ids)

    @property
    def n_words(self) -> int:
        """Words in the segment."""
        return len(self._words)

    def documents_of(self, positions: Positions) -> Positions:
        """The document in which each word stands."""
        return np.searchsorted(self.document_starts, positions, side="right") - 1

    def phrase_starts(self, words: Sequence[str]) -> Positions:
        """Where a phrase begins, in ascending order; it lies within one document.

        Args:
            words: Its words in their normal form, at least one.
        """
        terms = [term for term in map(self.terms.find, words) if term is not None]
        if len(terms) < len(words):
            return np.zeros(0, dtype=np.int64)
        frequencies = [self._posting_offsets[t + 1] - self._posting_offsets[t] for t in terms]
        rarest = int(np.argmin(frequencies))
        low, high = self._posting_offsets[terms[rarest] : terms[rarest] + 2]
        found = self._postings[low:high].astype(np.int64)
        if len(terms) == 1:
            return found
        document = self.documents_of(found)
        starts = found - rarest
        whole = (starts >= self.document_starts[document]) & (
            starts + len(terms) <= self.document_starts[document + 1]
        )
        starts = starts[whole]
        for offset, term in enumerate(terms):
            if offset != rarest:
                starts = starts[self._words[starts + offset] == term]
        return starts


def n_distinct_terms(segments: Sequence[Segment]) -> int:
    """How many terms several segments hold together, each counted once."""
    if len(segments) == 1:
        return len(segments[0].terms)
    merged = heapq.merge(*(segment.terms for segment in segments))
    return sum(1 for _ in groupby(merged))
