"""PDF files as plain text: one document a file, with its pages and its sections.

Lines that run through the pages are left out, words broken at the end of a line are joined, and a
sentence that goes on over the page is one. Headings are those of the outline; without one, lines in
larger letters and bold ones with a number. Scans have no text: they are told, files and pages, not
recognised. What this module does not do: find columns or tables; know the numbers that are printed
on pages.

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
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from averment.corpus.bibliography import may_head_references
from averment.corpus.files import CorpusFile
from averment.corpus.pdf_lines import (
    Line,
    PageLine,
    is_broken_word,
    lines_of,
    usual_size,
    without_running_lines,
)
from averment.corpus.records import Partly, Unusable, damaged
from averment.corpus.sections import Heading, layout_of
from averment.errors import MissingExtraError
from averment.types import Document

if TYPE_CHECKING:
    import pypdf

_LONGEST_TEXT = 100_000_000  # characters: a small file can repeat one page for ever
_LARGER = 1.12  # letters of a heading, to those of the text
_LONGEST_HEADING_WORDS = 16
_LINES_A_HEADING = 3
_FEWEST_OF_OUTLINE = 2  # one entry is the title of the document
_DEEPEST = 4  # levels that sizes of letters tell apart
_OUTLINE_DEPTH = 20  # a damaged one may hold itself
_LONGEST_HEADING = 160  # characters
_MOST_NAMED = 20  # pages
_SCANNED = "scanned pages need text recognition first (ocrmypdf scan.pdf with-text.pdf)"
_DIGITS = "0123456789"
_NUMBERED = re.compile(r"(\d+(?:\.\d+)*)\.?\s+[^\W\d_]")
_LEADS = re.compile(r"(?:\.\s?){3,}\s*\w+$")  # "Leave ..... 12": a line of contents
_GOES_ON = re.compile(r"[^\s.!?:;…。！？]$")


class _Title(NamedTuple):
    """A heading that is the lines from `first` up to `beyond`."""

    first: int
    beyond: int
    level: int
    text: str


class _Entry(NamedTuple):
    """An entry of the outline; the page from 0."""

    title: str
    level: int
    page: int


def pdf_document(data: bytes, file: CorpusFile) -> Document | Partly:
    """The text of a PDF file. Its title is that of its properties, otherwise the file's name.

    Returns:
        The document; with what is missing, where some of its pages are pictures without text.

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
            pictures = [
                number
                for number, (page, lines) in enumerate(zip(reader.pages, pages, strict=True), 1)
                if _is_blank(lines) and _has_picture(page)
            ]
    except Unusable:
        raise
    except Exception as error:  # a damaged file makes a parser raise anything
        raise damaged("PDF", error) from error
    if all(map(_is_blank, pages)):
        raise Unusable(f"no text in it; {_SCANNED}")
    lines = [
        PageLine(page, line)
        for page, its in enumerate(without_running_lines(pages))
        for line in its
        if line.text
    ]
    titles = _of_outline(outline, lines)
    if len(titles) < _FEWEST_OF_OUTLINE:
        titles = _of_letters(lines)
    text, headings, page_starts = _joined(lines, titles, len(pages))
    document = Document(
        file.name,
        text,
        title=" ".join(str(title or "").replace("\0", "").split()) or file.path.stem,
        layout=layout_of(text, headings, page_starts=page_starts),
    )
    if not pictures:
        return document
    shown = ", ".join(map(str, pictures[:_MOST_NAMED])) + " …" * (len(pictures) > _MOST_NAMED)
    missing = f"{len(pictures)} of {len(pages)} pages are pictures without text ({shown})"
    return Partly(document, Unusable(f"{missing}; {_SCANNED}"))


def _is_blank(lines: Sequence[Line]) -> bool:
    return not any(line.text for line in lines)


def _has_picture(page: pypdf.PageObject) -> bool:
    try:
        resources: Any = page["/Resources"]
        items = resources["/XObject"].values()
        return any(item.get_object()["/Subtype"] == "/Image" for item in items)
    except Exception:  # there is none, or it is damaged, which is no fault of the other pages
        return False


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


def _joined(
    lines: Sequence[PageLine], titles: Sequence[_Title], n_pages: int
) -> tuple[str, list[Heading], list[int]]:
    """The text, its headings with their places, and where each page begins.

    Blank lines are around headings, and between pages but where a sentence goes on; otherwise lines
    stay lines, but where a word is broken.
    """
    pieces: list[str] = []
    n = 0
    starts: list[int] = []  # of each line
    apart = {at for title in titles for at in (title.first, title.beyond)}
    page_starts: list[int] = []
    for at, (page, line) in enumerate(lines):
        before = lines[at - 1] if at else None
        mark = "" if before is None else "\n\n" if at in apart else _between(before, lines[at])
        if before is not None and not mark:
            pieces[-1] = pieces[-1][:-1]  # the hyphen
            n -= 1
        pieces += (mark, line.text)
        n += len(mark)
        page_starts += [n] * (page + 1 - len(page_starts))
        starts.append(n)
        n += len(line.text)
    page_starts += [n] * (n_pages - len(page_starts))
    ends = [starts[title.beyond - 1] + len(lines[title.beyond - 1].line.text) for title in titles]
    headings = [
        Heading(starts[title.first], end, title.level, title.text)
        for title, end in zip(titles, ends, strict=True)
    ]
    return "".join(pieces), headings, page_starts


