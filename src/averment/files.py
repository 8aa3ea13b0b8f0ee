"""Text files that somebody gives or that are left behind: read with one message, written whole.

What is read, changed and written back is `locked` meanwhile, so that nobody's change is lost. And
arrays, mapped: they are written by whoever keeps such.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import TYPE_CHECKING, Any

from averment.errors import UsageError

if TYPE_CHECKING:
    import numpy.typing as npt

STDIN = "-"


def read_text(file: str | Path, *, hint: str) -> str:
    """The text of a file in UTF-8, or of stdin for ``-``; line ends become line feeds.

    Args:
        file: A path.
        hint: What to do where there is no such file.

    Raises:
        UsageError: It cannot be read, or is not UTF-8.
    """
    try:
        written = sys.stdin.buffer.read() if file == STDIN else Path(file).read_bytes()
        return written.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        at = f"byte {error.object[error.start]:#x} at {error.start}"
        convert = f"Convert it first: iconv -f latin1 -t utf-8 {shlex.quote(str(file))}"
        raise UsageError(
            f"{file} is not UTF-8 text and cannot be read: {at}.",
            hint="It is binary; name a file of text." if b"\0" in error.object else convert,
        ) from error
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.", hint=hint) from error


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all; folders above it are made."""
    with staged(path) as partial:
        partial.write_text(text, encoding="utf-8")


@contextmanager
def staged(path: Path) -> Iterator[Path]:
    """A block in which a file is written beside its place, and takes it once it is whole.

    Folders above it are made. What a block that fails has written is removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    try:
        yield partial
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def mapped_array(path: Path) -> npt.NDArray[Any]:
    """The array of a ``.npy`` file, read through a memory map.

    Raises:
        OSError: It cannot be opened.
        ValueError: It is damaged, or holds objects.
    """
    import numpy as np  # not at the top: most who read files have no arrays

    try:
        array: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (EOFError, SyntaxError, TokenError) as error:  # its header is parsed as Python
        raise ValueError(f"its header is damaged: {error}") from error
    return array


@contextmanager
def locked(path: Path, *, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Be the only process in a block; others with the same lock file wait.

    Where the platform has no file locks nobody waits.

    Args:
        path: The lock file; it is made and stays. The folder must be there.
        on_wait: Told once if another process is in its block.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
