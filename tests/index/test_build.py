"""Building: what is published, what is refused, and what is left when something goes wrong."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from averment.errors import (
    CorpusError,
    DatasetError,
    EmptyCorpusError,
    IndexFormatError,
    IndexUnavailable,
    NotAnIndexError,
    UsageError,
)
from averment.index import build as build_module
from averment.index.build import IndexWriter
from averment.index.embedded import open_embedded
from averment.index.engines import REFERENCE
from averment.text import TextForm
from averment.types import CorpusInfo, Document, Occurrence, Passage
from contracts.disk import disk_without_fsync, users_folder  # noqa: F401

A, B, C = (Document(name, f"{name} writes to {name} Hardy") for name in ("ann", "bob", "cid"))
PARTS = 0  # words_per_segment: every document is a segment


def publish(path: Path, documents: Iterable[Document], **options: object) -> CorpusInfo:
    """Publish with the reference engine, whose files the tests of damage know by name."""
    options.setdefault("engine", REFERENCE)
    with IndexWriter(path, **options) as writer:  # type: ignore[arg-type]
        for document in documents:
            writer.add(document)
        return writer.publish()


def files_below(path: Path) -> dict[str, bytes]:
    """Every file of a directory, as it is."""
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file()
    }


def published_files(path: Path) -> dict[str, bytes]:
    return {name: data for name, data in files_below(path).items() if "seg-" in name}


# --- what is published --------------------------------------------------------------------------


def test_published_index_is_what_publish_says(tmp_path: Path) -> None:
    info = publish(tmp_path / "i", [A, B])

    assert info == open_embedded(tmp_path / "i").info
    assert (info.name, info.engine, info.n_documents, info.n_segments) == ("i", "reference", 2, 1)


def test_missing_parents_are_made(tmp_path: Path) -> None:
    publish(tmp_path / "deep" / "down" / "i", [A])

    assert open_embedded(tmp_path / "deep" / "down" / "i").info.n_documents == 1


def test_relative_path_works(tmp_path: Path) -> None:
    publish(Path("i"), [A])

    assert open_embedded(Path("i")).info.name == "i"


def test_same_documents_give_the_same_bytes(tmp_path: Path) -> None:
    publish(tmp_path / "one", [A, B, C], words_per_segment=PARTS)
    publish(tmp_path / "two", [A, B, C], words_per_segment=PARTS)

    assert published_files(tmp_path / "one") == published_files(tmp_path / "two")
    assert len(published_files(tmp_path / "one")) > 3


@pytest.mark.parametrize(
    ("documents", "options"),
    [
        pytest.param([A], {}, id="fewer"),
        pytest.param([A, Document("bob", B.text, title="Bob")], {}, id="title"),
        pytest.param([A, B], {"form": TextForm(fold_accents=True)}, id="form"),
        pytest.param([A, B], {"counts_only": True}, id="counts only"),
    ],
)
def test_digest_depends_on_documents_and_options(
    tmp_path: Path, documents: list[Document], options: dict[str, object]
) -> None:
    usual = publish(tmp_path / "usual", [A, B])

    other = publish(tmp_path / "other", documents, **options)

    assert other.digest != usual.digest


def test_digest_depends_neither_on_segments_nor_on_the_order(tmp_path: Path) -> None:
    whole = publish(tmp_path / "whole", [A, B])
    cut = publish(tmp_path / "cut", [B, A], words_per_segment=PARTS)

    assert (whole.digest, whole.n_segments, cut.n_segments) == (cut.digest, 1, 2)


def test_terms_are_counted_in_one_segment_and_unknown_over_several(tmp_path: Path) -> None:
    one = publish(tmp_path / "i", [A, B])
    several = publish(tmp_path / "j", [A, B], words_per_segment=PARTS)

    assert (one.n_words, one.n_terms) == (10, 5)
    assert (several.n_words, several.n_terms) == (10, None)


def test_folded_index_finds_words_without_their_accents(tmp_path: Path) -> None:
    publish(tmp_path / "i", [Document("d", "Zürich")], form=TextForm(fold_accents=True))

    (found,) = open_embedded(tmp_path / "i").count(["zurich"])

    assert found.value == 1


def test_document_comes_back_as_it_was(tmp_path: Path) -> None:
    text = "Ünï\r\n\U0001f600 cafe\u0301"
    document = Document("ä/1", text, "T", "s", "2024-05", "de", {"tags": ["x", 1, None]})
    with IndexWriter(tmp_path / "i") as writer:
        writer.add(document, [Passage("ä/1#0", "ä/1", "T", text, 0, len(text))])
        writer.publish()

    index = open_embedded(tmp_path / "i")

    whole = Passage("ä/1#0", "ä/1", "T", text, 0, len(text), date="2024-05")
    assert index.passages()[0] == whole
    assert index.locate("café")[0].document_id == "ä/1"


# --- adding -------------------------------------------------------------------------------------


def test_adding_gives_the_same_counts_as_rebuilding(tmp_path: Path) -> None:
    publish(tmp_path / "grown", [A])
    grown = publish(tmp_path / "grown", [B, C], add=True)
    whole = publish(tmp_path / "whole", [A, B, C])

    asked = ["ann", "Hardy", "writes to", "bob hardy", "nobody"]
    pairs = [("ann", "hardy"), ("bob", "hardy"), ("ann", "bob")]
    one, other = open_embedded(tmp_path / "grown"), open_embedded(tmp_path / "whole")

    assert one.count(asked) == other.count(asked)
    assert one.cooccurrence(pairs, window_words=3) == other.cooccurrence(pairs, window_words=3)
    assert (grown.digest, grown.n_words) == (whole.digest, whole.n_words)
    assert grown.entity_threshold_documents == whole.entity_threshold_documents


def test_document_with_a_known_id_is_not_added(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "i") as writer:
        answers = [writer.add(A), writer.add(Document("ann", "another text")), writer.add(B)]
        writer.publish()

    assert answers == [True, False, True]
    assert open_embedded(tmp_path / "i").count(["another"])[0].value == 0


def test_document_known_from_an_earlier_generation_is_not_added(tmp_path: Path) -> None:
    publish(tmp_path / "i", [A, B], words_per_segment=PARTS)

    with IndexWriter(tmp_path / "i", add=True) as writer:
        answers = [writer.add(B), writer.add(C)]
        n_documents = writer.n_documents
        info = writer.publish()

    assert (answers, n_documents, info.n_documents) == ([False, True], 3, 3)


def test_adding_only_known_documents_changes_nothing(tmp_path: Path) -> None:
    before = publish(tmp_path / "i", [A])
    files = files_below(tmp_path / "i")

    after = publish(tmp_path / "i", [A], add=True)

    assert after == before
    assert files_below(tmp_path / "i") == files


def test_adding_to_no_index_is_refused_and_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(NotAnIndexError, match="does not exist"):
        publish(tmp_path / "i", [A], add=True)

    assert not (tmp_path / "i").exists()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        pytest.param({"form": TextForm(fold_accents=True)}, "accents folded", id="form"),
        pytest.param({"counts_only": True}, "counts_only", id="counts only"),
    ],
)
def test_adding_with_other_options_is_refused(
    tmp_path: Path, options: dict[str, object], named: str
) -> None:
    publish(tmp_path / "i", [A])

    with pytest.raises(IndexFormatError, match=named):
        publish(tmp_path / "i", [B], add=True, **options)

    assert open_embedded(tmp_path / "i").info.n_documents == 1


def test_adding_takes_over_the_options_of_the_index(tmp_path: Path) -> None:
    form = TextForm(fold_accents=True)
    publish(tmp_path / "i", [A], form=form, counts_only=True)

    with IndexWriter(tmp_path / "i", add=True) as writer:
        writer.add(Document("z", "Zürich"))
        keeps_text = writer.keeps_text
        writer.publish()

    assert not keeps_text
    index = open_embedded(tmp_path / "i")
    assert (index.form, index.count(["zurich"])[0].value) == (form, 1)
    assert not (tmp_path / "i" / "passages").exists()


def test_adding_to_a_damaged_index_is_refused(tmp_path: Path) -> None:
    publish(tmp_path / "i", [A])
    next((tmp_path / "i").rglob("words.npy")).write_bytes(b"")

    with pytest.raises(IndexFormatError, match="shorter"):
        publish(tmp_path / "i", [B], add=True)


# --- counts only --------------------------------------------------------------------------------


def test_counts_only_keeps_no_text(tmp_path: Path) -> None:
    info = publish(tmp_path / "i", [A, B], counts_only=True)

    assert info.n_passages == 0
    assert not any(b"writes to" in data for data in files_below(tmp_path / "i").values())
    assert open_embedded(tmp_path / "i").count(["writes to"])[0].value == 2


def test_counts_only_locates_the_document_without_a_snippet(tmp_path: Path) -> None:
    publish(tmp_path / "i", [A, B], counts_only=True)
    index = open_embedded(tmp_path / "i")

    (found,) = index.locate("bob hardy")
    (pair,) = index.locate_pair("bob", "hardy", window_words=9)

    assert found == pair
    assert found == Occurrence("bob", None, None, None)


def test_counts_only_keeps_its_threshold_when_added_to(tmp_path: Path) -> None:
    named = [Document(f"n{n}", "He met Ann Hardy and Bob Hardy.") for n in range(7)]
    first = publish(tmp_path / "i", named, counts_only=True)

    second = publish(tmp_path / "i", [A], add=True)

    assert first.entity_threshold_documents == second.entity_threshold_documents == 7


def test_counts_only_has_no_place_for_extra_files(tmp_path: Path) -> None:
    writer = IndexWriter(tmp_path / "i", counts_only=True)

    with writer, pytest.raises(ValueError, match="bm25"):
        writer.extra_directory("bm25")


# --- passages and extra files -------------------------------------------------------------------


def halves(document: Document) -> list[Passage]:
    middle = len(document.text) // 2
    return [
        Passage(f"{document.document_id}#{n}", document.document_id, "", document.text[a:b], a, b)
        for n, (a, b) in enumerate([(0, middle), (middle, len(document.text))])
    ]


def test_passages_come_back_in_order_across_segments(tmp_path: Path) -> None:
    publish(tmp_path / "i", [Document("none", "no passage here")])
    with IndexWriter(tmp_path / "i", add=True, words_per_segment=PARTS) as writer:
        for document in (A, B):
            writer.add(document, halves(document))
        staged = list(writer.passages())
        info = writer.publish()

    passages = open_embedded(tmp_path / "i").passages()

    assert staged == list(passages) == [*halves(A), *halves(B)]
    assert [passages[n] for n in range(4)] == passages[0:4] == staged
    assert (passages[-1], len(passages), info.n_passages) == (staged[-1], 4, 4)


def test_passage_beyond_the_last_is_no_passage(tmp_path: Path) -> None:
    publish(tmp_path / "i", [A])

    with pytest.raises(IndexError):
        open_embedded(tmp_path / "i").passages()[0]


def test_passage_that_is_not_a_span_of_its_document_is_a_mistake(tmp_path: Path) -> None:
    wrong = Passage("ann#0", "ann", "", "something else", 0, 14)

    with IndexWriter(tmp_path / "i") as writer, pytest.raises(ValueError, match="'ann#0'"):
        writer.add(A, [wrong])


def test_extra_files_are_published_and_found_by_name(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "i") as writer:
        writer.add(A)
        below = writer.extra_directory("bm25") / "deep"
        below.mkdir()
        (below / "scores.bin").write_bytes(b"123")
        writer.publish()

    index = open_embedded(tmp_path / "i")
    found = index.extra_directory("bm25")

    assert found is not None
    assert found.is_relative_to(tmp_path / "i" / "passages")
    assert (found / "deep" / "scores.bin").read_bytes() == b"123"
    assert index.extra_directory("dense") is None


def test_extra_files_are_checked_like_all_others(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "i") as writer:
        writer.add(A)
        (writer.extra_directory("bm25") / "scores.bin").write_bytes(b"123")
        writer.publish()
    next((tmp_path / "i").rglob("scores.bin")).write_bytes(b"12")

    with pytest.raises(IndexFormatError, match=r"scores.bin is shorter .* 2 bytes, not 3"):
        open_embedded(tmp_path / "i")


def test_extra_files_belong_to_one_generation(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "i") as writer:
        writer.add(A)
        (writer.extra_directory("bm25") / "scores.bin").write_bytes(b"123")
        writer.publish()

    publish(tmp_path / "i", [B], add=True)

    assert open_embedded(tmp_path / "i").extra_directory("bm25") is None


def test_extra_directory_has_a_plain_name(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "i") as writer, pytest.raises(ValueError, match="up"):
        writer.extra_directory("../up")


# --- refusals that touch nothing ----------------------------------------------------------------


def test_no_document_is_an_empty_corpus_and_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(EmptyCorpusError, match=r"no document"):
        publish(tmp_path / "deep" / "i", [])

    assert list(tmp_path.iterdir()) == []


def test_no_document_leaves_an_empty_directory_empty(tmp_path: Path) -> None:
    (tmp_path / "i").mkdir()

    with pytest.raises(EmptyCorpusError):
        publish(tmp_path / "i", [])

    assert list((tmp_path / "i").iterdir()) == []


@pytest.mark.parametrize("add", [False, True], ids=["rebuilding", "adding"])
def test_no_document_leaves_an_index_as_it_was(tmp_path: Path, add: bool) -> None:
    publish(tmp_path / "i", [A])
    before = files_below(tmp_path / "i")

    with pytest.raises(EmptyCorpusError):
        publish(tmp_path / "i", [], add=add)

    assert files_below(tmp_path / "i") == before


def test_directory_with_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "i" / "counts").mkdir(parents=True)
    (tmp_path / "i" / "thesis.tex").write_text("ten years of work")
    before = files_below(tmp_path)

    with pytest.raises(UsageError, match="nothing was changed") as refused:
        publish(tmp_path / "i", [A])

    assert files_below(tmp_path) == before
    assert "-o DIR" in refused.value.hint


def test_manifest_of_another_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "MANIFEST.json").write_text('{"magic": "something-else"}')

    with pytest.raises(UsageError, match="no averment index"):
        publish(tmp_path, [A])


def test_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "i").write_text("a file")

    with pytest.raises(UsageError, match="is a file"):
        publish(tmp_path / "i", [A])


def test_place_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file")

    with pytest.raises(UsageError, match="cannot be written"):
        publish(tmp_path / "file" / "i", [A])


def test_directory_that_must_not_be_written_is_refused() -> None:
    with users_folder() as folder:
        publish(folder / "i", [A])
        (folder / "i" / ".averment-lock").unlink()
        (folder / "i").chmod(0o500)

        with pytest.raises(UsageError, match="cannot be written: Permission denied"):
            publish(folder / "i", [B])

        (folder / "i").chmod(0o700)
        assert open_embedded(folder / "i").count(["ann"])[0].value == 2


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(Document("d", "half a pair \ud83d"), id="lone surrogate"),
        pytest.param(Document("d", "text", title="\ud83d"), id="lone surrogate in the title"),
        pytest.param(Document("d", "text", metadata={"when": object()}), id="metadata"),
    ],
)
def test_document_that_cannot_be_stored_is_named(tmp_path: Path, document: Document) -> None:
    with IndexWriter(tmp_path / "i") as writer:
        writer.add(A)

        with pytest.raises(DatasetError, match="'d'"):
            writer.add(document)

        assert writer.publish().n_documents == 1


# --- replacing, dying, and writing at the same time ---------------------------------------------


def test_rebuilding_replaces_an_index(tmp_path: Path) -> None:
    publish(tmp_path / "i", [A, B])

    publish(tmp_path / "i", [C])

    index = open_embedded(tmp_path / "i")
    assert (index.info.n_documents, index.count(["ann"])[0].value) == (1, 0)


def test_open_index_keeps_answering_while_it_is_replaced(tmp_path: Path) -> None:
    publish(tmp_path / "i", [A])
    index = open_embedded(tmp_path / "i")

    for documents in ([B], [C], [B, C]):
        publish(tmp_path / "i", documents)

    assert index.count(["ann"])[0].value == 2
    assert index.locate("ann hardy")[0].snippet == A.text


def test_old_generation_goes_when_the_next_writer_comes(tmp_path: Path) -> None:
    publish(tmp_path / "i", [A])
    publish(tmp_path / "i", [B])
    both = {name.split("/")[1] for name in published_files(tmp_path / "i")}

    publish(tmp_path / "i", [C], add=True)

    assert len(both) == 2
    counts = list((tmp_path / "i" / "counts").iterdir())
    assert len(counts) == 2
    assert open_embedded(tmp_path / "i").count(["ann", "bob", "cid"])[0].value == 0


@pytest.mark.parametrize("add", [False, True], ids=["rebuilding", "adding"])
def test_exception_leaves_the_old_index_and_nothing_else(tmp_path: Path, add: bool) -> None:
    publish(tmp_path / "i", [A])
    before = files_below(tmp_path / "i")

    def documents_until_interrupted() -> Iterator[Document]:
        yield B
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publish(tmp_path / "i", documents_until_interrupted(), add=add, words_per_segment=PARTS)

    assert files_below(tmp_path / "i") == before


def test_leaving_without_publishing_leaves_nothing(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "i") as writer:
        writer.add(A)

    assert list(tmp_path.iterdir()) == []


def _fail(*arguments: object) -> None:
    raise OSError(28, "No space left on device")


def test_disk_that_fills_up_at_the_last_step_leaves_the_old_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path / "i", [A])
    before = files_below(tmp_path / "i")
    monkeypatch.setattr(build_module, "write_manifest", _fail)

    with pytest.raises(CorpusError, match="No space left on device"):
        publish(tmp_path / "i", [B])

    assert files_below(tmp_path / "i") == before


@contextmanager
def _no_file_beyond(n_bytes: int) -> Iterator[None]:
    """The system refuses to write more to a file, as it does on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_disk_that_fills_up_in_between_is_told_and_leaves_the_old_index(tmp_path: Path) -> None:
    publish(tmp_path / "i", [A])
    before = files_below(tmp_path / "i")
    long = [Document(f"d{number}", "word " * 400) for number in range(200)]

    with (
        pytest.raises(CorpusError, match="cannot be written: File too large") as refused,
        _no_file_beyond(100_000),
    ):
        publish(tmp_path / "i", long, keep_tokens=True)

    assert refused.value.hint == "What was there before is unchanged."
    assert files_below(tmp_path / "i") == before
    publish(tmp_path / "i", [A, B])  # though the error is still held, and with it the writer


