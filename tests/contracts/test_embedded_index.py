"""Every engine keeps the contract, in one segment, in many, and added bit by bit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path

import pytest

from averment.index.build import IndexWriter
from averment.index.embedded import EmbeddedIndex, open_embedded
from averment.index.engines import COMPILED, REFERENCE
from averment.types import Document
from contracts.disk import disk_without_fsync  # noqa: F401
from contracts.index_contract import CorpusIndexContract, OpenIndex
from contracts.index_engines import WITHOUT_CORE


class SeveralWaysToBuild(CorpusIndexContract):
    engine: str

    @pytest.fixture(params=["one segment", "a segment a document", "added one by one"])
    def open_index(self, tmp_path: Path, request: pytest.FixtureRequest) -> OpenIndex:
        numbers = count()

        def build(documents: Sequence[Document]) -> EmbeddedIndex:
            path = tmp_path / f"index-{next(numbers)}"
            words_per_segment = 8_000_000 if request.param == "one segment" else 0
            batches = [documents]
            if request.param == "added one by one":
                batches = [[document] for document in documents]
            for number, batch in enumerate(batches):
                with IndexWriter(
                    path,
                    add=number > 0,
                    engine=self.engine,
                    words_per_segment=words_per_segment,
                ) as writer:
                    for document in batch:
                        writer.add(document)
                    writer.publish()
            return open_embedded(path)

        return build


class TestReferenceEngine(SeveralWaysToBuild):
    engine = REFERENCE


@WITHOUT_CORE
class TestCompiledEngine(SeveralWaysToBuild):
    engine = COMPILED
