from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.dates import Date, Relation
from averment.quantities import Amount, compare, quantities, respelled


def written(text: str) -> list[str]:
    return [text[found.start : found.end] for found in quantities(text)]


def relation(claimed: str, stated: str) -> Relation:
    [one], [other] = quantities(claimed), quantities(stated)
    return compare(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,000 seats", "one thousand seats"),
        ("1\u202f000 seats", "1000 seats"),
        ("5 km", "5000 m"),
        ("5-km", "5 kilometres"),
        ("25 men", "twenty-five men"),
        ("205,000 men", "two hundred and five thousand men"),
        ("3.5 million people", "3,500,000 people"),
        ("12 eggs", "a dozen eggs"),
        ("21st place", "21st place"),
        ("third place", "3rd place"),
        ("20 %", "20 percent"),
        ("$5m", "5 million dollars"),
        ("-5 °C", "minus 5 degrees Celsius"),
        ("23 °F", "-5 °C"),
        ("60 minutes", "1 hour"),
        ("7 November 1867", "November 7, 1867"),
        ("7 November 1867", "1867-11-07"),
        ("7 November 1867", "1867-11-07T"),
        ("October 30, 2007", "October 30 , 2007"),
        (".5 mg", "0.5 mg"),
        ("$.5m", "$500,000"),
        ("-$5 million", "$-5 million"),
        ("(-5 °C)", "-5 °C"),
        ("1,00,000 people", "100,000 people"),
        ("12 000 km", "12,000 km"),
        ("the twenty-second president", "the 22nd president"),
        ("one hundred and twenty-first", "121st"),
    ],
    ids=lambda text: str(text),
)
def test_the_same_value_in_other_words_is_the_same(one: str, other: str) -> None:
    assert relation(one, other) is Relation.SAME
    assert relation(other, one) is Relation.SAME


@pytest.mark.parametrize(
    ("claimed", "stated"),
    [
        ("1,000 seats", "1,001 seats"),
        ("5 km", "5 miles"),
        ("5 km", "6 km"),
        ("-5 °C", "5 °C"),
        ("20 %", "30 %"),
        ("the first film", "the third film"),
        ("$5 million", "$6 million"),
        ("7 November 1867", "8 November 1867"),
        ("in 1867", "in 1868"),
        ("the 1990s", "in 2001"),
        ("the 19th century", "in 1750"),
        ("in October 2007", "in March 2007"),
        ("more than 500 seats", "400 seats"),
        ("at most 3 seats", "4 seats"),
        ("5 mg", ".5 mg"),
        ("-$5 million", "$5 million"),
        ("the twenty-second film", "the 21st film"),
    ],
    ids=lambda text: str(text),
)
def test_another_value_of_the_same_thing_is_different(claimed: str, stated: str) -> None:
    assert relation(claimed, stated) is Relation.DIFFERENT


@pytest.mark.parametrize(
    ("claimed", "stated"),
    [
        ("in 1867", "7 November 1867"),
        ("in November 1867", "7 November 1867"),
        ("the 1860s", "7 November 1867"),
        ("the 19th century", "in 1867"),
        ("about 500 seats", "512 seats"),
        ("more than 500 seats", "512 seats"),
        ("over 400 seats", "more than 500 seats"),
        ("1.2 million people", "1,234,567 people"),
    ],
    ids=lambda text: str(text),
)
def test_what_is_vaguer_follows_from_what_is_more_exact(claimed: str, stated: str) -> None:
    assert relation(claimed, stated) is Relation.SAME
    assert relation(stated, claimed) is not Relation.SAME


@pytest.mark.parametrize(
    ("claimed", "stated"),
    [("5 dogs", "7 cats"), ("5 km", "7 kg"), ("in 1867", "7 November")],
    ids=lambda text: str(text),
)
def test_values_of_other_things_leave_each_other_open(claimed: str, stated: str) -> None:
    assert relation(claimed, stated) is Relation.OPEN


