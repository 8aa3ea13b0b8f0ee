"""Answers that a server keeps: bounded in number and bytes, the same when they are found again."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from averment.engine import Answered, Edges, Engine
from averment.models.scripted import ScriptedModel
from averment.policies.fixed import NoRetrieval
from averment.policies.loop import SentenceLoop
from averment.serve.kept import KeptAnswers
from doubles import ListIndex, ListRetriever, NameExtractor

SAID = " Beethoven was born in Bonn. So the answer is Bonn."


def answered(trace_id: str = "", question: str = "Where was Beethoven born?") -> Answered:
    """An answer; its trace has the id that is given."""
    model = ScriptedModel(lambda prompt: SAID.removeprefix(prompt.answer), name="tiny")
    edges = Edges(ListIndex([]), ListRetriever([]), model, NameExtractor())
    made = Engine(SentenceLoop(NoRetrieval()), edges).ask(question)
    if not trace_id:
        return made
    return Answered(replace(made.answer, trace_id=trace_id), replace(made.trace, trace_id=trace_id))


def test_an_answer_is_found_again_as_it_was() -> None:
    kept, made = KeptAnswers(2), answered()

    kept.keep(made)

    assert kept.find(made.answer.trace_id) == made


def test_what_was_never_there_is_not_found() -> None:
    assert KeptAnswers(2).find("nothing") is None


def test_the_oldest_goes_when_there_are_too_many() -> None:
    kept = KeptAnswers(2)

    for name in ("a", "b", "c"):
        kept.keep(answered(name))

    assert [each.trace_id for each in kept.recent()] == ["c", "b"]
    assert kept.find("a") is None


def test_the_oldest_go_when_they_take_too_many_bytes() -> None:
    one = KeptAnswers(1)
    one.keep(answered("a"))
    kept = KeptAnswers(100, most_bytes=int(2.5 * one.n_bytes))

    for name in "abcdef":
        kept.keep(answered(name))

    assert [each.trace_id for each in kept.recent()] == ["f", "e"]
    assert kept.n_bytes <= 2.5 * one.n_bytes


def test_what_is_larger_than_everything_may_be_is_not_kept_and_pushes_nothing_out() -> None:
    one = KeptAnswers(1)
    one.keep(answered("small"))
    kept = KeptAnswers(100, most_bytes=2 * one.n_bytes)
    kept.keep(answered("small"))

    kept.keep(answered("large", random.Random(0).randbytes(3900).hex()))

    assert [each.trace_id for each in kept.recent()] == ["small"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("question", "Where was Beethoven born?"),
        ("said", "Bonn"),
        ("policy", "none"),
        ("verdict", "warned"),
    ],
)
def test_a_list_says_what_was_asked_and_what_became_of_it(field: str, value: str) -> None:
    kept = KeptAnswers(1)

    kept.keep(answered())

    assert getattr(kept.recent()[0], field) == value
