"""PDF files as plain text: one document a file, with its pages and its sections.

Lines that run through the pages are left out, words broken at the end of a line are joined, and a
sentence that goes on over the page is one. Headings are those of the outline; without one, lines in
larger letters and bold ones with a number. Scans have no text: they are told, not recognised.
What this module does not do: find columns or tables; know the numbers that are printed on pages.

Needs the extra [docs]; pypdf, which bounds what a stream may unpack to, is imported when the first
file is read.
"""

from __future__ import annotations

import io
import logging
import math
import re
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from averment.corpus.bibliography import may_head_references
from averment.corpus.files import CorpusFile
from averment.corpus.pdf_lines import (
    Line,
    is_broken_word,
    lines_of,
    usual_size,
    without_running_lines,
)
from averment.corpus.records import Unusable, damaged
from averment.corpus.sections import Heading, layout_of
from averment.errors import MissingExtraError
from averment.types import Document

if TYPE_CHECKING:
    import pypdf

_LONGEST_TEXT = 100_000_000  # characters: a small file can repeat one page for ever
_LARGER = 1.12  # letters of a heading, to those of the text
_LONGEST_HEADING_WORDS = 16
_LINES_A_HEADING = 3
_DEEPEST = 4  # levels that sizes of letters tell apart
_OUTLINE_DEPTH = 20  # a damaged one may hold itself
_LONGEST_HEADING = 160  # characters
_DIGITS = "0123456789"
_NUMBERED = re.compile(r"(\d+(?:\.\d+)*)\.?\s+[^\W\d_]")
_LEADS = re.compile(r"(?:\.\s?){3,}\s*\w+$")  # "Leave ..... 12": a line of contents
_GOES_ON = re.compile(r"[^\s.!?:;…。！？]$")


class _Placed(NamedTuple):
    """A line of the whole document: where it is in the text, and on which page, from 0."""

    line: Line
    start: int
    page: int

    @property
    def end(self) -> int:
        return self.start + len(self.line.text)


class _Entry(NamedTuple):
    """An entry of the outline; the page from 0."""

    title: str
    level: int
    page: int


def pdf_document(data: bytes, file: CorpusFile) -> Document:
    """The text of a PDF file. Its title is that of its properties, otherwise the file's name.

    Raises:
        Unusable: It is damaged, encrypted, or has no text.
        MissingExtraError: pypdf is not installed.
    """
    try:
        import pypdf
    except ModuleNotFoundError as error:
        raise MissingExtraError("PDF files", "docs") from error
    try:
        with _quiet():
            reader = pypdf.PdfReader(io.BytesIO(data))
            if reader.is_encrypted and not reader.decrypt(""):
                raise Unusable("encrypted: it opens with a password only; save a copy without one")
            pages = _pages(reader)
            title = reader.metadata.title if reader.metadata else None
            outline = _outline(reader)
    except Unusable:
        raise
    except Exception as error:  # a damaged file makes a parser raise anything
        raise damaged("PDF", error) from error
    if not any(line.text for page in pages for line in page):
        raise Unusable(
            "no text in it; scanned pages need text recognition first "
            "(ocrmypdf scan.pdf with-text.pdf)"
        )
    text, lines, page_starts = _joined(without_running_lines(pages))
    headings = _of_outline(outline, text, lines) or _of_letters(text, lines)
    return Document(
        file.name,
        text,
        title=" ".join(str(title or "").replace("\0", "").split()) or file.path.stem,
        layout=layout_of(text, headings, page_starts=page_starts),
    )


def _pages(reader: pypdf.PdfReader) -> list[list[Line]]:
    pages: list[list[Line]] = []
    n_characters = 0
    for page in reader.pages:
        pages.append(lines_of(page))
        n_characters += sum(len(line.text) for line in pages[-1])
        if n_characters > _LONGEST_TEXT:
            raise Unusable(f"more than {_LONGEST_TEXT:,} characters")
    return pages


# --- lines to text ------------------------------------------------------------------------------


def _joined(pages: Sequence[Sequence[Line]]) -> tuple[str, list[_Placed], list[int]]:
    """The text, its lines with their places, and where each page begins.

    Lines stay lines but where a word is broken; pages are parted by a blank line but where a
    sentence goes on.
    """
    pieces: list[str] = []
    placed: list[_Placed] = []
    starts: list[int] = []
    n = 0
    before = ""  # the last line that has text
    for number, page in enumerate(pages):
        starts.append(n)
        for at, line in enumerate(page):
            mark = "\n"
            if not pieces:
                mark = ""
            elif is_broken_word(before, line.text):
                mark, pieces[-1] = "", pieces[-1][:-1]
                n -= 1
            elif not at and not (_GOES_ON.search(before) and line.text[:1].islower()):
                mark = "\n\n"
            pieces += (mark, line.text)
            n += len(mark)
            if not at:
                starts[-1] = n
            if line.text:
                placed.append(_Placed(line, n, number))
            before = line.text
            n += len(line.text)
    return "".join(pieces), placed, [min(start, n) for start in starts]


