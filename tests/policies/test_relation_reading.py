"""What windows say of a relation: the claimed tail, another one, or nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from averment.policies.relation_reading import (
    Tail,
    has_value,
    is_about,
    reads,
)
from averment.policies.relations import fits, kind_of, sense_of
from averment.types import Passage
from doubles import passage

STORM = (
    "Storm over Asia is a 1938 German crime film directed by Richard Oswald and starring Conrad "
    "Veidt."
)
EASON = "B. Reeves Eason (October 2, 1886 – June 9, 1956), was an American film director."


def tail_of(relation: str, text: str, *forms: str) -> Tail:
    """A tail of the kind that its relation wants."""
    sense = sense_of(relation, text)
    assert sense is not None
    kind = kind_of(text)
    return Tail((text, *forms), sense.kind if fits(sense.kind, kind) else kind)


def said(
    head: str, relation: str, tail: str, window: Passage | str, *, forms: tuple[str, ...] = ()
) -> tuple[bool, tuple[str, ...]]:
    """Whether a window states a triple, and what it states instead."""
    sense = sense_of(relation, tail)
    assert sense is not None
    text = passage(window) if isinstance(window, str) else window
    return reads(sense, [head], tail_of(relation, tail, *forms), text)[:2]


@pytest.mark.parametrize(
    ("head", "relation", "tail", "window"),
    [
        pytest.param("Storm over Asia", "director", "Richard Oswald", STORM, id="passive"),
        pytest.param("Storm over Asia", "was directed by", "Richard Oswald", STORM, id="claimed"),
        pytest.param(
            "Rio", "director", "Ann Lee", "In 1990 Ann Lee directed Rio.", id="tail first"
        ),
        pytest.param(
            "Rio",
            "director",
            "Ann Lee",
            "Rio is a film by Canadian experimental filmmaker and artist Ann Lee.",
            id="behind a nationality",
        ),
        pytest.param("Storm over Asia", "cast member", "Conrad Veidt", STORM, id="starring"),
        pytest.param("Storm over Asia", "publication date", "1938", STORM, id="year of a film"),
        pytest.param("Storm over Asia", "country of origin", "Germany", STORM, id="people"),
        pytest.param("B. Reeves Eason", "date of birth", "October 2, 1886", EASON, id="birth"),
        pytest.param("B. Reeves Eason", "date of birth", "2 October 1886", EASON, id="by value"),
        pytest.param("B. Reeves Eason", "date of birth", "1886", EASON, id="vaguer"),
        pytest.param("B. Reeves Eason", "date of death", "June 9, 1956", EASON, id="death"),
        pytest.param(
            "Lu Sen",
            "date of death",
            "30 May 2017",
            "Lu Sen( 1947 – 30 May 2017) ruled.",
            id="span",
        ),
        pytest.param(
            "Lu Sen", "place of death", "Graz", "Lu Sen (1900, Linz – 1950, Graz) wrote.", id="zone"
        ),
        pytest.param(
            "Lu Sen",
            "place of birth",
            "Linz",
            "Lu Sen (born 5 May 1900 in Linz) was a poet.",
            id="born on and in",
        ),
        pytest.param(
            "Lu Sen",
            "father",
            "Kai Sen",
            "Lu Sen plays for Graz. A son of former Linz player Kai Sen, he began in Linz.",
            id="apposition",
        ),
        pytest.param(
            "Lu Sen",
            "mother",
            "Mia Sen",
            "Lu Sen was the son of Kai Sen (1850 – 1900) and Mia Sen.",
            id="second of two",
        ),
        pytest.param(
            "Zorvan",
            "country",
            "Iran",
            "Zorvan is a village in Kuh District, Boyer- Ahmad County, Fars Province, Iran.",
            id="from the smaller to the larger",
        ),
        pytest.param("Rio", "has a length of", "5000 m", "Rio has a length of 5 km.", id="number"),
        pytest.param(
            "Rio", "director", "George Lee", "Rio was directed by Hon. George Lee.", id="title"
        ),
    ],
)
def test_a_window_that_states_the_relation_states_the_tail(
    head: str, relation: str, tail: str, window: str
) -> None:
    stated, _ = said(head, relation, tail, window)

    assert stated


@pytest.mark.parametrize(
    ("head", "relation", "tail", "window"),
    [
        pytest.param("Storm over Asia", "director", "Conrad Veidt", STORM, id="another role"),
        pytest.param("B. Reeves Eason", "date of death", "October 2, 1886", EASON, id="birth"),
        pytest.param("B. Reeves Eason", "date of birth", "June 9, 1956", EASON, id="death"),
        pytest.param(
            "Paris",
            "capital of",
            "France",
            "I had a great day in Paris last week, before I left France.",
            id="mention",
        ),
        pytest.param(
            "Ann Lee",
            "country of citizenship",
            "Brazil",
            "Rio is a 1990 Brazilian film directed by Ann Lee.",
            id="said of the film, not of her",
        ),
        pytest.param(
            "Lorna", "director", "Wil Noy", "Lorna Doone was directed by Wil Noy.", id="longer name"
        ),
        pytest.param(
            "Lu Sen", "date of birth", "5 May 1900", "Kai Sen was born on 5 May 1900.", id="no head"
        ),
        pytest.param(
            "Lu Sen",
            "date of birth",
            "1950",
            "Lu Sen, born at home, died in 1950.",
            id="a life turns between",
        ),
        pytest.param(
            "Rio", "director", "Bo Chan", "Rio was directed by Ann Lee: Bo Chan sings.", id="colon"
        ),
        pytest.param(
            "Rio",
            "director",
            "Bo Chan",
            "Rio was directed by Ann Lee. Bo Chan sings.",
            id="full stop",
        ),
        pytest.param("Rio", "has a length of", "90 km", "Rio has a length of 5 km.", id="number"),
    ],
)
def test_a_pair_that_stands_together_without_the_relation_states_nothing(
    head: str, relation: str, tail: str, window: str
) -> None:
    stated, _ = said(head, relation, tail, window)

    assert not stated


@pytest.mark.parametrize(
    ("head", "relation", "tail", "window", "others"),
    [
        pytest.param(
            "Storm over Asia", "director", "Conrad Veidt", STORM, ("Richard Oswald",), id="name"
        ),
        pytest.param(
            "B. Reeves Eason",
            "date of death",
            "June 9, 1957",
            EASON,
            ("June 9, 1956",),
            id="another date",
        ),
        pytest.param("B. Reeves Eason", "date of death", "June 1956", EASON, (), id="vaguer date"),
        pytest.param(
            "Lu Sen",
            "date of birth",
            "5 May 1900",
            "Lu Sen (1900–1950) was a poet.",
            (),
            id="a vaguer date rules nothing out",
        ),
        pytest.param(
            "Lu Sen", "mother", "Mia Sen", "Lu Sen was the son of Kai Sen.", (), id="father alone"
        ),
    ],
)
def test_what_a_window_says_instead_may_rule_the_tail_out(
    head: str, relation: str, tail: str, window: str, others: tuple[str, ...]
) -> None:
    _, found = said(head, relation, tail, window)

    assert found == others


def test_any_form_of_a_tail_counts() -> None:
    window = "Ann Lee was an American film director."

    plain, _ = said("Ann Lee", "country of citizenship", "U.S.", window)
    with_forms, _ = said("Ann Lee", "country of citizenship", "U.S.", window, forms=("American",))

    assert (plain, with_forms) == (False, True)


def test_sentences_of_a_document_about_the_head_need_not_name_it() -> None:
    text = "Rio is a film. It was directed by Ann Lee."

    about, _ = said("Rio", "director", "Ann Lee", passage(text))
    elsewhere, _ = said("Rio", "director", "Ann Lee", replace(passage(text), start=900, title=""))

    assert (about, elsewhere) == (True, False)


@pytest.mark.parametrize(
    ("window", "about"),
    [
        pytest.param(passage("He was born.", title="Lu Sen"), True, id="title"),
        pytest.param(passage("He was born.", title="Lu Sen (poet)"), True, id="bracketed title"),
        pytest.param(passage("Sir Lu Sen was born."), True, id="opening"),
        pytest.param(replace(passage("Lu Sen was born."), start=40), False, id="not the opening"),
        pytest.param(passage("Lu Sen Park is a park.", title="Lu Sen Park"), False, id="longer"),
        pytest.param(
            passage("In the spring of the next year he met with Lu Sen."),
            False,
            id="mentioned late",
        ),
    ],
)
def test_a_document_is_about_what_its_title_or_its_opening_names(
    window: Passage, about: bool
) -> None:
    assert is_about(window, ["Lu Sen"]) is about


def test_words_of_a_relation_beside_the_tail_are_less_than_a_statement() -> None:
    window = passage("Rio was a set of five films, which at that time were made by Ann Lee.")
    sense = sense_of("director", "Ann Lee")
    assert sense is not None
    tail = tail_of("director", "Ann Lee")

    found = reads(sense, ["Rio"], tail, window)

    assert not found.is_stated
    assert found.is_near


@pytest.mark.parametrize(
    ("relation", "tail", "found"),
    [
        pytest.param("is long", "5000 m", True, id="same length"),
        pytest.param("is long", "5 m", False, id="another length"),
        pytest.param("opened on", "7 May 1990", True, id="same day"),
        pytest.param("opened on", "8 May 1990", False, id="another day"),
        pytest.param("was built by", "Ann Lee", False, id="a name has no value"),
    ],
)
def test_a_value_is_found_however_it_is_written(relation: str, tail: str, found: bool) -> None:
    window = passage("The bridge of Ann Lee is 5 km long and opened on May 7, 1990.")

    assert has_value(tail_of(relation, tail), window) is found


def test_what_is_said_beside_a_stated_tail_is_no_rival() -> None:
    window = "Lu Sen was a poet, born in Linz in Austria in 1900."

    assert said("Lu Sen", "was born in", "Linz", window) == (True, ())


def test_a_value_near_the_words_of_its_relation_is_noticed() -> None:
    sense = sense_of("publication date", "1938")
    assert sense is not None
    window = passage("In 1938, the critics say, Rio was published.")

    assert reads(sense, ["Rio"], tail_of("publication date", "1938"), window).is_near
