"""The manifest: which files make an index, how large they are, and what they were made with.

`MANIFEST.json` is the only file of an index that is ever replaced, by renaming a complete new one
over it; whoever crashes before that leaves the old generation as it was. Times stand here and
nowhere else, so that the files it lists depend on documents and options alone.
What this module does not do: read what the files hold.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from averment.errors import IndexFormatError, NotAnIndexError
from averment.index.arrays import REBUILD
from averment.languages import ENGLISH
from averment.text import TextForm
from averment.trace import from_plain, to_plain
from averment.types import CorpusInfo

MAGIC = "averment-index"
FORMAT_VERSION = 2
FILE_NAME = "MANIFEST.json"
_MODULUS = 1 << 256


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file of the index: its path below the index directory, with slashes."""

    path: str
    n_bytes: int
    sha256: str

    def below(self, prefix: str) -> FileEntry:
        """The same file, seen from a directory further up."""
        return FileEntry(f"{prefix}/{self.path}", self.n_bytes, self.sha256)


@dataclass(frozen=True, slots=True)
class Deletion:
    """The deleted documents of a segment: how much they were, and the file of their numbers.

    ``documents_digest`` is what the digest of the segment has to lose: see `written_digest`.
    """

    n_documents: int
    n_words: int
    n_passages: int
    documents_digest: str
    file: FileEntry


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """A segment: ``counts/<name>`` and, unless the index holds counts only, ``passages/<name>``.

    All but `deleted` is as it was when the segment was written, and never changes.
    """

    name: str
    n_documents: int
    n_words: int
    n_passages: int
    documents_digest: str
    files: tuple[FileEntry, ...]
    deleted: Deletion | None = None


