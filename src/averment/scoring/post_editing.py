"""A text without the claims that are withheld, or with a hedge before them; what remains reads on.

A sentence whose claims are all withheld is left out or hedged. Where only some are, the facts that
are kept stand as sentences of their own. A pronoun whose name was in a sentence that is gone is
that name then. List marks go with their item; everything else stays as it was, to the letter.
What this module does not do: decide what is withheld, write anything new but the hedge; languages
other than English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from averment.claims.declarative import is_fragment
from averment.claims.pronouns import self_contained
from averment.claims.reading import read
from averment.claims.vocabulary import DETERMINERS, OPENERS, PREPOSITIONS
from averment.promises import Remedy
from averment.scoring.withholding import is_withheld, remedy_of
from averment.text import Span
from averment.types import Claim

_CONNECTIVE = re.compile(
    r"(?:so|thus|therefore|hence|however|moreover|furthermore|indeed|also|yes|no|and|but)\b,?\s+",
    re.IGNORECASE,
)
_ANSWER_IS = re.compile(r"(?i:the (?:final |correct )?answer is)\b")
_MARK = re.compile(r"[ \t]*(?:[-*•+]|\d+[.)])[ \t]*$")
_SMALL = DETERMINERS | OPENERS | PREPOSITIONS | frozenset("the we when while after before".split())


@dataclass(frozen=True, slots=True)
class _Piece:
    """What is written behind a stretch of text that stays as it is; empty: left out."""

    gap: str
    text: str


def post_edited(text: str, claims: Sequence[Claim], *, sentences: Sequence[Span]) -> str:
    """The text after its withheld claims are dropped or hedged.

    Args:
        text: What the claims point into.
        claims: Each begins in one of the sentences; those that are withheld say their remedy.
        sentences: Where they stand, in order; what is between them stays.
    """
    if not any(map(is_withheld, claims)):
        return text
    named = self_contained([text[span.start : span.end] for span in sentences])
    pieces: list[_Piece] = []
    end, something_is_gone = 0, False
    for span, told in zip(sentences, named, strict=True):
        inside = [claim for claim in claims if span.start <= claim.start < span.end]
        written = text[span.start : span.end]
        if something_is_gone or any(map(is_withheld, inside)):
            written = _edited(told.text, inside)
        something_is_gone = something_is_gone or not written
        pieces.append(_Piece(text[end : span.start], written))
        end = span.end
    return _joined(pieces, text[end:])


def hedged(sentence: str) -> str:
    """The sentence as something that may be.

    Example:
        >>> hedged("So the answer is Norway.")
        'The answer may be Norway.'
        >>> hedged("The Rhine is 1,230 km long.")
        'It may be that the Rhine is 1,230 km long.'
    """
    stripped = sentence.strip()
    found = _CONNECTIVE.match(stripped)
    rest = stripped[found.end() :] if found else stripped
    found = _ANSWER_IS.match(rest)
    if found:
        return f"The answer may be{rest[found.end() :]}"
    if is_fragment(read(rest)):
        return f"Perhaps {rest}"
    first, _, others = rest.partition(" ")
    if first.lower() in _SMALL:
        first = first.lower()
    return f"It may be that {first} {others}".rstrip()


def _edited(sentence: str, claims: Sequence[Claim]) -> str:
    gone = [claim for claim in claims if is_withheld(claim)]
    if not gone:
        return sentence
    if all(map(_is_hedged, claims)):
        return hedged(sentence)
    facts = [
        hedged(_closed(claim.text)) if _is_hedged(claim) else _closed(claim.text)
        for claim in claims
        if _is_hedged(claim) or not is_withheld(claim)
    ]
    return " ".join(facts)


def _is_hedged(claim: Claim) -> bool:
    return is_withheld(claim) and remedy_of(claim) is Remedy.HEDGE


def _closed(fact: str) -> str:
    return fact if fact.rstrip().endswith((".", "!", "?")) else f"{fact.rstrip()}."


def _joined(pieces: Sequence[_Piece], rest: str) -> str:
    """The pieces with what stood between them."""
    written, waiting = "", None
    for piece in pieces:
        gap = piece.gap if waiting is None else _merged(waiting, piece.gap)
        waiting = None if piece.text else gap
        if piece.text:
            written += (gap if written else gap.lstrip()) + piece.text
    return written + (rest if waiting is None else _MARK.sub("", waiting).rstrip() + rest)


def _merged(before: str, after: str) -> str:
    """The gap where something between two gaps is gone: their texts, and the wider blank."""
    left, right = _MARK.sub("", before), after.lstrip()
    blanks = left[len(left.rstrip()) :], after[: len(after) - len(right)]
    return left.rstrip() + max(blanks, key=lambda blank: blank.count("\n")) + right
