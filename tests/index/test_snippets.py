"""Snippets: short, whole words, and with an ellipsis wherever something is left out."""

from __future__ import annotations

import pytest

from averment.index.snippets import WIDTH_CHARACTERS, snippet
from averment.text import Span, TextForm

LONG = " ".join(f"word{number:03}" for number in range(100))


def span(text: str, phrase: str) -> Span:
    at = text.index(phrase)
    return Span(at, at + len(phrase))


def show(text: str, *phrases: str) -> str:
    words = TextForm().words_with_spans(text)
    return snippet(text, words, sorted(span(text, phrase) for phrase in phrases))


def test_short_text_is_shown_whole() -> None:
    assert show("¿Ann Hardy?", "Hardy") == "¿Ann Hardy?"


def test_blanks_are_collapsed() -> None:
    assert show("  Ann\n\n\tHardy  ", "Hardy") == "Ann Hardy"


@pytest.mark.parametrize(
    ("phrase", "starts_with", "ends_with"),
    [
        pytest.param("word000", "word000", " …", id="at the start"),
        pytest.param("word050", "… word", " …", id="in the middle"),
        pytest.param("word099", "… word", "word099", id="at the end"),
    ],
)
def test_ellipses_stand_where_text_was_cut(phrase: str, starts_with: str, ends_with: str) -> None:
    shown = show(LONG, phrase)

    assert phrase in shown
    assert shown.startswith(starts_with)
    assert shown.endswith(ends_with)


def test_snippet_is_cut_between_words_at_about_its_width() -> None:
    shown = show(LONG, "word050")

    inner = shown.removeprefix("… ").removesuffix(" …")
    assert f" {inner} " in f" {LONG} "
    assert WIDTH_CHARACTERS - 20 < len(inner) <= WIDTH_CHARACTERS


def test_near_phrases_share_a_snippet() -> None:
    shown = show(LONG, "word050", "word055")

    assert "word050 word051" in shown
    assert " … " not in shown.strip("… ")


def test_far_phrases_get_one_half_each() -> None:
    shown = show(LONG, "word010", "word090")

    first, second = shown.strip("… ").split(" … ")
    assert "word010" in first
    assert "word090" in second
    assert len(shown) <= WIDTH_CHARACTERS + 10


def test_halves_that_overlap_are_one_part() -> None:
    long_phrase = LONG[0:150]

    shown = show(LONG, long_phrase, "word020")

    assert shown.startswith(long_phrase)
    assert shown.count("word018") == 1
    assert " … " not in shown.removesuffix(" …")


def test_phrase_longer_than_a_snippet_is_shown_whole() -> None:
    phrase = LONG[80:400].strip()

    assert phrase in show(LONG, phrase)


def test_text_without_blanks_is_cut_between_characters_that_are_words() -> None:
    text = "東" * 200 + "京" + "東" * 200

    shown = show(text, "京")

    assert "東京東" in shown
    assert shown.startswith("… 東")
    assert shown.endswith("東 …")


def test_words_longer_than_a_snippet_are_not_cut() -> None:
    text = f"{'a' * 300} Hardy {'b' * 300}"

    assert show(text, "Hardy") == "… Hardy …"
