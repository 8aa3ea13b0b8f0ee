"""How relations are put into words: which tails they take and how a sentence says them.

The way from a relation as it was claimed ("was directed by", "date of birth") to what is looked
for; the table is `relations.toml`. In a pattern ``T`` stands for the tail, ``~`` for a few words,
every other word for all words of its stem ("direct" for "directed"). A relation that is not in the
table is looked for as it was put.

What this module does not do: read sentences (`averment.policies.relation_reading`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources

from averment.quantities import Amount, quantities
from averment.text import TextForm

Stems = tuple[str, ...]
TAIL, SOME = "T", "~"


class TailKind(StrEnum):
    """What kind of thing a relation leads to."""

    DATE = "date"
    NUMBER = "number"
    PERSON = "person"
    PLACE = "place"
    COUNTRY = "country"
    NAME = "name"
    """Any name."""

    @property
    def is_name(self) -> bool:
        """Whether it is written as a name rather than as digits."""
        return self not in (TailKind.DATE, TailKind.NUMBER)


class LifeZone(StrEnum):
    """The half of "(12 May 1900, Lyon – 3 June 1980, Nice)" in which a tail stands."""

    BIRTH = "birth"
    DEATH = "death"


@dataclass(frozen=True, slots=True)
class Sense:
    """What a relation means, as far as it can be looked for.

    Args:
        name: Of the relation.
        kind: Of its tails.
        patterns: How sentences say it, as stems with `TAIL` and `SOME`.
        is_single: A head has one such tail, so that another one contradicts.
        zone: Where its tail stands in the brackets behind a person's name.
        of_subject: It is said with "is a" and the like, so that the head must be the subject.
        is_known: It is in the table, with the ways of saying it; else it is looked for as put.
    """

    name: str
    kind: TailKind
    patterns: tuple[Stems, ...]
    is_single: bool = False
    zone: LifeZone | None = None
    of_subject: bool = False
    is_known: bool = False

    @property
    def cues(self) -> frozenset[str]:
        """The stems that carry the meaning; empty where only the order of words does."""
        return frozenset(
            word
            for pattern in self.patterns
            for word in pattern
            if word not in _MARKS and word not in _empty_stems()
        )


def sense_of(relation: str, tail: str) -> Sense | None:
    """What to look for; None if the relation has no word that could be found.

    Args:
        relation: A label ("place of birth") or words of a sentence ("was born in").
        tail: The claimed tail, whose kind tells "born in 1912" from "born in Lyon".
    """
    words = TextForm().words(relation)
    asked, kind = stems(_without_auxiliaries(words)), kind_of(tail)
    labelled = _by_label().get(stems(words))
    if labelled is not None:
        return labelled
    if all(word in _empty_stems() for word in asked):
        return None
    # "born in" is said of a place, unless the tail is a date; "written by" of songs, films and
    # books, so that who wrote the music rules nothing out.
    said = [s for s in _table() if (*asked, TAIL) in s.patterns and fits(s.kind, kind)]
    if said and [sense.kind for sense in said].count(said[0].kind) == 1:
        return said[0]
    patterns = ((*asked, TAIL), (*asked, SOME, TAIL))
    return Sense(" ".join(words), kind, patterns, is_known=bool(said))


def kind_of(tail: str) -> TailKind:
    """Date or number, if the whole text is one, else a name."""
    found = quantities(tail)
    words = TextForm().words_with_spans(tail)
    if len(found) != 1 or not words:
        return TailKind.NAME
    is_all = found[0].start <= words[0].start and found[0].end >= words[-1].end
    if isinstance(found[0], Amount):
        return TailKind.NUMBER if is_all or found[0].start <= words[0].start else TailKind.NAME
    return TailKind.DATE if is_all else TailKind.NAME


def fits(wanted: TailKind, found: TailKind) -> bool:
    """Whether a tail of that kind can end a relation that wants another."""
    if wanted.is_name and found.is_name:
        return True
    return wanted is found


def stems(words: Sequence[str]) -> Stems:
    """The English stems of words in their normal form."""
    import Stemmer  # not at the top: a C extension

    return tuple(Stemmer.Stemmer("english").stemWords(list(words)))


def _without_auxiliaries(words: Sequence[str]) -> Sequence[str]:
    at = 0
    while at < len(words) - 1 and words[at] in _AUXILIARIES:
        at += 1
    return words[at:]


_MARKS = frozenset((TAIL, SOME))
_AUXILIARIES = frozenset(
    "is was are were be been being has have had does did do will would can could may might the a "
    "an its his her their also".split()
)
_EMPTY = frozenset(
    "a an and as at by for from in into is it of on or the to was were with are be been which who "
    "that".split()
)


@cache
def _empty_stems() -> frozenset[str]:
    return frozenset(stems(sorted(_EMPTY)))


@cache
def _table() -> tuple[Sense, ...]:
    """The relations of `relations.toml` with their words as stems."""
    file = resources.files("averment.policies") / "relations.toml"
    rows = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(
        Sense(
            name=name,
            kind=TailKind(row["kind"]),
            patterns=tuple(dict.fromkeys(map(_pattern, row["patterns"]))),
            is_single=row.get("single", False),
            zone=LifeZone(row["zone"]) if "zone" in row else None,
            of_subject=row.get("of_subject", False),
            is_known=True,
        )
        for name, row in rows.items()
    )


@cache
def _by_label() -> dict[Stems, Sense]:
    """The relations by the stems of their names; of two alike the first."""
    return {stems(TextForm().words(sense.name)): sense for sense in reversed(_table())}


def _pattern(text: str) -> Stems:
    return tuple(word if word in _MARKS else stems([word.lower()])[0] for word in text.split())
