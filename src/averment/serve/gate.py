"""How much is worked on at a time: so many requests, so many that wait, and no longer than so long.

Everything that blocks runs in the threads of one bounded pool, since the model and the processor
are there once. A request whose client is gone is dropped where it next waits; the step that a
thread is busy with, at most one sentence of the model, is finished first.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import ParamSpec, TypeVar

from averment.serve.refusals import Refused

_P = ParamSpec("_P")
_T = TypeVar("_T")
_RETRY_AFTER_S = 1


class Gate:
    """Lets so many in, makes some wait, and turns the rest away.

    Args:
        n_running: Requests that are worked on at a time.
        n_waiting: Requests that may wait.
        timeout_s: How long one may take, its waiting included.
    """

    def __init__(self, n_running: int, n_waiting: int, *, timeout_s: float) -> None:
        self._running = asyncio.Semaphore(n_running)
        self._most = n_running + n_waiting
        self._n_inside = 0
        self._timeout_s = timeout_s

    @property
    def n_inside(self) -> int:
        """Requests that are worked on or wait."""
        return self._n_inside

    @property
    def is_free(self) -> bool:
        """Whether the next request would be worked on at once."""
        return not self._running.locked()

    @asynccontextmanager
    async def admitted(self) -> AsyncIterator[None]:
        """Be one of those that are worked on.

        Raises:
            Refused: Too many are waiting already.
            TimeoutError: It took too long.
        """
        if self._n_inside >= self._most:
            raise Refused(
                429,
                "Busy",
                f"The server is busy: {self._n_inside} requests are worked on or wait.",
                hint="Try again in a moment.",
                retry_after_s=_RETRY_AFTER_S,
            )
        self._n_inside += 1
        try:
            async with asyncio.timeout(self._timeout_s), self._running:
                yield
        finally:
            self._n_inside -= 1


class Pool:
    """Threads for what blocks; answers and corpus have their own, so that neither waits for both.

    Args:
        n_threads: How many there are.
    """

    def __init__(self, n_threads: int) -> None:
        self._threads = ThreadPoolExecutor(n_threads, thread_name_prefix="averment")

    def take_over(self) -> None:
        """Become where the running loop performs what blocks."""
        asyncio.get_running_loop().set_default_executor(self._threads)

    async def call(self, call: Callable[[], _T]) -> _T:
        """The outcome of a call, from a thread of this pool."""
        context = contextvars.copy_context()  # whose span this is, above all
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(context.run, call))

    def close(self) -> None:
        """Let the threads end what they are at; nothing new is begun."""
        self._threads.shutdown(wait=True, cancel_futures=True)


async def in_thread(call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """The outcome of a call that blocks, from a thread of the pool that took over."""
    return await asyncio.to_thread(call, *args, **kwargs)
