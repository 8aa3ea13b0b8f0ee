"""PDF files: headings, pages, running lines, broken words, references."""

from __future__ import annotations

from pathlib import Path

import pytest

from averment.corpus.passages import cut_passages
from averment.corpus.pdf_lines import Line, is_broken_word, without_running_lines
from averment.corpus.readers import read_documents
from averment.places import Role, cited
from averment.types import Document
from corpus.laid_out import PICTURE, Row, handbook, laid_out
from corpus.pages import pdf
from corpus.reading import read, write

pytest.importorskip("pypdf", reason="needs the extra [docs]")

TEXT = ["The ferry sails to Kristiansand on every day of the week, and back."] * 4


def read_one(tmp_path: Path, content: bytes) -> Document:
    (document,), bad = read(write(tmp_path / "a.pdf", content))
    assert bad == []
    return document


def paths(document: Document) -> list[str]:
    assert document.layout is not None
    return [" > ".join(section.heading) for section in document.layout.sections]


@pytest.mark.parametrize("outline", [True, False], ids=["outline", "letters"])
def test_handbook_is_read_with_sections_pages_and_no_running_lines(
    tmp_path: Path, outline: bool
) -> None:
    document = read_one(tmp_path, handbook(outline=outline))
    number = ("", "") if outline else ("1 ", "1.1 ")

    assert document.text == (
        "1 Leave\n\nEvery employee has leave. It is asked for a month before, and the\n"
        "manager answers within a week.\n\n"
        "1.1 Parental leave\n\nParental leave lasts sixteen weeks. The Nordvik fund, which was "
        "founded in Tromsø, pays for it. The employee tells the manager, and the\n"
        "manager tells the fund. The fund pays on the last day of the month.\n\n"
        "2 Travel\n\nThe ferry sails from Hirtshals to Kristiansand twice a day.\n\n"
        "Appendix A\n\nForm 12 is signed by the department of Vestland."
    )
    assert [cited(passage) for passage in cut_passages(document)] == [
        f"a.pdf, p. 1, {number[0]}Leave",
        f"a.pdf, pp. 2–3, {number[0]}Leave > {number[1]}Parental leave",
        f"a.pdf, p. 3, {'' if outline else '2 '}Travel",
        "a.pdf, p. 4, Appendix A",
    ]
    assert document.layout is not None
    assert document.layout.lacks_references


