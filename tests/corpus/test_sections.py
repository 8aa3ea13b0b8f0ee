"""Sections: what stands under which heading, what is no body, and where offsets go without it."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.corpus.passages import cut_passages, whole_sections
from averment.corpus.sections import Heading, layout_of, without
from averment.places import Layout, Place, Role, Section, Unit, cited
from averment.types import Document, Passage

ENTRIES = "Smith, J. (2019). The ferry. Oslo.\n\nJones, A. 2020. Ports. https://example.org/p"
PROSE = "Nothing was printed here in years that anybody counts. " * 12


def headed(text: str) -> tuple[str, list[Heading]]:
    """A text whose headings are its lines that begin with some "#"."""
    found = re.finditer(r"^(#+) (.*)$", text, re.MULTILINE)
    return text, [Heading(m.start(), m.end(), len(m[1]), m[2]) for m in found]


def sections_of(text: str) -> list[tuple[tuple[str, ...], str, str]]:
    """Path, role, and the text under the headings."""
    layout = layout_of(*headed(text))
    assert layout is not None
    assert "".join(text[s.start : s.end] for s in layout.sections) == text
    return [(s.heading, s.role.value, text[s.body_start : s.end].strip()) for s in layout.sections]


def roles(text: str) -> dict[str, str]:
    return {" > ".join(path): role for path, role, _ in sections_of(text)}


def test_sections_have_the_path_of_their_headings() -> None:
    text = "Preface.\n# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\ne"

    assert sections_of(text) == [
        ((), "body", "Preface."),
        (("A",), "body", "a"),
        (("A", "B"), "body", "b"),
        (("A", "B", "C"), "body", "c"),
        (("A", "D"), "body", "d"),
        (("E",), "body", "e"),
    ]


def test_title_is_in_no_path() -> None:
    assert sections_of("# Guide\nIntro.\n## A\na\n## B\nb") == [
        ((), "body", "Intro."),
        (("A",), "body", "a"),
        (("B",), "body", "b"),
    ]


@pytest.mark.parametrize("text", ["Only text.", "# Title\nOnly text.", ""])
def test_text_without_sections_has_no_layout(text: str) -> None:
    assert layout_of(*headed(text)) is None


def test_heading_over_deeper_headings_alone_stands_with_the_first_of_them() -> None:
    assert sections_of("# A\n\n## B\nb\n# C\n# D\nd") == [
        (("A", "B"), "body", "b"),
        (("C",), "body", ""),
        (("D",), "body", "d"),
    ]


@pytest.mark.parametrize(
    "heading",
    [
        "References",
        "REFERENCES:",
        "7. References",
        "VII Bibliography",
        "Works Cited",
        "Literaturverzeichnis",
        "Referencias",
        "6 Références bibliographiques",
        "Список литературы",
        "参考文献",
    ],
)
def test_bibliography_is_found_by_its_heading(heading: str) -> None:
    assert roles(f"# A\na\n# {heading}\n{ENTRIES}\n# B\nb") == {
        "A": "body",
        heading: "references",
        "B": "body",
    }


@pytest.mark.parametrize(
    ("heading", "body"),
    [
        pytest.param("References", "Former employers are asked in writing, and never by phone.",
                     id="of an applicant"),
        pytest.param("Sources", f"The river has two. {PROSE}", id="of a river"),
        pytest.param("Bibliography", f"The founder wrote a lot. {PROSE * 3}", id="a chapter"),
        pytest.param("Reference manual", ENTRIES, id="another heading"),
    ],
)  # fmt: skip
def test_what_only_sounds_like_a_bibliography_is_body(heading: str, body: str) -> None:
    assert roles(f"# A\na\n# {heading}\n{body}") == {"A": "body", heading: "body"}


def test_bibliography_ends_at_the_next_section_of_its_level() -> None:
    text = f"# A\na\n# References\n## Books\n{ENTRIES}\n## Papers\n{ENTRIES}\n# B\nb"

    assert roles(text) == {
        "A": "body",
        "References > Books": "references",
        "References > Papers": "references",
        "B": "body",
    }


@pytest.mark.parametrize("heading", ["# Appendix A", "## Appendix A", "### B. Anhang", "## 附录"])
def test_appendix_after_the_references_is_body_at_any_level(heading: str) -> None:
    found = sections_of(f"# A\na\n# References\n{ENTRIES}\n{heading}\nForm 12.")

    assert [role for _, role, _ in found] == ["body", "references", "body"]
    assert found[-1][0] == (heading.lstrip("# "),)


def test_prose_after_the_last_entry_is_body_though_no_heading_says_so() -> None:
    found = sections_of(f"# A\na\n# B\nb\n## References\n{ENTRIES}\n\n{PROSE}")

    assert found[-2:] == [
        (("B", "References"), "references", ENTRIES),
        (("B",), "body", PROSE[:-1]),
    ]


def test_numbered_entries_need_no_heading() -> None:
    entries = "[1] Smith, 2019.\n[2] Jones, 2020.\n[3] https://example.org"

    assert sections_of(f"As [1] says.\n\n{entries}") == [
        ((), "body", "As [1] says."),
        ((), "references", entries),
    ]


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param("[1] Smith, 2019.\n[2] Jones, 2020.", id="two"),
        pytest.param("[1] Cut it.\n[2] Glue it.\n[3] Paint it.", id="steps"),
        pytest.param("[1] Smith, 2019.\n[3] Jones, 2020.\n[4] Meyer, 2021.", id="a gap"),
    ],
)
def test_other_numbered_lines_are_body(entries: str) -> None:
    assert layout_of(*headed(f"As [1] says.\n\n{entries}")) is None


def test_table_of_contents_is_boilerplate_where_its_lines_lead_somewhere() -> None:
    contents = "# Contents\nLeave ..... 3\nTravel 12\n# Leave\nl"

    assert roles(contents) == {"Contents": "boilerplate", "Leave": "body"}
    assert roles("# Contents\nOne key.\nTwo bolts.\n# Leave\nl")["Contents"] == "body"


# --- what is left out ---------------------------------------------------------------------------


def laid(text: str, page_starts: Iterable[int] = ()) -> Document:
    return Document("d.pdf", text, layout=layout_of(*headed(text), page_starts=list(page_starts)))


def test_text_without_references_keeps_the_places_of_the_rest() -> None:
    text = f"# A\na\n# References\n{ENTRIES}\n# Appendix\nForm 12."
    starts = [0, text.index("# R"), text.index("Jones"), text.index("# App"), text.index("Form")]

    shorter = without(laid(text, starts), {Role.REFERENCES})

    assert shorter.text == "# A\na\n# Appendix\nForm 12."
    assert shorter.layout is not None
    assert shorter.layout.lacks_references
    assert [shorter.text[start:] for start in shorter.layout.page_starts] == [
        "# A\na\n# Appendix\nForm 12.",
        "# Appendix\nForm 12.",
        "# Appendix\nForm 12.",
        "# Appendix\nForm 12.",
        "Form 12.",
    ]
    told = [cited(passage) for passage in cut_passages(shorter)]
    assert told == ["d.pdf, p. 1, A", "d.pdf, p. 5, Appendix"]


def test_document_without_references_stays_as_it_is() -> None:
    document = laid("# A\na\n# B\nb", [0])

    assert without(document, {Role.REFERENCES}) is document


@given(st.lists(st.sampled_from(["# A\n", "## B\n", "# References\n", "x y.\n", "2019.\n\n"])))
def test_leaving_out_loses_references_alone(pieces: list[str]) -> None:
    text = "".join(pieces)
    document = laid(text, [0])
    assert document.layout is not None

    shorter = without(document, {Role.REFERENCES})

    kept = [s for s in document.layout.sections if s.role is Role.BODY]
    assert shorter.text == "".join(text[s.start : s.end] for s in kept)
    assert shorter.layout is not None
    bodies = [s for s in shorter.layout.sections if s.role is Role.BODY]
    assert [(s.heading, shorter.text[s.body_start : s.end]) for s in bodies] == [
        (s.heading, text[s.body_start : s.end]) for s in kept
    ]


# --- passages -----------------------------------------------------------------------------------


def test_passages_keep_to_sections_and_hold_no_heading() -> None:
    words = "It sails daily. " * 20
    passages = cut_passages(laid(f"# A\n{words}\n# B\nb\n## C\n# D\nd"))

    assert [(p.place and p.place.section, p.text[:3]) for p in passages] == [
        (("A",), "It "),
        (("B",), "b"),
        (("B", "C"), "## "),
        (("D",), "d"),
    ]


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        pytest.param("# Title\n\n## A\na", ["a"], id="over sections"),
        pytest.param("# Title\n", ["# Title"], id="all there is"),
    ],
)
def test_title_by_itself_is_a_passage_only_where_it_is_all(text: str, texts: list[str]) -> None:
    assert [passage.text for passage in cut_passages(laid(text, [0]))] == texts


def test_kept_references_are_in_no_passage() -> None:
    document = laid(f"# A\na\n# References\n{ENTRIES}")

    assert "Smith" in document.text
    for passages in (cut_passages(document), whole_sections(document)):
        assert [passage.text for passage in passages] == ["a"]


# --- places -------------------------------------------------------------------------------------

PLACED = Layout(
    (Section((), 0, 0, 10), Section(("A",), 10, 12, 30), Section(("A", "B"), 30, 30, 50)),
    (0, 20, 20, 40),
)


@pytest.mark.parametrize(
    ("span", "told"),
    [
        pytest.param((0, 5), "p. 1", id="before the first heading"),
        pytest.param((10, 20), "p. 1, A", id="up to the turn"),
        pytest.param((15, 21), "pp. 1–3, A", id="over an empty page"),
        pytest.param((20, 30), "p. 3, A", id="from the turn"),
        pytest.param((45, 50), "p. 4, A > B", id="last"),
        pytest.param((50, 50), "p. 4, A > B", id="the end"),
    ],
)
def test_place_of_a_span(span: tuple[int, int], told: str) -> None:
    place = PLACED.place(*span)

    assert place is not None
    assert place.in_words == told


def test_evidence_within_a_passage_is_on_its_own_page() -> None:
    place = PLACED.place(12, 50)
    assert place is not None

    assert (place.page, place.last_page) == (1, 4)
    assert place.within(25, 30) == PLACED.place(25, 30)
    assert place.within(41, 42).in_words == "p. 4, A"


def test_slides_are_called_slides_and_sections_need_no_pages() -> None:
    assert Place((), 3, (), Unit.SLIDE).in_words == "slide 3"
    assert Place(("A", "B")).within(3, 4).in_words == "A > B"
    assert Place(("A",)).last_page is None


def test_what_has_no_place_is_cited_by_its_title_or_its_id() -> None:
    assert cited(Passage("d#0", "d", "Title", "x", 0, 1)) == "Title"
    assert cited(Passage("d#0", "d", "", "x", 0, 1)) == "d"


def test_body_around_a_span_stops_at_the_references() -> None:
    layout = Layout(
        (
            Section(("A",), 0, 0, 10),
            Section(("R",), 10, 10, 20, Role.REFERENCES),
            Section(("B",), 20, 20, 30),
        )
    )

    assert layout.body_around(2, 8) == (0, 10)
    assert layout.body_around(22, 25) == (20, 30)
    assert layout.body_around(8, 12) is None
    assert Layout(page_starts=(0,)).body_around(3, 9) == (0, 9)
