"""PowerPoint presentations: a section a slide, with groups, tables and notes in order."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import pytest

from averment.corpus.passages import cut_passages
from averment.places import cited
from corpus.reading import read, write

pptx = pytest.importorskip("pptx", reason="needs the extra [docs]")


def saved(presentation: Any) -> bytes:
    target = io.BytesIO()
    presentation.save(target)
    return target.getvalue()


def deck() -> Any:
    """A slide with a table, a group and notes; one without title; an empty one; references."""
    made = pptx.Presentation()
    with_body, blank = made.slide_layouts[1], made.slide_layouts[6]
    inch = pptx.util.Inches(1)
    first = made.slides.add_slide(with_body)
    first.shapes.title.text = "Ferries\nto Norway"
    first.placeholders[1].text = "Sørlandia sails daily.\nIt is fast."
    table = first.shapes.add_table(1, 2, inch, inch, inch, inch).table
    table.cell(0, 0).text, table.cell(0, 1).text = "Hirtshals", "twice"
    box = first.shapes.add_group_shape().shapes.add_textbox(inch, inch, inch, inch)
    box.text_frame.text = "In a group."
    first.notes_slide.notes_text_frame.text = "Mention the new captain."
    second = made.slides.add_slide(blank)
    second.shapes.add_textbox(inch, inch, inch, inch).text_frame.text = "No title here."
    made.slides.add_slide(blank)
    last = made.slides.add_slide(with_body)
    last.shapes.title.text = "References"
    last.placeholders[1].text = "Smith, J. (2019). Ports."
    return made


def test_slides_are_sections_with_their_notes(tmp_path: Path) -> None:
    (document,), bad = read(write(tmp_path / "deck.pptx", saved(deck())))

    assert (document.title, bad) == ("Ferries to Norway", [])
    assert document.text == (
        "Ferries to Norway\n\nSørlandia sails daily.\n\nIt is fast.\n\nHirtshals\ttwice\n\n"
        "In a group.\n\nNotes\n\nMention the new captain.\n\nNo title here.\n\n"
    )
    assert [(cited(passage), passage.text[-9:]) for passage in cut_passages(document)] == [
        ("deck.pptx, slide 1, Ferries to Norway", " a group."),
        ("deck.pptx, slide 1, Ferries to Norway > Notes", " captain."),
        ("deck.pptx, slide 2", "tle here."),
    ]


def test_presentation_is_titled_by_its_properties(tmp_path: Path) -> None:
    made = deck()
    made.core_properties.title = " On ferries "

    (document,), _ = read(write(tmp_path / "deck.pptx", saved(made)))

    assert document.title == "On ferries"


def test_damage_of_any_kind_never_ends_the_run(tmp_path: Path) -> None:
    content, chance = saved(deck()), random.Random(0)

    for _ in range(20):
        at = chance.randrange(len(content))
        path = write(tmp_path / "a.pptx", content[:at] + chance.randbytes(4) + content[at + 4 :])

        documents, bad = read(path)

        assert len(documents) + len(bad) == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"PK", "cannot be read as PowerPoint: ", id="damaged"),
        pytest.param(saved(deck())[:9000], "cannot be read as PowerPoint: ", id="cut"),
        pytest.param(
            b"\xd0\xcf\x11\xe0" + bytes(512),
            "cannot be read as PowerPoint: encrypted, or of the format before 2007",
            id="old format",
        ),
        pytest.param(saved(pptx.Presentation()), "no text in it", id="no slides"),
    ],
)
def test_presentation_that_cannot_be_used_is_told(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    write(tmp_path / "a.pptx", content)
    write(tmp_path / "z.txt", "good")

    documents, (bad,) = read(tmp_path)

    assert [d.document_id for d in documents] == ["z.txt"]
    assert bad.startswith(f"a.pptx: {reason}")
