"""`averment mcp`: tools for agents over an index, on standard input and output or over HTTP."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Annotated

import typer

from averment.cli.options import (
    AliasesOption,
    CalibratorOption,
    EmbedderOption,
    FaithfulnessOption,
    IndexOption,
    OfflineOption,
    OtelOption,
    RetrieverOption,
)
from averment.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from averment.settings import Settings

_LOOPBACK = "127.0.0.1"


def mcp(
    http: Annotated[
        str | None,
        typer.Option(
            metavar="[HOST:]PORT",
            help="Serve over streamable HTTP, at the path /mcp.  [default: standard input and "
            "output]",
            show_default=False,
        ),
    ] = None,
    index: IndexOption = None,
    faithfulness: FaithfulnessOption = None,
    calibrator: CalibratorOption = None,
    retriever: RetrieverOption = None,
    embedder: EmbedderOption = None,
    aliases: AliasesOption = None,
    offline: OfflineOption = None,
    otel: OtelOption = None,
) -> None:
    """Let agents check claims and count in the corpus, over the Model Context Protocol."""
    if importlib.util.find_spec("mcp") is None:
        raise MissingExtraError("Tools for agents", "mcp")
    address = None if http is None else address_of(http)
    from averment.settings import resolve_settings

    settings = resolve_settings(
        index=index,
        faithfulness=faithfulness,
        calibrator=calibrator,
        retriever=retriever,
        embedder=embedder,
        aliases=aliases,
        offline=offline,
        otel=otel,
    )
    import logging

    # Standard output is the protocol's; this goes to standard error.
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    if address is None:
        _serve_stdio(settings)
    else:
        _serve_http(settings, *address)


def address_of(http: str) -> tuple[str, int]:
    """The host and the port of ``[HOST:]PORT``; without a host it is loopback.

    Raises:
        UsageError: It is something else.
    """
    host, _, port = http.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) < 2**16):
        raise UsageError(
            f"--http is {http!r}, which is no [HOST:]PORT.", hint="Type: --http 127.0.0.1:8765"
        )
    return host.strip("[]") or _LOOPBACK, int(port)


def _serve_stdio(settings: Settings) -> None:
    import asyncio
    import signal
    import sys

    from averment.serve.mcp import serve_stdio

    if sys.stdin.isatty():
        from averment.cli.console import err

        err().print("This is for an agent's program to start; it waits for one. Ctrl-C stops.")

    # A thread that waits for a line cannot be told to stop; so an interrupt ends the process, which
    # writes nothing that must be whole.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    asyncio.run(serve_stdio(settings))


def _serve_http(settings: Settings, host: str, port: int) -> None:
    from averment.cli.console import err
    from averment.cli.serve import listening, run_until_stopped, url_of
    from averment.models.openai_compat import is_loopback
    from averment.serve.mcp import PATH, make_http_app

    other = f"Name another: --http {host}:{port + 1}"
    with listening(host, port, hint=other) as listener:
        app = make_http_app(settings, host)
        err().print(f"Tools at {url_of(listener)}{PATH}; Ctrl-C stops.", markup=False)
        if not is_loopback(listener.getsockname()[0]) and settings.serve_keys is None:
            err().print(
                "Whoever reaches this address can read the corpus: no key is asked for. "
                "Set AVERMENT_SERVE_KEYS."
            )
        run_until_stopped(app, listener)
