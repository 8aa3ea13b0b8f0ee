"""What counts and co-occurrence ARE: a scan over token lists that every engine must equal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product

from averment.text import TextForm
from averment.types import Cooccurrence, Count, CountKind, Document, Phrase


class NaiveIndex:
    """Scans the words of every document for every question."""

    def __init__(self, documents: Sequence[Document], form: TextForm) -> None:
        self._form = form
        self._documents = {d.document_id: form.words(d.text) for d in documents}

    def spans(self, phrase: Phrase) -> dict[str, list[tuple[int, int]]]:
        """By document, at which word the phrase starts and how many words it has there."""
        spellings = {phrase} if isinstance(phrase, str) else phrase
        forms = {tuple(self._form.words(spelling)) for spelling in spellings}
        found = {}
        for document_id, words in self._documents.items():
            if len(forms) == 1:
                (form,) = forms
                starts = range(len(words) - len(form) + 1)
                spans = [(i, len(form)) for i in starts if tuple(words[i : i + len(form)]) == form]
            else:
                spans = _matches(words, sorted(forms, key=len, reverse=True))
            if spans:
                found[document_id] = spans
        return found

    def starts(self, phrase: Phrase) -> dict[str, list[int]]:
        """By document, the numbers of the words at which the phrase starts."""
        return {d: [start for start, _ in spans] for d, spans in self.spans(phrase).items()}

    def count(self, phrase: Phrase) -> Count:
        found = self.starts(phrase)
        return Count(sum(map(len, found.values())), len(found), CountKind.EXACT)

    def cooccurrence(self, a: Phrase, b: Phrase, window_words: int) -> Cooccurrence:
        words_apart = [abs(i - j) for _, i, j in self._together(a, b)]
        return Cooccurrence(
            exists=any(apart <= window_words for apart in words_apart),
            documents=len({d for d, i, j in self._together(a, b) if abs(i - j) <= window_words}),
            pairs=sum(apart <= window_words for apart in words_apart),
            nearest_words=min(words_apart, default=None),
            kind=CountKind.EXACT,
        )

    def closest_pairs(self, a: Phrase, b: Phrase, window_words: int) -> dict[str, tuple[int, int]]:
        """By document, the closest pair (i, j) within the window; the first of equals."""
        closest: dict[str, tuple[int, int]] = {}
        ordered = sorted(self._together(a, b), key=lambda p: (abs(p[1] - p[2]), min(p[1], p[2])))
        for document_id, i, j in ordered:
            if abs(i - j) <= window_words:
                closest.setdefault(document_id, (i, j))
        return {d: closest[d] for d in self._documents if d in closest}

    def _together(self, a: Phrase, b: Phrase) -> Iterator[tuple[str, int, int]]:
        starts_of_b = self.starts(b)
        for document_id, starts in self.starts(a).items():
            for i, j in product(starts, starts_of_b.get(document_id, [])):
                yield document_id, i, j


def _matches(words: Sequence[str], forms: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """What a regular expression of the forms finds, as (start, number of words)."""
    alternatives = "|".join(re.escape(" ".join(form)) for form in forms)
    pattern, text = re.compile(rf"(?<!\S)(?:{alternatives})(?!\S)"), " ".join(words)
    return [
        (text.count(" ", 0, match.start()), match.group().count(" ") + 1)
        for match in pattern.finditer(text)
    ]
