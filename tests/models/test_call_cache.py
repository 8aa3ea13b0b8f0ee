"""Model calls are remembered by everything that a reply depends on, and failures never are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, runtime_checkable

import pytest

from averment.errors import MalformedReply, UsageError
from averment.models.cache import cached
from averment.models.scripted import ScriptedModel
from averment.ports import LanguageModel, ScoringModel
from averment.types import Capability, Generation, GenerationOptions, ModelInfo, Prompt
from contracts.model_contract import LanguageModelContract, copied

OPTIONS = GenerationOptions(max_tokens=8)


class Counting(ScriptedModel):
    """A scripted model that keeps what it was asked, and with which options."""

    def __init__(self, script: Callable[[Prompt], str] = lambda prompt: " Yes.") -> None:
        super().__init__(script)
        self.asked: list[str] = []
        self.options: list[GenerationOptions] = []

    def generate(self, prompts: list[Prompt], options: GenerationOptions) -> list[Generation]:  # type: ignore[override]
        self.asked += [prompt.text for prompt in prompts]
        self.options.append(options)
        return super().generate(prompts, options)


class WritesOnly:
    """A model that cannot score."""

    info = ModelInfo("plain", "a test", frozenset({Capability.SAMPLES}))

    def __init__(self) -> None:
        self._model = ScriptedModel(lambda prompt: " Yes.")
        self.generate, self.sample = self._model.generate, self._model.sample


class TestCachedModel(LanguageModelContract):
    @pytest.fixture
    def model(self, tmp_path: Path) -> LanguageModel:
        script = ScriptedModel(lambda prompt: copied(prompt.text + prompt.answer))
        return cached(script, identity="scripted", directory=tmp_path)


def test_a_call_that_was_made_before_is_not_made_again(tmp_path: Path) -> None:
    model = Counting()
    first = cached(model, identity="m", directory=tmp_path).generate([Prompt("a")], OPTIONS)

    second = cached(model, identity="m", directory=tmp_path).generate([Prompt("a")], OPTIONS)

    assert second == first
    assert model.asked == ["a"]


@pytest.mark.parametrize(
    ("identity", "prompt", "options"),
    [
        ("other", Prompt("a"), OPTIONS),
        ("m", Prompt("b"), OPTIONS),
        ("m", Prompt("a", " Begun"), OPTIONS),
        ("m", Prompt("a"), GenerationOptions(max_tokens=9)),
        ("m", Prompt("a"), GenerationOptions(max_tokens=8, seed=1)),
    ],
    ids=["another model", "another prompt", "an answer begun", "other options", "another seed"],
)
def test_what_a_reply_depends_on_is_in_its_key(
    identity: str, prompt: Prompt, options: GenerationOptions, tmp_path: Path
) -> None:
    model = Counting()
    cached(model, identity="m", directory=tmp_path).generate([Prompt("a")], OPTIONS)

    cached(model, identity=identity, directory=tmp_path).generate([prompt], options)

    assert len(model.asked) == 2


def test_of_a_batch_only_what_is_unknown_is_asked_and_equal_prompts_once(tmp_path: Path) -> None:
    model = Counting(lambda prompt: f" {prompt.text}.")
    remembering = cached(model, identity="m", directory=tmp_path)
    remembering.generate([Prompt("a")], OPTIONS)

    written = remembering.generate([Prompt(text) for text in "babc"], OPTIONS)

    assert [each.text for each in written] == [" b.", " a.", " b.", " c."]
    assert model.asked == ["a", "b", "c"]


def test_a_failure_is_raised_and_asked_again(tmp_path: Path) -> None:
    replies = [MalformedReply("garbage"), None]

    def script(prompt: Prompt) -> str:
        error = replies.pop(0)
        if error is not None:
            raise error
        return " Yes."

    remembering = cached(Counting(script), identity="m", directory=tmp_path)

    with pytest.raises(MalformedReply):
        remembering.generate([Prompt("a")], OPTIONS)
    (written,) = remembering.generate([Prompt("a")], OPTIONS)

    assert written.text == " Yes."


def test_the_seed_of_the_decoder_is_added_to_that_of_every_call(tmp_path: Path) -> None:
    model = Counting()
    remembering = cached(model, identity="m", directory=tmp_path, seed=40)

    remembering.generate([Prompt("a")], GenerationOptions(seed=2))

    assert [options.seed for options in model.options] == [42]


def test_samples_are_remembered_by_their_number(tmp_path: Path) -> None:
    remembering = cached(Counting(), identity="m", directory=tmp_path)
    first = remembering.sample([Prompt("a")], 3, OPTIONS)

    again = remembering.sample([Prompt("a")], 3, OPTIONS)
    fewer = remembering.sample([Prompt("a")], 2, OPTIONS)

    assert again == first
    assert remembering.meter.cached_calls == 1
    assert len(fewer[0]) == 2


def test_a_model_that_scores_is_remembered_as_one_that_scores(tmp_path: Path) -> None:
    remembering = cached(Counting(), identity="m", directory=tmp_path)

    assert isinstance(remembering, ScoringModel)
    scored = remembering.score([(Prompt("a"), " b c")])
    assert remembering.score([(Prompt("a"), " b c")]) == scored
    assert remembering.meter.cached_calls == 1


def test_a_model_that_only_writes_does_not_score_when_remembered(tmp_path: Path) -> None:
    remembering = cached(WritesOnly(), identity="m", directory=tmp_path)

    assert not isinstance(remembering, ScoringModel)


@runtime_checkable
class Introspective(Protocol):
    def attention(self, text: str, *, layer: int) -> str: ...


class LooksInside(ScriptedModel):
    """A model that can do something of its own."""

    def attention(self, text: str, *, layer: int) -> str:
        return f"{text} in layer {layer}"


def test_what_else_a_model_can_do_is_handed_through(tmp_path: Path) -> None:
    remembering = cached(LooksInside(lambda prompt: " Yes."), identity="m", directory=tmp_path)

    assert isinstance(remembering, Introspective)
    assert remembering.attention("a", layer=2) == "a in layer 2"
    assert not isinstance(cached(Counting(), identity="m", directory=tmp_path), Introspective)


def test_the_meter_counts_all_calls_and_which_were_remembered(tmp_path: Path) -> None:
    remembering = cached(Counting(), identity="m", directory=tmp_path)
    remembering.generate([Prompt("a b")], OPTIONS)
    before = remembering.meter

    remembering.generate([Prompt("a b"), Prompt("c")], OPTIONS)

    spent = remembering.meter.since(before)
    assert (spent.calls, spent.cached_calls) == (2, 1)
    assert (spent.prompt_tokens, spent.generated_tokens) == (3, 2)
    assert spent.cached_seconds > 0


def test_half_a_character_and_an_infinite_logprob_come_back(tmp_path: Path) -> None:
    script = ScriptedModel(lambda prompt: " \ud83d", logprob=float("-inf"))
    remembering = cached(script, identity="m", directory=tmp_path)
    first = remembering.generate([Prompt("a")], OPTIONS)

    assert remembering.generate([Prompt("a")], OPTIONS) == first


def test_a_directory_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    (tmp_path / "calls.sqlite3").write_text("not a database at all, but long enough to be one")

    with pytest.raises(UsageError, match="cannot be used"):
        cached(Counting(), identity="m", directory=tmp_path)
