"""Work for a client that may go away: as a whole, or in pieces from a task of its own.

The task alone holds the place at the gate and its time limit. When nobody reads any more it is
cancelled, and with it what it waits for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from typing import Any, TypeVar

from fastapi import Request

from averment.errors import AvermentError
from averment.serve.completions import DONE, event
from averment.serve.gate import Gate
from averment.serve.refusals import Refused, refused, trail

_T = TypeVar("_T")
CLIENT_GONE = 499


async def while_connected(request: Request, work: Coroutine[Any, Any, _T]) -> _T:
    """The outcome of some work, which is cancelled when the client goes away.

    Raises:
        Refused: The client is gone.
    """
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise Refused(CLIENT_GONE, "ClientGone", "The client went away.")
    finally:
        task.cancel()
        gone.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def within(gate: Gate, work: Coroutine[Any, Any, _T]) -> _T:
    """The outcome of work that waits for its place."""
    try:
        async with gate.admitted():
            return await work
    finally:
        work.close()


class Events:
    """The server-sent events of pieces that a task makes.

    Args:
        pieces: Made within the gate.
        gate: Where it waits for its place.
    """

    def __init__(self, pieces: AsyncIterator[dict[str, Any]], gate: Gate) -> None:
        self._queue: asyncio.Queue[str | Refused | None] = asyncio.Queue()
        self._task = asyncio.create_task(self._make(pieces, gate))
        self._first: str | None = None

    async def begin(self) -> None:
        """Wait for the first piece.

        Raises:
            Refused: There is none, since something went wrong first.
        """
        try:
            first = await self._queue.get()
        except asyncio.CancelledError:
            self._task.cancel()
            raise
        if isinstance(first, Refused):
            raise first
        self._first = first

    async def __aiter__(self) -> AsyncIterator[str]:
        """All events, those that are there at once together; what goes wrong is the last one."""
        try:
            piece: str | Refused | None = self._first
            while isinstance(piece, str):
                together = [piece]
                while isinstance(piece, str) and not self._queue.empty():
                    piece = self._queue.get_nowait()
                    together += [piece] if isinstance(piece, str) else []
                yield "".join(together)
                if isinstance(piece, str):
                    piece = await self._queue.get()
            yield DONE if piece is None else event(piece.object())
        finally:
            self._task.cancel()

    async def _make(self, pieces: AsyncIterator[dict[str, Any]], gate: Gate) -> None:
        try:
            async with gate.admitted():
                async for piece in pieces:
                    self._queue.put_nowait(event(piece))
        except Exception as error:
            if not isinstance(error, (AvermentError, Refused, TimeoutError)):
                logging.getLogger("averment.serve").error("a stream failed: %s", trail(error))
            self._queue.put_nowait(refused(error))
        else:
            self._queue.put_nowait(None)
