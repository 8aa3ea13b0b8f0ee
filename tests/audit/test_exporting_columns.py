"""A Parquet file of a ledger says what its lines of JSON say, and verifies without averment."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from audit.exported_by_hand import exported, ledger  # noqa: F401
from audit.ledgers_by_hand import behind_its_back, event, written
from averment.audit.parquet import write_parquet
from averment.audit.reading import LedgerReader
from averment.audit.store import Ledger
from averment.errors import LedgerFormatError
from contracts.disk import disk_without_fsync  # noqa: F401

pq = pytest.importorskip("pyarrow.parquet", reason="needs the extra [parquet]")


def columns_of(ledger: Path, *, with_contents: bool = True) -> list[dict[str, Any]]:
    """The rows of a Parquet file, as pyarrow reads them."""
    file = ledger.with_name("ledger.parquet")
    with LedgerReader(ledger) as reader:
        n_records = write_parquet(file, reader, reader.records(), with_contents=with_contents)
    rows = list(pq.read_table(file).to_pylist())
    assert len(rows) == n_records
    return rows


def record_of(row: dict[str, Any]) -> dict[str, Any]:
    """The record that a row of columns was made of."""
    return {
        "by": row["by"],
        "contents": {content["name"]: content["sha256"] for content in row["contents"]},
        "facts": json.loads(row["facts"]),
        "format": row["format"],
        "kind": row["kind"],
        "previous": row["previous"],
        "seq": row["seq"],
        "time": row["time"],
        "versions": dict(row["versions"]),
    }


def test_a_parquet_file_verifies_with_nothing_but_the_rules(ledger: Path) -> None:
    before = "0" * 64
    n_texts = 0
    for number, row in enumerate(columns_of(ledger), start=1):
        record = record_of(row)
        assert hashlib.sha256(rfc8785.dumps(record)).hexdigest() == row["sha256"]
        assert (record["seq"], record["previous"]) == (number, before)
        before = row["sha256"]
        for content in row["contents"]:
            if content["text"] is not None:
                sealed = bytes.fromhex(content["salt"]) + content["text"].encode()
                assert hashlib.sha256(sealed).hexdigest() == content["sha256"]
                n_texts += 1
    with LedgerReader(ledger) as reader:
        assert reader.head().digest == before
    assert n_texts > 5


@pytest.mark.parametrize("with_contents", [True, False])
def test_columns_say_what_lines_say(ledger: Path, with_contents: bool) -> None:
    lines = exported(ledger, with_contents=with_contents)
    rows = columns_of(ledger, with_contents=with_contents)

    assert [record_of(row) for row in rows] == [line["record"] for line in lines]
    for row, line in zip(rows, lines, strict=True):
        there = {
            content["name"]: {"salt": content["salt"], "text": content["text"]}
            for content in row["contents"]
            if content["text"] is not None
        }
        assert there == {name: kept for name, kept in (line["contents"] or {}).items() if kept}


def test_a_text_that_is_not_there_is_null_with_the_reason(ledger: Path) -> None:
    with behind_its_back(ledger) as connection:
        connection.execute("DELETE FROM contents WHERE seq = 3 AND name = 'check'")

    rows = columns_of(ledger)

    told = {
        (row["seq"], content["reason"], content["erasure"])
        for row in rows
        for content in row["contents"]
        if content["text"] is None
    }
    assert told == {(2, "erased", len(rows)), (3, "missing", None)}
    for row in columns_of(ledger, with_contents=False):
        for content in row["contents"]:
            assert (content["salt"], content["text"], content["erasure"]) == (None, None, None)
            assert content["reason"] == "left_out"


def test_rows_are_written_in_groups_of_some_megabytes(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.sqlite") as ledger:
        ledger.append(*(event(number, text="a long text" * 100_000) for number in range(20)))

    rows = columns_of(tmp_path / "l.sqlite")

    made = pq.ParquetFile(tmp_path / "ledger.parquet")
    groups = [made.metadata.row_group(at).num_rows for at in range(made.num_row_groups)]
    assert groups == [4, 4, 4, 4, 4]
    assert [row["seq"] for row in rows] == list(range(1, 21))


def test_an_empty_ledger_is_a_file_without_rows(tmp_path: Path) -> None:
    written(tmp_path / "l.sqlite", 0)

    assert columns_of(tmp_path / "l.sqlite") == []
    assert "facts" in pq.read_table(tmp_path / "ledger.parquet").column_names


def test_what_no_column_can_hold_is_told(tmp_path: Path) -> None:
    odd = event()
    with Ledger(tmp_path / "l.sqlite") as ledger:
        ledger.append(event(), replace(odd, versions={"averment": 1}))  # type: ignore[dict-item]

    with pytest.raises(LedgerFormatError, match=r"Records 1 to 2 .* do not fit into columns"):
        columns_of(tmp_path / "l.sqlite")
