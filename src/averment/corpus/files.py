"""Which files make a corpus: directories walked in a fixed order, and what is not read said aloud.

Hidden files and links to directories are left out, so that a corpus does not depend on the tools
that were used in its folder. What this module does not do: open a file (`averment.corpus.readers`).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from averment.errors import UsageError

SUFFIXES = (
    *(".txt", ".md", ".html", ".htm", ".pdf", ".docx", ".pptx", ".parquet"),
    *(kind + packed for kind in (".jsonl", ".csv", ".tsv") for packed in ("", ".gz", ".zst")),
)
"""The types that are read, by the end of the file name in any case."""


@dataclass(frozen=True, slots=True)
class BadRecord:
    """Something that was left out of a corpus, and why; printed as ``file:line: reason``."""

    path: Path
    line: int | None
    reason: str

    def __str__(self) -> str:
        # A file name may hold bytes that are no text, which no terminal takes.
        path = str(self.path).encode(errors="backslashreplace").decode()
        place = path if self.line is None else f"{path}:{self.line}"
        return f"{place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file to read. ``name`` is its path below the root that was given, with slashes."""

    path: Path
    name: str
    suffix: str
    n_bytes: int
    changed_ns: int
    """When it was changed last, in nanoseconds since 1970."""


def list_files(paths: Sequence[Path]) -> list[CorpusFile | BadRecord]:
    """The files of a corpus in the order in which they are read.

    Args:
        paths: Files and directories; directories are walked, sorted by name.

    Raises:
        UsageError: A path does not exist, or lies where nobody may look.
    """
    for path in paths:
        try:
            path.stat()
        except OSError as error:
            problem = "does not exist" if isinstance(error, FileNotFoundError) else error.strerror
            raise UsageError(
                f"{path}: {problem}.", hint="Name files or directories that can be read."
            ) from error
    return [found for path in paths for found in _find(path, "" if path.is_dir() else path.name)]


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
    for suffix in SUFFIXES:
        if path.name.lower().endswith(suffix):
            return CorpusFile(path, name, suffix, status.st_size, status.st_mtime_ns)
    kept = path.suffixes[-2:] if path.suffix in (".gz", ".zst") else [path.suffix]
    kind = "".join(kept) or "no suffix"
    return BadRecord(path, None, f"not a type that is read: {kind}")
