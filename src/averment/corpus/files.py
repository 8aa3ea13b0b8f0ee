"""Which files make a corpus: directories walked in a fixed order, and what is not read said aloud.

Hidden files and links to directories are left out, so that a corpus does not depend on the tools
that were used in its folder. What is named by a scheme (``s3://…``) is found by
`averment.corpus.remote`. What this module does not do: open a file (`averment.corpus.readers`).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import NamedTuple

from averment.corpus.remote import RemoteFile, find_remote, has_scheme
from averment.errors import UsageError

SUFFIXES = (
    *(".txt", ".md", ".html", ".htm", ".pdf", ".docx", ".pptx", ".parquet"),
    *(kind + packed for kind in (".jsonl", ".csv", ".tsv") for packed in ("", ".gz", ".zst")),
)
"""The types that are read, by the end of the file name in any case."""


@dataclass(frozen=True, slots=True)
class BadRecord:
    """Something that was left out of a corpus, and why; printed as ``file:line: reason``."""

    path: Path | RemoteFile
    line: int | None
    reason: str

    def __str__(self) -> str:
        # A file name may hold bytes that are no text, which no terminal takes.
        path = str(self.path).encode(errors="backslashreplace").decode()
        place = path if self.line is None else f"{path}:{self.line}"
        return f"{place}: {self.reason}"


class LineSpan(NamedTuple):
    """Some lines of a file: where they start and end, in bytes, and the number of the first."""

    start: int
    end: int
    first_line: int


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file to read. ``name`` is its path below the root that was given, with slashes."""

    path: Path | RemoteFile
    name: str
    suffix: str
    n_bytes: int
    """Of what is read of it."""
    version: str
    """What it is now: when it was changed last, or what its store says of its content."""
    lines: LineSpan | None = None
    """What is read of it; None: all. Only of JSONL as it is."""


def list_files(paths: Sequence[Path | str]) -> list[CorpusFile | BadRecord]:
    """The files of a corpus in the order in which they are read.

    Args:
        paths: Files and directories, walked and sorted by name; or what has a scheme
            (``s3://bucket/*.jsonl.gz``), which may be a pattern.

    Raises:
        UsageError: A path does not exist, or lies where nobody may look.
        MissingExtraError: One has a scheme, and fsspec is not installed.
    """
    return [found for path in _checked(paths) for found in _files_at(path)]


def _files_at(path: Path | str) -> Iterator[CorpusFile | BadRecord]:
    if isinstance(path, Path):
        yield from _find(path, "" if path.is_dir() else path.name)
        return
    for remote, name, n_bytes, version in find_remote(path):
        suffix = _suffix_of(remote.name)
        if suffix is None:
            yield BadRecord(remote, None, _not_read(remote))
        elif n_bytes is None:
            yield BadRecord(remote, None, "its size is not told: copy it to a disk first")
        else:
            yield CorpusFile(remote, name, suffix, n_bytes, version)


def _checked(given: Sequence[Path | str]) -> list[Path | str]:
    """The paths, those without a scheme as such, if all of these can be looked at."""
    paths = [each if has_scheme(each) else Path(each) for each in given]
    for path in paths:
        if not isinstance(path, Path):
            continue
        try:
            path.stat()
        except OSError as error:
            problem = "does not exist" if isinstance(error, FileNotFoundError) else error.strerror
            raise UsageError(
                f"{path}: {problem}.", hint="Name files or directories that can be read."
            ) from error
    return paths


def _find(path: Path, name: str) -> Iterator[CorpusFile | BadRecord]:
    """The file at a path, or all files below it; `name` is empty for a root directory."""
    try:
        status = path.stat()
        children = sorted(path.iterdir()) if stat.S_ISDIR(status.st_mode) else None
    except OSError as error:
        yield BadRecord(path, None, f"cannot be read: {error.strerror}")
        return
    if children is None:
        yield _classify(path, name, status)
    elif name and path.is_symlink():  # followed, it could lead round in circles
        yield BadRecord(path, None, "a link to a directory, which is not followed")
    else:
        for child in children:
            if not child.name.startswith("."):
                yield from _find(child, f"{name}/{child.name}" if name else child.name)


def _classify(path: Path, name: str, status: os.stat_result) -> CorpusFile | BadRecord:
    if not stat.S_ISREG(status.st_mode):
        return BadRecord(path, None, "not a regular file")
    if name != name.encode(errors="replace").decode():
        return BadRecord(path, None, "its name is not UTF-8")
    suffix = _suffix_of(path.name)
    if suffix is None:
        return BadRecord(path, None, _not_read(path))
    return CorpusFile(path, name, suffix, status.st_size, str(status.st_mtime_ns))


def _suffix_of(name: str) -> str | None:
    """The end of a file name that says its type; None: no type that is read."""
    return next((suffix for suffix in SUFFIXES if name.lower().endswith(suffix)), None)


def _not_read(path: Path | RemoteFile) -> str:
    suffixes = PurePath(path.name).suffixes
    kept = suffixes[-2:] if suffixes[-1:] in ([".gz"], [".zst"]) else suffixes[-1:]
    return f"not a type that is read: {''.join(kept) or 'no suffix'}"
