"""From the headings of a text to its sections, and the text without those that are no body.

A heading over deeper headings only stands with the first of them, so that no section is a heading
alone. A first heading that all others stand below is the title of the document and in no path.
What this module does not do: find headings (the readers), know what a bibliography is
(`averment.corpus.bibliography`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from averment.corpus.bibliography import (
    are_references,
    end_of_entries,
    is_appendix,
    is_contents,
    may_head_references,
    start_of_numbered_entries,
)
from averment.places import Layout, Role, Section, Unit
from averment.types import Document


class Heading(NamedTuple):
    """A heading at ``text[start:end]``; level 1 is the outermost, and its text may be empty."""

    start: int
    end: int
    level: int
    text: str


def layout_of(
    text: str,
    headings: Sequence[Heading],
    *,
    page_starts: Sequence[int] = (),
    unit: Unit = Unit.PAGE,
) -> Layout | None:
    """The sections of a text.

    Args:
        text: The text of a document.
        headings: Its headings in order.
        page_starts: Where its pages or slides begin, from the first on; empty: it has none.
        unit: What they are.

    Returns:
        Sections that cover the text; None if there is nothing to tell: neither pages nor sections.
    """
    sections = _with_roles(text, _parts(text, headings))
    has_sections = any(section.heading or section.role is not Role.BODY for section in sections)
    if not has_sections and not page_starts:
        return None
    return Layout(tuple(sections), tuple(page_starts), unit)


def without(document: Document, roles: Collection[Role]) -> Document:
    """A document without the text of its sections of some roles; the others keep their places.

    A section that is left out stays in the layout, without length.
    """
    layout = document.layout
    if layout is None or not any(section.role in roles for section in layout.sections):
        return document
    kept: list[str] = []
    sections: list[Section] = []
    moved = _Moves()
    n_kept = 0
    for section in layout.sections:
        moved.note(section.start, n_kept)
        n = 0 if section.role in roles else section.end - section.start
        kept.append(document.text[section.start : section.start + n])
        n_headings = min(section.body_start - section.start, n)
        place = (n_kept, n_kept + n_headings, n_kept + n)
        sections.append(Section(section.heading, *place, section.role))
        n_kept += n
    starts = tuple(min(moved.place(start), n_kept) for start in layout.page_starts)
    text = "".join(kept)
    shorter = replace(layout, sections=tuple(sections), page_starts=starts)
    return replace(document, text=text, layout=shorter)


class _Moves:
    """Where offsets go when sections before them become shorter."""

    def __init__(self) -> None:
        self._steps: list[tuple[int, int]] = []

    def note(self, before: int, after: int) -> None:
        self._steps.append((before, after))

    def place(self, offset: int) -> int:
        at = max(number for number, (before, _) in enumerate(self._steps) if before <= offset)
        before, after = self._steps[at]
        last = self._steps[at + 1][1] if at + 1 < len(self._steps) else after + offset - before
        return min(after + offset - before, last)


class _Part(NamedTuple):
    """A section in the making."""

    path: tuple[str, ...]
    start: int
    body_start: int
    end: int


def _has_title(text: str, headings: Sequence[Heading]) -> bool:
    """Whether the first heading is the title of the document: all others stand below it."""
    if not headings or text[: headings[0].start].strip():
        return False
    first, *others = headings
    is_over_all = all(heading.level > first.level for heading in others)
    return is_over_all and bool(first.text) and not may_head_references(first.text)


def _parts(text: str, headings: Sequence[Heading]) -> list[_Part]:
    """What stands under each heading, and before the first."""
    parts: list[_Part] = []
    above: list[Heading] = []
    has_title = _has_title(text, headings)
    title_end = headings[0].end if has_title else 0
    headings = headings[has_title:]
    starts = [*(heading.start for heading in headings), len(text)]
    if title_end or text[: starts[0]].strip() or not headings:
        parts.append(_Part((), 0, title_end, starts[0]))
    start = starts[0] if parts else 0
    for number, heading in enumerate(headings):
        end = starts[number + 1]
        has_deeper = number + 1 < len(headings) and headings[number + 1].level > heading.level
        if is_appendix(heading.text):  # ends references even where its letters are no larger
            at = [may_head_references(each.text) for each in above]
            del above[at.index(True) if True in at else len(above) :]
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        if has_deeper and not text[heading.end : end].strip():
            continue
        path = tuple(each.text for each in above if each.text)
        parts.append(_Part(path, start, heading.end, end))
        start = end
    return parts


def _with_roles(text: str, parts: Sequence[_Part]) -> list[Section]:
    sections: list[Section] = []
    for path, group in groupby(parts, key=lambda part: _special(part.path)):
        same = list(group)
        beneath = text[same[0].body_start : same[-1].end]
        role = Role.BODY
        if path and may_head_references(path[-1]) and are_references(path[-1], beneath):
            role = Role.REFERENCES
        elif path and is_contents(path[-1], beneath):
            role = Role.BOILERPLATE
        sections += [Section(*part, role) for part in same]
        if role is Role.REFERENCES:
            _end_after_entries(text, sections, outer=path[:-1])
    if all(section.role is not Role.REFERENCES for section in sections):
        _find_unheaded(text, sections)
    return sections


def _special(path: tuple[str, ...]) -> tuple[str, ...]:
    """The path down to a heading of references; otherwise all of it."""
    for depth, heading in enumerate(path, start=1):
        if may_head_references(heading):
            return path[:depth]
    return path


def _end_after_entries(text: str, sections: list[Section], *, outer: tuple[str, ...]) -> None:
    """What follows the entries of the last section, under no heading, is body again."""
    last = sections[-1]
    end = last.body_start + end_of_entries(text[last.body_start : last.end])
    if end < last.end:
        sections[-1] = replace(last, end=end)
        sections.append(Section(outer, end, end, last.end))


def _find_unheaded(text: str, sections: list[Section]) -> None:
    """Entries numbered from [1] at the end of a text are references without a heading."""
    last = sections.pop()
    found = start_of_numbered_entries(text[last.body_start : last.end])
    if found is None:
        sections.append(last)
        return
    start = last.body_start + found
    sections.append(replace(last, end=start))
    sections.append(Section((), start, start, last.end, Role.REFERENCES))
    _end_after_entries(text, sections, outer=())
