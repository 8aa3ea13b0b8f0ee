"""A stream that is read as it comes, so that a test can say what had arrived at some moment."""

from __future__ import annotations

import threading
from typing import Any, Self

import httpx2


class Reading:
    """Reads the lines of a response in a thread."""

    def __init__(self, response: httpx2.Response) -> None:
        self._arrived = threading.Condition()
        self._lines: list[str] = []
        self._thread = threading.Thread(target=self._read, args=(response,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._thread.join(20)

    def _read(self, response: httpx2.Response) -> None:
        for line in response.iter_lines():
            with self._arrived:
                self._lines.append(line)
                self._arrived.notify_all()

    def wait_for(self, part: str) -> None:
        """Wait until a text has arrived."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: part in self._text, 20)

    @property
    def _text(self) -> str:
        return "\n".join(self._lines)

    def so_far(self, client: Any) -> str:
        """What has arrived once the server has answered something else in the meantime."""
        for _ in range(3):
            client.get("/healthz")
        with self._arrived:
            return self._text
