"""The slow and plain way to count: a scan of the word numbers of a corpus, with numpy only.

It shares no code and no file with an index: it is what the answers of all are held against.
Occurrences of a phrase are found at its rarest word and compared word by word; pairs are two
sorted arrays of starts. No postings, no packing, no bigrams, no bitmaps.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

Words = tuple[int, ...]


class Meeting(NamedTuple):
    """Where two phrases meet.

    `near` holds the possible answers to "how many occurrences of the rarer phrase have one of the
    other within the window": two if both are equally frequent. `distance_words` is of any shared
    document, whatever the window.
    """

    documents: int
    pairs: int
    distance_words: int | None
    near: frozenset[int]


def answers(
    ids: np.ndarray,
    lengths: np.ndarray,
    phrases: Sequence[Words],
    pairs: Sequence[tuple[Words, Words, int]],
) -> tuple[list[tuple[int, int]], list[Meeting]]:
    """Counts of phrases, and meetings of pairs within their windows; best in a process of its own.

    It is slow enough for a trick: large arrays come and go all the time, and on Linux most of the
    time would go into giving their pages back and getting them anew.
    """
    if sys.platform == "linux":
        trim_threshold, mmap_max = -1, -4
        ctypes.CDLL(None).mallopt(mmap_max, 0)
        ctypes.CDLL(None).mallopt(trim_threshold, 1 << 30)
    announced = [*phrases, *(phrase for a, b, _ in pairs for phrase in (a, b))]
    slow = BruteForce(ids, lengths, announced)
    return [slow.count(phrase) for phrase in phrases], [slow.meeting(*pair) for pair in pairs]


class BruteForce:
    """Counts phrases that were announced, since only their rarest words are sorted by place."""

    def __init__(self, ids: np.ndarray, lengths: np.ndarray, phrases: Iterable[Words]) -> None:
        self._ids = ids
        self._starts = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
        self._document_of = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
        self._frequencies = np.bincount(ids)
        wanted = np.zeros(len(self._frequencies), bool)
        for phrase in phrases:
            wanted[phrase[self._by_frequency(phrase)[0]]] = True
        places = np.flatnonzero(wanted[ids]).astype(np.uint64)
        keys = np.sort((ids[places].astype(np.uint64) << np.uint64(32)) | places)
        self._places = (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
        self._of_word = (keys >> np.uint64(32)).astype(np.uint32)

    def _by_frequency(self, phrase: Words) -> list[int]:
        """Its word places, the rarest first; of equals the earlier, so that it is the announced."""
        return sorted(range(len(phrase)), key=lambda place: self._frequencies[phrase[place]])

    def occurrences(self, phrase: Words) -> np.ndarray:
        """The places where it starts, sorted; it never reaches into the next document."""
        by_frequency = self._by_frequency(phrase)
        rarest = by_frequency[0]
        low, high = np.searchsorted(self._of_word, (phrase[rarest], phrase[rarest] + 1))
        if len(phrase) == 1:
            return self._places[low:high]
        starts = self._places[low:high] - rarest
        starts = starts[(starts >= 0) & (starts + len(phrase) <= len(self._ids))]
        for offset in by_frequency[1:]:
            starts = starts[self._ids[starts + offset] == phrase[offset]]
        last = self._document_of[starts + len(phrase) - 1]
        inside: np.ndarray = starts[self._document_of[starts] == last]
        return inside

    def _n_documents(self, starts: np.ndarray) -> int:
        """Of sorted places."""
        return int(np.count_nonzero(np.diff(self._document_of[starts]))) + 1 if len(starts) else 0

    def count(self, phrase: Words) -> tuple[int, int]:
        """Occurrences and documents."""
        starts = self.occurrences(phrase)
        return len(starts), self._n_documents(starts)

    def meeting(self, a: Words, b: Words, window_words: int) -> Meeting:
        """How two phrases meet within a window, from start to start, in one document."""
        fewer, more = sorted((self.occurrences(a), self.occurrences(b)), key=len)
        found = self._in_window(fewer, more, window_words)
        near = {int((found > 0).sum())}
        if len(fewer) == len(more):
            near.add(int((self._in_window(more, fewer, window_words) > 0).sum()))
        documents = self._n_documents(fewer[found > 0])
        return Meeting(documents, int(found.sum()), self._distance(fewer, more), frozenset(near))

    def _in_window(self, of: np.ndarray, others: np.ndarray, window_words: int) -> np.ndarray:
        """For each place how many of the others lie within the window in its document."""
        document = self._document_of[of]
        low = np.maximum(of - window_words, self._starts[document])
        high = np.minimum(of + window_words, self._starts[document + 1] - 1)
        after, before = np.searchsorted(others, high, "right"), np.searchsorted(others, low)
        in_window: np.ndarray = after - before
        return in_window

    def _distance(self, fewer: np.ndarray, more: np.ndarray) -> int | None:
        if not len(fewer) or not len(more):
            return None
        following = np.searchsorted(more, fewer)
        smallest = None
        for beside in (following - 1, following):
            inside = (beside >= 0) & (beside < len(more))
            here, there = fewer[inside], more[beside[inside]]
            shared = self._document_of[here] == self._document_of[there]
            if shared.any():
                nearest = int(np.abs(here - there)[shared].min())
                smallest = nearest if smallest is None else min(smallest, nearest)
        return smallest
