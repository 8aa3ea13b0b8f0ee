"""Corpus features: what counts say of a claim, and that unknown is never zero."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.franq.evidence import (
    DIRECTIONS,
    SURPRISE_CAP,
    TRIPLE_DIRECTIONS,
    CorpusSize,
    TripleCounts,
    claim_features,
    expected_documents,
    triple_features,
)
from averment.types import Cooccurrence, Count, CountKind

CORPUS = CorpusSize(n_documents=1000, n_words=200_000, window_words=1000)


def count(documents: int, kind: CountKind = CountKind.EXACT) -> Count:
    return Count(documents * 3, documents, kind)


def pair(documents: int, nearest: int = 9, kind: CountKind = CountKind.EXACT) -> Cooccurrence:
    found = bool(documents)
    return Cooccurrence(found, documents, documents * 2, nearest if found else None, kind)


KNOWN = TripleCounts(count(99), count(9), pair(4), (pair(1), pair(12)))
ZERO = replace(KNOWN, together=pair(0))


def test_every_feature_of_a_known_triple() -> None:
    features = triple_features(KNOWN, corpus=CORPUS)

    assert features == pytest.approx(
        {
            "log_head": 2.0,
            "log_tail": 1.0,
            "log_cooccurrence": math.log10(5),
            "zero": 0.0,
            "npmi": math.log(4 * 1000 / (99 * 9)) / -math.log(4 / 1000),
            "surprise": 0.0,
            "rarity": 0.01,
            "contrast": 4 / 16,
            "conflict": math.log10(13 / 5),
            "log_distance": 1.0,
        }
    )
    assert list(features) == list(TRIPLE_DIRECTIONS)


def test_a_zero_says_as_much_as_it_is_surprising() -> None:
    common = triple_features(replace(ZERO, head=count(500), tail=count(8)), corpus=CORPUS)
    rare = triple_features(replace(ZERO, head=count(2), tail=count(8)), corpus=CORPUS)

    assert (common["zero"], rare["zero"]) == (1.0, 1.0)
    assert common["surprise"] == pytest.approx(500 * 8 / 1000)
    assert rare["surprise"] == pytest.approx(2 * 8 / 1000)
    assert (common["npmi"], common["log_distance"]) == (-1.0, None)


def test_surprise_has_a_cap() -> None:
    triple = replace(ZERO, head=count(900), tail=count(900))

    assert triple_features(triple, corpus=CORPUS)["surprise"] == SURPRISE_CAP


def test_names_that_the_corpus_does_not_know_at_all_say_nothing_about_each_other() -> None:
    features = triple_features(replace(ZERO, head=count(0)), corpus=CORPUS)

    assert (features["npmi"], features["surprise"], features["rarity"]) == (None, 0.0, 1.0)


def test_the_window_factor_is_the_share_of_a_document_within_reach() -> None:
    long = CorpusSize(n_documents=10, n_words=100_000, window_words=500)

    assert (CORPUS.window_factor, long.window_factor) == (1.0, pytest.approx(0.1001))
    triple = TripleCounts(count(5), count(4), pair(0))
    assert expected_documents(triple, corpus=long) == pytest.approx(5 * 4 / 10 * 0.1001)


@pytest.mark.parametrize("numbers", [(0, 9, 9), (9, 0, 9), (9, 9, -1)])
def test_a_corpus_of_nothing_is_refused(numbers: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="documents and words"):
        CorpusSize(*numbers)


@pytest.mark.parametrize("documents", [1000, 1500])
def test_a_pair_in_every_document_is_perfectly_associated(documents: int) -> None:
    triple = TripleCounts(count(1000), count(1000), pair(documents))

    assert triple_features(triple, corpus=CORPUS)["npmi"] == 1.0


# --- unknown is never zero ----------------------------------------------------------------------

UNKNOWN_PAIRS = [
    Cooccurrence.unavailable(),
    pair(0, kind=CountKind.LOWER_BOUND),
    pair(0, kind=CountKind.ESTIMATE),
    Cooccurrence(True, None, 7, 3, CountKind.EXACT),
]
OF_BOTH = ("log_cooccurrence", "zero", "npmi", "surprise", "contrast", "conflict", "log_distance")


@pytest.mark.parametrize("together", UNKNOWN_PAIRS, ids=lambda pair: pair.kind)
def test_an_unknown_cooccurrence_gives_no_feature(together: Cooccurrence) -> None:
    features = triple_features(replace(KNOWN, together=together), corpus=CORPUS)

    assert [features[name] for name in OF_BOTH] == [None] * len(OF_BOTH)
    assert features["log_head"] == 2.0


@pytest.mark.parametrize(
    "head",
    [Count.unavailable(), count(0, CountKind.LOWER_BOUND), count(0, CountKind.ESTIMATE)],
    ids=lambda count: count.kind,
)
def test_an_unknown_head_gives_no_feature_that_needs_it(head: Count) -> None:
    features = triple_features(replace(ZERO, head=head), corpus=CORPUS)

    assert [features[n] for n in ("log_head", "npmi", "surprise", "rarity")] == [None] * 4
    assert (features["zero"], features["log_tail"]) == (1.0, 1.0)


def test_a_lower_bound_above_zero_is_a_count_but_no_part_of_a_ratio() -> None:
    features = triple_features(
        replace(KNOWN, together=pair(4, kind=CountKind.LOWER_BOUND)), corpus=CORPUS
    )

    assert features["log_cooccurrence"] == math.log10(5)
    assert (features["zero"], features["npmi"], features["contrast"]) == (0.0, None, None)


def test_an_estimate_above_zero_is_a_count() -> None:
    features = triple_features(
        replace(KNOWN, together=pair(4, kind=CountKind.ESTIMATE)), corpus=CORPUS
    )

    assert features == triple_features(KNOWN, corpus=CORPUS)


@pytest.mark.parametrize(
    "rivals", [(), (pair(3), Cooccurrence.unavailable())], ids=["none", "unknown"]
)
def test_without_known_rivals_there_is_neither_contrast_nor_conflict(
    rivals: tuple[Cooccurrence, ...],
) -> None:
    features = triple_features(replace(KNOWN, rivals=rivals), corpus=CORPUS)

    assert (features["contrast"], features["conflict"]) == (None, None)


def test_a_tail_and_rivals_that_never_occur_have_no_contrast() -> None:
    features = triple_features(replace(ZERO, rivals=(pair(0),)), corpus=CORPUS)

    assert (features["contrast"], features["conflict"]) == (None, 0.0)


# --- claims -------------------------------------------------------------------------------------


def test_a_claim_is_as_strong_as_its_weakest_triple() -> None:
    features = claim_features([KNOWN, ZERO], corpus=CORPUS)

    assert (features["log_cooccurrence_weakest"], features["zero_weakest"]) == (0.0, 1.0)
    assert features["log_cooccurrence_mean"] == pytest.approx(math.log10(5) / 2)
    assert features["zero_mean"] == 0.5
    assert list(features) == list(DIRECTIONS)


def test_a_feature_that_one_triple_lacks_the_claim_lacks_too() -> None:
    unknown = replace(KNOWN, together=Cooccurrence.unavailable())

    features = claim_features([KNOWN, unknown], corpus=CORPUS)

    assert (features["npmi_weakest"], features["npmi_mean"]) == (None, None)
    assert features["log_head_weakest"] == 2.0


def test_a_claim_without_triples_has_no_feature() -> None:
    assert set(claim_features([], corpus=CORPUS).values()) == {None}


COUNTS = st.builds(
    Count,
    st.none() | st.integers(0, 5000),
    st.none() | st.integers(0, 5000),
    st.sampled_from(CountKind),
)
PAIRS = st.builds(
    Cooccurrence,
    st.none() | st.booleans(),
    st.none() | st.integers(0, 5000),
    st.none() | st.integers(0, 5000),
    st.none() | st.integers(0, 5000),
    st.sampled_from(CountKind),
)
TRIPLES = st.builds(TripleCounts, COUNTS, COUNTS, PAIRS, st.lists(PAIRS, max_size=2).map(tuple))


@given(st.lists(TRIPLES, max_size=3))
def test_no_counts_make_a_feature_that_is_not_finite(triples: list[TripleCounts]) -> None:
    features = claim_features(triples, corpus=CORPUS)

    known = [value for value in features.values() if value is not None]
    assert all(math.isfinite(value) for value in known)
    assert -1 <= (features["npmi_weakest"] or 0) <= 1
