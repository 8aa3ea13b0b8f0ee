"""Retrieval judgements in the layout of BEIR: queries, and which documents are relevant to them.

    FOLDER/corpus.jsonl      _id, title, text: what `averment index build` reads as it is
    FOLDER/queries.jsonl     _id, text
    FOLDER/qrels/test.tsv    query-id, corpus-id, score, with this header

What this module does not do: read the corpus, which may be large and belongs into an index, whose
document ids are then the ``corpus-id`` of the judgements.

Source: Thakur et al. 2021, “BEIR”, arXiv 2104.08663.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from averment.corpus.records import Unusable
from averment.errors import DatasetError
from averment.evaluation.dataset_fields import record_id, text_field
from averment.evaluation.dataset_files import Fields, read_file
from averment.evaluation.examples import SkippedRecord

_PACKED = ("", ".gz")


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query with its judgements: the grade of each judged document, 0 for an irrelevant one."""

    id: str
    text: str
    grades: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """The judged queries of one split.

    Args:
        corpus: The file to build an index of.
        queries: In file order; those without a judgement in this split are not in it.
        queries_digest: SHA-256 of the file of queries, lower-case hex.
        qrels_digest: The same of the judgements.
        skipped: The records that were left out.
    """

    corpus: Path
    queries: tuple[JudgedQuery, ...]
    queries_digest: str
    qrels_digest: str
    skipped: tuple[SkippedRecord, ...] = ()


def read_beir(folder: Path, *, split: str = "test") -> RetrievalSet:
    """Read the judged queries of a split.

    Args:
        folder: In the layout of BEIR; its files may be packed by gzip.
        split: Which judgements.

    Raises:
        DatasetError: A file is missing or cannot be read, or no query has a judgement.
    """
    corpus = _file(folder, "corpus.jsonl")
    queries_path = _file(folder, "queries.jsonl")
    qrels_path = _file(folder, f"qrels/{split}.tsv")
    skipped: list[SkippedRecord] = []
    queries_file, qrels_file = read_file(queries_path), read_file(qrels_path)
    texts = queries_file.by_id(_query, skipped)
    grades: dict[str, dict[str, int]] = {}
    for judgement in qrels_file.by_id(partial(_judgement, texts), skipped).values():
        grades.setdefault(judgement.query_id, {})[judgement.document_id] = judgement.grade
    queries = tuple(JudgedQuery(at, text, grades[at]) for at, text in texts.items() if at in grades)
    if not queries:
        raise DatasetError(
            f"{folder}: no query has a judgement in the split {split!r}.",
            hint=f"Expected: query-id, corpus-id, score with a header in {qrels_path}.",
        )
    return RetrievalSet(
        corpus, queries, queries_file.digest, qrels_file.digest, skipped=tuple(skipped)
    )


def _file(folder: Path, name: str) -> Path:
    for packed in _PACKED:
        path = folder / f"{name}{packed}"
        if path.is_file():
            return path
    raise DatasetError(
        f"{folder} has no {name}.",
        hint="Expected: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv.",
    )


def _query(record: Fields) -> tuple[str, str]:
    text = text_field(record, "text")
    return record_id({**record, "question": text}, "query"), text


class _Judgement(NamedTuple):
    query_id: str
    document_id: str
    grade: int


def _judgement(queries: Mapping[str, str], record: Fields) -> tuple[str, _Judgement]:
    query_id, document_id = text_field(record, "query-id"), text_field(record, "corpus-id")
    if query_id not in queries:
        raise Unusable(f"no query has the id {query_id!r}")
    score = text_field(record, "score")
    try:
        return f"{query_id} {document_id}", _Judgement(query_id, document_id, int(score))
    except ValueError as error:
        raise Unusable(f"'score' is no whole number but {score!r}") from error
