from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.claims.rules import RulesExtractor
from averment.types import DroppedTriplet, Triplet

ONE_SUBJECT = {
    "passive": (
        "Kumbasaram was directed by Haneef in 2017.",
        [
            ("Kumbasaram", "was directed by", "Haneef"),
            ("Kumbasaram", "was directed by … in", "2017"),
        ],
    ),
    "two_predicates": (
        "Kumbasaram was directed by Haneef and stars Arjun Nair.",
        [
            ("Kumbasaram", "was directed by", "Haneef"),
            ("Kumbasaram", "stars", "Arjun Nair"),
        ],
    ),
    "several_tails": (
        "Kumbasaram stars Haneef, Arjun Nair and Vijay.",
        [
            ("Kumbasaram", "stars", "Haneef"),
            ("Kumbasaram", "stars", "Arjun Nair"),
            ("Kumbasaram", "stars", "Vijay"),
        ],
    ),
    "of": (
        "Paris is the capital of France.",
        [("Paris", "is the capital of", "France")],
    ),
    "role_before_head": (
        "The capital of France is Paris.",
        [("France", "capital of", "Paris")],
    ),
    "possessive": (
        "Kumbasaram's director is Haneef.",
        [("Kumbasaram", "director is", "Haneef")],
    ),
    "apposition": (
        "Oasis, a rock band from Manchester, released Vetham.",
        [
            ("Oasis", "rock band from", "Manchester"),
            ("Oasis", "released", "Vetham"),
        ],
    ),
    "relative_clause_of_the_subject": (
        "Haneef, who wrote Vetham, was born in Zurich.",
        [("Haneef", "wrote", "Vetham"), ("Haneef", "was born in", "Zurich")],
    ),
    "opening_date": (
        "In 1827, Silas Hardy was born in Concord.",
        [
            ("Silas Hardy", "was born", "1827"),
            ("Silas Hardy", "was born in", "Concord"),
        ],
    ),
    "opening_participle": (
        "Born in Reims, Haneef moved to Rome.",
        [("Haneef", "moved", "Reims"), ("Haneef", "moved to", "Rome")],
    ),
    "dates_in_brackets": (
        "Silas Hardy (24 January 1827 – March 1867) was a senator from Concord.",
        [
            ("Silas Hardy", "born", "24 January 1827"),
            ("Silas Hardy", "died", "March 1867"),
            ("Silas Hardy", "was a senator from", "Concord"),
        ],
    ),
    "places_and_years_in_brackets": (
        "Silas Hardy (Concord, 1827 – 1867) was a senator from Boston.",
        [
            ("Silas Hardy", "born in", "Concord"),
            ("Silas Hardy", "born", "1827"),
            ("Silas Hardy", "died", "1867"),
            ("Silas Hardy", "was a senator from", "Boston"),
        ],
    ),
    "years_that_are_no_life": (
        "Oasis (1991–2009) was a rock band from Manchester.",
        [
            ("Oasis", "dated", "1991"),
            ("Oasis", "dated", "2009"),
            ("Oasis", "was a rock band from", "Manchester"),
        ],
    ),
    "brackets_behind_a_description": (
        "Johanna, Countess of Eberstein (1507 – 27 January 1572) was a daughter of Philipp.",
        [
            ("Johanna", "born", "1507"),
            ("Johanna", "died", "27 January 1572"),
            ("Johanna", "was a daughter of", "Philipp"),
        ],
    ),
    "name_before_the_verb": (
        "Silas Hardy, known as Bill Hardy, was born in Concord.",
        [
            ("Silas Hardy", "known as", "Bill Hardy"),
            ("Silas Hardy", "was born in", "Concord"),
        ],
    ),
    "title_with_verb": (
        "Let's Make It Legal is a 1951 American comedy film directed by Richard Sale.",
        [
            ("Let's Make It Legal", "is", "1951"),
            ("Let's Make It Legal", "comedy film directed by", "Richard Sale"),
        ],
    ),
    "title_of_another_language": (
        "The director of the film El oficio más antiguo is Luis Alcoriza.",
        [("El oficio más antiguo", "director of the film", "Luis Alcoriza")],
    ),
    "ampersand": (
        "Rock & Roll was written by Haneef.",
        [("Rock & Roll", "was written by", "Haneef")],
    ),
    "place_with_and": (
        "Haneef is from Antigua and Barbuda.",
        [("Haneef", "is from", "Antigua and Barbuda")],
    ),
    "year_of_an_event": (
        "Haneef competed at the 2006 Winter Olympics in Turin.",
        [
            ("Haneef", "competed at", "2006 Winter Olympics"),
            ("Haneef", "competed at the … in", "Turin"),
        ],
    ),
    "ordinal_of_a_war": (
        "Haneef fought in World War I.",
        [("Haneef", "fought in", "World War I")],
    ),
    "without_capitals": (
        "paris is the capital of france.",
        [("paris", "is the capital of", "france")],
    ),
    "title": (
        '"Vetham" was written by Haneef.',
        [("Vetham", "was written by", "Haneef")],
    ),
    "title_with_and": (
        "Pride and Prejudice was written by Jane Austen.",
        [("Pride and Prejudice", "was written by", "Jane Austen")],
    ),
    "title_with_preposition": (
        "The director of No Country for Old Men is Joel Coen.",
        [("No Country for Old Men", "director of", "Joel Coen")],
    ),
    "unit": (
        "The Eiffel Tower is 324 metres tall.",
        [("Eiffel Tower", "is", "324 metres")],
    ),
}