def test_a_year_and_a_count_of_the_same_digits_are_the_same() -> None:
    assert relation("1500 men", "1,500 men") is Relation.SAME
    assert relation("1,500 men", "1500 men") is Relation.SAME


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One of them was the second of two.", ["second", "two"]),
        ("It ran 2000 km in 2000.", ["2000 km", "2000"]),
        ("They lost 10-6.", ["10", "6"]),
        ("From 1955-56 on", ["1955-56", "1955-56"]),
        ("It may march on.", []),
        ("The B52 and the Boeing747", []),
        ("Half a million, half million, a quarter of 8 km", []),
        ("In the first half 3 goals, two behind", ["first", "3", "two"]),
        ("Two and a half years", []),
        ("Two and three are not five.", ["Two", "three", "five"]),
        ("It stayed.5 went, 5 300 came.", ["5", "5", "300"]),
        ("¹ ½ ٣", []),
        ("", []),
    ],
    ids=lambda text: str(text)[:24],
)
def test_numbers_are_found_where_they_stand(text: str, found: list[str]) -> None:
    assert written(text) == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1955–56", [1955, 1956]), ("1999–00", [1999, 2000]), ("2020-05", [2020])],
    ids=["span", "turn of a century", "month"],
)
def test_a_span_of_years_is_two_dates(text: str, expected: list[int]) -> None:
    years = [each.first_year for each in quantities(text) if isinstance(each, Date)]

    assert years == expected


def test_years_before_christ_lie_before_those_after() -> None:
    assert relation("the 5th century BC", "the 5th century") is Relation.DIFFERENT
    assert relation("in 44 BC", "in 44 A.D.") is Relation.DIFFERENT
    assert relation("in 44 BC", "in 44 B.C.E.") is Relation.SAME


@pytest.mark.parametrize("text", ["10-6", "vitamin-12"], ids=["score", "compound"])
def test_a_hyphen_inside_a_word_is_no_sign(text: str) -> None:
    values = [each.value for each in quantities(text) if isinstance(each, Amount)]

    assert all(value is not None and value > 0 for value in values)


@pytest.mark.parametrize(
    ("claimed", "stated", "expected"),
    [
        ("between 10 and 20 people", "15 people", {Relation.SAME}),
        ("between two and five people", "3 people", {Relation.SAME}),
        ("15 people", "between 10 and 20 people", {Relation.OPEN}),
        ("25 km", "between 10 km and 20 km", {Relation.OPEN, Relation.DIFFERENT}),
        ("a match between 2 teams", "a match between 3 teams", {Relation.DIFFERENT}),
    ],
)
def test_between_two_numbers_lies_what_is_neither(
    claimed: str, stated: str, expected: set[Relation]
) -> None:
    found = {compare(one, other) for one in quantities(claimed) for other in quantities(stated)}

    assert found == expected


def test_money_is_of_its_currency() -> None:
    dimensions = [e.dimension for e in quantities("$5, €5, £5") if isinstance(e, Amount)]

    assert dimensions == ["money usd", "money eur", "money gbp"]


def test_a_number_of_very_many_digits_is_an_identifier() -> None:
    assert quantities("7" * 400) == quantities("0." + "7" * 400) == []


_PIECES = st.sampled_from(
    "1 23 000 1999 0.5 , . - – % $ € km m million hundred and two third first May Oct 7th BC s "
    "about more than or century °C minus ~ ( ) word between half".split(" ")
)


@given(st.lists(_PIECES, max_size=14), st.sampled_from(["", " "]))
def test_any_text_of_numbers_has_finite_values_in_order(pieces: list[str], glue: str) -> None:
    text = glue.join(pieces)

    found = quantities(text)

    places = [(each.start, each.end) for each in found]
    assert places == sorted(places)
    for each in found:
        assert text[each.start : each.end]
        assert compare(each, each) is not Relation.DIFFERENT
        if isinstance(each, Amount) and each.value is not None:
            assert math.isfinite(each.value)
            assert each.low <= each.value <= each.high


@pytest.mark.parametrize(
    ("claim", "source", "expected"),
    [
        ("It is 5000 m long.", "They measured 5 km.", "It is 5 km long."),
        ("It opened on May 3, 1890.", "On 3 May 1890 it rained.", "It opened on 3 May 1890."),
        ("It took 1.5 hours.", "90 minutes, not 2 hours.", "It took 90 minutes."),
        ("It cost $5 million.", "The price: $5,000,000.", "It cost $5,000,000."),
        ("It cost 5 million dollars.", "The price: $5,000,000.", "It cost 5 million dollars."),
        ("It opened in 1890.", "On 3 May 1890 it rained.", "It opened in 1890."),
        ("It is 6 km long.", "They measured 5 km.", "It is 6 km long."),
        ("Nothing to see.", "They measured 5 km.", "Nothing to see."),
        ("12 of 5000 m.", "A dozen? No: 12 in 5 km.", "12 of 5 km."),
    ],
    ids=["unit", "date", "time", "money", "other mark", "vaguer", "other", "none", "two"],
)
def test_a_value_takes_the_spelling_of_its_source(claim: str, source: str, expected: str) -> None:
    found = respelled(claim, quantities(claim), source, quantities(source))

    assert found == expected
