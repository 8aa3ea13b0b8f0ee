"""How old evidence is: dates of documents, and counts of newer ones, by hand."""

from __future__ import annotations

import pytest

from averment.dating import Age, Dates
from averment.errors import IndexUnavailable
from averment.scoring.ages import counted_ages
from averment.steps import Cooccur
from averment.types import (
    Check,
    Claim,
    ClaimVerdict,
    Cooccurrence,
    CountKind,
    Passage,
    Support,
    Triplet,
)
from doubles import exact, follow, together


def dated(date: str | None) -> Passage:
    """A passage of a document of that date."""
    return Passage(f"p{date}", f"d{date}", "", "Oslo is in Norway.", 0, 18, date=date)


def claim(*evidence: str | None, windows_words: tuple[int, ...] = (9,)) -> Claim:
    """A claim with evidence of some dates, and a check for each window."""
    return Claim(
        text="Oslo is in Norway.",
        start=0,
        end=18,
        sentence=0,
        triplets=(),
        support=Support.PRESENT,
        verdict=ClaimVerdict.SUPPORTED,
        checks=tuple(
            Check(
                Triplet("Oslo", "is in", f"Norway {n}"),
                Support.PRESENT,
                exact(1),
                exact(1),
                together(1),
                n,
            )
            for n in windows_words
        ),
        evidence=tuple(map(dated, evidence)),
        reasons={},
    )


def newer(after: str, window_words: int = 9) -> Cooccur:
    """The question for newer documents."""
    return Cooccur((("Oslo", f"Norway {window_words}"),), window_words, Dates(after=after))


@pytest.mark.parametrize(
    ("dates", "newest"),
    [
        pytest.param(["2020-05-01", "2021-02"], "2021-02", id="the later"),
        pytest.param(["2021", "2021-02-03"], "2021", id="a year ends late"),
        pytest.param([None, "2019"], "2019", id="undated evidence beside it"),
        pytest.param(["soon", "2019"], "2019", id="no date of the calendar"),
    ],
)
def test_the_newest_evidence_is_what_ends_last(dates: list[str | None], newest: str) -> None:
    (age,) = follow(counted_ages([claim(*dates)]), [(newer(newest), [together(3)])])

    assert age == Age(newest, 3)


@pytest.mark.parametrize(
    ("made", "age"),
    [
        pytest.param(claim(), Age(None, None, reason="no_evidence"), id="none"),
        pytest.param(claim(None), Age(None, None, reason="undated_evidence"), id="undated"),
        pytest.param(
            claim("2020", windows_words=()), Age("2020", None, reason="no_pair"), id="no pair"
        ),
    ],
)
def test_what_is_unknown_has_a_reason_and_asks_nothing(made: Claim, age: Age) -> None:
    assert follow(counted_ages([made])) == (age,)


def test_of_several_pairs_the_one_with_most_newer_documents_counts() -> None:
    made = claim("2020", windows_words=(9, 5))

    asked = [(newer("2020", 9), [together(1)]), (newer("2020", 5), [together(4)])]
    assert follow(counted_ages([made]), asked) == (Age("2020", 4),)


@pytest.mark.parametrize(
    "down",
    [
        # CPython 3.11 does not tell a tracer of frames that go on after `throw`.
        pytest.param(IndexUnavailable("The index cannot be reached."), id="raised"),
        pytest.param([Cooccurrence.unavailable()], id="passed on"),
    ],
)
def test_a_corpus_that_is_down_leaves_it_unknown(down: object) -> None:
    (age,) = follow(counted_ages([claim("2020")]), [(newer("2020"), down)])

    assert age == Age("2020", None, reason="not_counted")


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(Cooccurrence(True, 1, 1, 1, CountKind.LOWER_BOUND), id="lower bound"),
        pytest.param(Cooccurrence.unavailable(), id="unknown"),
    ],
)
def test_what_may_be_more_says_so(second: Cooccurrence) -> None:
    made = claim("2020", windows_words=(9, 5))

    asked = [(newer("2020", 9), [together(2)]), (newer("2020", 5), [second])]
    assert follow(counted_ages([made]), asked) == (Age("2020", 2, is_at_least=True),)


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (Age(None, None, reason="no_evidence"), None),
        (
            Age("2020", None, reason="no_pair"),
            "newest evidence of 2020; whether there are newer documents was not counted",
        ),
        (Age("2020", 0), "newest evidence of 2020; no newer document names its pair"),
        (
            Age("2020", 0, is_at_least=True),
            "newest evidence of 2020; no newer document of those that could be read names its pair",
        ),
        (Age("2020", 1), "newest evidence of 2020; 1 newer document names its pair"),
        (
            Age("2020", 1200, is_at_least=True),
            "newest evidence of 2020; at least 1,200 newer documents name its pair",
        ),
    ],
)
def test_an_age_in_words(age: Age, words: str | None) -> None:
    assert age.in_words == words
