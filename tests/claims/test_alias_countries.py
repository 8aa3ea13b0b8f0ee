"""Countries and what their people are called."""

from __future__ import annotations

import pytest

from averment.claims.aliases.book import AliasBook
from averment.claims.aliases.countries import country_rows


@pytest.fixture(scope="module")
def book() -> AliasBook:
    return AliasBook(country_rows(), rules=())


@pytest.mark.parametrize(
    ("country", "demonym"),
    [
        ("France", "French"),
        ("Netherlands", "Dutch"),
        ("South Korea", "South Korean"),
        ("United States", "American"),
        ("Bosnia and Herzegovina", "Bosnian"),
    ],
)
def test_a_country_and_its_people_share_their_forms(
    book: AliasBook, country: str, demonym: str
) -> None:
    one, other = book.resolve(country), book.resolve(demonym)

    assert {form.text for form in one.forms} == {form.text for form in other.forms}
    assert {form.source for form in one.forms} == {"name", "table:countryinfo"}


def test_people_of_two_countries_belong_to_neither(book: AliasBook) -> None:
    found = book.resolve("Dominican")

    assert [form.text for form in found.forms] == ["Dominican"]
    assert found.refused[0].claimed_by == ("Dominica", "Dominican Republic")


@pytest.mark.parametrize("code", ["US", "IT", "AND", "PER", "FRA"])
def test_codes_of_countries_are_words_and_no_names(code: str) -> None:
    assert code not in {row.form for row in country_rows()}


def test_states_are_written_with_dots_too(book: AliasBook) -> None:
    assert "U.S." in {form.text for form in book.resolve("United States").forms}
