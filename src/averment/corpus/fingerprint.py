"""A name for some files as they are now, by which an interrupted build knows that it may go on.

Sizes and times of change stand for the content, as they do for `make`; the build itself compares
the documents. What this module does not do: read the files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from averment.corpus.files import CorpusFile, list_files


def fingerprint(paths: Sequence[Path]) -> str:
    """A digest of the names, sizes and times of change of the files of a corpus.

    Args:
        paths: Files and directories, as `read_documents` takes them.

    Raises:
        UsageError: A path does not exist.
    """
    told = hashlib.sha256()
    for file in list_files(paths):
        if isinstance(file, CorpusFile):
            changed = file.path.stat().st_mtime_ns
            told.update(f"{file.path.absolute()}\0{file.n_bytes}\0{changed}\n".encode())
    return told.hexdigest()
