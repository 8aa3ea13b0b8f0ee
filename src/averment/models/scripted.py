"""A fake model that says what a script tells it: for tests, demonstrations and examples.

It is public, so that users can test policies and pipelines without a model. It never judges a
prompt and its log-probabilities mean nothing. Grammars are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from averment.models.writing import Writing
from averment.types import (
    Capability,
    FinishReason,
    Generation,
    GenerationOptions,
    ModelInfo,
    Prompt,
    Token,
    Usage,
)

Script: TypeAlias = Callable[[Prompt], str] | Mapping[str, str] | Sequence[str]

_WORD = re.compile(r"\s*\S+|\s+")
_CAPABILITIES = frozenset(
    {Capability.LOGPROBS, Capability.SAMPLES, Capability.GRAMMAR, Capability.SCORING}
)


class ScriptedModel:
    """A fake `LanguageModel` and `ScoringModel`. Its tokens are words with the blanks before.

    Args:
        script: What to answer.
            A function gets the prompt and returns the continuation.
            A sequence holds continuations, used up one a call in the order of the prompts.
            A mapping goes from a text that the prompt contains (the longest that does) to the
            whole answer; what `prompt.answer` holds of it already is not said again.
        name: The name in `info`.
        logprob: Log-probability of every token in nats, or a function from the token's text.
        capabilities: What `info` declares; without ``LOGPROBS`` no tokens are given.

    Example:
        >>> model = ScriptedModel({"capital of France": " Paris. It is on the Seine."})
        >>> options = GenerationOptions(until_sentence_end=True)
        >>> model.generate([Prompt("What is the capital of France?")], options)[0].text
        ' Paris.'
    """

    def __init__(
        self,
        script: Script,
        *,
        name: str = "scripted",
        logprob: float | Callable[[str], float] = -0.5,
        capabilities: frozenset[Capability] = _CAPABILITIES,
    ) -> None:
        self._answer = _function_of(script)
        self._logprob = logprob
        self._info = ModelInfo(name, "a script", capabilities)

    @property
    def info(self) -> ModelInfo:
        """The name that was given and the capabilities that were declared."""
        return self._info

    def generate(self, prompts: Sequence[Prompt], options: GenerationOptions) -> list[Generation]:
        """What the script says to each prompt, cut as the options ask.

        Raises:
            ValueError: The script has no answer.
        """
        return [self._write(prompt, options) for prompt in prompts]

    def sample(
        self, prompts: Sequence[Prompt], n_samples: int, options: GenerationOptions
    ) -> list[list[Generation]]:
        """What the script says to each prompt, asked `n_samples` times.

        Raises:
            ValueError: The script has no answer.
        """
        return [[self._write(prompt, options) for _ in range(n_samples)] for prompt in prompts]

    def score(self, continuations: Sequence[tuple[Prompt, str]]) -> list[list[Token]]:
        """The words of each continuation, with the log-probabilities that were given."""
        return [[self._token(word) for word in _WORD.findall(text)] for _, text in continuations]

    def _write(self, prompt: Prompt, options: GenerationOptions) -> Generation:
        words = _WORD.findall(self._answer(prompt))
        writing = Writing(options)
        n_generated = 0
        for word in words[: options.max_tokens]:
            writing.add(self._token(word))
            n_generated += 1
            if writing.has_ended:
                break
        finish = FinishReason.LENGTH if len(words) > options.max_tokens else FinishReason.STOP
        n_prompt = len(_WORD.findall(prompt.text + prompt.answer))
        return writing.generation(finish, Usage(n_prompt, n_generated))

    def _token(self, text: str) -> Token:
        if Capability.LOGPROBS not in self._info.capabilities:
            return Token(text, None)
        return Token(text, self._logprob(text) if callable(self._logprob) else self._logprob)


def _function_of(script: Script) -> Callable[[Prompt], str]:
    if isinstance(script, Mapping):
        return lambda prompt: _look_up(script, prompt)
    if isinstance(script, str):
        raise TypeError("a script is a function, a mapping or a sequence of answers, not a string")
    if callable(script):
        return script
    answers = iter(script)
    return lambda prompt: _take(answers, prompt)


def _look_up(script: Mapping[str, str], prompt: Prompt) -> str:
    found = [key for key in script if key in prompt.text]
    if not found:
        raise ValueError(f"no key of the script is in the prompt {_end_of(prompt)}: {list(script)}")
    answer = script[max(found, key=len)]
    begun = prompt.answer.strip()
    if not begun:
        return answer
    if not answer.lstrip().startswith(begun):
        raise ValueError(f"the script answers {answer!r}, which does not begin with {begun!r}")
    return answer.lstrip()[len(begun) :]


def _take(answers: Iterator[str], prompt: Prompt) -> str:
    for answer in answers:
        return answer
    raise ValueError(f"all answers of the script are used up; asked for {_end_of(prompt)}")


def _end_of(prompt: Prompt) -> str:
    return repr((prompt.text + prompt.answer)[-200:])
