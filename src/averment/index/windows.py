"""The window join: which starts of one phrase lie near starts of another in the same document.

Distances are between start positions, in words. Every function is symmetric in its two phrases up
to the order of its results, so callers may pass the rarer phrase first.
What this module does not do: find the phrases (`averment.index.reference`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from averment.index.arrays import Positions

NEVER = int(np.iinfo(np.int64).max)
"""How far apart two phrases are that share no document."""


class Partners(NamedTuple):
    """For each start of the first phrase, the nearest start of the second in its document.

    ``words_apart`` is `NEVER` where the document holds none.
    """

    starts: Positions
    partners: Positions
    words_apart: Positions
    documents: Positions


def nearest_partners(
    a: Positions, b: Positions, *, documents: Positions, document_starts: Positions
) -> Partners:
    """Pair each start of `a` with the nearest of `b`; the earlier one if two are as near.

    Args:
        a: Starts of a phrase, ascending.
        b: Starts of another or the same phrase, ascending, at least one.
        documents: The document of each of `a`.
        document_starts: Where the documents begin, and where the last one ends.
    """
    after = np.searchsorted(b, a)
    following = b[np.minimum(after, len(b) - 1)]
    preceding = b[np.maximum(after - 1, 0)]
    inside = (following >= a) & (following < document_starts[documents + 1])
    to_following = np.where(inside, following - a, NEVER)
    inside = (preceding < a) & (preceding >= document_starts[documents])
    to_preceding = np.where(inside, a - preceding, NEVER)
    earlier = to_preceding <= to_following
    return Partners(
        starts=a,
        partners=np.where(earlier, preceding, following),
        words_apart=np.where(earlier, to_preceding, to_following),
        documents=documents,
    )


def closest_pairs(partners: Partners, window_words: int) -> list[tuple[int, int, int]]:
    """Of each document its closest pair as (document, start, partner); the first of equals."""
    within = partners.words_apart <= window_words
    starts, others, words_apart, documents = (column[within] for column in partners)
    order = np.lexsort((np.minimum(starts, others), words_apart, documents))
    _, firsts = np.unique(documents[order], return_index=True)
    chosen = order[firsts]
    columns = (documents[chosen], starts[chosen], others[chosen])
    return list(zip(*(column.tolist() for column in columns), strict=True))


def count_pairs(
    a: Positions,
    b: Positions,
    *,
    documents: Positions,
    document_starts: Positions,
    window_words: int,
) -> int:
    """How many pairs of starts lie in one document at most `window_words` apart."""
    reach = min(window_words, int(document_starts[-1]))  # no sum below may overflow
    lowest = np.maximum(a - reach, document_starts[documents])
    beyond = np.minimum(a + reach + 1, document_starts[documents + 1])
    return int((np.searchsorted(b, beyond) - np.searchsorted(b, lowest)).sum())


def n_distinct(ascending: Positions) -> int:
    """How many different numbers an ascending array holds."""
    return int(len(ascending) > 0) + int(np.count_nonzero(np.diff(ascending)))
