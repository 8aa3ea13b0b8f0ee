"""Sentences that stand on their own: a subject that is a pronoun becomes the name it stands for.

"Kumbasaram was directed by Haneef. He was born in Zurich." says of Haneef where he was born; held
against a corpus alone, the second sentence says nothing. The rules look back within one answer
only, and only at what can be a subject: "he" and "she" are the person that was last spoken of,
"it" is the last subject that is no person, "the film" the last subject that is one.

What this module does not do: pronouns that are no subject ("… directed him"), "they", several
candidates (the sentence then stays as it is), other languages than English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from averment.claims.clauses import subjects
from averment.claims.reading import read
from averment.claims.rules import stated
from averment.claims.titles import WORKS
from averment.claims.vocabulary import PROFESSIONS
from averment.text import Span
from averment.types import Triplet

_LINK = r"(?:In|On|By|After|Before|Since|During|Until|From|At|As|When|While|Ahead of|For|With)\b"
_OPENING = (
    rf"(?:{_LINK}[^.;]{{1,80}}, |{_LINK}[^,.;]{{1,40}} (?=(?:he|she|it) [a-z])"
    r"|(?:Born|Raised|Educated|Widely|Originally|Later|Also|Then)\b[^.;]{0,80}, |Later )?"
)
_PERSONAL = re.compile(rf"(?P<opening>{_OPENING})(?P<pronoun>[Hh]e|[Ss]he|[Ii]t)(?= [a-z])")
_POSSESSIVE = re.compile(rf"(?P<opening>{_OPENING})(?P<pronoun>[Hh]is|[Hh]er|[Ii]ts)(?= [a-z])")
_THE_WORK = re.compile(rf"(?P<opening>{_OPENING})(?P<pronoun>[Tt]he (?P<work>{WORKS}))(?= [a-z])")
_DUMMY_IT = re.compile(
    r"It (?:is|was|has been|seems|appears) (?:\w+ly )?(?:that|clear|known|unclear|possible|likely"
    r"|believed|said|thought|reported|estimated|important|because|not|in|on|during)\b"
)
_PROFESSION = "|".join(sorted(PROFESSIONS))
_OF_A_PERSON = re.compile(
    r"\b(?:born|died|married|son|daughter|husband|wife|father|mother|studied|graduated|educated)\b"
    rf"|\b(?:is|was) (?:\S+ ){{1,6}}?(?:{_PROFESSION})s?\b"
)
_IS_A_WORK = re.compile(
    r"\b(?:is|was) (?:an?|the) (?:(?!(?:on|of|in|by|who|for|at|about) )[\w'-]+ ){0,9}?"
    rf"{WORKS}\b(?! (?:\w+ ){{0,3}}?(?:{_PROFESSION})\b)"
)
_MADE = re.compile(r"\b(?:was|were|is) (?:directed|written|composed|released|recorded|filmed)\b")


@dataclass(frozen=True, slots=True)
class SelfContained:
    """A sentence that can be read alone.

    ``text`` is the sentence with the name in it; ``pronoun`` is where in the sentence as it was
    given the words stand that the name replaced, None if nothing was.
    """

    text: str
    name: str = ""
    pronoun: Span | None = None


@dataclass(frozen=True, slots=True)
class _Candidate:
    name: str
    is_person: bool
    is_work: bool


def self_contained(sentences: Sequence[str]) -> list[SelfContained]:
    """Each sentence of an answer with its subject named, as far as earlier sentences name it.

    Args:
        sentences: The sentences of one answer, in order.

    Example:
        >>> told = self_contained(["Haneef is a director.", "He was born in Zurich."])
        >>> told[1].text
        'Haneef was born in Zurich.'
    """
    context = _Context()
    return [context.told(sentence) for sentence in sentences]


class _Context:
    """What the sentences so far have spoken of."""

    def __init__(self) -> None:
        self._known: list[_Candidate] = []
        self._unread: list[str] = []  # few texts have pronouns, and reading takes a while
        self._person = ""  # whom "he" or "she" last stood for
        self._thing = ""

    def told(self, sentence: str) -> SelfContained:
        """The sentence with its subject named; from now on it belongs to the context."""
        told = self._named(sentence)
        self._unread.append(told.text)
        return told

    def _spoken_of(self) -> list[_Candidate]:
        """Of the last sentence that has any."""
        read_back = (list(_candidates(sentence)) for sentence in reversed(self._unread))
        self._known = next((found for found in read_back if found), self._known)
        self._unread = []
        return self._known

    def _named(self, sentence: str) -> SelfContained:
        for pattern, ending in ((_PERSONAL, ""), (_POSSESSIVE, "'s"), (_THE_WORK, "")):
            found = pattern.match(sentence)
            if found and not _DUMMY_IT.match(sentence):
                name = self._antecedent(found["pronoun"].lower())
                if name:
                    start, end = found.span("pronoun")
                    text = sentence[:start] + name + ending + sentence[end:]
                    return SelfContained(text, name, Span(start, end))
        return SelfContained(sentence)

    def _antecedent(self, pronoun: str) -> str:
        known = self._spoken_of()
        if pronoun in ("he", "she", "his", "her"):
            self._person = self._last_person(known) or self._person
            return self._person
        if pronoun.startswith("the "):
            works = [each.name for each in known if each.is_work]
            return next(iter(works), "")
        things = [each.name for each in known if not each.is_person]
        if self._thing not in things[1:]:
            self._thing = next(iter(things), self._thing)
        return self._thing

    def _last_person(self, known: Sequence[_Candidate]) -> str:
        subject = known[0] if known else None
        if subject and (subject.is_person or subject.name == self._person):
            return subject.name
        named = {each.name for each in known if each.is_person}
        if len(named) == 1 and (subject is None or subject.is_work or not self._person):
            return named.pop()
        if self._person or len(named) > 1:
            return ""  # the same as before, or two directors: nobody can tell
        return subject.name if subject and not subject.is_work else ""


def _candidates(sentence: str) -> Iterator[_Candidate]:
    """What the next sentence may speak of: the subject first, then the persons named after it."""
    triplets = stated(sentence)
    found = [*triplets.triplets, *(each.triplet for each in triplets.dropped)]
    spoken_of = subjects(read(sentence))
    for head in dict.fromkeys([*spoken_of, *(each.head for each in found)]):
        said = " ".join(each.relation for each in found if each.head == head)
        said += f" {sentence}" if head in spoken_of else ""
        is_work = bool(_IS_A_WORK.search(said) or _MADE.search(said))
        yield _Candidate(head, not is_work and bool(_OF_A_PERSON.search(said)), is_work)
    for each in _persons(triplets.triplets):
        yield _Candidate(each, is_person=True, is_work=False)


def _persons(triplets: Iterable[Triplet]) -> Iterator[str]:
    heads = {each.head for each in triplets}
    for each in triplets:
        if each.tail_kind == "person" and each.tail not in heads:
            yield each.tail
