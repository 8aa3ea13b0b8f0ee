"""What of a text is a claim, and why the rest is none."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.claims.split import PartKind, split_text

CLAIM = PartKind.CLAIM


def kinds(text: str) -> list[tuple[str, str]]:
    return [(part.kind.value, part.text) for part in split_text(text)]


def claims(text: str) -> list[str]:
    return [part.text for part in split_text(text) if part.kind is CLAIM]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param("Who directed it?", "question", id="question"),
        pytest.param("“Who?”", "question", id="quoted_question"),
        pytest.param("東京はどこ？", "question", id="question_of_another_script"),
        pytest.param('He asked "Who directed it?"', "claim", id="tells_of_a_question"),
        pytest.param("What makes it great is its light.", "claim", id="question_word_that_tells"),
        pytest.param("Hello!", "greeting", id="hello"),
        pytest.param("Good morning, dear reader,", "greeting", id="salutation"),
        pytest.param("Great question!", "greeting", id="courtesy"),
        pytest.param("I hope this helps!", "greeting", id="hope"),
        pytest.param("Let me know if you have any other questions.", "greeting", id="offer"),
        pytest.param("You’re welcome.", "greeting", id="typographic_apostrophe"),
        pytest.param("Hello Kitty is a character.", "claim", id="name_that_greets"),
        pytest.param("Welcome to Sarajevo is a film.", "claim", id="title_that_greets"),
        pytest.param("I don't know.", "refusal", id="does_not_know"),
        pytest.param("I’m sorry, but I can’t help with that.", "refusal", id="cannot_help"),
        pytest.param("I'm sorry.", "refusal", id="apology"),
        pytest.param("As an AI language model, I have no opinion.", "refusal", id="as_a_model"),
        pytest.param("I do not have enough information to answer.", "refusal", id="no_information"),
        pytest.param("The provided passages do not mention him.", "refusal", id="not_in_passages"),
        pytest.param("There is not enough context to say.", "refusal", id="no_context"),
        pytest.param("I'm not sure, but it was built in 1889.", "claim", id="answers_all_the_same"),
        pytest.param("The cause of the fire is unknown.", "claim", id="unknown_to_the_world"),
        pytest.param("Sorry, Oslo is the capital.", "claim", id="sorry_and_claims"),
        pytest.param("# Early life", "heading", id="marked_heading"),
        pytest.param("Sure, here are the facts:", "heading", id="announcement"),
        pytest.param("Population:", "heading", id="title_with_colon"),
        pytest.param("It has three airports:", "claim", id="colon_after_a_verb"),
        pytest.param("```\nx = 1\n```", "code", id="fence"),
        pytest.param("~~~sql\nSELECT 1", "code", id="fence_that_is_not_closed"),
        pytest.param("print('hello')", "code", id="call"),
        pytest.param("x = 1\nprint(x)", "code", id="assignment_beside_a_call"),
        pytest.param("def f(a):\n    return a\n\nprint(f(1))", "code", id="definition"),
        pytest.param("for (i = 0; i < 3; i++) {\n  n += i;\n}", "code", id="braces"),
        pytest.param("$ pip install averment", "code", id="shell"),
        pytest.param("F = ma", "claim", id="formula_alone"),
        pytest.param("Apples (red and green);", "claim", id="semicolon_of_prose"),
        pytest.param("***", "no_words", id="rule"),
        pytest.param("🙂", "no_words", id="emoji"),
        pytest.param("|---|---|", "no_words", id="line_of_a_table"),
        pytest.param("Paris", "claim", id="short_answer"),
        pytest.param("B)", "claim", id="letter_of_a_choice"),
        pytest.param("Oslo ist die Hauptstadt von Norwegen", "claim", id="another_language"),
    ],
)
def test_a_piece_is_a_claim_or_has_a_named_reason(text: str, kind: str) -> None:
    assert kinds(text) == [(kind, text)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("It cost 3.5 million dollars.", id="decimal"),
        pytest.param("He lives in St. Louis, e.g. downtown.", id="abbreviation"),
        pytest.param("Oslo is the\ncapital of Norway.", id="soft_break"),
        pytest.param(
            "This line is as long as lines are when they break at\nOslo.", id="before_a_name"
        ),
        pytest.param("Oslo is big", id="without_a_mark"),
        pytest.param("Yahoo! was founded in 1994", id="mark_inside_a_name"),
    ],
)
def test_a_sentence_is_one_claim(text: str) -> None:
    assert claims(text) == [text]


def test_short_lines_are_statements_of_their_own() -> None:
    assert claims("Oslo is in Norway\nRiga is in Latvia") == [
        "Oslo is in Norway",
        "Riga is in Latvia",
    ]


def test_list_items_are_claims_without_their_marks() -> None:
    text = "Facts:\n- Oslo is big. It is old.\n  2) Riga lies\n  by the sea\n* [Bern](x) is small"

    assert kinds(text) == [
        ("heading", "Facts:"),
        ("claim", "Oslo is big."),
        ("claim", "It is old."),
        ("claim", "Riga lies\n  by the sea"),
        ("claim", "[Bern](x) is small"),
    ]


def test_what_is_quoted_is_claimed() -> None:
    assert claims("> Oslo is the\n> capital of Norway.") == ["Oslo is the\n> capital of Norway."]


def test_a_quotation_and_a_title_end_the_paragraph_before_them() -> None:
    assert kinds("he said this\n> oslo is big\nlegacy\n======\nIt is old.") == [
        ("claim", "he said this"),
        ("claim", "oslo is big"),
        ("heading", "legacy\n======"),
        ("claim", "It is old."),
    ]


@pytest.mark.parametrize("title", ["Early life", "**Early life**", "Early life\n----------"])
def test_a_title_is_known_by_the_text_below_it(title: str) -> None:
    assert kinds(f"{title}\n\nShe was born in Oslo.") == [
        ("heading", title),
        ("claim", "She was born in Oslo."),
    ]


def test_a_statement_with_a_verb_of_no_list_is_no_title() -> None:
    assert claims("Water boils at 100 degrees\nIce melts at 0 degrees") == [
        "Water boils at 100 degrees",
        "Ice melts at 0 degrees",
    ]


def test_a_sentence_above_a_rule_is_no_title() -> None:
    assert kinds("Oslo is big.\n---\nIt is old.") == [
        ("claim", "Oslo is big."),
        ("no_words", "---"),
        ("claim", "It is old."),
    ]


def test_rows_of_a_table_are_looked_at_one_by_one() -> None:
    assert kinds("| city | people |\n|---|---|\n| Oslo | 700,000 |") == [
        ("claim", "| city | people |"),
        ("no_words", "|---|---|"),
        ("claim", "| Oslo | 700,000 |"),
    ]


def test_an_answer_of_everything_is_told_apart() -> None:
    text = "Hello! Oslo is the capital. Who says so?\n\n```\nx\n```\nI do not know. 🙂"

    assert [kind for kind, _ in kinds(text)] == [
        "greeting",
        "claim",
        "question",
        "code",
        "refusal",
        "no_words",
    ]


@pytest.mark.parametrize("text", ["", " ", "\n\t\n", "\u2003"])
def test_a_text_of_blanks_has_no_parts(text: str) -> None:
    assert split_text(text) == []


@pytest.mark.parametrize(
    ("text", "n_parts"),
    [
        pytest.param("x" * 10_000, 1, id="one_word"),
        pytest.param("Oslo is a city in Norway. " * 385, 385, id="sentences"),
        pytest.param("- Oslo is a city\n" * 588, 588, id="items"),
        pytest.param("word " * 2_000, 1, id="no_mark"),
        pytest.param("((((" * 2_500, 1, id="brackets"),
        pytest.param("a = " * 2_500, 1, id="equal_signs"),
        pytest.param("> " * 5_000, 1, id="quotes"),
        pytest.param("here's " * 1_400 + ":", 1, id="announcements"),
    ],
)
def test_ten_thousand_characters_are_split_too(text: str, n_parts: int) -> None:
    assert len(split_text(text)) == n_parts


PIECES = ("Oslo is big.", "- ", "1. ", "> ", "\n", "\n\n", "# ", "```", "Title", "x = 1", "f(x)")
MORE_PIECES = (
    "Why?",
    "Hi!",
    "I don't know.",
    " ",
    "🏰",
    "e\u0301",
    "---",
    "| a |",
    "\r\n",
    "\u2028",
)
MARKS = re.compile(r"[-1.>\s]*")


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES + MORE_PIECES), max_size=12))
def test_every_character_that_is_not_blank_belongs_to_one_part_or_marks_an_item(
    pieces: list[str],
) -> None:
    text = "".join(pieces)

    parts = split_text(text)

    at = 0
    for part in parts:
        assert part.start >= at
        assert part.text == text[part.start : part.end] == part.text.strip() != ""
        assert MARKS.fullmatch(text[at : part.start])
        at = part.end
    assert MARKS.fullmatch(text[at:])
