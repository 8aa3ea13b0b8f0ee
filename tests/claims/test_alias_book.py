"""What the alias book counts as a name, and what it refuses."""

from __future__ import annotations

import pytest

from averment.claims.aliases.book import AliasBook, AliasRow, RefusedForm, Resolution
from averment.text import TextForm
from averment.types import SurfaceForm

NEW_YORK = [
    AliasRow("New York City", "NYC", "user"),
    AliasRow("New York City", "New York, N.Y.", "user"),
]


def table(*pairs: tuple[str, str]) -> list[AliasRow]:
    return [AliasRow(canonical, form, "table:t.tsv") for canonical, form in pairs]


def texts(found: Resolution) -> list[str]:
    return [form.text for form in found.forms]


def reasons(found: Resolution) -> dict[str, str]:
    return {one.text: one.reason for one in found.refused}


def test_a_name_that_nobody_knows_is_itself_and_what_rules_make_of_it() -> None:
    found = AliasBook().resolve("Amistad (film)")

    assert found == Resolution(
        "Amistad (film)",
        None,
        (
            SurfaceForm("Amistad (film)", "name"),
            SurfaceForm("Amistad", "rule:disambiguator"),
        ),
        (),
    )


@pytest.mark.parametrize("name", ["NYC", "New York City", "New York, N.Y.", "nyc"])
def test_all_forms_of_one_name_share_their_forms(name: str) -> None:
    book = AliasBook(NEW_YORK)

    found = book.resolve(name)

    expected = {"nyc", "new york city", "new york n y"}
    assert {" ".join(TextForm().words(text)) for text in texts(found)} == expected
    assert found.canonical == "New York City"
    assert texts(found)[0] == name


def test_every_form_says_who_says_so() -> None:
    rows = [*NEW_YORK, *table(("New York City", "Big Apple"))]

    sources = {form.text: form.source for form in AliasBook(rows).resolve("NYC").forms}

    assert sources == {
        "NYC": "name",
        "New York City": "user",
        "New York, N.Y.": "user",
        "Big Apple": "table:t.tsv",
    }


def test_a_form_that_two_names_claim_is_counted_as_neither() -> None:
    rows = table(
        ("Mercury (planet)", "Mercury"),
        ("Mercury (element)", "Mercury"),
        ("Mercury (element)", "quicksilver"),
    )

    element = AliasBook(rows).resolve("Mercury (element)")
    bare = AliasBook(rows).resolve("Mercury")

    assert texts(element) == ["Mercury (element)", "quicksilver"]
    assert element.refused == (
        RefusedForm("Mercury", "table:t.tsv", "ambiguous", ("Mercury (planet)",)),
    )
    assert texts(bare) == ["Mercury"]
    assert bare.refused == (
        RefusedForm("Mercury", "name", "ambiguous", ("Mercury (element)", "Mercury (planet)")),
    )


def test_a_name_of_its_own_is_no_form_of_another() -> None:
    rows = table(("New York City", "New York"), ("New York", "Empire State"))

    found = AliasBook(rows).resolve("New York City")

    assert reasons(found) == {"New York": "ambiguous"}
    assert "Empire State" not in texts(found)


def test_names_are_not_merged_along_a_chain() -> None:
    found = AliasBook(table(("Alpha One", "Beta Two"), ("Beta Two", "Gamma Three"))).resolve(
        "Alpha One"
    )

    assert texts(found) == ["Alpha One"]
    assert reasons(found) == {"Beta Two": "ambiguous"}


def test_what_the_user_says_is_counted_though_it_is_ambiguous() -> None:
    rows = [
        AliasRow("Mercury (planet)", "Mercury", "user"),
        *table(("Mercury (element)", "Mercury")),
    ]

    book = AliasBook(rows)

    assert texts(book.resolve("Mercury (planet)")) == ["Mercury (planet)", "Mercury"]
    assert book.resolve("Mercury").canonical == "Mercury (planet)"
    assert reasons(book.resolve("Mercury (element)")) == {"Mercury": "ambiguous"}