@dataclass(frozen=True, slots=True)
class ExtraEntry:
    """A directory that the caller of the writer filled, e.g. with a retriever's files."""

    name: str
    directory: str
    files: tuple[FileEntry, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """One generation of an index.

    ``n_threshold_documents`` is how many documents the index had when its entity threshold was
    read off them. ``language`` is that of documents which do not say theirs, or "auto"; it decides
    how they are cut and retrieved, and changes no count.
    """

    magic: str
    format_version: int
    engine: str
    text_form: str
    fold_accents: bool
    counts_only: bool
    keeps_tokens: bool
    generation: int
    built_at: str
    n_terms: int | None
    entity_threshold_documents: int | None
    n_threshold_documents: int
    segments: tuple[SegmentEntry, ...]
    extras: tuple[ExtraEntry, ...]
    language: str = ENGLISH

    @property
    def form(self) -> TextForm:
        """The text form in which the index is asked."""
        return TextForm(fold_accents=self.fold_accents)

    @property
    def digest(self) -> str:
        """What identifies documents and options; equal digests mean equal counts.

        It depends neither on the order of documents nor on how they were cut into segments, nor,
        where their text is kept, on what was deleted on the way.
        """
        here = sum(int(segment.documents_digest, 16) for segment in self.segments)
        gone = sum(int(deletion.documents_digest, 16) for deletion in self.deletions)
        parts = (self.text_form, str(self.counts_only), written_digest(here - gone))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @property
    def deletions(self) -> list[Deletion]:
        """Of the segments that have deleted documents."""
        return [segment.deleted for segment in self.segments if segment.deleted]

    @property
    def n_documents(self) -> int:
        """Documents that are not deleted."""
        all_of_them = sum(segment.n_documents for segment in self.segments)
        return all_of_them - sum(deletion.n_documents for deletion in self.deletions)

    @property
    def files(self) -> Iterator[FileEntry]:
        """Every file of the index but the manifest itself."""
        for segment in self.segments:
            yield from segment.files
        for deletion in self.deletions:
            yield deletion.file
        for extra in self.extras:
            yield from extra.files

    @property
    def directories(self) -> set[str]:
        """Every directory below ``counts/`` and ``passages/`` that belongs to the index."""
        return {file.path.rpartition("/")[0] for file in self.files} | {
            extra.directory for extra in self.extras
        }

    def info(self, name: str) -> CorpusInfo:
        """What the index says of itself under a name."""
        segments, deletions = self.segments, self.deletions
        return CorpusInfo(
            name=name,
            format_version=self.format_version,
            engine=self.engine,
            text_form=self.text_form,
            n_documents=self.n_documents,
            n_words=sum(s.n_words for s in segments) - sum(d.n_words for d in deletions),
            n_terms=self.n_terms,
            n_segments=len(segments),
            n_passages=sum(s.n_passages for s in segments) - sum(d.n_passages for d in deletions),
            n_deleted_documents=sum(d.n_documents for d in deletions),
            counts_bytes=self._n_bytes("counts/"),
            passages_bytes=self._n_bytes("passages/"),
            generation=self.generation,
            digest=self.digest,
            built_at=self.built_at,
            entity_threshold_documents=self.entity_threshold_documents,
        )

    def _n_bytes(self, half: str) -> int:
        return sum(file.n_bytes for file in self.files if file.path.startswith(half))


def written_digest(digest: int) -> str:
    """A digest of documents as it stands in a manifest.

    Of many documents it is the sum of those of each, so that one can be taken out again.
    """
    return f"{digest % _MODULUS:064x}"


# --- reading ------------------------------------------------------------------------------------


def is_index(path: Path) -> bool:
    """Whether a directory holds a manifest with our magic, readable for this version or not."""
    try:
        with (path / FILE_NAME).open("rb") as file:
            return MAGIC.encode() in file.read(100)
    except OSError:
        return False


def read_manifest(path: Path) -> Manifest:
    """The current manifest of an index directory.

    Raises:
        NotAnIndexError: There is no such directory, or no manifest in it.
        IndexFormatError: The manifest is damaged, newer than this averment, or of a text form
            that this Python does not have.
    """
    manifest = _parse_manifest(path / FILE_NAME)
    ours = manifest.form.identity
    if manifest.text_form != ours:
        raise IndexFormatError(
            f"The index at {path} was built with the text form {manifest.text_form!r}; this Python "
            f"has {ours!r}. Some words would be split otherwise and their counts silently wrong.",
            hint="Rebuild it: averment index build PATHS",
        )
    return manifest


def _parse_manifest(file: Path) -> Manifest:
    try:
        text = file.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError) as error:
        folder = file.parent
        what = f"has no {FILE_NAME}" if folder.is_dir() else "does not exist"
        if folder.is_file():
            what = "is a file"
        raise NotAnIndexError(
            f"{file.parent} is no averment index: it {what}.",
            hint="Build one: averment index build PATHS",
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise IndexFormatError(f"{file} cannot be read: {error}.", hint=REBUILD) from error
    try:
        plain = json.loads(text)
        if plain["magic"] != MAGIC:
            raise ValueError(f"magic is {plain['magic']!r}, not {MAGIC!r}")
        version = plain["format_version"]
        if isinstance(version, int) and version != FORMAT_VERSION:
            remedy = "Update averment: pip install -U averment"
            if version < FORMAT_VERSION:
                remedy = "Rebuild it: averment index build PATHS"
            raise IndexFormatError(
                f"{file} has format version {version}; this averment reads {FORMAT_VERSION}.",
                hint=remedy,
            )
        manifest: Manifest = from_plain(Manifest, plain)
        _ = manifest.digest  # which reads the digests in it
    except (KeyError, TypeError, ValueError) as error:
        raise IndexFormatError(f"{file} is damaged: {error!r}.", hint=REBUILD) from error
    return manifest


def check_sizes(path: Path, files: Iterable[FileEntry]) -> None:
    """Compare the sizes of files below an index directory with what its manifest says.

    Raises:
        IndexFormatError: A file is missing, shorter or longer; the first one is named.
    """
    for file in files:
        problem = _size_problem(path, file)
        if problem:
            raise IndexFormatError(f"The index at {path} is damaged: {problem}.", hint=REBUILD)


def damaged_files(path: Path, manifest: Manifest) -> list[str]:
    """Read every file and name those that are not what was written; empty if all are well."""
    problems = (_problem(path, file) for file in manifest.files)
    return [problem for problem in problems if problem]


def is_intact(path: Path, file: FileEntry) -> bool:
    """Whether a file below an index directory has the bytes that were written."""
    return _problem(path, file) is None


def _problem(path: Path, file: FileEntry) -> str | None:
    problem = _size_problem(path, file)
    if not problem and _sha256(path / file.path) != file.sha256:
        return f"{file.path} has other bytes than were written (SHA-256 differs)"
    return problem


def _size_problem(path: Path, file: FileEntry) -> str | None:
    try:
        n_bytes = (path / file.path).stat().st_size
    except OSError:
        return f"{file.path} is missing ({file.n_bytes} bytes expected)"
    if n_bytes == file.n_bytes:
        return None
    relation = "shorter" if n_bytes < file.n_bytes else "longer"
    return f"{file.path} is {relation} than it was: {n_bytes} bytes, not {file.n_bytes}"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# --- writing ------------------------------------------------------------------------------------


def make_durable(directory: Path) -> tuple[FileEntry, ...]:
    """Force all files below a directory to disk and describe them, by paths relative to it."""
    entries = []
    for path in sorted(directory.rglob("*")):
        sync(path)
        if not path.is_dir():
            name = path.relative_to(directory).as_posix()
            entries.append(FileEntry(name, path.stat().st_size, _sha256(path)))
    sync(directory)
    return tuple(entries)


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Make a manifest the current one, in one step that either happens or does not."""
    text = json.dumps(to_plain(manifest), ensure_ascii=False, indent=1)
    temporary = path / f"{FILE_NAME}.new"
    temporary.write_text(text + "\n", encoding="utf-8")
    sync(temporary)
    temporary.replace(path / FILE_NAME)
    sync(path)


def sync(path: Path) -> None:
    """Force a file or the entries of a directory to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
