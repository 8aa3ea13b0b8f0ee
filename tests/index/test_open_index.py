"""Opening an index: what is refused and in which words; what an open one promises."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from averment.corpus.passages import cut_passages
from averment.errors import IndexFormatError, NotAnIndexError
from averment.index import compiled
from averment.index.build import IndexWriter
from averment.index.documents import DocumentStore
from averment.index.embedded import open_embedded
from averment.index.engines import COMPILED, REFERENCE
from averment.index.manifest import read_manifest
from averment.text import TextForm
from averment.types import Document
from contracts.disk import disk_without_fsync  # noqa: F401
from contracts.index_engines import WITHOUT_CORE

TEXTS = {"ann": "Ann Hardy met Bob in Reno.", "bob": "Bob left Reno in 1867."}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An index of two documents, of the engine whose files the tests of damage know by name."""
    with IndexWriter(tmp_path / "i", engine=REFERENCE) as writer:
        for document_id, text in TEXTS.items():
            writer.add(Document(document_id, text))
        writer.publish()
    return tmp_path / "i"


NO_DIGEST = {
    "name": "seg-0",
    "n_documents": 1,
    "n_words": 1,
    "n_passages": 0,
    "documents_digest": "no number",
    "files": [],
    "deleted": None,
}


def change_manifest(path: Path, **fields: object) -> None:
    file = path / "MANIFEST.json"
    plain = {**json.loads(file.read_text()), **fields}
    file.write_text(json.dumps({name: value for name, value in plain.items() if value != "gone"}))


# --- refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "named"),
    [
        pytest.param(lambda path: None, "does not exist", id="missing"),
        pytest.param(lambda path: path.mkdir(), "has no MANIFEST.json", id="empty"),
        pytest.param(lambda path: path.write_text("x"), "is a file", id="a file"),
    ],
)
def test_path_without_an_index_is_refused(
    tmp_path: Path, make: Callable[[Path], object], named: str
) -> None:
    make(tmp_path / "none")

    with pytest.raises(NotAnIndexError, match=named) as refused:
        open_embedded(tmp_path / "none")

    assert refused.value.exit_code == 2
    assert "averment index build PATHS" in refused.value.hint


@pytest.mark.parametrize(
    ("content", "named"),
    [
        pytest.param(b"", "JSONDecodeError", id="empty"),
        pytest.param(b'{"magic": "averment-index", "form', "JSONDecodeError", id="cut short"),
        pytest.param(b"[]", "damaged", id="not an object"),
        pytest.param(b"{}", "'magic'", id="no fields"),
        pytest.param(b'{"magic": "other", "format_version": 1}', "'other'", id="other magic"),
        pytest.param(b"\xff", "cannot be read", id="not UTF-8"),
    ],
)
def test_damaged_manifest_is_refused(path: Path, content: bytes, named: str) -> None:
    (path / "MANIFEST.json").write_bytes(content)

    with pytest.raises(IndexFormatError, match=named):
        open_embedded(path)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        pytest.param({"segments": "gone"}, "segments", id="missing field"),
        pytest.param({"generation": "three"}, "three", id="field of another type"),
        pytest.param({"segments": [{"name": "seg"}]}, "n_documents", id="half a segment"),
        pytest.param({"surprise": 1}, "surprise", id="unknown field"),
        pytest.param({"segments": [NO_DIGEST]}, "base 16", id="digest that is no number"),
    ],
)
def test_manifest_with_wrong_fields_is_refused(
    path: Path, fields: dict[str, object], named: str
) -> None:
    change_manifest(path, **fields)

    with pytest.raises(IndexFormatError, match=named):
        open_embedded(path)


def test_newer_format_is_refused_with_what_can_be_read(path: Path) -> None:
    change_manifest(path, format_version=99)

    with pytest.raises(IndexFormatError, match="version 99; this averment reads 2") as refused:
        open_embedded(path)

    assert "pip install -U averment" in refused.value.hint


def test_older_format_is_refused_with_what_to_do(path: Path) -> None:
    change_manifest(path, format_version=1)

    with pytest.raises(IndexFormatError, match="version 1; this averment reads 2") as refused:
        open_embedded(path)

    assert "averment index build" in refused.value.hint


