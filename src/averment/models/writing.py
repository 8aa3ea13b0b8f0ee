"""A text as a model writes it, token by token, up to the place where it has to end.

Stop strings and sentence ends are found here rather than by the runtime, so that every backend
cuts alike: the text ends before a stop string or behind the first sentence, a token that
straddles the cut keeps its log-probability and loses the text behind it, and later tokens are
dropped. The tokens that are left join to the text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from averment.text import first_sentence_end
from averment.tokens import clip
from averment.types import FinishReason, Generation, GenerationOptions, Token, Usage

_MAY_END_A_SENTENCE = re.compile("[.!?…。！？\n]")


class Ending(NamedTuple):
    """Where a text has to end (code points), and why."""

    at: int
    finish: FinishReason


def find_ending(text: str, options: GenerationOptions) -> Ending | None:
    """The first stop string or sentence end in a growing text, None while there is none."""
    endings = [
        Ending(at, FinishReason.STOP) for stop in options.stop if (at := text.find(stop)) >= 0
    ]
    if options.until_sentence_end and _MAY_END_A_SENTENCE.search(text):
        end = first_sentence_end(text)
        if end is not None:
            endings.append(Ending(end, FinishReason.SENTENCE))
    return min(endings, default=None)


class Writing:
    """A text that grows until its ending.

    Args:
        options: Stop strings and whether one sentence is enough.
        begun: What the model was told to go on from. A chat model that starts again from there
            has that repetition taken off.
    """

    def __init__(self, options: GenerationOptions, *, begun: str = "") -> None:
        self._options = options
        self._begun = begun.strip()
        self._tokens: list[Token] = []
        self._raw = ""
        self._start = 0
        self._ending: Ending | None = None

    @property
    def has_ended(self) -> bool:
        """Whether nothing more is needed."""
        return self._ending is not None

    def add(self, token: Token) -> None:
        """Take the next token; ignored once the text has ended."""
        if self.has_ended:
            return
        self._tokens.append(token)
        self._raw += token.text
        if self._begun and not self._restart_is_settled():
            return
        self._ending = find_ending(self._raw[self._start :], self._options)

    def _restart_is_settled(self) -> bool:
        written = self._raw.lstrip()
        if written.startswith(self._begun):
            self._start = len(self._raw) - len(written) + len(self._begun)
        return self._start > 0 or not self._begun.startswith(written)

    def generation(self, finish: FinishReason, usage: Usage) -> Generation:
        """What was written.

        Args:
            finish: Why the model stopped, unless the text had ended before.
            usage: What it took.

        Returns:
            A generation without tokens if no token has a log-probability.
        """
        length = len(self._raw) - self._start
        ending = self._ending or Ending(length, finish)
        end = self._start + ending.at
        known = any(token.logprob is not None for token in self._tokens)
        tokens = clip(self._tokens, self._start, end) if known else ()
        return Generation(self._raw[self._start : end], tokens, ending.finish, usage)
