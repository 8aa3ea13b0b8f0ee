"""The parts of an open index: each segment with its documents, and which of them are there.

What this module does not do: answer over several (`averment.index.embedded`), write.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np

from averment.dating import Days
from averment.errors import IndexFormatError
from averment.index.arrays import REBUILD, load_array
from averment.index.document_ids import DocumentIds
from averment.index.documents import DocumentStore, digest_of
from averment.index.engines import Segment, open_segment
from averment.index.manifest import SegmentEntry, check_sizes
from averment.index.metadata import Mask, MetadataTable, Restriction, packed
from averment.index.tokens import TokenStore
from averment.text import TextForm

DELETED = "deleted"
"""The name of the array of the numbers of deleted documents, in a directory of its own."""


class Options(Protocol):
    """How the segments of an index were made; a manifest knows, and so does a writer."""

    @property
    def engine(self) -> str:
        """The name of the engine."""
        ...

    @property
    def form(self) -> TextForm:
        """The text form of documents and phrases."""
        ...

    @property
    def counts_only(self) -> bool:
        """Whether there is no text."""
        ...

    @property
    def keeps_tokens(self) -> bool:
        """Whether the words of the documents are kept, packed."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A segment and its documents.

    `whole` answers for all documents that were written, `segment` for those that are meant: not
    deleted, and within a restriction. `deleted_digest` is of those that are deleted. `store` and
    `tokens` are None where they are not kept.
    """

    entry: SegmentEntry
    whole: Segment
    segment: Segment
    meant: Mask
    deleted_digest: int
    document_ids: DocumentIds
    metadata: MetadataTable
    store: DocumentStore | None
    tokens: TokenStore | None

    def restricted(self, restriction: Restriction) -> Part:
        """The same part, about fewer documents."""
        return self._about(self.meant & self.metadata.matching(restriction))

    def without(self, numbers: Sequence[int], digest: int) -> Part:
        """The same part after some documents were deleted, which have that digest together."""
        meant = self.meant.copy()
        meant[numbers] = False
        return replace(self._about(meant), deleted_digest=self.deleted_digest + digest)

    def _about(self, meant: Mask) -> Part:
        return replace(self, meant=meant, segment=self.whole.among(packed(meant)))

    @property
    def is_whole(self) -> bool:
        """Whether all documents that were written are meant."""
        return bool(self.meant.all())

    def n_words(self) -> int:
        """Words of the documents that are meant."""
        if self.is_whole:
            return self.whole.n_words
        left_out = np.flatnonzero(~self.meant).tolist()
        return self.whole.n_words - sum(map(self.whole.document_words, left_out))

    def digest_of(self, numbers: Sequence[int]) -> int:
        """Of some documents; where their text is gone, of their ids."""
        if self.store:
            return sum(digest_of(self.store.document(number)) for number in numbers)
        ids = (self.document_ids.encoded(number) for number in numbers)
        return sum(int.from_bytes(hashlib.sha256(one).digest()) for one in ids)

    def passages_meant(self) -> Mask:
        """Which passages are of documents that are meant; shape ``(n_passages,)``."""
        assert self.store is not None
        try:
            return np.asarray(self.meant[self.store.passage_documents()])
        except IndexError as error:
            raise IndexFormatError(
                f"The passages of segment {self.entry.name} are damaged: {error}.", hint=REBUILD
            ) from error


class DamagedPart(NamedTuple):
    """A segment that was left out, how many sound ones come before it, and why."""

    entry: SegmentEntry
    place: int
    problem: str


def open_part(path: Path, entry: SegmentEntry, options: Options) -> Part:
    """Open a segment of an index directory.

    Raises:
        IndexFormatError: It is damaged, or its engine is not here.
    """
    check_sizes(path, entry.files)
    counts = path / "counts" / entry.name
    whole = open_segment(options.engine, counts, options.form)
    document_ids = DocumentIds(counts)
    n = entry.n_documents
    if not whole.n_documents == len(document_ids) == n:
        raise IndexFormatError(f"{counts} is not of {n} documents.", hint=REBUILD)
    part = Part(
        entry,
        whole,
        whole,
        np.ones(n, dtype=np.bool_),
        0,
        document_ids,
        MetadataTable(counts, n),
        None if options.counts_only else DocumentStore(path / "passages" / entry.name),
        TokenStore(counts) if options.keeps_tokens else None,
    )
    if entry.deleted is None:
        return part
    return part.without(_deleted(path, entry), int(entry.deleted.documents_digest, 16))


def dates_of(parts: Sequence[Part]) -> Mapping[Days | None, int]:
    """How many documents that are meant have each date, the earliest first; None: no known date."""
    found: Counter[Days | None] = Counter()
    for part in parts:
        found.update(part.metadata.dates(part.meant))
    known = sorted(days for days in found if days is not None)
    unknown = [None] if None in found else []
    return MappingProxyType({days: found[days] for days in [*unknown, *known]})


def _deleted(path: Path, entry: SegmentEntry) -> list[int]:
    assert entry.deleted is not None
    check_sizes(path, [entry.deleted.file])
    directory = (path / entry.deleted.file.path).parent
    numbers = load_array(directory, DELETED, np.uint32)
    fits = 0 < len(numbers) == entry.deleted.n_documents and numbers.max() < entry.n_documents
    if not fits:
        raise IndexFormatError(f"{directory} does not fit the segment {entry.name}.", hint=REBUILD)
    found: list[int] = numbers.tolist()
    return found


def grouped(parts: Sequence[Part], most_words: int) -> list[list[Part]]:
    """Neighbours that together have so many words at most."""
    groups: list[list[Part]] = []
    n_words = 0
    for part in parts:
        n_words += part.n_words()
        if not groups or n_words > most_words:
            groups.append([])
            n_words = part.n_words()
        groups[-1].append(part)
    return groups
