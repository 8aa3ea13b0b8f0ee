"""AT-14: a server whose log-probabilities mean nothing loses what is made of them, and says why.

Servers drop log-probabilities, send null for them, or repeat texts with constants, all with status
200. The canary asks before an estimator runs; `Found.disabled` has the words to print.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from averment.models.canary import Canary
from averment.models.openai_compat import open_openai_compatible
from averment.types import Capability
from contracts.model_server import ModelServer
from contracts.scoring_contract import counted

LOGPROBS, SCORING = Capability.LOGPROBS, Capability.SCORING
Numbers = Callable[[list[str]], list[float | None]]

_BY_LENGTH: Numbers = lambda pieces: [-0.5 * len(piece) for piece in pieces]  # noqa: E731
_NOT_SCORING: dict[str, tuple[dict[str, Any], str]] = {
    "ignores the option": ({}, "does not repeat what it was asked"),
    "refuses the option": ({"refusal": (400, "no echo here")}, "no echo here"),
    "fails at the option": ({"refusal": (500, "Only no echo is supported")}, "Only no echo"),
    "has a chat only": ({"has_completions": False, "echo": counted}, "chat interface"),
    "null": ({"echo": lambda pieces: [None] * len(pieces)}, "no log-probabilities of texts"),
    "drops them": ({"echo": lambda pieces: []}, "no log-probabilities of texts"),
    "a constant": ({"echo": lambda pieces: [-0.25] * len(pieces)}, "the same log-probability"),
    "zeros": ({"echo": lambda pieces: [0.0] * len(pieces)}, "the same log-probability"),
    "NaN": ({"echo": lambda pieces: [float("nan")] * len(pieces)}, "no log-probabilities"),
    "blind to the context": ({"echo": _BY_LENGTH}, "do not tell a likely text"),
}


def _found(**server: Any) -> Any:
    with (
        ModelServer(_write, **server) as stub,
        open_openai_compatible(stub.url, "tiny", max_retries=0, offline=True) as model,
    ):
        return Canary(model).found


def _write(before: str) -> str:
    return " Ada, Bert and Rome."


@pytest.mark.parametrize(("server", "reason"), _NOT_SCORING.values(), ids=_NOT_SCORING.keys())
def test_a_server_that_cannot_score_does_not_pretend(server: dict[str, Any], reason: str) -> None:
    found = _found(**server)

    assert SCORING not in found.capabilities
    assert reason in found.disabled[SCORING]
    assert found.why_not({SCORING}) == found.disabled[SCORING]


def test_a_good_server_keeps_scoring() -> None:
    found = _found(echo=counted)

    assert SCORING in found.capabilities
    assert found.why_not({SCORING}) is None


@pytest.mark.parametrize(
    ("server", "reason"),
    [
        ({"logprobs": False}, "does not provide logprobs"),
        ({"takes_logprobs": False}, "does not provide logprobs"),
        ({}, "the same log-probability -0.25 to every token of what it writes"),
    ],
    ids=["null", "refused", "constant"],
)
def test_a_server_without_logprobs_of_its_own_words_does_not_pretend(
    server: dict[str, Any], reason: str
) -> None:
    found = _found(**server)

    assert LOGPROBS not in found.capabilities
    assert reason in found.disabled[LOGPROBS]


def test_a_good_server_keeps_logprobs() -> None:
    found = _found(logprob=lambda piece: -0.1 * len(piece))

    assert found.why_not({LOGPROBS, Capability.SAMPLES}) is None


def test_the_canary_is_cheap_and_sings_once() -> None:
    with (
        ModelServer(_write, echo=counted) as stub,
        open_openai_compatible(stub.url, "tiny", max_retries=0, offline=True) as model,
    ):
        n_opening = len(stub.requests)
        canary = Canary(model)
        n_made = len(stub.requests)
        found = [canary.found for _ in range(3)]

    asked = [body for _, body in stub.requests[n_opening:]]
    assert n_made == n_opening
    assert found[0] is found[1] is found[2]
    assert len(asked) == 3
    assert sum(body["max_tokens"] for body in asked) <= 8