SEVERAL_SUBJECTS = {
    "coordination": (
        "Haneef and Arjun Nair were born in Zurich.",
        [
            ("Haneef", "were born in", "Zurich"),
            ("Arjun Nair", "were born in", "Zurich"),
        ],
    ),
    "both": (
        "Both Kumbasaram and Vetham were directed by Haneef.",
        [
            ("Kumbasaram", "were directed by", "Haneef"),
            ("Vetham", "were directed by", "Haneef"),
        ],
    ),
    "role_filled_between_commas": (
        "The director of Kumbasaram, Haneef, was born in Zurich.",
        [
            ("Kumbasaram", "director of", "Haneef"),
            ("Haneef", "was born in", "Zurich"),
        ],
    ),
    "role_filled_after_a_possessive": (
        "Kumbasaram's director Haneef was born in Zurich.",
        [
            ("Kumbasaram", "director", "Haneef"),
            ("Haneef", "was born in", "Zurich"),
        ],
    ),
    "relative_clause_of_a_tail": (
        "Kumbasaram was directed by Haneef, who was born in Zurich in 1962.",
        [
            ("Kumbasaram", "was directed by", "Haneef"),
            ("Haneef", "was born in", "Zurich"),
            ("Haneef", "was born in … in", "1962"),
        ],
    ),
    "brackets_after_a_tail": (
        "Kumbasaram was directed by Haneef (born 1962) in Zurich.",
        [
            ("Kumbasaram", "was directed by", "Haneef"),
            ("Haneef", "born", "1962"),
            ("Kumbasaram", "was directed by … in", "Zurich"),
        ],
    ),
    "relative_clause_behind_a_place": (
        "Haneef is a writer based in Rome who edits Vetham and worked for Oasis.",
        [
            ("Haneef", "is a writer based in", "Rome"),
            ("Haneef", "edits", "Vetham"),
            ("Haneef", "worked for", "Oasis"),
        ],
    ),
    "two_clauses": (
        "Kumbasaram was directed by Haneef and Vetham was directed by Arjun Nair.",
        [
            ("Kumbasaram", "was directed by", "Haneef"),
            ("Vetham", "was directed by", "Arjun Nair"),
        ],
    ),
    "two_clauses_with_a_role": (
        "Kumbasaram was directed by Haneef, while the director of Vetham is Arjun Nair.",
        [
            ("Kumbasaram", "was directed by", "Haneef"),
            ("Vetham", "director of", "Arjun Nair"),
        ],
    ),
}


