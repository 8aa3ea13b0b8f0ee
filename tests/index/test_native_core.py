"""The compiled index core against a plain scan of all words, and against the text form."""

from __future__ import annotations

import random
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.errors import IndexFormatError, QueryError
from averment.text import TextForm

native = pytest.importorskip("averment.index._native", reason="built without a C++ compiler")

WINDOWS = (0, 1, 2, 5, 60, 10**12)


class Pair(NamedTuple):
    documents: int
    pairs: int
    nearest_words: int | None


class Scan:
    """Every question answered by looking at every word."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self._documents = [tuple(words) for words in documents]
        self._starts: dict[str, list[list[int]]] = {}

    def starts(self, phrase: str) -> list[list[int]]:
        """Where a phrase starts in each document."""
        if phrase not in self._starts:
            words = tuple(phrase.split())
            self._starts[phrase] = [
                [at for at in range(len(document)) if document[at : at + len(words)] == words]
                for document in self._documents
            ]
        return self._starts[phrase]

    def count(self, phrase: str) -> tuple[int, int]:
        found = [len(starts) for starts in self.starts(phrase)]
        return sum(found), sum(map(bool, found))

    def cooccurrence(self, a: str, b: str, windows: Sequence[int]) -> list[Pair]:
        """The answer for each window."""
        distances = [
            np.abs(np.subtract.outer(of_a, of_b))
            for of_a, of_b in zip(self.starts(a), self.starts(b), strict=True)
            if of_a and of_b
        ]
        nearest = min((int(document.min()) for document in distances), default=None)
        answers = []
        for window in windows:
            within = [int((document <= window).sum()) for document in distances]
            answers.append(Pair(sum(map(bool, within)), sum(within), nearest))
        return answers


def build(path: Path, texts: Sequence[str], **options: object) -> native.Segment:
    builder = native.SegmentBuilder(**options)
    for text in texts:
        builder.add(text)
    builder.finish(str(path))
    return native.Segment(str(path))


OPTIONS = {
    "plain": {"frequent_min_count": 0, "bitmap_min_share": 0.0},
    "pairs": {"frequent_min_count": 5, "frequent_min_share": 0.0, "bitmap_min_share": 0.0},
    "everything": {"frequent_min_count": 1, "frequent_min_share": 0.0, "bitmap_min_share": 0.01},
    "default": {},
}
with_options = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)


def random_corpus(seed: int, n_documents: int, n_types: int) -> list[list[str]]:
    """Documents of very different length over a vocabulary in which few words are frequent."""
    draw = random.Random(seed)
    types = [f"w{number}" if number % 7 else f"wört{number}" for number in range(n_types)]
    weights = [1 / (rank + 2) for rank in range(n_types)]
    lengths = [draw.choice([0, 1, 2, 7, 30, 100, 700]) for _ in range(n_documents)]
    return [draw.choices(types, weights, k=length) for length in lengths]


def random_phrases(seed: int, documents: Sequence[Sequence[str]], n: int) -> list[str]:
    """Half of them cut from the corpus, half of them shuffled so that they may be missing."""
    draw = random.Random(seed)
    filled = [document for document in documents if document]
    phrases = []
    for _ in range(n):
        document = draw.choice(filled)
        start = draw.randrange(len(document))
        words = list(document[start : start + draw.choice([1, 1, 2, 2, 3, 4, 6])])
        if draw.random() < 0.3:
            draw.shuffle(words)
        phrases.append(" ".join(words))
    return phrases


@with_options
def test_counts_of_thousands_of_phrases_equal_a_scan(
    tmp_path: Path, options: dict[str, object]
) -> None:
    documents = random_corpus(1, n_documents=150, n_types=60)
    scan, phrases = Scan(documents), random_phrases(2, documents, 1500)

    segment = build(tmp_path / "s", [" ".join(words) for words in documents], **options)

    assert segment.count(phrases) == [scan.count(phrase) for phrase in phrases]


@with_options
@pytest.mark.parametrize("n_types", [12, 400], ids=["dense", "sparse"])
def test_cooccurrence_of_thousands_of_pairs_equals_a_scan(
    tmp_path: Path, options: dict[str, object], n_types: int
) -> None:
    documents = random_corpus(3, n_documents=40, n_types=n_types)
    scan, phrases = Scan(documents), random_phrases(4, documents, 1200)
    pairs = list(zip(phrases[::2], phrases[1::2], strict=True))

    segment = build(tmp_path / "s", [" ".join(words) for words in documents], **options)

    answers = [scan.cooccurrence(a, b, WINDOWS) for a, b in pairs]
    for window, expected in zip(WINDOWS, map(list, zip(*answers, strict=True)), strict=True):
        assert segment.cooccurrence(pairs, window) == expected
        assert segment.documents(pairs, window) == [pair.documents for pair in expected]
        assert segment.exists(pairs, window) == [pair.pairs > 0 for pair in expected]


small_documents = st.lists(st.lists(st.sampled_from("a b c é".split()), max_size=12), max_size=8)
small_phrases = st.lists(st.sampled_from("a b c é d".split()), min_size=1, max_size=3).map(" ".join)


@settings(max_examples=50, deadline=None)
@given(documents=small_documents, a=small_phrases, b=small_phrases, window=st.integers(0, 13))
def test_every_answer_on_tiny_corpora_equals_a_scan(
    tmp_path_factory: pytest.TempPathFactory,
    documents: list[list[str]],
    a: str,
    b: str,
    window: int,
) -> None:
    scan = Scan(documents)
    for options in OPTIONS.values():
        path = tmp_path_factory.mktemp("tiny") / "s"

        segment = build(path, [" ".join(words) for words in documents], **options)

        (expected,) = scan.cooccurrence(a, b, [window])
        assert segment.count([a, b, a]) == [scan.count(a), scan.count(b), scan.count(a)]
        assert segment.cooccurrence([(a, b)], window) == [expected]
        assert segment.cooccurrence([(b, a)], window) == [expected]
        assert segment.exists([(a, b), (b, a)], window) == [expected.pairs > 0] * 2
        assert segment.occurrences(a, 10**9) == [
            (number, at, len(a.split()))
            for number, starts in enumerate(scan.starts(a))
            for at in starts
        ]


@pytest.mark.parametrize(
    ("distance", "window", "there"),
    [(3, 3, True), (4, 3, False), (1, 0, False), (0, 0, True), (150, 149, False), (150, 150, True)],
)
def test_the_window_includes_its_edge(
    tmp_path: Path, distance: int, window: int, there: bool
) -> None:
    words = ["x"] * 400
    words[100] = "left"
    words[100 + distance] = "right" if distance else "left"
    target = "right" if distance else "left"

    segment = build(tmp_path / "s", [" ".join(words)])

    assert segment.exists([("left", target)], window) == [there]
    assert segment.exists([(target, "left")], window) == [there]


def test_neither_a_phrase_nor_a_pair_reaches_into_the_next_document(tmp_path: Path) -> None:
    segment = build(tmp_path / "s", ["one two", "", "three four"])

    assert segment.count(["two three", "one two"]) == [(0, 0), (1, 1)]
    assert segment.cooccurrence([("two", "three")], 1000) == [(0, 0, None)]


def test_overlapping_occurrences_are_all_counted(tmp_path: Path) -> None:
    segment = build(tmp_path / "s", ["a a a a"], frequent_min_count=1)

    assert segment.count(["a a", "a a a"]) == [(3, 1), (2, 1)]
    assert segment.cooccurrence([("a a", "a a a")], 0) == [(1, 2, 0)]


def test_nearest_pairs_gives_the_closest_of_each_document(tmp_path: Path) -> None:
    segment = build(tmp_path / "s", ["a x x b a b", "b x a", "a", "a x x x b"])

    assert segment.nearest_pairs("a", "b", 2, 10) == [(0, 4, 3, 1, 1), (1, 2, 0, 1, 1)]
    assert segment.nearest_pairs("a", "b", 2, 1) == [(0, 4, 3, 1, 1)]


def test_a_phrase_without_a_word_is_refused_and_named(tmp_path: Path) -> None:
    segment = build(tmp_path / "s", ["one"])

    with pytest.raises(QueryError, match=r"'\?!' has no word"):
        segment.count(["one", "?!"])


def test_threads_give_the_answers_of_one(tmp_path: Path) -> None:
    documents = random_corpus(5, n_documents=60, n_types=80)
    phrases = random_phrases(6, documents, 600)
    pairs = list(zip(phrases[::2], phrases[1::2], strict=True))

    segment = build(tmp_path / "s", [" ".join(words) for words in documents])

    assert segment.count(phrases, n_threads=3) == segment.count(phrases)
    assert segment.cooccurrence(pairs, 9, n_threads=3) == segment.cooccurrence(pairs, 9)


@with_options
def test_answers_about_some_documents_equal_those_of_a_segment_of_them(
    tmp_path: Path, options: dict[str, object]
) -> None:
    documents, draw = random_corpus(11, n_documents=80, n_types=40), random.Random(12)
    deleted = draw.sample(range(80), 30)
    kept = [number for number in range(80) if number not in deleted]
    scan = Scan([documents[number] for number in kept])
    phrases = random_phrases(13, documents, 400)
    pairs = list(zip(phrases[::2], phrases[1::2], strict=True))

    segment = build(tmp_path / "s", [" ".join(words) for words in documents], **options)

    live = segment.among(np.packbits(np.isin(range(80), kept), bitorder="little").tobytes())
    expected = [scan.cooccurrence(a, b, [9])[0] for a, b in pairs]
    assert live.count(phrases) == [scan.count(phrase) for phrase in phrases]
    assert live.cooccurrence(pairs, 9) == expected
    assert live.documents(pairs, 9) == [pair.documents for pair in expected]
    assert live.exists(pairs, 9) == [pair.pairs > 0 for pair in expected]
    assert live.occurrences("w1", 10**6) == [
        (kept[at], word, 1) for at, starts in enumerate(scan.starts("w1")) for word in starts
    ]


@with_options
def test_counts_without_a_few_documents_equal_those_of_a_segment_without_them(
    tmp_path: Path, options: dict[str, object]
) -> None:
    documents = random_corpus(16, n_documents=200, n_types=40)
    kept = [number for number in range(200) if number not in (0, 77, 199)]
    scan = Scan([documents[number] for number in kept])
    phrases = [f"w{number}" for number in range(40)] + random_phrases(17, documents, 100)

    segment = build(tmp_path / "s", [" ".join(words) for words in documents], **options)

    live = segment.among(np.packbits(np.isin(range(200), kept), bitorder="little").tobytes())
    assert live.count(phrases) == [scan.count(phrase) for phrase in phrases]


@with_options
def test_phrases_that_many_pairs_share_are_answered_alike(
    tmp_path: Path, options: dict[str, object]
) -> None:
    documents = random_corpus(14, n_documents=60, n_types=30)
    scan, phrases = Scan(documents), random_phrases(15, documents, 45)
    pairs = [(a, b) for a in phrases for b in phrases]

    segment = build(tmp_path / "s", [" ".join(words) for words in documents], **options)

    expected = [scan.cooccurrence(a, b, [4])[0] for a, b in pairs]
    assert segment.cooccurrence(pairs, 4) == expected
    assert segment.exists(pairs, 4) == [pair.pairs > 0 for pair in expected]


def test_the_same_documents_give_the_same_bytes(tmp_path: Path) -> None:
    texts = [" ".join(words) for words in random_corpus(7, n_documents=50, n_types=90)]

    build(tmp_path / "one", texts)
    again = native.SegmentBuilder()
    again.add_many(texts)
    again.finish(str(tmp_path / "two"))

    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_terms_of_several_segments_are_counted_once(tmp_path: Path) -> None:
    segments = [build(tmp_path / "a", ["one two"]), build(tmp_path / "b", ["two drei", "drei"])]

    assert native.count_terms(segments) == 3
    assert [segment.facts["n_terms"] for segment in segments] == [2, 2]


def test_a_segment_is_never_written_over_another_file(tmp_path: Path) -> None:
    build(tmp_path / "s", ["one"])

    with pytest.raises(FileExistsError):
        build(tmp_path / "s", ["two"])


# --- the tokenizer ------------------------------------------------------------------------------

forms = pytest.mark.parametrize("fold_accents", [False, True], ids=["kept", "folded"])


_UNASSIGNED = range(0x40000, 0xE0000)  # eleven planes in which nothing is a word


@forms
def test_every_code_point_is_cut_as_the_text_form_cuts_it(fold_accents: bool) -> None:
    form = TextForm(fold_accents=fold_accents)
    surroundings = ["{}", "É{}b", "{}\u0301"]

    for start in range(0, sys.maxunicode + 1, 256):
        if start in _UNASSIGNED:
            continue
        text = " ".join(
            around.format(chr(code))
            for code in range(start, start + 256)
            for around in surroundings
        )
        assert native.words(text, fold_accents=fold_accents) == form.words(text), hex(start)


_DIFFICULT = (
    "aZß9 .’İıſKÅΣς\u0345\u0301\u0328\u0307\u0323ǅΐᾳẞéÉ한각ᄒ\u1161\u11a8かが\u3099\u3042漢豈"
    "ไทย\u0e49"
    "ກຳខ្មែ\u17d2ا\u064eب\u05d1\u05bcकि\u094d\u09c7\u09be\U0001d15e\U00010400\ud800\x00\u2126"
)


@forms
@settings(max_examples=300, deadline=None)
@given(text=st.text(alphabet=st.one_of(st.sampled_from(_DIFFICULT), st.characters()), max_size=40))
def test_any_text_is_cut_as_the_text_form_cuts_it(fold_accents: bool, text: str) -> None:
    form = TextForm(fold_accents=fold_accents)

    assert native.words(text, fold_accents=fold_accents) == form.words(text)


def test_the_tables_are_those_of_this_python() -> None:
    assert native.unicode_version == unicodedata.unidata_version


def test_phrases_pass_through_the_text_form_of_the_segment(tmp_path: Path) -> None:
    kept = build(tmp_path / "kept", ["Die STRASSE nach Zu\u0308rich"])
    folded = build(tmp_path / "folded", ["Die STRASSE nach Zu\u0308rich"], fold_accents=True)

    asked = ["straße NACH Zürich", "zurich"]
    assert kept.count(asked) == [(1, 1), (0, 0)]
    assert folded.count(asked) == [(1, 1), (1, 1)]


# --- files that are not what was written --------------------------------------------------------


def ask_everything(path: Path) -> None:
    """Ask a file all questions; that it is damaged may be said, and nothing else may happen."""
    try:
        segment = native.Segment(str(path))
        segment.verify()
        phrases = ["w1", "w2 w3", "w0 w1", "w5", "wört0 w1 w2", "w59", "absent"]
        for phrase in phrases:
            segment.count([phrase])
            segment.occurrences(phrase, 3)
        for a in phrases:
            for b in phrases:
                segment.cooccurrence([(a, b)], 7)
                segment.exists([(a, b)], 7)
                segment.nearest_pairs(a, b, 100, 5)
    except IndexFormatError:
        pass


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("sound") / "s"
    texts = [" ".join(words) for words in random_corpus(8, n_documents=60, n_types=60)]
    build(path, texts, **OPTIONS["everything"])
    return path.read_bytes()


def test_a_sound_file_verifies(tmp_path: Path, sound: bytes) -> None:
    (tmp_path / "s").write_bytes(sound)

    assert native.Segment(str(tmp_path / "s")).verify() == []


def test_a_truncated_file_is_refused_at_open(tmp_path: Path, sound: bytes) -> None:
    path = tmp_path / "s"
    for length in [*range(0, 600, 37), *range(600, len(sound), 997), len(sound) - 1]:
        path.write_bytes(sound[:length])

        with pytest.raises(IndexFormatError):
            native.Segment(str(path))


def test_a_flipped_bit_is_found_and_does_not_crash(tmp_path: Path, sound: bytes) -> None:
    path, draw = tmp_path / "s", random.Random(9)
    for at in [*range(512), *draw.sample(range(512, len(sound)), 300)]:
        damaged = bytearray(sound)
        damaged[at] ^= 1 << draw.randrange(8)
        path.write_bytes(damaged)

        ask_everything(path)
        assert damage(path), at


def damage(path: Path) -> list[str]:
    try:
        return list(native.Segment(str(path)).verify())
    except IndexFormatError as error:
        return [str(error)]


@pytest.mark.parametrize("n_bytes", [1, 20, 400])
def test_files_with_random_bytes_never_crash(tmp_path: Path, sound: bytes, n_bytes: int) -> None:
    path, draw = tmp_path / "s", random.Random(10)
    for _ in range(150):
        damaged = bytearray(sound)
        for _ in range(n_bytes):
            damaged[draw.randrange(512, len(sound))] = draw.randrange(256)
        path.write_bytes(damaged)

        ask_everything(path)
        assert damage(path) or damaged == sound


def test_a_file_of_another_format_version_says_which(tmp_path: Path, sound: bytes) -> None:
    newer = bytearray(sound)
    newer[8] += 1
    (tmp_path / "s").write_bytes(newer)

    with pytest.raises(IndexFormatError, match="format version 2, expected 1"):
        native.Segment(str(tmp_path / "s"))


def test_a_missing_file_is_an_operating_system_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        native.Segment(str(tmp_path / "missing"))
