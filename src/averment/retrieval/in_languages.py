"""Queries with their names as the languages of the passages write them: "Cologne", "Köln", "科隆".

The query stays as it is, and the other forms of its names are added to it, so that a passage in
another language is found by whom or what it speaks of. Nothing else is translated.

What this module does not do: know names (`averment.claims.aliases` does), rank.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from averment.ports import Retriever
from averment.types import Retrieval


class NamesInLanguages:
    """A `ports.Retriever` that asks another, with more forms of names.

    Args:
        retriever: Who ranks.
        forms_of: Gives the forms that are added to a query; none for most.
    """

    def __init__(self, retriever: Retriever, forms_of: Callable[[str], Sequence[str]]) -> None:
        self._retriever = retriever
        self._forms_of = forms_of

    def search(self, queries: Sequence[str], *, k: int) -> list[Retrieval]:
        """At most k passages for each query, best first; the retrieval names the query as asked."""
        asked = ["\n".join((query, *self._forms_of(query))) for query in queries]
        found = self._retriever.search(asked, k=k)
        return [replace(each, query=query) for each, query in zip(found, queries, strict=True)]
