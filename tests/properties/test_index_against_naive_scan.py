"""Every engine equals the scan that defines the semantics, on generated corpora.

A further engine is one more entry of `ENGINES`.
"""

from __future__ import annotations

import gzip
import json
import random
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from averment.index.build import IndexWriter
from averment.index.embedded import open_embedded
from averment.index.engines import COMPILED, REFERENCE
from averment.ports import CorpusIndex
from averment.text import TextForm
from averment.types import Document
from contracts.disk import disk_without_fsync  # noqa: F401
from contracts.index_engines import WITHOUT_CORE
from properties.naive_index import NaiveIndex


def _build(
    path: Path, batches: Sequence[Sequence[Document]], form: TextForm, *, engine: str
) -> CorpusIndex:
    """Each batch is added to what is there, in about five segments altogether."""
    n_words = sum(len(form.words(document.text)) for batch in batches for document in batch)
    for number, batch in enumerate(batches):
        with IndexWriter(
            path, form=form, add=number > 0, engine=engine, words_per_segment=n_words // 5
        ) as writer:
            for document in batch:
                writer.add(document)
            writer.publish()
    return open_embedded(path)


ENGINES = [
    pytest.param(partial(_build, engine=REFERENCE), id="reference"),
    pytest.param(partial(_build, engine=COMPILED), id="compiled", marks=WITHOUT_CORE),
]
Build = Callable[[Path, Sequence[Sequence[Document]], TextForm], CorpusIndex]

# Few words, so that phrases repeat, overlap and meet; some of them change in the text form.
WORDS = [
    "a",
    "a",
    "a",
    "b",
    "b",
    "AND",
    "Bo\u0308ll",
    "Böll",
    "Boll",
    "Straße",
    "STRASSE",
    "京",
    "7",
]
GAPS = [" ", " ", " ", "\n\n", ' "', ", ", "'", " … ", "\u200b"]
WINDOWS = [0, 1, 2, 3, 7, 1000]


@st.composite
def texts(draw: st.DrawFn, max_words: int) -> str:
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=max_words))
    gaps = draw(st.lists(st.sampled_from(GAPS), min_size=len(words), max_size=len(words)))
    return "".join(gap + word for gap, word in zip(gaps, words, strict=True))


phrases = texts(max_words=3)
corpora = st.lists(
    st.lists(texts(max_words=14) | st.just("!"), min_size=1, max_size=4), min_size=1, max_size=3
)


def _documents(corpus: Sequence[Sequence[str]]) -> list[list[Document]]:
    return [
        [Document(f"{batch}/{number}", text) for number, text in enumerate(group)]
        for batch, group in enumerate(corpus)
    ]


@pytest.mark.parametrize("build", ENGINES)
@given(corpora, st.lists(st.tuples(phrases, phrases), min_size=1, max_size=12), st.booleans())
@example([["a a a"]], [("a a", "a a"), ("a", "a a a")], False)
@example([["a b"], ["a", "b a"]], [("a", "b"), ("b a", "a")], False)
@example([["x AND y"]], [("x AND y", "y"), ("AND", "x")], False)
@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
def test_answers_equal_those_of_the_scan(
    build: Build, corpus: list[list[str]], pairs: list[tuple[str, str]], fold_accents: bool
) -> None:
    batches = _documents(corpus)
    form = TextForm(fold_accents=fold_accents)
    scan = NaiveIndex([document for batch in batches for document in batch], form)
    asked = [phrase for pair in pairs for phrase in pair]

    with tempfile.TemporaryDirectory() as directory:
        index = build(Path(directory) / "index", batches, form)

        assert index.count(asked) == [scan.count(phrase) for phrase in asked]
        for window in WINDOWS:
            expected = [scan.cooccurrence(a, b, window) for a, b in pairs]
            assert index.cooccurrence(pairs, window_words=window) == expected
            assert index.exists(pairs, window_words=window) == [c.exists for c in expected]


@pytest.mark.parametrize("build", ENGINES)
@given(corpora, phrases, phrases, st.sampled_from(WINDOWS), st.integers(0, 6))
@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
def test_places_equal_those_of_the_scan(
    build: Build, corpus: list[list[str]], a: str, b: str, window: int, limit: int
) -> None:
    form = TextForm()
    batches = _documents(corpus)
    scan = NaiveIndex([document for batch in batches for document in batch], form)
    text = {d.document_id: d.text for batch in batches for d in batch}

    def place(document_id: str, spans: Sequence[tuple[int, str]]) -> tuple[str, int, int]:
        words = form.words_with_spans(text[document_id])
        first = min(at for at, _ in spans)
        last = max(at + len(form.words(phrase)) - 1 for at, phrase in spans)
        return document_id, words[first].start, words[last].end

    single = [place(d, [(at, a)]) for d, starts in scan.starts(a).items() for at in starts]
    closest = scan.closest_pairs(a, b, window)
    paired = [place(d, [(i, a), (j, b)]) for d, (i, j) in closest.items()]

    with tempfile.TemporaryDirectory() as directory:
        index = build(Path(directory) / "index", batches, form)
        located = index.locate(a, limit=limit)
        located_pairs = index.locate_pair(a, b, window_words=window, limit=limit)

    assert [(o.document_id, o.start, o.end) for o in located] == single[:limit]
    assert [(o.document_id, o.start, o.end) for o in located_pairs] == paired[:limit]


@pytest.mark.parametrize("build", ENGINES)
def test_a_thousand_answers_over_one_corpus_equal_those_of_the_scan(
    build: Build, tmp_path: Path
) -> None:
    chance = random.Random(0)
    vocabulary = [*"abcdefgh", "Böll", "京"]

    def words(n_words: int) -> str:
        return " ".join(chance.choices(vocabulary, range(10, 0, -1), k=n_words))

    documents = [Document(str(number), words(chance.randrange(1, 60))) for number in range(40)]
    pairs = [(words(chance.randrange(1, 4)), words(chance.randrange(1, 4))) for _ in range(200)]
    scan = NaiveIndex(documents, TextForm())

    index = build(tmp_path / "index", [documents[:25], documents[25:]], TextForm())

    for window in WINDOWS:
        expected = [scan.cooccurrence(a, b, window) for a, b in pairs]
        assert index.cooccurrence(pairs, window_words=window) == expected


@pytest.mark.data
@pytest.mark.parametrize("build", ENGINES)
def test_answers_equal_those_of_the_scan_on_real_text(
    build: Build, tmp_path: Path, shared_data: Path
) -> None:
    form = TextForm()
    with gzip.open(shared_data / "corpus" / "wiki_passages.jsonl.gz") as lines:
        records = [json.loads(line) for line in islice(lines, 300)]
    documents = [Document(record["id"], record["text"]) for record in records]
    chance = random.Random(0)
    phrases = []
    for document in chance.sample(documents, 60):
        words = form.words(document.text)
        at = chance.randrange(len(words))
        phrases.append(" ".join(words[at : at + chance.randrange(1, 4)]))
    pairs = list(zip(phrases, [*phrases[1:], "the"], strict=True))
    scan = NaiveIndex(documents, form)

    index = build(tmp_path / "index", [documents], form)

    assert index.count(phrases) == [scan.count(phrase) for phrase in phrases]
    for window in (0, 10, 1000):
        expected = [scan.cooccurrence(a, b, window) for a, b in pairs]
        assert index.cooccurrence(pairs, window_words=window) == expected
