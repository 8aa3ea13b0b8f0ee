"""What an infini-gram index is asked, whoever answers: an engine on this machine or a server.

Values come back, errors don't: a question that was not answered is a `Refused` with its reason,
which is neither an answer nor zero. What this module does not do: ask.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from averment.text import TextForm, Word

TokenIds: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """A question that was not answered; `reason` says why in words."""

    reason: str


class Rank(NamedTuple):
    """An occurrence: its shard, and its rank in the suffix array of that shard."""

    shard: int
    rank: int


@dataclass(frozen=True, slots=True)
class Found:
    """The occurrences of a phrase.

    ``token_ids`` is empty where phrases are not made of tokens; ``segments`` are the half-open
    ranges of ranks, one a shard.
    """

    token_ids: TokenIds
    n: int
    segments: tuple[tuple[int, int], ...]
    is_estimate: bool = False

    def ranks(self, limit: int) -> list[Rank]:
        """The first of its occurrences, shard by shard."""
        found: list[Rank] = []
        for shard, (low, high) in enumerate(self.segments):
            high = min(high, low + limit - len(found))
            found += [Rank(shard, rank) for rank in range(low, high)]
        return found


@dataclass(frozen=True, slots=True)
class ForeignDocument:
    """A document as an index gives it; ``number`` is its place in the corpus.

    ``is_whole`` is false where only the surroundings of an occurrence were given.
    """

    number: int
    document_id: str
    title: str
    text: str
    is_whole: bool


class Place(NamedTuple):
    """Where a phrase stands in a text: its first word, and how many words it has."""

    word: int
    n_words: int


class Matching(Protocol):
    """What counts as an occurrence, told on texts as the index tells it on tokens."""

    @property
    def identity(self) -> str:
        """What must be equal for counts to be comparable."""
        ...

    def spelling(self, phrase: str) -> str:
        """The phrase as it is asked; phrases of one spelling are one question."""
        ...

    def places(self, text: str, words: Sequence[Word], spelling: str) -> list[Place]:
        """Where it occurs in a text of these words, in order."""
        ...

    def explains(self, text: str, words: Sequence[Word], spelling: str) -> bool:
        """Whether the text shows why an index would have counted it."""
        ...


class Source(Protocol):
    """An index in infini-gram's format. Every method takes a batch and keeps its order."""

    @property
    def matching(self) -> Matching:
        """What counts as an occurrence."""
        ...

    @property
    def is_exact_text(self) -> bool:
        """Whether documents come back as they were written, so that offsets mean anything."""
        ...

    @property
    def most_read(self) -> int:
        """Documents that may be read to answer one question."""
        ...

    @property
    def most_tokens_apart(self) -> int:
        """The widest window that can be asked for; 0: none can."""
        ...

    @property
    def most_terms(self) -> int:
        """Forms of one name that can be asked for together."""
        ...

    @property
    def tokens_per_word(self) -> float:
        """How many tokens a word has, about."""
        ...

    def find(self, spellings: Sequence[str]) -> list[Found | Refused]:
        """The occurrences of each phrase."""
        ...

    def count_near(
        self, pairs: Sequence[tuple[Sequence[TokenIds], Sequence[TokenIds]]], *, n_tokens: int
    ) -> list[int | Refused]:
        """How often any form of one name starts within so many tokens of one of another, about."""
        ...

    def documents(self, ranks: Sequence[Rank]) -> list[ForeignDocument | Refused]:
        """The document of each occurrence."""
        ...

    def document_numbers(self, found: Sequence[Found]) -> list[int] | None:
        """The documents of all these occurrences, as numbers; None where that would take long."""
        ...


@dataclass(frozen=True, slots=True)
class AsWritten:
    """A phrase occurs where its characters stand, after a blank and not inside of a word."""

    identity: str

    def spelling(self, phrase: str) -> str:
        """The phrase with single blanks."""
        return " ".join(phrase.split())

    def places(self, text: str, words: Sequence[Word], spelling: str) -> list[Place]:
        """Where it stands; a break of the line is a blank too."""
        pattern = r"\s+".join(map(re.escape, spelling.split(" ")))
        starts = [word.start for word in words]
        found = []
        for match in re.finditer(rf"(?<!\S)(?=({pattern})(?!\w))", text):
            first, end = (bisect_left(starts, at) for at in match.span(1))
            if first < end:
                found.append(Place(first, end - first))
        return found

    def explains(self, text: str, words: Sequence[Word], spelling: str) -> bool:
        """Whether its characters stand there, be it inside of a longer word."""
        return spelling in " ".join(text.split())


@dataclass(frozen=True, slots=True)
class InWords:
    """A phrase occurs where its words stand in a row, in averment's own text form."""

    form: TextForm

    @property
    def identity(self) -> str:
        """That of the text form."""
        return self.form.identity

    def spelling(self, phrase: str) -> str:
        """Its words in their normal form."""
        return self.form.key(phrase)

    def places(self, text: str, words: Sequence[Word], spelling: str) -> list[Place]:
        """Where they stand."""
        asked = spelling.split(" ")
        forms = [word.form for word in words]
        n = len(asked)
        return [
            Place(at, n)
            for at in range(len(forms) - n + 1)
            if forms[at] == asked[0] and forms[at : at + n] == asked
        ]

    def explains(self, text: str, words: Sequence[Word], spelling: str) -> bool:
        """Whether its words stand there."""
        return bool(self.places(text, words, spelling))
