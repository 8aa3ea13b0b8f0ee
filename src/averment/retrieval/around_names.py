"""Passages around the names of a query, for an index that keeps documents and no passages.

The rarest names that the corpus knows are looked up, together where two stand near each other, then
alone; what was found is ordered by how many of the query's words it has. It finds nothing for a
query without a name that the corpus knows: then no passage is better than any.

What this module does not do: rank all documents of a corpus, as BM25 does.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from averment.errors import CorpusError
from averment.ports import CorpusIndex
from averment.text import TextForm, capitalised_names
from averment.types import Passage, Retrieval, ScoredPassage

_NAME = "around-names"
_MOST_NAMES = 3
_CONTEXT_WORDS = 60
_WINDOW_WORDS = 100


class AroundNames:
    """A `Retriever` over a corpus index that shows its documents.

    Args:
        index: Whose `nearest_windows` are passages.
    """

    def __init__(self, index: CorpusIndex) -> None:
        self._index = index
        self._words = TextForm().words

    def search(self, queries: Sequence[str], *, k: int) -> list[Retrieval]:
        """At most k passages for each query; the score is the share of its words that are there.

        Raises:
            CorpusError: The index does not answer.
        """
        return [self._search(query, k) for query in queries]

    def _search(self, query: str, k: int) -> Retrieval:
        names = list(dict.fromkeys(name.text for name in capitalised_names(query)))
        counts = zip(names, self._index.count(names), strict=True)
        known = sorted((count.value, name) for name, count in counts if count.value)
        rarest = [name for _, name in known[:_MOST_NAMES]]
        pairs = [*pairwise(rarest), *((name, name) for name in rarest)]
        asked = set(self._words(query))
        found: dict[str, Passage] = {}
        failed: CorpusError | None = None
        for pair in pairs:
            try:
                [windows] = self._index.nearest_windows(
                    [pair], window_words=_WINDOW_WORDS, context_words=_CONTEXT_WORDS, limit=k
                )
            except CorpusError as error:
                failed = error
                continue
            for window in windows:
                found.setdefault(window.document_id, window)
        if failed is not None and not found:
            raise failed
        shares = {
            window: len(asked & set(self._words(window.text))) / len(asked)
            for window in found.values()
        }
        best = sorted(shares, key=lambda window: -shares[window])[:k]
        hits = [ScoredPassage(each, shares[each], rank) for rank, each in enumerate(best, start=1)]
        return Retrieval(query, tuple(hits), _NAME)
