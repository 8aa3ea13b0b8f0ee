"""What the statistics know of a document beside its words: source, language and date.

It stands beside the counts, so that an index without text can be restricted too. What no document
of a segment has takes no bytes. What this module does not do: keep titles and free metadata, which
are part of the text half (`averment.index.documents`).
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from averment.dating import Dates, Days, Undated, days_of
from averment.errors import IndexFormatError, QueryError
from averment.index.arrays import REBUILD, load_array, save_array
from averment.index.string_table import StringTable, save_strings
from averment.types import Document

Mask: TypeAlias = npt.NDArray[np.bool_]
"""One truth value a document of a segment."""


def packed(mask: Mask) -> bytes:
    """A mask as engines take it: bit ``i % 8`` of byte ``i // 8`` for document i."""
    return np.packbits(mask, bitorder="little").tobytes()


_TEXTS = ("source", "language")


_ANY_DAY = Days(-(2**31), 2**31 - 1)
"""An unknown date: before no day, and after none."""


def checked_days(name: str, written: str) -> Days:
    """The days of a date that somebody asks with.

    Args:
        name: Of the option or argument, for the error.
        written: What it was given.

    Raises:
        QueryError: It is not a date.
    """
    found = days_of(written)
    if found is None:
        raise QueryError(
            f"{name} is {written!r}, which is not a date.",
            hint="Write it as 2024, 2024-05 or 2024-05-31.",
        )
    return found


def checked_rule(undated: str) -> Undated:
    """The rule for documents without a date of that name.

    Raises:
        QueryError: There is none.
    """
    if undated not in list(Undated):
        raise QueryError(f"undated is {undated!r}, which is none of {', '.join(Undated)}.")
    return Undated(undated)


@dataclass(frozen=True, slots=True)
class Restriction:
    """Which documents a question is about; what is None does not restrict.

    `before` and `after` leave out the day, month or year that they name, `since` and `until` take
    it in. A year or a month is before a day only if its last day is. A document without a date, or
    with one that is no day of the calendar, is neither before nor after any day; `undated` says
    whether it is meant all the same, wherever dates restrict.

    Raises:
        QueryError: One of the dates is none, or none lies between `since` and `until`.
    """

    source: str | None = None
    language: str | None = None
    before: str | None = None
    after: str | None = None
    since: str | None = None
    until: str | None = None
    undated: Undated = Undated.EXCLUDE

    def __post_init__(self) -> None:
        for name in ("before", "after", "since", "until"):
            written = getattr(self, name)
            if written is not None:
                checked_days(name, written)
        since, until = self.since and _known(self.since), self.until and _known(self.until)
        if since and until and since.first > until.last:
            raise QueryError(
                f"No day lies between {self.since} and {self.until}.",
                hint="Name the earlier date first.",
            )

    @classmethod
    def by(cls, dates: Dates) -> Restriction:
        """The restriction to documents of some dates."""
        return cls(None, None, None, dates.after, dates.since, dates.until, dates.undated)


class MetadataWriter:
    """Collects the metadata of documents; `finish` writes what there is."""

    def __init__(self) -> None:
        self._columns = [_TextColumn() for _ in _TEXTS]
        self._days = array("q")

    def add(self, document: Document) -> None:
        """Append a document."""
        sources, languages = self._columns
        sources.append(document.source)
        languages.append(document.language or "")
        self._days.extend((document.date and days_of(document.date)) or _ANY_DAY)

    def extend(self, table: MetadataTable, kept: Mask) -> None:
        """Append those documents of another segment that are kept."""
        for number in np.flatnonzero(kept).tolist():
            texts, days = table.row(number)
            for column, text in zip(self._columns, texts, strict=True):
                column.append(text)
            self._days.extend(days)

    def finish(self, directory: Path) -> None:
        """Write a table of texts and their numbers, and the days, for what any document has."""
        for name, column in zip(_TEXTS, self._columns, strict=True):
            texts = list(column.numbers)
            if any(texts):
                save_strings(directory, name, texts)
                codes = np.array(column.codes, dtype=_code_type(len(texts)))
                save_array(directory, f"{name}_codes", codes)
        days = np.array(self._days, dtype=np.int32).reshape(-1, 2)
        if (days != _ANY_DAY).any():
            save_array(directory, "days", days)


