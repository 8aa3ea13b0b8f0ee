"""Which questions go by somebody whom they do not name."""

from __future__ import annotations

import pytest

from averment.policies.several_steps import goes_by_somebody


@pytest.mark.parametrize(
    "question",
    [
        "When did the father of Margaret Verney die?",
        "Where was the director of film Rio born?",
        "What nationality is Anna's husband?",
        "Who is the mother of the director of film Rio?",
        "Who is Anna's mother-in-law?",
        "Who is Jesus' maternal grandfather?",
    ],
)
def test_a_question_goes_by_somebody(question: str) -> None:
    assert goes_by_somebody(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who is the father of Margaret Verney?",
        "What is the name of the director of Rio?",
        "Who is Anna's husband?",
        "Who directed Rio?",
        "When was Margaret Verney born?",
        "Which director made Rio?",
        "",
    ],
)
def test_a_question_asks_of_what_it_names(question: str) -> None:
    assert not goes_by_somebody(question)
