"""Which tails a window of text gives the relation of a head, read by patterns.

A sentence speaks of the head if it names it, or if its document is about it. The tail of a pattern
is the nearest thing of the right kind beside its words ("directed by Tim Story and starring Nick
Cannon" gives one director), with what is listed beside it. Dates and numbers are compared by value.

What this module does not do: resolve pronouns, understand. What it does not find may still be
said in other words, so finding nothing contradicts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from averment.dates import Date, Relation
from averment.policies.relations import (
    SOME,
    TAIL,
    LifeZone,
    Sense,
    Stems,
    TailKind,
    stems,
)
from averment.quantities import Quantity, compare, quantities
from averment.text import (
    Span,
    TextForm,
    Word,
    capitalised_names,
    one_holds_other,
    sentence_spans,
)
from averment.types import Passage

_SOME_WORDS = 10
"""The most words that `SOME` stands for."""
_GAP_WORDS = 3
"""The most words between the words of a pattern and its tail."""
_GAP_BEFORE_WORDS = 1
"""The same where the tail comes first."""
_OPENING_WORDS = 8
_OPENING_CHARACTERS = 200
"""A document whose text names something so early is about it."""
_SAME_ROOT_CHARACTERS = 4
"""Country and people ("Israel", "Israeli") share at least so many letters."""
_BROKEN = re.compile(r"[:()\[\]]|\.\s|--")
_LISTED = re.compile(r"\s*(?:,|/|&|,?\s*and|\s)\s*", re.IGNORECASE)
_BRACKETS = re.compile(r"\(([^()]*)\)")
_LIFE_DASH = re.compile(r"\s*[–—]\s*|\s+-+\s*|-+\s?(?=\d|(?:c\.|[A-Z][a-z]+)\s\d)")
_LONGER_NAME = re.compile(r"\s[A-Z]")
_PRONOUN = re.compile(
    r"\W*(?:he|she|it|they|his|her|its|their|the (?:film|song|album|band))\b", re.I
)
_BETWEEN_NAME_AND_BRACKET = 40
_DISAMBIGUATOR = re.compile(r"\s*\([^()]*\)\s*$")


class Reading(NamedTuple):
    """What a window says of a relation: whether it gives the tail, and which others it gives.

    `others` are such that rule the claimed one out. `is_near`: a sentence that speaks of the head
    has the tail and a word of the relation, which is less than a statement.
    """

    is_stated: bool
    others: tuple[str, ...]
    is_near: bool


class _Stated(NamedTuple):
    """A tail that a sentence gives the relation, at `start:end` of it.

    `is_firm`: it stands where only such a tail stands, so that it may rule out another one.
    """

    text: str
    start: int
    end: int
    is_firm: bool


@dataclass(frozen=True)
class Tail:
    """A claimed tail: the forms of its name, or its value."""

    forms: tuple[str, ...]
    kind: TailKind

    @cached_property
    def words(self) -> list[list[str]]:
        """The words of each form."""
        return [TextForm().words(form) for form in self.forms]

    @cached_property
    def values(self) -> list[Quantity]:
        """The quantities of the forms; none where it is a name."""
        return [] if self.kind.is_name else [one for form in self.forms for one in quantities(form)]

    def is_stated(self, text: str) -> bool:
        """Whether what is stated is this tail, or something that it follows from."""
        if self.values:
            said = quantities(text)
            return any(
                compare(value, one) is Relation.SAME for value in self.values for one in said
            )
        named = TextForm().words(text)
        return any(
            one_holds_other(named, words) or self._is_same(words, named) for words in self.words
        )

    def is_ruled_out(self, text: str) -> bool:
        """Whether only one of both can be meant; a vaguer date rules nothing out."""
        if self.values:
            said = quantities(text)
            relations = [compare(value, one) for value in self.values for one in said]
            return bool(relations) and all(each is Relation.DIFFERENT for each in relations)
        return not self.is_stated(text)

    def _is_same(self, words: Sequence[str], said: Sequence[str]) -> bool:
        """Country and people ("Israel", "Israeli"); a person with and without middle names."""
        if self.kind is TailKind.PERSON:
            return len(words) > 1 and (words[0], words[-1]) == (said[0], said[-1])
        return self.kind is TailKind.COUNTRY and any(
            a[:_SAME_ROOT_CHARACTERS] == b[:_SAME_ROOT_CHARACTERS]
            for a in words
            for b in said
            if min(len(a), len(b)) >= _SAME_ROOT_CHARACTERS
        )


def is_about(window: Passage, head: Sequence[str]) -> bool:
    """Whether the document of a window is about a name: its title, or the first it mentions."""
    names = [TextForm().words(form) for form in head]
    title = TextForm().words(_DISAMBIGUATOR.sub("", window.title))
    if title in names:
        return True
    if window.start > 0 or any(title[: len(name)] == name for name in names if name):
        return False  # "Lorna Doone" is not about Lorna
    opening = TextForm().words_with_spans(window.text[:_OPENING_CHARACTERS])
    mentioned = _places(window.text, opening[:_OPENING_WORDS], names)
    return bool(mentioned)


def reads(sense: Sense, head: Sequence[str], tail: Tail, window: Passage) -> Reading:
    """What a window says of the relation of a head: the claimed tail, or another one."""
    is_stated = is_near = False
    others: list[str] = []
    for number, sentence in enumerate(_sentences(head, tail, window)):
        found = list(_of_sentence(sentence, sense, opens=sentence.about and number == 0))
        if any(tail.is_stated(one.text) for one in found):
            is_stated = True  # "in Warsaw in Poland": what is said beside it is no rival
        else:
            others += [one.text for one in found if one.is_firm and tail.is_ruled_out(one.text)]
        is_near = is_near or bool(sentence.tails and sense.cues & set(sentence.stems))
    return Reading(is_stated, tuple(others), is_near)


def has_value(tail: Tail, window: Passage) -> bool:
    """Whether the number or date of a tail stands in a window, however it is written."""
    return bool(tail.values) and tail.is_stated(window.text)


def _sentences(head: Sequence[str], tail: Tail, window: Passage) -> list[_Sentence]:
    """The sentences of a window that speak of the head."""
    about = is_about(window, head)
    sentences = [
        _Sentence(window.text[span.start : span.end], head, tail, about=about)
        for span in sentence_spans(window.text)
    ]
    return [sentence for sentence in sentences if about or sentence.heads]


class _Sentence:
    """A sentence by words, with where it names head and tail and what else it names."""

    def __init__(self, text: str, head: Sequence[str], tail: Tail, *, about: bool) -> None:
        self.text = text
        self.about = about
        self.words: list[Word] = TextForm().words_with_spans(text)
        self.forms = [word.form for word in self.words]
        self.stems: Stems = stems(self.forms)
        self.tail = tail
        self.heads = _places(text, self.words, [TextForm().words(form) for form in head])
        self.quantities = quantities(text, self.words)

    @cached_property
    def tails(self) -> list[Span]:
        """Where the tail is named or its value stands."""
        if self.tail.values:
            return [
                Span(one.start, one.end)
                for one in self.quantities
                if any(compare(value, one) is Relation.SAME for value in self.tail.values)
            ]
        return _places(self.text, self.words, self.tail.words, may_go_on=True)

    def things(self, kind: TailKind) -> list[Span]:
        """What could be a tail of that kind, in order, without the head."""
        if kind is TailKind.DATE:
            found = [Span(q.start, q.end) for q in self.quantities if isinstance(q, Date)]
        elif kind is TailKind.NUMBER:
            found = [Span(q.start, q.end) for q in self.quantities if not isinstance(q, Date)]
        else:
            dates = [q for q in self.quantities if isinstance(q, Date)]
            names = [Span(name.start, name.end) for name in capitalised_names(self.text)]
            taken = [*self.tails, *(Span(date.start, date.end) for date in dates)]
            found = self.tails + [name for name in names if not _overlaps(name, taken)]
        return sorted(one for one in found if not _overlaps(one, self.heads))

    def has_subject_at(self, start: int, *, opens: bool) -> bool:
        """Whether a predicate that starts there is said of the head."""
        if opens or (self.about and _PRONOUN.match(self.text)):
            return True
        before = (self.text[head.end : start] for head in self.heads if head.end <= start)
        return any(
            len(_BRACKETS.sub("", gap).split()) <= _GAP_WORDS and not _BROKEN.search(gap)
            for gap in before
        )

    def stems_between(self, start: int, end: int) -> list[str]:
        """The stems of the words that begin in a range of characters."""
        placed = zip(self.words, self.stems, strict=True)
        return [stem for word, stem in placed if start <= word.start < end]


def _places(
    text: str, words: Sequence[Word], names: Sequence[Sequence[str]], *, may_go_on: bool = False
) -> list[Span]:
    """Where names stand; "Lorna Doone" does not name Lorna, unless the name may go on."""
    forms = [word.form for word in words]
    found = [
        Span(words[at].start, words[at + len(name) - 1].end)
        for name in names
        if name
        for at in range(len(words) - len(name) + 1)
        if forms[at : at + len(name)] == list(name)
    ]
    return [each for each in found if may_go_on or not _LONGER_NAME.match(text, each.end)]


def _overlaps(one: Span, others: Sequence[Span]) -> bool:
    return any(other.start < one.end and one.start < other.end for other in others)


def _of_sentence(sentence: _Sentence, sense: Sense, *, opens: bool) -> Iterator[_Stated]:
    things = sentence.things(sense.kind)
    if not things:
        return
    if sense.zone is not None:
        yield from _in_life_brackets(sentence, sense, things, opens=opens)
    for pattern in sense.patterns:
        is_firm = sense.kind is not TailKind.PERSON or SOME not in pattern
        reach = _SOME_WORDS if pattern[-2] == SOME else _GAP_WORDS
        for start, end in _matches([word for word in pattern if word != TAIL], sentence):
            if pattern[0] == TAIL:
                yield from _before(sentence, things, start)
            elif not sense.of_subject or sentence.has_subject_at(start, opens=opens):
                for thing in _after(sentence, things, end, reach, sense.kind):
                    yield thing._replace(is_firm=is_firm)


def _matches(words: Sequence[str], sentence: _Sentence) -> Iterator[tuple[int, int]]:
    """Where the words of a pattern begin and end, in characters."""
    words = words[:-1] if words[-1] == SOME else words
    for at in range(len(sentence.words)):
        last = _match(words, sentence.stems, at)
        if last is not None:
            yield sentence.words[at].start, sentence.words[last - 1].end


def _match(words: Sequence[str], found: Stems, at: int) -> int | None:
    """Behind which word a match that begins there ends; None if there is none."""
    if not words:
        return at
    if words[0] == SOME:
        return next(
            (
                end
                for skipped in range(_n_skippable(found, at))
                if (end := _match(words[1:], found, at + skipped)) is not None
            ),
            None,
        )
    if at < len(found) and found[at] == words[0]:
        return _match(words[1:], found, at + 1)
    return None


def _n_skippable(found: Stems, at: int) -> int:
    """How many words `SOME` may stand for, plus one: it does not pass from a life to a death."""
    within = found[at : at + _SOME_WORDS]
    turns = (n for n, stem in enumerate(within) if stem in _LIFE_TURNS)
    return next(turns, len(within) - 1) + 1


_LIFE_TURNS = frozenset(("born", "death", "die", "kill", "marri"))


def _after(
    sentence: _Sentence, things: Sequence[Span], end: int, most_words: int, kind: TailKind
) -> Iterator[_Stated]:
    """The first thing behind a place, and what is listed with it."""
    following = [thing for thing in things if thing.start >= end]
    if not following or not _is_near(sentence, end, following[0].start, most_words):
        return
    if _LIFE_TURNS & set(sentence.stems_between(end, following[0].start)):
        return
    last = start = end
    for thing in following:
        gap = sentence.text[last : thing.start]
        if last != end and not _goes_on(gap, kind, n_characters=last - start):
            return
        start = thing.start
        yield _Stated(sentence.text[thing.start : thing.end], *thing, True)
        last = thing.end


def _before(sentence: _Sentence, things: Sequence[Span], start: int) -> Iterator[_Stated]:
    """The last thing before a place."""
    preceding = [thing for thing in things if thing.end <= start]
    if preceding and _is_near(sentence, preceding[-1].end, start, _GAP_BEFORE_WORDS):
        yield _Stated(sentence.text[preceding[-1].start : preceding[-1].end], *preceding[-1], False)


def _is_near(sentence: _Sentence, start: int, end: int, most_words: int) -> bool:
    gap = sentence.text[start:end]
    return not _BROKEN.search(gap) and len(sentence.stems_between(start, end)) <= most_words


def _goes_on(gap: str, kind: TailKind, *, n_characters: int) -> bool:
    """Whether what follows a gap still is the tail, or listed with it.

    "actor and singer" between two names makes them one noun phrase, "and starring" does not.
    Places are told from the smaller to the larger, whatever stands between them.
    """
    gap = _BRACKETS.sub(" ", gap)
    if _LISTED.fullmatch(gap):
        return True
    if gap == ". ":
        return n_characters <= _ABBREVIATION_CHARACTERS  # "the Hon. George Villiers"
    words = re.findall(r"[^\W\d_]+", gap)
    if _BROKEN.search(gap) or len(words) > _PHRASE_WORDS:
        return False
    if kind is TailKind.COUNTRY:
        return True
    return gap.count(",") == 0 and all(word.islower() and word not in _LINKS for word in words)


_PHRASE_WORDS = 5
_ABBREVIATION_CHARACTERS = 4
_LINKS = frozenset(
    "a an as at but by for from he his her in into is it of on or she that the their they to "
    "was were who which while with starring featuring based written produced directed".split()
)


def _in_life_brackets(
    sentence: _Sentence, sense: Sense, things: Sequence[Span], *, opens: bool
) -> Iterator[_Stated]:
    """Birth before the dash and death behind it, in the brackets that follow a name."""
    for number, brackets in enumerate(_BRACKETS.finditer(sentence.text)):
        follows = any(
            0 <= brackets.start() - head.end <= _BETWEEN_NAME_AND_BRACKET for head in sentence.heads
        )
        dash = _LIFE_DASH.search(brackets[1])
        if dash is None or not (follows or (opens and number == 0)):
            continue
        at = brackets.start(1)
        birth, death = Span(at, at + dash.start()), Span(at + dash.end(), brackets.end(1))
        zone = birth if sense.zone is LifeZone.BIRTH else death
        for thing in things:
            if zone.start <= thing.start and thing.end <= zone.end:
                firm = sense.kind is TailKind.DATE
                yield _Stated(sentence.text[thing.start : thing.end], *thing, firm)
