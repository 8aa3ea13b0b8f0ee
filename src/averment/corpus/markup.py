"""Web pages as plain text: one document a file.

Paragraphs, headings, list items and table rows are parted by blank lines, cells by tabs, so that
passages can be cut between them; headings make sections. A page that says what its main content is
(``<main>``, or a single ``<article>``) is read no further. Scripts, styles, navigation, form
controls and the footer of a page are left out. What this module does not do: guess what else on a
page is not its content, run scripts.

Needs the extra [docs]; lxml is imported when the first file is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from averment.corpus.blocks import BLOCK, CELL, LINE, ROW, Mark, joined
from averment.corpus.files import CorpusFile
from averment.corpus.records import Unusable, damaged, decode, not_empty
from averment.corpus.sections import layout_of
from averment.errors import MissingExtraError
from averment.types import Document

_SKIPPED = frozenset(
    "button canvas head iframe nav noscript object script select style svg template "
    "textarea".split()
)
_BLOCKS = frozenset(
    "address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hr li main ol p pre section summary ul".split()
)
_BREAKS = {
    **dict.fromkeys(_BLOCKS, BLOCK),
    **dict.fromkeys(("table", "tr"), ROW),
    **dict.fromkeys(("td", "th"), CELL),
    "br": LINE,
}
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_ASIDE_ROLES = frozenset(("navigation", "contentinfo", "search"))
_BLANKS = re.compile(r"[ \t\r\n\f]+")
# The names of encodings that pages use; of others, as the standard has it, no notice is taken.
_CHARSET = re.compile(
    rb"""<meta[^>]+charset\s*=\s*["']?\s*(iso-8859-\d+|windows-125\d|us-ascii|koi8-[ru]|macintosh"""
    rb"""|gb2312|gbk|gb18030|big5|shift_jis|euc-jp|euc-kr|iso-2022-jp)\b""",
    re.IGNORECASE,
)
_CHARSET_WITHIN_BYTES = 1024


def html_document(data: bytes, file: CorpusFile) -> Document:
    """A web page, in the encoding that it declares, otherwise UTF-8.

    Its title is ``<title>``, the first heading or the name of the file; its language that of
    ``<html lang>``.

    Raises:
        Unusable: It has no text, or is nested more than 2,000 deep.
        MissingExtraError: lxml is not installed.
    """
    root = _parse(decode(data, _encoding(data)))
    found = joined(_pieces(_main(root)))
    heading = next(root.iter(*_HEADINGS), None)
    title = _flat(root.find("head/title")) or _flat(heading) or file.path.stem
    language = root.get("lang", "").strip().partition("-")[0].lower()
    layout = layout_of(found.text, found.headings)
    return Document(file.name, found.text, title, language=language or None, layout=layout)


def _encoding(data: bytes) -> str:
    declared = _CHARSET.search(data[:_CHARSET_WITHIN_BYTES])
    name = declared.group(1).decode().lower() if declared else "utf-8"
    # The standard: pages that say Latin-1 mean what Windows makes of it.
    return "windows-1252" if name in ("iso-8859-1", "us-ascii") else name


def _parse(markup: str) -> Any:
    try:
        from lxml import etree
    except ModuleNotFoundError as error:
        raise MissingExtraError("HTML files", "docs") from error
    # Huge trees are still bounded: 2,048 deep instead of 256, which pages with unclosed tags reach.
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    try:
        root = etree.fromstring(not_empty(markup).encode(), parser)
    except etree.LxmlError as error:
        raise damaged("HTML", error) from error
    for fatal in parser.error_log.filter_from_fatals():
        raise Unusable(f"cannot be read as HTML: {fatal.message.partition(',')[0]}")
    if root is None:  # nothing but comments
        raise Unusable("no text in it")
    return root


def _flat(element: Any) -> str:
    """The text of an element on one line; nothing of no element."""
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _main(root: Any) -> Any:
    """What the page says is its content; all of it, where it does not say so or has no text there.

    An article is all of the content only where there is one: pages with several list them.
    """
    marked = [each for each in root.iter("main", "div") if _is_main(each)]
    articles = list(root.iter("article"))
    for found in (marked, articles):
        if len(found) == 1 and _flat(found[0]):
            return found[0]
    return root


def _is_main(element: Any) -> bool:
    return bool(element.tag == "main" or element.get("role") == "main")


def _is_aside(element: Any) -> bool:
    """Whether an element is about the site: what moves about in it, and the foot of the page."""
    if element.get("role") in _ASIDE_ROLES:
        return True
    inner = ("article", "main", "section", "blockquote")
    return element.tag == "footer" and next(element.iterancestors(*inner), None) is None


def _pieces(root: Any) -> Iterator[str | Mark]:
    """Text and breaks in reading order; blanks that only lay out the source become one."""
    from lxml import etree

    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    n_pre = 0
    for event, element in walk:
        if event == "start" and (element.tag in _SKIPPED or _is_aside(element)):
            walk.skip_subtree()
            continue
        if element.tag == "pre":
            n_pre += 1 if event == "start" else -1
        mark = _BREAKS.get(element.tag, "")
        if event == "start" or mark != LINE:
            yield mark
        if event == "start" and element.tag in _HEADINGS and (title := _flat(element)):
            yield Mark(int(element.tag[1]), title)
        yield _spaced((element.text if event == "start" else element.tail) or "", kept=n_pre > 0)


def _spaced(text: str, *, kept: bool) -> str:
    if kept:  # in <pre>, lines are lines
        return "\n".join(_BLANKS.sub(" ", line) for line in text.split("\n"))
    return _BLANKS.sub(" ", text)
