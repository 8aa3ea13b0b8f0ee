from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from averment.errors import CapabilityError
from averment.models.judge import JudgeByLanguageModel
from averment.models.llama_cpp import open_llama_cpp
from averment.models.scripted import ScriptedModel
from averment.types import Prompt, Token

FERRY = "The ferry to Hirtshals leaves at noon and takes four hours."


class PreferringModel:
    """Gives words the log-probabilities that were said, whatever the prompt."""

    def __init__(self, logprobs: Mapping[str, float | None]) -> None:
        self._logprobs = logprobs
        self.asked: list[tuple[Prompt, str]] = []

    def score(self, continuations: Sequence[tuple[Prompt, str]]) -> list[list[Token]]:
        self.asked += continuations
        return [[Token(word, self._logprobs[word])] for _, word in continuations]


def judged(yes: float | None, no: float | None) -> float:
    model = PreferringModel({" yes": yes, " no": no})
    [found] = JudgeByLanguageModel(model, name="some").judge([(FERRY, "It leaves at noon.")])
    assert found.contradiction == 0.0
    assert found.neutral == 1.0 - found.entailment
    return found.entailment


@pytest.mark.parametrize(
    ("yes", "no", "p"),
    [
        (math.log(0.3), math.log(0.1), 0.75),
        (math.log(0.1), math.log(0.3), 0.25),
        (-20.0, -20.0, 0.5),
        (-0.0, -2000.0, 1.0),
        (-2000.0, 0.0, 0.0),
        (-math.inf, -3.0, 0.0),
    ],
    ids=["yes", "no", "neither", "surely", "surely not", "impossible"],
)
def test_the_two_words_are_compared_however_unlikely_both_are(
    yes: float, no: float, p: float
) -> None:
    assert judged(yes, no) == pytest.approx(p)


def test_both_words_are_scored_after_one_prompt_that_holds_passage_and_claim() -> None:
    model = PreferringModel({" yes": -1.0, " no": -1.0})

    JudgeByLanguageModel(model, name="some").judge([(FERRY, "It {leaves} at noon.")])

    (prompt, yes), (other, no) = model.asked
    assert (yes, no) == (" yes", " no")
    assert prompt == other
    assert FERRY in prompt.text
    assert "It {leaves} at noon." in prompt.text
    assert prompt.text.endswith(":")


@pytest.mark.parametrize(
    ("yes", "no"),
    [(None, -1.0), (-1.0, math.nan), (-math.inf, -math.inf)],
    ids=["withheld", "nan", "both impossible"],
)
def test_what_cannot_be_compared_is_refused(yes: float | None, no: float | None) -> None:
    with pytest.raises(CapabilityError):
        judged(yes, no)


def test_words_of_several_tokens_count_whole() -> None:
    logprobs = {" yes": -0.5, " no": -1.0}
    model = ScriptedModel([], logprob=lambda text: logprobs[text])

    [found] = JudgeByLanguageModel(model, name="scripted").judge([(FERRY, "It leaves.")])

    assert found.entailment == pytest.approx(1 / (1 + math.exp(-0.5)))


def test_its_name_and_identity_tell_model_and_prompt() -> None:
    judge = JudgeByLanguageModel(PreferringModel({}), name="some-model")

    assert judge.name == "judge(some-model)"
    assert judge.identity.startswith("judge(some-model) ")
    assert judge.judge([]) == []


@pytest.mark.model
def test_a_real_model_prefers_what_the_passage_states(model_path: Path) -> None:
    with open_llama_cpp(model_path, name="0.5b", n_ctx=512, n_threads=1, n_parallel=1) as model:
        judge = JudgeByLanguageModel(model, name="0.5b")

        stated, unrelated = judge.judge(
            [(FERRY, "The ferry leaves at noon."), (FERRY, "The library in Vienna is closed.")]
        )

    assert stated.entailment > unrelated.entailment
