"""Build an index directory, or add to one, and publish it in one step.

Everything is made in a staging directory inside the index directory and moved into place at
`publish`; the new manifest is renamed over the old one last. Leaving without publishing, or
dying, leaves the old generation as it was; the next writer removes what is not referenced.
What this module does not do: read files or cut passages (`averment.corpus`), rank passages.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from averment.errors import AvermentError, EmptyCorpusError, IndexFormatError
from averment.index.documents import (
    DocumentStore,
    DocumentWriter,
    PassageSequence,
    encode_document,
)
from averment.index.embedded import EmbeddedIndex, Part, open_parts
from averment.index.engines import (
    SegmentWriter,
    default_engine,
    open_segment,
    segment_writer,
    words_per_segment,
)
from averment.index.manifest import (
    FORMAT_VERSION,
    MAGIC,
    ExtraEntry,
    FileEntry,
    Manifest,
    SegmentEntry,
    make_durable,
    read_manifest,
    write_manifest,
)
from averment.index.staging import Staging, claimed, disk_errors
from averment.index.string_table import StringTable, save_strings
from averment.index.thresholds import entity_threshold, mentioned_names, sampled_texts
from averment.text import TextForm
from averment.types import CorpusInfo, Document, Passage

_EXTRA_NAME = re.compile("[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class _Written:
    """A complete segment, published earlier (`staged` is None) or waiting for it."""

    part: Part
    staged: Path | None
    published: SegmentEntry | None


class IndexWriter:
    """Collects documents and publishes them as an index; a context manager.

    Args:
        path: The index directory. It may be missing, be empty, or hold an index, which is
            replaced at `publish`, or extended with `add=True`.
        form: The text form; None: the default one, or with `add=True` that of the index.
        counts_only: Keep no text: no snippets, no passages; None: False, or as the index does.
        add: Keep the documents that are there.
        engine: Of a new index; None: the fastest that is here. An index that is added to keeps its.
        words_per_segment: Words after which a segment is written; None: as the engine is made for.

    Raises:
        UsageError: `path` is something else than an index; nothing was touched.
        NotAnIndexError: `add=True`, but there is no index.
        IndexFormatError: `add=True`, but the index is damaged, or was made with another form,
            another engine, or the other `counts_only`.
        IndexUnavailable: Another process is writing it.
    """

    def __init__(
        self,
        path: Path,
        *,
        form: TextForm | None = None,
        counts_only: bool | None = None,
        add: bool = False,
        engine: str | None = None,
        words_per_segment: int | None = None,
    ) -> None:
        self._path = path.absolute()
        self._form = form or TextForm()
        self._counts_only = bool(counts_only)
        self._asked_form = form
        self._asked_counts_only = counts_only
        self._add = add
        self._asked_engine = engine
        self._asked_words_per_segment = words_per_segment

    def __enter__(self) -> Self:
        if self._add:
            read_manifest(self._path)  # before a directory is made for an index that is not there
        with ExitStack() as stack:
            self._staging: Staging = stack.enter_context(claimed(self._path))
            self._begin()
            self._exit = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._words is not None:
            self._lines.close()
        self._exit.close()

    def _begin(self) -> None:
        self._written: list[_Written] = []
        self._extras: list[str] = []
        self._document_ids: set[str] = set()
        self._documents_digest = ""
        self._n_offered = self._n_added = 0
        self._engine = self._asked_engine or default_engine()
        self._words: SegmentWriter | None = None
        self._previous: Manifest | None = None
        if self._add:
            self._previous = read_manifest(self._path)
            self._continue(self._previous)
        else:
            with suppress(AvermentError):  # what is replaced need not be readable
                self._previous = read_manifest(self._path)
        asked = self._asked_words_per_segment
        self._most_words = words_per_segment(self._engine) if asked is None else asked

    def _continue(self, previous: Manifest) -> None:
        asked = self._asked_form.identity if self._asked_form else None
        for option, theirs, ours in (
            ("text form", previous.text_form, asked),
            ("counts_only", previous.counts_only, self._asked_counts_only),
        ):
            if ours is not None and ours != theirs:
                raise IndexFormatError(
                    f"The index at {self._path} has {option} {theirs!r}; documents cannot be "
                    f"added with {option} {ours!r}.",
                    hint="Add with the options of the index, or rebuild it.",
                )
        self._form = previous.form
        self._counts_only = previous.counts_only
        self._engine = previous.engine
        for part, entry in zip(open_parts(self._path, previous), previous.segments, strict=True):
            self._written.append(_Written(part, None, entry))
            self._document_ids.update(part.document_ids)
        self._documents_digest = previous.documents_digest

    @property
    def counts_only(self) -> bool:
        """Whether the index keeps no text; then it has no use for passages."""
        return self._counts_only

    @property
    def n_documents(self) -> int:
        """Documents of the index if it were published now."""
        return len(self._document_ids)

    def add(self, document: Document, passages: Sequence[Passage] = ()) -> bool:
        """Append a document.

        Args:
            document: Its text is what is counted.
            passages: What is to be retrieved of it: spans of its text in order.

        Returns:
            False if a document with this id is there already, which then stays as it is.

        Raises:
            DatasetError: Its text or metadata cannot be stored.
            ValueError: A passage is not the span of the text that it says.
        """
        self._n_offered += 1
        if document.document_id in self._document_ids:
            return False
        for passage in passages:
            if document.text[passage.start : passage.end] != passage.text:
                raise ValueError(f"passage {passage.passage_id!r} is not a span of its document")
        line = encode_document(document)
        with disk_errors(self._path):
            self._append(document, line, passages)
        self._document_ids.add(document.document_id)
        self._n_added += 1
        return True

    def _append(self, document: Document, line: bytes, passages: Sequence[Passage]) -> None:
        if self._words is None:
            self._words = segment_writer(self._engine, self._form)
            self._segment_ids: list[str] = []
            self._directory = self._staging.directory / f"segment-{len(self._written)}"
            (self._directory / "counts").mkdir(parents=True)
            (self._directory / "passages").mkdir()
            self._lines = DocumentWriter(self._directory / "passages")
        self._words.add(document.text)
        self._segment_ids.append(document.document_id)
        self._lines.add(line, passages)
        spans = repr([(passage.start, passage.end) for passage in passages])
        chained = self._documents_digest.encode() + line + spans.encode()
        self._documents_digest = hashlib.sha256(chained).hexdigest()
        if self._words.n_words >= self._most_words:
            self._flush()

    def _flush(self) -> None:
        if self._words is None:
            return
        self._lines.finish()
        counts = self._directory / "counts"
        self._words.write(counts)
        save_strings(counts, "document_ids", self._segment_ids)
        self._words = None
        segment = open_segment(self._engine, counts, self._form)
        store = DocumentStore(self._directory / "passages")
        part = Part(segment, StringTable(counts, "document_ids"), store)
        self._written.append(_Written(part, self._directory, None))

    def passages(self) -> Sequence[Passage]:
        """All passages in the order in which the index will give them.

        Ask when all documents are there: those added later begin a segment of their own.
        """
        with disk_errors(self._path):
            self._flush()
        return PassageSequence(self._stores())

    def _stores(self) -> list[DocumentStore]:
        return [written.part.store for written in self._written if written.part.store]

    def extra_directory(self, name: str) -> Path:
        """An empty directory whose files will be published with the index, under `passages/`.

        Args:
            name: Lower-case letters, digits and underscores; `EmbeddedIndex.extra_directory`
                finds it under this name.
        """
        if self._counts_only or not _EXTRA_NAME.fullmatch(name):
            raise ValueError(f"no directory {name!r} belongs to this index")
        directory = self._staging.directory / "extras" / name
        directory.mkdir(parents=True)
        self._extras.append(name)
        return directory

    def publish(self) -> CorpusInfo:
        """Make what was collected the current generation.

        Nothing changes if all documents offered to an existing index were there already.

        Raises:
            EmptyCorpusError: No document was offered; the path is left as it was.
            CorpusError: The disk refused.
        """
        if not self._n_offered:
            raise EmptyCorpusError(
                "There is no document to index.",
                hint="Give files with text: .txt, .md, .jsonl, .jsonl.gz or .jsonl.zst.",
            )
        if self._add and self._previous and not self._n_added:
            return self._previous.info(self._path.name)
        with disk_errors(self._path):
            self._flush()
            entries = tuple(each.published or self._place(each) for each in self._written)
            extras = tuple(self._place_extra(name) for name in self._extras)
            manifest = self._manifest(entries, extras)
            write_manifest(self._path, manifest)
        self._staging.published = True
        return manifest.info(self._path.name)

    def _place(self, written: _Written) -> SegmentEntry:
        """Name a staged segment after its content and move it to its place."""
        segment, _, store = written.part
        assert written.staged is not None
        assert store is not None
        halves = ("counts",) if self._counts_only else ("counts", "passages")
        found = {half: make_durable(written.staged / half) for half in halves}
        name = f"seg-{_digest(file for half in halves for file in found[half])}"
        files: list[FileEntry] = []
        for half in halves:
            placed = [file.below(f"{half}/{name}") for file in found[half]]
            self._staging.move_into_place(written.staged / half, f"{half}/{name}", placed)
            files += placed
        n_passages = 0 if self._counts_only else store.n_passages
        return SegmentEntry(name, segment.n_documents, segment.n_words, n_passages, tuple(files))

    def _place_extra(self, name: str) -> ExtraEntry:
        staged = self._staging.directory / "extras" / name
        found = make_durable(staged)
        target = f"passages/{name}-{_digest(found)}"
        placed = tuple(file.below(target) for file in found)
        self._staging.move_into_place(staged, target, placed)
        return ExtraEntry(name, target, placed)

    def _manifest(
        self, entries: tuple[SegmentEntry, ...], extras: tuple[ExtraEntry, ...]
    ) -> Manifest:
        parts = [written.part for written in self._written]
        manifest = Manifest(
            magic=MAGIC,
            format_version=FORMAT_VERSION,
            engine=self._engine,
            text_form=self._form.identity,
            fold_accents=self._form.fold_accents,
            counts_only=self._counts_only,
            generation=self._previous.generation + 1 if self._previous else 1,
            built_at=datetime.now(UTC).isoformat(timespec="seconds"),
            documents_digest=self._documents_digest,
            n_terms=parts[0].segment.n_terms if len(parts) == 1 else None,
            entity_threshold_documents=None,
            segments=entries,
            extras=extras,
        )
        if self._add and self._counts_only and self._previous:
            # The text of its earlier documents is gone, so its threshold stays.
            threshold = self._previous.entity_threshold_documents
        else:
            index = EmbeddedIndex(self._path, manifest, parts)
            names = mentioned_names(sampled_texts(self._stores()))
            threshold = entity_threshold(names, lambda name: index.count([name])[0].documents or 0)
        return dataclasses.replace(manifest, entity_threshold_documents=threshold)


def _digest(files: Iterable[FileEntry]) -> str:
    """Twelve hexadecimal digits that depend on the names and the bytes of files."""
    listing = "".join(f"{file.sha256} {file.path}\n" for file in files)
    return hashlib.sha256(listing.encode()).hexdigest()[:12]
