from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from averment.models.sentence_embedder import open_sentence_embedder
from averment.ports import Retriever
from averment.retrieval.bm25 import build_bm25, open_bm25
from averment.retrieval.dense import (
    DenseRetriever,
    PassageVectors,
    add_vectors,
    open_dense,
    passage_text,
    read_vectors,
)
from averment.retrieval.fusion import ReciprocalRankFusion
from averment.types import Passage
from contracts.retriever_contract import RetrieverContract
from models.tiny_embedder import write_tiny_embedder

_WORDS = "kumbasaram haneef vetham village film directed born sea about is a was in by the".split()


def _dense(passages: Sequence[Passage], directory: Path) -> DenseRetriever:
    embedder = open_sentence_embedder(write_tiny_embedder(directory / "model", _WORDS))
    vectors = embedder.embed([passage_text(passage) for passage in passages])
    before = PassageVectors.none_yet(*vectors.shape, model=embedder.digest)
    (directory / "vectors").mkdir()
    add_vectors(before, dict(enumerate(vectors)), passages, directory / "vectors")
    return open_dense(read_vectors(directory / "vectors"), passages, embedder=embedder)


class TestDenseRetriever(RetrieverContract):
    def open_retriever(self, passages: Sequence[Passage], directory: Path) -> Retriever:
        return _dense(passages, directory)


class TestReciprocalRankFusion(RetrieverContract):
    def open_retriever(self, passages: Sequence[Passage], directory: Path) -> Retriever:
        build_bm25(passages, directory / "bm25")
        bm25 = open_bm25(directory / "bm25", passages)
        return ReciprocalRankFusion([bm25, _dense(passages, directory)])
