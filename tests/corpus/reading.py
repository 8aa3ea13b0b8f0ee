"""How the tests of readers write files and read them."""

from __future__ import annotations

from pathlib import Path

from averment.corpus.files import BadRecord
from averment.corpus.readers import read_documents
from averment.types import Document


def read(*paths: Path) -> tuple[list[Document], list[str]]:
    """The documents, and the bad records as they are printed, with names instead of paths."""
    bad: list[BadRecord] = []
    documents = list(read_documents(paths, on_bad=bad.append))
    return documents, [str(one).replace(f"{one.path}", one.path.name) for one in bad]


def write(path: Path, content: str | bytes) -> Path:
    """The file with that content, in folders made as needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
