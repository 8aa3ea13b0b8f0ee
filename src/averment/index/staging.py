"""The directory side of writing: claim an index directory, stage in it, move into place, clean up.

Nothing outside the index directory is written, and nothing in it is removed that an index writer
did not make. What this module does not do: know what is in the files it moves.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from averment.errors import CorpusError, IndexFormatError, NotAnIndexError, UsageError
from averment.index import lock
from averment.index.manifest import FILE_NAME, FileEntry, is_index, is_intact, read_manifest, sync

_STAGING = ".averment-staging"
_HALVES = ("counts", "passages")
_OWN_NAMES = {_STAGING, lock.FILE_NAME, f"{FILE_NAME}.new"}
_DIGEST_NAMED = re.compile(r".+-[0-9a-f]{12}")


@dataclass(slots=True)
class Staging:
    """A claimed index directory. Set `published` once the new manifest is in place."""

    path: Path
    directory: Path
    published: bool = False

    def move_into_place(self, staged: Path, target: str, files: Sequence[FileEntry]) -> None:
        """Move a staged directory to its place below the index directory.

        What is there already under the same digest stays, if it is intact.
        """
        place = self.path / target
        place.parent.mkdir(exist_ok=True)
        if place.exists():
            if all(is_intact(self.path, file) for file in files):
                return
            place.rename(staged.with_name(f"{staged.name}.damaged"))
        staged.rename(place)
        sync(place.parent)


@contextmanager
def claimed(path: Path) -> Iterator[Staging]:
    """Be the only writer of an index directory; unless it publishes, leave it as it was.

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
            _remove_leftovers(path)
            staging.directory.mkdir()
        yield staging


def _leave(staging: Staging) -> None:
    if not staging.published:
        _remove_leftovers(staging.path)
    shutil.rmtree(staging.directory, ignore_errors=True)
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


def _remove_leftovers(path: Path) -> None:
    """Remove what writers made and the current manifest does not list."""
    shutil.rmtree(path / _STAGING, ignore_errors=True)
    (path / f"{FILE_NAME}.new").unlink(missing_ok=True)
    try:
        listed = read_manifest(path).directories
    except NotAnIndexError:
        listed = set()
    except IndexFormatError:
        return  # of another version or damaged: what belongs to it cannot be told
    for half in _HALVES:
        for child in (path / half).glob("*"):
            if f"{half}/{child.name}" not in listed and _DIGEST_NAMED.fullmatch(child.name):
                shutil.rmtree(child)
        with suppress(OSError):  # it is not there, or not empty
            (path / half).rmdir()
