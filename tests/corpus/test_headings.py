"""Headings of Markdown, web pages and Word documents, and what there is no part of the content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corpus.reading import read, write

FENCED = "```sh\n# x\n~~~\n```"
RULES = "p\n\n---\n- a\n---"


def sections_of(path: Path) -> list[tuple[str, str]]:
    """The path of each section, and the text under its headings."""
    (document,), bad = read(path)
    assert bad == []
    assert document.layout is not None
    return [
        (" > ".join(each.heading), document.text[each.body_start : each.end].strip())
        for each in document.layout.sections
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("## A\na\n\nB\n=\nb\n", [("A", "a"), ("B", "b")], id="both kinds"),
        pytest.param("```sh\n# x\n~~~\n```\n## A ##\na", [("", FENCED), ("A", "a")], id="fenced"),
        pytest.param("---\nb: x\n---\n# A\na", [("", "---\nb: x\n---"), ("A", "a")], id="matter"),
        pytest.param("p\n\n---\n- a\n---\n# A\na", [("", RULES), ("A", "a")], id="rules"),
        pytest.param("# A\r\na\r\n# B\r\nb", [("A", "a"), ("B", "b")], id="carriage returns"),
        pytest.param(
            "# A\na\n# Literatur\n- Smith, 2019\n# B\nb",
            [("A", "a"), ("Literatur", ""), ("B", "b")],
            id="references",
        ),
    ],
)
def test_headings_of_markdown(tmp_path: Path, text: str, found: list[tuple[str, str]]) -> None:
    assert sections_of(write(tmp_path / "a.md", text)) == found


ARTICLE = "<h2>Leave</h2><p>a<h3>Parental <b>leave</b></h3><p>b<h2>Travel</h2><p>c"


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(f"<header>Menu</header><main>{ARTICLE}</main><aside>Ads</aside>", id="main"),
        pytest.param(f"<div>Menu</div><div role=main>{ARTICLE}</div>", id="role"),
        pytest.param(f"<h1>Site</h1><article>{ARTICLE}</article><p>Ads", id="article"),
        pytest.param(f"{ARTICLE}<footer>Imprint</footer>", id="footer"),
        pytest.param(f"<div role=navigation>Menu</div>{ARTICLE}", id="navigation"),
        pytest.param(f"<main> </main>{ARTICLE}", id="empty main"),
        pytest.param(f"<h1>Handbook</h1>{ARTICLE}<h2> </h2>", id="title"),
    ],
)
def test_main_content_of_a_page(tmp_path: Path, page: str) -> None:
    pytest.importorskip("lxml", reason="needs the extra [docs]")
    found = sections_of(write(tmp_path / "a.html", page))

    assert [section for section in found if section != ("", "")] == [
        ("Leave", "a"),
        ("Leave > Parental leave", "b"),
        ("Travel", "c"),
    ]


def test_footer_of_an_article_and_several_articles_are_content(tmp_path: Path) -> None:
    pytest.importorskip("lxml", reason="needs the extra [docs]")
    page = "<article>One<footer>By Ann</footer></article><article>Two</article>"

    (document,), _ = read(write(tmp_path / "a.html", page))

    assert document.text == "One\n\nBy Ann\n\nTwo"


def styled(*paragraphs: tuple[str, str | None]) -> Any:
    """A Word document of paragraphs with their styles."""
    docx = pytest.importorskip("docx", reason="needs the extra [docs]")
    made = docx.Document()
    for text, style in paragraphs:
        made.add_paragraph(text, style)
    return made


def test_headings_of_word_are_those_of_its_styles(tmp_path: Path) -> None:
    made = styled(
        ("Handbook", "Title"),
        ("Intro.", None),
        ("Leave", "Heading 1"),
        ("Parental leave", "Heading 2"),
        ("Sixteen weeks.", None),
        ("Works cited", "Heading 1"),
        ("Smith 2019.", None),
        ("Appendix", "Heading 2"),
        ("Form 12.", None),
    )
    made.save(str(tmp_path / "a.docx"))

    assert sections_of(tmp_path / "a.docx") == [
        ("", "Intro."),
        ("Leave > Parental leave", "Sixteen weeks."),
        ("Works cited", ""),
        ("Appendix", "Form 12."),
    ]


def test_outline_levels_are_headings_and_lines_of_contents_are_left_out(tmp_path: Path) -> None:
    docx = pytest.importorskip("docx", reason="needs the extra [docs]")
    made = styled(("Before.", None), ("Leave", None), ("It is asked for.", None))
    contents = made.styles.add_style("toc 1", docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
    made.paragraphs[0].insert_paragraph_before("Leave\t3", contents)
    properties = made.paragraphs[2]._p.get_or_add_pPr()
    level = docx.oxml.OxmlElement("w:outlineLvl")
    level.set(docx.oxml.ns.qn("w:val"), "0")
    properties.append(level)
    made.save(str(tmp_path / "a.docx"))

    assert sections_of(tmp_path / "a.docx") == [("", "Before."), ("Leave", "It is asked for.")]
