"""A corpus cut into pieces, each read by one task: the same files are always cut alike.

A large JSONL file is cut at line ends; all other files are read whole, and small ones share a
piece. A piece is named by what is read and how it is indexed, so that work which is done is known
again. What this module does not do: look into anything but JSONL on a disk of this machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from averment.corpus.files import BadRecord, CorpusFile, LineSpan

PIECE_BYTES = 8 << 20
"""What a task reads, if the files can be cut so: some seconds of work."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Files in a row, with what cannot be read in its place among them."""

    files: tuple[CorpusFile | BadRecord, ...]

    @property
    def n_bytes(self) -> int:
        """Of what is read, as it lies on disk."""
        return sum(file.n_bytes for file in self.files if isinstance(file, CorpusFile))

    def key(self, made_with: str) -> str:
        """A name of this piece and of how it is indexed; 32 hexadecimal digits."""
        told = hashlib.sha256(made_with.encode())
        for file in self.files:
            told.update(f"\n{file!r}".encode(errors="surrogatepass"))
        return told.hexdigest()[:32]

    def __str__(self) -> str:
        first = self.files[0]
        lines = first.lines if isinstance(first, CorpusFile) else None
        more = f" and {len(self.files) - 1} more" if len(self.files) > 1 else ""
        return f"{first.path}{f' from line {lines.first_line}' if lines else ''}{more}"


def cut_into_pieces(
    files: Sequence[CorpusFile | BadRecord], *, piece_bytes: int = PIECE_BYTES
) -> list[Piece]:
    """The pieces of a corpus, in the order of its files.

    Args:
        files: As `list_files` found them.
        piece_bytes: About how much a piece has.
    """
    pieces: list[Piece] = []
    small: list[CorpusFile | BadRecord] = []
    n_small = 0
    for file in files:
        for part in _cut(file, piece_bytes):
            n_bytes = part.n_bytes if isinstance(part, CorpusFile) else 0
            if small and n_small + n_bytes > piece_bytes:
                pieces.append(Piece(tuple(small)))
                small, n_small = [], 0
            small.append(part)
            n_small += n_bytes
    return [*pieces, Piece(tuple(small))] if small else pieces


def _cut(file: CorpusFile | BadRecord, piece_bytes: int) -> list[CorpusFile | BadRecord]:
    if isinstance(file, BadRecord) or not isinstance(file.path, Path):
        return [file]
    if file.suffix != ".jsonl" or file.n_bytes <= piece_bytes:
        return [file]
    try:
        spans = list(_spans(file.path, piece_bytes))
    except (OSError, _Binary):
        return [file]  # who reads it says what is wrong
    return [replace(file, lines=each, n_bytes=each.end - each.start) for each in spans]


class _Binary(Exception):
    """Reading ends at the line with the first NUL byte, so the file cannot be cut."""


def _spans(path: Path, piece_bytes: int) -> Iterator[LineSpan]:
    start, line = 0, 1
    with path.open("rb") as file:
        while data := file.read(piece_bytes):
            data += file.readline()
            if b"\0" in data:
                raise _Binary
            yield LineSpan(start, start + len(data), line)
            start += len(data)
            line += data.count(b"\n")
