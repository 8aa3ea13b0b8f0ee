"""A server that runs on loopback in a thread, with a scripted model or before a stub upstream."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import uvicorn

from averment.cli.serve import listening
from averment.serve.app import make_app
from averment.settings import resolve_settings
from averment.wiring.serving import Serving, open_serving
from towns_by_hand import QUESTION


@contextlib.contextmanager
def running(serving: Serving) -> Iterator[str]:
    """The base URL of a server, without ``/v1``."""
    listener = listening("127.0.0.1", 0)
    config = uvicorn.Config(
        make_app(serving, serving.settings), log_config=None, timeout_graceful_shutdown=2
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()


def serving_of(index: Path, model: Any = None, **settings: Any) -> Serving:
    """What is served: an index, and a model or an upstream."""
    if isinstance(model, str):
        settings, model = {**settings, "model": model}, None
    resolved = resolve_settings(index=index, faithfulness="lexical", **settings)
    return open_serving(resolved, model=model)


def client(url: str, **options: Any) -> httpx2.Client:
    """A plain client."""
    return httpx2.Client(base_url=url, **{"timeout": 20, "trust_env": False, **options})


def events(text: str) -> list[Any]:
    """The data of server-sent events; the last is ``[DONE]``."""
    lines = (line for line in text.splitlines() if line.startswith("data: "))
    return [line[6:] if line[6:] == "[DONE]" else json.loads(line[6:]) for line in lines]


def ask(question: str = QUESTION, model: str = "quco/tiny", **more: Any) -> dict[str, Any]:
    """A chat request of one question."""
    return {"model": model, "messages": [{"role": "user", "content": question}], **more}
