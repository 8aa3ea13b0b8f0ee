"""Files that go with an index: published, kept, made anew, gone when their numbers are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from averment.errors import EmptyCorpusError, IndexFormatError, IndexUnavailable
from averment.index.build import IndexWriter
from averment.index.embedded import EmbeddedIndex, open_embedded
from averment.index.manifest import read_manifest
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


def text_in(directory: Path) -> str:
    try:
        return (directory / "text").read_text()
    except OSError as error:
        raise IndexFormatError(str(error)) from error


def change_twice(path: Path) -> None:
    """After which the files of the generation before are gone."""
    for name in ("cid", "dot"):
        with IndexWriter(path, add=True) as writer:
            add(writer, Document(name, f"{name} writes to Hardy"))
            writer.publish()


def test_who_has_one_open_goes_on_with_it(index: Path) -> None:
    opened = open_embedded(index)
    assert opened.opened_extra("one", text_in) == "first"

    change_twice(index)

    assert opened.where(source="diary").opened_extra("one", text_in) == "first"
    assert open_embedded(index).opened_extra("one", text_in) is None


def test_who_opens_one_too_late_is_told_to_open_the_index_anew(index: Path) -> None:
    opened = open_embedded(index)

    change_twice(index)

    with pytest.raises(IndexUnavailable, match="changed since it was opened") as refused:
        opened.opened_extra("one", text_in)
    assert "anew" in refused.value.hint


def test_one_that_is_damaged_is_not_taken_for_one_that_has_changed(index: Path) -> None:
    next(index.rglob("text")).unlink()
    opened = EmbeddedIndex(index, read_manifest(index), [])

    with pytest.raises(IndexFormatError):
        opened.opened_extra("one", text_in)


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
