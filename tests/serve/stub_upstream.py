"""A model's server on loopback that says what a test wants, whole or in pieces, or misbehaves."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from contracts.loopback import Loopback

_PIECES = re.compile(r"\s*\S+|\s+")


@dataclass
class StubUpstream(Loopback):
    """What it says: one text a choice, in words.

    `reply` is sent in place of everything: status, headers, body. `before_piece` is called with
    the number of each piece before it is sent. With `pieces_before_cut` the connection ends there.
    """

    texts: Sequence[str] = ("The Vltava flows through Prague.",)
    message: dict[str, Any] = field(default_factory=dict)
    reply: tuple[int, dict[str, str], str] | None = None
    before_piece: Callable[[int], None] = lambda number: None
    pieces_before_cut: int | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    closed_early: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)


class _Handler(BaseHTTPRequestHandler):
    stub: StubUpstream

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def do_GET(self) -> None:
        self._send(200, {}, json.dumps({"object": "list", "data": [{"id": "up"}]}))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.stub.requests.append(body)
        self.stub.keys.append(self.headers.get("Authorization", ""))
        if self.stub.reply is not None:
            self._send(*self.stub.reply)
        elif body.get("stream"):
            self._stream(body)
        else:
            self.stub.before_piece(0)
            choices = [
                {**_choice(at, logprobs=body), "message": self._message(text)}
                for at, text in enumerate(self.stub.texts)
            ]
            usage = {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16}
            made = {**_envelope("chat.completion"), "choices": choices, "usage": usage}
            self._send(200, {}, json.dumps(made))

    def _message(self, text: str) -> dict[str, Any]:
        return {"role": "assistant", "content": text, **self.stub.message}

    def _stream(self, body: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            for number, chunk in enumerate(self._chunks(body)):
                if number == self.stub.pieces_before_cut:
                    return
                self.stub.before_piece(number)
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
                self.wfile.flush()
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            self.stub.closed_early.set()

    def _chunks(self, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        envelope = _envelope("chat.completion.chunk")
        for at, text in enumerate(self.stub.texts):
            first: dict[str, Any] = {"role": "assistant", **self.stub.message}
            for piece in _PIECES.findall(text):
                said = {"index": at, "delta": {**first, "content": piece}, "finish_reason": None}
                yield {**envelope, "choices": [said]}
                first = {}
            if first:
                said = {"index": at, "delta": first, "finish_reason": None}
                yield {**envelope, "choices": [said]}
        for at, _ in enumerate(self.stub.texts):
            yield {**envelope, "choices": [{**_choice(at), "delta": {}}]}
        if (body.get("stream_options") or {}).get("include_usage"):
            usage = {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16}
            yield {**envelope, "choices": [], "usage": usage}

    def _send(self, status: int, headers: dict[str, str], body: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())


def _choice(at: int, logprobs: dict[str, Any] | None = None) -> dict[str, Any]:
    wanted = bool(logprobs and logprobs.get("logprobs"))
    tokens = {"content": [{"token": "The", "logprob": -0.5, "bytes": None, "top_logprobs": []}]}
    return {"index": at, "finish_reason": "stop", "logprobs": tokens if wanted else None}


def _envelope(kind: str) -> dict[str, Any]:
    return {
        "id": "up-1",
        "object": kind,
        "created": 5,
        "model": "up-2026",
        "system_fingerprint": "fp_7",
        "x_unknown": {"kept": True},
    }


StubUpstream.handler = _Handler
