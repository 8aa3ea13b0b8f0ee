from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.claims.spans import keep_spans
from averment.text import TextForm, contains_words
from averment.types import DroppedTriplet, Triplet

SENTENCE = "The Italian film Vetham Returns was directed by Haneef of Zürich, the actor."


@pytest.mark.parametrize(
    ("head", "relation", "tail", "reason"),
    [
        ("Arjun", "was directed by", "Haneef", "head_not_in_sentence"),
        ("", "was directed by", "Haneef", "head_not_in_sentence"),
        ("…", "was directed by", "Haneef", "head_not_in_sentence"),
        ("Vetham Returns", "was directed by", "Arjun", "tail_not_in_sentence"),
        ("Vetham Returns", "was directed by", "Hanee", "tail_not_in_sentence"),
        ("Vetham Haneef", "was directed by", "Zürich", "head_not_in_sentence"),
        ("Haneef", "is", "haneef", "same_head_and_tail"),
        ("Vetham", "is", "Vetham Returns", "head_in_tail"),
        ("Haneef of Zürich", "is from", "Zürich", "tail_in_head"),
        ("Vetham Returns", "", "Haneef", "empty_relation"),
        ("Vetham Returns", "…", "Haneef", "empty_relation"),
        ("Vetham Returns", "is", "Italian", "generic_tail"),
        ("Haneef", "is", "the actor", "generic_tail"),
    ],
)
def test_a_refused_triplet_is_kept_with_its_reason(
    head: str, relation: str, tail: str, reason: str
) -> None:
    triplet = Triplet(head, relation, tail)

    extraction = keep_spans(SENTENCE, [triplet])

    assert extraction.triplets == ()
    assert extraction.dropped == (DroppedTriplet(triplet, reason),)


def test_case_and_marks_between_words_do_not_matter() -> None:
    triplet = Triplet("VETHAM-RETURNS", "was directed by", "haneef of zürich")

    extraction = keep_spans(SENTENCE, [triplet])

    assert extraction.triplets == (triplet,)


def test_a_triplet_that_comes_twice_is_kept_once() -> None:
    triplet = Triplet("Vetham Returns", "was directed by", "Haneef")

    extraction = keep_spans(SENTENCE, [triplet, triplet])

    assert extraction.triplets == (triplet,)


_PARTS = st.sampled_from(
    ["Haneef", "Vetham", "film", "Italian", "in", "1867", "…", "", "St. Louis"]
)
_TRIPLETS = st.builds(
    Triplet,
    st.lists(_PARTS, max_size=3).map(" ".join),
    st.lists(_PARTS, max_size=2).map(" ".join),
    st.lists(_PARTS, max_size=3).map(" ".join),
)


@given(st.lists(_PARTS, max_size=8).map(" ".join), st.lists(_TRIPLETS, max_size=4))
def test_every_triplet_is_kept_or_dropped_and_what_is_kept_can_be_asked(
    sentence: str, triplets: list[Triplet]
) -> None:
    extraction = keep_spans(sentence, triplets)

    words = TextForm().words
    dropped = {each.triplet for each in extraction.dropped}
    assert set(extraction.triplets) | dropped == set(triplets)
    assert not set(extraction.triplets) & dropped
    for each in extraction.triplets:
        head, tail = words(each.head), words(each.tail)
        assert head
        assert tail
        assert contains_words(words(sentence), head)
        assert contains_words(words(sentence), tail)
        assert not contains_words(tail, head)
        assert not contains_words(head, tail)
