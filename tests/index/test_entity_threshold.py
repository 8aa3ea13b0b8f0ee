"""The first guess at what is rare: the quarter of mentions with the rarest names."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from averment.index.build import IndexWriter
from averment.index.embedded import open_embedded
from averment.index.thresholds import (
    SAMPLE_DOCUMENTS,
    TextSample,
    entity_threshold,
    mentioned_names,
)
from averment.types import Document
from contracts.disk import disk_without_fsync  # noqa: F401


def test_names_are_counted_by_mention() -> None:
    names = mentioned_names(["He met Ann Hardy.", "She met Ann Hardy in Reno."])

    assert names == {"Ann Hardy": 2, "Reno": 1}


def test_single_word_that_opens_a_sentence_is_no_name() -> None:
    names = mentioned_names(["Cats met Bob. Ann Hardy came."])

    assert names == {"Bob": 1, "Ann Hardy": 1}


def test_name_mentioned_ten_times_counts_ten_times() -> None:
    documents = {"Reno": 100, "Ann": 4, "Bob": 5}
    mentions = {"Reno": 10, "Ann": 1, "Bob": 1}

    assert entity_threshold(Counter(mentions), documents.__getitem__) == 100


def test_quantile_between_two_names_is_rounded_down() -> None:
    documents = {"Ann": 3, "Bob": 6}

    assert entity_threshold(Counter(documents), lambda name: documents[name]) == 3
    assert entity_threshold(Counter({"Ann": 1, "Bob": 1}), documents.__getitem__) == 3


def test_threshold_is_at_least_two() -> None:
    assert entity_threshold(Counter({"Ann": 3}), lambda name: 1) == 2


def test_corpus_without_names_has_no_threshold() -> None:
    assert entity_threshold(Counter(), lambda name: 1) is None


@pytest.mark.parametrize(
    ("n_documents", "step"),
    [(0, 1), (1, 1), (SAMPLE_DOCUMENTS, 1), (SAMPLE_DOCUMENTS + 1, 2), (10 * SAMPLE_DOCUMENTS, 16)],
)
def test_sample_is_spread_over_the_corpus(n_documents: int, step: int) -> None:
    sample = TextSample()

    for number in range(n_documents):
        sample.offer(str(number))

    assert sample.texts == [str(number) for number in range(0, n_documents, step)]


def _build(path: Path, texts: list[str], words_per_segment: int) -> int | None:
    with IndexWriter(path, words_per_segment=words_per_segment) as writer:
        for number, text in enumerate(texts):
            writer.add(Document(str(number), text))
        return writer.publish().entity_threshold_documents


@pytest.mark.parametrize("words_per_segment", [0, 8_000_000], ids=["segments", "one segment"])
def test_threshold_counts_documents_of_the_whole_corpus(
    tmp_path: Path, words_per_segment: int
) -> None:
    texts = ["They saw Ann Hardy."] * 3 + ["They saw Reno."] * 9

    assert _build(tmp_path / "i", texts, words_per_segment) == 7
    assert open_embedded(tmp_path / "i").info.entity_threshold_documents == 7


def test_sample_goes_on_through_the_segments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("averment.index.thresholds.SAMPLE_DOCUMENTS", 3)
    # Every second document is looked at, so never one of the names that occur but once.
    texts = [f"They saw {name}." for name in ("Reno", "Ann", "Reno", "Bob", "Reno", "Cid")]

    whole = _build(tmp_path / "whole", texts, 8_000_000)
    cut = _build(tmp_path / "cut", texts, 9)

    assert whole == cut == 3


def test_sample_is_the_same_when_it_is_read_from_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("averment.index.thresholds.SAMPLE_DOCUMENTS", 3)
    texts = [f"They saw {name}." for name in ("Reno", "Ann", "Reno", "Bob", "Reno", "Cid")]
    whole = _build(tmp_path / "whole", texts, 8_000_000)
    _build(tmp_path / "grown", texts[:3], 8_000_000)

    with IndexWriter(tmp_path / "grown", add=True) as writer:
        for number, text in enumerate(texts[3:]):
            writer.add(Document(f"new {number}", text))
        grown = writer.publish().entity_threshold_documents

    assert grown == whole == 3


def test_a_few_more_documents_leave_the_threshold_as_it_is(tmp_path: Path) -> None:
    _build(tmp_path / "i", ["They saw Reno."] * 20, 8_000_000)

    with IndexWriter(tmp_path / "i", add=True) as writer:
        writer.add(Document("new", "They saw Reno."))
        info = writer.publish()

    assert (info.n_documents, info.entity_threshold_documents) == (21, 20)


def test_index_without_names_says_so(tmp_path: Path) -> None:
    assert _build(tmp_path / "i", ["nobody was there"], 8_000_000) is None
