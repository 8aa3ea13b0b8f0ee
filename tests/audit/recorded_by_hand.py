"""The records of a ledger."""

from __future__ import annotations

from pathlib import Path

from averment.audit.chain import Record
from averment.audit.reading import LedgerReader


def records_of(ledger: Path) -> list[Record]:
    """All records, in order."""
    with LedgerReader(ledger) as reader:
        return list(reader.records())
