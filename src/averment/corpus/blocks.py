"""How text with structure becomes plain text: blank lines between blocks, tabs between cells.

What a reader of markup yields is text and breaks in reading order; where several breaks meet, the
strongest stands. What this module does not do: know any kind of markup.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from averment.corpus.records import Unusable
from averment.corpus.sections import Heading

ROW = "\f"
"""Around a row or a table: a blank line, whatever else is there."""
CELL = "\t"
"""Around a cell: a tab, even where its content is a paragraph."""
BLOCK = "\n\n"
"""Around a paragraph, heading or list item: a blank line."""
LINE = "\n"
"""A line end inside of a block; two in a row are a blank line."""

_GAP = re.compile(r"[ \t\n\f]{2,}|\f")


class Mark(NamedTuple):
    """Between the pieces of a text: here begins a heading, or, at level 0, a page.

    A heading without text begins a section that has none.
    """

    level: int
    text: str = ""


class Joined(NamedTuple):
    """A text, the headings in it, and where its pages begin."""

    text: str
    headings: list[Heading]
    page_starts: list[int]


def joined(pieces: Iterable[str | Mark]) -> Joined:
    """The text of pieces and breaks, and where its marks are.

    Raises:
        Unusable: There is none.
    """
    kept: list[str] = []
    marks: list[tuple[int, Mark]] = []
    n = 0
    for piece in pieces:
        if isinstance(piece, Mark):
            marks.append((n, piece))
        else:
            kept.append(piece)
            n += len(piece)
    raw = "".join(kept)
    text, gaps = _closed_up(raw)
    if not text:
        raise Unusable("no text in it")
    headings, page_starts = [], []
    for offset, mark in marks:
        start = _moved(offset, gaps, len(text))
        if mark.level:
            end = text.find(BLOCK, start) if mark.text else start
            headings.append(Heading(start, len(text) if end < 0 else end, *mark))
        else:
            page_starts.append(start)
    return Joined(text, headings, page_starts)


class _Gap(NamedTuple):
    """A gap of the raw text, and by how much all that comes after it is shifted."""

    start: int
    end: int
    shift: int


def _closed_up(raw: str) -> tuple[str, list[_Gap]]:
    """A text with one break for each gap, without blanks around it; and its gaps."""
    first = len(raw) - len(raw.lstrip())
    gaps = [_Gap(0, first, -first)]
    pieces: list[str] = []
    for found in _GAP.finditer(raw, first):
        mark = _strongest(found)
        pieces += (raw[gaps[-1].end : found.start()], mark)
        shift = gaps[-1].shift + len(mark) - len(found.group())
        gaps.append(_Gap(found.start(), found.end(), shift))
    return "".join([*pieces, raw[gaps[-1].end :]]).rstrip(), gaps


def _moved(offset: int, gaps: list[_Gap], length: int) -> int:
    """Where what comes after an offset begins in the text."""
    gap = gaps[bisect_right(gaps, offset, key=lambda gap: gap.start) - 1]
    return min(max(offset, gap.end) + gap.shift, length)


def _strongest(gap: re.Match[str]) -> str:
    run = gap.group()
    if ROW in run:
        return BLOCK
    if CELL in run:
        return CELL
    return {0: " ", 1: LINE}.get(run.count("\n"), BLOCK)
