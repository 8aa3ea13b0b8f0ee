"""Where a build ends its segments, told from the lengths of documents alone.

A writer ends a segment at the first document after which it knows of so many words; of the latest
texts, which a thread still counts, it knows nothing (`engines.SegmentWriter.n_words`). Whoever
builds the pieces of an index elsewhere has to end segments at the same documents, so that the same
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
        self._most_characters = batch_characters(words_per_segment) if engine == COMPILED else 0
        self._begin()

    def _begin(self) -> None:
        self._known_words = self._counted_words = 0
        self._batch_words = self._batch_characters = 0

    def is_after(self, n_characters: int, n_words: int) -> bool:
        """Whether a segment ends with the next document, which has this many of both."""
        self._batch_characters += n_characters
        self._batch_words += n_words
        if self._batch_characters >= self._most_characters:
            self._known_words += self._counted_words
            self._counted_words = self._batch_words
            self._batch_words = self._batch_characters = 0
        known = self._known_words
        if not self._most_characters:  # nothing is counted later: all is known
            known += self._counted_words
        if known < self._most_words:
            return False
        self._begin()
        return True
