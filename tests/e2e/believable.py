"""A scripted model that the canary believes, so that what it says afterwards reaches the scores."""

from __future__ import annotations

from collections.abc import Sequence

from averment.models.scripted import ScriptedModel
from averment.types import Prompt, Token

_COUNTING = "One, two, three, four,"


class BelievableModel(ScriptedModel):
    """Finds what goes on counting likely and anything else behind a count unlikely.

    All other texts get the log-probabilities of the script, however impossible.
    """

    def score(self, continuations: Sequence[tuple[Prompt, str]]) -> list[list[Token]]:
        return [
            _counted(text) if prompt.text == _COUNTING else self.scored(prompt, text)
            for prompt, text in continuations
        ]

    def scored(self, prompt: Prompt, text: str) -> list[Token]:
        """The tokens of a text that is not the canary's."""
        (tokens,) = super().score([(prompt, text)])
        return tokens


def _counted(text: str) -> list[Token]:
    surprise = 0.0 if text == " five, six" else 5.0
    words = text.split()
    return [Token(f" {word}", -0.1 * (at + 1) - surprise) for at, word in enumerate(words)]
