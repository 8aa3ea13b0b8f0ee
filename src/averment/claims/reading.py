"""A sentence as pieces: mentions, the words between them, and the marks that part clauses.

The rules of this room look at pieces, never at the raw text, so that a word inside a name or a
title ("No Country for Old Men") cannot be taken for a word of the sentence.

What this module does not do: parse. There is no grammar behind a piece but its look.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from averment.claims.mentions import mentions
from averment.claims.vocabulary import is_verb, says_nothing
from averment.types import Entity

_WORD_OR_MARK = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|['’]s\b|[^\w\s]")


class Piece(NamedTuple):
    """A mention, a word or a mark, and what the rules ask of it time and again.

    Args:
        text: As it is written.
        entity: The mention that it is.
        form: The text in lower case, with straight apostrophes.
        is_word: Whether it is a word outside of every mention.
        is_verb: Whether it is a word that looks like a verb form.
        is_name: Whether it is a name or a title.
        is_subject: Whether something can be said of it: a name, and not only a nationality or
            month.
    """

    text: str
    entity: Entity | None
    form: str
    is_word: bool = False
    is_verb: bool = False
    is_name: bool = False
    is_subject: bool = False


def mentioned(text: str, entity: Entity) -> Piece:
    """The piece of a mention, which may stand for more than its own text."""
    form = _form(text)
    is_title = entity.kind == "title"
    is_name = is_title or entity.kind == "name"
    is_subject = is_title or (is_name and not says_nothing(form.split()))
    return Piece(text, entity, form, is_name=is_name, is_subject=is_subject)


@lru_cache(maxsize=2**13)  # most words of a text are words of every text
def _plain(text: str) -> Piece:
    form = _form(text)
    is_word = text[-1:].isalnum()
    return Piece(text, None, form, is_word=is_word, is_verb=is_word and is_verb(form))


def _form(text: str) -> str:
    return text.lower().replace("’", "'")


@lru_cache(maxsize=2**11)  # several read the same sentence, who know nothing of each other
def read(sentence: str) -> tuple[Piece, ...]:
    """The pieces of a sentence in order; blanks are left out."""
    pieces: list[Piece] = []
    end = 0
    for entity in mentions(sentence):
        pieces += _between(sentence[end : entity.start])
        pieces.append(mentioned(entity.text, entity))
        end = entity.end
    return (*pieces, *_between(sentence[end:]))


def _between(text: str) -> list[Piece]:
    return list(map(_plain, _WORD_OR_MARK.findall(text)))


def outline(pieces: Sequence[Piece]) -> str:
    """The sentence in lower case with its mentions replaced by their kinds: ``<name>``."""
    return " ".join(f"<{piece.entity.kind}>" if piece.entity else piece.form for piece in pieces)
