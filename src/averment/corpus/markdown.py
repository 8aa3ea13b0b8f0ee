"""Markdown as it stands, with the sections that its headings make.

Headings are those of CommonMark: ``#`` to ``######``, and lines underlined with ``=`` or ``-``;
none within fenced code or front matter. The text is not changed, marks included. What this module
does not do: render, or read what is between headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from averment.corpus.files import CorpusFile
from averment.corpus.records import decode, not_empty
from averment.corpus.sections import Heading, layout_of
from averment.types import Document

_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NO_PARAGRAPH = re.compile(r" {0,3}(?:[-*+>|]|\d+[.)])|\s")  # what an underline does not head


def markdown_document(data: bytes, file: CorpusFile) -> Document:
    """A Markdown file. Its title is its first heading or its name.

    Raises:
        Unusable: It is empty, or not UTF-8.
    """
    text = not_empty(decode(data))
    headings = list(_headings(text))
    title = (headings[0].text if headings else "") or file.path.stem
    return Document(file.name, text, title=title, layout=layout_of(text, headings))


def _headings(text: str) -> Iterator[Heading]:
    fence = ""
    in_front_matter = False
    before, start_before = "", 0
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True)):
        bare = line.rstrip("\r\n")
        is_rule = bare.rstrip() == "---"
        opening = _FENCE.match(bare)
        if in_front_matter or (number == 0 and is_rule):
            in_front_matter = number == 0 or not is_rule
            bare = ""
        elif opening and not fence:
            fence = opening.group(1)
        elif fence:
            is_closing = opening and not bare.strip().strip(fence[0])
            if is_closing and opening and len(opening.group(1)) >= len(fence):
                fence = ""
            bare = ""
        elif found := _ATX.fullmatch(bare):
            yield Heading(start, start + len(bare), len(found.group(1)), found.group(2))
            bare = ""
        elif (line_of := _UNDERLINE.fullmatch(bare)) and before and not _NO_PARAGRAPH.match(before):
            level = 1 if line_of.group(1)[0] == "=" else 2
            yield Heading(start_before, start + len(bare), level, before.strip())
            bare = ""
        before, start_before = bare, start
        start += len(line)
