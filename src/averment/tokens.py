"""Generated tokens and the text that they join to.

What this module does not do: tokenise. Only the model that wrote them knows how.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from averment.types import Token


def clip(tokens: Sequence[Token], start: int, end: int) -> tuple[Token, ...]:
    """The tokens of `text[start:end]`, where `text` is what the tokens join to.

    A token that lies on both sides of a cut keeps its log-probability and the text inside.
    """
    clipped = []
    at = 0
    for token in tokens:
        stop = at + len(token.text)
        low, high = max(at, start), min(stop, end)
        # The beginning of a character has no text of its own, but a log-probability.
        if low < high or (not token.text and start <= at < end):
            clipped.append(replace(token, text=token.text[low - at : high - at]))
        at = stop
    return tuple(clipped)
