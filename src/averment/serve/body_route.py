"""Routes whose small JSON bodies are validated as they came, without a value for JSON in between.

For endpoints that take the request and its body as ``asked``, and depend on nothing else. All that
is unusual (a large body, a content type with parameters, a body that does not fit) is left to
FastAPI, which reads it again: so what is refused, and in which words, is decided in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, get_type_hints

from fastapi import Request
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect

_MOST_BYTES = 10_000
"""Of a body that is read here; what a larger one costs more elsewhere does not matter."""


class BodyRoute(APIRoute):
    """A route that validates a small body from its bytes."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler: FastAPI's own behind a shorter way."""
        handle = super().get_route_handler()
        model = get_type_hints(self.endpoint).get("asked")
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            return handle

        async def handle_small(request: Request) -> Response:
            asked = await _validated(request, model)
            return await (handle(request) if asked is None else self.endpoint(request, asked))

        return handle_small


async def _validated(request: Request, model: type[BaseModel]) -> BaseModel | None:
    """The body, if all is as usual."""
    if request.headers.get("content-type") != "application/json":
        return None
    try:
        body = await request.body()
        return model.model_validate_json(body) if len(body) <= _MOST_BYTES else None
    except (ClientDisconnect, ValidationError):
        return None
