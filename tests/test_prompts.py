"""Prompts: filled literally, identified by a digest, with notes that are not sent."""

from __future__ import annotations

import hashlib

import pytest

from averment.prompts import Template, load


def test_braces_in_what_is_filled_in_stay_as_they_are() -> None:
    template = Template("t", "{context}Question: {question}")

    filled = template.fill(context="{question} {0} {{x}}\n", question="What is {context}?")

    assert filled == "{question} {0} {{x}}\nQuestion: What is {context}?"


def test_a_backslash_in_what_is_filled_in_stays_as_it_is() -> None:
    assert Template("t", "{question}").fill(question=r"What does \1 or \g<0> do?") == (
        r"What does \1 or \g<0> do?"
    )


def test_a_placeholder_without_a_value_is_an_error_of_the_caller() -> None:
    with pytest.raises(KeyError, match="question"):
        Template("t", "{context}{question}").fill(context="")


def test_the_digest_changes_with_the_text_only() -> None:
    template = Template("t", "Straße {question}")

    assert template.digest == hashlib.sha256("Straße {question}".encode()).hexdigest()
    assert template.digest == Template("other id", "Straße {question}").digest
    assert template.digest != Template("t", "Strasse {question}").digest


def test_the_shipped_prompt_holds_context_then_question_and_ends_where_the_answer_starts() -> None:
    text = load("answer").fill(context="<context>", question="<question>")

    assert text.endswith("<context>Question: <question>\nAnswer:")


def test_the_shipped_prompt_does_not_send_its_notes() -> None:
    assert "#:" not in load("answer").text
