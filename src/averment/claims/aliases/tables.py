"""Alias tables: TSV ``canonical<TAB>form<TAB>source<TAB>language``, read line by line, and written.

Source and language (ISO 639-1, of the form) may be left out.

Redirects of an encyclopaedia, labels of Wikidata and synonyms of UMLS all have this shape or come
into it by one command. A line that says nothing new or nothing usable is skipped and told as
``file:line: reason``; the rest of the table counts.

What this module does not do: open files, or decide which forms are used (that is for
`averment.claims.aliases.book`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from averment.claims.aliases.book import DOCUMENT, TABLE, USER, AliasRow
from averment.languages import language_code
from averment.text import TextForm

HEADER = ("canonical", "form", "source", "language")
_FORM = TextForm()


@dataclass(frozen=True, slots=True)
class AliasTable:
    """What a table says, and the lines that were skipped, as ``file:line: reason``."""

    rows: tuple[AliasRow, ...]
    skipped: tuple[str, ...]


def read_table(text: str, *, name: str) -> AliasTable:
    """The rows of a table, each once.

    Args:
        text: The table; line ends are line feeds.
        name: Of the file, for messages and as the source of rows that name none.

    Returns:
        Rows with the source ``table:…``, or ``document:…`` where the table says so.
    """
    return _Reading(name).table(text)


def read_own(text: str, *, name: str) -> AliasTable:
    """As `read_table`, of a file that this program keeps: ``user`` stays ``user``."""
    return _Reading(name, is_own=True).table(text)


def written(rows: Iterable[AliasRow]) -> str:
    """A table of rows, which `read_own` reads back."""
    rows = list(rows)
    n_columns = 4 if any(row.language for row in rows) else 3
    lines = [HEADER, *((row.canonical, row.form, row.source, row.language or "") for row in rows)]
    return "".join("\t".join(map(one_line, cells[:n_columns])) + "\n" for cells in lines)


def one_line(cell: str) -> str:
    """A text without line breaks and tabs, which would end its cell."""
    return " ".join(cell.split())


class _Reading:
    """A table on its way: what was said already, and what leads to what."""

    def __init__(self, name: str, *, is_own: bool = False) -> None:
        self._rows: list[AliasRow] = []
        self._skipped: list[str] = []
        self._name = name
        self._is_own = is_own
        self._told: set[tuple[str, str, str | None]] = set()
        self._forms: defaultdict[str, list[str]] = defaultdict(list)

    def table(self, text: str) -> AliasTable:
        """All lines of a text."""
        for number, line in enumerate(text.split("\n"), start=1):
            self._take(number, line)
        return AliasTable(tuple(self._rows), tuple(self._skipped))

    def _take(self, number: int, line: str) -> None:
        """Take one line in, or say why not."""
        cells = [cell.strip() for cell in line.split("\t")]
        if not line.strip() or (number == 1 and tuple(cells) in (HEADER[:3], HEADER)):
            return
        reason = _unreadable(cells)
        language = language_code("".join(cells[3:]))
        if reason is None:
            reason = self._unusable(_FORM.key(cells[0]), _FORM.key(cells[1]), language)
        if reason is not None:
            self._skipped.append(f"{self._name}:{number}: {reason}")
            return
        self._rows.append(AliasRow(cells[0], cells[1], self._source(cells[2:]), language))

    def _unusable(self, canonical: str, form: str, language: str | None) -> str | None:
        """Why a pair adds nothing; if it does, it is remembered."""
        if not canonical or not form:
            return f"the {'form' if canonical else 'canonical name'} has no word"
        if canonical == form:
            return "the form is the canonical name"
        if (canonical, form, language) in self._told:
            return "the same pair stands above"
        if self._leads(form, canonical):
            return "it closes a cycle: the form leads to the canonical name"
        self._told.add((canonical, form, language))
        self._forms[canonical].append(form)
        return None

    def _leads(self, start: str, goal: str) -> bool:
        waiting, seen = [start], {start}
        while waiting:
            for form in self._forms.get(waiting.pop(), ()):
                if form == goal:
                    return True
                if form not in seen:
                    seen.add(form)
                    waiting.append(form)
        return False

    def _source(self, rest: list[str]) -> str:
        source = rest[0] if rest else ""
        if source.startswith(DOCUMENT) or (
            self._is_own and (source == USER or source.startswith(TABLE))
        ):
            return source
        return TABLE + (source or self._name)


def _unreadable(cells: list[str]) -> str | None:
    if not 2 <= len(cells) <= 4:
        n = len(cells)
        return f"{n} column{'s' if n > 1 else ''} instead of canonical, form, source and language"
    for cell, what in zip(cells, HEADER, strict=False):
        if not cell and what not in ("source", "language"):
            return f"the column {what} is empty"
        if "\ufffd" in cell or any(ord(c) < 32 for c in cell):
            return f"the column {what} has broken characters: is it UTF-8?"
    if len(cells) > 3 and cells[3] and language_code(cells[3]) is None:
        return f"the language {cells[3]!r} is no code such as de or zh"
    return None
