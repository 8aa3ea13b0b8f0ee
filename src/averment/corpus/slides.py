"""Slides of PowerPoint as plain text: one document a file, one section a slide.

The title of a slide is its heading; shapes come in the order of the file, groups and tables
included, the notes of the speaker last, under a heading "Notes" of their own. What this module does
not do: charts, drawings, pictures, comments, layouts; old ``.ppt`` files.

Needs the extra [docs]; python-pptx is imported when the first file is read.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from averment.corpus.blocks import BLOCK, CELL, LINE, ROW, Mark, joined
from averment.corpus.files import CorpusFile
from averment.corpus.records import Unusable, damaged
from averment.corpus.sections import layout_of
from averment.corpus.word import OLD_FORMAT, refuse_bomb
from averment.errors import MissingExtraError
from averment.places import Unit
from averment.types import Document

_NOTES = "Notes"
_PAGE = Mark(0)


def pptx_document(data: bytes, file: CorpusFile) -> Document:
    """A presentation. Its title is that of its properties, its first slide or the file's name.

    Raises:
        Unusable: It is damaged, encrypted, without text, or unpacks to far more than its size.
        MissingExtraError: python-pptx is not installed.
    """
    try:
        import pptx
    except ModuleNotFoundError as error:
        raise MissingExtraError("PowerPoint presentations", "docs") from error
    if data.startswith(OLD_FORMAT):
        raise Unusable("cannot be read as PowerPoint: encrypted, or of the format before 2007")
    try:
        refuse_bomb(data, "PowerPoint")
        presentation = pptx.Presentation(io.BytesIO(data))
        found = joined(_pieces(presentation.slides))
        title = (presentation.core_properties.title or "").strip()
    except Unusable:
        raise
    except Exception as error:  # a damaged file makes a parser raise anything
        raise damaged("PowerPoint", error) from error
    first = next((heading.text for heading in found.headings if heading.text), "")
    layout = layout_of(found.text, found.headings, page_starts=found.page_starts, unit=Unit.SLIDE)
    return Document(file.name, found.text, title=title or first or file.path.stem, layout=layout)


def _pieces(slides: Iterable[Any]) -> Iterator[str | Mark]:
    for slide in slides:
        yield BLOCK
        yield _PAGE
        heading = slide.shapes.title
        title = " ".join(heading.text_frame.text.split()) if heading is not None else ""
        yield from (Mark(1, title), title, BLOCK)
        for shape in slide.shapes:
            if heading is None or shape.shape_id != heading.shape_id:
                yield from _text_of(shape)
        notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        if notes is not None and notes.text.strip():
            yield from (BLOCK, Mark(2, _NOTES), _NOTES, BLOCK)
            yield from _paragraphs(notes)


def _text_of(shape: Any) -> Iterator[str]:
    if hasattr(shape, "shapes"):  # a group
        for inner in shape.shapes:
            yield from _text_of(inner)
    elif getattr(shape, "has_table", False):
        yield ROW
        for row in shape.table.rows:
            yield from (ROW, CELL.join(_flat(cell.text_frame.text) for cell in row.cells), ROW)
    elif shape.has_text_frame:
        yield from _paragraphs(shape.text_frame)


def _paragraphs(frame: Any) -> Iterator[str]:
    for paragraph in frame.paragraphs:
        yield from (BLOCK, paragraph.text.replace("\v", LINE), BLOCK)


def _flat(text: str) -> str:
    return " ".join(text.split())