class _TextColumn:
    """Few different texts, numbered as they come, and the number of each document's."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.codes = array("L")

    def append(self, text: str) -> None:
        self.codes.append(self.numbers.setdefault(text, len(self.numbers)))


class MetadataTable:
    """What a `MetadataWriter` wrote.

    Args:
        directory: Where it was written.
        n_documents: Of the segment.

    Raises:
        IndexFormatError: A table is damaged, or of another number of documents.
    """

    def __init__(self, directory: Path, n_documents: int) -> None:
        self._n_documents = n_documents
        self._columns = {name: _read_texts(directory, name) for name in _TEXTS}
        self._days = None
        if (directory / "days.npy").exists():
            self._days = load_array(directory, "days", np.int32)
        lengths = [len(column.codes) for column in self._columns.values() if column]
        if self._days is not None:
            lengths.append(len(self._days) if self._days.shape[1:] == (2,) else -1)
        if any(length != n_documents for length in lengths):
            raise IndexFormatError(
                f"The metadata in {directory} are not of {n_documents} documents.", hint=REBUILD
            )

    def matching(self, restriction: Restriction) -> Mask:
        """Which documents a restriction leaves."""
        found = np.ones(self._n_documents, dtype=np.bool_)
        for name, column in self._columns.items():
            wanted = getattr(restriction, name)
            if wanted is not None:
                found &= column.having(wanted) if column else not wanted
        return found & self._dated(restriction)

    def dates(self, meant: Mask) -> dict[Days | None, int]:
        """How many of the documents that are meant have each date; None: no known date."""
        bounds = self._bounds()[meant].astype(np.int64)
        # One number a date: sorting pairs takes ten times as long.
        keys, numbers = np.unique((bounds[:, 0] << 32) + bounds[:, 1], return_counts=True)
        last = keys.astype(np.int32).astype(np.int64)
        rows = zip(((keys - last) >> 32).tolist(), last.tolist(), numbers.tolist(), strict=True)
        found = ((Days(first, end), number) for first, end, number in rows)
        return {None if days == _ANY_DAY else days: number for days, number in found}

    def _dated(self, restriction: Restriction) -> Mask:
        """Which documents the dates of a restriction leave."""
        found = np.ones(self._n_documents, dtype=np.bool_)
        first, last = self._bounds()[:, 0], self._bounds()[:, 1]
        if restriction.before is not None:
            found &= last < _known(restriction.before).first
        if restriction.after is not None:
            found &= first > _known(restriction.after).last
        if restriction.since is not None:
            found &= first >= _known(restriction.since).first
        if restriction.until is not None:
            found &= last <= _known(restriction.until).last
        if restriction.undated is Undated.EXCLUDE:
            return found
        is_undated = (first == _ANY_DAY.first) & (last == _ANY_DAY.last)
        return np.asarray(is_undated if restriction.undated is Undated.ONLY else found | is_undated)

    def row(self, document: int) -> tuple[tuple[str, ...], Days]:
        """Source and language, empty where there is none, and days of a document."""
        columns = self._columns.values()
        texts = (column.texts[column.codes[document]] if column else "" for column in columns)
        days = _ANY_DAY if self._days is None else Days(*self._days[document].tolist())
        return tuple(texts), days

    def _bounds(self) -> npt.NDArray[np.int32]:
        if self._days is None:
            return np.full((self._n_documents, 2), _ANY_DAY, dtype=np.int32)
        return self._days


class _Texts(NamedTuple):
    """A column of few different texts: the texts, and the number of that of each document."""

    texts: list[str]
    codes: npt.NDArray[np.unsignedinteger]

    def having(self, wanted: str) -> Mask:
        if wanted not in self.texts:
            return np.zeros(len(self.codes), dtype=np.bool_)
        return np.asarray(self.codes == self.texts.index(wanted))


def _read_texts(directory: Path, name: str) -> _Texts | None:
    if not (directory / f"{name}.npy").exists():
        return None
    texts = list(StringTable(directory, name))
    return _Texts(texts, load_array(directory, f"{name}_codes", _code_type(len(texts))))


def _code_type(n_texts: int) -> type[np.unsignedinteger]:
    """The smallest unsigned type that numbers so many texts."""
    return np.min_scalar_type(n_texts).type


def _known(day: str) -> Days:
    """The days of a date that a `Restriction` has checked."""
    found = days_of(day)
    assert found is not None
    return found
