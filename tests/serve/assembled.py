"""The body that the pieces of a stream amount to, put together as clients do."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

_OF_PIECES = {"choices", "object"}


def assembled(pieces: Sequence[Any]) -> dict[str, Any]:
    """The completion of a stream; `[DONE]` must come last and once.

    What stands beside the choices of several pieces is taken from the last one that has it.
    """
    assert pieces[-1] == "[DONE]"
    body: dict[str, Any] = {"object": "chat.completion"}
    choices: dict[int, dict[str, Any]] = {}
    for piece in pieces[:-1]:
        assert piece["object"] == "chat.completion.chunk"
        for choice in piece["choices"]:
            _add(choices.setdefault(choice["index"], {"message": {}}), choice)
        body |= {name: value for name, value in piece.items() if name not in _OF_PIECES}
    return {**body, "choices": [choices[index] for index in sorted(choices)]}


def _add(made: dict[str, Any], choice: dict[str, Any]) -> None:
    for name, value in choice["delta"].items():
        before = made["message"].get(name)
        joined = isinstance(value, str) and isinstance(before, str) and name == "content"
        made["message"][name] = before + value if joined else value
    made["index"] = choice["index"]
    made["finish_reason"] = choice["finish_reason"]
    made["logprobs"] = choice.get("logprobs") or made.get("logprobs")


def comparable(body: dict[str, Any]) -> dict[str, Any]:
    """A body without what differs from request to request: ids, times, how often it was cached."""
    made = copy.deepcopy(body)
    for name in ("id", "created"):
        made.pop(name)
    made["averment"].pop("trace_id")
    made["averment"].get("usage", {}).pop("seconds", None)
    return made