def _between(before: PageLine, after: PageLine) -> str:
    if is_broken_word(before.line.text, after.line.text):
        return ""
    goes_on = _GOES_ON.search(before.line.text) and after.line.text[0].islower()
    return "\n" if before.page == after.page or goes_on else "\n\n"


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


def _of_outline(outline: Sequence[_Entry], lines: Sequence[PageLine]) -> list[_Title]:
    """The entries of an outline whose words stand on their page, as one line or some in a row.

    An entry that is not found there makes no heading: where it begins is not known. References are
    often in no outline (LaTeX has them in none), so their heads are taken from the text.
    """
    said = [_letters(line.text) for _, line in lines]
    titles: list[_Title] = []
    for entry in outline:
        wanted = _letters(entry.title)
        first = max(
            bisect_left(lines, entry.page, key=lambda line: line.page),
            titles[-1].beyond if titles else 0,
        )
        beyond = bisect_right(lines, entry.page, key=lambda line: line.page)
        for at in range(first, beyond):
            if n_lines := _n_lines_saying(wanted, said[at : min(at + _LINES_A_HEADING, beyond)]):
                name = " ".join(entry.title.split())
                titles.append(_Title(at, at + n_lines, entry.level, name))
                break
    return _with_references(titles, lines)


def _with_references(titles: Sequence[_Title], lines: Sequence[PageLine]) -> list[_Title]:
    """Headings, and lines that head references beside the outermost of them."""
    taken = {at for title in titles for at in range(title.first, title.beyond)}
    # The first of all may stand over the others as the title of the document.
    level = min((title.level for title in titles[1:]), default=1)
    added = [
        _Title(at, at + 1, level, line.text)
        for at, (_, line) in enumerate(lines)
        if at not in taken and _heads_references(line.text)
    ]
    return sorted([*titles, *added])


def _heads_references(text: str) -> bool:
    return may_head_references(text) and not text[0].islower()


def _n_lines_saying(wanted: str, lines: Sequence[str]) -> int:
    """How many lines say what is wanted, whichever of both has a number; 0: they say another."""
    said = ""
    for n_lines, letters in enumerate(lines, start=1):
        said += letters
        if wanted in (said, said.lstrip(_DIGITS)) or said == wanted.lstrip(_DIGITS):
            return n_lines
    return 0


def _letters(text: str) -> str:
    """A title as it is compared: letters and digits alone, without case and ligatures."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _of_letters(lines: Sequence[PageLine]) -> list[_Title]:
    """Lines in larger letters than the text; bold ones with a number; and heads of references.

    Letters larger than any heading of a later page are those of the title over the first page.
    """
    usual = usual_size(line for _, line in lines)
    larger = [
        (page, line.size)
        for page, line in lines
        if line.size >= _LARGER * usual > 0 and _may_be_heading(line.text)
    ]
    largest = max((size for page, size in larger if page), default=math.inf)
    sizes = sorted({size for _, size in larger if size <= largest}, reverse=True)
    titles: list[_Title] = []
    for at, (_, line) in enumerate(lines):
        level = _level(line, sizes)
        if level is None:
            continue
        if titles and titles[-1].beyond == at and _is_one_heading(lines[at - 1], lines[at]):
            before = titles.pop()
            whole = f"{before.text} {line.text}"
            titles.append(before._replace(beyond=at + 1, text=" ".join(whole.split())))
        else:
            titles.append(_Title(at, at + 1, level, " ".join(line.text.split())))
    return titles


def _level(line: Line, sizes: Sequence[float]) -> int | None:
    """Of a heading: the larger its letters the further out, then by its number; None: of no one."""
    if not _may_be_heading(line.text):
        return None
    if line.size in sizes:
        return 1 + min(sizes.index(line.size), _DEEPEST)
    numbered = _NUMBERED.match(line.text)
    if line.is_bold and numbered and (not sizes or line.size < sizes[-1]):
        return 2 + _DEEPEST + numbered.group(1).count(".")
    return 2 + _DEEPEST if _heads_references(line.text) else None


def _may_be_heading(text: str) -> bool:
    is_short = len(text.split()) <= _LONGEST_HEADING_WORDS and len(text) <= _LONGEST_HEADING
    return is_short and sum(map(str.isalpha, text)) > 1 and not _LEADS.search(text)


def _is_one_heading(before: PageLine, after: PageLine) -> bool:
    """Whether a heading goes on in the next line: in the same letters, without a number."""
    looks = [(page, line.size, line.is_bold) for page, line in (before, after)]
    return looks[0] == looks[1] and not _NUMBERED.match(after.line.text)


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
