"""A segment in the making: statistics, metadata and text of documents, written side by side.

Made in a staging directory and moved to its place, under a name that its content gives it, when it
is complete. What this module does not do: decide what goes into which segment, publish.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress

import numpy as np

from averment.index import engines
from averment.index.document_ids import save_document_ids
from averment.index.documents import DocumentWriter, encode_document
from averment.index.manifest import (
    FileEntry,
    SegmentEntry,
    make_durable,
    written_digest,
)
from averment.index.metadata import MetadataWriter
from averment.index.parts import Options, Part
from averment.index.staging import Staging
from averment.index.tokens import TokenWriter
from averment.types import Document, Passage


class NewSegment:
    """Collects documents; `finish` puts the segment into its place.

    Args:
        staging: Of the index; its directory is where the segment is made.
        options: Of the index.
        words_per_segment: About how many words it is going to have, at most.
    """

    def __init__(self, staging: Staging, options: Options, *, words_per_segment: int) -> None:
        self._staging = staging
        self._options = options
        self._directory = staging.directory / "segment"
        self._halves = ("counts",) if options.counts_only else ("counts", "passages")
        for half in self._halves:
            (self._directory / half).mkdir(parents=True)
        self._ids: list[str] = []
        self._digest = 0
        self._metadata = MetadataWriter()
        self._words = engines.segment_writer(options.engine, options.form, words_per_segment)
        counts, passages = self._directory / "counts", self._directory / "passages"
        self._tokens = TokenWriter(counts) if options.keeps_tokens else None
        self._documents = None if options.counts_only else DocumentWriter(passages)
        self._n_passages = 0

    @property
    def n_documents(self) -> int:
        """Documents so far."""
        return len(self._ids)

    @property
    def n_words(self) -> int:
        """Words so far, as far as they have been counted."""
        return self._words.n_words

    def add(self, document: Document, digest: int, passages: Sequence[Passage]) -> None:
        """Append a document.

        Args:
            document: The document, which can be stored.
            digest: Of it.
            passages: Spans of its text.
        """
        self._words.add(document.text)
        self._ids.append(document.document_id)
        self._digest += digest
        self._metadata.add(document)
        if self._tokens:
            words = engines.words(self._options.engine, self._options.form, document.text)
            self._tokens.add(words)
        if self._documents:
            line = encode_document(document)
            self._documents.add(line, [(passage.start, passage.end) for passage in passages])
            self._n_passages += len(passages)

    def close(self) -> None:
        """Give up; what was written stays in the staging directory."""
        self._words.close()
        for text in (self._tokens, self._documents):
            if text:
                with suppress(OSError):  # a full disk refuses what is still to be written again
                    text.close()

    def finish(self) -> SegmentEntry:
        """Write what is missing, force it to disk and move it to its place."""
        counts = self._directory / "counts"
        n_words = self._words.write(counts)
        return self._complete(n_words, self._digest)

    def merge(self, parts: Sequence[Part]) -> SegmentEntry:
        """Be all the documents of some parts, in their order, without those that are deleted."""
        counts = self._directory / "counts"
        n_words = engines.merge_segments(
            self._options.engine, [part.segment for part in parts], counts
        )
        for part in parts:
            kept = np.flatnonzero(part.meant).tolist()
            self._ids += map(part.document_ids.__getitem__, kept)
            self._metadata.extend(part.metadata, part.meant)
            self._copy_texts(part, kept)
        return self._complete(n_words, sum(map(_digest_of_part, parts)))

    def _copy_texts(self, part: Part, kept: Iterable[int]) -> None:
        for number in kept:
            if self._tokens:
                assert part.tokens is not None
                self._tokens.add(part.tokens.words(number))
            if self._documents:
                assert part.store is not None
                spans = part.store.spans(number)
                self._documents.add(part.store.line(number), spans)
                self._n_passages += len(spans)

    def _complete(self, n_words: int, digest: int) -> SegmentEntry:
        counts = self._directory / "counts"
        save_document_ids(counts, self._ids)
        self._metadata.finish(counts)
        for text in (self._tokens, self._documents):
            if text:
                text.finish()
        found = {half: make_durable(self._directory / half) for half in self._halves}
        name = f"seg-{directory_digest(file for half in self._halves for file in found[half])}"
        files: list[FileEntry] = []
        for half in self._halves:
            placed = [file.below(f"{half}/{name}") for file in found[half]]
            self._staging.move_into_place(self._directory / half, f"{half}/{name}", placed)
            files += placed
        shutil.rmtree(self._directory)
        n = len(self._ids)
        return SegmentEntry(
            name, n, n_words, self._n_passages, written_digest(digest), tuple(files)
        )


def _digest_of_part(part: Part) -> int:
    return int(part.entry.documents_digest, 16) - part.deleted_digest


def directory_digest(files: Iterable[FileEntry]) -> str:
    """Twelve hexadecimal digits that depend on the names and the bytes of files."""
    listing = "".join(f"{file.sha256} {file.path}\n" for file in files)
    return hashlib.sha256(listing.encode()).hexdigest()[:12]
