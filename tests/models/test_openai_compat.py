from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator

import pytest

from averment.errors import (
    CapabilityError,
    ContextOverflow,
    MalformedReply,
    ModelError,
    ModelUnavailable,
    UsageError,
)
from averment.models.openai_compat import OpenAICompatible, open_openai_compatible
from averment.types import Capability, FinishReason, GenerationOptions, Prompt, Token
from contracts.model_server import ModelServer

OPTIONS = GenerationOptions()
LONG = " One sentence is here." + " Another one follows it." * 5000


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(lambda before: " Ada sings. So it is.") as running:
        yield running


def opened(server: ModelServer, model: str = "tiny", *, max_retries: int = 0) -> OpenAICompatible:
    return open_openai_compatible(server.url, model, max_retries=max_retries)


# --- what the probe finds -----------------------------------------------------------------------


def test_completions_are_preferred(server: ModelServer) -> None:
    with opened(server) as model:
        assert model.mode == "completions"


def test_chat_is_used_where_there_are_no_completions(server: ModelServer) -> None:
    server.has_completions = False

    with opened(server) as model:
        assert model.mode == "chat"


def test_a_mode_that_is_asked_for_is_not_replaced(server: ModelServer) -> None:
    server.has_completions = False

    with pytest.raises(ModelError, match="404"):
        open_openai_compatible(server.url, "tiny", mode="completions", max_retries=0)


def test_logprobs_are_a_capability_only_if_the_server_gave_some(server: ModelServer) -> None:
    with opened(server) as with_logprobs:
        server.logprobs = False
        with opened(server) as without:
            assert Capability.LOGPROBS in with_logprobs.info.capabilities
            assert Capability.LOGPROBS not in without.info.capabilities


def test_a_server_that_refuses_logprobs_is_not_asked_for_them_again(server: ModelServer) -> None:
    server.takes_logprobs = False

    with opened(server) as model:
        (written,) = model.generate([Prompt("Who?")], OPTIONS)

    assert model.mode == "completions"
    assert written.text == " Ada sings. So it is."
    assert "logprobs" not in server.requests[-1][1]


# --- what is sent and what comes back -----------------------------------------------------------


def test_completions_get_prompt_and_answer_in_a_row(server: ModelServer) -> None:
    with opened(server) as model:
        model.generate([Prompt("Who?", " It is")], OPTIONS)

    assert server.requests[-1][1]["prompt"] == "Who? It is"


def test_chat_gets_the_answer_as_a_message_of_the_assistant(server: ModelServer) -> None:
    server.has_completions = False

    with opened(server) as model:
        model.generate([Prompt("Who?", "It is")], OPTIONS)

    assert server.requests[-1][1]["messages"] == [
        {"role": "user", "content": "Who?"},
        {"role": "assistant", "content": "It is"},
    ]


def test_logprobs_that_stop_coming_leave_no_tokens(server: ModelServer) -> None:
    with opened(server) as model:
        server.logprobs = False
        (written,) = model.generate([Prompt("Who?")], OPTIONS)

    assert written.tokens == ()


def test_tokens_of_a_stop_string_are_dropped(server: ModelServer) -> None:
    choice = {
        "text": " Ada",
        "finish_reason": "stop",
        "logprobs": {"tokens": [" Ada", "\n"], "token_logprobs": [-0.5, -0.1]},
    }

    with opened(server) as model:
        server.reply = (200, "application/json", json.dumps({"choices": [choice]}))
        (written,) = model.generate([Prompt("Who?")], GenerationOptions(stop=("\n",)))

    assert written.tokens == (Token(" Ada", -0.5),)


def test_stop_strings_beyond_the_servers_limit_still_stop(server: ModelServer) -> None:
    options = GenerationOptions(stop=("#", "$", "%", "&", " sings"))

    with opened(server) as model:
        (written,) = model.generate([Prompt("Who?")], options)

    assert written.text == " Ada"
    assert len(server.requests[-1][1]["stop"]) == 4


def test_the_stream_is_closed_at_the_first_sentence_end(server: ModelServer) -> None:
    server.answer = lambda before: LONG
    options = GenerationOptions(max_tokens=50_000, until_sentence_end=True)

    with opened(server) as model:
        (written,) = model.generate([Prompt("Who?")], options)

    assert written.text == " One sentence is here."
    assert written.finish is FinishReason.SENTENCE
    assert server.closed_early.wait(10)
    assert server.n_pieces_sent < len(LONG.split())


def test_each_sample_has_its_own_seed(server: ModelServer) -> None:
    with opened(server) as model:
        model.sample([Prompt("Who?")], 3, GenerationOptions(temperature=1.0, seed=5))

    assert sorted(body["seed"] for _, body in server.requests[1:]) == [5, 6, 7]


def test_a_grammar_is_refused_rather_than_ignored(server: ModelServer) -> None:
    with opened(server) as model, pytest.raises(CapabilityError, match="grammar"):
        model.generate([Prompt("Who?")], GenerationOptions(grammar='root ::= "a"'))