# --- headings -----------------------------------------------------------------------------------


def _outline(reader: pypdf.PdfReader) -> list[_Entry]:
    """The bookmarks, as far as they say a page."""
    found: list[_Entry] = []

    def walk(items: Sequence[Any], level: int) -> None:
        for item in items:
            if isinstance(item, list):
                if level < _OUTLINE_DEPTH:
                    walk(item, level + 1)
            elif (page := reader.get_destination_page_number(item)) is not None and item.title:
                found.append(_Entry(str(item.title), level, page))

    walk(reader.outline, 1)
    return found


def _of_outline(outline: Sequence[_Entry], text: str, lines: Sequence[_Placed]) -> list[Heading]:
    """The entries of an outline whose words stand on their page, as one line or some in a row.

    An entry that is not found there makes no heading: where it begins is not known.
    """
    headings: list[Heading] = []
    for entry in outline:
        wanted = _letters(entry.title)
        after = headings[-1].end if headings else 0
        here = [line for line in lines if line.page == entry.page and line.start >= after]
        span = next((s for at in range(len(here)) if (s := _span(here, at, wanted))), None)
        if span:
            headings.append(Heading(*span, entry.level, " ".join(entry.title.split())))
    return headings


def _span(lines: Sequence[_Placed], at: int, wanted: str) -> tuple[int, int] | None:
    """Where some lines in a row from one on say what is wanted, whichever of both has a number."""
    said = ""
    for placed in lines[at : at + _LINES_A_HEADING]:
        said += _letters(placed.line.text)
        if wanted in (said, said.lstrip(_DIGITS)) or said == wanted.lstrip(_DIGITS):
            return lines[at].start, placed.end
    return None


def _letters(text: str) -> str:
    """A title as it is compared: letters and digits alone, without case and ligatures."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _of_letters(text: str, lines: Sequence[_Placed]) -> list[Heading]:
    """Lines in larger letters than the text; bold ones with a number; and heads of references.

    Letters larger than any heading of a later page are those of the title, on its own or over the
    first page.
    """
    usual = usual_size(line.line for line in lines)
    larger = [line for line in lines if usual and line.line.size >= _LARGER * usual]
    candidates = [line for line in larger if _may_be_heading(line.line.text)]
    largest = max((line.line.size for line in candidates if line.page), default=math.inf)
    sizes = sorted({s for line in candidates if (s := line.line.size) <= largest}, reverse=True)
    headings: list[Heading] = []
    before: _Placed | None = None
    for line in lines:
        level = _level(line.line, sizes)
        goes_on = before is not None and level is not None and _is_one_heading(before, line)
        if goes_on and headings and before is not None and headings[-1].end == before.end:
            whole = text[headings[-1].start : line.end]
            headings[-1] = headings[-1]._replace(end=line.end, text=" ".join(whole.split()))
        elif level is not None:
            headings.append(Heading(line.start, line.end, level, " ".join(line.line.text.split())))
        before = line
    return headings


def _level(line: Line, sizes: Sequence[float]) -> int | None:
    """Of a heading: the larger its letters the further out, then by its number; None: of no one."""
    if not _may_be_heading(line.text):
        return None
    if line.size in sizes:
        return 1 + min(sizes.index(line.size), _DEEPEST)
    numbered = _NUMBERED.match(line.text)
    if line.is_bold and numbered and (not sizes or line.size < sizes[-1]):
        return 2 + _DEEPEST + numbered.group(1).count(".")
    return 2 + _DEEPEST if may_head_references(line.text) else None


def _may_be_heading(text: str) -> bool:
    is_short = len(text.split()) <= _LONGEST_HEADING_WORDS and len(text) <= _LONGEST_HEADING
    return is_short and sum(map(str.isalpha, text)) > 1 and not _LEADS.search(text)


def _is_one_heading(before: _Placed, line: _Placed) -> bool:
    """Whether a heading goes on in a line: the next one, in the same letters, without a number."""
    is_next = before.page == line.page and line.start == before.end + 1
    is_same = (before.line.size, before.line.is_bold) == (line.line.size, line.line.is_bold)
    return is_next and is_same and not _NUMBERED.match(line.line.text)


@contextmanager
def _quiet() -> Iterator[None]:
    """What the parser has to say about a file that it can read is not for the terminal."""
    logger, handler = logging.getLogger("pypdf"), logging.NullHandler()
    logger.addHandler(handler)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.removeHandler(handler)
