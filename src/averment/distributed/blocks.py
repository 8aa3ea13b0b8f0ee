"""Blocks: what a task makes of its piece, and where they wait to become segments.

A block is a small segment with its text and all that its documents need to become part of an index:
their places, lengths, search terms, and the records that could not be used. It is made in a
directory of the worker's own and sent as bytes, so the machines need no disk in common; the driver
lays it down beside the index that is being built. The same piece gives the same bytes.
What this module does not do: know of Ray, decide which documents an index has.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from averment.claims.aliases.acronyms import Explained, explained_in
from averment.claims.aliases.openings import Opening, openings_in
from averment.corpus.files import BadRecord, CorpusFile
from averment.corpus.passages import cut_passages
from averment.corpus.readers import NeedsExtra, read_file
from averment.corpus.records import Unusable
from averment.corpus.remote import RemoteFile
from averment.distributed.pieces import Piece
from averment.errors import MissingExtraError, UsageError
from averment.index.arrays import load_array, save_array
from averment.index.documents import digest_of
from averment.index.engines import words_per_segment
from averment.index.manifest import FileEntry, SegmentEntry, is_intact, make_durable
from averment.index.metadata import Mask
from averment.index.new_segment import NewSegment
from averment.index.parts import Part, open_part
from averment.index.staging import Staging
from averment.index.string_table import StringTable, save_strings
from averment.languages import document_language
from averment.retrieval.bm25 import NumberedTerms, numbered_terms
from averment.text import TextForm
from averment.trace import from_plain, to_plain
from averment.types import Document, Passage
from averment.wiring.aliases import NamesSaid

_ABOUT, _NAMES = "block.json", "names.json"
_WHOLE_FILE = 0  # in place of the number of a line


@dataclass(frozen=True, slots=True)
class BlockOptions:
    """How blocks are made: a `parts.Options`; a block always keeps its text.

    Args:
        engine: Of the index.
        form: Text form.
        keeps_tokens: Words are kept, packed.
        cuts_passages: Passages and their search terms are wanted.
        n_characters: After which a block ends, though its piece does not.
        form_identity: Of the driver: other workers would count other words.
        language: Of documents that do not say theirs, or "auto".
        keep_references: Bibliographies are counted too.
    """

    engine: str
    form: TextForm
    keeps_tokens: bool
    cuts_passages: bool
    n_characters: int
    form_identity: str
    language: str
    keep_references: bool
    counts_only: bool = False


class PackedBlock(NamedTuple):
    """A block on its way: its files by path, and what they have to be."""

    files: Mapping[str, bytes]
    entries: tuple[FileEntry, ...]


def make_blocks(piece: Piece, options: BlockOptions) -> Iterator[PackedBlock]:
    """Read a piece and index it, one block after the other; what a task does.

    Raises:
        DatasetError: A document cannot be stored.
        UsageError: Words are told apart otherwise on this machine.
    """
    if options.form.identity != options.form_identity:
        raise UsageError(
            f"A worker has the text form {options.form.identity!r}, the driver "
            f"{options.form_identity!r}.",
            hint="Install one version of Python and averment on all machines.",
        )
    made = _NewBlock(options)
    try:
        for file in piece.files:
            if isinstance(file, BadRecord):
                made.leave_out(file, None)
                continue
            for line, found, _ in read_file(file, keep_references=options.keep_references):
                if isinstance(found, Unusable):
                    missing = found.error if isinstance(found, NeedsExtra) else None
                    made.leave_out(BadRecord(file.path, line, str(found)), missing)
                else:
                    made.add(file, line, found)
                if made.n_characters >= options.n_characters:
                    yield made.packed()
                    made = _NewBlock(options)
        yield made.packed()
    finally:
        made.close()


class _NewBlock:
    def __init__(self, options: BlockOptions) -> None:
        self._temporary = TemporaryDirectory(prefix="averment-block-")
        base = Path(self._temporary.name)
        self._directory = base / "block"
        self._directory.mkdir()
        self._staging = Staging(self._directory, base / "staging")
        self._options = options
        self._segment: NewSegment | None = None
        self._paths: dict[str, int] = {}
        self._places: list[tuple[int, int]] = []
        self._lengths: list[int] = []
        self._languages: list[str] = []
        self._bad: list[tuple[int, str, int | None, str, Any]] = []
        self._passages: list[Passage] = []
        self._openings: list[tuple[Any, ...]] = []
        self._explained: list[tuple[Any, ...]] = []
        self.n_characters = 0

    def leave_out(self, record: BadRecord, missing: MissingExtraError | None) -> None:
        told = missing and (missing.purpose, missing.extra)
        self._bad.append((len(self._places), str(record.path), record.line, record.reason, told))

    def add(self, file: CorpusFile, line: int | None, document: Document) -> None:
        if self._segment is None:
            most = words_per_segment(self._options.engine)
            self._segment = NewSegment(self._staging, self._options, words_per_segment=most)
        passages = []
        if self._options.cuts_passages:
            language = self._options.language
            passages = cut_passages(document, language=language)
            written = document_language(document.language, document.text, language)
            self._languages += [written] * len(passages)
        self._segment.add(document, digest_of(document), passages)
        at = len(self._places)
        self._passages += passages
        self._openings += [(at, *each) for each in openings_in(passages)]
        self._explained += [(at, *each) for each in explained_in(passages)]
        number = self._paths.setdefault(str(file.path), len(self._paths))
        self._places.append((number, _WHOLE_FILE if line is None else line))
        self._lengths.append(len(document.text))
        self.n_characters += len(document.text)

    def packed(self) -> PackedBlock:
        """The finished block; its directory is gone then."""
        entry = self._segment and self._segment.finish()
        self._segment = None
        found = numbered_terms(self._passages, self._languages)
        places = np.array(self._places, dtype=np.int64).reshape(-1, 2)
        save_array(self._directory, "places", places)
        save_array(self._directory, "lengths", np.array(self._lengths, dtype=np.int64))
        ends = np.cumsum([len(each) for each in found.ids], dtype=np.int64)
        save_array(self._directory, "term_ends", ends)
        flat = np.concatenate([np.asarray(each, dtype=np.int32) for each in found.ids] or [_NONE])
        save_array(self._directory, "terms", flat)
        save_strings(self._directory, "spelled", list(found.numbers))
        names = {"openings": self._openings, "explained": self._explained}
        (self._directory / _NAMES).write_text(json.dumps(names), encoding="ascii")
        about = {
            "entry": to_plain(entry),
            "paths": list(self._paths),
            "bad": self._bad,
            "languages": self._languages,
        }
        (self._directory / _ABOUT).write_text(json.dumps(about), encoding="ascii")
        entries = make_durable(self._directory)
        files = {each.path: (self._directory / each.path).read_bytes() for each in entries}
        self._temporary.cleanup()
        return PackedBlock(files, entries)

    def close(self) -> None:
        if self._segment is not None:
            self._segment.close()
        self._temporary.cleanup()


_NONE = np.zeros(0, dtype=np.int32)


class Left(NamedTuple):
    """A record that was left out, before which document, and the extra that it lacks, if so."""

    before: int
    record: BadRecord
    missing: MissingExtraError | None


class Block:
    """A block on the disk of the driver.

    Args:
        directory: Of it.
        options: With which it was made.
        spelled: How the files of the corpus were named that it names by absolute paths.
    """

    def __init__(
        self, directory: Path, options: BlockOptions, spelled: Mapping[str, Path | RemoteFile]
    ) -> None:
        self._directory = directory
        self._spelled = spelled
        about = json.loads((directory / _ABOUT).read_text(encoding="ascii"))
        entry: SegmentEntry | None = from_plain(SegmentEntry | None, about["entry"])
        self.part: Part | None = None if entry is None else open_part(directory, entry, options)
        self._paths: list[str] = about["paths"]
        self._bad = about["bad"]
        self._languages: list[str] = about["languages"]
        self._places = load_array(directory, "places", np.int64)
        self.lengths: Sequence[int] = load_array(directory, "lengths", np.int64).tolist()
        """Characters of each document."""

    @property
    def left_out(self) -> list[Left]:
        """What could not be used, in order."""
        return [
            Left(
                before,
                BadRecord(self._spelled[path], line, reason),
                missing and MissingExtraError(*missing),
            )
            for before, path, line, reason, missing in self._bad
        ]

    @cached_property
    def places(self) -> list[tuple[Path | RemoteFile, int | None]]:
        """The file and line of each document."""
        paths = [self._spelled[each] for each in self._paths]
        return [(paths[file], line or None) for file, line in self._places.tolist()]

    def add_terms(self, to: NumberedTerms, kept: Mask) -> None:
        """Append the search terms of some documents, numbered through as if all were one text.

        Args:
            to: The terms of the passages before.
            kept: Which documents; shape ``(n_documents,)``.
        """
        assert self.part is not None
        assert self.part.store is not None
        flat = load_array(self._directory, "terms", np.int32)
        ends = load_array(self._directory, "term_ends", np.int64)
        of = self.part.store.passage_documents()
        wanted = np.flatnonzero(kept[of]).tolist()
        each = np.split(flat, ends[:-1]) if len(ends) else []
        ids = [each[at] for at in wanted]
        to.languages.update(self._languages[at] for at in wanted)
        spelled = StringTable(self._directory, "spelled")
        # In order of appearance, in which terms of documents that are left out do not count.
        found, first = np.unique(np.concatenate(ids or [_NONE]), return_index=True)
        through = np.zeros(len(spelled), dtype=np.int32)
        for number in found[np.argsort(first)].tolist():
            through[number] = to.numbers.setdefault(spelled[number], len(to.numbers))
        to.ids += [array("i", through[some].tobytes()) for some in ids]

    def names(self, kept: Mask) -> NamesSaid:
        """What some documents say of names."""
        told = json.loads((self._directory / _NAMES).read_text(encoding="ascii"))
        openings = [Opening(*each) for at, *each in told["openings"] if kept[at]]
        return NamesSaid(
            openings, [Explained(*each) for at, *each in told["explained"] if kept[at]]
        )


class BlockStore:
    """The blocks of pieces that are done, in a directory; it outlives a driver that is killed.

    Args:
        directory: It exists.
        options: With which they are made.
        spelled: See `Block`.
    """

    def __init__(
        self, directory: Path, options: BlockOptions, spelled: Mapping[str, Path | RemoteFile]
    ) -> None:
        self._directory = directory
        self._options = options
        self._spelled = spelled
        self._entries: dict[str, list[FileEntry]] = {}

    def add(self, key: str, number: int, block: PackedBlock) -> None:
        """Lay down a block of a piece."""
        name = f"{key}-{number}"
        for path, data in block.files.items():
            place = self._directory / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        self._entries.setdefault(key, []).extend(each.below(name) for each in block.entries)

    def finish(self, key: str, n_blocks: int) -> None:
        """Remember that all blocks of a piece are there."""
        told = {"n_blocks": n_blocks, "files": to_plain(self._entries.pop(key, []))}
        partial = self._directory / f"{key}.new"
        partial.write_text(json.dumps(told), encoding="utf-8")
        partial.replace(self._directory / f"{key}.json")

    def has(self, key: str) -> bool:
        """Whether all blocks of a piece are there, as they were made."""
        told = self._told(key)
        if told is None:
            return False
        files: list[FileEntry] = from_plain(list[FileEntry], told["files"])
        return all(is_intact(self._directory, file) for file in files)

    def blocks(self, key: str) -> list[Block]:
        """The blocks of a piece that is there."""
        told = self._told(key)
        assert told is not None
        names = (f"{key}-{number}" for number in range(told["n_blocks"]))
        return [Block(self._directory / name, self._options, self._spelled) for name in names]

    def _told(self, key: str) -> dict[str, Any] | None:
        try:
            told: dict[str, Any] = json.loads((self._directory / f"{key}.json").read_bytes())
        except FileNotFoundError:
            return None
        return told