# --- failures -----------------------------------------------------------------------------------


def test_nobody_listening_names_the_url_and_the_tries() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"

    with pytest.raises(ModelUnavailable, match=f"{url} does not answer after 2 tries") as caught:
        open_openai_compatible(url, "tiny", max_retries=1)

    assert "--timeout" in caught.value.hint


def test_a_server_that_hangs_is_unavailable(server: ModelServer) -> None:
    server.hangs = True

    with pytest.raises(ModelUnavailable, match="after 1 try"):
        open_openai_compatible(server.url, "tiny", timeout_s=0.2, max_retries=0)


def test_a_stream_that_breaks_off_is_no_answer(server: ModelServer) -> None:
    server.answer = lambda before: " Ada sings."
    server.breaks_off = True

    with opened(server) as model, pytest.raises(MalformedReply, match="breaks off"):
        model.generate([Prompt("Who?")], GenerationOptions(until_sentence_end=True))


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_not_worth_retrying(server: ModelServer, status: int) -> None:
    server.reply = (status, "application/json", '{"error": {"message": "no"}}')

    with pytest.raises(ModelError) as caught:
        opened(server, max_retries=2)

    assert not caught.value.transient
    assert "OPENAI_API_KEY" in caught.value.hint
    assert len(server.requests) == 1


def test_an_unknown_model_is_named_beside_those_that_exist(server: ModelServer) -> None:
    server.models = ("tiny", "small")

    with pytest.raises(ModelError, match="no model 'huge'") as caught:
        opened(server, "huge")

    assert "small, tiny" in caught.value.hint


@pytest.mark.parametrize("status", [429, 500, 503])
def test_an_overloaded_server_is_unavailable_after_all_tries(
    server: ModelServer, status: int
) -> None:
    with opened(server, max_retries=1) as model:
        server.requests.clear()
        server.reply = (status, "text/plain", "busy")
        with pytest.raises(ModelUnavailable, match=f"2 times .HTTP {status}.: busy"):
            model.generate([Prompt("Who?")], OPTIONS)

    assert len(server.requests) == 2


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/html", "<html>Welcome</html>"),
        ("application/json", '{"choices": [{'),
        ("application/json", '{"answer": 42}'),
        ("application/json", "[]"),
        ("text/event-stream", "hello\n\n"),
    ],
    ids=["html", "half a JSON", "no choices", "a list", "no events"],
)
def test_what_is_no_reply_is_quoted(
    server: ModelServer, content_type: str, body: str, stream: bool
) -> None:
    options = GenerationOptions(until_sentence_end=stream)

    with opened(server) as model:
        server.reply = (200, content_type, body)
        with pytest.raises(MalformedReply) as caught:
            model.generate([Prompt("Who?")], options)

    assert repr(body.strip())[1:-1] in caught.value.message


@pytest.mark.parametrize(
    ("status", "content_type", "body"),
    [
        (400, "application/json", '{"error": {"message": "maximum context length is 8 tokens"}}'),
        (400, "application/json", '{"error": {"message": "exceeds the available context size"}}'),
        (200, "application/json", '{"error": {"message": "context window is full"}}'),
        (200, "text/event-stream", 'data: {"error": "too many tokens"}\n\n'),
    ],
    ids=["context length", "context size", "in a reply", "in a stream"],
)
def test_a_prompt_that_does_not_fit_overflows(
    server: ModelServer, status: int, content_type: str, body: str
) -> None:
    with opened(server) as model:
        server.reply = (status, content_type, body)
        with pytest.raises(ContextOverflow):
            model.generate([Prompt("Who?")], GenerationOptions(until_sentence_end=True))


def test_a_withheld_answer_is_an_error(server: ModelServer) -> None:
    choice = {"text": "", "finish_reason": "content_filter"}

    with opened(server) as model:
        server.reply = (200, "application/json", json.dumps({"choices": [choice]}))
        with pytest.raises(ModelError, match="content filter"):
            model.generate([Prompt("Who?")], OPTIONS)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://models.example/v1", "not on this machine"),
        ("http://10.0.0.1:8000/v1", "not on this machine"),
        ("localhost:8000", "not the URL"),
    ],
    ids=["a host", "an address", "no scheme"],
)
def test_offline_allows_loopback_urls_only(url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_openai_compatible(url, "tiny", offline=True)


def test_the_key_is_sent_and_never_said(
    server: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.reply = (500, "text/plain", "your key sk-secret is fine, I am not")

    with pytest.raises(ModelUnavailable) as caught:
        open_openai_compatible(server.url, "tiny", api_key="sk-secret", max_retries=0)

    assert server.keys == ["Bearer sk-secret"]
    assert "sk-secret" not in str(caught.value)
    assert caplog.text
    assert "sk-secret" not in caplog.text


def test_a_password_in_the_url_is_not_shown(server: ModelServer) -> None:
    url = server.url.replace("127.0.0.1", "user:hidden@127.0.0.1")

    with open_openai_compatible(url, "tiny", max_retries=0) as model:
        assert model.info.source == server.url
