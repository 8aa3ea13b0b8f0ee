"""The short answer in what a model wrote for a harness, by the rule of averment's own benches."""

from __future__ import annotations

from averment.policies.loop import final_answer
from averment.prompts import load


def question_prompt(question: str) -> str:
    """What a model is given for a question without passages: the prompt of the benches."""
    return load("answer").fill(context="", question=question)


def short_answer(completion: str) -> str:
    """What stands behind "the answer is"; all of the text where it does not say so."""
    return final_answer(completion) or completion.strip()