def _killed_before_the_manifest(path: Path, text: str) -> None:
    """What a writer leaves behind that is killed when all but the manifest is in place."""
    script = f"""
import os
from pathlib import Path
from averment.index import build
from averment.types import Document

build.write_manifest = lambda path, manifest: os._exit(9)
with build.IndexWriter(Path({str(path)!r})) as writer:
    writer.add(Document("d", {text!r}))
    writer.publish()
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 9


def test_killed_rebuild_leaves_the_old_index_and_the_next_writer_cleans_up(
    tmp_path: Path,
) -> None:
    publish(tmp_path / "i", [A])
    before = set(files_below(tmp_path / "i"))

    _killed_before_the_manifest(tmp_path / "i", "bob")

    left = set(files_below(tmp_path / "i"))
    assert left > before
    assert open_embedded(tmp_path / "i").count(["ann"])[0].value == 2
    publish(tmp_path / "i", [A], add=True)
    assert set(files_below(tmp_path / "i")) == before


def test_killed_first_build_can_be_begun_again(tmp_path: Path) -> None:
    _killed_before_the_manifest(tmp_path / "i", "ann")

    with pytest.raises(NotAnIndexError, match=r"MANIFEST\.json"):
        open_embedded(tmp_path / "i")

    assert publish(tmp_path / "i", [B]).n_documents == 1
    assert len(list((tmp_path / "i" / "counts").iterdir())) == 1


def test_second_writer_is_refused_while_the_first_is_at_work(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "i") as first:
        first.add(A)

        with pytest.raises(IndexUnavailable, match="Another process") as refused:
            publish(tmp_path / "i", [B])

        first.publish()

    assert refused.value.transient
    assert open_embedded(tmp_path / "i").count(["ann"])[0].value == 2


def test_lock_file_that_its_holder_removed_counts_as_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def open_and_lose(path: Path, *arguments: int) -> int:
        descriptor = real(path, *arguments)
        if Path(path).name == ".averment-lock":
            Path(path).unlink()
        return descriptor

    monkeypatch.setattr(os, "open", open_and_lose)

    with pytest.raises(IndexUnavailable):
        publish(tmp_path / "i", [A])


def test_rebuilding_repairs_a_damaged_index(tmp_path: Path) -> None:
    publish(tmp_path / "i", [A])
    words = next((tmp_path / "i").rglob("words.npy"))
    good = words.read_bytes()
    words.write_bytes(good[:-4] + b"\xff\xff\xff\xff")

    publish(tmp_path / "i", [A])

    assert words.read_bytes() == good
    assert open_embedded(tmp_path / "i").verify() == []


def test_rebuilding_the_same_keeps_the_files_that_are_intact(tmp_path: Path) -> None:
    publish(tmp_path / "i", [A])
    words = next((tmp_path / "i").rglob("words.npy"))
    inode = words.stat().st_ino

    publish(tmp_path / "i", [A])

    assert words.stat().st_ino == inode


def _newer(manifest: Path) -> None:
    plain = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**plain, "format_version": 99}))


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(_newer, id="newer"),
        pytest.param(lambda manifest: os.truncate(manifest, 60), id="cut short"),
    ],
)
def test_rebuilding_replaces_an_index_that_cannot_be_opened(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    publish(tmp_path / "i", [A])
    spoil(tmp_path / "i" / "MANIFEST.json")

    publish(tmp_path / "i", [B])

    assert open_embedded(tmp_path / "i").count(["bob"])[0].value == 2


def test_foreign_files_inside_an_index_survive(tmp_path: Path) -> None:
    publish(tmp_path / "i", [A])
    (tmp_path / "i" / "notes.txt").write_text("mine")
    (tmp_path / "i" / "counts" / "mine").mkdir()

    publish(tmp_path / "i", [B])
    publish(tmp_path / "i", [C])

    assert (tmp_path / "i" / "notes.txt").read_text() == "mine"
    assert (tmp_path / "i" / "counts" / "mine").is_dir()


def test_moved_index_opens(tmp_path: Path) -> None:
    publish(tmp_path / "i", [A])

    shutil.move(tmp_path / "i", tmp_path / "elsewhere")

    assert open_embedded(tmp_path / "elsewhere").info.name == "elsewhere"
