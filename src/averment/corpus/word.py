"""Word documents as plain text: one document a file.

Paragraphs, headings and table rows are parted by blank lines, cells by tabs; text boxes and
content controls come where they are anchored, tracked changes as if accepted. Styles of headings,
and those with an outline level, make sections; tables of contents are left out. What this module
does not do: pages, which a Word document has only when it is laid out; footnotes, headers and
footers, comments, images, old ``.doc`` files.

Needs the extra [docs]; python-docx is imported when the first file is read.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from averment.corpus.blocks import BLOCK, CELL, LINE, ROW, Mark, joined
from averment.corpus.files import CorpusFile
from averment.corpus.records import Unusable, damaged
from averment.corpus.sections import Heading, layout_of
from averment.errors import MissingExtraError
from averment.types import Document

if TYPE_CHECKING:
    import docx.document

_LARGEST_UNPACKED_BYTES = 64 * 2**20
_LARGEST_RATIO = 4  # unpacked to packed beyond that: pictures are packed already, XML bombs are not
OLD_FORMAT = b"\xd0\xcf\x11\xe0"
_BREAKS = {"p": BLOCK, "tbl": ROW, "tr": ROW, "tc": CELL}
_HEADING_STYLE = re.compile(r"Heading ([1-9])")
_CONTENTS_STYLE = re.compile(r"toc (\d|heading)", re.IGNORECASE)
_BODY_OUTLINE = 9  # the outline level of what is no heading
_CHARACTERS = {"tab": " ", "br": LINE, "cr": LINE, "noBreakHyphen": "-"}
# Deleted and moved away; and what is there twice, for older programs.
_SKIPPED = frozenset(("del", "moveFrom", "Fallback"))


def docx_document(data: bytes, file: CorpusFile) -> Document:
    """A Word document. Its title is that of its properties, its first heading or the file's name.

    Raises:
        Unusable: It is damaged, encrypted, without text, or unpacks to far more than its size.
        MissingExtraError: python-docx is not installed.
    """
    try:
        import docx
    except ModuleNotFoundError as error:
        raise MissingExtraError("Word documents", "docs") from error
    if data.startswith(OLD_FORMAT):
        raise Unusable("cannot be read as Word: encrypted, or of the format before 2007")
    try:
        refuse_bomb(data, "Word")
        document = docx.Document(io.BytesIO(data))
        found = joined(_pieces(document.element.body, _levels(document)))
        title = document.core_properties.title.strip() or _first(found.headings)
    except Unusable:
        raise
    except Exception as error:  # a damaged file makes a parser raise anything
        raise damaged("Word", error) from error
    layout = layout_of(found.text, found.headings)
    return Document(file.name, found.text, title=title or file.path.stem, layout=layout)


def refuse_bomb(data: bytes, kind: str) -> None:
    """Refuse an Office file whose parts unpack to far more than its size.

    Raises:
        Unusable: It would.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        n_bytes = sum(part.file_size for part in archive.infolist())
    if n_bytes > _LARGEST_UNPACKED_BYTES + _LARGEST_RATIO * len(data):
        raise Unusable(f"cannot be read as {kind}: would unpack to {n_bytes:,} bytes")


def _levels(document: docx.document.Document) -> dict[str, int]:
    """The level of each style that makes a heading: 1 of a title and the first, 0 of contents."""
    from docx.oxml.ns import qn

    levels: dict[str, int] = {}
    for style in document.styles:
        name = style.name or ""
        outline = style.element.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
        if name == "Title":
            levels[style.style_id] = 1
        elif found := _HEADING_STYLE.fullmatch(name):
            levels[style.style_id] = 1 + int(found.group(1))
        elif _CONTENTS_STYLE.match(name):
            levels[style.style_id] = 0
        elif outline is not None:
            levels[style.style_id] = 2 + int(outline.get(qn("w:val")))
    return levels


def _pieces(body: Any, levels: Mapping[str, int]) -> Iterator[str | Mark]:
    """Text, breaks and headings in reading order."""
    from lxml import etree

    walk = etree.iterwalk(body, events=("start", "end"))
    for event, element in walk:
        name = etree.QName(element).localname
        is_start = event == "start"
        level = _level(element, levels) if name == "p" and is_start else None
        if is_start and (name in _SKIPPED or level == 0):
            walk.skip_subtree()
            continue
        if name in _BREAKS:
            yield _BREAKS[name]
        elif is_start:
            yield element.text or "" if name == "t" else _CHARACTERS.get(name, "")
        if level and (title := _flat(element)):
            yield Mark(level, title)


def _level(paragraph: Any, levels: Mapping[str, int]) -> int | None:
    """Of a heading; 0 of a line of contents, None of any other paragraph."""
    from docx.oxml.ns import qn

    properties = paragraph.find(qn("w:pPr"))
    if properties is None:
        return None
    outline = properties.find(qn("w:outlineLvl"))
    if outline is not None and int(outline.get(qn("w:val"))) < _BODY_OUTLINE:
        return 2 + int(outline.get(qn("w:val")))
    style = properties.find(qn("w:pStyle"))
    return None if style is None else levels.get(style.get(qn("w:val")))


def _flat(paragraph: Any) -> str:
    from docx.oxml.ns import qn

    return " ".join("".join(piece.text or "" for piece in paragraph.iter(qn("w:t"))).split())


def _first(headings: Sequence[Heading]) -> str:
    return headings[0].text if headings else ""
