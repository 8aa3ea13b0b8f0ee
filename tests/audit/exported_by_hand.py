"""A ledger of all kinds of records, and the lines that it is exported as."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

import averment
from averment.audit.export import write_lines
from averment.audit.reading import LedgerReader
from averment.cli.app import run
from labels_by_hand import a_file_of_labels, some_labels
from towns_by_hand import QUESTION, build_rivers, scripted


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A record of every kind that a person at a terminal makes."""
    path = tmp_path / "l.sqlite"
    monkeypatch.setenv("AVERMENT_AUDIT", str(path))
    monkeypatch.setenv("AVERMENT_AUDIT_BY", "ann")
    index = build_rivers(tmp_path / "idx")
    with averment.open_engine(index, scripted(), faithfulness="lexical") as engine:
        engine.ask(QUESTION)
    averment.check("Prague lies on the Danube.", index=index, faithfulness="lexical")
    a_file_of_labels(tmp_path / "labels.jsonl", some_labels())
    for command in (
        "alias add Prague Praha",
        "calibrate labels.jsonl",
        "audit override 3 --claim 1 --verdict contradicted --reason wrong",
        "index delete brno --index idx",
        "index merge --index idx",
        "audit erase 2 --reason asked",
    ):
        assert run(command.split()) == 0
    return path


def exported(ledger: Path, *, with_contents: bool = True) -> list[dict[str, Any]]:
    target = io.StringIO()
    with LedgerReader(ledger) as reader:
        n_records = write_lines(target, reader, reader.records(), with_contents=with_contents)
    rows = [json.loads(line) for line in target.getvalue().splitlines()]
    assert len(rows) == n_records
    return rows
