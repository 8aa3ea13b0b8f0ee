"""What stands before every request: keys, names, sizes, queues, and what the log may say."""

from __future__ import annotations

import json
import logging
import socket
import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest

from averment.models.scripted import ScriptedModel
from averment.serve import protection
from averment.types import Prompt
from serve.rivers_index import rivers  # noqa: F401
from serve.running import ask, client, running, serving_of
from towns_by_hand import QUESTION, scripted

ROUTES = [
    ("GET", "/v1/models"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
    ("GET", "/infinigram"),
    ("POST", "/infinigram"),
    ("POST", "/v1/chat/completions"),
    ("POST", "/v1/verify"),
    ("POST", "/v1/corpus/count"),
    ("POST", "/v1/corpus/cooccur"),
    ("POST", "/v1/corpus/first-seen"),
    ("POST", "/v1/corpus/search"),
]


def test_with_keys_every_route_but_health_asks_for_one(rivers: Path) -> None:
    with (
        serving_of(rivers, scripted(), serve_keys="k-one, k-two") as serving,
        running(serving) as url,
        client(url) as c,
    ):
        refused = {c.request(m, path, json={}).status_code for m, path in ROUTES}
        wrong = c.get("/v1/models", headers={"Authorization": "Bearer k-three"})
        right = [
            c.get("/v1/models", headers={"Authorization": f"Bearer {key}"}).status_code
            for key in ("k-one", "k-two")
        ]
        healthy = c.get("/healthz").status_code

    assert (refused, wrong.status_code, right, healthy) == ({401}, 401, [200, 200], 200)
    assert wrong.json()["error"]["type"] == "authentication_error"
    assert "k-one" not in wrong.text


def test_a_key_may_have_any_letters(rivers: Path) -> None:
    with (
        serving_of(rivers, scripted(), serve_keys="schlüssel-鍵") as serving,
        running(serving) as url,
        client(url) as c,
    ):
        keys = ["schlüssel-鍵".encode(), "schlüssel-鎖".encode(), b"\xff", b"schl\xfcssel"]
        found = [
            c.get("/v1/models", headers={"Authorization": b"Bearer " + key}).status_code
            for key in keys
        ]

    assert found == [200, 401, 401, 401]


def test_a_page_whose_name_points_at_loopback_is_refused_by_that_name(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        rebound = c.get("/v1/models", headers={"Host": "evil.example:8000"})
        local = [
            c.get("/v1/models", headers={"Host": host}).status_code
            for host in ("localhost", "localhost:8000", "127.0.0.1", "[::1]:8000")
        ]

    assert (rebound.status_code, rebound.json()["error"]["kind"]) == (403, "HostNotAllowed")
    assert local == [200] * 4


@pytest.mark.parametrize("announced", [True, False], ids=["announced", "in chunks"])
def test_a_body_that_is_too_large_is_not_read_to_its_end(announced: bool, rivers: Path) -> None:
    body = b'{"phrases": ["' + b"a" * 5000 + b'"]}'
    chunks: Any = body if announced else iter([body[:2500], body[2500:]])

    with (
        serving_of(rivers, scripted(), serve_body_bytes=1000) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        headers = {"Content-Type": "application/json"}
        refused = c.post("/v1/corpus/count", content=chunks, headers=headers)

    assert (refused.status_code, refused.json()["error"]["kind"]) == (413, "TooLarge")


def _begin(url: str, path: str) -> socket.socket:
    """A connection over which half a body was sent."""
    host, port = url.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=20)
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    connection.sendall(head.encode() + b'Content-Length: 100\r\n\r\n{"phrases": [')
    return connection


@pytest.mark.parametrize("path", ["/v1/corpus/count", "/v1/verify"])
def test_a_body_that_does_not_come_is_a_408(
    path: str, rivers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protection, "_BODY_TIMEOUT_S", 0.1)

    with (
        serving_of(rivers, scripted()) as serving,
        running(serving) as url,
        _begin(url, path) as connection,
    ):
        reply = connection.recv(10_000)

    assert reply.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("path", ["/v1/corpus/count", "/v1/verify"])
def test_a_client_that_goes_away_within_its_body_is_no_fault_of_the_server(
    path: str, rivers: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        _begin(url, path).close()
        while f'route="{path}"' not in (told := c.get("/metrics").text):
            pass

    assert f'averment_requests_total{{route="{path}",status="400"}} 1.0' in told
    assert "failed" not in caplog.text


@pytest.mark.parametrize(
    ("path", "body", "param"),
    [
        ("/v1/chat/completions", {"model": "quco/tiny"}, "messages"),
        ("/v1/chat/completions", ask(n=0), "n"),
        ("/v1/chat/completions", ask(averment={"mode": "fast"}), "averment.mode"),
        ("/v1/chat/completions", ask(averment={"index": "/etc"}), "averment.index"),
        ("/v1/corpus/count", {"phrases": [""]}, "phrases.0"),
        ("/v1/corpus/count", {"phrases": ["a"], "index": "/etc"}, "index"),
        ("/v1/corpus/cooccur", {"pairs": [["a", "b"]], "window_words": -1}, "window_words"),
        ("/v1/corpus/search", {"queries": ["a"], "k": 10**9}, "k"),
        ("/v1/verify", {"answer": "A.", "calibrator": "/etc/passwd"}, "calibrator"),
    ],
)
def test_what_cannot_be_used_is_named_and_no_path_is_taken(
    path: str, body: dict[str, Any], param: str, rivers: Path
) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        refused = c.post(path, json=body)

    assert refused.status_code == 400
    assert refused.json()["error"]["param"] == param


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"text"', b"\xff\xfe", b"[" * 100_000], ids=repr
)
def test_what_is_no_json_object_is_a_400(body: bytes, rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        headers = {"Content-Type": "application/json"}
        refused = c.post("/v1/chat/completions", content=body, headers=headers)

    assert (refused.status_code, refused.json()["error"]["kind"]) == (400, "UsageError")


def test_what_a_page_of_another_site_may_send_unasked_is_refused(rivers: Path) -> None:
    body = json.dumps({"phrases": ["Prague"]})
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        plain = c.post("/v1/corpus/count", content=body, headers={"Content-Type": "text/plain"})
        without = c.post("/v1/corpus/count", content=body)

    assert [plain.status_code, without.status_code] == [400, 400]


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "[1e999]"])
@pytest.mark.parametrize("policy", [True, False], ids=["policy", "upstream"])
def test_a_number_that_is_none_of_json_is_a_400(number: str, policy: bool, rivers: Path) -> None:
    body = json.dumps(ask(**({} if policy else {"stop": ["#"]})))[:-1]
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        headers = {"Content-Type": "application/json"}
        asked = f'{body}, "temperature": {number}}}'
        refused = c.post("/v1/chat/completions", content=asked, headers=headers)

    assert refused.status_code == 400
    assert "beyond what a double can hold" in refused.json()["error"]["message"]


def test_a_request_of_any_depth_is_answered_or_refused(rivers: Path) -> None:
    body = json.dumps(ask())[:-1]
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        headers = {"Content-Type": "application/json"}
        bodies = (f'{body}, "x": {"[" * depth}{"]" * depth}}}' for depth in range(940, 980))
        found = {
            c.post("/v1/chat/completions", content=each, headers=headers).status_code
            for each in bodies
        }

    assert found <= {200, 400}


@pytest.mark.parametrize("where", ["model", "content", "extra"])
def test_half_a_character_is_a_400(where: str, rivers: Path) -> None:
    half = '"\\ud800"'
    body = '{"model": "quco/tiny", "messages": [{"role": "user", "content": "Hi"}], "x": "y"}'
    asked = body.replace({"model": '"quco/tiny"', "content": '"Hi"', "extra": '"y"'}[where], half)

    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        headers = {"Content-Type": "application/json"}
        refused = c.post("/v1/chat/completions", content=asked, headers=headers)

    assert refused.status_code == 400


@pytest.mark.parametrize("model", ["other", "quco/other", "quco/../../etc/passwd", "/etc/passwd"])
def test_only_the_model_that_is_served_can_be_named(model: str, rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        refused = c.post("/v1/chat/completions", json=ask(model=model))

    assert (refused.status_code, refused.json()["error"]["kind"]) == (404, "UnknownNameError")


class _Blocked:
    """A model that answers when it is told to."""

    def __init__(self) -> None:
        self.n_asked = threading.Semaphore(0)
        self.go_on = threading.Event()

    def __call__(self, prompt: Prompt) -> str:
        self.n_asked.release()
        assert self.go_on.wait(20)
        return " So the answer is Vltava."


def _ask_in_thread(url: str, into: list[httpx2.Response]) -> threading.Thread:
    def post() -> None:
        with client(url) as c:
            into.append(c.post("/v1/chat/completions", json=ask(model="none/tiny")))

    thread = threading.Thread(target=post)
    thread.start()
    return thread


def test_when_all_workers_and_places_are_taken_the_next_is_told_to_come_again(
    rivers: Path,
) -> None:
    blocked = _Blocked()
    model = ScriptedModel(blocked, name="tiny", capabilities=frozenset())
    served: list[httpx2.Response] = []

    with (
        serving_of(rivers, model, serve_workers=1, serve_queue=0) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        first = _ask_in_thread(url, served)
        assert blocked.n_asked.acquire(timeout=20)
        shed = c.post("/v1/chat/completions", json=ask(model="none/tiny"))
        streamed = c.post("/v1/chat/completions", json=ask(model="none/tiny", stream=True))
        counted = c.post("/v1/corpus/count", json={"phrases": ["Prague"]})
        blocked.go_on.set()
        first.join(20)
        then = c.post("/v1/chat/completions", json=ask(model="none/tiny"))

    assert [shed.status_code, streamed.status_code] == [429, 429]
    assert int(shed.headers["retry-after"]) >= 1
    assert shed.json()["error"]["type"] == "rate_limit_error"
    assert counted.status_code == 200  # the corpus has workers of its own
    assert [served[0].status_code, then.status_code] == [200, 200]


def test_a_request_that_takes_too_long_is_a_504_and_the_next_is_served(rivers: Path) -> None:
    blocked = _Blocked()
    model = ScriptedModel(blocked, name="tiny", capabilities=frozenset())

    with (
        serving_of(rivers, model, serve_timeout_s=0.3) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        whole = c.post("/v1/chat/completions", json=ask(model="none/tiny"))
        streamed = c.post("/v1/chat/completions", json=ask(model="none/tiny", stream=True))
        blocked.go_on.set()
        healthy = c.get("/healthz")

    assert [whole.status_code, streamed.status_code, healthy.status_code] == [504, 504, 200]
    assert whole.json()["error"]["kind"] == "TimeLimit"


def test_a_fault_of_ours_says_nothing_of_its_inside(
    rivers: Path, caplog: pytest.LogCaptureFixture
) -> None:
    words = f"{'secret'} inside"  # which no line of the source shows

    def fails(prompt: Prompt) -> str:
        raise RuntimeError(words)

    model = ScriptedModel(fails, name="tiny", capabilities=frozenset())
    with serving_of(rivers, model) as serving, running(serving) as url, client(url) as c:
        whole = c.post("/v1/chat/completions", json=ask(model="none/tiny"))
        streamed = c.post("/v1/chat/completions", json=ask(model="none/tiny", stream=True))
        healthy = c.get("/healthz")

    assert [whole.status_code, streamed.status_code, healthy.status_code] == [500, 500, 200]
    assert words not in whole.text + streamed.text + caplog.text
    assert caplog.text.count("in fails") == 2


def test_a_client_that_goes_away_stops_the_policy_at_the_sentence(rivers: Path) -> None:
    n_written = 0
    is_gone, was_asked = threading.Event(), threading.Event()

    def write(prompt: Prompt) -> str:
        nonlocal n_written
        n_written += 1
        was_asked.set()
        if n_written > 1:
            assert is_gone.wait(20)
        return f" The Vltava flows through Prague and has {n_written} mills."

    model = ScriptedModel(write, name="tiny", capabilities=frozenset())
    with serving_of(rivers, model) as serving, running(serving) as url, client(url) as c:
        asked = ask(model="none/tiny", stream=True, averment={"mode": "annotate"})
        with c.stream("POST", "/v1/chat/completions", json=asked) as streamed:
            next(streamed.iter_lines())
        while "answers_inside 0.0" not in c.get("/metrics").text:
            pass
        is_gone.set()

    assert n_written <= 2  # 1: it was gone before the second was begun


def test_a_client_that_goes_away_stops_what_was_not_to_be_streamed_too(rivers: Path) -> None:
    n_written = 0
    is_gone, was_asked = threading.Event(), threading.Event()

    def write(prompt: Prompt) -> str:
        nonlocal n_written
        n_written += 1
        was_asked.set()
        assert is_gone.wait(20)
        return f" The Vltava flows through Prague and has {n_written} mills."

    model = ScriptedModel(write, name="tiny", capabilities=frozenset())
    with serving_of(rivers, model) as serving, running(serving) as url, client(url) as c:
        body = json.dumps(ask(model="none/tiny")).encode()
        head = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(head.encode() + body)
            assert was_asked.wait(20)
        while "answers_inside 0.0" not in c.get("/metrics").text:
            pass
        is_gone.set()

    assert n_written == 1


@pytest.mark.parametrize("logs_text", [False, True], ids=["as it is", "on request"])
def test_questions_and_answers_are_in_the_log_on_request_only(
    logs_text: bool, rivers: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    settings = {"serve_log_text": logs_text, "serve_keys": "k-secret", "api_key": "sk-secret"}

    with (
        serving_of(rivers, scripted(), **settings) as serving,
        running(serving) as url,
        client(url, headers={"Authorization": "Bearer k-secret"}) as c,
    ):
        trace_id = c.post("/v1/chat/completions", json=ask()).json()["averment"]["trace_id"]

    assert f"trace={trace_id}" in caplog.text
    assert (QUESTION in caplog.text, "Vltava" in caplog.text) == (logs_text, logs_text)
    assert "secret" not in caplog.text
