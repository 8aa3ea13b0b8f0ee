"""How relations are put into words: which tails they take and how a sentence says them.

Data, and the way from a relation as it was claimed ("was directed by", "date of birth") to what is
looked for. In a pattern ``T`` stands for the tail, ``~`` for a few words, every other word for all
words of its stem ("direct" for "directed", "director"). A relation that is not in the table is
looked for as it was put.

What this module does not do: read sentences (`averment.policies.relation_reading`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

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
        single: A head has one such tail, so that another one contradicts.
        zone: Where its tail stands in the brackets behind a person's name.
        of_subject: It is said with "is a" and the like, so that the head must be the subject.
    """

    name: str
    kind: TailKind
    patterns: tuple[Stems, ...]
    single: bool = False
    zone: LifeZone | None = None
    of_subject: bool = False

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
    asked = stems(_without_auxiliaries(words))
    kind = kind_of(tail)
    fitting = [sense for sense in _table() if _is_called(sense, asked)]
    if fitting:  # "born in": a place, unless the tail is a date
        return next((sense for sense in fitting if fits(sense.kind, kind)), fitting[0])
    if not any(word not in _empty_stems() for word in asked):
        return None
    return Sense(" ".join(words), kind, ((*asked, TAIL), (*asked, SOME, TAIL)))


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


def _is_called(sense: Sense, asked: Stems) -> bool:
    if asked == stems(TextForm().words(sense.name)):
        return True
    said = asked if TAIL in asked else (*asked, TAIL)
    return said in sense.patterns


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
    """The relations of `_RELATIONS` with their words as stems."""
    senses = []
    for line in _RELATIONS.strip().splitlines():
        name, kind, flags, patterns = (part.strip() for part in line.split("|"))
        senses.append(
            Sense(
                name=name,
                kind=TailKind(kind),
                patterns=tuple(_pattern(text) for text in patterns.split(";") if text.strip()),
                single="single" in flags,
                of_subject="subject" in flags,
                zone=next((zone for zone in LifeZone if zone in flags), None),
            )
        )
    return tuple(senses)


def _pattern(text: str) -> Stems:
    return tuple(
        word if word in _MARKS else stems([word.lower()])[0] for word in text.split()
    )


# name | kind of its tails | single, and the half of the life dates | patterns
_RELATIONS = """
director | person | single | directed by T; director T; film by T; direction of T; directed and ~ by T; directed ~ by T; T directed; T director; T film; directorial debut of T
date of birth | date | single birth | born T; born on T; born in T; born ~ T; b T; birth ~ T
place of birth | place | single birth | born in T; born at T; born ~ in T; born ~ at T; born near T; born ~ near T; native of T; birthplace T; from T
date of death | date | single death | died T; died on T; died in T; died ~ T; d T; death ~ T; killed ~ T; executed ~ T; until death in T; murdered ~ T; passed away ~ T
place of death | place | single death | died in T; died at T; died ~ in T; died ~ at T; death in T; killed in T; killed ~ in T; buried in T; executed in T; died near T
country of citizenship | country | subject | is a T; is an T; was a T; was an T; is the T; was the T; citizen of T; citizenship T; nationality T; born in T; born ~ in T; of T descent; from T; a T; an T; king of T; queen of T; president of T; minister of T
nationality | country | subject | is a T; is an T; was a T; was an T; citizen of T; nationality T; of T descent; from T
country of origin | country | subject | is a T; is an T; was a T; was an T; is ~ T; produced in T; made in T; from T; T film; T drama; T comedy; T band; based in T
country | country | subject | in T; of T; located in T; T municipality; is a T; is an T; province of T; T village; T county; T city; T company; in ~ T
publication date | date | single subject | is a T; is an T; was a T; a T film; released in T; released on T; released T; published in T; published on T; premiered ~ T; T album; T film; T song; T novel; release ~ T
inception | date | single | founded in T; founded on T; founded ~ in T; established in T; established ~ T; formed in T; formed ~ in T; created in T; incorporated ~ T; opened in T; started in T; since T; began in T
father | person | single | son of T; daughter of T; child of T; born to T; father T; father was T; father is T; sired by T; son to T; daughter to T; children of T; son and ~ of T; daughter and ~ of T; fathered by T; T and wife; T father of; parents T; parents were T
mother | person | single | mother T; mother was T; mother is T; his wife T; her wife T; T mother of; by his wife T; T gave birth to; son of ~ T; daughter of ~ T; child of ~ T; children of ~ T; born to ~ T; and wife T; marriage to T; parents ~ T
spouse | person | | wife T; husband T; wife of T; husband of T; married T; married to T; marry T; marriage to T; marriage with T; married ~ T; spouse T; widow of T; consort of T; consort to T; wives T; T married; T wife; wife ~ T; husband ~ T; wed T; wedding T; by marriage to T; relationship with T
child | person | | father of T; mother of T; son T; daughter T; children T; child T; parent of T; parents of T; sons T; daughters T; T son; T daughter; gave birth to T
sibling | person | | brother T; sister T; brother of T; sister of T; T brother; T sister; siblings T; sister ~ T; brother ~ T; half brother T; half sister T
performer | person | | performed by T; sung by T; song by T; album by T; single by T; recorded by T; singer T; band T; group T; ep by T; track by T; performed ~ by T; T song; T album; T single; artist T; by T
composer | person | single | composed by T; music by T; score by T; written by T; composer T; songs by T; scored by T; T composed; music of T; T wrote; soundtrack by T; music was composed by T; set to music by T; music T
screenwriter | person | | written by T; screenplay by T; writer T; script by T; written ~ by T; T wrote; screenplay ~ T
producer | person | | produced by T; producer T; produced ~ by T; T produced
author | person | single | written by T; novel by T; book by T; author T; by T; T wrote; T author of; play by T; T novel; T book; poem by T
cast member | person | | starring T; stars T; starred T; cast ~ T; played by T; starring ~ T; stars ~ T; features T; featuring T; portrayed by T
cause of death | name | single | died of T; died from T; cause of death T; died ~ of T; died ~ from T; killed by T; death from T; due to T; suffering from T; complications of T; T death
educated at | name | | graduated from T; studied at T; attended T; educated at T; alumnus of T; student at T; degree from T; graduate of T; studied ~ at T; educated ~ at T; degree ~ from T; graduated ~ from T; enrolled ~ T; trained at T; studying ~ at T; graduating from T
employer | name | | worked for T; works for T; worked at T; works at T; employed by T; professor at T; joined T; member of T; worked ~ at T; worked ~ for T; teaches at T; taught at T; professor ~ at T; played for T
award received | name | | awarded T; won T; received T; recipient of T; winner of T; winning T; awarded ~ T; won ~ T; received ~ T; nominated ~ T; honoured with T; honored with T; T winner; inducted into T; prize T
founded by | person | | founded by T; founder T; established by T; founded ~ by T; created by T; T founded; T founder; formed by T; started by T; T established; co founded by T; set up by T
publisher | name | | published by T; publisher T; published ~ by T; T published; issued by T; released by T; owned by T
has part | name | | consisting of T; members T; members ~ T; comprises T; includes T; composed of T; consists of T; part of T; member T; including T
capital | place | single | capital T; capital is T; capital ~ T; T capital of; T is the capital; capital city T
located in | place | | in T; located in T; situated in T; lies in T; near T; T province; T county; in ~ T; of T
occupation | name | subject | is a ~ T; was a ~ T; worked as T; works as T
position held | name | subject | served as T; elected T; appointed T; became T; was T; office of T; served as ~ T
"""
