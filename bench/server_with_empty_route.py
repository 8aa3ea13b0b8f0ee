"""`averment serve` with one route more, which reads a body and answers the same each time.

    python bench/server_with_empty_route.py serve --port PORT …

It stands behind all others and behind the same protection, and is written as they are. So what is
between it and a route of the server is what that route does with the body, and its answer.
"""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.responses import Response

from averment.cli import main
from averment.serve import app
from averment.settings import Settings
from averment.wiring.serving import Serving

_make_app = app.make_app


def _with_empty_route(serving: Serving, settings: Settings) -> FastAPI:
    made = _make_app(serving, settings)

    @made.post("/bench/empty")
    async def answer_the_same(request: Request) -> Response:
        await request.body()
        return app.Json({"status": "ok"})

    return made


if __name__ == "__main__":
    app.make_app = _with_empty_route  # which the command imports when it starts
    main()
