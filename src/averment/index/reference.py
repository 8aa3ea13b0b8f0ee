"""The reference engine: exact answers from numpy arrays on disk, as plainly as can be said.

It is the oracle that every other engine must equal and the fallback where none can be compiled.
Words are numbered through from 0, document after document. Kept are the term of every word, the
words of every term (postings), and where documents begin; so a phrase is found at its rarest word
and confirmed by looking at the words beside it. Eight bytes a word: this is the clear engine.
What this module does not do: several segments, documents (`averment.index.embedded`).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

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


class _Vocabulary(dict[str, int]):
    """Numbers words in the order in which they are first asked for."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


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

    # --- answers --------------------------------------------------------------------------------

    def count(self, phrases: Sequence[str]) -> list[tuple[int, int]]:
        """For each phrase its occurrences and the documents that hold it."""
        found = self._resolve(phrases)
        return [
            (len(found[phrase]), n_distinct(self._documents_of(found[phrase])))
            for phrase in phrases
        ]

    def exists(self, pairs: Sequence[tuple[str, str]], window_words: int) -> list[bool]:
        """For each pair whether both start within the window in one document."""
        found = self._resolve([phrase for pair in pairs for phrase in pair])
        return [
            any(
                bool((join.partners.words_apart <= window_words).any())
                for join in self._join(found[a], found[b])
            )
            for a, b in pairs
        ]

    def cooccurrence(
        self, pairs: Sequence[tuple[str, str]], window_words: int
    ) -> list[tuple[int, int, int | None]]:
        """For each pair (documents, pairs of starts, smallest distance in words)."""
        found = self._resolve([phrase for pair in pairs for phrase in pair])
        return [self._cooccurrence(found[a], found[b], window_words) for a, b in pairs]

    def occurrences(self, phrase: str, limit: int) -> list[tuple[int, int]]:
        """The first occurrences as (document, word of it)."""
        (starts,) = self._resolve([phrase]).values()
        starts = starts[:limit]
        documents = self._documents_of(starts)
        words = starts - self._document_starts[documents]
        return list(zip(documents.tolist(), words.tolist(), strict=True))

    def nearest_pairs(
        self, a: str, b: str, window_words: int, limit: int
    ) -> list[tuple[int, int, int]]:
        """The closest pair of each of the first documents that hold one within the window."""
        found = self._resolve([a, b])
        nearest = []
        for join in self._join(found[a], found[b]):
            for document, start, partner in closest_pairs(join.partners, window_words)[:limit]:
                first = int(self._document_starts[document])
                ours, other = (partner, start) if join.swapped else (start, partner)
                nearest.append((document, ours - first, other - first))
        return nearest

    def _resolve(self, phrases: Sequence[str]) -> dict[str, Positions]:
        """Look every distinct phrase up once."""
        words = {phrase: tuple(self._form.words(phrase)) for phrase in phrases}
        for phrase, form in words.items():
            if not form:
                raise QueryError(
                    f"The phrase {phrase!r} has no word to count.",
                    hint="Ask for at least one letter or digit.",
                )
        found = {form: self._phrase_starts(form) for form in set(words.values())}
        return {phrase: found[form] for phrase, form in words.items()}

    def _join(self, a: Positions, b: Positions) -> Iterator[_Join]:
        swapped = len(b) < len(a)
        rarer, other = (b, a) if swapped else (a, b)
        if len(rarer):
            partners = nearest_partners(
                rarer,
                other,
                documents=self._documents_of(rarer),
                document_starts=self._document_starts,
            )
            yield _Join(partners, other, swapped)

    def _cooccurrence(
        self, a: Positions, b: Positions, window_words: int
    ) -> tuple[int, int, int | None]:
        for join in self._join(a, b):
            partners = join.partners
            within = partners.words_apart <= window_words
            n_pairs = count_pairs(
                partners.starts[within],
                join.other,
                documents=partners.documents[within],
                document_starts=self._document_starts,
                window_words=window_words,
            )
            nearest = int(partners.words_apart.min())
            n_documents = n_distinct(partners.documents[within])
            return n_documents, n_pairs, None if nearest == NEVER else nearest
        return 0, 0, None

    # --- phrases --------------------------------------------------------------------------------

    def _documents_of(self, positions: Positions) -> Positions:
        """The document in which each word stands."""
        return np.searchsorted(self._document_starts, positions, side="right") - 1

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
