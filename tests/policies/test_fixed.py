"""The two baselines: never retrieve, or once with the question; nothing counts as checked."""

from __future__ import annotations

import pytest

from averment.policies.fixed import NoRetrieval, SingleRetrieval
from averment.policies.ledger import Ledger
from averment.policies.loop import Inspection, Progress, Query
from averment.types import Question, Sentence, Support, Verdict
from doubles import follow, text_of

QUESTION = Question("q", "Which city?")
PROGRESS = Progress(QUESTION, (), Ledger(100))


def unchecked(*texts: str) -> tuple[Sentence, ...]:
    return tuple(Sentence(text, Support.UNKNOWN) for text in texts)


def test_none_never_searches() -> None:
    assert follow(NoRetrieval().before(QUESTION)) == ()


def test_single_always_searches_with_the_question() -> None:
    queries = follow(SingleRetrieval().before(QUESTION))

    assert queries == (
        Query("Which city?", "always", "single retrieval searches with the question"),
    )


@pytest.mark.parametrize("trigger", [NoRetrieval(), SingleRetrieval()], ids=["none", "single"])
def test_every_sentence_passes_unchecked(trigger: NoRetrieval) -> None:
    found = follow(trigger.inspect(PROGRESS, "Oslo is in Sweden.", text_of("")))

    assert found == Inspection(reason="not_checked")


@pytest.mark.parametrize("trigger", [NoRetrieval(), SingleRetrieval()], ids=["none", "single"])
@pytest.mark.parametrize(
    ("sentences", "verdict", "reason"),
    [
        pytest.param((), Verdict.ABSTAINED, "empty_answer", id="nothing was written"),
        pytest.param(
            unchecked("So the answer is unknown."),
            Verdict.ABSTAINED,
            "no_evidence",
            id="the model does not know",
        ),
        pytest.param(
            unchecked("Oslo is in Norway.", "So the answer is Oslo."),
            Verdict.WARNED,
            "not_checked",
            id="an answer",
        ),
        pytest.param(
            unchecked("Oslo is in Norway."), Verdict.WARNED, "not_checked", id="no short answer"
        ),
    ],
)
def test_an_answer_that_nobody_checked_is_never_simply_answered(
    trigger: NoRetrieval, sentences: tuple[Sentence, ...], verdict: Verdict, reason: str
) -> None:
    assert trigger.conclude(sentences) == (verdict, reason)


@pytest.mark.parametrize(
    ("trigger", "name"), [(NoRetrieval(), "none"), (SingleRetrieval(), "single")]
)
def test_the_baselines_have_their_names_and_need_nothing_of_the_model(
    trigger: NoRetrieval, name: str
) -> None:
    assert trigger.name == name
    assert trigger.needs == frozenset()
