"""One writer at a time: an advisory lock on a file inside a directory.

Readers need no lock, since published files never change. What this module does not do: wait.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from averment.errors import IndexUnavailable, UsageError

FILE_NAME = ".averment-lock"


@contextmanager
def exclusive(directory: Path, *, what: str = "the index") -> Iterator[None]:
    """Be the only writer of a directory, until the block ends or the process dies.

    Args:
        directory: Is there already.
        what: Is in it, for the message.

    Raises:
        IndexUnavailable: Another writer is at work.
        UsageError: The system has no such locks.
    """
    try:
        import fcntl  # here, so that an index can be read where it cannot be written
    except ImportError as error:
        raise UsageError(
            "An index can be written on Linux and macOS only: this system has no file locks.",
            hint="Build it there, or in WSL, and copy the directory.",
        ) from error
    path = directory / FILE_NAME
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise _in_use(directory, what) from error
        if os.fstat(descriptor).st_nlink == 0:  # its last holder removed it while we came
            raise _in_use(directory, what)
        yield
    finally:
        os.close(descriptor)


def _in_use(directory: Path, what: str) -> IndexUnavailable:
    return IndexUnavailable(
        f"Another process is writing {what} at {directory}.",
        hint="Try again when it has finished.",
    )
