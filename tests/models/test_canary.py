from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from averment.errors import ModelUnavailable, UsageError
from averment.models.canary import Canary, Found, probe
from averment.models.scripted import ScriptedModel
from averment.types import Capability, Prompt, Token

LOGPROBS, SCORING = Capability.LOGPROBS, Capability.SCORING
WHOLE = ScriptedModel([]).info.capabilities
WRITTEN = " a cat, a dog and a town"


class Scored(ScriptedModel):
    """A scripted model whose scores are what a function gives for the words of a continuation."""

    def __init__(self, numbers: Callable[[list[str]], Sequence[float | None]]) -> None:
        super().__init__(lambda prompt: WRITTEN, logprob=lambda word: -0.1 * len(word))
        self._numbers = numbers
        self.n_scorings = 0

    def score(self, continuations: Sequence[tuple[Prompt, str]]) -> list[list[Token]]:
        self.n_scorings += 1
        split = [text.replace(",", " ,").split() for _, text in continuations]
        return [
            [Token(word, number) for word, number in zip(words, self._numbers(words), strict=True)]
            for words in split
        ]


def counts(words: list[str]) -> list[float | None]:
    return [-0.1, -0.2, -0.3] if words[0] == "five" else [-5.0, -0.2, -6.0]


def test_a_model_that_tells_likely_from_unlikely_keeps_all_it_declares() -> None:
    found = probe(Scored(counts))

    assert found.capabilities == WHOLE
    assert found.disabled.keys() == set(Capability) - WHOLE


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        (lambda words: [None] * 3, "no log-probabilities of texts that it is given"),
        (lambda words: [-0.1, None, -0.3], "no log-probabilities of texts"),
        (lambda words: [-0.25] * 3, "the same log-probability -0.25 to every token"),
        (lambda words: [0.0] * 3, "the same log-probability 0.0 to every token"),
        (lambda words: [-float(len(word)) for word in words], "do not tell a likely text"),
        (lambda words: [float("nan"), -0.1, -0.2], "such as nan"),
        (lambda words: [-float("inf"), -0.1, -0.2], "such as -inf"),
        (lambda words: [0.9, 0.1, 0.2], "such as 0.9"),
        (lambda words: counts(words[::-1]), "-10.60 nats above"),
    ],
    ids="null|a null|constant|zeros|blind|NaN|infinite|probabilities|backwards".split("|"),
)
def test_scores_that_mean_nothing_are_disabled_with_the_reason(
    numbers: Callable[[list[str]], Sequence[float | None]], reason: str
) -> None:
    found = probe(Scored(numbers))

    assert found.capabilities == WHOLE - {SCORING}
    assert reason in found.disabled[SCORING]
    assert "'scripted'" in found.disabled[SCORING]


def test_the_rounding_of_half_precision_is_forgiven() -> None:
    model = Scored(lambda words: [0.0004, *counts(words)[1:]])

    assert SCORING in probe(model).capabilities


def test_constants_of_what_is_written_are_disabled() -> None:
    found = probe(ScriptedModel(lambda prompt: WRITTEN))

    assert LOGPROBS not in found.capabilities
    assert "every token of what it writes" in found.disabled[LOGPROBS]


def test_a_model_that_writes_nothing_has_no_logprobs() -> None:
    found = probe(ScriptedModel(lambda prompt: ""))

    assert "no log-probabilities of what it writes" in found.disabled[LOGPROBS]


def test_what_is_not_declared_is_not_found() -> None:
    declared = frozenset({Capability.SAMPLES})

    found = probe(ScriptedModel(lambda prompt: WRITTEN, capabilities=declared))

    assert found.capabilities == declared


def test_an_error_of_the_model_is_the_reason() -> None:
    def refuse(words: list[str]) -> list[float | None]:
        raise UsageError("Not with me.")

    assert "Not with me." in probe(Scored(refuse)).disabled[SCORING]


def test_a_model_out_of_reach_is_not_called_incapable() -> None:
    def vanish(words: list[str]) -> list[float | None]:
        raise ModelUnavailable("gone")

    with pytest.raises(ModelUnavailable):
        probe(Scored(vanish))


def test_a_canary_asks_when_it_is_asked_and_once() -> None:
    model = Scored(counts)
    canary = Canary(model)
    before = model.n_scorings

    found = [canary.found, canary.found]

    assert (before, model.n_scorings) == (0, 1)
    assert found[0] is found[1]


def test_a_canary_that_could_not_ask_asks_again() -> None:
    replies = iter([ModelUnavailable("busy")])

    def recover(words: list[str]) -> list[float | None]:
        for failure in replies:
            raise failure
        return counts(words)

    canary = Canary(Scored(recover))
    with pytest.raises(ModelUnavailable):
        _ = canary.found

    assert SCORING in canary.found.capabilities


@pytest.mark.parametrize(
    ("needs", "reason"),
    [(set(), None), ({LOGPROBS}, None), ({SCORING}, "no"), ({LOGPROBS, SCORING}, "no")],
    ids=["nothing", "what is there", "what is not", "both"],
)
def test_why_not_names_what_is_missing(needs: set[Capability], reason: str | None) -> None:
    found = Found(frozenset({LOGPROBS}), {SCORING: "no"})

    assert found.why_not(needs) == reason
