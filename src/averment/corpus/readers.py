"""From files to documents: what reads which type, in one order, without a bad record ending it.

A record that cannot be used is reported with file, line and reason, and the next one is read. Text
is kept as it stands, line ends included, since offsets point into it; only a byte order mark is
dropped. What this module does not do: parse (the modules beside it), decide whether bad records
are tolerable (the caller's `on_bad` may raise).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from averment.corpus.files import BadRecord, CorpusFile, list_files
from averment.corpus.lines import read_csv, read_jsonl
from averment.corpus.markdown import markdown_document
from averment.corpus.markup import html_document
from averment.corpus.parquet import read_parquet
from averment.corpus.pdf import pdf_document
from averment.corpus.records import Partly, Read, Unusable, decode, not_empty
from averment.corpus.remote import RemoteFile
from averment.corpus.sections import without
from averment.corpus.slides import pptx_document
from averment.corpus.word import docx_document
from averment.errors import MissingExtraError, UsageError
from averment.places import Role
from averment.types import Document

_NEVER_KEPT = frozenset((Role.BOILERPLATE,))
_LEFT_OUT = frozenset((Role.BOILERPLATE, Role.REFERENCES))


def read_documents(
    paths: Sequence[Path | str],
    *,
    on_bad: Callable[[BadRecord], None],
    on_bytes: Callable[[int, int], None] | None = None,
    keep_references: bool = False,
) -> Iterator[Document]:
    """The documents of files and directories, in a fixed order.

    ``.txt``, ``.md``, ``.html``, ``.htm``, ``.pdf``, ``.docx`` and ``.pptx`` are one document each,
    named by their path below the root given; all but ``.txt`` have a layout where they have
    headings or pages, and no tables of contents. ``.jsonl``, ``.csv`` and ``.tsv``, also with
    ``.gz`` or ``.zst``, and ``.parquet`` hold one record a line or row: ``text``, and optionally
    ``id`` or ``_id``, ``title``, ``date`` (ISO 8601), ``language``, ``source``; all else is
    metadata. A record without an id is named ``path:line``.

    Args:
        paths: Files and directories, or what has a scheme (``s3://…``, ``memory://…``): see
            `list_files`.
        on_bad: Told of everything that is left out.
        on_bytes: Told (bytes consumed so far, bytes of all files) after each record; bytes as
            they lie on disk, so compressed ones of a compressed file.
        keep_references: Keep bibliographies in the text, as sections of that role; otherwise they
            are left out of it, so that nothing is counted there and nothing is found.

    Raises:
        UsageError: A path does not exist.
        MissingExtraError: After the last file, if an extra was missing for all of them.
    """
    found = list_files(paths)  # here, so that a missing path is known before the first document
    on_bytes = on_bytes or _nobody_listens
    return read_files(found, on_bad=on_bad, on_bytes=on_bytes, keep_references=keep_references)


def read_document(path: Path) -> Document:
    """The one document of a file of a type that holds one; named as the file was.

    Raises:
        UsageError: There is no such file, it cannot be used, or it holds many records.
        MissingExtraError: The extra that reads it is missing.
    """

    def refuse(record: BadRecord) -> None:
        raise UsageError(str(record), hint=f"Name a file with text in it: {', '.join(_WHOLE)}.")

    (file,) = list_files([path])
    if isinstance(file, BadRecord) or file.suffix not in _WHOLE:
        refuse(file if isinstance(file, BadRecord) else BadRecord(path, None, "holds many records"))
    for document in read_files([file], on_bad=refuse, on_bytes=_nobody_listens):
        return replace(document, document_id=str(path))
    raise AssertionError("a file that is not refused is a document")


def _nobody_listens(n_read: int, n_total: int) -> None:
    """What `on_bytes` is when nobody wants to know."""


class NeedsExtra(Unusable):
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
    keep_references: bool = False,
) -> Iterator[Document]:
    """The documents of files that `list_files` found; see `read_documents`."""
    readable = [file for file in files if isinstance(file, CorpusFile)]
    n_total = sum(file.n_bytes for file in readable)
    n_before = 0
    first_places = FirstPlaces()
    missing: list[MissingExtraError] = []
    for file in files:
        if isinstance(file, BadRecord):
            on_bad(file)
            continue
        for line, found, n_bytes in read_file(file, keep_references=keep_references):
            on_bytes(n_before + n_bytes, n_total)
            if isinstance(found, Unusable):
                on_bad(BadRecord(file.path, line, str(found)))
                if isinstance(found, NeedsExtra):
                    missing.append(found.error)
                continue
            duplicate = first_places.duplicate(found.document_id, file.path, line)
            if duplicate is not None:
                on_bad(duplicate)
                continue
            yield found
        n_before += file.n_bytes
        on_bytes(n_before, n_total)
    if missing and len(missing) == len(readable):
        raise missing[0]


class FirstPlaces:
    """Where each id of a corpus was met first: the later ones are duplicates."""

    def __init__(self) -> None:
        self._places: dict[str, str] = {}

    def duplicate(
        self, document_id: str, path: Path | RemoteFile, line: int | None
    ) -> BadRecord | None:
        """What there is to say of a document whose id was met before; None: it was not."""
        first = self._places.get(document_id)
        if first is None:
            self._places[document_id] = str(path) if line is None else f"{path}:{line}"
            return None
        return BadRecord(path, line, f"duplicate id {document_id!r}, first at {first}")


def read_file(file: CorpusFile, *, keep_references: bool = False) -> Iterator[Read]:
    """What is in a file, in order; what cannot be read of it stands there too."""
    left_out = _NEVER_KEPT if keep_references else _LEFT_OUT
    kind = file.suffix.removesuffix(".gz").removesuffix(".zst")
    try:
        yield from _RECORDS[kind](file) if kind in _RECORDS else _read_whole(file, left_out)
    except MissingExtraError as error:
        yield Read(None, NeedsExtra(error), file.n_bytes)
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
        yield Read(None, Unusable(reason), file.n_bytes)


def _read_whole(file: CorpusFile, left_out: frozenset[Role]) -> Iterator[Read]:
    found: Document | Unusable
    try:
        made = _WHOLE[file.suffix](file.path.read_bytes(), file)
        if isinstance(made, Partly):
            yield Read(None, made.missing, 0)
            made = made.document
        found = without(made, left_out)
        if not found.text.strip():
            found = Unusable("nothing but references or contents in it")
    except Unusable as reason:
        found = reason
    yield Read(None, found, file.n_bytes)


def _text_document(data: bytes, file: CorpusFile) -> Document:
    return Document(file.name, not_empty(decode(data)), title=file.path.stem)


_WHOLE: Final[Mapping[str, Callable[[bytes, CorpusFile], Document | Partly]]] = {
    ".txt": _text_document,
    ".md": markdown_document,
    ".html": html_document,
    ".htm": html_document,
    ".pdf": pdf_document,
    ".docx": docx_document,
    ".pptx": pptx_document,
}
_RECORDS: Final[Mapping[str, Callable[[CorpusFile], Iterator[Read]]]] = {
    ".jsonl": read_jsonl,
    ".csv": read_csv,
    ".tsv": read_csv,
    ".parquet": read_parquet,
}