def test_references_are_kept_on_request_as_a_section_of_that_role(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", handbook(outline=True))
    (document,) = read_documents([path], on_bad=pytest.fail, keep_references=True)

    assert document.layout is not None
    (found,) = [s for s in document.layout.sections if s.role is Role.REFERENCES]
    assert "Fagbokforlaget" in document.text[found.start : found.end]
    assert all("Fagbokforlaget" not in passage.text for passage in cut_passages(document))


def test_outline_wins_and_what_its_page_does_not_say_makes_no_heading(tmp_path: Path) -> None:
    page = [*TEXT, Row("Not in the outline", 20), "Parental", "leave policy", *TEXT]
    outline = [("Parental Leave Policy", 1, 1), ("Cover", 1, 1), ("Travel", 2, 2)]

    document = read_one(tmp_path, laid_out(page, ["Travel", *TEXT[:1]], outline=outline))

    assert paths(document) == ["", "Parental Leave Policy", "Parental Leave Policy > Travel"]


def test_references_that_the_outline_lacks_are_found_and_end_at_its_next_entry(
    tmp_path: Path,
) -> None:
    page = ["Leave", *TEXT, "Sick leave", *TEXT, "REFERENCES", "Smith, J. (2019). Ports."]
    outline = [("Leave", 1, 1), ("Sick leave", 2, 1), ("Forms", 1, 2)]

    document = read_one(tmp_path, laid_out(page, ["Forms", "Form 12."], outline=outline))

    assert paths(document) == ["Leave", "Leave > Sick leave", "REFERENCES", "Forms"]
    assert "Smith" not in document.text
    assert "Form 12." in document.text


def test_outline_of_one_entry_is_the_title_and_letters_tell_more(tmp_path: Path) -> None:
    page = ["Handbook", *TEXT, Row("Leave", 16), *TEXT]

    found = paths(read_one(tmp_path, laid_out(page, outline=[("Handbook", 1, 1)])))

    assert found == ["", "Leave"]


def test_bold_numbered_lines_are_headings_below_those_in_larger_letters(tmp_path: Path) -> None:
    page = [
        Row("Rules", 16),
        *TEXT,
        Row("1 Speed", is_bold=True),
        *TEXT,
        Row("1.1 In port", is_bold=True),
        *TEXT,
        Row("Note well", is_bold=True),
        "3 boats may be moored.",
        Row("Fares", 16),
        *TEXT,
    ]

    assert paths(read_one(tmp_path, laid_out(page))) == [
        "Rules",
        "Rules > 1 Speed",
        "Rules > 1 Speed > 1.1 In port",
        "Fares",
    ]


def test_letters_of_the_title_are_over_the_document_and_in_no_path(tmp_path: Path) -> None:
    first = [Row("Staff", 30), Row("handbook", 30), Row("Acme Ltd", 24), Row("Leave", 16), *TEXT]

    found = paths(read_one(tmp_path, laid_out(first, [Row("Travel", 16), *TEXT])))

    assert found == ["", "Leave", "Travel"]


def test_heading_of_two_lines_is_one(tmp_path: Path) -> None:
    page = [*TEXT, Row("Ferries between Norway", 16), Row("and Denmark", 16), *TEXT]

    assert paths(read_one(tmp_path, laid_out(page))) == ["", "Ferries between Norway and Denmark"]


def test_references_need_no_larger_letters(tmp_path: Path) -> None:
    document = read_one(tmp_path, laid_out([*TEXT, "References", "Smith, J. (2019). Ports."]))

    assert "Smith" not in document.text


def test_table_of_contents_is_left_out(tmp_path: Path) -> None:
    contents = [Row("Contents", 16), "Leave ........ 2", "Travel ....... 3"]

    document = read_one(tmp_path, laid_out(contents, [Row("Leave", 16), *TEXT]))

    assert document.text.startswith("Leave\n\nThe ferry")
    assert cut_passages(document)[0].place == document.layout.place(8, 20)  # type: ignore[union-attr]


def test_scan_says_what_to_do(tmp_path: Path) -> None:
    _, (bad,) = read(write(tmp_path / "a.pdf", pdf("", "")))

    assert bad == (
        "a.pdf: no text in it; scanned pages need text recognition first "
        "(ocrmypdf scan.pdf with-text.pdf)"
    )


def test_pages_that_are_pictures_are_told_and_the_others_read(tmp_path: Path) -> None:
    scanned = laid_out(["It sails."], PICTURE, [])

    (document,), (bad,) = read(write(tmp_path / "a.pdf", scanned))

    assert document.text == "It sails."
    assert bad == (
        "a.pdf: 1 of 3 pages are pictures without text (2); scanned pages need text recognition "
        "first (ocrmypdf scan.pdf with-text.pdf)"
    )


def test_file_of_references_alone_is_told(tmp_path: Path) -> None:
    documents, (bad,) = read(write(tmp_path / "a.md", "# Bibliography\n\nSmith, 2019."))

    assert (documents, bad) == ([], "a.md: nothing but references or contents in it")


# --- lines --------------------------------------------------------------------------------------


def kept(*pages: str) -> list[str]:
    """What is left of pages, whose lines are parted by strokes."""
    lines = [[Line(text.strip()) for text in page.split("|")] for page in pages]
    return ["|".join(line.text for line in page) for page in without_running_lines(lines)]


@pytest.mark.parametrize(
    ("pages", "left"),
    [
        pytest.param(["Acme|a|1", "Acme|b|2"], ["a", "b"], id="head and foot"),
        pytest.param(["a|Page 7 of 9", "b|Page 8 of 9"], ["a", "b"], id="number that grows"),
        pytest.param(["a|Total: 5", "b|Total: 5"], ["a", "b"], id="same line"),
        pytest.param(["a|Total: 5", "b|Total: 7"], ["a|Total: 5", "b|Total: 7"], id="sums"),
        pytest.param(["Acme||Staff|a", "Acme||Staff|b"], ["a", "b"], id="two lines and a blank"),
        pytest.param(["a|same|b", "c|same|d"], ["a|same|b", "c|same|d"], id="not at an edge"),
        pytest.param(
            ["x|a", "b", "c", "d", "e", "f", "x|g"], ["x|a", *"bcdef", "x|g"], id="two of seven"
        ),
        pytest.param(
            [f"{'Leave' if page in 'abc' else 'Travel'}|{page}" for page in "abcdef"],
            list("abcdef"),
            id="heads of chapters",
        ),
        pytest.param(["only|one"], ["only|one"], id="one page"),
        pytest.param(["Acme|1", "Acme|2", "b"], ["", "", "b"], id="nothing else"),
        pytest.param(["a|b", "a|b"], ["a|b", "a|b"], id="all of it"),
    ],
)
def test_lines_that_run_through_the_pages(pages: list[str], left: list[str]) -> None:
    assert kept(*pages) == left


@pytest.mark.parametrize(
    ("before", "after", "is_broken"),
    [
        ("the trans-", "portation of", True),
        ("die Eltern\u00ad", "zeit", True),
        ("Vor-", "und Nachteile", False),
        ("pre-", "and post-war", False),
        ("in 2019-", "2020", False),
        ("the Franco-", "German border", False),
        ("a dash -", "and more", False),
        ("no hyphen", "here", False),
        ("long-", "", False),
    ],
)
def test_broken_words(before: str, after: str, is_broken: bool) -> None:
    assert is_broken_word(before, after) is is_broken
