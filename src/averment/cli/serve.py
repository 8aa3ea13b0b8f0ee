"""`averment serve`: an OpenAI-compatible server over the index, until it is told to stop."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import socket
from typing import TYPE_CHECKING, Annotated

import typer

from averment.cli.console import err
from averment.cli.options import (
    AliasesOption,
    AuditOption,
    BaseUrlOption,
    CalibratorOption,
    ConfidenceOption,
    FaithfulnessOption,
    IndexOption,
    OfflineOption,
    OtelOption,
    TargetErrorOption,
)
from averment.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from averment.settings import Settings
    from averment.wiring.serving import Serving

_NEEDED = ("fastapi", "uvicorn", "prometheus_client", "jinja2")
_GRACE_S = 10
_BACKLOG = 128


def serve(
    host: Annotated[
        str | None,
        typer.Option(help="Where to listen.  [default: 127.0.0.1]", show_default=False),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(help="The port; 0: any free one.  [default: 8000]", show_default=False),
    ] = None,
    upstream: BaseUrlOption = None,
    index: IndexOption = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="The local model, or the model to list of an upstream that lists none.  "
            "[default: the best local model that is there]",
            show_default=False,
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            help="For models that are asked for without a policy.  [default: quco]",
            show_default=False,
        ),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            help="hold-sentence, hold-answer or annotate.  [default: hold-sentence]",
            show_default=False,
        ),
    ] = None,
    faithfulness: FaithfulnessOption = None,
    calibrator: CalibratorOption = None,
    target_error: TargetErrorOption = None,
    confidence: ConfidenceOption = None,
    aliases: AliasesOption = None,
    log_text: Annotated[
        bool | None,
        typer.Option("--log-text", help="Log questions and answers.", show_default=False),
    ] = None,
    audit: AuditOption = None,
    offline: OfflineOption = None,
    otel: OtelOption = None,
) -> None:
    """Serve answers, checks and counts over HTTP; further settings are named serve_…."""
    if not all(map(importlib.util.find_spec, _NEEDED)):
        raise MissingExtraError("HTTP servers", "server")
    from averment.settings import resolve_settings
    from averment.wiring.serving import open_serving

    settings = resolve_settings(
        serve_host=host,
        serve_port=port,
        base_url=upstream,
        index=index,
        model=model,
        policy=policy,
        serve_mode=mode,
        faithfulness=faithfulness,
        calibrator=calibrator,
        target_error=target_error,
        confidence=confidence,
        aliases=aliases,
        serve_log_text=log_text,
        audit=audit,
        offline=offline,
        otel=otel,
    )
    with (
        listening(settings.serve_host, settings.serve_port) as listener,
        open_serving(settings) as serving,
    ):
        _run(serving, settings, listener)


def listening(host: str, port: int, *, hint: str = "Name another: --port 8001") -> socket.socket:
    """A socket that listens, so that a port in use is found out before a model is loaded."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # subtle: asyncio sends small replies at once only where a socket says that it is TCP;
        # otherwise each waits 40 ms for the client's acknowledgement of its first part.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen(_BACKLOG)
        except OSError:
            listener.close()
            raise
        return listener
    except OSError as error:
        raise UsageError(
            f"Nothing can listen at {host}:{port}: {error.strerror or error}.",
            hint=hint,
        ) from error


def url_of(listener: socket.socket) -> str:
    """Where a listening socket is reached, without a path."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run_until_stopped(app: ASGIApp, listener: socket.socket) -> None:
    """Answer on a listening socket until an interrupt; what is being answered then may end."""
    import uvicorn

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    with contextlib.suppress(KeyboardInterrupt):  # told to stop, and has stopped
        uvicorn.Server(config).run(sockets=[listener])


def _run(serving: Serving, settings: Settings, listener: socket.socket) -> None:
    import logging

    from averment.serve.app import make_app

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    url = url_of(listener)
    answering = serving.own_model or f"the models of {settings.base_url}"
    err().print(
        f"Serving {answering} at {url}/v1; the page is {url}/ and Ctrl-C stops.",
        markup=False,
        soft_wrap=True,
    )
    app = make_app(serving, settings)
    # What is open now stays. Looked through for garbage again and again, it holds up every request
    # for 50 ms each time, and takes a tenth of the work of a thousand pairs.
    gc.freeze()
    run_until_stopped(app, listener)
