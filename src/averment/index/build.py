"""Build an index directory, add to one, delete from it, merge it; publish it in one step.

Segments are made in a staging directory inside the index directory and moved to their places, where
nobody reads them before `publish` renames a new manifest over the old one. Leaving without
publishing, or dying, leaves the old generation as it was; the next writer goes on after what a
build with the same key had finished, and removes what is of no use.
What this module does not do: read files or cut passages (`averment.corpus`), rank passages.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from averment.errors import AvermentError, DatasetError, EmptyCorpusError, IndexFormatError
from averment.index.arrays import save_array
from averment.index.documents import PassageSequence, digest_of
from averment.index.embedded import EmbeddedIndex
from averment.index.engines import default_engine, words_per_segment
from averment.index.manifest import (
    FORMAT_VERSION,
    MAGIC,
    Deletion,
    ExtraEntry,
    FileEntry,
    Manifest,
    SegmentEntry,
    make_durable,
    read_manifest,
    write_manifest,
    written_digest,
)
from averment.index.new_segment import NewSegment, directory_digest
from averment.index.parts import DELETED, Options, Part, grouped, open_part
from averment.index.passage_languages import passage_languages
from averment.index.staging import Staging, claimed, disk_errors
from averment.index.thresholds import (
    TextSample,
    entity_threshold,
    mentioned_names,
    sampled_texts,
)
from averment.languages import ENGLISH
from averment.text import TextForm
from averment.types import CorpusInfo, Document, Passage

_EXTRA_NAME = re.compile("[a-z][a-z0-9_]*")
_GROWTH = 1.1  # of the number of documents, after which the threshold of names is read off again


@dataclasses.dataclass(frozen=True, slots=True)
class _Options:
    """How segments are made: a `parts.Options`."""

    engine: str
    form: TextForm
    counts_only: bool
    keeps_tokens: bool
    language: str


class IndexWriter:
    """Collects documents and publishes them as an index; a context manager.

    Args:
        path: The index directory. It may be missing, be empty, or hold an index, which is
            replaced at `publish`, or extended with `add=True`.
        form: The text form; None: the default one, or with `add=True` that of the index.
        counts_only: Keep no text: no snippets, no passages; None: False, or as the index does.
        keep_tokens: Keep the words of the documents, packed, for snippets without text; None:
            False, or as the index does.
        add: Keep the documents that are there.
        engine: Of a new index; None: the fastest that is here. An index that is added to keeps its.
        language: Of documents that do not say theirs, or "auto"; None: English, or that of the
            index.
        words_per_segment: Words after which a segment is written; None: as the engine is made for.
        resume_key: Names the documents that will come. If a writer with the same key and options
            was interrupted, the segments that it had finished are not made again; the documents
            must come in the same order. None: nothing is kept for later.

    Raises:
        UsageError: `path` is something else than an index; nothing was touched.
        NotAnIndexError: `add=True`, but there is no index.
        IndexFormatError: `add=True`, but the index is damaged, or was made with another form,
            another engine, the other `counts_only` or `keep_tokens`, or another language.
        IndexUnavailable: Another process is writing it.
    """

    def __init__(
        self,
        path: Path,
        *,
        form: TextForm | None = None,
        counts_only: bool | None = None,
        keep_tokens: bool | None = None,
        add: bool = False,
        engine: str | None = None,
        language: str | None = None,
        words_per_segment: int | None = None,
        resume_key: str | None = None,
    ) -> None:
        self._path = path.absolute()
        self._asked = {
            "text form": form and form.identity,
            "counts_only": counts_only,
            "keep_tokens": keep_tokens,
            "language": language,
        }
        self._options = _Options(
            engine or default_engine(),
            form or TextForm(),
            bool(counts_only),
            bool(keep_tokens),
            language or ENGLISH,
        )
        self._add = add
        self._asked_words_per_segment = words_per_segment
        self._resume_key = resume_key

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
        with self._exit:
            if self._new is not None:
                self._new.close()

    def _begin(self) -> None:
        self._new: NewSegment | None = None
        self._parts: list[Part] = []
        self._n_old_parts = 0
        self._places: dict[bytes, int] = {}  # of the documents in all parts but the old ones
        self._deleted: defaultdict[int, set[int]] = defaultdict(set)
        self._extras: list[str] = []
        self._sample = TextSample()
        self._n_added = self._n_deleted = 0
        self._is_asked = self._is_merged = False
        self._previous: Manifest | None = None
        if self._add:
            self._previous = read_manifest(self._path)
            self._continue(self._previous)
        else:
            with suppress(AvermentError):  # what is replaced need not be readable
                self._previous = read_manifest(self._path)
        asked = self._asked_words_per_segment
        self._most_words = words_per_segment(self._options.engine) if asked is None else asked
        with disk_errors(self._path):
            self._finished = deque(self._staging.begin(self._journal_key()))
        self._retold: Part | None = None
        self._n_retold = self._retold_digest = 0

    def _continue(self, previous: Manifest) -> None:
        theirs = {
            "text form": previous.text_form,
            "counts_only": previous.counts_only,
            "keep_tokens": previous.keeps_tokens,
            "language": previous.language,
        }
        for option, ours in self._asked.items():
            if ours is not None and ours != theirs[option]:
                raise IndexFormatError(
                    f"The index at {self._path} has {option} {theirs[option]!r}; documents cannot "
                    f"be added with {option} {ours!r}.",
                    hint="Add with the options of the index, or rebuild it.",
                )
        self._options = _Options(
            previous.engine,
            previous.form,
            previous.counts_only,
            previous.keeps_tokens,
            previous.language,
        )
        self._parts = [self._opened(entry) for entry in previous.segments]
        self._n_old_parts = len(self._parts)

    def _journal_key(self) -> str | None:
        if self._resume_key is None:
            return None
        base = self._previous.digest if self._add and self._previous else ""
        told = (self._resume_key, str(self._options), str(self._most_words), base)
        return hashlib.sha256("\n".join(told).encode()).hexdigest()

    @property
    def options(self) -> Options:
        """How segments are made."""
        return self._options

    @property
    def words_per_segment(self) -> int:
        """Words after which a segment is written."""
        return self._most_words

    @property
    def keeps_text(self) -> bool:
        """Whether the index keeps documents and passages, and not their counts only."""
        return not self._options.counts_only

    @property
    def language(self) -> str:
        """That of documents which do not say theirs, or "auto"."""
        return self._options.language

    @property
    def wants_passages(self) -> bool:
        """Whether the passages of the next document are of any use."""
        return self.keeps_text and not self._finished

    @property
    def n_documents(self) -> int:
        """Documents of the index if it were published now."""
        old = range(self._n_old_parts)
        n_old = sum(int(self._parts[at].meant.sum()) - len(self._deleted[at]) for at in old)
        return n_old + len(self._places)

    @property
    def n_resumed_documents(self) -> int:
        """Documents that an interrupted writer had finished and that are not yet offered again."""
        return sum(entry.n_documents for entry in self._finished) - self._n_retold

    # --- what changes -----------------------------------------------------------------------------

    def add(
        self, document: Document, passages: Sequence[Passage] = (), *, replace: bool = False
    ) -> bool:
        """Append a document.

        Args:
            document: Its text is what is counted.
            passages: What is to be retrieved of it: spans of its text in order.
            replace: Delete the document that has its id, if there is one and it is another.

        Returns:
            False if a document with this id is there already, which then stays as it is; with
            `replace` only one that is the same in all its fields, as far as its text is kept.

        Raises:
            DatasetError: Its text or metadata cannot be stored; or the documents are not those
                of the interrupted writer whose work was to be resumed.
            ValueError: A passage is not the span of the text that it says.
        """
        self._is_asked = True
        key = _key(document.document_id)
        place = self._find(key)
        if place is not None and not (replace and self._differs(place, document)):
            return False
        for passage in passages:
            if document.text[passage.start : passage.end] != passage.text:
                raise ValueError(f"passage {passage.passage_id!r} is not a span of its document")
        digest = digest_of(document)
        if place is not None:
            self._delete(key, place)
        with disk_errors(self._path):
            self._append(key, document, digest, passages)
        self._n_added += 1
        return True

    @property
    def workshop(self) -> Path:
        """A directory for pieces of segments: an interrupted writer leaves it to the next one.

        That has to have the same `resume_key` and options; to all others it is removed.
        """
        return self._staging.workshop

    def add_parts(self, parts: Sequence[Part]) -> None:
        """Append the documents that some parts are about, as one segment.

        It has the bytes of a segment to which they were added one by one.

        Args:
            parts: Of the same engine and form, with their text; no id may be there already.

        Raises:
            DatasetError: The documents are not those of the interrupted writer.
        """
        self._is_asked = True
        self._sample.offer_parts(parts)
        self._n_added += sum(int(part.meant.sum()) for part in parts)
        with disk_errors(self._path):
            if self._finished:
                entry = self._finished.popleft()
                digest = sum(int(p.entry.documents_digest, 16) - p.deleted_digest for p in parts)
                if written_digest(digest) != entry.documents_digest:
                    raise self._told_otherwise()
            else:
                entry = self._new_segment().merge(parts)
                self._staging.finish(entry)
            self._parts.append(self._opened(entry))
        self._n_old_parts = len(self._parts)

    def delete(self, document_id: str) -> bool:
        """Delete a document: no answer is about it any more.

        Its bytes stay on disk until the index is merged.

        Returns:
            False if there is none with this id.
        """
        self._is_asked = True
        key = _key(document_id)
        place = self._find(key)
        if place is None:
            return False
        self._delete(key, place)
        return True

    def merge(self) -> None:
        """Make few segments of many, and let go of deleted documents for good."""
        self._is_asked = True
        with disk_errors(self._path):
            self._settle()
            merged = []
            for group in grouped(self._parts, self._most_words):
                if len(group) == 1 and group[0].is_whole:
                    merged += group
                elif any(part.meant.any() for part in group):
                    self._new = self._new_segment()
                    merged.append(self._opened(self._new.merge(group)))
                    self._new = None
        self._is_merged = merged != self._parts
        self._parts = merged
        self._n_old_parts = len(merged)
        self._places.clear()

    def _find(self, key: bytes) -> int | None:
        """The place of the document that has an id: of a new one, or of one that was there."""
        place = self._places.get(key)
        if place is not None:
            return place
        for at, part in enumerate(self._parts[: self._n_old_parts]):
            number = part.document_ids.find(key)
            if number is not None and part.meant[number] and number not in self._deleted[at]:
                return at * _PLACES_A_PART + number
        return None

    def _delete(self, key: bytes, place: int) -> None:
        self._places.pop(key, None)
        part, number = divmod(place, _PLACES_A_PART)
        self._deleted[part].add(number)
        self._n_deleted += 1

    def _differs(self, place: int, document: Document) -> bool:
        """Whether a document is another than the one at a place, or nobody can tell."""
        at, number = divmod(place, _PLACES_A_PART)
        store = self._parts[at].store if at < len(self._parts) else None
        return store is None or store.document(number) != document

    def _append(
        self, key: bytes, document: Document, digest: int, passages: Sequence[Passage]
    ) -> None:
        self._sample.offer(document.text)
        part = len(self._parts) * _PLACES_A_PART
        if self._finished:
            self._places[key] = part + self._n_retold
            self._retell(key, digest)
            return
        if self._new is None:
            self._new = self._new_segment()
        self._places[key] = part + self._new.n_documents
        self._new.add(document, digest, passages)
        if self._new.n_words >= self._most_words:
            self._flush()

    def _new_segment(self) -> NewSegment:
        return NewSegment(self._staging, self._options, words_per_segment=self._most_words)

    def _retell(self, key: bytes, digest: int) -> None:
        """Take a document for granted that a finished segment holds."""
        entry = self._finished[0]
        if self._retold is None:
            self._retold = self._opened(entry)
        if self._retold.document_ids.encoded(self._n_retold) != key:
            raise self._told_otherwise()
        self._n_retold += 1
        self._retold_digest += digest
        if self._n_retold < entry.n_documents:
            return
        if written_digest(self._retold_digest) != entry.documents_digest:
            raise self._told_otherwise()
        self._parts.append(self._retold)
        self._finished.popleft()
        self._retold, self._n_retold, self._retold_digest = None, 0, 0

    def _told_otherwise(self) -> DatasetError:
        self._staging.forget()
        return DatasetError(
            f"The documents are not those of the interrupted build of {self._path}.",
            hint="What it had finished is removed now: run the same command once more.",
        )

    def _flush(self) -> None:
        if self._new is not None:
            entry = self._new.finish()
            self._new = None
            self._staging.finish(entry)
            self._parts.append(self._opened(entry))

    def _opened(self, entry: SegmentEntry) -> Part:
        return open_part(self._path, entry, self._options)

    def _settle(self) -> None:
        """Everything that was told so far is in the parts."""
        if self._n_retold:
            raise self._told_otherwise()
        self._finished.clear()
        self._flush()
        for at, deleted in self._deleted.items():
            if deleted:
                part, numbers = self._parts[at], sorted(deleted)
                self._parts[at] = part.without(numbers, part.digest_of(numbers))
        self._deleted.clear()

    # --- what goes with it ------------------------------------------------------------------------

    def passages(self) -> Sequence[Passage]:
        """All passages by number, as `EmbeddedIndex.passages` will give them.

        Ask when all documents are there: those added later begin a segment of their own.
        """
        with disk_errors(self._path):
            self._settle()
        return PassageSequence([part.store for part in self._parts if part.store])

    def passage_languages(self) -> Iterator[str]:
        """The language of each of `passages`, in their order; ask for those first."""
        return passage_languages(self._parts, self._options.language)

    def extra_directory(self, name: str) -> Path:
        """An empty directory whose files will be published with the index, under `passages/`.

        Args:
            name: Lower-case letters, digits and underscores; `EmbeddedIndex.extra_directory`
                finds it under this name.
        """
        if not self.keeps_text or not _EXTRA_NAME.fullmatch(name):
            raise ValueError(f"no directory {name!r} belongs to this index")
        directory = self._staging.directory / "extras" / name
        directory.mkdir(parents=True)
        self._extras.append(name)
        self._is_asked = True
        return directory

    def previous_extra(self, name: str) -> Path | None:
        """Where an extra directory of the index that is added to lies; None if it has none."""
        extras = self._previous.extras if self._add and self._previous else ()
        found = [extra.directory for extra in extras if extra.name == name]
        return self._path / found[0] if found else None

    @property
    def renumbers_passages(self) -> bool:
        """Whether passages have other numbers than before, so that extras must be made anew."""
        return bool(self._n_added or self._is_merged or not self._add)

    def publish(self) -> CorpusInfo:
        """Make what was collected the current generation.

        Nothing changes if all documents offered to an existing index were there already. Extra
        directories that were not made anew stay, unless passages have other numbers than before.

        Raises:
            EmptyCorpusError: No document was offered, or none is left; the path stays as it was.
            CorpusError: The disk refused.
        """
        if not self._is_asked:
            raise EmptyCorpusError(
                "There is no document to index.", hint="Give files that have text in them."
            )
        if self._previous and self._add and not self._is_changed:
            return self._previous.info(self._path.name)
        if not self.n_documents:
            raise EmptyCorpusError(
                "Every document of the index would be gone.",
                hint="To remove an index, remove its directory.",
            )
        with disk_errors(self._path):
            self._settle()
            entries = tuple(self._with_deletion(part) for part in self._parts)
            kept = self._previous.extras if self._previous and not self.renumbers_passages else ()
            extras = {extra.name: extra for extra in kept}
            extras |= {name: self._place_extra(name) for name in self._extras}
            manifest = self._manifest(entries, tuple(extras.values()))
            write_manifest(self._path, manifest)
        self._staging.published = True
        self._staging.purges = self._is_merged  # what was deleted has to leave the disk
        return manifest.info(self._path.name)

    @property
    def _is_changed(self) -> bool:
        return bool(self._n_added or self._n_deleted or self._is_merged or self._extras)

    def _with_deletion(self, part: Part) -> SegmentEntry:
        """The entry of a part, with a new file if more documents are deleted than before."""
        numbers = np.flatnonzero(~part.meant).astype(np.uint32)
        before = part.entry.deleted.n_documents if part.entry.deleted else 0
        if len(numbers) == before:
            return part.entry
        staged = self._staging.directory / DELETED
        staged.mkdir()
        save_array(staged, DELETED, numbers)
        _, (file,) = self._place(staged, "counts/del")
        n_passages = int((~part.passages_meant()).sum()) if part.store else 0
        n_words = part.whole.n_words - part.n_words()
        return dataclasses.replace(
            part.entry,
            deleted=Deletion(
                len(numbers), n_words, n_passages, written_digest(part.deleted_digest), file
            ),
        )

    def _place_extra(self, name: str) -> ExtraEntry:
        staged = self._staging.directory / "extras" / name
        directory, files = self._place(staged, f"passages/{name}")
        return ExtraEntry(name, directory, files)

    def _place(self, staged: Path, target: str) -> tuple[str, tuple[FileEntry, ...]]:
        """Move a staged directory to its place; gives the place and what is there."""
        found = make_durable(staged)
        directory = f"{target}-{directory_digest(found)}"
        files = tuple(file.below(directory) for file in found)
        self._staging.move_into_place(staged, directory, files)
        return directory, files

    def _manifest(
        self, entries: tuple[SegmentEntry, ...], extras: tuple[ExtraEntry, ...]
    ) -> Manifest:
        options, previous = self._options, self._previous
        is_one = len(self._parts) == 1 and self._parts[0].is_whole
        manifest = Manifest(
            magic=MAGIC,
            format_version=FORMAT_VERSION,
            engine=options.engine,
            text_form=options.form.identity,
            fold_accents=options.form.fold_accents,
            counts_only=options.counts_only,
            keeps_tokens=options.keeps_tokens,
            generation=previous.generation + 1 if previous else 1,
            built_at=datetime.now(UTC).isoformat(timespec="seconds"),
            n_terms=self._parts[0].whole.n_terms if is_one else None,
            entity_threshold_documents=None,
            n_threshold_documents=self.n_documents,
            segments=entries,
            extras=extras,
            language=options.language,
        )
        if self._add and previous and not self._is_threshold_outgrown(previous):
            return dataclasses.replace(
                manifest,
                entity_threshold_documents=previous.entity_threshold_documents,
                n_threshold_documents=previous.n_threshold_documents,
            )
        return dataclasses.replace(
            manifest, entity_threshold_documents=self._entity_threshold(manifest)
        )

    def _is_threshold_outgrown(self, previous: Manifest) -> bool:
        """Whether the names of the corpus are to be looked at again; without text they cannot."""
        has_grown = self.n_documents >= _GROWTH * previous.n_threshold_documents
        return has_grown and self.keeps_text

    def _entity_threshold(self, manifest: Manifest) -> int | None:
        index = EmbeddedIndex(self._path, manifest, self._parts)
        names = mentioned_names(sampled_texts(self._parts) if self._add else self._sample.texts)
        counts = index.count(list(names))
        documents = dict(zip(names, (count.documents or 0 for count in counts), strict=True))
        return entity_threshold(names, documents.__getitem__)


_PLACES_A_PART = 1 << 32  # a place is the number of a part times this, plus that of a document


def _key(document_id: str) -> bytes:
    return document_id.encode(errors="surrogatepass")
