"""Files of records: every format, packed or not, and what is damaged."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import sys
from pathlib import Path

import pytest

from averment.corpus.records import Unusable
from averment.errors import DatasetError, MissingExtraError
from averment.evaluation.dataset_files import FileRecords, read_file
from evaluation.dataset_records import lines, write

RECORDS = [{"id": "1", "question": 'who, and "why"?\nwhere?'}, {"id": "2", "question": "Ørje?"}]


def table(separator: str) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, ["id", "question"], delimiter=separator)
    writer.writeheader()
    writer.writerows(RECORDS)
    return text.getvalue()


def found(file: FileRecords) -> list[tuple[int, object]]:
    return [
        (line, str(record) if isinstance(record, Unusable) else record)
        for line, record in file.records
    ]


@pytest.mark.parametrize(
    ("name", "text", "at"),
    [
        pytest.param("a.json", json.dumps(RECORDS), [1, 2], id="array on one line"),
        pytest.param("a.json", json.dumps(RECORDS, indent=2), [1, 2], id="array on many lines"),
        pytest.param("a.json", json.dumps({"Data": RECORDS, "x": 1}), [1, 2], id="under Data"),
        pytest.param("a.jsonl", lines(RECORDS), [1, 2], id="lines"),
        pytest.param("a.json", "\n" + lines(RECORDS), [2, 3], id="lines called json"),
        pytest.param("a.jsonl", "\ufeff" + lines(RECORDS), [1, 2], id="byte order mark"),
        pytest.param("a.jsonl.gz", lines(RECORDS), [1, 2], id="packed lines"),
        pytest.param("a.json.gzip", lines(RECORDS), [1, 2], id="packed under another suffix"),
        pytest.param("a.csv", table(","), [2, 4], id="csv"),
        pytest.param("a.tsv.gz", table("\t"), [2, 4], id="packed tsv"),
    ],
)
def test_every_format_gives_the_same_records(
    tmp_path: Path, name: str, text: str, at: list[int]
) -> None:
    file = read_file(write(tmp_path / name, text))

    assert found(file) == list(zip(at, RECORDS, strict=True))


def test_parquet_gives_the_same_records(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(RECORDS), tmp_path / "a.parquet")

    file = read_file(tmp_path / "a.parquet")

    assert found(file) == list(enumerate(RECORDS, start=1))


@pytest.mark.parametrize("indent", [None, 1], ids=["on one line", "on many lines"])
def test_a_map_of_records_gives_its_keys_as_ids(tmp_path: Path, indent: int | None) -> None:
    text = json.dumps({"7": {"q": "a"}, "8": {"q": "b", "id": "own"}}, indent=indent)

    file = read_file(write(tmp_path / "a.json", text))

    assert found(file) == [(1, {"id": "7", "q": "a"}), (2, {"id": "own", "q": "b"})]


def test_one_record_alone_is_a_record(tmp_path: Path) -> None:
    file = read_file(write(tmp_path / "a.jsonl", lines(RECORDS[:1])))

    assert found(file) == [(1, RECORDS[0])]


def test_a_damaged_line_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    content = b'{"id": "1"}\n{"id": \n["list"]\n{"id": "\xff"}\n\0\n{"id": "2"}\n'
    path.write_bytes(content)

    file = read_file(path)

    assert found(file) == [
        (1, {"id": "1"}),
        (2, "invalid JSON: Expecting value at line 1, column 8"),
        (3, "not a JSON object but list"),
        (4, "not UTF-8: 0xff at byte 8"),
        (5, "binary, not text: a NUL byte at byte 0"),
        (6, {"id": "2"}),
    ]


def test_a_damaged_first_line_costs_only_itself(tmp_path: Path) -> None:
    file = read_file(write(tmp_path / "a.jsonl", '{"id": \n' + lines(RECORDS)))

    assert [line for line, record in file.records if isinstance(record, Unusable)] == [1]
    assert [record for _, record in file.records[1:]] == RECORDS


def test_a_row_with_too_few_cells_costs_only_itself(tmp_path: Path) -> None:
    file = read_file(write(tmp_path / "a.csv", "id,question\n1\n2,who\n"))

    assert found(file) == [(2, "cells: 1, columns: 2"), (3, {"id": "2", "question": "who"})]


def test_a_quote_in_the_wrong_place_costs_only_its_row(tmp_path: Path) -> None:
    file = read_file(write(tmp_path / "a.csv", 'id,question\n1,"who" what\n\n2,who\n'))

    assert found(file) == [
        (2, """invalid CSV: ',' expected after '"'"""),
        (4, {"id": "2", "question": "who"}),
    ]


def test_an_endless_number_costs_only_its_line(tmp_path: Path) -> None:
    file = read_file(write(tmp_path / "a.jsonl", f'{{"id": {"9" * 5000}}}\n{{"id": 1}}\n'))

    assert isinstance(file.records[0].found, Unusable)
    assert file.records[1].found == {"id": 1}


def test_the_digest_is_of_the_bytes_on_disk(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl.gz", lines(RECORDS))

    assert read_file(path).digest == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b'[{"id": 1},', "invalid JSON: .* at line 1, column", id="array cut short"),
        pytest.param(gzip.compress(b"x" * 999)[:-9], "damaged or cut short", id="gzip cut short"),
        pytest.param(b"\x1f\x8b" + bytes(20), "cannot be read: Unknown", id="no gzip"),
        pytest.param(b"[\xff]", "not UTF-8: 0xff at byte 1", id="array that is no text"),
        pytest.param(b"PAR1PAR1", "Parquet", id="no parquet"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error(
    tmp_path: Path, content: bytes, message: str
) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "a.json").write_bytes(content)

    with pytest.raises(DatasetError, match=message):
        read_file(tmp_path / "a.json")


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"none\.json cannot be read: No such file"):
        read_file(tmp_path / "none.json")


def test_parquet_without_its_package_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "a.parquet").write_bytes(b"PAR1")

    with pytest.raises(MissingExtraError, match=r"pip install 'averment\[parquet\]'"):
        read_file(tmp_path / "a.parquet")
