"""Packed JSON lines, the form of all files of `shared/data`."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a file, in order."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