def test_other_text_form_is_refused_with_both(path: Path) -> None:
    change_manifest(path, text_form="averment-words-1; unicode 99.0.0; accents kept")

    with pytest.raises(IndexFormatError, match="silently wrong") as refused:
        open_embedded(path)

    assert "unicode 99.0.0" in refused.value.message
    assert TextForm().identity in refused.value.message
    assert "Rebuild" in refused.value.hint


def test_other_engine_is_refused(path: Path) -> None:
    change_manifest(path, engine="steam")

    with pytest.raises(IndexFormatError, match="the engine 'steam', which"):
        open_embedded(path)


def shorten(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def lengthen(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"x")


@pytest.mark.parametrize("name", ["postings.npy", "terms.npy", "documents.jsonl"])
@pytest.mark.parametrize(
    ("damage", "named"),
    [
        pytest.param(Path.unlink, r"{name} is missing \({size} bytes expected\)", id="missing"),
        pytest.param(shorten, "{name} is shorter .* {less} bytes, not {size}", id="shorter"),
        pytest.param(lengthen, "{name} is longer .* {more} bytes, not {size}", id="longer"),
    ],
)
def test_file_of_another_size_is_named_with_both_sizes(
    path: Path, name: str, damage: Callable[[Path], None], named: str
) -> None:
    file = next(path.rglob(name))
    size = file.stat().st_size
    damage(file)

    expected = named.format(name=name, size=size, less=size - 1, more=size + 1)
    with pytest.raises(IndexFormatError, match=expected) as refused:
        open_embedded(path)

    assert "rebuild" in refused.value.hint


def test_array_with_a_spoilt_header_is_refused(path: Path) -> None:
    file = next(path.rglob("words.npy"))
    file.write_bytes(b"\0" * file.stat().st_size)

    with pytest.raises(IndexFormatError, match=r"words.npy cannot be read as an array"):
        open_embedded(path)


@pytest.mark.parametrize("name", ["words", "document_ids", "document_offsets"])
def test_array_with_another_byte_in_its_header_is_refused(path: Path, name: str) -> None:
    """The header is Python, which numpy parses; a bracket that is never closed is no value."""
    file = next(path.rglob(f"{name}.npy"))
    file.write_bytes(file.read_bytes().replace(b"), }", b"(, }", 1))

    with pytest.raises(IndexFormatError, match=rf"{name}.npy cannot be read .* header is damaged"):
        open_embedded(path)
    with pytest.raises(IndexFormatError, match="Every segment"):  # and not a traceback
        open_embedded(path, damaged_segments="lower_bound")


def test_id_that_is_no_text_any_more_is_refused_when_it_is_read(path: Path) -> None:
    file = next(path.rglob("document_ids.npy"))
    file.write_bytes(file.read_bytes().replace(b"ann", b"\xffnn"))

    with pytest.raises(IndexFormatError, match=r"document_ids.npy is damaged at string 0"):
        open_embedded(path).locate("ann")


def test_passages_of_documents_that_are_not_there_are_refused(path: Path) -> None:
    ann = Document("ann", TEXTS["ann"])
    with IndexWriter(path) as writer:
        writer.add(ann, cut_passages(ann))
        writer.publish()
    file = next(path.rglob("passage_spans.npy"))
    spans = np.load(file)
    np.save(file, spans + 2**20)
    some = open_embedded(path).where(source="nobody")

    with pytest.raises(IndexFormatError, match=r"passages of segment seg-\w+ are damaged"):
        some.passages_meant()


def test_array_of_another_type_is_refused(path: Path) -> None:
    file = next(path.rglob("words.npy"))
    array = np.load(file)
    np.save(file, array.astype(np.int32))

    with pytest.raises(IndexFormatError, match="int32, not uint32"):
        open_embedded(path)


@pytest.mark.parametrize(
    ("name", "named"),
    [
        pytest.param("document_starts", "do not fit together", id="counts"),
        pytest.param("document_offsets", "does not fit its offsets", id="passages"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(path: Path, name: str, named: str) -> None:
    file = next(path.rglob(f"{name}.npy"))
    array = np.load(file)
    np.save(file, array + 1)

    with pytest.raises(IndexFormatError, match=named):
        open_embedded(path)


def test_documents_that_cannot_be_mapped_are_refused(path: Path) -> None:
    file = next(path.rglob("documents.jsonl"))
    file.write_bytes(b"")

    with pytest.raises(IndexFormatError, match=r"documents.jsonl cannot be read"):
        DocumentStore(file.parent)


def test_spoilt_document_is_refused_when_it_is_read(path: Path) -> None:
    file = next(path.rglob("documents.jsonl"))
    file.write_bytes(file.read_bytes().replace(b'{"document_id":"bob"', b'["document_id":"bob"'))
    index = open_embedded(path)

    with pytest.raises(IndexFormatError, match="damaged at document 1"):
        index.locate("1867")

    assert index.locate("ann")[0].document_id == "ann"


# --- verify -------------------------------------------------------------------------------------


def test_verify_finds_nothing_wrong_with_a_new_index(path: Path) -> None:
    assert open_embedded(path).verify() == []


def test_verify_names_each_file_with_other_bytes(path: Path) -> None:
    index = open_embedded(path)
    for name in ("postings.npy", "documents.jsonl"):
        file = next(path.rglob(name))
        file.write_bytes(file.read_bytes()[:-1] + b"\1")
    next(path.rglob("terms.npy")).unlink()

    problems = index.verify()

    assert [problem.split()[0].rpartition("/")[2] for problem in problems] == [
        "postings.npy",
        "terms.npy",
        "documents.jsonl",
    ]
    assert "SHA-256" in problems[0]
    assert "missing" in problems[1]


# --- what an open index promises ----------------------------------------------------------------


def test_manifest_tells_the_options_without_opening(path: Path) -> None:
    manifest = read_manifest(path)

    assert (manifest.form, manifest.counts_only, manifest.engine) == (
        TextForm(),
        False,
        "reference",
    )


def test_pickled_index_opens_the_same_directory(path: Path) -> None:
    index = open_embedded(path)

    again = pickle.loads(pickle.dumps(index))

    assert again.info == index.info
    assert again.count(["Reno"]) == index.count(["Reno"])


def test_pickled_index_refuses_other_documents(path: Path) -> None:
    pickled = pickle.dumps(open_embedded(path))
    with IndexWriter(path, add=True) as writer:
        writer.add(Document("cid", "Cid came."))
        writer.publish()

    with pytest.raises(IndexFormatError, match="other documents than when it was pickled"):
        pickle.loads(pickled)


def test_many_threads_get_the_answers_of_one(path: Path) -> None:
    index = open_embedded(path)
    phrases = ["Reno", "Bob", "Ann Hardy", "nobody"] * 25
    expected = [index.count([phrase])[0] for phrase in phrases]

    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(lambda phrase: index.count([phrase])[0], phrases))

    assert counts == expected


def test_corpus_without_any_word_can_be_asked(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "i") as writer:
        writer.add(Document("d", "?!"))
        info = writer.publish()
    index = open_embedded(tmp_path / "i")

    assert (info.n_documents, info.n_words, info.n_terms) == (1, 0, 0)
    assert index.count(["word"])[0].value == 0
    assert index.cooccurrence([("a", "b")], window_words=9)[0].exists is False


@WITHOUT_CORE
def test_a_compiled_segment_with_another_byte_is_refused_or_named(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "i", engine=COMPILED) as writer:
        for document_id, text in TEXTS.items():
            writer.add(Document(document_id, text))
        writer.publish()
    file = next((tmp_path / "i").rglob("segment.bin"))
    good = file.read_bytes()
    unnoticed = 0

    for at in range(0, len(good), 37):
        file.write_bytes(good[:at] + bytes([good[at] ^ 64]) + good[at + 1 :])
        try:
            index = open_embedded(tmp_path / "i")
        except IndexFormatError:
            continue
        unnoticed += not index.verify()

    assert unnoticed == 0


def test_an_index_of_an_engine_that_is_not_here_says_what_to_do(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_manifest(path, engine=COMPILED)
    monkeypatch.setattr(compiled, "available", lambda: False)

    with pytest.raises(IndexFormatError) as refused:
        open_embedded(path)

    assert "'compiled'" in refused.value.message
    assert "g++ or clang" in refused.value.hint


def test_without_the_core_new_indexes_are_of_the_reference_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "available", lambda: False)

    with IndexWriter(tmp_path / "i") as writer:
        writer.add(Document("d", "one two"))
        info = writer.publish()

    assert info.engine == REFERENCE
