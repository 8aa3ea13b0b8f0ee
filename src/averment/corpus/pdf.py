"""PDF files as plain text: one document a file, pages parted by blank lines.

The text is what the file says it is, line ends and hyphens at line ends included. Scans have
none: they are told, not recognised. What this module does not do: find columns, tables or
running heads.

Needs the extra [docs]; pypdf, which bounds what a stream may unpack to, is imported when the first
file is read.
"""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from averment.corpus.files import CorpusFile
from averment.corpus.records import Unusable, damaged
from averment.errors import MissingExtraError
from averment.types import Document

if TYPE_CHECKING:
    import pypdf

_LONGEST_TEXT = 100_000_000  # characters: a small file can repeat one page for ever


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
                raise Unusable("encrypted: it opens with a password only")
            text = _text(reader)
            title = reader.metadata.title if reader.metadata else None
    except Unusable:
        raise
    except Exception as error:  # a damaged file makes a parser raise anything
        raise damaged("PDF", error) from error
    if not text.strip():
        raise Unusable("no text in it; scanned pages need text recognition first")
    return Document(file.name, text, title=_valid(str(title or "")).strip() or file.path.stem)


def _text(reader: pypdf.PdfReader) -> str:
    pages: list[str] = []
    n_characters = 0
    for page in reader.pages:
        pages.append(_valid(page.extract_text()).strip())
        n_characters += len(pages[-1])
        if n_characters > _LONGEST_TEXT:
            raise Unusable(f"more than {_LONGEST_TEXT:,} characters")
    return "\n\n".join(filter(None, pages))


def _valid(text: str) -> str:
    """A text without NULs and halves of surrogate pairs, which faulty fonts bring in."""
    joined = text.replace("\0", "").encode("utf-16", "surrogatepass")
    return joined.decode("utf-16", "replace")


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
