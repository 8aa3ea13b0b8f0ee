"""CSV and TSV: the fields of JSONL under named columns; what cannot be used is told by its line."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from averment.corpus.readers import read_documents
from averment.types import Document
from corpus.reading import read, write


def test_row_becomes_a_document_and_the_rest_metadata(tmp_path: Path) -> None:
    content = (
        "id,text,title,date,language,source,url\r\n"
        'a,"The ferry, ""Sørlandia"",\nsails.",T,2024-05,no,s,u\r\n'
    )

    documents, bad = read(write(tmp_path / "r.csv", content))

    text = 'The ferry, "Sørlandia",\nsails.'
    assert documents == [Document("a", text, "T", "s", "2024-05", "no", {"url": "u"})]
    assert bad == []


def test_empty_cells_and_columns_without_a_name_are_as_if_not_there(tmp_path: Path) -> None:
    documents, bad = read(write(tmp_path / "r.csv", ",text,title,date,url,\n0,x,,,,\n"))

    assert documents == [Document("r.csv:2", "x")]
    assert bad == []


def test_record_without_an_id_is_named_by_the_line_on_which_it_starts(tmp_path: Path) -> None:
    content = 'text\n"one\ntwo"\n\nthree\n'

    documents, _ = read(write(tmp_path / "d" / "r.csv", content))

    assert [d.document_id for d in documents] == ["r.csv:2", "r.csv:5"]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("﻿_id,text\na,x\n", id="byte order mark"),
        pytest.param("_id,text\ra,x\r", id="carriage returns only"),
        pytest.param("text,_id\nx,a", id="no line end at the end"),
    ],
)
def test_variants_of_the_format_are_read_alike(tmp_path: Path, content: str) -> None:
    assert read(write(tmp_path / "r.csv", content)) == ([Document("a", "x")], [])


def test_tabs_part_the_cells_of_tsv(tmp_path: Path) -> None:
    documents, bad = read(write(tmp_path / "r.tsv", "id\ttext\na\tone, two\n"))

    assert (documents, bad) == ([Document("a", "one, two")], [])


def test_compressed_rows_are_read_alike(tmp_path: Path) -> None:
    content = "id,text\n" + "".join(f"{n},{'long ' * 1000}\n" for n in range(50))

    documents, bad = read(write(tmp_path / "r.csv.gz", gzip.compress(content.encode())))

    assert [d.document_id for d in documents] == [str(n) for n in range(50)]
    assert bad == []


def test_cut_compressed_file_keeps_what_came_before(tmp_path: Path) -> None:
    content = "id,text\n" + "".join(f"{n},{n * 7919}\n" for n in range(20_000))
    path = write(tmp_path / "r.csv.gz", gzip.compress(content.encode())[:-2000])

    documents, (bad,) = read(path)

    assert 10_000 < len(documents) < 20_000
    assert bad.startswith(f"r.csv.gz:{len(documents) + 2}: damaged or cut short: ")


def test_very_long_cell_is_read_and_the_limit_of_the_process_is_left(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    long = "word " * 100_000

    (document,), bad = read(write(tmp_path / "r.csv", f"id,text\na,{long}\n"))

    assert (document.text, bad) == (long, [])
    assert csv.field_size_limit() == limit < len(long)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        pytest.param(b"a", "cells: 1, columns: 3", id="too few cells"),
        pytest.param(b"a,x,,y", "cells: 4, columns: 3", id="too many cells"),
        pytest.param(b"a,,", "empty text", id="empty text"),
        pytest.param(b",x,", "'id' is empty", id="empty id"),
        pytest.param(b"a,x,1 May", "'date' is not ISO 8601: '1 May'", id="date"),
        pytest.param(b"a,caf\xe9,", "not UTF-8: 0xe9", id="not UTF-8"),
        pytest.param(
            b'a,"x"y,', "invalid CSV: ',' expected after '\"'", id="text after a quoted cell"
        ),
    ],
)
def test_bad_row_is_told_and_the_next_one_read(tmp_path: Path, row: bytes, reason: str) -> None:
    content = b"id,text,date\none,x,\n" + row + b"\ngood,x,\n"

    documents, bad = read(write(tmp_path / "r.csv", content))

    assert [d.document_id for d in documents] == ["one", "good"]
    assert bad == [f"r.csv:3: {reason}"]


def test_quote_that_is_never_closed_is_told_where_it_opens(tmp_path: Path) -> None:
    documents, bad = read(write(tmp_path / "r.csv", 'text\nx\n"y\nz\n'))

    assert [d.text for d in documents] == ["x"]
    assert bad == ["r.csv:3: invalid CSV: unexpected end of data"]


def test_binary_file_named_csv_is_told_once(tmp_path: Path) -> None:
    documents, bad = read(write(tmp_path / "r.csv", b"text\nx\n" + b"\x00\x01\n" * 50))

    assert [d.text for d in documents] == ["x"]
    assert bad == ["r.csv:3: binary, not text: a NUL byte"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        pytest.param(
            b"id;text\na;x\nb;y\n", "r.csv:1: no column 'text' (found: id;text)", id="text"
        ),
        pytest.param(
            b"id,body\na,x\nb,y\n", "r.csv:1: no column 'text' (found: id, body)", id="body"
        ),
        pytest.param(b"text,url,url\nx,,\n", "r.csv:1: two columns are named 'url'", id="twice"),
        pytest.param(b"text,\xe9\nx,y\n", "r.csv:1: not UTF-8: 0xe9", id="not UTF-8"),
        pytest.param(b"\xff\xfet\0e\0x\0t\0", "r.csv:1: binary, not text: a NUL byte", id="UTF-16"),
        pytest.param(b"", "r.csv: no header row", id="empty"),
    ],
)
def test_header_that_cannot_be_used_is_told_once(tmp_path: Path, content: bytes, told: str) -> None:
    assert read(write(tmp_path / "r.csv", content)) == ([], [told])


def test_duplicate_ids_are_told_across_kinds_of_files(tmp_path: Path) -> None:
    first = write(tmp_path / "a.jsonl", '{"id": "x", "text": "1"}\n')
    second = write(tmp_path / "b.csv", "id,text\nx,2\n")

    documents, bad = read(first, second)

    assert [d.text for d in documents] == ["1"]
    assert bad == [f"b.csv:2: duplicate id 'x', first at {first}:1"]


def test_rows_are_read_one_by_one_and_progress_ends_at_the_size(tmp_path: Path) -> None:
    path = write(tmp_path / "r.csv", "text\n" + ("x" * 1000 + "\n") * 2000)
    told: list[int] = []

    documents = read_documents(
        [path], on_bad=lambda bad: None, on_bytes=lambda n_read, _: told.append(n_read)
    )
    next(documents)

    assert told[-1] < path.stat().st_size // 2
    assert len(list(documents)) == 1999
    assert told == sorted(told)
    assert told[-1] == path.stat().st_size
