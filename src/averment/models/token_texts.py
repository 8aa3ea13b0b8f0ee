"""The text of each token where characters are split over tokens.

A character belongs to the token that completes it, so that the texts join to the whole text. What
this module does not do: tokenise.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from averment.errors import ModelError


def join_bytes(pieces: Sequence[bytes]) -> list[str]:
    """The text of each token, given its bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    return [decoder.decode(piece) for piece in pieces]


def cut_at_offsets(text: str, offsets: Sequence[tuple[int, int]]) -> list[str]:
    """The text of each token, given the code points of `text` that it touches.

    Tokens that share a character each list it; what no token lists goes to the token behind it.
    """
    starts = [start for start, _ in offsets]
    ends = [end for _, end in offsets]
    # A token that shares a character with its successor ends where the character begins.
    stops = [min(end, after) for end, after in zip(ends, starts[1:], strict=False)] + ends[-1:]
    return [text[start:stop] for start, stop in zip([0, *stops], stops, strict=False)]


def require_joined(texts: Sequence[str], whole: str, *, model: str) -> None:
    """Refuse tokens that are not those of the text that is to be scored.

    Raises:
        ModelError: They do not join to it.
    """
    if "".join(texts) != whole:
        raise ModelError(
            f"The tokens of the model {model!r} do not join to the text that is to be scored, so"
            " its log-probabilities cannot be assigned."
        )
