"""Chat completions as OpenAI's clients read them, whole and in pieces.

Both come from one body: the pieces that end a stream are cut from the body that the same request
gets without one, so that what a stream says in the end is what the body says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from averment.answers import ABSTENTION
from averment.policies.loop import is_final
from averment.serve.details import DETAILS, cited, policy_details
from averment.types import Answer, Claim, Support, Verdict

DONE = "data: [DONE]\n\n"
_ENCODER = json.JSONEncoder(allow_nan=False)  # json.dumps would make one for every piece
_LAST = (DETAILS, "citations", "search_results")


@dataclass(frozen=True, slots=True)
class Identity:
    """What a completion and all of its pieces have in common."""

    completion_id: str
    created: int
    """Seconds since 1970."""
    model: str
    """As it was asked for."""

    def piece(self, delta: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        """A piece of the only choice."""
        choice = {"index": 0, "delta": dict(delta), "logprobs": None, "finish_reason": None}
        return self.chunk([choice], **more)

    @property
    def fields(self) -> dict[str, Any]:
        """As they stand in a completion and in every piece."""
        return {"id": self.completion_id, "created": self.created, "model": self.model}

    def chunk(self, choices: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        """A piece with these choices."""
        return {**self.fields, "object": "chat.completion.chunk", "choices": choices, **more}


def event(chunk: Mapping[str, Any]) -> str:
    """A piece as a server-sent event."""
    return f"data: {_ENCODER.encode(chunk)}\n\n"


def spoken(text: str, *, is_first: bool) -> dict[str, Any]:
    """What a piece adds to a message; the first one says whose it is."""
    return {"role": "assistant", "content": text} if is_first else {"content": text}


def may_leave(text: str, support: Support, reason: str | None) -> bool:
    """Whether a checked sentence leaves before the answer is decided.

    It does if the corpus knows what it claims, or if it claims nothing. What has no support waits,
    since a policy may yet abstain; so does the final answer, on which that depends.
    """
    return not is_final(text) and (support is Support.PRESENT or reason == "no_claim")


def content_of(answer: Answer, mode: str) -> tuple[str, int]:
    """What is said, the same with and without a stream.

    An answer that is given is said as far as no promise of an error rate withholds it. Of one that
    is not, ``hold-answer`` says nothing but that; ``hold-sentence`` has said what had support when
    it was written; ``annotate`` has said everything.

    Returns:
        The content, and how many code points of it are those of the answer.
    """
    if mode == "annotate":
        return answer.draft, len(answer.draft)
    if answer.verdict is not Verdict.ABSTAINED:
        return answer.text, len(answer.text)
    left = _left_early(answer) if mode == "hold-sentence" else ""
    return f"{left} {ABSTENTION}".strip(), len(left)


def _left_early(answer: Answer) -> str:
    end = 0
    for claim in answer.claims:
        if not may_leave(_sentence_of(answer, claim), claim.support, claim.reasons.get("support")):
            break
        end = claim.end
    return answer.draft[:end]


def _sentence_of(answer: Answer, claim: Claim) -> str:
    return answer.draft[claim.start : claim.end]


def _placed(answer: Answer, content: str) -> Iterator[Claim]:
    """The claims that stand in a content, with their places in it."""
    end = 0
    for claim in answer.claims:
        words = _sentence_of(answer, claim)
        start = content.find(words, end)
        if start >= 0:
            end = start + len(words)
            yield replace(claim, start=start, end=end)


def policy_body(
    answer: Answer, identity: Identity, *, model: str, mode: str, ignored: list[str]
) -> dict[str, Any]:
    """The completion of an answer that a policy gave."""
    content, n_of_draft = content_of(answer, mode)
    found = cited(_placed(answer, content), {}, within=n_of_draft)
    abstained = answer.verdict is Verdict.ABSTAINED
    message = {
        "role": "assistant",
        "content": content,
        "refusal": f"{ABSTENTION} ({answer.reason})" if abstained else None,
        "annotations": found.annotations,
    }
    cost = answer.cost
    return {
        **identity.fields,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": cost.prompt_tokens,
            "completion_tokens": cost.generated_tokens,
            "total_tokens": cost.prompt_tokens + cost.generated_tokens,
        },
        "citations": [result["url"] for result in found.results],
        "search_results": found.results,
        DETAILS: policy_details(answer, model=model, mode=mode, ignored=ignored),
    }


def closing_pieces(
    body: Mapping[str, Any], identity: Identity, *, n_sent: int, include_usage: bool
) -> Iterator[dict[str, Any]]:
    """What of a body a stream has not said yet, its last piece with the details.

    Args:
        body: What the request gets without a stream.
        identity: Of the stream.
        n_sent: Code points of the content that have left.
        include_usage: Whether the client asked for the usage.
    """
    (choice,) = body["choices"]
    message = choice["message"]
    if rest := message["content"][n_sent:]:
        yield identity.piece(spoken(rest, is_first=not n_sent))
    yield identity.piece({"annotations": message["annotations"], "refusal": message["refusal"]})
    last = identity.piece({}, **{key: body[key] for key in _LAST})
    last["choices"][0]["finish_reason"] = choice["finish_reason"]
    yield last
    if include_usage:
        yield identity.chunk([], usage=body["usage"])
