"""Files behind a scheme (``s3://``, ``gs://``, ``hf://``, ``memory://`` …), through fsspec.

Only found and opened here; they are read as local files are, and stay where they are: nothing is
copied to a disk. What a scheme needs (keys, regions) is configured as its package says. What this
module does not do: write, follow chains of schemes (``zip://…::s3://…``), read what has none.

Needs the extra [remote]; fsspec is imported when the first scheme is met.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, TypeGuard

from averment.errors import MissingExtraError, UsageError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_PATTERN = re.compile(r"[*?\[]")
_BUFFER_BYTES = 1 << 20


def has_scheme(path: Path | str) -> TypeGuard[str]:
    """Whether a path says by which protocol it is reached."""
    return isinstance(path, str) and _SCHEME.match(path) is not None


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """What readers need of a path, of a file that is named by a scheme."""

    url: str

    def __str__(self) -> str:
        return self.url

    @property
    def name(self) -> str:
        """The last part of its path."""
        return PurePosixPath(self.url).name

    @property
    def stem(self) -> str:
        """The name without its last suffix."""
        return PurePosixPath(self.url).stem

    def absolute(self) -> RemoteFile:
        """Itself."""
        return self

    def open(self, mode: str = "rb") -> io.BufferedReader:
        """Open it for reading its bytes.

        Raises:
            OSError: It cannot be read, now or later; whatever its store says is the message.
        """
        assert mode == "rb"
        fs, path = _filesystem(self.url)
        try:
            return io.BufferedReader(_Raw(fs.open(path, "rb")), _BUFFER_BYTES)
        except Exception as error:  # each store has errors of its own
            raise _as_os_error(error) from error

    def read_bytes(self) -> bytes:
        """All of it."""
        with self.open() as file:
            return file.read()


class Found(NamedTuple):
    """A remote file, its path below what was asked for, its size and what tells its state."""

    file: RemoteFile
    name: str
    n_bytes: int | None
    version: str


def find_remote(url: str) -> Iterator[Found]:
    """The files that a URL means, in the order of their paths.

    Args:
        url: A file, a directory with all below it, or a pattern (``s3://bucket/part-*.jsonl``).

    Raises:
        UsageError: There is nothing, or its store refuses; nobody knows the scheme, or a package
            is missing for it.
        MissingExtraError: fsspec is not installed.
    """
    fs, path = _filesystem(url)
    try:
        base, root, files = _listed(fs, path, url)
    except Exception as error:  # each store has errors of its own
        raise UsageError(
            f"{url} cannot be looked at: {_as_os_error(error)}.",
            hint="What the scheme needs (keys, regions) is set as its package says.",
        ) from error
    if not files:
        raise UsageError(f"{url}: does not exist.", hint="Name files or folders that are there.")
    for found in sorted(files, key=lambda each: each.split("/")):
        name = found[len(root) :].lstrip("/")
        if not any(part.startswith(".") for part in name.split("/")):
            told = hashlib.sha256(repr(sorted(files[found].items(), key=str)).encode())
            size = files[found].get("size")
            yield Found(RemoteFile(f"{base}/{name}"), name, size, told.hexdigest())


def _listed(fs: Any, path: str, url: str) -> tuple[str, str, Mapping[str, Mapping[str, Any]]]:
    """After which part of URLs and paths names begin, and what is known of each file by path."""
    if _PATTERN.search(path):
        base, root = (_PATTERN.split(each)[0].rpartition("/")[0] for each in (url, path))
        found = fs.glob(path, detail=True)
        return base, root, {p: info for p, info in found.items() if info["type"] == "file"}
    if fs.isfile(path):
        return url.rpartition("/")[0], path.rpartition("/")[0], {path: fs.info(path)}
    return url.rstrip("/"), path.rstrip("/"), fs.find(path, detail=True)


def _filesystem(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"Paths with a scheme ({url})", "remote") from error
    if "::" in url:
        raise UsageError(
            f"{url} is a chain of schemes, which is not followed.",
            hint="Name files that are read as they are, or .gz and .zst.",
        )
    try:
        fs, path = url_to_fs(url)
    except ImportError as error:  # "Install s3fs to access S3"
        raise UsageError(f"{url} cannot be reached: {error}.", hint=_package(url)) from error
    except ValueError as error:  # nobody knows the scheme
        raise UsageError(f"{url} cannot be reached: {error}.", hint=_KNOWN) from error
    return fs, str(path)


_KNOWN = "Schemes that fsspec knows: s3, gs, abfs, hf, http, https, sftp, file, memory and others."
_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "abfs": "adlfs"}
_PACKAGES |= {"az": "adlfs", "hf": "huggingface-hub", "http": "aiohttp", "https": "aiohttp"}


def _package(url: str) -> str:
    package = _PACKAGES.get(url.partition("://")[0].lower())
    return f"Type: pip install {package}" if package else "Install what it names."


def _as_os_error(error: Exception) -> OSError:
    """A foreign error as readers expect it: with words for what happened."""
    said = str(error) or type(error).__name__
    known = getattr(error, "strerror", None) if isinstance(error, OSError) else None
    if isinstance(error, FileNotFoundError):
        known = "does not exist"
    return OSError(0, known or said.partition("\n")[0][:200])


class _Raw(io.RawIOBase):
    """A file of fsspec as Python's own buffers want it; whatever goes wrong is an `OSError`."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        try:
            data = self._file.read(len(buffer))
        except Exception as error:  # each store has errors of its own
            raise _as_os_error(error) from error
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()
