"""What every test server has in common: it runs in a thread on a free port of this machine."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar, Self


class Loopback:
    """A server while its block runs; its handler knows it as `stub`."""

    handler: ClassVar[type[BaseHTTPRequestHandler]]
    released: threading.Event

    def __enter__(self) -> Self:
        handler = type("Handler", (self.handler,), {"stub": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.released.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"
