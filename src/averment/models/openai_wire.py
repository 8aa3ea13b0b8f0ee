"""What OpenAI-compatible servers say, turned into values and into errors.

Two dialects: completions (``text``, log-probabilities as parallel lists or as entries) and chat
(``message`` or ``delta``). Nothing here connects to anything.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, zip_longest
from typing import Any

from averment.errors import ContextOverflow, MalformedReply, ModelError
from averment.tokens import clip
from averment.types import FinishReason, Generation, Token, Usage

_BYTES_PER_TOKEN = 4  # of English text, for servers that do not count
_OVERFLOW = re.compile(
    r"context.?(length|size|window)|maximum context|too many tokens|prompt is too long", re.I
)


def parse(body: str) -> dict[str, Any]:
    """The JSON object of a reply, which must hold ``choices``.

    Raises:
        MalformedReply: It is something else.
        ModelError: It is an error.
    """
    try:
        reply = json.loads(body)
    except ValueError as error:
        raise malformed(body) from error
    if isinstance(reply, dict) and reply.get("error"):
        raise error_of_message(_message(reply["error"]))
    if not isinstance(reply, dict) or not isinstance(reply.get("choices"), list):
        raise malformed(body)
    return reply


def malformed(body: str) -> MalformedReply:
    """The error for a reply that is not an answer; it quotes the first 200 characters."""
    return MalformedReply(
        f"The server replied with something that is not a completion: {body[:200]!r}.",
        hint="Check the base URL; for most servers it ends in /v1.",
    )


def error_of_message(message: str) -> ModelError:
    """The error that a server's own words describe."""
    if _OVERFLOW.search(message):
        return ContextOverflow(
            f"The prompt does not fit into the model's context: {message}",
            hint="Give fewer or shorter passages, or serve the model with a larger context.",
        )
    return ModelError(f"The model server refused: {message}")


def _message(error: object) -> str:
    return str(error.get("message", error)) if isinstance(error, Mapping) else str(error)


def message_of_body(body: object) -> str:
    """The server's own words in the body of an error, at most 300 characters."""
    if isinstance(body, Mapping):
        body = _message(body.get("error") or body.get("detail") or body)
    return str(body)[:300]


def stream_replies(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The replies of a stream of server-sent events.

    Raises:
        MalformedReply: There is no reply in it, or one that is not JSON.
    """
    seen: list[str] = []
    n_replies = 0
    for line in lines:
        seen.append(line)
        field, _, value = line.partition(":")
        if field == "data" and value.strip() != "[DONE]":
            n_replies += 1
            yield parse(value)
    if not n_replies:
        raise malformed("\n".join(seen))


def tokens_of(choice: Mapping[str, Any], n_alternatives: int = 0) -> list[Token]:
    """The tokens of a choice or of a piece of one; they join to its text.

    Where the server's tokens are missing or do not begin with the text (bytes spelt out), the text
    is one token without a log-probability.
    """
    text = text_of(choice)
    tokens = _listed(choice, n_alternatives)
    # The tokens of a stop string may be listed though they are not in the text.
    if tokens and "".join(token.text for token in tokens).startswith(text):
        return list(clip(tokens, 0, len(text)))
    return [Token(text, None)] if text else []


def _listed(choice: Mapping[str, Any], n_alternatives: int) -> list[Token]:
    logprobs = choice.get("logprobs") or {}
    if logprobs.get("content"):
        return [token_of(entry, n_alternatives) for entry in logprobs["content"]]
    columns = [logprobs.get(name) or () for name in ("tokens", "token_logprobs", "top_logprobs")]
    return [
        Token(text, _finite(logprob), _best((top or {}).items(), text, n_alternatives))
        for text, logprob, top in zip_longest(*columns)
        if text is not None
    ]


def token_of(entry: Mapping[str, Any], n_alternatives: int) -> Token:
    """The token of an entry with ``token``, ``logprob`` and perhaps ``top_logprobs``."""
    listed = [(other["token"], other["logprob"]) for other in entry.get("top_logprobs") or ()]
    text = entry["token"]
    return Token(text, _finite(entry.get("logprob")), _best(listed, text, n_alternatives))


def _best(
    listed: Iterable[tuple[str, float]], written: str, n_alternatives: int
) -> tuple[tuple[str, float], ...]:
    others = [pair for pair in listed if pair[0] != written and _finite(pair[1]) is not None]
    return tuple(sorted(others, key=lambda pair: -pair[1])[:n_alternatives])


def scored_tokens(choice: Mapping[str, Any], before: str, continuation: str) -> list[Token]:
    """The tokens of the continuation in a reply that repeats what it was asked (``echo``).

    A token that begins in the prompt has no log-probability here, since it would be that of
    another text. Where the server's tokens do not join to the text (bytes spelt out), the
    continuation is one token without a log-probability.

    Args:
        choice: Its text begins with `before` and the continuation.
        before: What stands before the continuation.
        continuation: What is scored.
    """
    tail = text_of(choice)[len(before) :]
    tokens = _listed(choice, 0)
    joined = "".join(token.text for token in tokens)
    if tokens and not joined.endswith(tail):  # an end of text that is listed, but is no text
        joined = joined.removesuffix(tokens.pop().text)
    start = len(joined) - len(tail)
    if start < 0 or not joined.endswith(tail):
        return [Token(continuation, None)]
    scored = list(clip(tokens, start, start + len(continuation)))
    ends = accumulate(len(token.text) for token in tokens)
    if scored and start not in (0, *ends):
        scored[0] = Token(scored[0].text, None)
    return scored


def _finite(logprob: float | None) -> float | None:
    return None if logprob is None or not math.isfinite(logprob) else float(logprob)


def text_of(choice: Mapping[str, Any]) -> str:
    """The text of a choice in either dialect."""
    if "text" in choice:
        return str(choice["text"] or "")
    said = choice.get("message") or choice.get("delta") or {}
    return str(said.get("content") or "")


def finish_of(choice: Mapping[str, Any]) -> FinishReason | None:
    """Why the model stopped, None while it goes on.

    Raises:
        ModelError: The server withheld the rest of the answer.
    """
    reason = choice.get("finish_reason")
    if reason == "content_filter":
        raise ModelError("The server's content filter withheld the answer.")
    if reason is None:
        return None
    return FinishReason.LENGTH if reason == "length" else FinishReason.STOP


def usage_of(usage: Mapping[str, Any] | None, *, prompt: str, n_pieces: int) -> Usage:
    """What a call took.

    Args:
        usage: As the server reports it; None for a stream that was closed early, and for servers
            that do not count.
        prompt: For the estimate of a token every four bytes where the server does not say.
        n_pieces: Pieces that arrived, the estimate of the generated tokens.
    """
    if usage is None:
        return Usage(math.ceil(len(prompt.encode()) / _BYTES_PER_TOKEN), n_pieces)
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    return Usage(usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0, cached or 0)


def gives_logprobs(generation: Generation) -> bool:
    """Whether every token came with its log-probability."""
    tokens = generation.tokens
    return bool(tokens) and all(token.logprob is not None for token in tokens)
