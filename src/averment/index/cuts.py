"""Where a build ends its segments, told from the lengths of documents alone.

A writer ends a segment at the first document after which it knows of so many words; of the latest
texts, which a thread still counts, it knows nothing (`engines.SegmentWriter.n_words`). Whoever
makes the pieces of an index elsewhere has to end segments at the same documents, so that the same
files come of it. What this module does not do: count words.
"""

from __future__ import annotations

from averment.index.compiled import batch_characters
from averment.index.engines import COMPILED


class Cuts:
    """Goes along the documents of a build.

    Args:
        engine: Of the index.
        words_per_segment: Words after which a segment is written.
    """

    def __init__(self, engine: str, words_per_segment: int) -> None:
        self._most_words = words_per_segment
        self._counts_late = engine == COMPILED
        self._most_characters = batch_characters(words_per_segment)
        self._begin()

    def _begin(self) -> None:
        self._known_words = self._late_words = 0
        self._batch_words = self._batch_characters = 0

    def is_after(self, n_characters: int, n_words: int) -> bool:
        """Whether a segment ends with the next document, which has this many of both."""
        if self._counts_late:
            self._batch_characters += n_characters
            self._batch_words += n_words
            if self._batch_characters >= self._most_characters:
                self._known_words += self._late_words
                self._late_words = self._batch_words
                self._batch_words = self._batch_characters = 0
        else:
            self._known_words += n_words
        if self._known_words < self._most_words:
            return False
        self._begin()
        return True
