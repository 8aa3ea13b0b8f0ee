"""An agent: the client of the MCP SDK, in a thread with a loop of its own, asked from a test."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, Tool

CALL_AVERMENT = ["-c", "from averment.cli import main; main()", "mcp"]
WAIT_S = 60


class Agent:
    """A connected client.

    Args:
        transport: Of the SDK.
        mode: How the connection begins: ``legacy`` (a handshake) or ``auto`` (the newest way).
    """

    def __init__(self, transport: Any, mode: str) -> None:
        self._transport, self._mode = transport, mode
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=[self._live()])
        self._failed: BaseException | None = None

    def __enter__(self) -> Agent:
        self._thread.start()
        assert self._ready.wait(WAIT_S)
        if self._failed:
            self._thread.join()
            raise self._failed
        return self

    def __exit__(self, *raised: object) -> None:
        self._loop.call_soon_threadsafe(self._leave.set)
        self._thread.join(WAIT_S)
        self._loop.close()

    async def _live(self) -> None:
        self._leave = asyncio.Event()
        try:
            async with Client(self._transport, mode=self._mode) as self._client:
                self._ready.set()
                await self._leave.wait()
        except BaseException as error:
            self._failed = error
            self._ready.set()

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(WAIT_S)

    def tools(self) -> dict[str, Tool]:
        """The tools that the server lists."""
        return {tool.name: tool for tool in self._run(self._client.list_tools()).tools}

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """What a tool gives; the client refuses what does not fit the output schema."""
        made: CallToolResult = self._run(self._client.call_tool(tool, arguments))
        return made

    def told(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The object that a tool gives; it must not be an error."""
        made = self.call(tool, **arguments)
        assert not made.is_error, made.content
        found: dict[str, Any] = made.structured_content
        return found

    def refused(self, tool: str, **arguments: Any) -> dict[str, str]:
        """What a tool says of what went wrong; it must be an error without an object."""
        made = self.call(tool, **arguments)
        assert made.is_error
        assert made.structured_content is None
        error: dict[str, str] = json.loads(text_of(made))["error"]
        return error

    def followed(self, tool: str, **arguments: Any) -> list[tuple[float, float | None]]:
        """The progress that a tool tells of while it works."""
        seen: list[tuple[float, float | None]] = []

        async def note(done: float, total: float | None, _: str | None) -> None:
            seen.append((done, total))

        self._run(self._client.call_tool(tool, arguments, progress_callback=note))
        return seen

    def give_up(self, tool: str, after_s: float, **arguments: Any) -> None:
        """Ask a tool and cancel the request."""

        async def hurried() -> None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(after_s):
                    await self._client.call_tool(tool, arguments)

        self._run(hurried())


def text_of(made: CallToolResult) -> str:
    """The one text of a result."""
    (content,) = made.content
    assert content.type == "text"
    return content.text


@contextlib.contextmanager
def over_stdio(home: Path, *arguments: str, mode: str = "auto", cwd: Path) -> Iterator[Agent]:
    """An agent that has started `averment mcp` itself."""
    server = StdioServerParameters(
        command=sys.executable,
        args=[*CALL_AVERMENT, *arguments],
        env={"AVERMENT_HOME": str(home)},
        cwd=cwd,
    )
    with (home.parent / "mcp.log").open("w") as log, Agent(stdio_client(server, log), mode) as made:
        yield made


@contextlib.contextmanager
def listening_server(home: Path, *arguments: str, **environment: str) -> Iterator[str]:
    """The URL of `averment mcp --http`, running."""
    process = subprocess.Popen(
        [sys.executable, *CALL_AVERMENT, "--http", "127.0.0.1:0", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env={"AVERMENT_HOME": str(home), **environment},
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/mcp", line)
        assert found, line
        yield found.group()
    finally:
        process.kill()
        process.communicate()


@contextlib.contextmanager
def over_http(url: str, mode: str = "auto", **headers: str) -> Iterator[Agent]:
    """An agent that asks a server over HTTP."""
    with Agent(_to(url, headers), mode) as made:
        yield made


@contextlib.asynccontextmanager
async def _to(url: str, headers: dict[str, str]) -> AsyncIterator[Any]:
    async with (
        httpx2.AsyncClient(headers=headers, timeout=WAIT_S, trust_env=False) as client,
        streamable_http_client(url, http_client=client) as streams,
    ):
        yield streams
