"""Routes whose responses are packed where the client can unpack them; streams pass untouched.

For pages only: they hold no secret that somebody could guess by how well it packs. The interface
for programs is sent as it is.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.responses import Response, StreamingResponse
from fastapi.routing import APIRoute

_LEAST_BYTES = 1000
"""Of a body that is worth packing."""


class PackedRoute(APIRoute):
    """A route that packs what it answers."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, and packing behind it."""
        handle = super().get_route_handler()

        async def handle_and_pack(request: Request) -> Response:
            return _packed(request, await handle(request))

        return handle_and_pack


def _packed(request: Request, response: Response) -> Response:
    if isinstance(response, StreamingResponse) or len(response.body) < _LEAST_BYTES:
        return response
    response.headers["vary"] = "Accept-Encoding"
    if "gzip" in request.headers.get("accept-encoding", ""):
        response.body = gzip.compress(bytes(response.body), compresslevel=6)
        response.headers["content-encoding"] = "gzip"
        response.headers["content-length"] = str(len(response.body))
    return response
