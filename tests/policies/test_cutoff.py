"""What a model cannot have learned is looked up: step sequences with answers known by hand."""

from __future__ import annotations

import dataclasses

import pytest

from averment.dating import Dates
from averment.errors import CapabilityError
from averment.policies.loop import Query
from averment.steps import Cooccur, CountPhrases
from averment.types import Cooccurrence, Count, CountKind
from doubles import Exchange, exact, passage, together
from policies.quco_by_hand import (
    OSLO_NORWAY,
    RIGHT,
    TEXT,
    TRIGGER,
    before,
    claims,
    counted,
    held,
    inspect,
    names,
)

CUTOFF = "2024-06"
UNTIL, AFTER = Dates(until=CUTOFF), Dates(after=CUTOFF)
LATE = dataclasses.replace(TRIGGER, model_cutoff=CUTOFF)
LOWER = Count(2, 2, CountKind.LOWER_BOUND)


def dated(until: list[Count], after: list[Count], *phrases: str) -> list[Exchange]:
    """Counts of names up to the cutoff and after it."""
    return [(CountPhrases(phrases, UNTIL), until), (CountPhrases(phrases, AFTER), after)]


def test_a_name_known_before_the_cutoff_is_no_reason_to_look() -> None:
    made = before(
        LATE, names("Oslo"), counted(Oslo=exact(9)), *dated([exact(1)], [exact(8)], "Oslo")
    )

    assert made == ()


def test_a_name_known_only_after_the_cutoff_is_looked_up() -> None:
    made = before(
        LATE,
        names("Oslo", "Vika"),
        counted(Oslo=exact(9), Vika=exact(5)),
        *dated([exact(2), exact(0)], [exact(7), exact(5)], "Oslo", "Vika"),
    )

    detail = "the corpus knows Vika only from after 2024-06, when the model's data end"
    assert made == (Query(TEXT, "after_cutoff", detail),)


@pytest.mark.parametrize(
    ("every", "until", "after"),
    [
        pytest.param(exact(5), exact(0), exact(4), id="one document without a date"),
        pytest.param(exact(5), Count.unavailable(), Count.unavailable(), id="no dates"),
        pytest.param(exact(5), exact(0), dataclasses.replace(LOWER, documents=5), id="damaged"),
    ],
)
def test_what_no_date_says_is_unclear_and_looked_up(
    every: Count, until: Count, after: Count
) -> None:
    made = before(LATE, names("Oslo"), counted(Oslo=every), *dated([until], [after], "Oslo"))

    assert [query.trigger for query in made] == ["unclear_cutoff"]


def test_an_index_without_dates_leaves_it_unclear() -> None:
    refusal = CapabilityError("This corpus does not know dates.")
    made = before(
        LATE,
        names("Oslo"),
        counted(Oslo=exact(5)),
        (CountPhrases(("Oslo",), UNTIL), refusal),
        (CountPhrases(("Oslo",), AFTER), refusal),
    )

    assert [query.trigger for query in made] == ["unclear_cutoff"]


def test_a_name_that_the_corpus_does_not_know_has_no_date() -> None:
    made = before(LATE, names("Oslo"), counted(Oslo=exact(0)))

    assert [query.trigger for query in made] == ["rare_entity"]


def dated_pair(until: Cooccurrence, after: Cooccurrence) -> list[Exchange]:
    """A pair up to the cutoff and after it."""
    pair = (("Oslo", "Norway"),)
    return [(Cooccur(pair, 1000, UNTIL), [until]), (Cooccur(pair, 1000, AFTER), [after])]


HELD = [claims(RIGHT, OSLO_NORWAY), *held((OSLO_NORWAY, together(3)))]


def test_a_claimed_pair_first_seen_after_the_cutoff_is_looked_up() -> None:
    found = inspect(RIGHT, *HELD, *dated_pair(together(0), together(3)), trigger=LATE)

    (query,) = found.queries
    assert (query.text, query.trigger) == ("Oslo is the capital of", "after_cutoff")
    assert query.detail.startswith("the corpus knows Oslo and Norway only from after 2024-06")
    assert found.support == "present"


def test_a_pair_of_before_the_cutoff_stands() -> None:
    found = inspect(RIGHT, *HELD, *dated_pair(together(1), together(2)), trigger=LATE)

    assert found.queries == ()


def test_a_late_pair_that_was_read_stands() -> None:
    read = passage("Since 2025 the capital is Oslo.", title="Norway")

    found = inspect(RIGHT, *HELD, trigger=LATE, passages=[read])

    assert found.queries == ()


def test_a_pair_that_fails_by_itself_is_not_dated() -> None:
    absent = [claims(RIGHT, OSLO_NORWAY), *held((OSLO_NORWAY, together(0)))]

    found = inspect(RIGHT, *absent, trigger=LATE)

    assert [query.trigger for query in found.queries] == ["absent_pair"]
