"""Small ledgers, and ways of spoiling one behind its back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from averment.audit.chain import Event, Head, Kind
from averment.audit.contents import Contents
from averment.audit.reading import LedgerReader
from averment.audit.store import Ledger
from averment.audit.verifying import Verification, verify


def event(number: int = 1, *, text: str | None = "a question", kind: Kind = Kind.ANSWER) -> Event:
    """An answer, or so."""
    texts = {} if text is None else {"result": text, "trace": f"the trace of {text}"}
    facts = {"trace_id": f"trace-{number}", "p_true": 0.25, "claims": []}
    return Event(kind, "ann", facts, Contents(texts), {"averment": "0.1.0"})


def written(path: Path, n_records: int = 5) -> list[Head]:
    """A ledger of so many answers; returns their places."""
    with Ledger(path) as ledger:
        return [ledger.append(event(number))[0] for number in range(1, n_records + 1)]


def verified(path: Path, anchor: Head | None = None) -> Verification:
    """What a verification finds."""
    with LedgerReader(path) as reader:
        return verify(reader, anchor=anchor)


@contextmanager
def behind_its_back(path: Path) -> Iterator[sqlite3.Connection]:
    """The file as somebody sees it who is not held by what guards it against mistakes."""
    with closing(sqlite3.connect(path)) as connection, connection:
        query = (
            "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'index') AND sql > ''"
        )
        for kind, name in connection.execute(query).fetchall():
            connection.execute(f"DROP {kind} {name}")
        yield connection
