"""What HTML is put together from: text is escaped, marks stand where they were told to."""

from __future__ import annotations

import pytest

from averment.page.html import Html, joined, tag
from averment.page.marking import with_evidence, with_marked, with_phrases
from averment.text import Span, TextForm
from averment.types import Passage


def test_text_is_escaped_and_html_is_not() -> None:
    made = tag("p", "<b>&", tag("b", "x"), None, title='"<', hidden=True, class_=None)

    assert made == '<p title="&quot;&lt;" hidden>&lt;b&gt;&amp;<b>x</b></p>'


def test_what_is_joined_is_html_for_templates_too() -> None:
    made = joined(["<i>", Html("<hr>")])

    assert made == "&lt;i&gt;<hr>"
    assert made.__html__() is made


def test_an_element_without_content_has_no_end() -> None:
    assert tag("input", name="q", required=True) == '<input name="q" required>'


@pytest.mark.parametrize(
    ("spans", "shown"),
    [
        ([], "a &lt;b&gt; c"),
        ([Span(0, 1)], "<mark>a</mark> &lt;b&gt; c"),
        ([Span(2, 4), Span(3, 5)], "a <mark>&lt;b&gt;</mark> c"),
        ([Span(6, 7), Span(0, 1)], "<mark>a</mark> &lt;b&gt; <mark>c</mark>"),
        ([Span(3, 3)], "a &lt;b&gt; c"),
    ],
    ids=["none", "one", "overlapping", "out of order", "empty"],
)
def test_spans_are_marked_and_what_is_in_them_escaped(spans: list[Span], shown: str) -> None:
    assert with_marked("a <b> c", spans) == shown


def test_evidence_is_marked_in_its_own_passage_only() -> None:
    passage = Passage("p", "d", "", "Bonn is a city.", 100, 115)
    inside = Passage("p", "d", "", "a city", 108, 114)
    of_another = Passage("p", "e", "", "a city", 108, 114)
    before = Passage("p", "d", "", "a city", 8, 14)

    assert with_evidence(passage, [inside]) == "Bonn is <mark>a city</mark>."
    assert with_evidence(passage, [of_another, before]) == "Bonn is a city."


def test_phrases_are_marked_as_the_corpus_counts_them() -> None:
    marked = with_phrases("BONN, Bonner and New  York.", ["Bonn", "new york", "…"], TextForm())

    assert marked == "<mark>BONN</mark>, Bonner and <mark>New  York</mark>."
