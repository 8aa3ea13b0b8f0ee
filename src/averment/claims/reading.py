"""A sentence as pieces: mentions, the words between them, and the marks that part clauses.

The rules of this room look at pieces, never at the raw text, so that a word inside a name or a
title ("No Country for Old Men") cannot be taken for a word of the sentence.

What this module does not do: parse. There is no grammar behind a piece but its look.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from averment.claims.mentions import mentions
from averment.claims.vocabulary import is_verb, says_nothing
from averment.types import Entity

_WORD_OR_MARK = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|['’]s\b|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A mention, a word or a mark. ``form`` is its text in lower case."""

    text: str
    entity: Entity | None = None

    @property
    def form(self) -> str:
        """The text in lower case, with straight apostrophes."""
        return self.text.lower().replace("’", "'")

    @property
    def is_word(self) -> bool:
        """Whether it is a word outside of every mention."""
        return self.entity is None and self.text[-1:].isalnum()

    @property
    def is_verb(self) -> bool:
        """Whether it is a word that looks like a verb form."""
        return self.is_word and is_verb(self.form)

    @property
    def is_name(self) -> bool:
        """Whether it is a name or a title."""
        return self.entity is not None and self.entity.kind in ("name", "title")

    @property
    def is_subject(self) -> bool:
        """Whether something can be said of it: a name, and not only a nationality or month."""
        is_title = self.entity is not None and self.entity.kind == "title"
        return is_title or (self.is_name and not says_nothing(self.form.split()))


def read(sentence: str) -> list[Piece]:
    """The pieces of a sentence in order; blanks are left out."""
    pieces: list[Piece] = []
    end = 0
    for entity in mentions(sentence):
        pieces += _between(sentence[end : entity.start])
        pieces.append(Piece(entity.text, entity))
        end = entity.end
    return pieces + _between(sentence[end:])


def _between(text: str) -> list[Piece]:
    return [Piece(found.group()) for found in _WORD_OR_MARK.finditer(text)]


def outline(pieces: Sequence[Piece]) -> str:
    """The sentence in lower case with its mentions replaced by their kinds: ``<name>``."""
    return " ".join(f"<{piece.entity.kind}>" if piece.entity else piece.form for piece in pieces)
