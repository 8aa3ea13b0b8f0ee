"""Restriction by source, language and date: which documents are meant, and how dates are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from averment.dating import days_of
from averment.errors import IndexFormatError, QueryError
from averment.index.build import IndexWriter
from averment.index.embedded import EmbeddedIndex, open_embedded
from averment.types import Cooccurrence, Count, CountKind, Document, Passage
from contracts.disk import disk_without_fsync  # noqa: F401
from contracts.index_engines import EACH_ENGINE

DOCUMENTS = [
    Document("a", "Reno is in Nevada", source="atlas", date="1999", language="en"),
    Document("b", "Reno Reno liegt dort", source="atlas", date="2001-05", language="de"),
    Document("c", "he left Reno in Nevada", source="diary", date="2001-05-20"),
    Document("d", "Reno again"),
]


def build(path: Path, documents: list[Document], **options: object) -> EmbeddedIndex:
    with IndexWriter(path, **options) as writer:  # type: ignore[arg-type]
        for document in documents:
            whole = Passage(f"{document.document_id}#0", document.document_id, "", "", 0, 0)
            writer.add(document, [whole])
        writer.publish()
    return open_embedded(path)


@pytest.fixture(params=EACH_ENGINE)
def index(tmp_path: Path, request: pytest.FixtureRequest) -> EmbeddedIndex:
    return build(tmp_path / "i", DOCUMENTS, engine=request.param)


@pytest.mark.parametrize(
    ("restriction", "reno"),
    [
        pytest.param({}, (5, 4), id="nothing"),
        pytest.param({"source": "atlas"}, (3, 2), id="source"),
        pytest.param({"source": ""}, (1, 1), id="no source"),
        pytest.param({"source": "almanac"}, (0, 0), id="unknown source"),
        pytest.param({"language": "de"}, (2, 1), id="language"),
        pytest.param({"before": "2001"}, (1, 1), id="before a year"),
        pytest.param({"after": "1999"}, (3, 2), id="after a year"),
        pytest.param({"before": "2001-05-20"}, (1, 1), id="a month is not before its days"),
        pytest.param({"before": "2001-06"}, (4, 3), id="before a month"),
        pytest.param({"after": "2001-05-19"}, (1, 1), id="after a day"),
        pytest.param({"after": "1999", "before": "2002", "source": "atlas"}, (2, 1), id="all"),
        pytest.param({"before": "2999-01-01"}, (4, 3), id="without a date, never"),
        pytest.param({"after": "0001"}, (4, 3), id="without a date, never after either"),
    ],
)
def test_counts_are_those_of_the_documents_meant(
    index: EmbeddedIndex, restriction: dict[str, str], reno: tuple[int, int]
) -> None:
    (found,) = index.where(**restriction).count(["reno"])

    assert found == Count(*reno, CountKind.EXACT)


def test_every_answer_is_about_the_documents_meant(index: EmbeddedIndex) -> None:
    diary = index.where(source="diary")
    pairs = [("reno", "nevada")]

    assert diary.cooccurrence(pairs, window_words=9) == [
        Cooccurrence(True, 1, 1, 2, CountKind.EXACT)
    ]
    assert diary.exists([("reno", "again"), *pairs], window_words=9) == [False, True]
    assert [found.document_id for found in diary.locate("reno")] == ["c"]
    assert [o.document_id for o in diary.locate_pair("reno", "nevada", window_words=9)] == ["c"]


def test_restrictions_add_up(index: EmbeddedIndex) -> None:
    both = index.where(source="atlas").where(language="en")

    assert both.count(["reno"]) == index.where(source="atlas", language="en").count(["reno"])
    assert both.count(["reno"])[0].value == 1


def test_info_is_of_the_documents_meant(index: EmbeddedIndex) -> None:
    info = index.where(source="atlas").info

    assert (info.n_documents, info.n_words, info.n_passages) == (2, 8, 2)
    assert info.digest != index.info.digest


def test_passages_meant_are_told(index: EmbeddedIndex) -> None:
    meant = index.where(language="de").passages_meant()

    assert meant is not None
    assert meant.tolist() == [False, True, False, False]
    assert index.passages_meant() is None


@pytest.mark.parametrize("written", ["yesterday", "2001-13", "2001-02-30", "", "0000"])
def test_what_is_no_date_is_refused(index: EmbeddedIndex, written: str) -> None:
    with pytest.raises(QueryError, match="not a date") as refused:
        index.where(before=written)

    assert repr(written) in refused.value.message
    assert "2024-05" in refused.value.hint


@pytest.mark.parametrize(
    ("written", "n_days"),
    [
        pytest.param("2023", 365, id="year"),
        pytest.param("2024", 366, id="leap year"),
        pytest.param("2024-02", 29, id="month"),
        pytest.param("2024-12", 31, id="last month"),
        pytest.param("2024-02-29", 1, id="day"),
        pytest.param("2024-02-29T23:59:59Z", 1, id="time"),
        pytest.param("9999", 365, id="last year"),
    ],
)
def test_days_of_a_date(written: str, n_days: int) -> None:
    days = days_of(written)

    assert days is not None
    assert days.last - days.first + 1 == n_days


def test_date_that_is_none_of_the_calendar_is_unknown(tmp_path: Path) -> None:
    index = build(tmp_path / "i", [Document("a", "Reno", date="0000"), Document("b", "Reno")])

    assert index.where(before="9999-12-31").count(["reno"])[0].value == 0


def test_metadata_that_no_document_has_takes_no_file(tmp_path: Path) -> None:
    build(tmp_path / "i", [Document("a", "Reno")])

    names = {file.name for file in (tmp_path / "i" / "counts").rglob("*.npy")}

    assert not names & {"source.npy", "language.npy", "days.npy"}


def test_metadata_stay_when_segments_are_merged(tmp_path: Path) -> None:
    build(tmp_path / "i", DOCUMENTS, words_per_segment=0)
    with IndexWriter(tmp_path / "i", add=True) as writer:
        writer.delete("a")
        writer.merge()
        writer.publish()

    index = open_embedded(tmp_path / "i")

    assert index.where(source="atlas").count(["reno"])[0].value == 2
    assert index.where(after="2001-05-19").count(["reno"])[0].value == 1
    assert index.where(language="").info.n_documents == 2


def test_table_of_another_number_of_documents_is_refused(tmp_path: Path) -> None:
    build(tmp_path / "one", DOCUMENTS)
    build(tmp_path / "two", DOCUMENTS[:2])
    (file,) = (tmp_path / "one").rglob("days.npy")
    (other,) = (tmp_path / "two").rglob("days.npy")
    file.write_bytes(other.read_bytes())
    manifest = tmp_path / "one" / "MANIFEST.json"
    plain = json.loads(manifest.read_text())
    for entry in plain["segments"][0]["files"]:
        entry["n_bytes"] = (tmp_path / "one" / entry["path"]).stat().st_size
    manifest.write_text(json.dumps(plain))

    with pytest.raises(IndexFormatError, match="not of 4 documents"):
        open_embedded(tmp_path / "one")
