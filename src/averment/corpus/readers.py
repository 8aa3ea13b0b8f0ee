"""From files to documents: what reads which type, in one order, without a bad record ending it.

A record that cannot be used is reported with file, line and reason, and the next one is read. Text
is kept as it stands, line ends included, since offsets point into it; only a byte order mark is
dropped. What this module does not do: parse (the modules beside it), decide whether bad records
are tolerable (the caller's `on_bad` may raise).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from averment.corpus.files import BadRecord, CorpusFile, list_files
from averment.corpus.lines import read_csv, read_jsonl
from averment.corpus.markup import html_document
from averment.corpus.parquet import read_parquet
from averment.corpus.pdf import pdf_document
from averment.corpus.records import Read, Unusable, decode, not_empty
from averment.corpus.word import docx_document
from averment.errors import MissingExtraError
from averment.types import Document

_HEADING = re.compile(r"^#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*\r?$", re.MULTILINE)


def read_documents(
    paths: Sequence[Path],
    *,
    on_bad: Callable[[BadRecord], None],
    on_bytes: Callable[[int, int], None] | None = None,
) -> Iterator[Document]:
    """The documents of files and directories, in a fixed order.

    ``.txt``, ``.md``, ``.html``, ``.htm``, ``.pdf`` and ``.docx`` are one document each, named by
    their path below the root given. ``.jsonl``, ``.csv`` and ``.tsv``, also with ``.gz`` or
    ``.zst``, and ``.parquet`` hold one record a line or row: ``text``, and optionally ``id`` or
    ``_id``, ``title``, ``date`` (ISO 8601), ``language``, ``source``; all else is metadata. A
    record without an id is named ``path:line``.

    Args:
        paths: Files and directories.
        on_bad: Told of everything that is left out.
        on_bytes: Told (bytes consumed so far, bytes of all files) after each record; bytes as
            they lie on disk, so compressed ones of a compressed file.

    Raises:
        UsageError: A path does not exist.
        MissingExtraError: After the last file, if an extra was missing for all of them.
    """
    found = list_files(paths)  # here, so that a missing path is known before the first document
    return read_files(found, on_bad=on_bad, on_bytes=on_bytes or _nobody_listens)


def _nobody_listens(n_read: int, n_total: int) -> None:
    """What `on_bytes` is when nobody wants to know."""


class _NeedsExtra(Unusable):
    """A file that could be used if an extra were installed."""

    def __init__(self, error: MissingExtraError) -> None:
        name = error.extra
        super().__init__(f"needs the extra [{name}]: pip install 'averment[{name}]'")
        self.error = error


def read_files(
    files: Sequence[CorpusFile | BadRecord],
    *,
    on_bad: Callable[[BadRecord], None],
    on_bytes: Callable[[int, int], None],
) -> Iterator[Document]:
    """The documents of files that `list_files` found; see `read_documents`."""
    readable = [file for file in files if isinstance(file, CorpusFile)]
    n_total = sum(file.n_bytes for file in readable)
    n_before = 0
    first_places: dict[str, str] = {}
    missing: list[MissingExtraError] = []
    for file in files:
        if isinstance(file, BadRecord):
            on_bad(file)
            continue
        for line, found, n_bytes in _read_file(file):
            on_bytes(n_before + n_bytes, n_total)
            if isinstance(found, Unusable):
                on_bad(BadRecord(file.path, line, str(found)))
                if isinstance(found, _NeedsExtra):
                    missing.append(found.error)
                continue
            place = str(file.path) if line is None else f"{file.path}:{line}"
            if found.document_id in first_places:
                first = first_places[found.document_id]
                reason = f"duplicate id {found.document_id!r}, first at {first}"
                on_bad(BadRecord(file.path, line, reason))
                continue
            first_places[found.document_id] = place
            yield found
        n_before += file.n_bytes
        on_bytes(n_before, n_total)
    if missing and len(missing) == len(readable):
        raise missing[0]


def _read_file(file: CorpusFile) -> Iterator[Read]:
    kind = file.suffix.removesuffix(".gz").removesuffix(".zst")
    try:
        yield from _RECORDS[kind](file) if kind in _RECORDS else _read_whole(file)
    except MissingExtraError as error:
        yield Read(None, _NeedsExtra(error), file.n_bytes)
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
        yield Read(None, Unusable(reason), file.n_bytes)


def _read_whole(file: CorpusFile) -> Iterator[Read]:
    found: Document | Unusable
    try:
        found = _WHOLE[file.suffix](file.path.read_bytes(), file)
    except Unusable as reason:
        found = reason
    yield Read(None, found, file.n_bytes)


def _text_document(data: bytes, file: CorpusFile) -> Document:
    return Document(file.name, not_empty(decode(data)), title=file.path.stem)


def _markdown_document(data: bytes, file: CorpusFile) -> Document:
    text = not_empty(decode(data))
    heading = _HEADING.search(text)
    return Document(file.name, text, title=(heading and heading.group(1)) or file.path.stem)


_WHOLE: Final[Mapping[str, Callable[[bytes, CorpusFile], Document]]] = {
    ".txt": _text_document,
    ".md": _markdown_document,
    ".html": html_document,
    ".htm": html_document,
    ".pdf": pdf_document,
    ".docx": docx_document,
}
_RECORDS: Final[Mapping[str, Callable[[CorpusFile], Iterator[Read]]]] = {
    ".jsonl": read_jsonl,
    ".csv": read_csv,
    ".tsv": read_csv,
    ".parquet": read_parquet,
}
