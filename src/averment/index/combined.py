"""What several segments or shards answer, as one answer.

A document lies in one of them, so counts add up. What this module does not do: ask.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from averment.types import Cooccurrence, CountKind, Passage


class PlacedWindow(NamedTuple):
    """The text around a pair, how far apart it stands, and its first word in the document."""

    words_apart: int
    first: int
    passage: Passage


class Near(NamedTuple):
    """A pair in a document of a part: its distance and the words from `first` up to `end`.

    In the order by which windows are given.
    """

    words_apart: int
    first: int
    part: int
    document: int
    end: int


def together(found: Iterable[tuple[int, int, int | None]], kind: CountKind) -> Cooccurrence:
    """What the segments found of one pair, as the answer of the index."""
    documents = pairs = 0
    nearest: int | None = None
    for here, n_pairs, words in found:
        documents += here
        pairs += n_pairs
        if words is not None and (nearest is None or words < nearest):
            nearest = words
    exists = pairs > 0 or (None if kind is CountKind.LOWER_BOUND else False)
    return Cooccurrence(exists, documents, pairs, nearest, kind)
