"""What made-up pairs must never be: a supported claim labelled as unsupported, or the reverse.

PYTHONPATH=. pytest test_pairs.py
"""

from __future__ import annotations

import random

import pytest

from edits import (
    Context,
    add_detail,
    change_date_word,
    change_name,
    change_number,
    negate,
    restrict,
    swap_roles,
)
from lexicon import Lexicon
from mentions import said_words
from pairs import ENTAILMENT, NEUTRAL, changed_spans, is_validation
from rewrites import drop_apposition, drop_opening, number_format, second_half, to_active, with_name
from sources import Passage, plain
from synthetic import edit_pairs, window_of

_SOURCE = "The bridge was built by Anna Keller in 1921 and opened by Karl Brandt in May 1923."
_CONTEXT = Context(
    names=["Anna Keller", "Karl Brandt", "Marta Stein"],
    foreign_names=["Peter Lang"],
    numbers=["1921", "1923", "1950"],
    details=["in the presence of the mayor"],
    lexicon=Lexicon(),
)


@pytest.mark.parametrize("maker", [change_name, change_number, change_date_word])
@pytest.mark.parametrize("seed", range(8))
def test_what_an_edit_puts_in_does_not_stand_in_the_source(maker, seed):
    edit = maker(_SOURCE, _SOURCE, _CONTEXT, random.Random(seed))

    put_in = [edit.claim[a:b] for a, b in changed_spans(edit.claim, _SOURCE)]
    assert put_in
    assert all(words not in _SOURCE for words in put_in)


@pytest.mark.parametrize("seed", range(8))
def test_an_edit_changes_source_and_claim_alike(seed):
    edit = change_number(_SOURCE, _SOURCE, _CONTEXT, random.Random(seed))

    assert edit.claim == edit.source != _SOURCE


def test_negating_twice_gives_the_sentence_back():
    once = negate(_SOURCE, "The bridge was built in 1921.", _CONTEXT, random.Random(0))
    twice = negate(
        once.source.replace("never", "not"),
        once.claim.replace("never", "not"),
        _CONTEXT,
        random.Random(0),
    )

    assert twice.claim == "The bridge was built in 1921."


def test_roles_of_a_symmetric_relation_are_not_swapped():
    sentence = "In 1921 Anna Keller married Karl Brandt."

    assert swap_roles(sentence, sentence, _CONTEXT, random.Random(0)) is None


def test_roles_of_a_directed_relation_are_swapped():
    sentence = "In 1921 Anna Keller defeated Karl Brandt."

    edit = swap_roles(sentence, sentence, _CONTEXT, random.Random(0))

    assert edit.claim == "In 1921 Karl Brandt defeated Anna Keller."


def test_a_claim_without_the_added_detail_stays_supported():
    edit = add_detail(_SOURCE, _SOURCE, _CONTEXT, random.Random(0))

    assert (edit.new_claim_label, edit.old_claim_label) == (NEUTRAL, ENTAILMENT)


def test_never_is_a_denial_in_both_directions():
    edits = [restrict(_SOURCE, _SOURCE, _CONTEXT, random.Random(seed)) for seed in range(20)]

    for edit in edits:
        assert (edit.old_claim_label == ENTAILMENT) is (" never " not in edit.claim)


@pytest.mark.parametrize(
    ("rewrite", "sentence", "expected"),
    [
        pytest.param(
            drop_apposition,
            "Keller, a Swiss engineer, was the builder.",
            "Keller was the builder.",
            id="apposition",
        ),
        pytest.param(
            drop_opening, "In 1921, the bridge was opened.", "The bridge was opened.", id="opening"
        ),
        pytest.param(
            to_active,
            "The bridge was built by Anna Keller.",
            "Anna Keller built The bridge.",
            id="active",
        ),
        pytest.param(number_format, "It has 12 arches.", "It has twelve arches.", id="number"),
        pytest.param(
            second_half,
            "Anna Keller was born in Basel and died in Bern.",
            "Anna Keller died in Bern.",
            id="second-half",
        ),
    ],
)
def test_a_rewrite_says_the_same_or_less(rewrite, sentence, expected):
    assert rewrite(sentence) == expected


def test_a_pronoun_becomes_the_title_without_its_brackets():
    assert with_name("She died in Bern.", "Anna Keller (engineer)") == "Anna Keller died in Bern."


def test_each_edit_gives_both_sides_and_marks_the_unsupported_words():
    passage = Passage("Old Bridge", (_SOURCE, "It was widened in 1950 by Marta Stein."), "wiki")

    pairs = list(edit_pairs([passage] * 40, Lexicon(), random.Random(3), 80))

    assert {pair.label == ENTAILMENT for pair in pairs} == {True, False}
    assert all(pair.unsupported == () for pair in pairs if pair.label == ENTAILMENT)
    assert all(pair.unsupported for pair in pairs if pair.label != ENTAILMENT)


def test_a_window_holds_its_centre():
    passage = Passage(
        "Old Bridge", tuple(f"Sentence number {i} is here." for i in range(30)), "wiki"
    )

    for centre in range(30):
        start, end = window_of(passage, centre, random.Random(centre))
        assert start <= centre < end


def test_a_group_never_changes_sides():
    assert is_validation("page:Old Bridge") is is_validation("PAGE:old bridge")


def test_tokenised_text_is_written_as_people_write():
    assert plain("He did n't , -LRB- ever -RRB- , go .") == "He didn't, (ever), go."


def test_the_words_of_a_relation_are_marked_and_its_ends_are_not() -> None:
    claim = "The birthplace of Hanna Lindqvist is Old Birthplace."

    marked = said_words(claim, ("Hanna Lindqvist", "Old Birthplace"))

    assert [claim[start:end] for start, end in marked] == ["birthplace"]
