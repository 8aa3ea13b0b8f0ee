"""Documents and passages on disk, by number.

One JSON line a document, with the offset of each line, so that a document is read without its
neighbours; passages are spans into documents. What this module does not do: search.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import BinaryIO, overload

import numpy as np
import numpy.typing as npt

from averment.errors import DatasetError, IndexFormatError
from averment.index.arrays import REBUILD, load_array, map_file, save_array
from averment.index.layouts import layout_of_plain, plain_layout
from averment.trace import from_plain, to_plain
from averment.types import Document, Passage

_FILE_NAME = "documents.jsonl"
_FIELDS = tuple(field.name for field in fields(Document) if field.name != "layout")


def digest_of(document: Document) -> int:
    """What tells a document from any other: SHA-256 over all its fields.

    Raises:
        DatasetError: Its text or metadata cannot be written as JSON in UTF-8.
    """
    d = document
    metadata = to_plain(d.metadata) if d.metadata else {}
    try:
        small = [d.document_id, d.title, d.source, d.date, d.language, metadata]
        small += [plain_layout(d.layout)] if d.layout else []
        told = hashlib.sha256(json.dumps(small, ensure_ascii=False, sort_keys=True).encode())
        told.update(d.text.encode())
    except (TypeError, ValueError) as error:  # a lone surrogate is a ValueError too
        raise _not_storable(document, error) from error
    return int.from_bytes(told.digest())


def encode_document(document: Document) -> bytes:
    """A document as one line of JSON.

    Raises:
        DatasetError: Its text or metadata cannot be written as JSON in UTF-8.
    """
    plain = {name: getattr(document, name) for name in _FIELDS}
    plain["metadata"] = to_plain(document.metadata)
    if document.layout:  # a line without it is of a document, or of an averment, that has none
        plain["layout"] = plain_layout(document.layout)
    try:
        line = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
        return line.encode() + b"\n"
    except (TypeError, ValueError) as error:
        raise _not_storable(document, error) from error


def _not_storable(document: Document, error: Exception) -> DatasetError:
    return DatasetError(f"Document {document.document_id!r} cannot be stored: {error}.")


class DocumentWriter:
    """Appends documents and the spans of their passages; `finish` writes where they are.

    Args:
        directory: Where to write; it exists.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._file: BinaryIO = (directory / _FILE_NAME).open("wb")
        self._offsets = array("q", [0])
        self._passages = array("q")

    def add(self, line: bytes, passages: Iterable[tuple[int, int]]) -> None:
        """Append a document, as `encode_document` made it, and where its passages are."""
        for start, end in passages:
            self._passages.extend((len(self._offsets) - 1, start, end))
        self._file.write(line)
        self._offsets.append(self._offsets[-1] + len(line))

    def close(self) -> None:
        """Let go of the file; nothing can be added afterwards."""
        self._file.close()

    def finish(self) -> None:
        """Write the offsets and the passages, and close."""
        self.close()
        offsets = np.array(self._offsets, dtype=np.int64)
        passages = np.array(self._passages, dtype=np.int64).reshape(-1, 3)
        save_array(self._directory, "document_offsets", offsets)
        save_array(self._directory, "passage_spans", passages)


class DocumentStore:
    """What a `DocumentWriter` wrote; immutable, so any thread may read.

    Args:
        directory: Where it was written.

    Raises:
        IndexFormatError: The files are missing or do not fit together.
    """

    def __init__(self, directory: Path) -> None:
        self._path = directory / _FILE_NAME
        self._offsets = load_array(directory, "document_offsets", np.int64)
        self._passages = load_array(directory, "passage_spans", np.int64)
        self._lines = map_file(self._path)
        if self._offsets[-1] != len(self._lines) or self._passages.shape[1:] != (3,):
            raise IndexFormatError(f"{self._path} does not fit its offsets.", hint=REBUILD)

    @property
    def n_documents(self) -> int:
        """Documents in the store."""
        return len(self._offsets) - 1

    @property
    def n_passages(self) -> int:
        """Passages of all documents."""
        return len(self._passages)

    def document(self, number: int) -> Document:
        """A document by its number in the segment.

        Raises:
            IndexFormatError: Its line is not what was written.
        """
        try:
            plain = json.loads(self.line(number))
            layout = layout_of_plain(plain.pop("layout")) if "layout" in plain else None
            document: Document = from_plain(Document, plain)
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise IndexFormatError(
                f"{self._path} is damaged at document {number}: {error!r}.", hint=REBUILD
            ) from error
        return replace(document, layout=layout) if layout else document

    def line(self, number: int) -> bytes:
        """A document as `encode_document` made it."""
        return self._lines[self._offsets[number] : self._offsets[number + 1]]

    def spans(self, number: int) -> list[tuple[int, int]]:
        """Where the passages of a document are in its text."""
        low, high = np.searchsorted(self._passages[:, 0], [number, number + 1])
        return [(start, end) for start, end in self._passages[low:high, 1:].tolist()]

    def passage_documents(self) -> npt.NDArray[np.int64]:
        """The document of each passage, by their numbers; shape ``(n_passages,)``."""
        return self._passages[:, 0]

    def passage(self, number: int) -> Passage:
        """A passage by its number in the segment."""
        of, start, end = self._passages[number].tolist()
        document = self.document(of)
        first = int(np.searchsorted(self._passages[:, 0], of))
        return _passage(document, number - first, start, end)

    def passages(self) -> Iterator[Passage]:
        """All passages in order; each document is read once."""
        bounds = np.searchsorted(self._passages[:, 0], np.arange(self.n_documents + 1))
        for number, (low, high) in enumerate(pairwise(bounds)):
            spans = self._passages[low:high, 1:].tolist()
            document = self.document(number) if spans else None
            for at, (start, end) in enumerate(spans):
                assert document is not None
                yield _passage(document, at, start, end)


def _passage(document: Document, number: int, start: int, end: int) -> Passage:
    return Passage(
        passage_id=f"{document.document_id}#{number}",
        document_id=document.document_id,
        title=document.title,
        text=document.text[start:end],
        start=start,
        end=end,
        place=document.layout.place(start, end) if document.layout else None,
        date=document.date,
    )


class Unreadable:
    """In place of the store of a damaged segment, so that the other passages keep their numbers.

    Args:
        n_passages: That it holds.
        problem: Why it cannot be read.
    """

    def __init__(self, n_passages: int, problem: str) -> None:
        self.n_passages = n_passages
        self._problem = problem

    def passage(self, number: int) -> Passage:
        """Always fails."""
        raise IndexFormatError(self._problem, hint=REBUILD)

    def passages(self) -> Iterator[Passage]:
        """None can be read."""
        return iter(())


class PassageSequence(Sequence[Passage]):
    """The passages of several stores in a row, read from disk when they are asked for.

    Args:
        stores: In the order of their segments.
    """

    def __init__(self, stores: Sequence[DocumentStore | Unreadable]) -> None:
        self._stores = tuple(stores)
        self._ends = list(accumulate(store.n_passages for store in stores))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, number: int) -> Passage: ...
    @overload
    def __getitem__(self, number: slice) -> list[Passage]: ...
    def __getitem__(self, number: int | slice) -> Passage | list[Passage]:
        if isinstance(number, slice):
            return [self[at] for at in range(*number.indices(len(self)))]
        number = range(len(self))[number]  # negative numbers, and IndexError beyond the end
        at = bisect_right(self._ends, number)
        before = self._ends[at - 1] if at else 0
        return self._stores[at].passage(number - before)

    def __iter__(self) -> Iterator[Passage]:
        for store in self._stores:
            yield from store.passages()
