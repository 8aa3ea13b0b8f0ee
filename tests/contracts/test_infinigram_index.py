"""infini-gram's engine and both APIs keep the contract, but for what each states that it cannot."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

import pytest

from averment.index.build import IndexWriter
from averment.index.embedded import open_embedded
from averment.index.infinigram.api import INFINIGRAM, MINI, Address, open_api
from averment.index.infinigram.export import export_infinigram
from averment.index.infinigram.http import Requests
from averment.index.infinigram.index import InfiniGramIndex
from averment.index.infinigram.local import open_local
from averment.types import Document
from contracts.disk import disk_without_fsync  # noqa: F401
from contracts.index_contract import CorpusIndexContract, OpenIndex, corpus
from contracts.infinigram_server import InfiniGramServer


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Where an export of documents is; made once, since a process sorts each."""
    directory = tmp_path_factory.mktemp("exports")
    made: dict[tuple[str, ...], Path] = {}

    def export(documents: Sequence[Document]) -> Path:
        texts = tuple(document.text for document in documents)
        if texts not in made:
            own, made[texts] = (directory / f"{name}-{len(made)}" for name in ("own", "export"))
            with IndexWriter(own, keep_tokens=True, counts_only=True) as writer:
                for document in documents:
                    writer.add(document)
                writer.publish()
            export_infinigram(open_embedded(own), made[texts])
        return made[texts]

    return export


@pytest.mark.skipif(
    importlib.util.find_spec("infini_gram") is None, reason="infini-gram is not installed"
)
class TestEngineOverWords(CorpusIndexContract):
    """An export of ours: tokens are words in the text form, so that everything is exact."""

    keeps_text = False

    @pytest.fixture
    def open_index(self, exports: Callable[..., Path]) -> OpenIndex:
        return lambda documents: open_local(exports(documents))


class TestApi(CorpusIndexContract):
    """The API over tokens of a tokenizer: case counts, and totals are not known."""

    folds = False
    tells_documents = False
    kind: ClassVar[str] = INFINIGRAM

    @pytest.fixture
    def open_index(self) -> Iterator[OpenIndex]:
        with ExitStack() as servers:

            def serve(documents: Sequence[Document]) -> InfiniGramIndex:
                stub = InfiniGramServer({"ours": documents}, mini=self.kind == MINI)
                server = servers.enter_context(stub)
                requests = Requests(server.url, cache=None)
                return open_api(Address(self.kind, "ours", server.url), requests)

            yield serve

    def test_info_digest_is_that_of_the_documents(self, open_index: OpenIndex) -> None:
        one, other = (open_index(corpus("a")).info.digest for _ in range(2))

        assert one != other  # of the address: which documents are behind it nobody tells


class TestMiniApi(TestApi):
    """infini-gram mini's API over characters, where no word is the beginning of another."""

    kind = MINI
