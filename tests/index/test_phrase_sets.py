"""Forms of one name, restricted segments and several windows, in every engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from averment.errors import QueryError
from averment.index.engines import Segment, open_segment, segment_writer
from averment.text import TextForm
from contracts.index_engines import EACH_ENGINE

Build = Callable[[Sequence[str]], Segment]


@pytest.fixture(params=EACH_ENGINE)
def build(request: pytest.FixtureRequest, tmp_path: Path) -> Build:
    def write_and_open(texts: Sequence[str]) -> Segment:
        writer = segment_writer(request.param, TextForm())
        for text in texts:
            writer.add(text)
        writer.write(tmp_path)
        return open_segment(request.param, tmp_path, TextForm())

    return write_and_open


def bits(mask: Sequence[bool]) -> bytes:
    return np.packbits(np.array(mask), bitorder="little").tobytes()


# --- sets of forms ------------------------------------------------------------------------------


def test_the_forms_of_a_name_are_counted_together(build: Build) -> None:
    segment = build(["the EU and the European Union", "the EU", "nothing"])

    assert segment.count([{"EU", "European Union"}]) == [(3, 2)]


def test_of_forms_that_start_together_the_longest_counts(build: Build) -> None:
    segment = build(["European Union law"])

    forms = {"European", "European Union"}
    assert segment.count([forms]) == [(1, 1)]
    assert segment.occurrences(forms, 9) == [(0, 0, 2)]


def test_of_overlapping_forms_the_first_counts(build: Build) -> None:
    segment = build(["a b c d"])

    assert segment.occurrences({"a b", "b c d"}, 9) == [(0, 0, 2)]


def test_a_form_begins_anew_behind_the_one_before(build: Build) -> None:
    segment = build(["a a a a a", "a a"])

    assert segment.occurrences({"a a", "other"}, 9) == [(0, 0, 2), (0, 2, 2), (1, 0, 2)]


def test_occurrences_of_a_single_phrase_may_overlap(build: Build) -> None:
    segment = build(["a a a"])

    assert segment.count(["a a", {"a a"}, {"a a", "A  A"}]) == [(2, 1)] * 3


def test_a_long_document_is_matched_from_its_start_wherever_one_looks(build: Build) -> None:
    segment = build(["x", " ".join(["a"] * 1001 + ["b"])])

    # The last pair that counts starts at 998: the odd word is left over.
    assert segment.cooccurrence([({"a a", "c"}, "b")], 0) == [(0, 0, 3)]
    assert segment.exists([("b", {"a a", "c"})], 2) == [False]
    assert segment.exists([("b", {"a a", "c"})], 3) == [True]


def test_the_nearest_pair_says_which_forms_it_is_of(build: Build) -> None:
    segment = build(["the European Union x x Bonn Germany"])

    found = segment.nearest_pairs({"EU", "European Union"}, {"Bonn", "Bonn Germany"}, 9, 9)

    assert found == [(0, 1, 5, 2, 2)]


def test_sets_are_answered_alike_in_batches(build: Build) -> None:
    segment = build(["EU x Bonn", "European Union", "Bonn EU"])
    forms = frozenset(["EU", "European Union"])

    pairs = [(forms, "Bonn"), ({"European Union", "EU"}, "Bonn"), ("Bonn", forms)]
    assert segment.cooccurrence(pairs * 20, 5) == [(2, 2, 1)] * 60
    assert segment.count([forms] * 3) == [(3, 3)] * 3


def test_an_empty_set_is_refused(build: Build) -> None:
    segment = build(["a"])

    with pytest.raises(QueryError, match=r"(?i)a set of forms is empty"):
        segment.count(["a", frozenset()])


def test_a_form_without_a_word_is_named(build: Build) -> None:
    segment = build(["a"])

    with pytest.raises(QueryError, match=r"'\?!' has no word"):
        segment.exists([("a", {"EU", "?!"})], 5)


# --- restricted segments ------------------------------------------------------------------------


def test_answers_of_a_restricted_segment_are_about_its_documents(build: Build) -> None:
    segment = build(["a b", "a", "b a a"])

    some = segment.among(bits([False, True, True]))

    assert some.count(["a", "b"]) == [(3, 2), (1, 1)]
    assert some.cooccurrence([("a", "b")], 9) == [(1, 2, 1)]
    assert some.occurrences("a", 1) == [(1, 0, 1)]
    assert (some.n_documents, some.n_words) == (3, 6)


def test_a_restriction_of_a_restriction_is_both(build: Build) -> None:
    segment = build(["a", "a", "a"])

    some = segment.among(bits([True, True, False])).among(bits([False, True, True]))

    assert some.occurrences("a", 9) == [(1, 0, 1)]
    assert segment.count(["a"]) == [(3, 3)]


def test_bits_behind_the_last_document_mean_nothing(build: Build) -> None:
    segment = build(["a", "b a"])

    assert segment.among(b"\xff").count(["a"]) == [(2, 2)]


@pytest.mark.parametrize("members", [b"", b"\x01\x00"], ids=["short", "long"])
def test_a_set_of_other_length_is_refused(build: Build, members: bytes) -> None:
    segment = build(["a", "b"])

    with pytest.raises(QueryError, match="set of documents has"):
        segment.among(members)


# --- windows ------------------------------------------------------------------------------------


def test_each_window_is_answered_in_the_order_asked(build: Build) -> None:
    segment = build(["a x b x x a", "b x x a", "a"])

    found = segment.cooccurrence_by_window([("a", "b"), ("a", "absent")], [3, 0, 2])

    assert found == [(2, [(2, 3), (0, 0), (1, 1)]), (None, [(0, 0)] * 3)]


def test_without_a_window_there_is_nothing_to_ask(build: Build) -> None:
    segment = build(["a b"])

    with pytest.raises(QueryError, match=r"(?i)no window"):
        segment.cooccurrence_by_window([("a", "b")], [])


def test_every_engine_takes_a_number_of_threads(build: Build) -> None:
    segment = build(["a b"])

    assert segment.count(["a"], n_threads=2) == [(1, 1)]
    assert segment.exists([("a", "b")], 1, n_threads=2) == [True]
    assert segment.cooccurrence([("a", "b")], 1, n_threads=2) == [(1, 1, 1)]
    assert segment.cooccurrence_by_window([("a", "b")], [1], n_threads=2) == [(1, [(1, 1)])]
