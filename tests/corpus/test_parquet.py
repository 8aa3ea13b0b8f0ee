"""Parquet: the fields of JSONL from typed columns; what cannot be used is told by its row."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from averment.corpus.readers import read_documents
from averment.types import Document
from corpus.reading import read

pa = pytest.importorskip("pyarrow", reason="needs the extra [parquet]")
pq = pytest.importorskip("pyarrow.parquet", reason="needs the extra [parquet]")


def table(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    pq.write_table(pa.table(columns), path, **options)
    return path


def test_row_becomes_a_document_and_the_rest_metadata(tmp_path: Path) -> None:
    columns = {
        "id": ["a"],
        "text": [" x "],
        "title": ["T"],
        "date": ["2024-05"],
        "language": ["de"],
        "source": ["s"],
        "tags": [["p", "q"]],
        "place": [{"lat": 58.1}],
    }

    documents, bad = read(table(tmp_path / "r.parquet", columns))

    metadata = {"tags": ["p", "q"], "place": {"lat": 58.1}}
    assert documents == [Document("a", "T\n\n x ", "T", "s", "2024-05", "de", metadata)]
    assert bad == []


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        pytest.param([date(2024, 5, 1)], "date32", "2024-05-01", id="date"),
        pytest.param([datetime(2024, 5, 1, 10)], "timestamp[us]", "2024-05-01T10:00:00", id="time"),
        pytest.param([1_714_557_600_000_000_001], "timestamp[ns]", "2024-05-01T10:00:00", id="ns"),
        pytest.param([None], "timestamp[s]", None, id="none"),
    ],
)
def test_dates_become_iso_8601(
    tmp_path: Path, values: list[Any], kind: str, expected: str | None
) -> None:
    column = pa.array(values, pa.type_for_alias(kind))

    (document,), bad = read(table(tmp_path / "r.parquet", {"text": ["x"], "date": column}))

    assert (document.date, bad) == (expected, [])


def test_timestamps_with_a_zone_are_given_in_utc(tmp_path: Path) -> None:
    column = pa.array([datetime(2024, 5, 1, 10, tzinfo=UTC)], pa.timestamp("ns", "Europe/Oslo"))

    (document,), _ = read(table(tmp_path / "r.parquet", {"text": ["x"], "date": column}))

    assert document.date == "2024-05-01T10:00:00+00:00"


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(pa.large_string(), id="large"),
        pytest.param(pa.string_view(), id="view"),
        pytest.param(pa.dictionary(pa.int32(), pa.string()), id="dictionary"),
    ],
)
def test_every_kind_of_string_is_text(tmp_path: Path, kind: Any) -> None:
    columns = {"_id": [7], "text": pa.array(["x"]).cast(kind)}

    assert read(table(tmp_path / "r.parquet", columns)) == ([Document("7", "x")], [])


def test_what_json_cannot_hold_is_left_out_of_the_metadata(tmp_path: Path) -> None:
    columns = {
        "text": ["x", "y"],
        "bytes": [b"1", b"2"],
        "nested": [[b"1"], [b"2"]],
        "share": [0.5, float("nan")],
    }

    documents, bad = read(table(tmp_path / "r.parquet", columns))

    assert [d.metadata for d in documents] == [{"share": 0.5}, {}]
    assert bad == []


def test_rows_are_counted_over_batches_and_row_groups(tmp_path: Path) -> None:
    texts = [None if n == 776 else f"text {n}" for n in range(1000)]
    path = table(tmp_path / "r.parquet", {"text": texts}, row_group_size=300)

    documents, bad = read(path)

    assert [d.document_id for d in documents][::998] == ["r.parquet:1", "r.parquet:1000"]
    assert bad == ["r.parquet:777: 'text' is not a string but NoneType"]


def test_string_that_is_not_utf8_costs_its_own_row_only(tmp_path: Path) -> None:
    column = pa.array([b"x", b"caf\xe9", b"y"]).cast(pa.string(), safe=False)

    documents, bad = read(table(tmp_path / "r.parquet", {"text": column}))

    assert [d.text for d in documents] == ["x", "y"]
    assert bad == ["r.parquet:2: not UTF-8"]


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        pytest.param(
            {"text": [b"x"] * 3}, "column 'text' is not of strings but binary", id="bytes"
        ),
        pytest.param(
            {"text": ["x"], "id": [1.5]},
            "column 'id' is not of strings or whole numbers but double",
            id="id",
        ),
        pytest.param(
            {"text": ["x"], "date": [2024]},
            "column 'date' is not of strings or dates but int64",
            id="date",
        ),
        pytest.param(
            {"text": ["x"], "title": [["T"]]},
            "column 'title' is not of strings but list<element: string>",
            id="title",
        ),
        pytest.param({"body": ["x"]}, "no column 'text' (found: body)", id="no text"),
    ],
)
def test_columns_that_cannot_be_used_are_told_once(
    tmp_path: Path, columns: dict[str, Any], reason: str
) -> None:
    assert read(table(tmp_path / "r.parquet", columns)) == ([], [f"r.parquet: {reason}"])


def test_progress_rises_with_the_rows_to_the_size(tmp_path: Path) -> None:
    path = table(tmp_path / "r.parquet", {"text": [f"text {n}" for n in range(1000)]})
    told: list[int] = []

    documents = read_documents(
        [path], on_bad=lambda bad: None, on_bytes=lambda n_read, _: told.append(n_read)
    )
    next(documents)

    assert told[-1] < path.stat().st_size // 2
    assert len(list(documents)) == 999
    assert told == sorted(told)
    assert told[-1] == path.stat().st_size


def test_damaged_file_is_told_and_never_ends_the_run(tmp_path: Path) -> None:
    whole = table(tmp_path / "r.parquet", {"text": [f"text {n * n}" for n in range(300)]})
    content, chance = whole.read_bytes(), random.Random(0)
    whole.write_bytes(content[: len(content) // 2])

    documents, (bad,) = read(whole)

    assert (documents, bad[:45]) == ([], "r.parquet: cannot be read as Parquet: Parquet")
    for _ in range(40):
        at = chance.randrange(len(content))
        whole.write_bytes(content[:at] + chance.randbytes(8) + content[at + 8 :])
        documents, bad_ones = read(whole)
        assert documents or bad_ones
