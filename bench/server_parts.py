"""Parts of `bench/server.py`: a stub of a model's server, a bare proxy, `averment serve`, a client.

    python bench/server_parts.py stub PORT
    python bench/server_parts.py bare PORT UPSTREAM

Each server is a process of its own, so that the processor time of each is its own. The stub is told
by the model's name what to stream: ``tool-100-20`` is 100 pieces of the arguments of a tool, one
every 20 ms; ``text-…`` are words; with 0 there is no pause. The client is asyncio streams and
nothing else, so that it takes as little as possible of the processors that all share.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

_WORDS = "The ferry Sorlandia sails from Hirtshals to Kristiansand every day of the year. ".split()
_TICKS = os.sysconf("SC_CLK_TCK")
_START_S = 60
_TOOLS = [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}]


# --- processes ----------------------------------------------------------------------------------


@dataclass
class Process:
    """A server that runs, and what it has used."""

    name: str
    port: int
    child: subprocess.Popen[bytes] = field(repr=False)

    def cpu_s(self) -> float:
        """Processor time of all its threads so far."""
        fields = pathlib.Path(f"/proc/{self.child.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def rss_mb(self) -> float:
        """Resident memory, in MB (10^6 bytes)."""
        return _status(self.child.pid, "VmRSS") * 1024 / 1e6

    def n_threads(self) -> int:
        """How many threads it has."""
        return _status(self.child.pid, "Threads")

    def n_files(self) -> int:
        """How many files and sockets it has open."""
        return sum(1 for _ in pathlib.Path(f"/proc/{self.child.pid}/fd").iterdir())


def _status(pid: int, name: str) -> int:
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise AssertionError(name)


@contextlib.contextmanager
def stub() -> Iterator[Process]:
    """A model's server that says what it is told."""
    with _running("stub", [__file__, "stub"]) as made:
        yield made


@contextlib.contextmanager
def bare(upstream: Process) -> Iterator[Process]:
    """A Starlette application that passes requests to the upstream and its bytes back."""
    with _running("bare", [__file__, "bare"], [f"http://127.0.0.1:{upstream.port}"]) as made:
        yield made


@contextlib.contextmanager
def averment_serve(
    index: str, upstream: Process, *options: str, empty_route: bool = False, **settings: object
) -> Iterator[Process]:
    """`averment serve` before the upstream, as users start it, or with an empty route as well."""
    code = ["-c", "from averment.cli import main; main()"]
    if empty_route:
        code = [str(pathlib.Path(__file__).with_name("server_with_empty_route.py"))]
    words = ["--upstream", f"http://127.0.0.1:{upstream.port}/v1", "--index", index, *options]
    with _running("averment", [*code, "serve", "--port"], words, settings) as made:
        yield made


@contextlib.contextmanager
def _running(
    name: str, code: list[str], words: list[str] | None = None, settings: Any = None
) -> Iterator[Process]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    given = {f"AVERMENT_{key.upper()}": str(value) for key, value in (settings or {}).items()}
    child = subprocess.Popen(
        [sys.executable, *code, str(port), *(words or [])],
        env={**os.environ, **given},
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + _START_S
        while True:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1).close()
                break
            if child.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"{name} does not start: {' '.join(code)} {port} {words or ''}")
            time.sleep(0.1)
        yield Process(name, port, child)
    finally:
        child.terminate()
        child.wait(30)


# --- the client ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reply:
    """A reply: its status (0: the connection broke), body, and seconds to its head and its end."""

    status: int
    body: bytes
    head_s: float
    seconds: float


