"""What counts and co-occurrence ARE: a scan over token lists that every engine must equal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from averment.text import TextForm
from averment.types import Cooccurrence, Count, CountKind, Document


class NaiveIndex:
    """Scans the words of every document for every question."""

    def __init__(self, documents: Sequence[Document], form: TextForm) -> None:
        self._form = form
        self._documents = {d.document_id: form.words(d.text) for d in documents}

    def starts(self, phrase: str) -> dict[str, list[int]]:
        """By document, the numbers of the words at which the phrase starts."""
        wanted = self._form.words(phrase)
        found = {}
        for document_id, words in self._documents.items():
            last = len(words) - len(wanted)
            at = [i for i in range(last + 1) if words[i : i + len(wanted)] == wanted]
            if at:
                found[document_id] = at
        return found

    def count(self, phrase: str) -> Count:
        found = self.starts(phrase)
        return Count(sum(map(len, found.values())), len(found), CountKind.EXACT)

    def cooccurrence(self, a: str, b: str, window_words: int) -> Cooccurrence:
        words_apart = [abs(i - j) for _, i, j in self._together(a, b)]
        return Cooccurrence(
            exists=any(apart <= window_words for apart in words_apart),
            documents=len({d for d, i, j in self._together(a, b) if abs(i - j) <= window_words}),
            pairs=sum(apart <= window_words for apart in words_apart),
            nearest_words=min(words_apart, default=None),
            kind=CountKind.EXACT,
        )

    def closest_pairs(self, a: str, b: str, window_words: int) -> dict[str, tuple[int, int]]:
        """By document, the closest pair (i, j) within the window; the first of equals."""
        closest: dict[str, tuple[int, int]] = {}
        ordered = sorted(self._together(a, b), key=lambda p: (abs(p[1] - p[2]), min(p[1], p[2])))
        for document_id, i, j in ordered:
            if abs(i - j) <= window_words:
                closest.setdefault(document_id, (i, j))
        return {d: closest[d] for d in self._documents if d in closest}

    def _together(self, a: str, b: str) -> Iterator[tuple[str, int, int]]:
        starts_of_b = self.starts(b)
        for document_id, starts in self.starts(a).items():
            for i, j in product(starts, starts_of_b.get(document_id, [])):
                yield document_id, i, j
