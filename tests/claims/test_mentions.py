from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.claims.mentions import distinct, mentions


def named(text: str, *kinds: str) -> list[str]:
    """The mentions of a text that are of these kinds."""
    return [entity.text for entity in mentions(text) if entity.kind in kinds]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("He died on 24 January 1827 at home.", "24 January 1827"),
        ("He died on January 24, 1827 at home.", "January 24, 1827"),
        ("He died in March 1867 at home.", "March 1867"),
        ("He died in 1867.", "1867"),
        ("He died on Dec. 29, 2007.", "Dec. 29, 2007"),
        ("He died on the 3rd of May 1901.", "3rd of May 1901"),
        ("It was dated 1867-01-24 by hand.", "1867-01-24"),
        ("It was common in the 1960s.", "1960s"),
        ("It falls on 24 January.", "24 January"),
        ("A 1962 film.", "1962"),
        ("He reigned till 11 November 875.", "11 November 875"),
    ],
)
def test_a_date_is_one_mention(text: str, date: str) -> None:
    assert named(text, "date") == [date]
    assert named(text, "name", "number") == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("It is 324 metres tall.", "324 metres"),
        ("It cost $3.5 million then.", "$3.5 million"),
        ("It holds 80,000 people.", "80,000 people"),
        ("It rose by 12% again.", "12%"),
        ("It holds 1500 people.", "1500 people"),
        ("It has 7, not more.", "7"),
    ],
)
def test_a_number_takes_its_unit(text: str, number: str) -> None:
    assert named(text, "number") == [number]
    assert named(text, "date") == []


@pytest.mark.parametrize(
    "text",
    [
        'The song "Just Ask Your Heart" is old.',
        "The song “Just Ask Your Heart” is old.",
        "The song ‘Just Ask Your Heart’ is old.",
        'The song "Just Ask Your Heart," is old.',
    ],
)
def test_a_quoted_title_is_given_without_its_marks(text: str) -> None:
    assert named(text, "title") == ["Just Ask Your Heart"]
    assert named(text, "name") == []


def test_quoted_speech_and_quoted_common_words_are_no_titles() -> None:
    text = 'He said "We went there and we came back and nobody had seen us" in a "breezy" way.'

    assert named(text, "title") == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Kumbasaram's director is Haneef.", ["Kumbasaram", "Haneef"]),
        ("KUMBASARAM’S director is known.", ["KUMBASARAM"]),
        ("The film Vetham (1995 film) came out.", ["Vetham"]),
        ("The film Vetham (Film) came out.", ["Vetham"]),
        ("The probe of NASA flew.", ["NASA"]),
        ("He met Yoon Je-kyoon and Ze'ev Revach.", ["Yoon Je-kyoon", "Ze'ev Revach"]),
        ("He lived in St. Louis.", ["St. Louis"]),
        ("He met Dr. Haneef there.", ["Haneef"]),
        ('He met William "Bill" Smith there.', ['William "Bill" Smith']),
        ("He saw Anatomy of a Murder twice.", ["Anatomy of a Murder"]),
        ("The song We Are the World is old.", ["We Are the World"]),
        ("The novel The Prairie is old.", ["Prairie"]),
        ("A Paris-based firm.", ["Paris"]),
        ("RESULTS: Haneef met NASA with P < 0.05.", ["Haneef", "NASA"]),
        ("Sir Elton John met Dame Judi Dench.", ["Elton John", "Judi Dench"]),
        ("He fought in World War I.", ["World War I"]),
        ("He saw the 2006 Winter Olympics.", ["2006 Winter Olympics"]),
        ("He saw the 2006 Italian film.", ["Italian"]),
        ("He is from Trinidad and Tobago.", ["Trinidad and Tobago"]),
    ],
)
def test_names_are_read_as_they_are_meant(text: str, names: list[str]) -> None:
    assert named(text, "name", "title") == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Scholars agree on it.", []),
        ("Modern art is expensive.", []),
        ("Additionally, it rained.", []),
        ("Unfortunately, it rained.", []),
        ("Later Haneef moved.", ["Haneef"]),
        ("Directed by Haneef, it failed.", ["Haneef"]),
        ("Kumbasaram was shown.", ["Kumbasaram"]),
        ("Kumbasaram (a film) was shown.", ["Kumbasaram"]),
        ("Kumbasaram, a film, was shown.", ["Kumbasaram"]),
        ("Kumbasaram and Vetham were shown.", ["Kumbasaram", "Vetham"]),
        ("Modern art is what Modern shows.", ["Modern", "Modern"]),
        ("Gone with the Wind was shown.", ["Gone", "Wind"]),
        ("UNESCO sites are many.", ["UNESCO"]),
        ("Kumbasaram film director who?", ["Kumbasaram"]),
    ],
)
def test_the_first_word_is_a_name_only_where_it_is_used_as_one(text: str, names: list[str]) -> None:
    assert named(text, "name") == names


def test_an_entity_is_given_once_up_to_case() -> None:
    found = distinct(mentions("The film Vetham is VETHAM to Haneef."))

    assert [entity.text for entity in found] == ["Vetham", "Haneef"]


@given(st.text() | st.text("Aa.b '\"“”‘’()-19\nStJanuary,$%", max_size=40))
def test_mentions_are_spans_in_order_that_do_not_overlap(text: str) -> None:
    found = mentions(text)

    end = 0
    for entity in found:
        assert entity.text
        assert text[entity.start : entity.end] == entity.text
        assert entity.start >= end
        end = entity.end
