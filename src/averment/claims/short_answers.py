"""What a short answer claims together with its question.

"Haneef" claims nothing alone; after "Who directed Kumbasaram?" it claims (Kumbasaram, directed,
Haneef). "Yes" claims what was asked, as a statement, and "no" that it is not so; "maybe" claims
nothing. Anything longer is an answer that speaks for itself.

What this module does not do: answers in sentences, questions without a name (they have nothing to
be paired with), or make statements of yes/no questions in other languages than English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from averment.claims.declarative import is_fragment
from averment.claims.kinds import tail_kind
from averment.claims.languages.answers import is_no, is_short, is_unknown, is_yes, pairs
from averment.claims.languages.readers import CasedReader, HanReader, reader
from averment.claims.mentions import mentions
from averment.claims.reading import Piece, outline, read
from averment.claims.vocabulary import DETERMINERS, PREPOSITIONS
from averment.languages import spoken_language
from averment.text import TextForm, one_holds_other
from averment.types import Triplet

_MOST_WORDS = 12
_YES = frozenset({"yes", "yeah", "true", "correct"})
_NO = frozenset({"no", "false", "incorrect", "neither"})
_OPEN = frozenset({"maybe", "perhaps", "possibly", "unclear", "unknown"})
_AUXILIARIES = frozenset("is are was were did does do can could has have had will".split())
_ASKING = _AUXILIARIES | frozenset(
    "who whom whose what which where when why how many much long old a an the that this".split()
)
_ARTICLES = DETERMINERS | {"the"}
_BEFORE_OBJECTS = PREPOSITIONS | _ARTICLES
_THIRD_PERSON = re.compile(r"[a-z]{2,}[^s\W]s")
_JOINED = re.compile(r",? (?:and )?(?:the )?[\"“]?")
_OFFERS_A_CHOICE = re.compile(r"\b(?:or|same|both)\b")
_KINDS = (
    (r"\b(?:who|whom|whose)\b", "person"),
    (
        r"\b(?:where|(?:what|which) (?:\w+ )?(?:city|country|state|town|place|county|river))\b",
        "place",
    ),
    (r"\b(?:when|(?:what|which) (?:year|date|day|month)|date of|how old)\b", "date"),
    (r"\bhow (?:many|much|long|tall|far|large)\b", "number"),
)


class AnswerForm(StrEnum):
    """How an answer claims."""

    SHORT = "short"
    """A name, date or amount: it claims something of the names of the question."""
    YES = "yes"
    """It claims what was asked."""
    NO = "no"
    """It claims that what was asked is not so, which no corpus can be asked about."""
    OPEN = "open"
    """Maybe, or unknown."""
    TEXT = "text"
    """It speaks for itself."""


@dataclass(frozen=True, slots=True)
class AnswerClaims:
    """What an answer claims of the question.

    ``pairs`` are the triplets of a short answer, heads of the question and the answer as tail;
    ``statement`` is what "yes" or "no" says. Both are empty for the others, and the statement also
    where the question cannot be turned into one.
    """

    form: AnswerForm
    pairs: tuple[Triplet, ...] = ()
    statement: str = ""


def answer_claims(question: str, answer: str) -> AnswerClaims:
    """What an answer claims together with its question.

    Args:
        question: The question.
        answer: The final answer, of any length.

    Example:
        >>> answer_claims("Who directed Kumbasaram?", "Haneef").pairs
        (Triplet(head='Kumbasaram', relation='directed', tail='Haneef', tail_kind='person'),)
        >>> answer_claims("Was Kumbasaram directed by Haneef?", "Yes.").statement
        'Kumbasaram was directed by Haneef.'
    """
    other = reader(spoken_language(f"{question}\n{answer}"))
    if other is not None:
        return _in_another_language(question, answer, other)
    words = TextForm().words(answer)
    first = words[0] if words else "unknown"
    if len(words) <= 1 or answer.strip()[len(first) :].lstrip()[:1] in (",", "."):
        if first in _YES:
            return AnswerClaims(AnswerForm.YES, statement=statement_of(question))
        if first in _NO:
            return AnswerClaims(AnswerForm.NO, statement=statement_of(question, negated=True))
        if first in _OPEN:
            return AnswerClaims(AnswerForm.OPEN)
    pieces = read(answer)
    if len(words) > _MOST_WORDS or not is_fragment(pieces) or _states_something(answer, pieces):
        return AnswerClaims(AnswerForm.TEXT)
    return AnswerClaims(AnswerForm.SHORT, tuple(_pairs(question, answer.strip(" .\n"))))


def _in_another_language(
    question: str, answer: str, other: CasedReader | HanReader
) -> AnswerClaims:
    if is_yes(answer, other.code):
        return AnswerClaims(AnswerForm.YES)
    if is_no(answer, other.code):
        return AnswerClaims(AnswerForm.NO)
    if not TextForm().words(answer) or is_unknown(answer, other.code):
        return AnswerClaims(AnswerForm.OPEN)
    if not is_short(answer, other):
        return AnswerClaims(AnswerForm.TEXT)
    return AnswerClaims(AnswerForm.SHORT, tuple(pairs(question, answer, other)))


def _states_something(answer: str, pieces: Sequence[Piece]) -> bool:
    """Whether a word that no list knows stands where the verb of a sentence would.

    "The ferry Sørlandia sails to Oslo." judged together with its question would be supported by
    whatever answers the question. Rather one short answer too few than that.
    """
    if not answer.rstrip().endswith((".", "!")):
        return False
    return any(
        (before.is_name or (at == 2 and pieces[0].form in _ARTICLES))
        and word.is_word
        and _THIRD_PERSON.fullmatch(word.text) is not None
        and (after.is_name or after.form in _BEFORE_OBJECTS)
        for at, (before, word, after) in enumerate(
            zip(pieces, pieces[1:], pieces[2:], strict=False), start=1
        )
    )


def statement_of(question: str, *, negated: bool = False) -> str:
    """A yes/no question as the statement that "yes" makes; empty where it cannot be turned.

    Negated it is what "no" says.

    The first name, with those joined to it, is the subject; questions that offer a choice ("A or
    B?") state nothing.
    """
    asked = question.strip().rstrip("?").strip()
    pieces = read(asked)
    opener = pieces[0].form if pieces else ""
    if opener not in _AUXILIARIES or _OFFERS_A_CHOICE.search(outline(pieces)):
        return ""
    end = _subject_end(asked, pieces)
    subject, rest = asked[len(opener) : end].strip(), asked[end:].strip()
    if not rest or not end:
        return ""
    rest = f"not {rest}" if negated else rest
    return f"{subject[:1].upper()}{subject[1:]} {opener} {rest}."


def _subject_end(question: str, pieces: Sequence[Piece]) -> int:
    """Where the first name ends, with those that "and" joins to it; 0 without a name."""
    end = 0
    for piece in pieces:
        if piece.entity is None:
            continue
        if end and not _JOINED.fullmatch(question, end, piece.entity.start):
            break
        end = piece.entity.end
        end += question[end : end + 1] in ('"', "”")
    return end


def _pairs(question: str, answer: str) -> Iterator[Triplet]:
    """The answer with every name of the question that is not part of it, in order."""
    words = TextForm().words(answer)
    pieces = read(question)
    names = {piece.text: None for piece in pieces if piece.is_subject}
    if any(TextForm().words(name) == words for name in names):
        return  # it is one of the things that were to be chosen from
    look = next((each.kind for each in mentions(answer)), "name")
    for name in names:
        held = TextForm().words(name)
        if not words or one_holds_other(words, held):
            continue
        relation = _asked(pieces)
        kind = tail_kind(look, relation, words)
        yield Triplet(name, relation, answer, kind if kind != "other" else _asked_kind(pieces))


def _asked(pieces: Sequence[Piece]) -> str:
    """What is asked of a name: the words of the question without those that only ask."""
    words = [piece.form for piece in pieces if piece.is_word and piece.form not in _ASKING]
    return " ".join(words[:8])


def _asked_kind(pieces: Sequence[Piece]) -> str:
    asked = outline(pieces)
    return next((kind for pattern, kind in _KINDS if re.search(pattern, asked)), "other")
