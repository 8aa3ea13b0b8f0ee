"""What texts say of names: acronyms that they explain, full names that they open with."""

from __future__ import annotations

import pytest

from averment.claims.aliases.acronyms import acronym_rows, acronyms_in
from averment.claims.aliases.book import AliasBook, AliasRow
from averment.claims.aliases.openings import opening_name, opening_rows
from averment.types import Passage


def opening(document_id: str, title: str, text: str) -> Passage:
    return Passage(f"{document_id}#0", document_id, title, text, 0, len(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The World Health Organization (WHO) met.", [("World Health Organization", "WHO")]),
        (
            "The Federal Bureau of Investigation (FBI) came.",
            [("Federal Bureau of Investigation", "FBI")],
        ),
        ("a polymerase chain reaction (PCR) test", [("polymerase chain reaction", "PCR")]),
        ("volatile organic compounds (VOCs)", [("volatile organic compounds", "VOC")]),
        ("He met Ann (USA) there.", []),
        ("The film (1999) and (ABC).", []),
        ("WHO is the World Health Organization.", []),
    ],
)
def test_an_acronym_needs_its_long_form_before_it(text: str, found: list[tuple[str, str]]) -> None:
    assert list(acronyms_in(text)) == found


def test_an_acronym_with_two_long_forms_is_ambiguous() -> None:
    rows = acronym_rows(
        [
            opening("a", "", "The Alpine Transport Board (ATB) met."),
            opening("b", "", "An Atlantic Tuna Boat (ATB) sank. The Atlantic Tuna Boat (ATB) …"),
        ]
    )

    refused = AliasBook(rows).resolve("Alpine Transport Board").refused

    assert [(one.text, one.reason, one.claimed_by) for one in refused] == [
        ("ATB", "ambiguous", ("Atlantic Tuna Boat",))
    ]


def test_what_one_document_abbreviates_is_its_own_affair() -> None:
    board = "The Alpine Transport Board (ATB) met."
    passages = [opening("a", "", f"{board} {board}"), opening("b", "", "An old tin box (OTB).")]

    assert acronym_rows(passages, least_documents=2) == []
    assert acronym_rows([*passages, opening("c", "", board)], least_documents=2) == [
        AliasRow("Alpine Transport Board", "ATB", "document:a")
    ]


@pytest.mark.parametrize(
    ("title", "text", "name"),
    [
        ("Frank Capra", "Frank Russell Capra (born 1897) was", "Frank Russell Capra"),
        ("Edward F. Cline", "Edward Francis Cline was a", "Edward Francis Cline"),
        ("Juha Vainio", 'Juha Harri "Junnu" Vainio, also known', "Juha Harri Vainio"),
        ("Ann Hale", "Ann Hale Ann Bea Hale (born 1901)", "Ann Bea Hale"),
        ("Ludwig Vik", "Ludwig von der Vik is", "Ludwig von der Vik"),
        ("Frank Capra", "Frank Capra (born 1897) was", None),
        ("Frank Capra", "The director Frank Capra was", None),
        ("Frank Capra", "Francesco Rosario Capra was", None),
        ("NBA League", "The NBA League is", None),
        ("Capra", "Frank Capra is", None),
        ("Ann Hale", "Ann likes the gardens of Mrs Hale and is", None),
        ("Ann Hale", "", None),
    ],
)
def test_a_longer_name_that_a_document_opens_with(title: str, text: str, name: str | None) -> None:
    assert opening_name(title, text) == name


def test_a_title_in_brackets_gives_its_form_to_the_bare_name_too() -> None:
    rows = opening_rows([opening("7", "Ann Hale (pilot)", "Ann Bea Hale (born 1901) was a pilot.")])

    assert rows == [
        AliasRow("Ann Hale (pilot)", "Ann Bea Hale", "document:7"),
        AliasRow("Ann Hale", "Ann Bea Hale", "document:7"),
    ]


def test_namesakes_are_kept_apart() -> None:
    rows = opening_rows(
        [
            opening("7", "Ann Hale (pilot)", "Ann Bea Hale (born 1901) was a pilot."),
            opening("8", "Ann Hale (poet)", "Ann Cora Hale (born 1950) is a poet."),
        ]
    )

    book = AliasBook(rows, rules=())
    pilot, bare = book.resolve("Ann Hale (pilot)"), book.resolve("Ann Hale")

    assert [form.text for form in pilot.forms] == ["Ann Hale (pilot)", "Ann Bea Hale"]
    assert [one.reason for one in pilot.refused] == ["ambiguous"]
    assert [form.text for form in bare.forms] == ["Ann Hale"]
    assert bare.refused[0].claimed_by == ("Ann Hale (pilot)", "Ann Hale (poet)")


def test_only_the_first_passage_of_a_document_opens_it() -> None:
    later = Passage("7#1", "7", "Frank Capra", "Frank Russell Capra (born", 50, 75)

    assert opening_rows([opening("7", "Frank Capra", "He was"), later]) == []
