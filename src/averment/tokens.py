"""Generated tokens and the text that they join to.

What this module does not do: tokenise. Only the model that wrote them knows how.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from averment.types import Generation, Token, Usage


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


def n_tokens(generation: Generation) -> int:
    """How many tokens stayed of what was written.

    Where the model does not list them, those that it wrote: up to two a sentence more, as the end
    of a sentence shows only in the beginning of the next.
    """
    return len(generation.tokens) or generation.usage.generated_tokens


def joined(pieces: Sequence[Generation]) -> Generation:
    """What was written in one or more calls, each of which went on from the one before.

    Returns:
        Texts and tokens in a row, the reason of the last call, the tokens of all calls. Without
        tokens if one of the pieces has a text and none.
    """
    if len(pieces) == 1:
        return pieces[0]
    known = all(piece.tokens or not piece.text for piece in pieces)
    usages = [piece.usage for piece in pieces]
    return Generation(
        "".join(piece.text for piece in pieces),
        tuple(token for piece in pieces for token in piece.tokens) if known else (),
        pieces[-1].finish,
        Usage(
            sum(usage.prompt_tokens for usage in usages),
            sum(usage.generated_tokens for usage in usages),
            sum(usage.cached_tokens for usage in usages),
        ),
    )
