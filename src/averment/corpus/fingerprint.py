"""A name for some files as they are now, by which an interrupted build knows that it may go on.

Sizes and times of change stand for the content, as they do for `make`, and of remote files what
their store tells; the build itself compares the documents. What this module does not do: read the
files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from averment.corpus.files import BadRecord, CorpusFile


def fingerprint(files: Sequence[CorpusFile | BadRecord], *, keep_references: bool = False) -> str:
    """A digest of the names, sizes and times of change of the files of a corpus.

    Args:
        files: As `list_files` found them.
        keep_references: How they are read.
    """
    told = hashlib.sha256()
    for file in files:
        if isinstance(file, CorpusFile):
            told.update(f"{file.path.absolute()}\0{file.n_bytes}\0{file.version}\n".encode())
    return told.hexdigest() + keep_references * ", with references"
