"""From the pieces of a declarative sentence to its triplets: who, what, whom.

The head is the subject, each later mention a tail, and the relation the words between them.
Around that go the constructions that would pair the wrong things: several subjects ("X and Y
were …"), roles ("the director of X, Y, was …" speaks of Y from there on), relative clauses and
brackets (they speak of what stands before them), and a second clause with a subject of its own.

What this module does not do: decide whether the sentence claims anything
(`averment.claims.declarative`), or whether a triplet may be asked (`averment.claims.spans`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from averment.claims.reading import Piece, mentioned
from averment.claims.vocabulary import BE_FORMS, PREPOSITIONS
from averment.types import Triplet

_AND = frozenset({"and", "&"})
_DASHES = frozenset("–-—")
_COORDINATORS = frozenset({"and", "&", "or", ","})
_CLAUSE_OPENERS = frozenset({"and", "but", "while", "whereas", ";"})
_RELATIVES = frozenset({"who", "which", "whose", "whom"})
_PARTICIPLES = frozenset({"born", "starring", "featuring", "including"})
_INTRANSITIVE = frozenset("died emerged lived moved retired served studied worked".split())
_OF_PLACE = frozenset("in at from near".split())
_BY_NAME = frozenset("known called born nicknamed named titled styled credited billed".split())
_WITHOUT_VERB = frozenset("in at on c ca circa b d".split())
_SINGULAR = frozenset({"is", "was", "has"})
_ARTICLES = frozenset({"a", "an", "the"})
_LEADING = _ARTICLES | frozenset({"and", "but", "or", "who", "which", "that", "also", "'s", "…"})
_TRAILING = _ARTICLES | frozenset({"and", "…"})
_MAX_RELATION_WORDS = 8
_MAX_PHRASE_WORDS = 3  # "and the director of Y was": words between "and" and a new subject


def clause_triplets(pieces: Sequence[Piece]) -> Iterator[Triplet]:
    """The triplets of a sentence, in order of their tails."""
    for clause in _clauses(pieces):
        if clause:
            yield from _Clause(clause).triplets()


def subjects(pieces: Sequence[Piece]) -> list[str]:
    """What the first clause of a sentence speaks of, also if it says nothing that can be asked."""
    first = next(_clauses(pieces), [])
    return _Clause(first).subjects if first else []


def _clauses(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Cut before a conjunction that opens a clause with its own subject and verb."""
    start = 0
    for at, piece in enumerate(pieces):
        opens = piece.form in _CLAUSE_OPENERS and not piece.entity
        if opens and _opens_clause(pieces[at + 1 :]) and any(p.is_verb for p in pieces[start:at]):
            yield list(pieces[start:at])
            start = at + 1
    yield list(pieces[start:])


def _opens_clause(pieces: Sequence[Piece]) -> bool:
    for at, piece in enumerate(pieces[: _MAX_PHRASE_WORDS + 2]):
        if piece.is_name:
            return _is_finite(pieces[at + 1 : at + 3])
        if piece.is_verb or not piece.is_word:
            return False
    return False


def _is_finite(pieces: Sequence[Piece]) -> bool:
    """Whether a verb follows, not a participle: "moved Y" is finite, "based on" is not."""
    if not pieces or not pieces[0].is_verb:
        return False
    verb = pieces[0].form
    return verb in _INTRANSITIVE or not (verb.endswith("ed") and any(p.is_word for p in pieces[1:]))


