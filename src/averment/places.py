"""Where in a document something stands: sections, pages or slides, and how they are cited.

A layout is spans over the text of one document, found by the readers of `averment.corpus`; offsets
are code points, half open. Pages and slides are counted from 1 as they lie in the file, whatever is
printed on them. What this module does not do: find sections, or read a document.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol


class Role(StrEnum):
    """What a section is good for. Only a body is retrieved and shown as evidence."""

    BODY = "body"
    REFERENCES = "references"
    """A bibliography: an author near a year in it supports nothing."""
    BOILERPLATE = "boilerplate"
    """A table of contents and the like: it says again where something else is said."""


class Unit(StrEnum):
    """What the numbers of pages count."""

    PAGE = "page"
    SLIDE = "slide"


@dataclass(frozen=True, slots=True)
class Section:
    """A span of a document under one heading; ``heading`` is its path, outermost first.

    ``body_start`` is where its headings end. Before the first heading the path is empty. A section
    that was left out of the text has no length: it tells that there was one, and where.
    """

    heading: tuple[str, ...]
    start: int
    body_start: int
    end: int
    role: Role = Role.BODY


@dataclass(frozen=True, slots=True)
class Place:
    """Where a span of a document stands: the path of its section, and its pages or slides.

    The path is empty where no heading comes before; ``page`` is the first one, None where the
    format has none. ``turns`` are the offsets in the document at which the span goes to the next.
    """

    section: tuple[str, ...] = ()
    page: int | None = None
    turns: tuple[int, ...] = ()
    unit: Unit = Unit.PAGE

    @property
    def last_page(self) -> int | None:
        """The page or slide on which the span ends."""
        return None if self.page is None else self.page + len(self.turns)

    def within(self, start: int, end: int) -> Place:
        """The place of a part of the span: ``start:end`` in the document."""
        if self.page is None:
            return self
        n_before = bisect_right(self.turns, start)
        turns = self.turns[n_before : bisect_left(self.turns, max(end, start + 1))]
        return replace(self, page=self.page + n_before, turns=turns)

    @property
    def in_words(self) -> str:
        """As in "p. 12, Leave > Parental leave"."""
        path = " > ".join(self.section)
        if self.page is None:
            return path
        name = {Unit.PAGE: "pp." if self.turns else "p.", Unit.SLIDE: "slide"}[self.unit]
        pages = f"{name} {self.page}" + (f"–{self.last_page}" if self.turns else "")
        return f"{pages}, {path}" if path else pages


@dataclass(frozen=True, slots=True)
class Layout:
    """The sections of a document in order, which cover its text, and where its pages begin.

    ``page_starts`` has the offset of each page or slide from the first on; it is empty where the
    format has none.
    """

    sections: tuple[Section, ...] = ()
    page_starts: tuple[int, ...] = ()
    unit: Unit = Unit.PAGE

    def place(self, start: int, end: int) -> Place | None:
        """Where a span of the text stands, by the section of its start; None: nothing is known."""
        at = bisect_right(self.sections, start, key=lambda section: section.start) - 1
        path = self.sections[at].heading if at >= 0 else ()
        if not self.page_starts:
            return Place(path) if path else None
        return Place(path, 1, self.page_starts[1:], self.unit).within(start, end)

    @property
    def lacks_references(self) -> bool:
        """Whether references were left out of the text."""
        return any(s.role is Role.REFERENCES and s.start == s.end for s in self.sections)

    def body_around(self, start: int, end: int) -> tuple[int, int] | None:
        """The run of body sections that holds a span; None if some of it is no body."""
        low, high = 0, max(end, self.sections[-1].end if self.sections else end)
        for section in self.sections:
            if section.role is Role.BODY or section.start == section.end:
                continue
            if section.start < end and start < section.end:
                return None
            if section.end <= start:
                low = section.end
            else:
                high = min(high, section.start)
        return low, high


def headed(title: str, place: Place | None) -> str:
    """What stands over a passage: the title of its document and the path of its section."""
    return " > ".join(filter(None, (title, *(place.section if place else ()))))


class Placed(Protocol):
    """What stands in a document, as far as it is cited."""

    @property
    def document_id(self) -> str:
        """The id of its document."""
        ...

    @property
    def place(self) -> Place | None:
        """Where it stands there."""
        ...


def cited(found: Placed) -> str:
    """What a reader looks up: "handbook.pdf, p. 12, Leave > Parental leave".

    Where nobody knows a page or a section, it is the title of the document, or its id.
    """
    if found.place is None:
        return getattr(found, "title", "") or found.document_id
    return f"{found.document_id}, {found.place.in_words}"
