"""A model server on loopback that speaks both OpenAI interfaces, and misbehaves on request."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from contracts.loopback import Loopback

_PIECES = re.compile(r"\s*\S+|\s+")


@dataclass
class ModelServer(Loopback):
    """What the server says. Fields may be changed while it runs.

    `answer` maps the text before to the text that follows. `reply`, if set, is served in place of
    every answer: status, content type, body. `hangs` leaves every request without a reply.
    What follows a text that `garbles` is true of is sent as broken JSON.
    `echo` gives the log-probabilities of the pieces of a text that is repeated, the generated one
    included; without it the option is ignored, as many servers do, or refused with `refusal`.
    """

    answer: Callable[[str], str]
    has_completions: bool = True
    logprobs: bool = True
    logprob: Callable[[str], float] = lambda piece: -0.25
    takes_logprobs: bool = True
    restarts: bool = False
    streams: bool = True
    counts: bool = True
    breaks_off: bool = False
    garbles: Callable[[str], bool] = lambda before: False
    hangs: bool = False
    models: tuple[str, ...] = ("tiny",)
    reply: tuple[int, str, str] | None = None
    echo: Callable[[list[str]], list[float | None]] | None = None
    refusal: tuple[int, str] | None = None
    requests: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    n_pieces_sent: int = 0
    closed_early: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)


class _Handler(BaseHTTPRequestHandler):
    stub: ModelServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def do_GET(self) -> None:
        models = [{"id": name, "object": "model"} for name in self.stub.models]
        self._send(200, "application/json", json.dumps({"object": "list", "data": models}))

    def do_POST(self) -> None:
        stub = self.stub
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        chat = self.path.endswith("/chat/completions")
        stub.requests.append((self.path, body))
        stub.keys.append(self.headers.get("Authorization", ""))
        if stub.hangs:
            stub.released.wait(30)
            return
        if not chat and not stub.has_completions:
            self._send(404, "text/html", "<html>not here</html>")
        elif stub.garbles(_before(body)[0]):
            self._send(200, "application/json", '{"choices": [{"text": "So the')
        elif stub.reply is not None:
            self._send(*stub.reply)
        elif body["model"] not in stub.models:
            self._error(404, f"The model {body['model']} does not exist")
        elif "logprobs" in body and not stub.takes_logprobs:
            self._error(400, "logprobs is not supported")
        elif body.get("echo") and stub.refusal is not None:
            self._error(*stub.refusal)
        else:
            self._answer(body, chat=chat)

    def _answer(self, body: dict[str, Any], *, chat: bool) -> None:
        before, begun = _before(body)
        text = self.stub.answer(before)
        if chat and self.stub.restarts:
            text = begun + text
        text, finish = _cut(text, body)
        pieces = _PIECES.findall(text)
        self._n_listed = body.get("top_logprobs", 0) if chat else body.get("logprobs", 0)
        if body.get("echo") and self.stub.echo is not None:
            self._repeat([*_PIECES.findall(before), *pieces], self.stub.echo)
            return
        if body.get("stream") and self.stub.streams:
            self._stream(pieces, finish, chat=chat)
            return
        choice = {
            "index": 0,
            **self._said(pieces, "message" if chat else ""),
            "finish_reason": finish,
        }
        reply: dict[str, Any] = {"choices": [choice]}
        if self.stub.counts:
            reply["usage"] = {"prompt_tokens": 7, "completion_tokens": len(pieces)}
        self._send(200, "application/json", json.dumps(reply))

    def _repeat(self, pieces: list[str], echo: Callable[[list[str]], list[float | None]]) -> None:
        logprobs = {"tokens": pieces, "token_logprobs": echo(pieces)}
        choice = {"text": "".join(pieces), "logprobs": logprobs, "finish_reason": "length"}
        self._send(200, "application/json", json.dumps({"choices": [choice]}))

    def _stream(self, pieces: list[str], finish: str, *, chat: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b": a comment\n\n")
        try:
            for piece in pieces:
                choice = {"index": 0, **self._said([piece], "delta" if chat else "")}
                self._event({"choices": [{**choice, "finish_reason": None}]})
                self.stub.n_pieces_sent += 1
            if self.stub.breaks_off:
                return
            last = {"index": 0, **self._said([], "delta" if chat else ""), "finish_reason": finish}
            self._event({"choices": [last]})
            self._event({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 9}})
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            self.stub.closed_early.set()

    def _said(self, pieces: list[str], role: str) -> dict[str, Any]:
        text = "".join(pieces)
        said: dict[str, Any] = {role: {"content": text}} if role else {"text": text}
        if not self.stub.logprobs:
            return {**said, "logprobs": None}
        give = self.stub.logprob
        if role:
            entries = [
                {"token": piece, "logprob": give(piece), "top_logprobs": self._top(piece)}
                for piece in pieces
            ]
            return {**said, "logprobs": {"content": entries}}
        tops = [{top["token"]: top["logprob"] for top in self._top(piece)} for piece in pieces]
        logprobs = [give(piece) for piece in pieces]
        columns = {"tokens": pieces, "token_logprobs": logprobs, "top_logprobs": tops}
        return {**said, "logprobs": columns}

    def _top(self, piece: str) -> list[dict[str, Any]]:
        listed = [
            (piece, self.stub.logprob(piece)),
            *((f" other{at}", -2.0 - at) for at in range(9)),
        ]
        return [{"token": text, "logprob": lp} for text, lp in listed[: self._n_listed]]

    def _event(self, reply: dict[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps(reply)}\n\n".encode())
        self.wfile.flush()

    def _error(self, status: int, message: str) -> None:
        self._send(status, "application/json", json.dumps({"error": {"message": message}}))

    def _send(self, status: int, content_type: str, body: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())


def _before(body: dict[str, Any]) -> tuple[str, str]:
    if "prompt" in body:
        return body["prompt"], ""
    texts = [message["content"] for message in body["messages"]]
    return "".join(texts), "".join(texts[1:])


def _cut(text: str, body: dict[str, Any]) -> tuple[str, str]:
    for stop in body.get("stop", ()):
        text = text.partition(stop)[0]
    words = _PIECES.findall(text)
    if len(words) > body["max_tokens"]:
        return "".join(words[: body["max_tokens"]]), "length"
    return text, "stop"


ModelServer.handler = _Handler
