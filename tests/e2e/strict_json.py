"""JSON as outsiders may rely on it: no NaN, no infinity, no score that is missing without a word.

AT-1 asks that of everything that is printed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

SCORES = frozenset(
    {"p_faithful", "p_true_if_faithful", "p_true_if_unfaithful", "p_true", "score", "uf", "uu"}
)


def read_strictly(text: str) -> Any:
    """The value of a JSON text; NaN and infinity in it are a failed test."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no number of JSON")

    return json.loads(text, parse_constant=refuse)


def unexplained(value: Any, path: str = "$") -> Iterator[str]:
    """Where a score is null without its code in the `reasons` beside it."""
    if isinstance(value, dict):
        reasons = value.get("reasons") or {}
        for name, item in value.items():
            if name in SCORES and item is None and not reasons.get(name):
                yield f"{path}.{name}"
            yield from unexplained(item, f"{path}.{name}")
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from unexplained(item, f"{path}[{at}]")
