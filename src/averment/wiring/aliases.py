"""Aliases put together: the user's, those kept with an index, countries, and the rules.

With an index go two tables: the one that it was built with, and what its own documents say of
names. Both are files of the generation, listed in the manifest with their hashes.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from averment.claims.aliases.acronyms import (
    Explained,
    acronym_rows,
    explained_in,
    rows_of_acronyms,
)
from averment.claims.aliases.book import AliasBook, AliasRow
from averment.claims.aliases.openings import Opening, openings_in, rows_of_openings
from averment.claims.aliases.store import UserAliases
from averment.claims.aliases.tables import AliasTable, read_own, read_table, written
from averment.claims.aliases.widened import WidenedIndex
from averment.errors import IndexFormatError, UsageError
from averment.files import read_text
from averment.index.arrays import REBUILD
from averment.index.build import IndexWriter
from averment.settings import Settings
from averment.types import Passage
from averment.wiring.foreign import AnyIndex

_EXTRA = "aliases"
_GIVEN, _FOUND = "given.tsv", "found.tsv"
_LEAST_DOCUMENTS = 2
"""How many documents must explain an acronym before it is counted in all of them."""
USER_FILE = "aliases.tsv"
_ROWS = "Rows are canonical<TAB>form<TAB>source<TAB>language; the last two may be left out."


class NamesSaid(NamedTuple):
    """What documents say of names, document after document."""

    openings: Iterable[Opening]
    explained: Iterable[Explained]


def read_alias_table(path: str | Path) -> AliasTable:
    """The rows of a TSV file, and the lines that were skipped.

    Raises:
        UsageError: It cannot be read, is not UTF-8, or has no row that can be used.
    """
    table = read_table(read_text(path, hint=_ROWS), name=Path(path).name)
    if not table.rows:
        first = f" The first: {table.skipped[0]}." if table.skipped else ""
        raise UsageError(f"The alias table {path} has no row that can be used.{first}", hint=_ROWS)
    return table


def write_aliases(
    writer: IndexWriter, given: Sequence[AliasRow], *, found: NamesSaid | None = None
) -> None:
    """Put the aliases of an index where it is published from.

    Args:
        writer: All documents are there.
        given: Rows of a table, besides those that the index has already.
        found: What the documents say of names; None: they are read for it.
    """
    before = writer.previous_extra(_EXTRA)
    kept = _rows(before / _GIVEN) if before else []
    if found is None:
        passages = writer.passages()
        found = NamesSaid(openings_in(passages), explained_in(passages))
    directory = writer.extra_directory(_EXTRA)
    rows = {(row.canonical, row.form, row.language): row for row in (*given, *kept)}
    _write(directory / _GIVEN, rows.values())
    acronyms = rows_of_acronyms(found.explained, least_documents=_LEAST_DOCUMENTS)
    _write(directory / _FOUND, [*rows_of_openings(found.openings), *acronyms])


def _write(path: Path, rows: Iterable[AliasRow]) -> None:
    path.write_bytes(written(rows).encode())


class _Tables(NamedTuple):
    """The tables of an index: those that its builder was given, and what its documents say."""

    given: Sequence[AliasRow]
    found: Sequence[AliasRow]


def _tables(index: AnyIndex) -> _Tables:
    opened = index.opened_extra(
        _EXTRA, lambda below: _Tables(_rows(below / _GIVEN), _rows(below / _FOUND))
    )
    return opened or _Tables((), ())


def _rows(path: Path) -> list[AliasRow]:
    try:
        return list(read_own(path.read_text(encoding="utf-8"), name=path.name).rows)
    except (OSError, UnicodeDecodeError) as error:
        raise IndexFormatError(f"{path} cannot be read: {error}.", hint=REBUILD) from error


def user_aliases(settings: Settings) -> UserAliases:
    """The aliases that the user added, for all indexes."""
    return UserAliases(settings.home / USER_FILE)


def open_aliases(settings: Settings, index: AnyIndex | None = None) -> AliasBook:
    """Everything that is known of names here.

    Countries and demonyms are among it where the extra [countries] is installed; the source of
    each form says where it is from.

    Args:
        settings: Where the user's aliases are.
        index: Whose tables are read.

    Raises:
        UsageError: The user's aliases cannot be read.
        IndexFormatError: A table of the index cannot be read.
    """
    rows = user_aliases(settings).rows()
    rows += [*_tables(index).given, *_tables(index).found] if index is not None else []
    if has_countries():
        from averment.claims.aliases.countries import country_rows

        rows += country_rows()
    return AliasBook(rows, form=index.form if index is not None else None)


def names_in_languages(settings: Settings, index: AnyIndex) -> AliasBook | None:
    """The names for whose forms tables of the index or the user tell languages; None: none does.

    Raises:
        UsageError: The user's aliases cannot be read.
        IndexFormatError: A table of the index cannot be read.
    """
    rows = [*user_aliases(settings).rows(), *_tables(index).given]
    if not any(row.language for row in rows):
        return None
    return AliasBook(rows, form=index.form)


def explained(book: AliasBook, passages: Sequence[Passage]) -> AliasBook:
    """A book that knows the acronyms, too, that some texts explain."""
    return book.extended(acronym_rows(passages))


def has_countries() -> bool:
    """Whether the package with countries and demonyms is installed."""
    return importlib.util.find_spec("countryinfo") is not None


def widened(index: AnyIndex, book: AliasBook) -> WidenedIndex:
    """An index that counts names by all their forms."""
    return WidenedIndex(index, book, form=index.form)
