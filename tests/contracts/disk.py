"""Disks for tests: one that nobody waits for, and a folder that permissions protect."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="module")
def disk_without_fsync() -> Iterator[None]:
    """What fsync adds shows only when the power fails, which no test can make happen."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda descriptor: None)
        yield


@contextmanager
def users_folder() -> Iterator[Path]:
    """A folder of somebody whom permissions bind, as whom the block runs."""
    with tempfile.TemporaryDirectory() as directory:
        is_root = os.geteuid() == 0
        if is_root:
            nobody = 65534
            os.chown(directory, nobody, nobody)
            os.seteuid(nobody)
        try:
            yield Path(directory)
        finally:
            if is_root:
                os.seteuid(0)