def test_a_spelling_by_rule_that_another_name_claims_is_refused() -> None:
    rows = table(("Hell Squad (novel)", "Hell Squad"))

    found = AliasBook(rows).resolve("Hell Squad (film)")

    assert texts(found) == ["Hell Squad (film)"]
    assert reasons(found) == {"Hell Squad": "ambiguous"}


def test_a_document_under_two_titles_is_one_claimant() -> None:
    rows = [
        AliasRow("Ann Hale (pilot)", "Ann Bea Hale", "document:7"),
        AliasRow("Ann Hale", "Ann Bea Hale", "document:7"),
    ]

    found = AliasBook(rows).resolve("Ann Hale (pilot)")

    assert texts(found) == ["Ann Hale (pilot)", "Ann Bea Hale", "Ann Hale"]
    assert found.refused == ()


@pytest.mark.parametrize(
    ("canonical", "form", "reason"),
    [
        ("World Health Organization", "WHO", "stop_word"),
        ("Information technology", "IT", "stop_word"),
        ("The Fall", "the", "stop_word"),
        ("Politician", "p", "too_short"),
        ("Politician", "pol", "too_short"),
        ("Germany", "DE", "too_short"),
        ("William Gates", "Bill", "given_name"),
        ("Barack Obama", "Barack", "part_of_name"),
        ("Barack Obama", "Obama", "part_of_name"),
    ],
)
def test_a_form_that_could_be_anybodys_widens_no_count(
    canonical: str, form: str, reason: str
) -> None:
    found = AliasBook(table((canonical, form))).resolve(canonical)

    assert form not in texts(found)
    assert reasons(found) == {form: reason}


@pytest.mark.parametrize(
    ("canonical", "form"),
    [
        ("Acetylsalicylic acid", "Aspirin"),
        ("New York City", "NYC"),
        ("Mumbai", "Bombay"),
        ("Kingdom of the Netherlands", "Netherlands"),
    ],
)
def test_one_word_that_means_one_thing_is_a_form(canonical: str, form: str) -> None:
    assert form in texts(AliasBook(table((canonical, form))).resolve(canonical))


@pytest.mark.parametrize(
    ("name", "refused"),
    [("Michelle (song)", "Michelle"), ("It (novel)", "It"), ("Q (magazine)", "Q")],
)
def test_rules_leave_no_generic_word_behind(name: str, refused: str) -> None:
    found = AliasBook().resolve(name)

    assert texts(found) == [name]
    assert list(reasons(found)) == [refused]


def test_a_title_before_one_name_leaves_no_given_name() -> None:
    assert texts(AliasBook().resolve("King Edward")) == ["King Edward"]


@pytest.mark.parametrize("name", ["", "...", '"\n"'])
def test_what_has_no_word_stays_as_it_is(name: str) -> None:
    assert AliasBook(NEW_YORK).resolve(name).forms == (SurfaceForm(name, "name"),)


def test_forms_that_an_index_folds_together_are_one() -> None:
    folding = AliasBook(form=TextForm(fold_accents=True))

    assert texts(folding.resolve("Édouard Manet")) == ["Édouard Manet"]
    assert texts(AliasBook().resolve("Édouard Manet")) == ["Édouard Manet", "Edouard Manet"]


def test_forms_are_given_in_the_order_of_the_names() -> None:
    found = AliasBook(NEW_YORK).forms(["NYC", "Oslo"])

    assert [forms[0].text for forms in found] == ["NYC", "Oslo"]
    assert len(found[0]) > len(found[1]) == 1


def test_a_book_is_extended_as_if_all_rows_had_been_there_and_stays_what_it_was() -> None:
    before = table(("New York City", "Gotham"), ("Nottingham", "Nottm"))
    more = [*table(("Nottingham", "Gotham")), AliasRow("New York City", "NYC", "user")]
    book, alone = AliasBook(before), AliasBook(before)
    names = ["Gotham", "New York City", "NYC", "Nottingham", "Nottm"]

    made = book.extended(more)

    whole = AliasBook([*before, *more])
    assert [made.resolve(name) for name in names] == [whole.resolve(name) for name in names]
    assert [book.resolve(name) for name in names] == [alone.resolve(name) for name in names]
    assert made.resolve("Gotham") != book.resolve("Gotham")
