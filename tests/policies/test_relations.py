"""What a claimed relation means: its kind of tail, and how sentences say it."""

from __future__ import annotations

import pytest

from averment.policies.relations import LifeZone, Sense, TailKind, fits, kind_of, sense_of


def sense(relation: str, tail: str) -> Sense:
    """What to look for; there is something."""
    found = sense_of(relation, tail)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("relation", "tail", "name"),
    [
        pytest.param("director", "Tim Story", "director", id="a label"),
        pytest.param("was directed by", "Tim Story", "director", id="words of a sentence"),
        pytest.param("is directed by", "Tim Story", "director", id="another tense"),
        pytest.param("was born in", "Lyon", "place of birth", id="born in a place"),
        pytest.param("was born in", "1912", "date of birth", id="born in a year"),
        pytest.param("was born on", "5 May 1912", "date of birth", id="born on a day"),
        pytest.param("died in", "Lyon", "place of death", id="died in a place"),
        pytest.param("was the son of", "Ali", "father", id="an article in between"),
        pytest.param("is married to", "Ali", "spouse", id="married to"),
        pytest.param("Date Of Death", "5 May 1912", "date of death", id="case"),
    ],
)
def test_a_relation_is_known_by_its_label_and_by_how_sentences_say_it(
    relation: str, tail: str, name: str
) -> None:
    assert (sense(relation, tail).name, sense(relation, tail).is_known) == (name, True)


def test_a_relation_that_is_not_in_the_table_is_looked_for_as_it_was_put() -> None:
    found = sense("was defeated by", "Ali")

    assert not found.is_known
    assert not found.is_single
    assert ("defeat", "by", "T") in found.patterns


def test_words_that_are_said_of_several_relations_rule_nothing_out() -> None:
    found = sense("was written by", "Ali")

    assert (found.is_known, found.is_single) == (True, False)
    assert found.patterns[0] == ("written", "by", "T")


def test_a_label_keeps_its_kind_of_tail_and_words_of_a_sentence_do_not() -> None:
    label, words = sense("date of death", "Hungarian"), sense("died at", "75")

    assert (label.name, label.kind) == ("date of death", TailKind.DATE)
    assert (words.kind, words.is_known) == (TailKind.NUMBER, False)


@pytest.mark.parametrize("relation", ["", "is", "was the", "of"])
def test_a_relation_without_a_word_that_means_something_cannot_be_looked_for(
    relation: str,
) -> None:
    assert sense_of(relation, "Ali") is None


@pytest.mark.parametrize(
    ("tail", "kind"),
    [
        pytest.param("5 May 1912", TailKind.DATE, id="day"),
        pytest.param("1912", TailKind.DATE, id="year"),
        pytest.param("5,000 km", TailKind.NUMBER, id="measure"),
        pytest.param("three children", TailKind.NUMBER, id="count"),
        pytest.param("Apollo 11", TailKind.NAME, id="a name with a number"),
        pytest.param("Battle of 1912", TailKind.NAME, id="a name with a year"),
        pytest.param("Lyon", TailKind.NAME, id="name"),
    ],
)
def test_a_tail_is_a_date_or_a_number_only_if_that_is_all_it_is(tail: str, kind: TailKind) -> None:
    assert kind_of(tail) is kind


@pytest.mark.parametrize(
    ("wanted", "found", "fit"),
    [
        (TailKind.PERSON, TailKind.NAME, True),
        (TailKind.PERSON, TailKind.DATE, False),
        (TailKind.DATE, TailKind.NAME, False),
        (TailKind.DATE, TailKind.NUMBER, False),
        (TailKind.NUMBER, TailKind.NUMBER, True),
    ],
)
def test_any_name_may_end_a_relation_that_wants_some_name(
    wanted: TailKind, found: TailKind, fit: bool
) -> None:
    assert fits(wanted, found) is fit


def test_only_births_and_deaths_are_read_off_brackets() -> None:
    assert sense("date of birth", "1912").zone is LifeZone.BIRTH
    assert sense("place of death", "Lyon").zone is LifeZone.DEATH
    assert sense("director", "Ali").zone is None
