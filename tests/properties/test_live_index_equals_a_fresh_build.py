"""Whatever is added, deleted, replaced and merged: the answers are those of a fresh build."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from averment.index.build import IndexWriter
from averment.index.embedded import EmbeddedIndex, open_embedded
from averment.types import Document, Passage
from contracts.disk import disk_without_fsync  # noqa: F401
from contracts.index_engines import EACH_ENGINE

ids = st.sampled_from([f"d{n}" for n in range(8)])
texts = st.lists(st.sampled_from("aaabbc"), min_size=1, max_size=12).map(" ".join)
sources = st.sampled_from(["", "atlas", "diary"])
PHRASES = ["a", "b", "a b", "b a a", "c", frozenset({"a a", "b"})]
PAIRS = [(one, other) for one in PHRASES for other in PHRASES]


def write(writer: IndexWriter, document: Document, *, replace: bool = False) -> bool:
    text = document.text
    passage = Passage(f"{document.document_id}#0", document.document_id, "", text, 0, len(text))
    return writer.add(document, [passage], replace=replace)


def answers(index: EmbeddedIndex) -> tuple[object, ...]:
    """What does not depend on the order of documents."""
    info = index.info
    located = sorted(str(index.locate(phrase, limit=99)) for phrase in PHRASES)
    return (
        index.count(PHRASES),
        index.exists(PAIRS, window_words=1),
        index.cooccurrence_by_window(PAIRS, windows_words=[0, 2, 9]),
        index.where(source="atlas").count(PHRASES),
        sorted(o.document_id for phrase in PHRASES for o in index.locate(phrase, limit=99)),
        len(located),
        (info.n_documents, info.n_words, info.n_passages, info.digest),
    )


class LiveIndex(RuleBasedStateMachine):
    """An index, and the documents that ought to be in it."""

    engine: str

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self._path = Path(self._folder.name) / "live"
        self._documents: dict[str, Document] = {}
        self._n_fresh = 0

    def teardown(self) -> None:
        self._folder.cleanup()

    def _writer(self, **options: object) -> IndexWriter:
        return IndexWriter(self._path, add=True, **options)  # type: ignore[arg-type]

    @initialize(text=texts, source=sources)
    def build(self, text: str, source: str) -> None:
        self._documents = {"d0": Document("d0", text, source=source)}
        with IndexWriter(self._path, engine=self.engine) as writer:
            write(writer, self._documents["d0"])
            writer.publish()

    @rule(
        found=st.lists(st.tuples(ids, texts, sources), min_size=1, max_size=4),
        size=st.integers(0, 9),
    )
    def add(self, found: list[tuple[str, str, str]], size: int) -> None:
        with self._writer(words_per_segment=size) as writer:
            for key, text, source in found:
                is_new = key not in self._documents
                document = Document(key, text, source=source)
                assert write(writer, document) == is_new
                self._documents.setdefault(key, document)
            writer.publish()

    @rule(key=ids, text=texts)
    def replace(self, key: str, text: str) -> None:
        with self._writer() as writer:
            document = Document(key, text)
            is_other = self._documents.get(key) != document
            self._documents[key] = document
            assert write(writer, document, replace=True) == is_other
            writer.publish()

    @precondition(lambda self: len(self._documents) > 1)
    @rule(key=ids)
    def delete(self, key: str) -> None:
        with self._writer() as writer:
            assert writer.delete(key) == (key in self._documents)
            self._documents.pop(key, None)
            writer.publish()

    @rule(size=st.sampled_from([0, 12, 1000]))
    def merge(self, size: int) -> None:
        with self._writer(words_per_segment=size) as writer:
            writer.merge()
            writer.publish()

    @rule(key=ids)
    def leave_without_publishing(self, key: str) -> None:
        with self._writer() as writer:
            writer.delete(key)
            write(writer, Document("gone again", "a b c"))

    @invariant()
    def answers_are_those_of_a_fresh_build(self) -> None:
        if not self._documents:
            return
        self._n_fresh += 1
        fresh = Path(self._folder.name) / f"fresh{self._n_fresh}"
        with IndexWriter(fresh, engine=self.engine) as writer:
            for document in self._documents.values():
                write(writer, document)
            writer.publish()
        assert answers(open_embedded(self._path)) == answers(open_embedded(fresh))


@pytest.mark.parametrize("engine", EACH_ENGINE)
def test_any_sequence_of_changes_equals_a_fresh_build(engine: str) -> None:
    machine = type("LiveIndexOf", (LiveIndex,), {"engine": engine})

    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=25,
            stateful_step_count=12,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
