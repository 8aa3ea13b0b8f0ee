"""The model's own server, asked in its own words: bodies out, bodies and pieces in.

Whatever comes back is bounded in size and time and is translated once: what the client did wrong
keeps its status and words, what the server did wrong becomes a 502, 503 or 504 of ours. No
redirect is followed, and only the configured address is ever asked. Nothing is tried again: the
client's own library does that.
"""

from __future__ import annotations

import json
import math
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from averment.errors import MalformedReply
from averment.serve.refusals import Refused
from averment.wiring.serving import ChatServer

if TYPE_CHECKING:
    import httpx2

_MOST_BYTES = 16 * 2**20
_CONNECT_TIMEOUT_S = 5.0
_KEY_REFUSED = (401, 403)
_CHECK = "Check that the server is running, and the URL of --upstream; most end in /v1."


class Upstream:
    """A server of chat completions.

    Args:
        server: Where it is.
        timeout_s: Longest wait for a reply or the next piece of one.
    """

    def __init__(self, server: ChatServer, *, timeout_s: float) -> None:
        import httpx2

        self._secret = server.key
        key = {"Authorization": f"Bearer {server.key}"} if server.key else {}
        self._client = httpx2.AsyncClient(
            base_url=server.url.rstrip("/"),
            headers=key,
            timeout=httpx2.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_TIMEOUT_S)),
            trust_env=False,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def models(self) -> list[str]:
        """The names of its models; none if it has no list of them.

        Raises:
            Refused: It cannot be reached, or answers something else.
        """
        async with self._reply("GET", "/models", None) as reply:
            if reply.status_code in (404, 405, 501):
                return []
            await self._raise_for_status(reply)
            listed = _parsed(await _whole(reply)).get("data")
        rows = listed if isinstance(listed, list) else []
        return [str(row["id"]) for row in rows if isinstance(row, dict) and "id" in row]

    async def complete(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """A completion as a whole.

        Raises:
            Refused: The server refused, failed, or cannot be reached.
            MalformedReply: It answered something that is not a completion.
        """
        async with self._reply("POST", "/chat/completions", body) as reply:
            await self._raise_for_status(reply)
            found = _parsed(await _whole(reply))
        if not found.get("choices") or not _have(found, "message"):
            raise _malformed(json.dumps(found))
        return found

    async def pieces(self, body: Mapping[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """A completion in pieces; the connection is closed when nobody wants more.

        Raises:
            Refused: The server refused, failed, or cannot be reached.
            MalformedReply: A piece is none, or the stream breaks off.
        """
        has_ended = has_choices = False
        async with self._reply("POST", "/chat/completions", body) as reply:
            await self._raise_for_status(reply)
            async for data in _events(reply):
                if data == "[DONE]":
                    has_ended = True
                    break
                piece = _parsed(data)
                if not _have(piece, "delta"):
                    raise _malformed(data)
                finished = (each.get("finish_reason") for each in piece["choices"])
                has_ended = has_ended or any(finished)
                has_choices = has_choices or bool(piece["choices"])
                yield piece
        if not has_ended:
            raise MalformedReply(
                "The stream of the model server breaks off before it says that it has ended.",
                hint="Ask again.",
            )
        if not has_choices:
            raise MalformedReply("The stream of the model server has no choice.", hint=_CHECK)

    @asynccontextmanager
    async def _reply(
        self, method: str, path: str, body: Mapping[str, Any] | None
    ) -> AsyncIterator[httpx2.Response]:
        import httpx2

        try:
            async with self._client.stream(method, path, json=body) as reply:
                yield reply
        except httpx2.TimeoutException as error:
            raise Refused(
                504, "ModelUnavailable", "The model server does not answer in time.", hint=_CHECK
            ) from error
        except httpx2.HTTPError as error:
            raise Refused(
                502,
                "ModelUnavailable",
                f"The model server cannot be reached or broke off: {type(error).__name__}.",
                hint=_CHECK,
            ) from error

    async def _raise_for_status(self, reply: httpx2.Response) -> None:
        """Refuse as the server did where the client can do something about it."""
        status = reply.status_code
        if status < 300:
            return
        text = await _whole(reply)
        if self._secret:
            text = text.replace(self._secret, "…")
        try:
            body = _DECODER.decode(text)
        except (ValueError, RecursionError):
            body = None
        said = _words(body) if isinstance(body, dict) else text[:300]
        if status in _KEY_REFUSED:
            raise Refused(
                502,
                "ModelError",
                f"The model server refuses access (HTTP {status}).",
                hint="Set OPENAI_API_KEY where averment serve runs.",
            )
        if status == 429:
            after = reply.headers.get("retry-after", "")
            seconds = int(after) if after.isdecimal() else 1
            raise Refused(
                429, "ModelUnavailable", f"The model server is busy: {said}", retry_after_s=seconds
            )
        if 400 <= status < 500:
            ours = isinstance(body, dict) and isinstance(body.get("error"), dict)
            raise Refused(
                status,
                "ModelError",
                f"The model server refused: {said}",
                body=body if ours else None,
            )
        raise Refused(502, "ModelUnavailable", f"The model server failed (HTTP {status}): {said}")


async def _whole(reply: httpx2.Response) -> str:
    """The body, if it is not far too large."""
    parts: list[bytes] = []
    n_bytes = 0
    async for part in reply.aiter_bytes():
        n_bytes += len(part)
        _check_size(n_bytes)
        parts.append(part)
    return b"".join(parts).decode(errors="replace")


async def _events(reply: httpx2.Response) -> AsyncIterator[str]:
    """The data of the server-sent events; a reply that is no stream is one that is malformed."""
    if "text/event-stream" not in reply.headers.get("content-type", ""):
        text = await _whole(reply)
        _parsed(text)  # an error that it holds says more
        raise _malformed(text)
    buffer = b""
    n_bytes = 0
    async for part in reply.aiter_bytes():
        n_bytes += len(part)
        _check_size(n_bytes)
        *lines, buffer = (buffer + part).split(b"\n")
        for line in lines:
            name, _, value = line.decode(errors="replace").rstrip("\r").partition(":")
            if name == "data":
                yield value.strip()


def _have(found: Mapping[str, Any], name: str) -> bool:
    """Whether a reply has choices, each with what is said in it."""
    choices = found.get("choices")
    return isinstance(choices, list) and all(
        isinstance(each, dict)
        and isinstance(each.get(name), dict)
        and isinstance(each.get("index", 0), int)
        for each in choices
    )


def _check_size(n_bytes: int) -> None:
    if n_bytes > _MOST_BYTES:
        raise MalformedReply(f"The reply of the model server has more than {_MOST_BYTES:,} bytes.")


def _parsed(text: str) -> dict[str, Any]:
    try:
        found = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise _malformed(text) from error
    if not isinstance(found, dict):
        raise _malformed(text)
    if found.get("error") and "choices" not in found:
        raise Refused(502, "ModelError", f"The model server failed: {_words(found)}")
    return found


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _double(digits: str) -> float:
    if math.isinf(found := float(digits)):
        raise ValueError(f"{digits} is beyond a double")
    return found


_DECODER = json.JSONDecoder(parse_constant=_no_number, parse_float=_double)
"""`json.loads` would read numbers that cannot be passed on."""


def _malformed(text: str) -> MalformedReply:
    return MalformedReply(
        f"The model server replied with something that is not a completion: {text[:200]!r}.",
        hint=_CHECK,
    )


def _words(body: Mapping[str, Any]) -> str:
    error = body.get("error") or body.get("detail") or body
    return str(error.get("message", error) if isinstance(error, dict) else error)[:300]
