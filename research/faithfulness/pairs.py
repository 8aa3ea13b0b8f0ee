"""Labelled pairs of texts, and the files that hold them.

What this module refuses to do: to read a data set (`labelled`) or to make up pairs (`synthetic`).
"""

from __future__ import annotations

import dataclasses
import difflib
import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENTAILMENT, NEUTRAL, CONTRADICTION, UNSUPPORTED = 0, 1, 2, 3
"""The labels; UNSUPPORTED is "neutral or contradiction, nobody said which"."""

_WORD = re.compile(r"\w+|[^\w\s]")

CLASSES = ("entailment", "neutral", "contradiction")
"""The model's outputs, in order."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A premise, a hypothesis and what the one does to the other.

    Args:
        premise: The passage window.
        hypothesis: The claim.
        label: ENTAILMENT, NEUTRAL, CONTRADICTION or UNSUPPORTED.
        kind: Where the pair is from or how it was made, such as ``edit/number``.
        group: The document, page or snippet; a group lies wholly in training or in validation.
        unsupported: Where the hypothesis' unsupported words stand, as (start, end) in characters;
            empty where all are supported, None where nobody knows.
    """

    premise: str
    hypothesis: str
    label: int
    kind: str
    group: str
    unsupported: tuple[tuple[int, int], ...] | None = None


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a gzip-packed JSON-lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """Pairs as gzip-packed JSON lines."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for pair in pairs:
            file.write(json.dumps(dataclasses.asdict(pair), ensure_ascii=False) + "\n")


def read_pairs(path: Path) -> list[Pair]:
    """What `write_pairs` wrote."""
    found = []
    for record in read_records(path):
        spans = record.pop("unsupported")
        known = None if spans is None else tuple((start, end) for start, end in spans)
        found.append(Pair(**record, unsupported=known))
    return found


def changed_spans(text: str, other: str) -> tuple[tuple[int, int], ...]:
    """Where the words of a text differ from another's; beside a word that only the other has."""
    mine, theirs = list(_WORD.finditer(text)), [m.group() for m in _WORD.finditer(other)]
    matcher = difflib.SequenceMatcher(None, [m.group() for m in mine], theirs, autojunk=False)
    spans = []
    for operation, start, end, _, _ in matcher.get_opcodes():
        if operation == "delete" or operation == "replace":
            spans.append((mine[start].start(), mine[end - 1].end()))
        elif operation == "insert" and mine:
            beside = mine[max(0, start - 1)]
            spans.append((beside.start(), beside.end()))
    return tuple(spans)


def is_validation(group: str, share: float = 0.15) -> bool:
    """Whether a group is for validation: by a hash of its name, so that it never changes sides."""
    digest = hashlib.sha256(group.casefold().encode()).digest()
    return int.from_bytes(digest[:4], "big") < share * 2**32
