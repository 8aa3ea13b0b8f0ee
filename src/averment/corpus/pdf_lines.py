"""The lines of a PDF page with the size of their letters; and which of them run through the pages.

A running head or foot is a line at the edge of pages that says the same on many of them, up to a
number that grows with the page: not "Total: 5" and "Total: 5", but "Handbook" and "Page 3 of 9".
What this module does not do: columns, tables.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pypdf

_EDGE_LINES = 3  # from the top, and from the bottom, in which running heads and feet stand
_FEWEST_PAGES = 2
_SHARE_OF_PAGES = 1 / 3
_ENOUGH_PAGES = 5  # the head of a chapter, however many chapters there are
_DIGITS = re.compile(r"\d+")
# Letters on both sides: "Eltern-\nzeit", not "2019-\n2020" and not "-\n".
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]$")
_LETTERS = re.compile(r"[^\W\d_]+")
_CONJUNCTIONS = frozenset(
    ("and", "or", "und", "oder", "bzw", "y", "o", "e", "et", "ou", "en", "of")
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it is read; `size` in points, 0 where nobody knows, and whether it is bold."""

    text: str
    size: float = 0.0
    is_bold: bool = False


class PageLine(NamedTuple):
    """A line, and its page from 0."""

    page: int
    line: Line


def lines_of(page: pypdf.PageObject) -> list[Line]:
    """The lines of a page in the order of its text, blank ones too."""
    lines: list[Line] = []
    text: list[str] = []
    sizes: Counter[float] = Counter()  # characters of each size on the line so far
    n_bold = 0

    def end_line() -> None:
        nonlocal n_bold
        size = sizes.most_common(1)[0][0] if sizes else 0.0
        lines.append(Line("".join(text).strip(), size, 2 * n_bold > sizes.total() > 0))
        text.clear()
        sizes.clear()
        n_bold = 0

    def visit(piece: str, cm: Sequence[float], tm: Sequence[float], font: Any, size: float) -> None:
        nonlocal n_bold
        points = round(abs(size * (tm[3] or tm[1]) * (cm[3] or cm[1])), 1)
        is_bold = bool(font) and "bold" in str(font.get("/BaseFont", "")).lower()
        for number, part in enumerate(_valid(piece).split("\n")):
            if number:
                end_line()
            n = len(part.strip())
            text.append(part)
            if n:
                sizes[points] += n
                n_bold += n * is_bold

    page.extract_text(visitor_text=visit)
    end_line()
    return lines


def _valid(text: str) -> str:
    """A text without NULs and halves of surrogate pairs, which faulty fonts bring in."""
    joined = text.replace("\0", "").encode("utf-16", "surrogatepass")
    return joined.decode("utf-16", "replace")


def without_running_lines(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Pages without the heads and feet that run through them, and without blank edges.

    A line is one if it is among the first or the last three of at least two pages and of a third
    of all, or of five, and all lines between it and the edge are too. Where that would leave
    nothing of any page, nothing is left out.
    """
    trimmed = [_trimmed(page) for page in pages]
    edges: Counter[str] = Counter()
    for number, page in enumerate(trimmed):
        near = [*page[:_EDGE_LINES], *page[-_EDGE_LINES:]]
        edges.update({key for line in near for key in _keys(line.text, number)})
    least = min(max(_FEWEST_PAGES, _SHARE_OF_PAGES * len(trimmed)), _ENOUGH_PAGES)
    bodies = []
    for number, page in enumerate(trimmed):
        runs = partial(_runs, page=number, edges=edges, least=least)
        bodies.append(_trimmed(_body(page, runs)))
    return bodies if any(bodies) else trimmed


def _keys(text: str, page: int) -> Iterator[str]:
    """A line as it stands, and with each of its numbers as so many more than that of the page."""
    flat = " ".join(text.split())
    if not flat:
        return
    yield flat
    for found in _DIGITS.finditer(flat):
        if len(found.group()) <= 4:
            more = int(found.group()) - page
            yield f"{flat[: found.start()]}\0{more}{flat[found.end() :]}"


def _runs(line: Line, page: int, edges: Counter[str], least: float) -> bool:
    return not line.text or any(edges[key] >= least for key in _keys(line.text, page))


def _body(page: Sequence[Line], runs: Callable[[Line], bool]) -> Sequence[Line]:
    first, last = 0, len(page)
    while first < min(_EDGE_LINES, last) and runs(page[first]):
        first += 1
    while last > max(len(page) - _EDGE_LINES, first) and runs(page[last - 1]):
        last -= 1
    return page[first:last]


def _trimmed(page: Sequence[Line]) -> list[Line]:
    """A page from its first line with text to its last."""
    full = [number for number, line in enumerate(page) if line.text]
    return list(page[full[0] : full[-1] + 1]) if full else []


def usual_size(lines: Iterable[Line]) -> float:
    """The size in which most of a document is set, in points; 0 where nobody knows."""
    weights: Counter[float] = Counter()
    for line in lines:
        if line.size:
            weights[line.size] += len(line.text)
    return weights.most_common(1)[0][0] if weights else 0.0


def is_broken_word(before: str, after: str) -> bool:
    """Whether a word is broken at the end of a line, so that its hyphen is none of the word.

    The rule: a letter and a hyphen end the line, and the next begins with a lower-case word that
    is no conjunction ("Vor- und Nachteile" keeps its hyphen). A compound that was broken at its own
    hyphen ("long-" and "term") loses it.
    """
    word = _LETTERS.match(after)
    if word is None or not _HYPHEN.search(before):
        return False
    return word.group()[0].islower() and word.group().lower() not in _CONJUNCTIONS
