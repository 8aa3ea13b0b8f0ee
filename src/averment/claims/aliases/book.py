"""The alias book: what is known of how names are written, and what may be counted as what.

A name is looked up among the rows of tables and of the user; rules add spellings. A form is used
only if nobody else claims it: two names are never taken for one. It is refused, with the reason,
where

- ``ambiguous``: another name of the book is written so as well;
- ``stop_word``, ``too_short``, ``given_name``, ``part_of_name``: it is so general that its count
  would say nothing of the name.

Forms that the user added are used as they are: somebody who knows the corpus has said so.

What this module does not do: count, read files, look into a corpus.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from averment.claims.aliases.rules import RULES, Rule, rewritings
from averment.claims.aliases.words import GIVEN_NAMES, STOP_WORDS
from averment.text import TextForm, contains_words
from averment.types import SurfaceForm

NAME = "name"
"""The source of a name as it was asked."""
USER = "user"
_MOST_NAME_WORDS = 12
"""Of a name that is looked for in a text; in Han each character is one."""
DOCUMENT = "document:"
TABLE = "table:"
RULE = "rule:"


@dataclass(frozen=True, slots=True)
class AliasRow:
    """One way in which a name is written, and who says so: a `SurfaceForm.source`.

    ``language`` (ISO 639-1) is that of the form, where the table tells it.
    """

    canonical: str
    form: str
    source: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class RefusedForm:
    """A form that is not counted, the reason code, and which other names are written so."""

    text: str
    source: str
    reason: str
    claimed_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolution:
    """What is known of a name.

    Args:
        name: As asked.
        canonical: The name of the book that it stands for; None: the book has none, or several.
        forms: What may be counted as it: itself first.
        refused: What may not, and why.
    """

    name: str
    canonical: str | None
    forms: tuple[SurfaceForm, ...]
    refused: tuple[RefusedForm, ...]


class AliasBook:
    """A `ports.AliasResolver` over rows and rules.

    Args:
        rows: Of tables, documents and the user.
        form: The text form of the index: what it folds away needs no form of its own.
        rules: How names are respelt; none: rows only.

    Example:
        >>> book = AliasBook([AliasRow("New York City", "NYC", "user")])
        >>> [form.text for form in book.resolve("NYC").forms]
        ['NYC', 'New York City', ...]
    """

    def __init__(
        self,
        rows: Iterable[AliasRow] = (),
        *,
        form: TextForm | None = None,
        rules: Sequence[Rule] = RULES,
    ) -> None:
        self._key = (form or TextForm()).key
        self._rules = rules
        self._rows: defaultdict[str, list[AliasRow]] = defaultdict(list)
        self._claims: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._users: defaultdict[str, set[str]] = defaultdict(set)
        for row in rows:
            self._enter(row)

    def _enter(self, row: AliasRow) -> None:
        canonical, form = self._key(row.canonical), self._key(row.form)
        self._rows[canonical].append(row)
        claimant = _claimant(row, canonical)
        self._claims[canonical][claimant] = row.canonical
        self._claims[form][claimant] = row.canonical
        if row.source == USER:
            self._users[form].add(canonical)

    def extended(self, rows: Sequence[AliasRow]) -> AliasBook:
        """A book of these rows too, made without reading the others again; this one stays."""
        made = copy.copy(self)
        made._rows, made._claims, made._users = map(copy.copy, self._tables)
        for key in {self._key(name) for row in rows for name in (row.canonical, row.form)}:
            for table in made._tables:
                if key in table:
                    table[key] = copy.copy(table[key])
        for row in rows:
            made._enter(row)
        return made

    @property
    def _tables(self) -> tuple[Any, Any, Any]:
        return self._rows, self._claims, self._users

    def forms(self, names: Sequence[str]) -> list[tuple[SurfaceForm, ...]]:
        """The forms that may be counted as each name; see `resolve`."""
        return [self.resolve(name).forms for name in names]

    def resolve(self, name: str) -> Resolution:
        """What is known of a name.

        All names of one canonical name resolve to the same forms, so that they share a count.

        Args:
            name: Any text; what has no word has no other form.
        """
        key = self._key(name)
        if not key:
            return Resolution(name, None, (SurfaceForm(name, NAME),), ())
        chosen, others = self._canonical(key)
        rows = self._rows[chosen] if chosen is not None else []
        canonical = rows[0].canonical if rows else name
        own = {_claimant(row, chosen or key) for row in rows} | {chosen or key}
        gathered = _Gathered(name, key, others)
        for row in rows:
            for text in (row.canonical, row.form):
                self._offer(gathered, SurfaceForm(text, row.source), canonical, own, is_name=False)
        for made in rewritings(canonical, self._rules):
            form = SurfaceForm(made.text, RULE + made.rule_ids)
            self._offer(gathered, form, canonical, own, is_name=made.is_name)
        return gathered.resolution(canonical if rows else None)

    def forms_in_languages(self, text: str, languages: Collection[str]) -> list[str]:
        """The names of a text as some languages write them, where a row says so.

        Args:
            text: In any language, such as a question.
            languages: ISO 639-1.

        Returns:
            Forms whose row names one of the languages, each once, and the canonical names of
            forms that a row gives a language; none that stands in the text already.
        """
        words = self._key(text).split(" ")
        told: dict[str, str] = {}
        at = 0
        while at < len(words):
            n_words = next(
                (n for n in range(_MOST_NAME_WORDS, 0, -1) if self._is_name(words[at : at + n])), 0
            )
            chosen, _ = self._canonical(" ".join(words[at : at + n_words]))
            for row in self._rows.get(chosen or "", ()):
                if row.language is not None:
                    told.setdefault(self._key(row.canonical), row.canonical)
                    if row.language in languages:
                        told.setdefault(self._key(row.form), row.form)
            at += n_words or 1
        return [form for key, form in told.items() if not contains_words(words, key.split(" "))]

    def _is_name(self, words: Sequence[str]) -> bool:
        """Whether some words in a row are a name of the book, and not any word."""
        key = " ".join(words)
        return key in self._claims and (len(key) > 2 and key not in STOP_WORDS)

    def _canonical(self, key: str) -> tuple[str | None, tuple[str, ...]]:
        """The canonical name that a key stands for, or the several that it could stand for."""
        if key in self._rows and any(key == self._key(row.canonical) for row in self._rows[key]):
            return key, ()
        by_user = self._users.get(key, set())
        if len(by_user) == 1:
            return next(iter(by_user)), ()
        claims = self._claims.get(key, {})
        if len(claims) == 1:
            return self._key(next(iter(claims.values()))), ()
        return None, tuple(sorted(set(claims.values())))

    def _offer(
        self,
        gathered: _Gathered,
        form: SurfaceForm,
        canonical: str,
        own: set[str],
        *,
        is_name: bool,
    ) -> None:
        """Gather a form of a name, or refuse it; `own` are the claimants that are the name."""
        key = self._key(form.text)
        if not key or key in gathered.told or key in gathered.refused:
            return
        others: tuple[str, ...] = ()
        reason = None
        if form.source != USER:
            claims = self._claims.get(key, {})
            others = tuple(sorted({told for by, told in claims.items() if by not in own}))
            reason = "ambiguous" if others else self._too_general(key, form, canonical, is_name)
        if reason is None:
            gathered.told[key] = form
        else:
            gathered.refused[key] = RefusedForm(form.text, form.source, reason, others)

    def _too_general(
        self, key: str, form: SurfaceForm, canonical: str, is_name: bool
    ) -> str | None:
        """Why a form could be anybody's; None if it is not."""
        words = key.split(" ")
        if all(word in STOP_WORDS for word in words):
            return "stop_word"
        if len(words) > 1:
            return None
        if len(key) < 3 or (len(key) == 3 and not form.text.isupper()):
            return "too_short"
        if key in GIVEN_NAMES:
            return "given_name"
        whole = self._key(canonical).split(" ")
        is_end = key == whole[0] or (key == whole[-1] and "of" not in whole)
        return "part_of_name" if len(whole) > 1 and is_end and not is_name else None


class _Gathered:
    """The forms of a name as they come together, by key."""

    def __init__(self, name: str, key: str, ambiguous_with: tuple[str, ...]) -> None:
        self._name = name
        self.told = {key: SurfaceForm(name, NAME)}
        self.refused: dict[str, RefusedForm] = {}
        self._itself = (
            [RefusedForm(name, NAME, "ambiguous", ambiguous_with)] if ambiguous_with else []
        )

    def resolution(self, canonical: str | None) -> Resolution:
        """What was gathered."""
        refused = (*self._itself, *self.refused.values())
        return Resolution(self._name, canonical, tuple(self.told.values()), refused)


def _claimant(row: AliasRow, canonical: str) -> str:
    """Who claims a form: a document may go by two titles, and is one thing all the same."""
    return row.source if row.source.startswith(DOCUMENT) else canonical
