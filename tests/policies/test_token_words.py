"""Words, the tokens that make them up, and which words have content."""

from __future__ import annotations

import pytest

from averment.policies.token_words import (
    best_words,
    by_word,
    has_content,
    runs,
    runs_and_marks,
    spans_of,
)
from averment.text import Span
from averment.types import Token


def cut(text: str, spans: list[Span]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


def test_runs_keep_the_marks_that_cling_to_them() -> None:
    assert cut("Oslo (Norway), 1.5 km.", runs("Oslo (Norway), 1.5 km.")) == [
        "Oslo",
        "(Norway),",
        "1.5",
        "km.",
    ]


def test_marks_can_stand_by_themselves_but_for_apostrophes_in_words() -> None:
    text = "O'Brien's pub, Oslo."

    assert cut(text, runs_and_marks(text)) == ["O'Brien's", "pub", ",", "Oslo", "."]


@pytest.mark.parametrize("word", "Oslo city red born 1952 seven quickly St. O'Brien's 東".split())
def test_a_word_that_is_more_than_grammar_has_content(word: str) -> None:
    assert has_content(word)


@pytest.mark.parametrize("word", ["the", "The", "was", "of,", "which", "...", "", "isn't"])
def test_function_words_and_marks_have_none(word: str) -> None:
    assert not has_content(word)


def test_a_token_belongs_to_the_word_that_it_begins_in_behind_its_blank() -> None:
    text = " Os is."
    tokens = [Token(" O", 0.0), Token("s", 0.0), Token(" ", 0.0), Token("is", 0.0), Token(".", 0.0)]

    assert by_word(text, runs(text), spans_of(tokens), "abcde") == [["a", "b"], ["d", "e"]]


def test_a_word_in_which_no_token_begins_has_none() -> None:
    assert by_word("a-b", [Span(0, 1), Span(2, 3)], [(0, 3)], ["whole"]) == [["whole"], []]


def test_the_best_words_come_in_the_order_of_the_text_without_marks() -> None:
    text = "Oslo, the capital, lies here."

    words = best_words(text, runs(text), [0.2, 0.9, 0.1, 0.3, 0.0], 2)

    assert words == "Oslo lies"


def test_of_equal_words_the_first_are_best() -> None:
    text = "one red city lies far"

    assert best_words(text, runs(text), [0.0] * 5, 2) == "red city"
