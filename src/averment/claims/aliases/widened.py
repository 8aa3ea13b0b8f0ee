"""A corpus index that counts a name by all its forms, behind the same port.

Policies and replays ask as before. What was counted together is part of the answer (`Count.forms`,
`Cooccurrence.a_forms`), so that a trace says it.

What this module does not do: count, or decide which forms a name has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from averment.claims.aliases.book import NAME
from averment.dating import Dates, Days
from averment.errors import CapabilityError
from averment.ports import AliasResolver, CorpusIndex, DatedIndex
from averment.text import TextForm, one_holds_other
from averment.types import (
    Cooccurrence,
    CorpusInfo,
    Count,
    Occurrence,
    Passage,
    Phrase,
    SurfaceForm,
)

Forms: TypeAlias = tuple[SurfaceForm, ...]
_Pair: TypeAlias = tuple[Forms, Forms]


class WidenedIndex:
    """A `ports.CorpusIndex` that asks another about the forms of each phrase that is a text.

    In a pair a further form of one side that holds, or is held by, a form of the other is left
    out: such a pair would be found by its spelling alone.

    Args:
        index: Who counts.
        resolver: Who knows the forms.
        form: The text form of the index.
    """

    def __init__(
        self, index: CorpusIndex, resolver: AliasResolver, *, form: TextForm | None = None
    ) -> None:
        self._index = index
        self._resolver = resolver
        self._form = form or TextForm()
        self._words = self._form.words

    @property
    def info(self) -> CorpusInfo:
        """What the index is; its digest says nothing of aliases, which the counts do."""
        return self._index.info

    def dated(self, dates: Dates) -> WidenedIndex:
        """The same index, with the same forms, about documents of some dates.

        Raises:
            CapabilityError: The index that counts does not know dates.
        """
        return WidenedIndex(self._of_dates().dated(dates), self._resolver, form=self._form)

    def dates(self) -> Mapping[Days | None, int]:
        """How many documents have each date; as `dated`."""
        return self._of_dates().dates()

    def _of_dates(self) -> DatedIndex:
        if not isinstance(self._index, DatedIndex):
            raise CapabilityError(f"The index {self.info.name!r} does not know dates.")
        return self._index

    def count(self, phrases: Sequence[Phrase]) -> list[Count]:
        """Occurrences and documents of each phrase in any of its forms."""
        forms = self._forms(phrases)
        counts = self._index.count([_phrase(some) for some in forms])
        return [
            replace(count, forms=told) if (told := _told(some)) != count.forms else count
            for count, some in zip(counts, forms, strict=True)
        ]

    def exists(
        self, pairs: Sequence[tuple[Phrase, Phrase]], *, window_words: int
    ) -> list[bool | None]:
        """Whether each pair occurs in any of its forms."""
        return self._index.exists(_phrases(self._apart(pairs)), window_words=window_words)

    def cooccurrence(
        self, pairs: Sequence[tuple[Phrase, Phrase]], *, window_words: int
    ) -> list[Cooccurrence]:
        """Pairs, documents and the smallest distance, in any form."""
        forms = self._apart(pairs)
        found = self._index.cooccurrence(_phrases(forms), window_words=window_words)
        return [_with_forms(one, pair) for one, pair in zip(found, forms, strict=True)]

    def cooccurrence_by_window(
        self, pairs: Sequence[tuple[Phrase, Phrase]], *, windows_words: Sequence[int]
    ) -> list[tuple[Cooccurrence, ...]]:
        """What `cooccurrence` gives for each of some windows."""
        forms = self._apart(pairs)
        found = self._index.cooccurrence_by_window(_phrases(forms), windows_words=windows_words)
        return [
            tuple(_with_forms(one, pair) for one in each)
            for each, pair in zip(found, forms, strict=True)
        ]

    def locate(self, phrase: Phrase, *, limit: int) -> list[Occurrence]:
        """The first occurrences in any form."""
        (forms,) = self._forms([phrase])
        return self._index.locate(_phrase(forms), limit=limit)

    def locate_pair(
        self, a: Phrase, b: Phrase, *, window_words: int, limit: int
    ) -> list[Occurrence]:
        """One occurrence a document, in any form."""
        ((one, other),) = _phrases(self._apart([(a, b)]))
        return self._index.locate_pair(one, other, window_words=window_words, limit=limit)

    def nearest_windows(
        self,
        pairs: Sequence[tuple[Phrase, Phrase]],
        *,
        window_words: int,
        context_words: int,
        limit: int,
    ) -> list[tuple[Passage, ...]]:
        """The text around each pair, in any form."""
        return self._index.nearest_windows(
            _phrases(self._apart(pairs)),
            window_words=window_words,
            context_words=context_words,
            limit=limit,
        )

    def _forms(self, phrases: Sequence[Phrase]) -> list[Forms]:
        """The forms of each phrase; a set of forms is already what somebody resolved."""
        names = [phrase for phrase in phrases if isinstance(phrase, str)]
        resolved = iter(self._resolver.forms(names))
        return [
            next(resolved)
            if isinstance(phrase, str)
            else tuple(SurfaceForm(text, NAME) for text in sorted(phrase))
            for phrase in phrases
        ]

    def _apart(self, pairs: Sequence[tuple[Phrase, Phrase]]) -> list[_Pair]:
        forms = self._forms([phrase for pair in pairs for phrase in pair])
        return [
            (self._without(a, b), self._without(b, a))
            for a, b in zip(forms[::2], forms[1::2], strict=True)
        ]

    def _without(self, forms: Forms, others: Forms) -> Forms:
        """The forms that share no spelling with the other side; a name as asked always stays."""
        theirs = [self._words(other.text) for other in others]
        return tuple(
            form
            for form in forms
            if form.source == NAME or not self._overlaps(self._words(form.text), theirs)
        )

    def _overlaps(self, words: list[str], theirs: list[list[str]]) -> bool:
        return any(one_holds_other(words, one) for one in theirs)


def _phrase(forms: Forms) -> Phrase:
    return forms[0].text if len(forms) == 1 else frozenset(form.text for form in forms)


def _phrases(pairs: Sequence[_Pair]) -> list[tuple[Phrase, Phrase]]:
    return [(_phrase(a), _phrase(b)) for a, b in pairs]


def _told(forms: Forms) -> Forms:
    return forms if len(forms) > 1 else ()


def _with_forms(found: Cooccurrence, pair: _Pair) -> Cooccurrence:
    told = _told(pair[0]), _told(pair[1])
    if told == (found.a_forms, found.b_forms):
        return found
    return replace(found, a_forms=told[0], b_forms=told[1])
