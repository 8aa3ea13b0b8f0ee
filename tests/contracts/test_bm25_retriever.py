from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from averment.ports import Retriever
from averment.retrieval.bm25 import build_bm25, open_bm25
from averment.types import Passage
from contracts.retriever_contract import RetrieverContract


class TestBM25Retriever(RetrieverContract):
    def open_retriever(self, passages: Sequence[Passage], directory: Path) -> Retriever:
        build_bm25(passages, directory)
        return open_bm25(directory, passages)
