"""Files that go with an index: published, kept, made anew, gone when their numbers are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from averment.errors import EmptyCorpusError
from averment.index.build import IndexWriter
from averment.index.embedded import open_embedded
from averment.types import Document, Passage
from contracts.disk import disk_without_fsync  # noqa: F401

A, B, C = (Document(name, f"{name} writes to {name} Hardy") for name in ("ann", "bob", "cid"))


def add(writer: IndexWriter, *documents: Document) -> None:
    for document in documents:
        name, text = document.document_id, document.text
        writer.add(document, [Passage(f"{name}#0", name, "", text, 0, len(text))])


def put(writer: IndexWriter, name: str, text: str) -> None:
    (writer.extra_directory(name) / "text").write_text(text)


def read(path: Path, name: str) -> str | None:
    directory = open_embedded(path).extra_directory(name)
    return None if directory is None else (directory / "text").read_text()


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """An index of two documents with one extra directory."""
    with IndexWriter(tmp_path / "i") as writer:
        add(writer, A, B)
        put(writer, "one", "first")
        writer.publish()
    return tmp_path / "i"


def test_one_can_be_added_without_a_document(index: Path) -> None:
    before = open_embedded(index).info

    with IndexWriter(index, add=True) as writer:
        put(writer, "two", "second")
        after = writer.publish()

    assert (read(index, "one"), read(index, "two")) == ("first", "second")
    assert after.generation == before.generation + 1
    assert (after.digest, after.n_documents) == (before.digest, before.n_documents)
    assert open_embedded(index).verify() == []


def test_one_can_be_replaced_while_others_stay(index: Path) -> None:
    with IndexWriter(index, add=True) as writer:
        put(writer, "two", "second")
        writer.publish()

    with IndexWriter(index, add=True) as writer:
        put(writer, "one", "better")
        writer.publish()

    assert (read(index, "one"), read(index, "two")) == ("better", "second")


def test_those_that_are_not_made_anew_are_gone_when_passages_have_other_numbers(
    index: Path,
) -> None:
    with IndexWriter(index, add=True) as writer:
        add(writer, C)
        put(writer, "two", "second")
        writer.publish()

    assert (read(index, "one"), read(index, "two")) == (None, "second")


def test_all_stay_when_documents_are_deleted(index: Path) -> None:
    with IndexWriter(index, add=True) as writer:
        writer.delete("ann")
        writer.publish()

    assert read(index, "one") == "first"


def test_files_without_a_document_are_no_index(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "i") as writer:
        put(writer, "one", "first")

        with pytest.raises(EmptyCorpusError, match="Every document"):
            writer.publish()