def triplets_of(sentence: str) -> list[tuple[str, str, str]]:
    """What the rules find in a sentence, in order."""
    [found] = RulesExtractor().triplets([sentence])
    return [(each.head, each.relation, each.tail) for each in found.triplets]


@pytest.mark.parametrize(("sentence", "expected"), ONE_SUBJECT.values(), ids=ONE_SUBJECT.keys())
def test_the_subject_is_the_head_of_every_later_mention(
    sentence: str, expected: list[tuple[str, str, str]]
) -> None:
    assert triplets_of(sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"), SEVERAL_SUBJECTS.values(), ids=SEVERAL_SUBJECTS.keys()
)
def test_each_tail_is_paired_with_what_it_is_said_of(
    sentence: str, expected: list[tuple[str, str, str]]
) -> None:
    assert triplets_of(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Oasis is a rock band.",
        "It was a success.",
        "Haneef won 3 awards.",
        "Paris, France",
        "The Italian Polish film was a success.",
        "He joined the French Foreign Legion in 1918.",
        "The school was founded by Haneef in Zurich.",
    ],
)
def test_without_two_mentions_that_say_something_there_is_no_triplet(sentence: str) -> None:
    assert triplets_of(sentence) == []


def test_a_nationality_is_dropped_with_its_reason() -> None:
    [found] = RulesExtractor().triplets(["Silas Hardy was an American politician from Concord."])

    assert [each.tail for each in found.triplets] == ["Concord"]
    assert found.dropped == (
        DroppedTriplet(Triplet("Silas Hardy", "was", "American"), "generic_tail"),
    )


def test_names_side_by_side_have_an_empty_relation() -> None:
    [found] = RulesExtractor().triplets(["Neudorf, Lucerne is located in Switzerland."])

    assert [each.tail for each in found.triplets] == ["Switzerland"]
    assert [each.reason for each in found.dropped] == ["empty_relation"]


def test_a_relation_has_at_most_eight_words() -> None:
    [(_, relation, _)] = triplets_of(
        "Vetham is a very long and very slow and very dark story that was told by Haneef."
    )

    assert relation == "very dark story that was told by"


def test_dates_and_numbers_of_a_question_can_be_told_by_their_kind() -> None:
    [found] = RulesExtractor().entities(['Who directed "Vetham" and 3 films with Haneef in 1962?'])

    assert [(each.text, each.kind) for each in found] == [
        ("Vetham", "title"),
        ("3", "number"),
        ("Haneef", "name"),
        ("1962", "date"),
    ]


_WORDS = st.sampled_from(
    "Haneef Vetham Zurich was directed by in and , ( ) who is 's 1962 the of film ; American died "
    "Born In . “ ” St. while 12 Pride".split()
)


@given(st.lists(_WORDS, max_size=14).map(" ".join) | st.text())
def test_no_text_makes_the_rules_fail(text: str) -> None:
    extractor = RulesExtractor(language="en")
    [found] = extractor.triplets([text])
    [entities] = extractor.entities([text])

    assert all(text[each.start : each.end] == each.text for each in entities)
    assert not {each.reason for each in found.dropped} & {
        "head_not_in_sentence",
        "tail_not_in_sentence",
    }


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        (
            "Which Canadian band released Counterparts?",
            {"Canadian": "generic", "Counterparts": "name"},
        ),
        ("Which Danish ecologist assisted Sorensen?", {"Danish": "generic", "Sorensen": "name"}),
        ("Who plays for French Guiana?", {"French Guiana": "name"}),
    ],
    ids=["nationality first", "nationality inside", "part of a name"],
)
def test_a_nationality_alone_is_generic(question: str, kinds: dict[str, str]) -> None:
    [entities] = RulesExtractor().entities([question])

    assert {entity.text: entity.kind for entity in entities} == kinds
