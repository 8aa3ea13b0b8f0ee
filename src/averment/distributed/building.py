"""Builds on Ray: tasks index the pieces of a corpus, the driver makes the index of their blocks.

The driver goes along the blocks in the order of the corpus: it drops documents whose id was there
before, ends segments where a local build ends them, and merges the blocks of each into one, byte
for byte what a local build would have written. So a build may be begun on Ray and ended without it,
and the other way round. What is finished is kept in the staging directory of the index: whoever is
killed, driver or worker, loses what it had not finished.
What this module does not do: add to an index that is there; need a disk that machines share, beside
the files of the corpus, which every machine has to reach by the same names.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from averment.claims.aliases.acronyms import Explained
from averment.claims.aliases.book import AliasRow
from averment.claims.aliases.openings import Opening
from averment.corpus.files import BadRecord, CorpusFile
from averment.corpus.fingerprint import fingerprint
from averment.corpus.readers import FirstPlaces
from averment.distributed.blocks import Block, BlockOptions, BlockStore, Left, make_blocks
from averment.distributed.cluster import MOST_RETRIES, errors_told, joined
from averment.distributed.pieces import PIECE_BYTES, Piece, cut_into_pieces
from averment.errors import MissingExtraError
from averment.index.build import IndexWriter
from averment.index.cuts import Cuts
from averment.index.manifest import FORMAT_VERSION
from averment.index.metadata import Mask
from averment.index.parts import Part
from averment.index.staging import disk_errors
from averment.languages import checked_language
from averment.retrieval.bm25 import NumberedTerms, write_bm25
from averment.settings import Settings
from averment.text import TextForm
from averment.types import CorpusInfo, Document
from averment.wiring.aliases import NamesSaid, write_aliases
from averment.wiring.audited_changes import (
    DocumentLog,
    index_before,
    record_ingestion,
    recording,
)
from averment.wiring.corpus import refuse_aliases_without_text
from averment.wiring.foreign import refuse_address
from averment.wiring.retrievers import carry_vectors

_QUEUED = 2
"""Tasks a processor that are handed over, so that none waits for the driver."""
_AHEAD = 4
"""Blocks that a task may be ahead of the driver."""


def build_on_ray(
    files: Sequence[CorpusFile | BadRecord],
    path: str | Path,
    *,
    fold_accents: bool = False,
    counts_only: bool = False,
    keep_tokens: bool = False,
    keep_references: bool = False,
    on_bad: Callable[[BadRecord], None] = lambda record: None,
    on_bytes: Callable[[int, int], None] = lambda done, total: None,
    on_document: Callable[[Document], None] | None = None,
    on_resume: Callable[[int, int], None] = lambda done, total: None,
    aliases: Sequence[AliasRow] = (),
    language: str | None = None,
    settings: Settings | None = None,
    piece_bytes: int = PIECE_BYTES,
    words_per_segment: int | None = None,
) -> CorpusInfo:
    """Build an index of files on a Ray cluster; an index that is there is replaced as a whole.

    Args:
        files: As `list_files` found them; every machine of the cluster reads them by these names.
        path: The index directory, on a disk of this machine.
        fold_accents: "Zürich" and "Zurich" are one word.
        counts_only: Statistics without text.
        keep_tokens: Words are kept for snippets.
        keep_references: Bibliographies are counted too.
        on_bad: Told of everything that is left out, in the order of the corpus.
        on_bytes: Told (bytes that are indexed, bytes of all files) after each piece.
        on_document: Told of each document that the index has, in order; it is read again for it.
        on_resume: Told (pieces that an interrupted build had finished, all pieces), if there are.
        aliases: How names are written; kept with the index.
        language: As of `build_index`.
        settings: Name the ledger of changes; None: those of environment and files.
        piece_bytes: About how much a task reads.
        words_per_segment: After which a segment is written; None: as a local build does.

    Raises:
        MissingExtraError: Ray is not installed.
        ClusterUnavailable: There is no cluster, or workers die again and again.
        EmptyCorpusError, UsageError, DatasetError: As `build_index`.
    """
    refuse_aliases_without_text(aliases, counts_only=counts_only)
    refuse_address(Path(path))
    with (
        recording(settings) as recorder,
        IndexWriter(
            Path(path),
            form=TextForm(fold_accents=fold_accents),
            counts_only=counts_only,
            keep_tokens=keep_tokens,
            language=None if language is None else checked_language(language),
            words_per_segment=words_per_segment,
            resume_key=fingerprint(files, keep_references=keep_references),
        ) as writer,
    ):
        before = index_before(Path(path))
        options = _block_options(writer, piece_bytes, keep_references=keep_references)
        # Workers stand in other directories than we do; what is told is told as it was given.
        spelled = {str(file.path.absolute()): file.path for file in files}
        files = [replace(file, path=file.path.absolute()) for file in files]
        store = BlockStore(writer.workshop, options, spelled)
        log = DocumentLog()
        told = [] if on_document is None else [on_document]
        if recorder is not None:
            told.append(log.add)
        assembly = _Assembly(writer, on_bad, told)
        pieces = cut_into_pieces(files, piece_bytes=piece_bytes)
        with disk_errors(Path(path)):
            for piece_blocks in _made(pieces, options, store, on_bytes, on_resume):
                for block in piece_blocks:
                    assembly.take(block)
            assembly.finish(sum(isinstance(file, CorpusFile) for file in files))
            if writer.keeps_text and writer.n_documents:
                assembly.write_extras(aliases)
        info = writer.publish()
        if recorder is not None:
            record_ingestion(recorder, log, action="build", before=before, after=info)
    return info


def _block_options(writer: IndexWriter, piece_bytes: int, *, keep_references: bool) -> BlockOptions:
    made = writer.options
    return BlockOptions(
        engine=made.engine,
        form=made.form,
        keeps_tokens=made.keeps_tokens,
        cuts_passages=not made.counts_only,
        n_characters=piece_bytes,
        form_identity=made.form.identity,
        language=writer.language,
        keep_references=keep_references,
    )


def _made(
    pieces: Sequence[Piece],
    options: BlockOptions,
    store: BlockStore,
    on_bytes: Callable[[int, int], None],
    on_resume: Callable[[int, int], None],
) -> Iterator[list[Block]]:
    """The blocks of each piece, in order; those that are not there yet are made by tasks."""
    keys = [piece.key(f"{FORMAT_VERSION} {options!r}") for piece in pieces]
    done = {key for key in set(keys) if store.has(key)}
    to_do = [at for at, key in enumerate(keys) if key not in done]
    if done:
        on_resume(len(pieces) - len(to_do), len(pieces))
    n_total = sum(piece.n_bytes for piece in pieces)
    n_done = n_total - sum(pieces[at].n_bytes for at in to_do)
    at_next = 0
    on_bytes(n_done, n_total)
    for at in _worked(pieces, keys, to_do, options, store) if to_do else ():
        done.add(keys[at])
        n_done += pieces[at].n_bytes
        on_bytes(n_done, n_total)
        while at_next < len(pieces) and keys[at_next] in done:
            yield store.blocks(keys[at_next])
            at_next += 1
    for key in keys[at_next:]:
        yield store.blocks(key)


def _worked(
    pieces: Sequence[Piece],
    keys: Sequence[str],
    to_do: Sequence[int],
    options: BlockOptions,
    store: BlockStore,
) -> Iterator[int]:
    """Have tasks make the blocks of pieces and lay these down; gives each that is done."""
    with joined() as ray:
        task = ray.remote(
            num_cpus=1,
            num_returns="streaming",
            max_retries=MOST_RETRIES,
            scheduling_strategy="SPREAD",
            _generator_backpressure_num_objects=_AHEAD,
        )(make_blocks)
        shared = ray.put(options)
        waiting = deque(to_do)
        running: dict[Any, tuple[int, int]] = {}  # the piece of each, and how many blocks came
        most = _QUEUED * max(int(ray.cluster_resources().get("CPU", 1)), 1)
        while waiting or running:
            while waiting and len(running) < most:
                at = waiting.popleft()
                running[task.remote(pieces[at], shared)] = (at, 0)
            (ready, *_), _ = ray.wait(list(running), num_returns=1)
            at, n_blocks = running[ready]
            try:
                with errors_told(f"indexing {pieces[at]}"):
                    block = ray.get(next(ready))
            except StopIteration:
                del running[ready]
                store.finish(keys[at], n_blocks)
                yield at
            else:
                store.add(keys[at], n_blocks, block)
                running[ready] = (at, n_blocks + 1)


class _Assembly:
    """Makes segments of blocks that come in the order of the corpus.

    Args:
        writer: Of the index.
        on_bad: Told of what is left out.
        on_document: Told of each document; if nobody is, none is read.
    """

    def __init__(
        self,
        writer: IndexWriter,
        on_bad: Callable[[BadRecord], None],
        on_document: Sequence[Callable[[Document], None]],
    ) -> None:
        self._writer = writer
        self._on_bad = on_bad
        self._on_document = on_document
        self._cuts = Cuts(writer.options.engine, writer.words_per_segment)
        self._first_places = FirstPlaces()
        self._terms = NumberedTerms()
        self._openings: list[Opening] = []
        self._explained: list[Explained] = []
        self._parts: list[Part] = []
        self._missing: list[MissingExtraError] = []

    def take(self, block: Block) -> None:
        """Go along the documents of the next block."""
        left_out = deque(block.left_out)
        part = block.part
        n_documents = len(block.lengths)
        kept = np.ones(n_documents, dtype=np.bool_)
        first = 0
        for number in range(n_documents):
            assert part is not None
            while left_out and left_out[0].before <= number:
                self._leave_out(left_out.popleft())
            place = block.places[number]
            duplicate = self._first_places.duplicate(part.document_ids[number], *place)
            if duplicate is not None:
                self._on_bad(duplicate)
                kept[number] = False
                continue
            if self._on_document:
                assert part.store is not None
                document = part.store.document(number)
                for told in self._on_document:
                    told(document)
            if self._cuts.is_after(block.lengths[number], part.whole.document_words(number)):
                self._append(part, first, number + 1, kept)
                self._end_segment()
                first = number + 1
        for left in left_out:
            self._leave_out(left)
        if part is not None:
            self._append(part, first, n_documents, kept)
            if self._writer.keeps_text:
                block.add_terms(self._terms, kept)
                names = block.names(kept)
                self._openings += names.openings
                self._explained += names.explained

    def _leave_out(self, left: Left) -> None:
        self._on_bad(left.record)
        if left.missing is not None:
            self._missing.append(left.missing)

    def _append(self, part: Part, first: int, beyond: int, kept: Mask) -> None:
        """The documents of a range that are kept go to the segment that is open."""
        wanted = np.zeros(len(kept), dtype=np.bool_)
        wanted[first:beyond] = kept[first:beyond]
        if not wanted.any():
            return
        others = np.flatnonzero(~wanted).tolist()
        if others:
            part = part.without(others, part.digest_of(others))
        self._parts.append(part)

    def _end_segment(self) -> None:
        if self._parts:
            self._writer.add_parts(self._parts)
            self._parts = []

    def finish(self, n_files: int) -> None:
        """There are no more blocks.

        Raises:
            MissingExtraError: An extra is missing for every one of the files.
        """
        if self._missing and len(self._missing) == n_files:
            raise self._missing[0]
        self._end_segment()

    def write_extras(self, aliases: Sequence[AliasRow]) -> None:
        """Write what ranks the passages of all segments, and what is known of names."""
        bm25 = self._writer.extra_directory("bm25")
        write_bm25(self._terms, bm25)
        found = NamesSaid(self._openings, self._explained)
        write_aliases(self._writer, aliases, found=found)
        carry_vectors(self._writer)
