"""From a declarative German or Spanish sentence to its triplets: who, what, whom.

The head is the subject, each later mention of the clause a tail, and the relation the words
between them, in German with the verb that closes the clause ("wurde in … geboren"). A date or a
phrase with a preposition may stand before the verb, and the subject then behind it. Relative
clauses and brackets speak of the name right before them. A sentence whose subject is a pronoun or
a common noun has no triplets.

What this module does not do: parse; second clauses with a subject of their own behind "und".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from averment.claims.languages.cased import is_verb, mentions, says_nothing
from averment.claims.languages.vocabulary import Vocabulary
from averment.text import TextForm
from averment.types import Entity, Triplet

_WORD_OR_MARK = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
_MOST_RELATION_WORDS = 8
_DASHES = frozenset("–-—")


class _Piece(NamedTuple):
    """A mention, a word in its form, or a mark."""

    form: str
    entity: Entity | None = None
    is_verb: bool = False

    @property
    def is_word(self) -> bool:
        return self.entity is None and self.form[:1].isalnum()


def triplets(sentence: str, words: Vocabulary) -> Iterator[Triplet]:
    """The triplets of a sentence, in order of their tails."""
    clause: list[_Piece] = []
    for piece in [*_read(sentence, words), _Piece(";")]:
        if piece.form == ";" and piece.entity is None:
            yield from _Clause(clause, words).triplets()
            clause = []
        else:
            clause.append(piece)


def has_verb(sentence: str, words: Vocabulary) -> bool:
    """Whether a word outside of all mentions is a verb form."""
    return any(piece.is_verb for piece in _read(sentence, words))


def _read(sentence: str, words: Vocabulary) -> list[_Piece]:
    pieces: list[_Piece] = []
    end = 0
    for entity in [*mentions(sentence, words.code), None]:
        stop = entity.start if entity else len(sentence)
        for found in _WORD_OR_MARK.findall(sentence[end:stop]):
            form = TextForm().key(found) or found
            # German nouns have capitals, and no verb inside a sentence has one.
            may_be_verb = found[:1].islower() and not found.isdecimal()
            pieces.append(_Piece(form, None, may_be_verb and is_verb(form, words)))
        if entity:
            pieces.append(_Piece(entity.text, entity))
            end = entity.end
    return pieces


class _Clause:
    """One subject, one verb, and what is said."""

    def __init__(self, pieces: Sequence[_Piece], words: Vocabulary) -> None:
        self._pieces = pieces
        self._words = words
        self._depths = _bracket_depths(pieces)
        self._verb = next(
            (at for at, each in enumerate(pieces) if each.is_verb and not self._depths[at]),
            len(pieces),
        )
        self._subjects = self._find_subjects()
        self._relative = self._relative_clauses()

    def triplets(self) -> Iterator[Triplet]:
        """Every mention that is no subject, paired with what it is said of."""
        heads, outside = self._subjects, self._subjects
        for at, piece in enumerate(self._pieces):
            if piece.form in ("(", "["):
                outside, heads = heads, self._just_before(at) or heads
            elif piece.form in (")", "]"):
                heads = outside
            elif piece.form == "," and not self._depths[at]:
                opens = at + 1 in self._relative and at not in self._relative
                heads = (self._antecedent(at) if opens else []) or self._subjects
            elif self._is_tail(at):
                for head in heads:
                    yield self._triplet(head, at)

    def _triplet(self, head: int, tail: int) -> Triplet:
        return Triplet(self._pieces[head].form, self._relation(head, tail), self._pieces[tail].form)

    def _is_tail(self, at: int) -> bool:
        entity = self._pieces[at].entity
        if entity is None or at in self._subjects:
            return False
        # A small number without a unit occurs near everything.
        return entity.kind != "number" or not entity.text.isdecimal() or len(entity.text) > 2

    def _is_name(self, at: int) -> bool:
        entity = self._pieces[at].entity
        if entity is None or entity.kind not in ("name", "title"):
            return False
        return not says_nothing(TextForm().words(entity.text), self._words.code)

    def _just_before(self, at: int) -> list[int]:
        """The name right before a bracket or a comma."""
        return [at - 1] if at and self._is_name(at - 1) else []

    def _antecedent(self, comma: int) -> list[int]:
        """Whom a relative clause speaks of: "ein Berg in Bayern, der …" is not about Bavaria."""
        before = self._just_before(comma)
        is_place = comma > 1 and self._words.has("of_place", self._pieces[comma - 2].form)
        return [] if is_place else before

    def _relative_clauses(self) -> frozenset[int]:
        """Where relative clauses stand, without the commas around them."""
        inside: set[int] = set()
        for at, piece in enumerate(self._pieces):
            if piece.form == ",":
                continue
            before = at - 1
            is_begun = before in inside or (
                before > 0 and self._pieces[before].form == "," and self._opens_relative(at)
            )
            if is_begun and not self._depths[at]:
                inside.add(at)
        return frozenset(inside)

    def _opens_relative(self, at: int) -> bool:
        if at >= len(self._pieces) or not self._pieces[at].is_word:
            return False
        after = self._pieces[at + 1 : at + 2]
        return self._words.has("relatives", self._pieces[at].form) and bool(after)

    # --- subjects -------------------------------------------------------------------------------

    def _find_subjects(self) -> list[int]:
        names = [
            at for at in range(len(self._pieces)) if self._is_name(at) and not self._depths[at]
        ]
        before = [at for at in names if at < self._verb and not self._is_in_opening(at)]
        if before:
            return self._joined(before)
        if not self._may_follow_verb() or self._verb == len(self._pieces):
            return []
        after = [at for at in names if at > self._verb]
        between = self._pieces[self._verb + 1 : after[0]] if after else ()
        is_near = all(self._is_before_name(piece) for piece in between)
        return self._joined(after) if after and is_near else []

    def _is_before_name(self, piece: _Piece) -> bool:
        return piece.is_word and (
            self._words.has("titles", piece.form) or self._words.has("articles", piece.form)
        )

    def _joined(self, names: Sequence[int]) -> list[int]:
        """The first name, with those that "and" joins to it."""
        group = [names[0]]
        for at in names[1:]:
            gap = [piece.form for piece in self._pieces[group[-1] + 1 : at]]
            if not gap or not all(
                each == "," or self._words.has("conjunctions", each) for each in gap
            ):
                break
            group.append(at)
        joins = (piece.form for piece in self._pieces[group[0] : group[-1]])
        return group if any(self._words.has("conjunctions", each) for each in joins) else group[:1]

    def _opening_end(self) -> int:
        """Where a phrase that begins with a preposition, or a date, ends before the verb."""
        first = self._pieces[0] if self._pieces else _Piece("")
        is_date = first.entity is not None and first.entity.kind in ("date", "number")
        opens = (
            is_date
            or self._words.has("prepositions", first.form)
            or self._words.has("openers", first.form)
        )
        if not opens:
            return 0
        commas = (at for at, each in enumerate(self._pieces[: self._verb]) if each.form == ",")
        if not self._words.settings["nouns_have_capitals"]:
            return next(commas, self._date_end(is_date))
        return self._verb  # German puts the verb second, whatever stands first

    def _date_end(self, is_date: bool) -> int:
        """Spanish may leave the comma out: "En 1990 Ana fundó …"."""
        if is_date:
            return 1
        second = self._pieces[1].entity if len(self._pieces) > 1 else None
        return 2 if second is not None and second.kind == "date" else self._verb

    def _is_in_opening(self, at: int) -> bool:
        return at < self._opening_end()

    def _may_follow_verb(self) -> bool:
        return self._verb > 0 and self._opening_end() >= self._verb - 1

    # --- relations ------------------------------------------------------------------------------

    def _relation(self, head: int, tail: int) -> str:
        if self._depths[tail]:
            return self._in_brackets(tail)
        if tail < head:  # "1990 wurde X gegründet": the words after the subject, and the verb
            verb = [self._pieces[self._verb]] if self._verb < head else []
            said = [*verb, *self._after(head), *self._closing_verb(head)]
            words = self._stripped([piece.form for piece in said])
            while len(words) > 1 and self._words.has("prepositions", words[-1]):
                words = words[:-1]
            return " ".join(words)
        said = [
            piece
            for at, piece in enumerate(self._pieces[head + 1 : tail], start=head + 1)
            if not self._depths[at] and (at in self._relative) <= (tail in self._relative)
        ]
        if head > self._verb:
            said = [self._pieces[self._verb], *said]
        words = self._said(said)
        role = self._role(head)
        if role and all(self._words.has("be", w) or self._words.has("articles", w) for w in words):
            words = role
        words += [piece.form for piece in self._closing_verb(tail) if piece.form not in words]
        return " ".join(self._stripped(words)[-_MOST_RELATION_WORDS:])

    def _said(self, pieces: Sequence[_Piece]) -> list[str]:
        """The words, without mentions in between and the prepositions before these."""
        words: list[str] = []
        for piece in _last_stretch(pieces):
            if piece.is_word:
                words.append(piece.form)
            elif piece.entity is not None:
                while words and (
                    self._words.has("prepositions", words[-1])
                    or self._words.has("articles", words[-1])
                    or self._words.has("conjunctions", words[-1])
                ):
                    words.pop()
        return words

    def _in_brackets(self, tail: int) -> str:
        """What a bracket says: its words, or of two dates with a dash between that of a life."""
        start = max(at for at in range(tail) if self._pieces[at].form in ("(", "["))
        words = self._said(self._pieces[start + 1 : tail])
        entity = self._pieces[tail].entity
        if words or entity is None or entity.kind != "date":
            return " ".join(self._stripped(words))
        inside = [
            at for at in range(start, len(self._pieces)) if self._depths[at] == self._depths[tail]
        ]
        dashes = [at for at in inside if self._pieces[at].form in _DASHES]
        born, died = self._words.settings["life"].split()
        if not dashes:
            return ""  # a year in brackets may be that of anything
        return str(born if tail < dashes[0] else died)

    def _after(self, head: int) -> list[_Piece]:
        found = []
        for piece in self._pieces[head + 1 :]:
            if not piece.is_word:
                break
            found.append(piece)
        return found

    def _closing_verb(self, tail: int) -> list[_Piece]:
        """The verb that closes a German clause behind its last mention."""
        if not self._words.settings["nouns_have_capitals"]:
            return []
        for piece in self._pieces[tail + 1 :]:
            if piece.is_verb:
                return [piece]
            if piece.form in (",", "und"):
                break
        return []

    def _role(self, head: int) -> list[str]:
        """The words before a head that say of what it is the name: "hauptstadt von"."""
        found: list[str] = []
        for piece in reversed(self._pieces[:head]):
            if not piece.is_word or piece.is_verb:
                break
            found.insert(0, piece.form)
        return self._stripped(found)

    def _stripped(self, words: list[str]) -> list[str]:
        """Without articles at the ends and "and" in front."""
        while words and (self._words.has("articles", words[0]) or words[0] in ("und", "y", "e")):
            words = words[1:]
        while words and self._words.has("articles", words[-1]) and len(words) > 1:
            words = words[:-1]
        return words


def _last_stretch(said: Sequence[_Piece]) -> list[_Piece]:
    """From the last mention that a verb follows on, mentions in between left out."""
    start = stretch = 0
    for at, piece in enumerate(said):
        if piece.entity is not None:
            stretch = at + 1
        elif piece.is_verb:
            start = stretch
    return list(said[start:])


def _bracket_depths(pieces: Sequence[_Piece]) -> list[int]:
    depths, depth = [], 0
    for piece in pieces:
        is_mark = piece.entity is None
        depth += is_mark and piece.form in ("(", "[")
        depths.append(depth)
        depth -= is_mark and piece.form in (")", "]") and depth > 0
    return depths
