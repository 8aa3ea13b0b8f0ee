"""averment: answers over documents, with evidence for each claim and silence where it is due.

    import averment

    averment.build_index(documents, "idx/")
    engine = averment.open_engine(index="idx/", policy="quco")
    answer = engine.ask("Who directed Kumbasaram?")
    answer.text, answer.claims, answer.verdict, answer.reason, answer.trace

The names below are public and keep their meaning. They are loaded at first use, so that importing
averment costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from averment.errors import AvermentError
    from averment.types import Document, Question
    from averment.wiring import (
        build_index,
        check,
        delete_documents,
        merge_index,
        open_engine,
        open_index,
    )
    from averment.wiring.filters import filter_rows

_HOME = {
    "AvermentError": "averment.errors",
    "Document": "averment.types",
    "Question": "averment.types",
    "build_index": "averment.wiring",
    "check": "averment.wiring",
    "delete_documents": "averment.wiring",
    "filter_rows": "averment.wiring.filters",
    "merge_index": "averment.wiring",
    "open_engine": "averment.wiring",
    "open_index": "averment.wiring",
}

__all__ = [
    "AvermentError",
    "Document",
    "Question",
    "build_index",
    "check",
    "delete_documents",
    "filter_rows",
    "merge_index",
    "open_engine",
    "open_index",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'averment' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
