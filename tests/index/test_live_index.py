"""An index that lives: deleting, replacing, merging, and going on after an interruption."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from averment.errors import DatasetError, EmptyCorpusError, IndexFormatError
from averment.index.build import IndexWriter
from averment.index.embedded import EmbeddedIndex, open_embedded
from averment.index.engines import REFERENCE
from averment.types import CorpusInfo, Count, CountKind, Document, Passage
from contracts.disk import disk_without_fsync  # noqa: F401
from contracts.index_engines import EACH_ENGINE, WITHOUT_CORE

A, B, C, D = (
    Document(name, f"{name} writes to Hardy, {name}!") for name in ("a1", "b1", "c1", "d1")
)
PARTS = 0  # words_per_segment: every document is a segment


def whole(document: Document) -> list[Passage]:
    text = document.text
    return [Passage(f"{document.document_id}#0", document.document_id, "", text, 0, len(text))]


def build(path: Path, documents: Iterable[Document], **options: object) -> CorpusInfo:
    with IndexWriter(path, **options) as writer:  # type: ignore[arg-type]
        for document in documents:
            writer.add(document, whole(document) if writer.wants_passages else ())
        return writer.publish()


def delete(path: Path, *ids: str) -> CorpusInfo:
    with IndexWriter(path, add=True) as writer:
        found = [writer.delete(one) for one in ids]
        assert all(found)
        return writer.publish()


def merge(path: Path, **options: object) -> CorpusInfo:
    with IndexWriter(path, add=True, **options) as writer:  # type: ignore[arg-type]
        writer.merge()
        return writer.publish()


def answers(index: EmbeddedIndex) -> list[object]:
    """Everything that an index says about the documents of these tests."""
    words = ["a1", "b1", "c1", "d1", "hardy", "writes to", "hardy a1", "new", "text"]
    pairs = [(one, other) for one in words[:5] for other in words[4:]]
    return [
        index.count(words),
        index.exists(pairs, window_words=2),
        index.cooccurrence_by_window(pairs, windows_words=[0, 1, 2, 9]),
        [index.locate(word, limit=9) for word in words],
        [index.locate_pair(a, b, window_words=3, limit=9) for a, b in pairs],
        index.info.n_documents,
        index.info.n_words,
        index.info.n_passages,
        index.info.digest,
    ]


@pytest.fixture(params=EACH_ENGINE)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


# --- deleting -----------------------------------------------------------------------------------


@pytest.mark.parametrize("words_per_segment", [PARTS, None], ids=["segments", "one segment"])
def test_what_is_deleted_is_in_no_answer(
    tmp_path: Path, engine: str, words_per_segment: int | None
) -> None:
    build(tmp_path / "i", [A, B, C, D], engine=engine, words_per_segment=words_per_segment)
    build(tmp_path / "fresh", [A, C], engine=engine)

    info = delete(tmp_path / "i", "b1", "d1")

    assert answers(open_embedded(tmp_path / "i")) == answers(open_embedded(tmp_path / "fresh"))
    assert (info.n_deleted_documents, info.generation) == (2, 2)


def test_deleting_twice_and_adding_again(tmp_path: Path, engine: str) -> None:
    build(tmp_path / "i", [A, B, C], engine=engine)
    delete(tmp_path / "i", "a1")
    delete(tmp_path / "i", "c1")

    build(tmp_path / "i", [A], add=True)

    build(tmp_path / "fresh", [B, A], engine=engine)
    assert answers(open_embedded(tmp_path / "i")) == answers(open_embedded(tmp_path / "fresh"))


def test_deleting_what_is_not_there_changes_nothing(tmp_path: Path) -> None:
    before = build(tmp_path / "i", [A, B])

    with IndexWriter(tmp_path / "i", add=True) as writer:
        found = writer.delete("nobody")
        after = writer.publish()

    assert (found, after) == (False, before)


def test_deleted_document_cannot_be_deleted_again(tmp_path: Path) -> None:
    build(tmp_path / "i", [A, B])
    delete(tmp_path / "i", "a1")

    with IndexWriter(tmp_path / "i", add=True) as writer:
        assert not writer.delete("a1")


def test_the_last_document_is_not_deleted(tmp_path: Path) -> None:
    build(tmp_path / "i", [A])

    with pytest.raises(EmptyCorpusError, match="Every document") as refused:
        delete(tmp_path / "i", "a1")

    assert "directory" in refused.value.hint
    assert open_embedded(tmp_path / "i").count(["a1"])[0].value == 2


def test_the_same_numbers_can_be_deleted_in_many_segments(tmp_path: Path, engine: str) -> None:
    """The files of their numbers are one file."""
    build(tmp_path / "i", [A, B, C, D], engine=engine, words_per_segment=PARTS)

    delete(tmp_path / "i", "a1", "b1", "c1")

    index = open_embedded(tmp_path / "i")
    assert index.count(["hardy", "d1"]) == [
        Count(1, 1, CountKind.EXACT),
        Count(2, 1, CountKind.EXACT),
    ]
    assert index.verify() == []


def test_open_index_goes_on_with_what_is_deleted(tmp_path: Path) -> None:
    build(tmp_path / "i", [A, B])
    index = open_embedded(tmp_path / "i")

    delete(tmp_path / "i", "a1")
    merge(tmp_path / "i")

    assert index.count(["a1"])[0].value == 2
    assert index.locate("a1")[0].snippet == A.text
    assert open_embedded(tmp_path / "i").count(["a1"])[0].value == 0


def test_counts_only_index_deletes_as_exactly(tmp_path: Path, engine: str) -> None:
    build(tmp_path / "i", [A, B, C], counts_only=True, engine=engine)

    info = delete(tmp_path / "i", "b1")

    index = open_embedded(tmp_path / "i")
    assert index.count(["hardy", "b1"]) == [
        Count(2, 2, CountKind.EXACT),
        Count(0, 0, CountKind.EXACT),
    ]
    assert (info.n_documents, info.n_words) == (2, 10)


def test_passages_of_deleted_documents_keep_their_numbers_until_merged(tmp_path: Path) -> None:
    build(tmp_path / "i", [A, B, C])
    delete(tmp_path / "i", "b1")

    deleted = open_embedded(tmp_path / "i")
    merge(tmp_path / "i")
    merged = open_embedded(tmp_path / "i")

    meant = deleted.passages_meant()
    assert meant is not None
    assert meant.tolist() == [True, False, True]
    assert [p.document_id for p in deleted.passages()] == ["a1", "b1", "c1"]
    assert [p.document_id for p in merged.passages()] == ["a1", "c1"]
    assert merged.passages_meant() is None


def test_extra_files_stay_while_passages_keep_their_numbers(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "i") as writer:
        for document in (A, B):
            writer.add(document)
        (writer.extra_directory("bm25") / "scores.bin").write_bytes(b"123")
        writer.publish()

    delete(tmp_path / "i", "b1")
    deleted = open_embedded(tmp_path / "i").extra_directory("bm25")
    merge(tmp_path / "i")

    assert deleted is not None
    assert open_embedded(tmp_path / "i").extra_directory("bm25") is None


def test_damaged_list_of_deleted_documents_is_refused(tmp_path: Path) -> None:
    build(tmp_path / "i", [A, B])
    delete(tmp_path / "i", "b1")
    (file,) = (tmp_path / "i").rglob("deleted.npy")
    file.write_bytes(file.read_bytes()[:-4] + b"\xff\xff\xff\xff")

    with pytest.raises(IndexFormatError, match="does not fit the segment"):
        open_embedded(tmp_path / "i")

    file.unlink()
    with pytest.raises(IndexFormatError, match=r"deleted\.npy is missing"):
        open_embedded(tmp_path / "i")


def test_pickled_index_refuses_a_generation_with_less(tmp_path: Path) -> None:
    build(tmp_path / "i", [A, B])
    pickled = pickle.dumps(open_embedded(tmp_path / "i"))
    delete(tmp_path / "i", "b1")

    with pytest.raises(IndexFormatError, match="other documents"):
        pickle.loads(pickled)


def test_pickled_restriction_is_restricted(tmp_path: Path) -> None:
    build(tmp_path / "i", [A, Document("x", "a1", source="diary")])

    again = pickle.loads(pickle.dumps(open_embedded(tmp_path / "i").where(source="diary")))

    assert again.count(["a1"])[0].value == 1


# --- replacing ----------------------------------------------------------------------------------

NEW = Document("b1", "a new text for Hardy")


@pytest.mark.parametrize("words_per_segment", [PARTS, None], ids=["segments", "one segment"])
def test_replaced_document_counts_as_it_is_now(
    tmp_path: Path, engine: str, words_per_segment: int | None
) -> None:
    build(tmp_path / "i", [A, B], engine=engine, words_per_segment=words_per_segment)

    with IndexWriter(tmp_path / "i", add=True) as writer:
        assert writer.add(NEW, whole(NEW), replace=True)
        writer.publish()

    build(tmp_path / "fresh", [A, NEW], engine=engine)
    assert answers(open_embedded(tmp_path / "i")) == answers(open_embedded(tmp_path / "fresh"))


def test_document_that_has_not_changed_is_not_replaced(tmp_path: Path, engine: str) -> None:
    before = build(tmp_path / "i", [A, B], engine=engine)

    with IndexWriter(tmp_path / "i", add=True) as writer:
        added = writer.add(B, whole(B), replace=True)
        after = writer.publish()

    assert (added, after) == (False, before)


def test_title_that_has_changed_is_a_change(tmp_path: Path) -> None:
    build(tmp_path / "i", [A, B])

    with IndexWriter(tmp_path / "i", add=True) as writer:
        assert writer.add(Document("b1", B.text, title="B"), replace=True)


def test_of_two_that_come_together_the_later_replaces_the_earlier(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "i") as writer:
        for document in (A, B, NEW):
            writer.add(document, replace=True)
        info = writer.publish()

    index = open_embedded(tmp_path / "i")
    assert info.n_documents == 2
    assert [count.value for count in index.count(["b1", "new"])] == [0, 1]


# --- merging ------------------------------------------------------------------------------------


def test_merged_index_answers_as_before(tmp_path: Path, engine: str) -> None:
    build(tmp_path / "i", [A, B, C, D], engine=engine, words_per_segment=PARTS)
    delete(tmp_path / "i", "c1")
    before = open_embedded(tmp_path / "i")

    info = merge(tmp_path / "i")

    after = open_embedded(tmp_path / "i")
    assert answers(after) == answers(before)
    assert (before.info.n_segments, info.n_segments) == (4, 1)
    assert (info.n_deleted_documents, info.n_terms) == (0, 6)


def test_merged_segment_has_the_bytes_of_a_fresh_one(tmp_path: Path, engine: str) -> None:
    build(tmp_path / "i", [A, B, C, D], engine=engine, words_per_segment=PARTS)
    delete(tmp_path / "i", "b1")
    merge(tmp_path / "i")
    build(tmp_path / "fresh", [A, C, D], engine=engine)

    def segments(path: Path) -> dict[str, bytes]:
        files = [file for file in path.rglob("*") if file.is_file()]
        return {f.relative_to(path).as_posix(): f.read_bytes() for f in files if "seg-" in str(f)}

    assert segments(tmp_path / "fresh") == segments(tmp_path / "i")


def test_what_was_deleted_leaves_the_disk_with_merging(tmp_path: Path) -> None:
    secret = Document("s", "the secret of Ipswich")
    build(tmp_path / "i", [A, secret], keep_tokens=True)
    delete(tmp_path / "i", "s")

    merge(tmp_path / "i")

    assert not any(
        b"Ipswich" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()
    )
    assert {file.parent.name for file in (tmp_path / "i" / "counts").rglob("*.npy")} == {
        open_embedded(tmp_path / "i")._manifest.segments[0].name
    }


def test_merging_what_is_merged_changes_nothing(tmp_path: Path) -> None:
    before = build(tmp_path / "i", [A, B])

    assert merge(tmp_path / "i") == before


def test_merging_keeps_segments_below_their_size(tmp_path: Path, engine: str) -> None:
    build(tmp_path / "i", [A, B, C, D], engine=engine, words_per_segment=PARTS)

    info = merge(tmp_path / "i", words_per_segment=10)

    assert info.n_segments == 2


def test_segment_of_deleted_documents_goes(tmp_path: Path, engine: str) -> None:
    build(tmp_path / "i", [A, B], engine=engine, words_per_segment=PARTS)
    delete(tmp_path / "i", "a1")

    info = merge(tmp_path / "i", words_per_segment=PARTS)

    assert (info.n_segments, info.n_documents) == (1, 1)


def test_what_is_added_after_a_merge_is_there_too(tmp_path: Path, engine: str) -> None:
    build(tmp_path / "i", [A, B], engine=engine, words_per_segment=PARTS)

    with IndexWriter(tmp_path / "i", add=True) as writer:
        writer.merge()
        writer.add(C, whole(C))
        writer.delete("a1")
        writer.publish()

    build(tmp_path / "fresh", [B, C], engine=engine)
    assert answers(open_embedded(tmp_path / "i")) == answers(open_embedded(tmp_path / "fresh"))


# --- packed words -------------------------------------------------------------------------------


def test_kept_tokens_give_snippets_without_text(tmp_path: Path, engine: str) -> None:
    text = "Ünï — «Silas\n Hardy» came to the Straße"
    documents = [Document("d", text), B]
    build(tmp_path / "i", documents, counts_only=True, keep_tokens=True, engine=engine)
    delete(tmp_path / "i", "b1")
    merge(tmp_path / "i")

    (found,) = open_embedded(tmp_path / "i").locate("silas hardy")

    assert found.snippet == "ünï silas hardy came to the strasse"
    assert (found.document_id, found.start, found.end) == ("d", None, None)


def test_kept_tokens_are_found_in_any_block(tmp_path: Path) -> None:
    documents = [Document(f"d{n}", f"word{n} " * 3000) for n in range(9)]
    build(tmp_path / "i", documents, counts_only=True, keep_tokens=True)

    index = open_embedded(tmp_path / "i")

    for n in range(9):
        (found,) = index.locate(f"word{n}", limit=1)
        assert found.snippet is not None
        assert found.snippet.startswith(f"word{n} word{n}")


def test_damaged_tokens_are_refused_when_they_are_read(tmp_path: Path) -> None:
    build(tmp_path / "i", [A], counts_only=True, keep_tokens=True)
    (file,) = (tmp_path / "i").rglob("tokens.zst")
    file.write_bytes(b"\0" * file.stat().st_size)
    index = open_embedded(tmp_path / "i")

    with pytest.raises(IndexFormatError, match="damaged at document 0"):
        index.locate("a1")


# --- going on after an interruption -------------------------------------------------------------


class Interrupted(Exception):
    pass


def until(documents: Sequence[Document], n: int) -> Iterator[Document]:
    yield from documents[:n]
    raise Interrupted


def manifest_without_times(path: Path) -> str:
    lines = (path / "MANIFEST.json").read_text().splitlines()
    return "\n".join(line for line in lines if '"built_at"' not in line)


def interrupted(path: Path, documents: Sequence[Document], n: int, **options: object) -> None:
    with pytest.raises(Interrupted):
        build(path, until(documents, n), resume_key="k", words_per_segment=PARTS, **options)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_resumed_build_is_the_same_as_one_that_was_not_interrupted(
    tmp_path: Path, engine: str, n: int
) -> None:
    options = {"engine": engine, "words_per_segment": PARTS}
    build(tmp_path / "whole", [A, B, C, D], **options)
    interrupted(tmp_path / "i", [A, B, C, D], n, engine=engine)

    build(tmp_path / "i", [A, B, C, D], resume_key="k", **options)

    assert manifest_without_times(tmp_path / "i") == manifest_without_times(tmp_path / "whole")
    assert open_embedded(tmp_path / "i").verify() == []
    assert not (tmp_path / "i" / ".averment-staging").exists()


def test_finished_segments_are_not_made_again(tmp_path: Path) -> None:
    interrupted(tmp_path / "i", [A, B, C], 2)
    made = {file: file.stat().st_ino for file in (tmp_path / "i").rglob("segment.bin")}

    with IndexWriter(tmp_path / "i", resume_key="k", words_per_segment=PARTS) as writer:
        n_resumed = writer.n_resumed_documents
        wanted = []
        for document in (A, B, C):
            wanted.append(writer.wants_passages)
            writer.add(document)
        writer.publish()

    assert n_resumed == 2
    assert wanted == [False, False, True]
    assert all(file.stat().st_ino == inode for file, inode in made.items())


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"resume_key": "other"}, id="another key"),
        pytest.param({"resume_key": None}, id="no key"),
        pytest.param({"resume_key": "k", "counts_only": True}, id="other options"),
        pytest.param({"resume_key": "k", "words_per_segment": 1}, id="other segments"),
    ],
)
def test_what_was_interrupted_otherwise_is_not_gone_on_with(
    tmp_path: Path, options: dict[str, object]
) -> None:
    interrupted(tmp_path / "i", [A, B, C], 2)
    options.setdefault("words_per_segment", PARTS)

    with IndexWriter(tmp_path / "i", **options) as writer:  # type: ignore[arg-type]
        n_resumed = writer.n_resumed_documents
        writer.add(D)
        writer.publish()

    assert n_resumed == 0
    assert len(list((tmp_path / "i" / "counts").iterdir())) == 1


def test_other_documents_than_before_are_noticed(tmp_path: Path) -> None:
    interrupted(tmp_path / "i", [A, B, C], 2)

    with pytest.raises(DatasetError, match="not those of the interrupted build") as refused:
        build(tmp_path / "i", [B, A, C], resume_key="k", words_per_segment=PARTS)

    assert "once more" in refused.value.hint
    build(tmp_path / "i", [B, A, C], resume_key="k", words_per_segment=PARTS)
    assert open_embedded(tmp_path / "i").info.n_documents == 3


@pytest.mark.parametrize("change", ["order", "text"])
def test_other_documents_in_one_segment_are_noticed(tmp_path: Path, change: str) -> None:
    first, second = Document("one", "a b c"), Document("two", "d e f")
    with pytest.raises(Interrupted):
        build(tmp_path / "i", until([first, second, A], 3), resume_key="k", words_per_segment=4)
    told = [second, first] if change == "order" else [first, Document("two", "x y z")]

    with pytest.raises(DatasetError, match="not those of the interrupted build"):
        build(tmp_path / "i", told, resume_key="k", words_per_segment=4)


def test_fewer_documents_than_before_are_noticed(tmp_path: Path) -> None:
    documents = [Document(f"d{n}", "one two three") for n in range(6)]
    with pytest.raises(Interrupted):
        build(tmp_path / "i", until(documents, 6), resume_key="k", words_per_segment=4)

    with pytest.raises(DatasetError, match="not those of the interrupted build"):
        build(tmp_path / "i", documents[:1], resume_key="k", words_per_segment=4)


def test_damaged_remains_are_made_again(tmp_path: Path) -> None:
    build(tmp_path / "whole", [A, B, C], words_per_segment=PARTS)
    interrupted(tmp_path / "i", [A, B, C], 3)
    spoilt = max((tmp_path / "i").rglob("segment.bin"))
    os.truncate(spoilt, 10)

    build(tmp_path / "i", [A, B, C], resume_key="k", words_per_segment=PARTS)

    assert manifest_without_times(tmp_path / "i") == manifest_without_times(tmp_path / "whole")
    assert open_embedded(tmp_path / "i").verify() == []


def test_journal_that_cannot_be_read_is_no_journal(tmp_path: Path) -> None:
    interrupted(tmp_path / "i", [A, B, C], 2)
    (tmp_path / "i" / ".averment-staging" / "finished.json").write_text("{")

    info = build(tmp_path / "i", [A, B, C], resume_key="k", words_per_segment=PARTS)

    assert info.n_documents == 3


def test_interrupted_adding_goes_on_too(tmp_path: Path, engine: str) -> None:
    build(tmp_path / "i", [A], engine=engine)
    interrupted(tmp_path / "i", [B, C, D], 2, add=True)
    assert open_embedded(tmp_path / "i").info.n_documents == 1

    build(tmp_path / "i", [B, C, D], add=True, resume_key="k", words_per_segment=PARTS)

    build(tmp_path / "fresh", [A, B, C, D], engine=engine)
    assert answers(open_embedded(tmp_path / "i")) == answers(open_embedded(tmp_path / "fresh"))


# --- damaged segments ---------------------------------------------------------------------------


def damaged(path: Path, engine: str) -> Path:
    """An index of three segments, of which the middle one is cut short."""
    build(path, [A, B, C], engine=engine, words_per_segment=PARTS)
    name = open_embedded(path)._manifest.segments[1].name
    file = next(file for file in (path / "counts" / name).iterdir() if "ids" not in file.name)
    os.truncate(file, 5)
    return path


def test_damaged_segment_makes_lower_bounds_on_request(tmp_path: Path, engine: str) -> None:
    path = damaged(tmp_path / "i", engine)
    with pytest.raises(IndexFormatError, match="shorter"):
        open_embedded(path)

    index = open_embedded(path, damaged_segments="lower_bound")

    assert len(index.problems) == 1
    assert index.count(["hardy", "b1"]) == [
        Count(2, 2, CountKind.LOWER_BOUND),
        Count(0, 0, CountKind.LOWER_BOUND),
    ]
    assert index.exists([("a1", "hardy"), ("b1", "hardy")], window_words=9) == [True, None]
    found, unknown = index.cooccurrence([("c1", "hardy"), ("b1", "hardy")], window_words=9)
    assert (found.exists, found.pairs, found.kind) == (True, 2, CountKind.LOWER_BOUND)
    assert (unknown.exists, unknown.pairs, unknown.kind) == (None, 0, CountKind.LOWER_BOUND)


def test_passages_of_a_damaged_segment_are_not_meant(tmp_path: Path, engine: str) -> None:
    index = open_embedded(damaged(tmp_path / "i", engine), damaged_segments="lower_bound")

    meant, passages = index.passages_meant(), index.passages()

    assert meant is not None
    assert meant.tolist() == [True, False, True]
    assert (len(passages), passages[2].document_id) == (3, "c1")
    with pytest.raises(IndexFormatError):
        passages[1]


def test_index_of_which_nothing_is_left_is_refused(tmp_path: Path, engine: str) -> None:
    build(tmp_path / "i", [A], engine=engine)
    for file in (tmp_path / "i" / "counts").rglob("*.*"):
        os.truncate(file, 1)

    with pytest.raises(IndexFormatError, match="Every segment"):
        open_embedded(tmp_path / "i", damaged_segments="lower_bound")


def test_damage_that_shows_only_when_asked_makes_lower_bounds_too(tmp_path: Path) -> None:
    build(tmp_path / "i", [A, B], engine="reference", words_per_segment=PARTS)
    index = open_embedded(tmp_path / "i", damaged_segments="lower_bound")

    def refuse(*arguments: object, **named: object) -> None:
        raise IndexFormatError("a list does not ascend")

    index._parts[0].segment.count = refuse  # type: ignore[method-assign]

    assert index.count(["hardy"]) == [Count(1, 1, CountKind.LOWER_BOUND)]

    index._parts[1].segment.count = refuse  # type: ignore[method-assign]

    with pytest.raises(IndexFormatError, match="does not ascend"):  # and not an empty list
        index.count(["hardy"])


def test_index_that_is_replaced_while_it_is_opened_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer publishes and another removes the old files between our two reads."""
    build(tmp_path / "i", [A])
    from averment.index import embedded

    real = embedded.read_manifest
    stale = real(tmp_path / "i")
    build(tmp_path / "i", [B])
    build(tmp_path / "i", [C])
    answers = iter([stale])
    monkeypatch.setattr(embedded, "read_manifest", lambda path: next(answers, None) or real(path))

    assert open_embedded(tmp_path / "i").count(["c1"])[0].value == 2


# --- postings -----------------------------------------------------------------------------------


@WITHOUT_CORE
def test_how_much_a_question_reads_is_known_before_it_is_asked(tmp_path: Path) -> None:
    build(tmp_path / "i", [A, B, C], words_per_segment=PARTS)

    found = open_embedded(tmp_path / "i").postings(["writes to", "Hardy a1", "nobody", "—"])

    assert found == [[3, 3], [3, 2], [0], []]


@WITHOUT_CORE
def test_how_much_is_read_of_some_of_the_documents_is_not_known(tmp_path: Path) -> None:
    build(tmp_path / "i", [A, B], words_per_segment=PARTS)
    restricted = open_embedded(tmp_path / "i").where(language="de")
    delete(tmp_path / "i", "b1")

    assert restricted.postings(["Hardy"]) is None
    assert open_embedded(tmp_path / "i").postings(["Hardy"]) is None


def test_how_much_the_reference_engine_reads_is_not_known(tmp_path: Path) -> None:
    build(tmp_path / "i", [A], engine=REFERENCE)

    assert open_embedded(tmp_path / "i").postings(["Hardy"]) is None
