"""Each rule of aliases alone: what it makes of a name, and what it leaves alone."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from averment.claims.aliases.rules import RULES, is_acronym, rewritings
from averment.dates import dates_at
from averment.quantities import Amount, quantities
from averment.text import TextForm

BY_ID = {rule.rule_id: rule for rule in RULES}
MAKES = {
    "acronym": [("World Trade Organization (WTO)", ["WTO"])],
    "disambiguator": [
        ("Amistad (film)", ["Amistad"]),
        ("Miller (director, born 1901)", ["Miller"]),
    ],
    "possessive": [("Tolkien's", ["Tolkien"]), ("Vik’s", ["Vik"])],
    "place": [
        ("Mumbai, Maharashtra, India", ["Mumbai, Maharashtra", "Mumbai"]),
        ("New York, N.Y.", ["New York"]),
        ("Ab Garmu, Kohgiluyeh and Boyer-Ahmad", ["Ab Garmu"]),
    ],
    "title": [
        ("Sir Ronald Ross", ["Ronald Ross"]),
        ("Lena Vik, OBE", ["Lena Vik"]),
        ("Otto Hale, 4th Earl of Marl", ["Otto Hale"]),
        ("Leopold II, Holy Roman Emperor", ["Leopold II"]),
    ],
    "article": [("The Prairie King", ["Prairie King"])],
    "middle_name": [("Edward F. Cline", ["Edward Cline"]), ("Jo A. B. Vik", ["Jo Vik"])],
    "middle_initial": [
        ("John Ronald Reuel Vik", ["John R. R. Vik", "J. R. R. Vik"]),
    ],
    "initials": [
        ("J. R. R. Tolkien", ["JRR Tolkien"]),
        ("J.R.R. Tolkien", ["JRR Tolkien"]),
        ("JRR Tolkien", ["J. R. R. Tolkien"]),
        ("U.S.A.", ["USA"]),
    ],
    "ampersand": [
        ("Hall & Oates", ["Hall and Oates"]),
        ("Hall and Oates", ["Hall & Oates"]),
    ],
    "abbreviation": [
        ("St. Louis", ["Saint Louis"]),
        ("St Louis", ["Saint Louis"]),
        ("Mount Vik", ["Mt. Vik"]),
    ],
    "joined": [("Spider-Man", ["SpiderMan"]), ("Sean O'Brien", ["Sean OBrien"])],
    "diacritics": [
        ("Zürich", ["Zurich", "Zuerich"]),
        ("Łódź", ["Lodz"]),
        ("Søren Ærø", ["Soren Aero"]),
        ("مُحَمَّد", ["محمد"]),
        ("Артём", ["Артем"]),
    ],
    "width": [("ＮＨＫ", ["NHK"]), ("ｶﾞｽ", ["ガス"]), ("محمـــد", ["محمد"]), ("ﻣﺤﻤﺪ", ["محمد"])],
    "number": [
        ("1,500,000 people", ["1500000 people", "1.5 million people"]),
        ("25000", ["25,000"]),
        ("2 billion", ["2,000,000,000", "2000000000"]),
    ],
    "date": [
        (
            "12 May 1815",
            [
                "May 12, 1815",
                "1815-05-12",
                "12th May 1815",
                "May 12th, 1815",
                "12th of May 1815",
                "12 of May 1815",
            ],
        ),
        ("May 12", ["12 May", "12th May", "May 12th", "12th of May"]),
    ],
}
LEAVES_ALONE = {
    "acronym": ["Amistad (FILM)", "World Trade Organization", "Oslo (O)"],
    "disambiguator": ["Amistad", "(film)"],
    "possessive": ["O'Brien", "Texas"],
    "place": [
        "O Brother, Where Art Thou?",
        "Crosby, Stills & Nash",
        "Sammy Vik, Jr.",
        "Otto Hale, 4th Earl of Marl",
        "Henry, 1812",
        "Mumbai",
    ],
    "title": ["King Crimson", "Ronald Ross", "Mumbai, India"],
    "article": ["The Who", "Theodore Vik"],
    "middle_name": ["John Quincy Adams", "New York City", "J. R. R. Tolkien"],
    "middle_initial": ["New York City", "World Trade Organization", "John Vik"],
    "initials": ["Oslo", "NATO Summit", "ABC"],
    "ampersand": ["Hall", "Sandland"],
    "abbreviation": ["Stockholm"],
    "joined": ["Oslo"],
    "diacritics": ["Oslo", "ガス", "กรุงเทพ", "Толстой", "हिन्दी"],
    "width": ["Oslo", "Zürich", "東京", "Köln"],
    "number": ["1815", "12", "1,50", "three"],
    "date": ["1815", "May 1815", "12 May 1815 and later", "the 1810s", "Oslo"],
}


def words(text: str) -> tuple[str, ...]:
    return tuple(TextForm().words(text))


def made_by(rule_id: str, name: str) -> list[str]:
    return [made.text for made in rewritings(name, [BY_ID[rule_id]])]


def test_every_rule_has_a_table_of_what_it_makes_and_of_what_it_leaves_alone() -> None:
    assert set(BY_ID) == set(MAKES) == set(LEAVES_ALONE)


@pytest.mark.parametrize(
    ("rule_id", "name", "made"),
    [(rule, name, made) for rule, rows in MAKES.items() for name, made in rows],
)
def test_a_rule_makes_other_ways_of_writing(rule_id: str, name: str, made: list[str]) -> None:
    assert made_by(rule_id, name) == made


@pytest.mark.parametrize(
    ("rule_id", "name"), [(rule, name) for rule, names in LEAVES_ALONE.items() for name in names]
)
def test_a_rule_leaves_other_names_alone(rule_id: str, name: str) -> None:
    assert made_by(rule_id, name) == []


@pytest.mark.parametrize(
    ("name", "form", "path"),
    [
        ("Sir Edward F. Cline (director)", "Edward Cline", "disambiguator+title+middle_name"),
        ("The St. Louis Line (film)", "Saint Louis Line", "disambiguator+article+abbreviation"),
        ("John Ronald Reuel Vik", "JRR Vik", "middle_initial+initials"),
    ],
)
def test_rules_work_one_after_another_and_say_so(name: str, form: str, path: str) -> None:
    made = {one.text: one.rule_ids for one in rewritings(name)}

    assert made[form] == path


@pytest.mark.parametrize(
    "name",
    [
        *(name for rows in MAKES.values() for name, _ in rows),
        "",
        "...",
        "a" * 300,
        'O\'Brien AND "Co"\nLtd',
        ", , ,",
        "()",
        "(((film)))",
    ],
)
def test_no_form_has_the_words_of_the_name_or_of_another_form(name: str) -> None:
    made = [words(one.text) for one in rewritings(name)]

    assert words(name) not in made
    assert () not in made
    assert len(made) == len(set(made))


def test_every_form_of_a_date_is_the_same_day() -> None:
    first = date(1895, 2, 20)

    for n_days in range(0, 400, 3):
        day = first + timedelta(days=n_days)
        for form in made_by("date", f"{day.day} {day:%B} {day.year}"):
            (found,) = dates_at(form, 0)
            read = (found.first_year, found.month, found.day, found.end)
            assert read == (day.year, day.month, day.day, len(form))


@pytest.mark.parametrize("number", [10_000, 12_345, 250_000, 1_000_000, 1_234_567, 3_200_000_000])
def test_every_form_of_a_number_has_its_value(number: int) -> None:
    for form in made_by("number", f"{number}"):
        (found,) = quantities(form)
        assert isinstance(found, Amount)
        assert found.value == number


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("WHO", "World Health Organization"),
        ("FBI", "Federal Bureau of Investigation"),
        ("PCR", "polymerase chain reaction"),
        ("U.N.", "United Nations"),
    ],
)
def test_an_acronym_is_made_of_first_letters(short: str, long: str) -> None:
    assert is_acronym(short, of=long)


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("UNHCR", "UN High Commissioner for Refugees"),
        ("Who", "World Health Organization"),
        ("W", "World"),
        ("W1", "World One"),
        ("", ""),
    ],
)
def test_other_letters_are_no_acronym(short: str, long: str) -> None:
    assert not is_acronym(short, of=long)


def test_accents_that_an_index_folds_make_no_form_of_their_own() -> None:
    folding = TextForm(fold_accents=True)

    assert folding.words("Édouard Manet") == folding.words(
        made_by("diacritics", "Édouard Manet")[0]
    )