class _Clause:
    """One subject, one verb, and what is said."""

    def __init__(self, pieces: list[Piece]) -> None:
        self._pieces = pieces
        self._depths = _bracket_depths(pieces)
        self._verb = self._first_verb()
        self._join_title()
        self._subjects = self._find_subjects()

    def triplets(self) -> Iterator[Triplet]:
        """Every mention that is no subject, paired with what it is said of."""
        role_at = self._role_holder()
        heads, outside = self._subjects, self._subjects
        for at, piece in enumerate(self._pieces):
            if piece.form in ("(", "["):
                outside, heads = heads, self._holder_of_brackets(at, role_at) or heads
            elif piece.form in (")", "]"):
                heads = outside
            elif piece.form in _RELATIVES and piece.is_word:
                heads = self._antecedent(at) or heads
            elif self._is_tail(at):
                yield from (self._triplet(head, at) for head in heads)
                if at == role_at:
                    heads = outside = [at]

    @property
    def subjects(self) -> list[str]:
        """The names that come before the verb."""
        return [self._pieces[at].text for at in self._subjects]

    def _triplet(self, head: int, tail: int) -> Triplet:
        return Triplet(self._pieces[head].text, self._relation(head, tail), self._pieces[tail].text)

    def _is_tail(self, at: int) -> bool:
        entity = self._pieces[at].entity
        if entity is None or at in self._subjects:
            return False
        # A small number without a unit occurs near everything.
        return entity.kind != "number" or not entity.text.isdecimal() or len(entity.text) > 2

    # --- subjects -------------------------------------------------------------------------------

    def _opening_end(self) -> int:
        """Where "In 1900," or "Born in Reims," ends; 0 without such an opening."""
        opener = self._pieces[0]
        if not (opener.form in PREPOSITIONS or opener.is_verb or opener.form in _PARTICIPLES):
            return 0
        commas = (at for at, piece in enumerate(self._pieces) if piece.form == ",")
        return next(commas, 0)

    def _first_verb(self) -> int:
        """The verb of the subject: not that of "X, known as Y, was" if another follows."""
        verbs = [
            at
            for at in range(self._opening_end(), len(self._pieces))
            if self._pieces[at].is_verb and not self._depths[at]
        ]
        if not verbs:
            return len(self._pieces)
        first, later = verbs[0], [at for at in verbs[1:] if self._pieces[at - 1].form in (",", ")")]
        by_name = self._pieces[first].form in _BY_NAME and any(
            piece.form in (",", ")") for piece in self._pieces[max(0, first - 3) : first]
        )
        return later[0] if by_name and later else first

    def _join_title(self) -> None:
        """Make one of two names before the verb: "Pride and Prejudice was", "Gone with the Wind".

        Two people would have a plural verb, and are seldom "from", "with" or "in" each other.
        """
        last = self._verb - 1
        first = next((at for at in range(last - 1, -1, -1) if self._pieces[at].is_name), None)
        if first is None or not self._pieces[last].is_name or self._verb == len(self._pieces):
            return
        gap = [piece.form for piece in self._pieces[first + 1 : last]]
        plural = self._pieces[self._verb].form not in _SINGULAR
        link = "".join(word for word in gap if word not in _ARTICLES)
        earlier = any(piece.is_name for piece in self._pieces[:first])
        if link in PREPOSITIONS or (link == "and" and not plural and not earlier):
            text = " ".join(piece.text for piece in self._pieces[first : last + 1])
            entity = self._pieces[first].entity
            assert entity is not None  # it is a name
            self._pieces[first : last + 1] = [mentioned(text, entity)]
            self._depths = _bracket_depths(self._pieces)
            self._verb = first + 1

    def _find_subjects(self) -> list[int]:
        names = [
            at for at, piece in enumerate(self._pieces) if piece.is_subject and not self._depths[at]
        ]
        before = [at for at in names if self._opening_end() <= at < self._verb]
        if not before:
            return []  # it speaks of something without a name
        group = before[:1]
        for at in before[1:]:
            gap = {piece.form for piece in self._pieces[group[-1] + 1 : at]}
            if not gap or not gap <= _COORDINATORS:
                break
            group.append(at)
        if any(piece.form in _AND for piece in self._pieces[group[0] : group[-1]]):
            return group
        return group[:1]

    def _role_holder(self) -> int | None:
        """The name that fills a role of the subject: Y in "the director of X, Y, was"."""
        if len(self._subjects) != 1:
            return None
        subject = self._subjects[0]
        after = self._pieces[subject + 1].form if subject + 1 < len(self._pieces) else ""
        if after != "'s" and not self._role_words(subject):
            return None
        for at in range(subject + 1, self._verb):
            if self._pieces[at].is_name and not self._depths[at]:
                follows_preposition = self._pieces[at - 1].form in PREPOSITIONS
                return None if follows_preposition else at
        return None

    def _role_words(self, head: int) -> list[str]:
        """The words before a head if they end its role: "director of", "capital of the"."""
        words: list[str] = []
        for piece in reversed(self._pieces[:head]):
            if not piece.is_word or piece.is_verb:
                break
            words.insert(0, piece.form)
        words = _stripped(words)
        return words if "of" in words[1:] else []

    def _just_before(self, at: int) -> list[int]:
        """The name right before a place, over a comma."""
        before = at - 1
        if before >= 0 and self._pieces[before].form == ",":
            before -= 1
        return [before] if before >= 0 and self._pieces[before].is_name else []

    def _antecedent(self, at: int) -> list[int]:
        """Whom a relative clause speaks of: "a judge from Rome who was" is not about Rome."""
        before = self._just_before(at)
        is_place = before and before[0] and self._pieces[before[0] - 1].form in _OF_PLACE
        return [] if is_place and self._pieces[at].form == "who" else before

    def _holder_of_brackets(self, at: int, role_at: int | None) -> list[int]:
        """The name right before them, or the subject that this name only describes.

        "Johanna, Countess of Eberstein (1507 – 1572) was": the dates are Johanna's.
        """
        before = self._just_before(at)
        subjects = self._subjects
        if before and subjects and role_at is None and subjects[0] < before[0] < self._verb:
            first = subjects[0]
            described = [piece.form for piece in self._pieces[first + 1 : before[0]]]
            if described[:1] == [","] and _AND.isdisjoint(described):
                return subjects
        return before

    # --- relations ------------------------------------------------------------------------------

    def _relation(self, head: int, tail: int) -> str:
        if tail < head:  # "In 1900, X was born": the words after the subject
            words = _stripped(self._words_after(head))
            return " ".join(words[:-1] if words[-1:] and words[-1] in PREPOSITIONS else words)
        is_inside = self._depths[tail] > self._depths[head]
        start = self._bracket_start(tail) if is_inside else head
        words = _stripped(_last_predicate(self._between(start, tail)))
        if is_inside and _WITHOUT_VERB.issuperset(words):
            return self._in_brackets(start, tail) or " ".join(words)
        if set(words) <= BE_FORMS | _ARTICLES:
            return " ".join(self._role_words(head) or words)
        return " ".join(_stripped(words[-_MAX_RELATION_WORDS:]))

    def _bracket_start(self, inside: int) -> int:
        return max(at for at in range(inside) if self._pieces[at].form in ("(", "["))

    def _in_brackets(self, start: int, tail: int) -> str:
        """What a bracket without a verb says: "(24 January 1827, Concord – 1867)" is a life."""
        is_date = self._is_date(tail)
        end = next(
            (at for at, each in enumerate(self._pieces) if at > tail and each.form in (")", "]")),
            len(self._pieces),
        )
        dates = [at for at in range(start, end) if self._is_date(at)]
        dash = next((at for at in range(start, end) if self._pieces[at].form in _DASHES), None)
        # Years alone are those of a life if they come with places; a band or a war has them too.
        is_life = any(" " in self._pieces[at].text for at in dates) or any(
            piece.is_name for piece in self._pieces[start:end]
        )
        if dash is None or not is_life or not dates or not dates[0] < dash < dates[-1]:
            return "dated" if is_date else ""
        return ("born" if tail < dash else "died") + ("" if is_date else " in")

    def _is_date(self, at: int) -> bool:
        entity = self._pieces[at].entity
        return entity is not None and entity.kind == "date"

    def _words_after(self, head: int) -> list[str]:
        words: list[str] = []
        for piece in self._pieces[head + 1 :]:
            if not piece.is_word or len(words) == _MAX_RELATION_WORDS:
                break
            words.append(piece.form)
        return words

    def _between(self, head: int, tail: int) -> list[Piece]:
        """The pieces from head to tail, without brackets that neither of them is in."""
        level = max(self._depths[head], self._depths[tail])
        return [
            piece
            for at, piece in enumerate(self._pieces[head + 1 : tail], start=head + 1)
            if self._depths[at] <= level and (self._depths[tail] or not self._depths[at])
        ]


def _bracket_depths(pieces: Sequence[Piece]) -> list[int]:
    depths = []
    depth = 0
    for piece in pieces:
        depth += piece.form in ("(", "[")
        depths.append(depth)
        depth -= piece.form in (")", "]") and depth > 0
    return depths


def _last_predicate(pieces: Sequence[Piece]) -> list[str]:
    """The words from the last verb-bearing stretch on, mentions in between as "…"."""
    start = 0
    stretch = 0
    for at, piece in enumerate(pieces):
        if piece.entity is not None:
            stretch = at + 1
        elif piece.is_verb:
            start = stretch
    return [
        "…" if piece.entity else piece.form
        for piece in pieces[start:]
        if piece.entity or piece.is_word or piece.form == "'s"
    ]


def _stripped(words: list[str]) -> list[str]:
    """Without words at the ends that say nothing there."""
    start, end = 0, len(words)
    while start < end and words[start] in _LEADING:
        start += 1
    while end > start and words[end - 1] in _TRAILING:
        end -= 1
    return words[start:end]
