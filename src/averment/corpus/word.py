"""Word documents as plain text: one document a file.

Paragraphs, headings and table rows are parted by blank lines, cells by tabs; text boxes and
content controls come where they are anchored, tracked changes as if accepted. What this module
does not do: footnotes, headers and footers, comments, images, old ``.doc`` files.

Needs the extra [docs]; python-docx is imported when the first file is read.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from averment.corpus.blocks import BLOCK, CELL, LINE, ROW, joined
from averment.corpus.files import CorpusFile
from averment.corpus.records import Unusable, damaged
from averment.errors import MissingExtraError
from averment.types import Document

if TYPE_CHECKING:
    import docx.document

_LARGEST_UNPACKED_BYTES = 64 * 2**20
_LARGEST_RATIO = 4  # unpacked to packed beyond that: pictures are packed already, XML bombs are not
_OLD_FORMAT = b"\xd0\xcf\x11\xe0"
_BREAKS = {"p": BLOCK, "tbl": ROW, "tr": ROW, "tc": CELL}
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
    if data.startswith(_OLD_FORMAT):
        raise Unusable("cannot be read as Word: encrypted, or of the format before 2007")
    try:
        _refuse_bomb(data)
        document = docx.Document(io.BytesIO(data))
        text = joined(_pieces(document.element.body))
        title = document.core_properties.title.strip() or _heading(document)
    except Unusable:
        raise
    except Exception as error:  # a damaged file makes a parser raise anything
        raise damaged("Word", error) from error
    return Document(file.name, text, title=title or file.path.stem)


def _refuse_bomb(data: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        n_bytes = sum(part.file_size for part in archive.infolist())
    if n_bytes > _LARGEST_UNPACKED_BYTES + _LARGEST_RATIO * len(data):
        raise Unusable(f"cannot be read as Word: would unpack to {n_bytes:,} bytes")


def _pieces(body: Any) -> Iterator[str]:
    """Text and breaks in reading order."""
    from lxml import etree

    walk = etree.iterwalk(body, events=("start", "end"))
    for event, element in walk:
        name = etree.QName(element).localname
        if name in _SKIPPED and event == "start":
            walk.skip_subtree()
        elif name in _BREAKS:
            yield _BREAKS[name]
        elif event == "start":
            yield element.text or "" if name == "t" else _CHARACTERS.get(name, "")


def _heading(document: docx.document.Document) -> str:
    """The first heading, or nothing."""
    from docx.oxml.ns import qn

    named = ("Title", "Heading ")
    styles = {s.style_id for s in document.styles if (s.name or "").startswith(named)}
    for mark in document.element.body.iter(qn("w:pStyle")):
        if mark.get(qn("w:val")) in styles:
            paragraph = mark.getparent().getparent()
            text = "".join(piece.text or "" for piece in paragraph.iter(qn("w:t")))
            if text.strip():
                return " ".join(text.split())
    return ""
