"""The directory side of writing: claim an index directory, stage in it, move into place, clean up.

A finished segment goes to its place at once, where nobody reads it before a manifest lists it; the
journal remembers it, so that a build that was killed can go on after it. Nothing outside the index
directory is written, and nothing in it is removed that an index writer did not make. What this
module does not do: know what is in the files it moves.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from averment.errors import CorpusError, IndexFormatError, NotAnIndexError, UsageError
from averment.index import lock
from averment.index.manifest import (
    FILE_NAME,
    FileEntry,
    SegmentEntry,
    is_index,
    is_intact,
    read_manifest,
    sync,
)
from averment.trace import from_plain, to_plain

_STAGING = ".averment-staging"
_JOURNAL = "finished.json"
_WORKSHOP = "workshop"
_HALVES = ("counts", "passages")
_OWN_NAMES = {_STAGING, lock.FILE_NAME, f"{FILE_NAME}.new"}
_DIGEST_NAMED = re.compile(r".+-[0-9a-f]{12}")


@dataclass(slots=True)
class Staging:
    """A claimed index directory. Set `published` once the new manifest is in place.

    `directory` is for what is not finished; it is empty when the writer begins. Files of the
    generation before stay for the next writer to remove, since somebody may be about to open them,
    unless `purges` says that they have to go.
    """

    path: Path
    directory: Path
    published: bool = False
    purges: bool = False
    _key: str | None = None
    _finished: tuple[SegmentEntry, ...] = ()

    def begin(self, key: str | None) -> tuple[SegmentEntry, ...]:
        """Clean up after earlier writers, and say what one with the same key had finished.

        Args:
            key: What names the work: equal keys mean the same documents and options. None: the
                work is not to be resumed, neither now nor later.
        """
        self._key = key
        journal = self._read_journal() if key else None
        # What follows a damaged segment would come to another place.
        self._finished = tuple(takewhile(self._is_intact, journal or ()))
        # At no moment is there a half without the staging directory, which says whose it is.
        self.directory.mkdir(exist_ok=True)
        self._write_journal()
        _remove_leftovers(self.path, self._kept())
        kept = {_JOURNAL} if journal is None else {_JOURNAL, _WORKSHOP}
        _empty(self.directory, kept if key else set())
        return self._finished

    @property
    def workshop(self) -> Path:
        """Where the pieces of segments may lie; the next writer with the same key finds them."""
        directory = self.directory / _WORKSHOP
        directory.mkdir(exist_ok=True)
        return directory

    def finish(self, entry: SegmentEntry) -> None:
        """Remember a segment that is in its place."""
        self._finished = (*self._finished, entry)
        self._write_journal()

    def forget(self) -> None:
        """What was finished is of no use to anybody."""
        self._key, self._finished = None, ()

    def leave(self) -> None:
        """Remove what is of no use; the last thing that a writer does."""
        if not self.published and self._key and (self._finished or self._has_pieces):
            return
        if self.purges or not self.published:
            _remove_leftovers(self.path, set())
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def _has_pieces(self) -> bool:
        directory = self.directory / _WORKSHOP
        return directory.is_dir() and any(directory.iterdir())

    def _kept(self) -> set[str]:
        files = (file for entry in self._finished for file in entry.files)
        return {file.path.rpartition("/")[0] for file in files}

    def _is_intact(self, entry: SegmentEntry) -> bool:
        return all(is_intact(self.path, file) for file in entry.files)

    def _read_journal(self) -> tuple[SegmentEntry, ...] | None:
        """What a writer with this key had finished; None: there was none."""
        try:
            plain = json.loads((self.directory / _JOURNAL).read_text(encoding="utf-8"))
            if plain["key"] == self._key:
                entries: tuple[SegmentEntry, ...] = from_plain(
                    tuple[SegmentEntry, ...], plain["finished"]
                )
                return entries
        except (OSError, KeyError, TypeError, ValueError):
            pass  # there is none, or it was cut short: the work begins anew
        return None

    def _write_journal(self) -> None:
        if self._key:
            plain = {"key": self._key, "finished": to_plain(self._finished)}
            temporary = self.directory / f"{_JOURNAL}.new"
            temporary.write_text(json.dumps(plain), encoding="utf-8")
            temporary.replace(self.directory / _JOURNAL)

    def move_into_place(self, staged: Path, target: str, files: Sequence[FileEntry]) -> None:
        """Move a staged directory to its place below the index directory.

        What is there already under the same digest stays, if it is intact.
        """
        place = self.path / target
        place.parent.mkdir(exist_ok=True)
        if place.exists():
            if all(is_intact(self.path, file) for file in files):
                shutil.rmtree(staged)
                return
            place.rename(staged.with_name(f"{staged.name}.damaged"))
        staged.rename(place)
        sync(place.parent)


@contextmanager
def claimed(path: Path) -> Iterator[Staging]:
    """Be the only writer of an index directory, which then has to `begin`.

    Unless it publishes, the index is as it was.

    Raises:
        UsageError: The path holds something else than an index, or cannot be written.
        IndexUnavailable: Another process is writing it.
    """
    with ExitStack() as stack:
        with _writable(path):
            _refuse_foreign(path)
            made = [directory for directory in (path, *path.parents) if not directory.exists()]
            path.mkdir(parents=True, exist_ok=True)
            stack.callback(_remove_empty, made)
            stack.enter_context(lock.exclusive(path))
            staging = Staging(path, path / _STAGING)
            stack.callback(_leave, staging)
        yield staging


def _leave(staging: Staging) -> None:
    staging.leave()
    if not is_index(staging.path):
        (staging.path / lock.FILE_NAME).unlink()


def _remove_empty(directories: Sequence[Path]) -> None:
    for directory in directories:
        with suppress(OSError):  # it is not empty: something was published
            directory.rmdir()


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Translate what the disk may say while an index is written."""
    try:
        yield
    except OSError as error:
        raise CorpusError(
            f"The index at {path} cannot be written: {error.strerror or error}.",
            hint="What was there before is unchanged.",
        ) from error


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}.", hint="Choose a place with -o DIR."
        ) from error


def _refuse_foreign(path: Path) -> None:
    if not path.exists() or is_index(path):
        return
    if path.is_dir():
        names = {child.name for child in path.iterdir()}
        # A first build that died left its staging directory, maybe with halves moved out of it.
        own = _OWN_NAMES | set(_HALVES) if _STAGING in names else _OWN_NAMES
        if names <= own:
            return
    what = "is not empty and holds no averment index" if path.is_dir() else "is a file"
    raise UsageError(
        f"{path} {what}; nothing was changed.", hint="Choose another directory with -o DIR."
    )


def _empty(directory: Path, kept: set[str]) -> None:
    for child in directory.iterdir():
        if child.name in kept:
            continue
        if child.is_dir():
            shutil.rmtree(child)
        else:
            child.unlink()


def _remove_leftovers(path: Path, kept: set[str]) -> None:
    """Remove what writers made that the current manifest does not list and that is not kept."""
    (path / f"{FILE_NAME}.new").unlink(missing_ok=True)
    try:
        listed = read_manifest(path).directories
    except NotAnIndexError:
        listed = set()
    except IndexFormatError:
        return  # of another version or damaged: what belongs to it cannot be told
    for half in _HALVES:
        for child in (path / half).glob("*"):
            if f"{half}/{child.name}" not in listed | kept and _DIGEST_NAMED.fullmatch(child.name):
                shutil.rmtree(child)
        with suppress(OSError):  # it is not there, or not empty
            (path / half).rmdir()
