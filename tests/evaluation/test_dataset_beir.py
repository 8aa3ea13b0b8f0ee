"""Judged queries in the layout of BEIR."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from averment.errors import DatasetError
from averment.evaluation.dataset_beir import JudgedQuery, read_beir
from evaluation.dataset_records import lines, write

QUERIES = [
    {"_id": "q1", "text": "who founded tarn"},
    {"_id": "q2", "text": "old harbours", "metadata": {}},
    {"_id": "q3", "text": "judged in another split"},
]
QRELS = "query-id\tcorpus-id\tscore\nq2\td1\t2\nq1\td3\t1\nq1\td1\t0\n"


def folder(root: Path, *, packed: str = "", qrels: str = QRELS, queries: object = QUERIES) -> Path:
    write(root / f"corpus.jsonl{packed}", lines([{"_id": "d1", "title": "Tarn", "text": "Old."}]))
    write(root / f"queries.jsonl{packed}", lines(queries))  # type: ignore[arg-type]
    write(root / f"qrels/test.tsv{packed}", qrels)
    return root


@pytest.mark.parametrize("packed", ["", ".gz"], ids=["plain", "packed"])
def test_queries_have_their_judgements(tmp_path: Path, packed: str) -> None:
    found = read_beir(folder(tmp_path, packed=packed))

    assert found.queries == (
        JudgedQuery("q1", "who founded tarn", {"d3": 1, "d1": 0}),
        JudgedQuery("q2", "old harbours", {"d1": 2}),
    )
    assert found.corpus == tmp_path / f"corpus.jsonl{packed}"
    assert found.skipped == ()


def test_both_files_have_their_digest(tmp_path: Path) -> None:
    found = read_beir(folder(tmp_path))

    assert found.qrels_digest == hashlib.sha256(QRELS.encode()).hexdigest()
    assert found.queries_digest == hashlib.sha256(lines(QUERIES).encode()).hexdigest()


def test_what_cannot_be_used_is_told_and_left_out(tmp_path: Path) -> None:
    qrels = QRELS + "q9\td1\t1\nq1\td3\t2\nq1\td4\thigh\nq1\td5\n"

    found = read_beir(folder(tmp_path, qrels=qrels, queries=[*QUERIES, QUERIES[0], {"_id": "q4"}]))

    assert [str(skipped) for skipped in found.skipped] == [
        "queries.jsonl:4: the id 'q1' was there before",
        "queries.jsonl:5: no field 'text' (found: _id)",
        "test.tsv:5: no query has the id 'q9'",
        "test.tsv:6: the id 'q1 d3' was there before",
        "test.tsv:7: 'score' is no whole number but 'high'",
        "test.tsv:8: cells: 2, columns: 3",
    ]
    assert found.queries[0].grades == {"d3": 1, "d1": 0}


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    (folder(tmp_path) / name).unlink()

    with pytest.raises(DatasetError, match=f"has no {name}"):
        read_beir(tmp_path)


def test_a_split_without_a_judgement_is_an_error(tmp_path: Path) -> None:
    write(folder(tmp_path) / "qrels" / "dev.tsv", "query-id\tcorpus-id\tscore\n")

    with pytest.raises(DatasetError, match="no query has a judgement in the split 'dev'"):
        read_beir(tmp_path, split="dev")
