"""Web pages as plain text: one document a file.

Paragraphs, headings, list items and table rows are parted by blank lines, cells by tabs, so that
passages can be cut between them. Scripts, styles, navigation and form controls are left out. What
this module does not do: guess what else on a page is not its content, run scripts.

Needs the extra [docs]; lxml is imported when the first file is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from averment.corpus.blocks import BLOCK, CELL, LINE, ROW, joined
from averment.corpus.files import CorpusFile
from averment.corpus.records import Unusable, damaged, decode, not_empty
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
    text = joined(_pieces(root))
    heading = next(root.iter("h1", "h2", "h3", "h4", "h5", "h6"), None)
    title = _flat(root.find("head/title")) or _flat(heading) or file.path.stem
    language = root.get("lang", "").strip().partition("-")[0].lower()
    return Document(file.name, text, title=title, language=language or None)


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


def _pieces(root: Any) -> Iterator[str]:
    """Text and breaks in reading order; blanks that only lay out the source become one."""
    from lxml import etree

    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    n_pre = 0
    for event, element in walk:
        if event == "start" and element.tag in _SKIPPED:
            walk.skip_subtree()
            continue
        if element.tag == "pre":
            n_pre += 1 if event == "start" else -1
        mark = _BREAKS.get(element.tag, "")
        if event == "start" or mark != LINE:
            yield mark
        yield _spaced((element.text if event == "start" else element.tail) or "", kept=n_pre > 0)


def _spaced(text: str, *, kept: bool) -> str:
    if kept:  # in <pre>, lines are lines
        return "\n".join(_BLANKS.sub(" ", line) for line in text.split("\n"))
    return _BLANKS.sub(" ", text)
