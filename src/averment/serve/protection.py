"""What stands before every request: host names, keys, the size of a body and how long it takes.

Pure ASGI, so that streams pass through untouched. It also counts requests and sees to it that a
fault of ours is an error object and a line in the log, never a broken connection without a word.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from averment.audit.actor import ACTOR, MOST_CHARACTERS
from averment.models.openai_compat import is_loopback
from averment.serve.refusals import Refused, refused, trail
from averment.serve.sessions import COOKIE, Sessions
from averment.settings import Settings

if TYPE_CHECKING:
    from averment.serve.measures import Measures

SIGN_IN = "/sign-in"
_ACTOR_HEADER = b"x-averment-by"
_OPEN = re.compile(rf"/healthz|{SIGN_IN}|/assets/[^/]+")
_PAGES = re.compile(r"/|/answers(/.*)?|/corpus|/sign-out")
"""What a browser may open with the cookie of its session; everything else asks for a key."""
_BODY_TIMEOUT_S = 30.0
_RESTART_S = 5
_NO_ROUTE = "(none)"


@dataclass(frozen=True, slots=True)
class Rules:
    """What is asked of a request.

    Args:
        sessions: Keys, one of which a client must show if there are any, and who showed one.
        body_bytes: Largest body.
        loopback_only: The server listens on loopback, so a page of another site that has its
            name point here is refused by the name it asks for.
    """

    sessions: Sessions = field(default_factory=Sessions)
    body_bytes: int = 2_000_000
    loopback_only: bool = True


def rules_of(settings: Settings, host: str, sessions: Sessions | None = None) -> Rules:
    """What the settings ask of every request.

    Args:
        settings: With the largest body.
        host: Where the server listens.
        sessions: Keys and who showed one; None: the keys of the settings, and nobody yet.
    """
    return Rules(
        sessions=sessions or sessions_of(settings),
        body_bytes=settings.serve_body_bytes,
        loopback_only=is_loopback(host),
    )


def sessions_of(settings: Settings) -> Sessions:
    """The keys of the settings, with commas between."""
    given = settings.serve_keys
    keys = given.get_secret_value().split(",") if given else []
    return Sessions([key.strip() for key in keys if key.strip()])


class Protection:
    """Refuses what the rules refuse, and counts.

    Args:
        app: Who gets the rest.
        rules: What is asked of a request.
        measures: Where requests are counted; None: nowhere.
    """

    def __init__(self, app: ASGIApp, *, rules: Rules, measures: Measures | None = None) -> None:
        self._app = app
        self._rules = rules
        self._measures = measures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        actor = None
        try:
            self._check(scope)
            actor = ACTOR.set(_actor(dict(scope["headers"])))
            await self._app(scope, self._limited(receive), noting)
        except asyncio.CancelledError:  # the server stops, and has waited long enough
            if status:
                raise
            await _send(_stopped(), scope, noting)
        except Exception as error:
            if not isinstance(error, Refused):
                logging.getLogger("averment.serve").error("a request failed: %s", trail(error))
            if not status:
                await _send(refused(error), scope, noting)
        finally:
            if actor is not None:
                ACTOR.reset(actor)
            if self._measures is not None:
                route = getattr(scope.get("route"), "path", _NO_ROUTE)
                self._measures.request(route, status, time.perf_counter() - started)

    def _check(self, scope: Scope) -> None:
        headers = dict(scope["headers"])
        if self._rules.loopback_only:
            _check_host(headers.get(b"host", b"").decode("latin-1"))
        if self._rules.sessions.are_needed and not _OPEN.fullmatch(scope["path"]):
            _check_key(scope["path"], headers, self._rules.sessions)
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self._rules.body_bytes:
            raise _too_large(self._rules.body_bytes)

    def _limited(self, receive: Receive) -> Receive:
        """Receive no more than so much, and the body in so much time."""
        n_bytes = 0
        is_whole = False
        deadline = asyncio.get_running_loop().time() + _BODY_TIMEOUT_S

        async def limited() -> Message:
            nonlocal n_bytes, is_whole
            if is_whole:  # only the end of the connection comes now, whenever that is
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError as error:
                raise HTTPException(408, "The body of the request does not come.") from error
            n_bytes += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            if n_bytes > self._rules.body_bytes:
                raise HTTPException(413, _too_large(self._rules.body_bytes).message)
            return message

        return limited


def _actor(headers: Mapping[bytes, bytes]) -> str | None:
    """Who acts, as the client says; nobody here finds out whether it is true."""
    name = headers.get(_ACTOR_HEADER, b"").decode("utf-8", "replace").strip()
    if len(name) > MOST_CHARACTERS:
        raise Refused(
            400,
            "UsageError",
            f"The header X-Averment-By has {len(name)} characters; at most {MOST_CHARACTERS} are "
            "taken.",
        )
    return name or None


def _check_host(host: str) -> None:
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    if not is_loopback(name.strip("[]")):
        raise Refused(
            403,
            "HostNotAllowed",
            f"This server answers on loopback only, not as {host[:100]!r}.",
            hint="Ask http://127.0.0.1:PORT, or start it with --host.",
        )


def _check_key(path: str, headers: dict[bytes, bytes], sessions: Sessions) -> None:
    scheme, _, shown = headers.get(b"authorization", b"").decode("utf-8", "replace").partition(" ")
    if scheme.lower() == "bearer" and sessions.admit_key(shown.strip()):
        return
    if _PAGES.fullmatch(path) and sessions.admit_token(session_token(headers.get(b"cookie", b""))):
        return
    raise Refused(
        401,
        "KeyRefused",
        "This server asks for a key, and got none or another.",
        hint="Send the header: Authorization: Bearer KEY",
    )


def session_token(cookie: bytes) -> str:
    """The token in a header of cookies; empty if there is none.

    Other servers of the same host, whatever their port, may have put anything beside it.
    """
    return cookie_parser(cookie.decode("latin-1")).get(COOKIE, "")


def _too_large(most: int) -> Refused:
    return Refused(413, "TooLarge", f"The body of a request may have at most {most:,} bytes.")


def _stopped() -> Refused:
    return Refused(
        503,
        "Stopping",
        "The server was told to stop, and this took longer than it waits for.",
        hint="Ask again when it is back.",
        retry_after_s=_RESTART_S,
    )


async def _send(refusal: Refused, scope: Scope, send: Send) -> None:
    if refusal.status == 401 and _is_read(scope):
        await _send_to_sign_in(scope, send)
        return
    body = json.dumps(refusal.object()).encode()
    headers = {"content-type": "application/json", **refusal.headers}
    raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
    if refusal.status == 401:
        raw.append((b"www-authenticate", b"Bearer"))
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": refusal.status, "headers": [*raw, length]})
    await send({"type": "http.response.body", "body": body})


def _is_read(scope: Scope) -> bool:
    """Whether a person asks for a page, and a program would ask for something else."""
    accepted = dict(scope["headers"]).get(b"accept", b"")
    return b"text/html" in accepted and bool(_PAGES.fullmatch(scope["path"]))


async def _send_to_sign_in(scope: Scope, send: Send) -> None:
    wanted = scope["path"] if scope["method"] in ("GET", "HEAD") else "/"
    query = scope["query_string"].decode("latin-1") if wanted == scope["path"] else ""
    target = f"{SIGN_IN}?next={quote(wanted + ('?' + query if query else ''), safe='')}"
    headers = [(b"location", target.encode()), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
