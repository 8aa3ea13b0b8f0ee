"""Layouts in an index: read back whole, absent from old lines, and no references in windows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import averment
from averment.corpus.passages import cut_passages
from averment.errors import IndexFormatError
from averment.index.build import IndexWriter
from averment.index.documents import DocumentStore, digest_of
from averment.places import Layout, Place, Role, Section, Unit
from averment.types import Document

TEXT = "Hardy came to Reno. Reno lies in Nevada. Smith, Elko, 2019."
LAYOUT = Layout(
    (
        Section(("Hardy",), 0, 0, 20),
        Section(("Nevada", "Towns"), 20, 20, 41),
        Section(("References",), 41, 41, 59, Role.REFERENCES),
    ),
    (0, 10, 30),
    Unit.SLIDE,
)
DOCUMENT = Document("d", TEXT, layout=LAYOUT)


@pytest.fixture
def built(tmp_path: Path) -> Path:
    averment.build_index([DOCUMENT, Document("old", "Hardy came to Elko.")], tmp_path / "idx")
    return tmp_path / "idx"


def lines(index: Path) -> Path:
    (found,) = index.glob("passages/seg-*/documents.jsonl")
    return found


def test_layout_is_read_back_and_takes_nothing_where_there_is_none(built: Path) -> None:
    store = DocumentStore(lines(built).parent)

    assert [store.document(number) for number in (0, 1)] == [
        DOCUMENT,
        Document("old", "Hardy came to Elko."),
    ]
    assert "layout" not in json.loads(lines(built).read_text().splitlines()[1])


def test_layout_is_part_of_what_a_document_is(built: Path) -> None:
    moved = Document("d", TEXT, layout=Layout(LAYOUT.sections, (0, 11, 30), Unit.SLIDE))

    assert digest_of(DOCUMENT) != digest_of(moved) != digest_of(Document("d", TEXT))
    with IndexWriter(built, add=True) as writer:
        assert not writer.add(DOCUMENT, cut_passages(DOCUMENT), replace=True)
        assert writer.add(moved, cut_passages(moved), replace=True)


def test_passages_and_places_of_an_index_say_where_they_stand(built: Path) -> None:
    index = averment.open_index(built)

    assert [passage.place for passage in index.passages()] == [
        Place(("Hardy",), 1, (10,), Unit.SLIDE),
        Place(("Nevada", "Towns"), 2, (30,), Unit.SLIDE),
        None,
    ]
    (found,) = index.locate("Nevada")
    assert found.place == Place(("Nevada", "Towns"), 3, (), Unit.SLIDE)
    assert index.locate("Elko", limit=9)[1].place is None


def test_windows_are_of_a_body_and_end_where_references_begin(built: Path) -> None:
    index = averment.open_index(built)

    near = {"window_words": 9, "context_words": 9, "limit": 5}
    reno, elko = index.nearest_windows([("Reno", "Nevada"), ("Elko", "Elko")], **near)

    assert index.count(["Elko"])[0].documents == 2
    assert [window.text for window in elko] == ["Hardy came to Elko."]
    assert [window.text.strip() for window in reno] == ["Hardy came to Reno. Reno lies in Nevada."]
    assert reno[0].place == Place(("Nevada", "Towns"), 2, (30,), Unit.SLIDE)


def test_windows_of_a_long_document_have_the_place_of_the_pair(tmp_path: Path) -> None:
    text = f"{'It sails. ' * 30}Reno lies in Nevada. {'It sails. ' * 30}"
    layout = Layout((Section(("A",), 0, 0, len(text)),), (0, 300))
    averment.build_index([Document("d", text, layout=layout)], tmp_path / "idx")

    ((window,),) = averment.open_index(tmp_path / "idx").nearest_windows(
        [("Reno", "Nevada")], window_words=9, context_words=2, limit=1
    )

    assert window.text == "It sails. Reno lies in Nevada. It sails"
    assert window.place == Place(("A",), 2)


def test_damaged_layout_is_told(built: Path) -> None:
    path = lines(built)
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"slide"', b'"slime"'))

    with pytest.raises(IndexFormatError, match="damaged at document 0"):
        averment.open_index(built).passages()[0]
