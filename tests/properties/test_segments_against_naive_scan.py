"""Every engine answers over one segment, and over any part of it, what the scan finds there."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from averment.index.engines import (
    COMPILED,
    REFERENCE,
    Segment,
    open_segment,
    segment_writer,
)
from averment.text import TextForm
from averment.types import Document, Phrase
from contracts.index_engines import WITHOUT_CORE
from properties.naive_index import NaiveIndex

FORM = TextForm()
MANY_MORE = 10**6
WITH_PAIRS = "compiled, every word frequent"


def build(engine: str, texts: Sequence[str], directory: Path) -> Segment:
    if engine == WITH_PAIRS:
        from averment.index import _native

        builder = _native.SegmentBuilder(
            frequent_min_count=1, frequent_min_share=0.0, bitmap_min_share=0.1
        )
        builder.add_many(texts)
        builder.finish(str(directory / "segment"))
        return _native.Segment(str(directory / "segment"))
    writer = segment_writer(engine, FORM)
    for text in texts:
        writer.add(text)
    writer.write(directory)
    return open_segment(engine, directory, FORM)


with_engines = pytest.mark.parametrize(
    "engine",
    [
        REFERENCE,
        *(
            pytest.param(
                engine,
                marks=WITHOUT_CORE,
            )
            for engine in (COMPILED, WITH_PAIRS)
        ),
    ],
)

texts = st.lists(st.sampled_from("aaabbcd"), max_size=20).map(" ".join)
spellings = st.lists(st.sampled_from("aaabbcdx"), min_size=1, max_size=4).map(" ".join)
sets = st.frozensets(spellings, min_size=1, max_size=5)
phrases = spellings | sets
windows = st.integers(0, 25) | st.just(10**12)


def bits(mask: Sequence[bool]) -> bytes:
    return np.packbits(np.array(mask, dtype=np.bool_), bitorder="little").tobytes()


def check(segment: Segment, scan: NaiveIndex, pairs: Sequence[tuple[Phrase, Phrase]]) -> None:
    """All answers but those that depend on a window."""
    asked = [phrase for pair in pairs for phrase in pair]
    counts = [(count.value, count.documents) for count in map(scan.count, asked)]

    assert segment.count(asked) == counts
    for phrase in asked:
        spans = [(int(d), *span) for d, spans in scan.spans(phrase).items() for span in spans]
        assert segment.occurrences(phrase, MANY_MORE) == spans
        assert segment.occurrences(phrase, 2) == spans[:2]


def check_within(
    segment: Segment, scan: NaiveIndex, pairs: Sequence[tuple[Phrase, Phrase]], window: int
) -> None:
    expected = [scan.cooccurrence(a, b, window) for a, b in pairs]

    assert segment.exists(pairs, window) == [found.exists for found in expected]
    assert segment.cooccurrence(pairs, window) == [
        (found.documents, found.pairs, found.nearest_words) for found in expected
    ]
    for a, b in pairs:
        n_words_of_a, n_words_of_b = (
            {(d, start): n for d, spans in scan.spans(phrase).items() for start, n in spans}
            for phrase in (a, b)
        )
        assert segment.nearest_pairs(a, b, window, MANY_MORE) == [
            (int(d), i, j, n_words_of_a[d, i], n_words_of_b[d, j])
            for d, (i, j) in scan.closest_pairs(a, b, window).items()
        ]


@with_engines
@given(
    corpus=st.lists(st.tuples(texts, st.booleans(), st.booleans()), max_size=12),
    pairs=st.lists(st.tuples(phrases, phrases), max_size=5),
    asked_windows=st.lists(windows, min_size=1, max_size=4),
)
@example([("a a a a", True, True)], [(frozenset(["a a", "x"]), "a a")], [1])
@example([("a b c d", True, True)], [(frozenset(["a b", "b c d"]), frozenset(["c", "d"]))], [2, 1])
@example([("b a", True, False), ("a b", True, True)], [("a", "b")], [0])
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_answers_about_any_documents_equal_those_of_the_scan(
    engine: str,
    corpus: list[tuple[str, bool, bool]],
    pairs: list[tuple[Phrase, Phrase]],
    asked_windows: list[int],
) -> None:
    documents = [Document(str(number), text) for number, (text, _, _) in enumerate(corpus)]
    some, others = [one for _, one, _ in corpus], [other for _, _, other in corpus]
    both = [one and other for one, other in zip(some, others, strict=True)]
    with tempfile.TemporaryDirectory() as directory:
        whole = build(engine, [document.text for document in documents], Path(directory))
        restricted = whole.among(bits(some))
        views = [(whole, [True] * len(corpus)), (restricted, some)]
        views.append((restricted.among(bits(others)), both))

        for view, mask in views:
            asked = [document for document, member in zip(documents, mask, strict=True) if member]
            scan = NaiveIndex(asked, FORM)
            assert (view.n_documents, view.n_words) == (len(corpus), whole.n_words)
            check(view, scan, pairs)
            for window in asked_windows:
                check_within(view, scan, pairs, window)


@with_engines
@given(
    corpus=st.lists(texts, max_size=8),
    pairs=st.lists(st.tuples(phrases, phrases), max_size=4),
    asked_windows=st.lists(windows, min_size=1, max_size=6),
)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_several_windows_at_once_equal_one_after_the_other(
    engine: str,
    corpus: list[str],
    pairs: list[tuple[Phrase, Phrase]],
    asked_windows: list[int],
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        segment = build(engine, corpus, Path(directory))

        one_by_one = [segment.cooccurrence(pairs, window) for window in asked_windows]
        at_once = segment.cooccurrence_by_window(pairs, asked_windows)

    assert [nearest for nearest, _ in at_once] == [nearest for _, _, nearest in one_by_one[0]]
    for number, answers in enumerate(one_by_one):
        assert [within[number] for _, within in at_once] == [
            (documents, n_pairs) for documents, n_pairs, _ in answers
        ]


@with_engines
@given(
    corpus=st.lists(texts, max_size=8),
    asked=st.lists(phrases, min_size=2, max_size=6),
    window=windows,
)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_phrases_asked_in_many_pairs_are_answered_as_in_one(
    engine: str, corpus: list[str], asked: list[Phrase], window: int
) -> None:
    pairs = [(a, b) for a in asked for b in asked] * 8  # so many that phrases are condensed
    with tempfile.TemporaryDirectory() as directory:
        segment = build(engine, corpus, Path(directory))

        together = segment.cooccurrence(pairs, window)
        alone = {pair: segment.cooccurrence([pair], window)[0] for pair in pairs}

    assert together == [alone[pair] for pair in pairs]