class Client:
    """One connection that is kept."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, path: str, body: Any = None) -> Reply:
        """The reply to a GET, or with a body to a POST; bytes are sent as they are.

        A kept connection that the server has closed meanwhile is opened again, as clients do.
        """
        data = b"" if body is None else body if isinstance(body, bytes) else encoded(body)
        is_kept = self._streams is not None
        started = time.perf_counter()
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection("127.0.0.1", self._port)
            reader, writer = self._streams
            writer.write(_request(self._port, path, data))
            try:
                status, headers = await _head(reader)
            except (OSError, asyncio.IncompleteReadError):
                if not is_kept:
                    raise
                await self.close()
                return await self.ask(path, data or None)
            head_s = time.perf_counter() - started
            made = b"".join([part async for part in _body(reader, headers)])
        except (OSError, asyncio.IncompleteReadError):
            await self.close()
            return Reply(0, b"", 0.0, time.perf_counter() - started)
        if headers.get("connection") == "close":
            await self.close()
        return Reply(status, made, head_s, time.perf_counter() - started)

    async def leave_early(self, path: str, body: Any, *, n_parts: int) -> int:
        """Ask for a stream and go away after some of its parts; the status."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        writer.write(_request(self._port, path, encoded(body)))
        try:
            status, headers = await _head(reader)
            async for _ in _body(reader, headers):
                n_parts -= 1
                if n_parts <= 0:
                    break
        except (OSError, asyncio.IncompleteReadError):
            return 0
        finally:
            writer.close()
        return status

    async def close(self) -> None:
        """Close the connection, if there is one."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def encoded(body: Any) -> bytes:
    """A body as it is sent."""
    return json.dumps(body).encode()


def chat(kind: str, n_pieces: int, *, pause_ms: int = 0, mode: str | None = None) -> dict[str, Any]:
    """A request that no policy can answer (it has tools), so that it goes to the upstream."""
    asked: dict[str, Any] = {
        "model": f"{kind}-{n_pieces}-{pause_ms}",
        "messages": [{"role": "user", "content": "Where does the ferry sail to?"}],
        "tools": _TOOLS,
        "stream": True,
    }
    return asked if mode is None else {**asked, "averment": {"mode": mode}}


async def closed_loop(
    port: int, n_clients: int, n_requests: int, ask: Callable[[Client, int], Awaitable[Reply]]
) -> list[Reply]:
    """So many clients, each asking again when it has its reply."""
    numbers = iter(range(n_requests))
    replies: list[Reply] = []

    async def one() -> None:
        client = Client(port)
        for number in numbers:
            replies.append(await ask(client, number))
        await client.close()

    await asyncio.gather(*(one() for _ in range(n_clients)))
    return replies


def _request(port: int, path: str, data: bytes) -> bytes:
    method = "POST" if data else "GET"
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    if data:
        head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n"
    return head.encode() + b"\r\n" + data


async def _head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    first, headers = await _lines(reader)
    return int(first.split()[1]), headers


async def _lines(reader: asyncio.StreamReader) -> tuple[str, dict[str, str]]:
    """The first line of a head, and its headers."""
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines if line)
    return first, {name.lower(): value.strip() for name, _, value in pairs}


async def _body(reader: asyncio.StreamReader, headers: dict[str, str]) -> AsyncIterator[bytes]:
    if "content-length" in headers:
        yield await reader.readexactly(int(headers["content-length"]))
        return
    while n_bytes := int((await reader.readuntil(b"\r\n")).strip(), 16):
        yield (await reader.readexactly(n_bytes + 2))[:-2]
    await reader.readexactly(2)


# --- the servers of this file -------------------------------------------------------------------


async def _stub(port: int) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                _, headers = await _lines(reader)
                length = int(headers.get("content-length", "0"))
                data = await reader.readexactly(length)
                await (_stream(writer, json.loads(data)) if data else _ok(writer))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", port)
    await server.serve_forever()


async def _ok(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
    await writer.drain()


async def _stream(writer: asyncio.StreamWriter, asked: dict[str, Any]) -> None:
    kind, n_pieces, pause_ms = asked["model"].rsplit("-", 2)
    writer.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    for number in range(int(n_pieces)):
        word = f"{_WORDS[number % len(_WORDS)]} "
        said = {"content": word} if kind == "text" else _arguments(word, is_first=not number)
        _piece(writer, {"index": 0, "delta": said, "finish_reason": None})
        await writer.drain()
        await asyncio.sleep(int(pause_ms) / 1000)
    _piece(writer, {"index": 0, "delta": {}, "finish_reason": "stop"})
    writer.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
    await writer.drain()


def _arguments(word: str, *, is_first: bool) -> dict[str, Any]:
    call: dict[str, Any] = {"index": 0, "function": {"arguments": word}}
    if is_first:
        call |= {"id": "call-1", "type": "function"}
        call["function"] = {"name": "look_up", "arguments": word}
    return {"tool_calls": [call]}


def _piece(writer: asyncio.StreamWriter, choice: dict[str, Any]) -> None:
    piece = {"id": "up-1", "object": "chat.completion.chunk", "created": 5, "model": "up"}
    event = b"data: " + encoded({**piece, "choices": [choice]}) + b"\n\n"
    writer.write(b"%x\r\n%s\r\n" % (len(event), event))


def _bare(port: int, upstream: str) -> None:
    import httpx2
    import uvicorn
    from starlette.applications import Starlette
    from starlette.background import BackgroundTask
    from starlette.requests import Request
    from starlette.responses import Response, StreamingResponse
    from starlette.routing import Route

    client = httpx2.AsyncClient(base_url=upstream, trust_env=False)

    async def healthy(_: Request) -> Response:
        return Response()

    async def forward(request: Request) -> Response:
        asked = client.build_request(
            "POST",
            request.url.path,
            content=await request.body(),
            headers={"content-type": "application/json"},
        )
        reply = await client.send(asked, stream=True)
        return StreamingResponse(
            reply.aiter_raw(),
            status_code=reply.status_code,
            media_type=reply.headers["content-type"],
            background=BackgroundTask(reply.aclose),
        )

    routes = [Route("/healthz", healthy), Route("/{path:path}", forward, methods=["POST"])]
    uvicorn.run(Starlette(routes=routes), port=port, log_config=None, access_log=False)


if __name__ == "__main__":
    role, port_number, *rest = sys.argv[1:]
    if role == "stub":
        asyncio.run(_stub(int(port_number)))
    else:
        _bare(int(port_number), *rest)
