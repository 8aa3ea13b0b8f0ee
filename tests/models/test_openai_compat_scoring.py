"""Scoring by servers, and the alternatives they list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from averment.errors import (
    AvermentError,
    CapabilityError,
    ContextOverflow,
    MalformedReply,
    ModelUnavailable,
)
from averment.models import openai_wire as wire
from averment.models.openai_compat import OpenAICompatible, open_openai_compatible
from averment.types import Capability, GenerationOptions, Prompt, Token
from contracts.model_server import ModelServer
from contracts.scoring_contract import COUNTING, counted

PAIR = (COUNTING, " five, six")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(lambda before: " Ada sings.", echo=counted) as running:
        yield running


def opened(server: ModelServer, mode: Any = "auto") -> OpenAICompatible:
    return open_openai_compatible(server.url, "tiny", max_retries=0, mode=mode)


# --- scoring ------------------------------------------------------------------------------------


def test_prompt_and_continuation_are_sent_as_one_text_to_be_repeated(server: ModelServer) -> None:
    with opened(server) as model:
        model.score([(Prompt("One, two,", " three, four,"), " five")])

    path, body = server.requests[-1]
    assert path == "/v1/completions"
    assert (body["prompt"], body["echo"]) == ("One, two, three, four, five", True)


def test_opening_asks_for_no_scores(server: ModelServer) -> None:
    with opened(server):
        assert all("echo" not in body for _, body in server.requests)


def test_scoring_is_a_capability_once_it_was_seen_to_work(server: ModelServer) -> None:
    with opened(server) as model:
        before = model.info.capabilities
        model.score([PAIR])

        assert model.info.capabilities - before == {Capability.SCORING}


@pytest.mark.parametrize(
    ("status", "words"),
    [(400, "unknown field"), (422, "extra inputs"), (500, "Only no echo is supported")],
)
def test_a_server_that_refuses_to_repeat_cannot_score(
    server: ModelServer, status: int, words: str
) -> None:
    server.refusal = (status, words)

    with opened(server) as model, pytest.raises(CapabilityError, match=words) as caught:
        model.score([PAIR])

    assert "vLLM" in caught.value.hint
    assert Capability.SCORING not in model.info.capabilities


def test_a_server_that_ignores_the_request_to_repeat_cannot_score(server: ModelServer) -> None:
    server.echo = None

    with opened(server) as model, pytest.raises(CapabilityError, match="does not repeat"):
        model.score([PAIR])


def test_a_chat_cannot_score(server: ModelServer) -> None:
    with opened(server, "chat") as model, pytest.raises(CapabilityError, match="chat"):
        model.score([PAIR])


@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        ((503, "busy"), ModelUnavailable),
        ((400, "maximum context length is 8 tokens"), ContextOverflow),
    ],
    ids=["overloaded", "too long"],
)
def test_other_failures_stay_what_they_are(
    server: ModelServer, refusal: tuple[int, str], error: type[AvermentError]
) -> None:
    server.refusal = refusal

    with opened(server) as model, pytest.raises(error):
        model.score([PAIR])


def test_a_server_that_stops_repeating_is_malformed_not_incapable(server: ModelServer) -> None:
    with opened(server) as model:
        model.score([PAIR])
        server.echo = None
        with pytest.raises(MalformedReply, match="does not repeat"):
            model.score([PAIR])


def test_logprobs_of_the_generated_token_only_are_unknown_ones(server: ModelServer) -> None:
    """ggml-org/llama.cpp#27174: what reads like an answer is about another token."""
    server.reply = (
        200,
        "application/json",
        '{"choices": [{"text": "One, two, three, four, five, six,", "finish_reason": "length",'
        ' "logprobs": {"tokens": [","], "token_logprobs": [-0.1]}}]}',
    )

    with open_openai_compatible_after_probe(server) as model:
        (scored,) = model.score([PAIR])

    assert scored == [Token(" five, six", None)]


def open_openai_compatible_after_probe(server: ModelServer) -> OpenAICompatible:
    reply, server.reply = server.reply, None
    model = opened(server)
    server.reply = reply
    return model


# --- what a repeated text holds -----------------------------------------------------------------


def repeated(tokens: list[str], numbers: list[float | None], text: str) -> dict[str, Any]:
    return {"text": text, "logprobs": {"tokens": tokens, "token_logprobs": numbers}}


@pytest.mark.parametrize(
    ("tokens", "text", "scored"),
    [
        (["A", " b", " c", "."], "A b c.", [Token(" c", -3.0)]),
        (["<s>", "A b", " c", "."], "A b c.", [Token(" c", -3.0)]),
        (["A", " b", " c", "</s>"], "A b c", [Token(" c", -3.0)]),
        (["A", " b", " c"], "A b c", [Token(" c", -3.0)]),
        (["A", " b", " ", "c."], "A b c.", [Token(" ", -3.0), Token("c", -4.0)]),
        (["A", " b c", "."], "A b c.", [Token(" c", None)]),
        (["A", "\ufffd", " c", "."], "A b c.", [Token(" c", -3.0)]),
        (["A", " b", "\ufffd", "."], "A b c.", [Token(" c", None)]),
        ([], "A b c.", [Token(" c", None)]),
    ],
    ids=[
        "apart",
        "with a beginning",
        "with an end",
        "without what was generated",
        "grown together with what was generated",
        "grown together with the prompt",
        "prompt spelt out",
        "continuation spelt out",
        "no tokens",
    ],
)
def test_the_tokens_of_the_continuation_are_found(
    tokens: list[str], text: str, scored: list[Token]
) -> None:
    numbers = [None, -2.0, -3.0, -4.0][: len(tokens)]

    found = wire.scored_tokens(repeated(tokens, numbers, text), "A b", " c")

    assert found == scored


# --- alternatives -------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["completions", "chat"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_alternatives_come_without_the_written_token(
    server: ModelServer, mode: str, stream: bool
) -> None:
    options = GenerationOptions(n_alternatives=2, until_sentence_end=stream)

    with opened(server, mode) as model:
        (written,) = model.generate([Prompt("Who?")], options)

    assert [token.text for token in written.tokens] == [" Ada", " sings."]
    assert {token.alternatives for token in written.tokens} == {
        ((" other0", -2.0), (" other1", -3.0))
    }


@pytest.mark.parametrize("mode", ["completions", "chat"])
def test_nobody_is_asked_for_alternatives_that_nobody_wants(server: ModelServer, mode: str) -> None:
    with opened(server, mode) as model:
        (written,) = model.generate([Prompt("Who?")], GenerationOptions())

    assert all(token.alternatives == () for token in written.tokens)
    assert "top_logprobs" not in server.requests[-1][1]
    assert server.requests[-1][1]["logprobs"] in (1, True)
