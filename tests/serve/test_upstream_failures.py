"""An upstream that fails in every way: the client is told, and the next request is served."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from serve.rivers_index import rivers  # noqa: F401
from serve.running import ask, client, events, running, serving_of
from serve.stub_upstream import StubUpstream

BEYOND = ask(model="quco/up", stop=["###"])
JSON = {"Content-Type": "application/json"}
BUSY = '{"error": {"message": "slow down", "type": "rate_limit_error"}}'
REPLIES: dict[str, tuple[tuple[int, dict[str, str], str], int, str]] = {
    "busy": ((429, {"Retry-After": "7"}, BUSY), 429, "ModelUnavailable"),
    "busy for no number of seconds": ((429, {"Retry-After": "²"}, BUSY), 429, "ModelUnavailable"),
    "failing": ((500, JSON, '{"error": {"message": "boom"}}'), 502, "ModelUnavailable"),
    "failing in html": ((503, {}, "<html>gateway</html>"), 502, "ModelUnavailable"),
    "garbage": ((200, JSON, '{"choices": [{"mess'), 502, "MalformedReply"),
    "a web page": (
        (200, {"Content-Type": "text/html"}, "<html>login</html>"),
        502,
        "MalformedReply",
    ),
    "another object": ((200, JSON, '{"ok": true}'), 502, "MalformedReply"),
    "no choice": ((200, JSON, '{"choices": []}'), 502, "MalformedReply"),
    "choices of numbers": ((200, JSON, '{"choices": [1]}'), 502, "MalformedReply"),
    "not a number": ((200, JSON, '{"choices": [NaN]}'), 502, "MalformedReply"),
    "a number without end": ((200, JSON, '{"choices": [{"index": 1e999}]}'), 502, "MalformedReply"),
    "an error with no number": (
        (400, JSON, '{"error": {"message": "no", "code": NaN}}'),
        400,
        "ModelError",
    ),
    "an error that says 200": ((200, JSON, '{"error": {"message": "no"}}'), 502, "ModelError"),
    "no key": ((401, JSON, '{"error": {"message": "who are you?"}}'), 502, "ModelError"),
    "elsewhere": ((302, {"Location": "http://127.0.0.1:1/"}, ""), 502, "ModelUnavailable"),
}


def _post(url: str, body: dict[str, Any]) -> Any:
    with client(url) as c:
        return c.post("/v1/chat/completions", json=body)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(("reply", "status", "kind"), REPLIES.values(), ids=REPLIES.keys())
def test_what_the_upstream_does_wrong_becomes_an_error_object_and_ends_nothing(
    reply: tuple[int, dict[str, str], str], status: int, kind: str, stream: bool, rivers: Path
) -> None:
    with (
        StubUpstream(reply=reply) as stub,
        serving_of(rivers, base_url=stub.url) as serving,
        running(serving) as url,
    ):
        failed = _post(url, {**BEYOND, "stream": stream})
        stub.reply = None
        then = _post(url, BEYOND)

    assert (failed.status_code, failed.json()["error"]["kind"]) == (status, kind)
    assert failed.json()["error"]["message"]
    assert then.status_code == 200


def test_what_a_busy_upstream_says_of_when_to_come_again_is_passed_on(rivers: Path) -> None:
    reply = REPLIES["busy"][0]
    with (
        StubUpstream(reply=reply) as stub,
        serving_of(rivers, base_url=stub.url) as serving,
        running(serving) as url,
    ):
        failed = _post(url, BEYOND)

    assert failed.headers["retry-after"] == "7"


def test_what_the_client_did_wrong_is_told_in_the_words_of_the_upstream(rivers: Path) -> None:
    words = '{"error": {"message": "bad tool", "type": "invalid_request_error", "code": "x"}}'
    reply = (400, JSON, words)
    with (
        StubUpstream(reply=reply) as stub,
        serving_of(rivers, base_url=stub.url) as serving,
        running(serving) as url,
    ):
        failed = _post(url, BEYOND)

    assert failed.status_code == 400
    assert failed.text.replace(" ", "") == words.replace(" ", "")


def test_the_key_of_the_upstream_is_in_no_error(rivers: Path) -> None:
    reply = (400, JSON, '{"error": {"message": "sk-up is not allowed this"}}')
    with (
        StubUpstream(reply=reply) as stub,
        serving_of(rivers, base_url=stub.url, api_key="sk-up") as serving,
        running(serving) as url,
    ):
        failed = _post(url, BEYOND)

    assert failed.status_code == 400
    assert failed.json()["error"]["message"] == "… is not allowed this"


def test_an_upstream_that_is_not_there_is_a_502(rivers: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        gone = f"http://127.0.0.1:{free.getsockname()[1]}/v1"

    with serving_of(rivers, base_url=gone) as serving, running(serving) as url:
        beyond, by_policy = _post(url, BEYOND), _post(url, ask(model="none/up"))
        with client(url) as c:
            models, healthy = c.get("/v1/models"), c.get("/healthz")

    assert [each.status_code for each in (beyond, by_policy, models)] == [502, 502, 502]
    assert beyond.json()["error"]["kind"] == "ModelUnavailable"
    assert healthy.status_code == 200


def test_an_upstream_that_is_too_slow_is_a_504(rivers: Path) -> None:
    hangs = threading.Event()
    stub = StubUpstream(before_piece=lambda _: bool(hangs.wait(20)) and None)
    with stub, serving_of(rivers, base_url=stub.url, timeout_s=0.2) as serving:
        with running(serving) as url:
            whole, streamed = _post(url, BEYOND), _post(url, {**BEYOND, "stream": True})
        hangs.set()

    assert (whole.status_code, streamed.status_code) == (504, 504)


@pytest.mark.parametrize("pieces", [2, 6])
def test_a_stream_that_is_cut_ends_in_an_error_and_without_done(pieces: int, rivers: Path) -> None:
    text = "The Vltava flows through Prague. The Danube flows through Vienna."
    with (
        StubUpstream((text,), pieces_before_cut=pieces) as stub,
        serving_of(rivers, base_url=stub.url) as serving,
        running(serving) as url,
    ):
        cut = _post(url, {**BEYOND, "stream": True})

    if pieces == 2:  # no sentence was complete, so nothing has left and the status can say it
        assert (cut.status_code, cut.json()["error"]["kind"]) == (502, "MalformedReply")
        return
    *said, error = events(cut.text)
    assert "".join(p["choices"][0]["delta"]["content"] for p in said) == text[:32]
    assert error["error"]["kind"] == "MalformedReply"


@pytest.mark.parametrize("said", ["", 'data: {"choices": [], "usage": {"total_tokens": 1}}\n\n'])
def test_a_stream_without_a_choice_is_a_502(said: str, rivers: Path) -> None:
    reply = (200, {"Content-Type": "text/event-stream"}, f"{said}data: [DONE]\n\n")
    with (
        StubUpstream(reply=reply) as stub,
        serving_of(rivers, base_url=stub.url) as serving,
        running(serving) as url,
    ):
        failed = _post(url, {**BEYOND, "stream": True})

    assert (failed.status_code, failed.json()["error"]["kind"]) == (502, "MalformedReply")


def test_a_server_that_stops_before_the_upstream_answers_says_so(rivers: Path) -> None:
    asked, hangs = threading.Event(), threading.Event()

    def before_piece(_: int) -> None:
        asked.set()
        hangs.wait(20)

    told: list[Any] = []
    with StubUpstream(before_piece=before_piece) as stub:
        with serving_of(rivers, base_url=stub.url) as serving, running(serving) as url:
            waiting = threading.Thread(target=lambda: told.append(_post(url, BEYOND)))
            waiting.start()
            assert asked.wait(20)
        waiting.join(20)
        hangs.set()

    (stopped,) = told
    assert (stopped.status_code, stopped.json()["error"]["kind"]) == (503, "Stopping")
    assert int(stopped.headers["retry-after"]) >= 1


def test_a_reply_without_end_is_given_up(rivers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("averment.serve.upstream._MOST_BYTES", 1000)
    reply = (200, JSON, '{"choices": [{"message": {"content": "' + "a" * 2000 + '"}}]}')
    with (
        StubUpstream(reply=reply) as stub,
        serving_of(rivers, base_url=stub.url) as serving,
        running(serving) as url,
    ):
        failed = _post(url, BEYOND)

    assert (failed.status_code, failed.json()["error"]["kind"]) == (502, "MalformedReply")


def test_a_client_that_goes_away_stops_the_upstream(rivers: Path) -> None:
    go_on = threading.Event()

    def before_piece(number: int) -> None:
        if number > 8:
            go_on.wait(0.05)

    text = "The Vltava flows through Prague. " + "It is long and slow and cold " * 40
    with (
        StubUpstream((text,), before_piece=before_piece) as stub,
        serving_of(rivers, base_url=stub.url) as serving,
        running(serving) as url,
    ):
        with client(url) as c:
            asked = {**BEYOND, "stream": True}
            with c.stream("POST", "/v1/chat/completions", json=asked) as streamed:
                next(streamed.iter_lines())
        was_closed = stub.closed_early.wait(20)

    assert was_closed
