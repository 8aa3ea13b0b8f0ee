"""Requests to infini-gram's HTTP API: in batches, bounded, retried, remembered.

Every request has a time limit. What fails in a way that may pass (no connection, a time-out, HTTP
429 and 5xx, a reply that is no JSON) is tried again, after a pause that grows and is drawn at
random, so that clients don't come back all at once. What was answered is kept on disk by address
and request, for good: an index of a name does not change. Failures are never kept. Offline, what
is kept is all that there is.

What this module does not do: know what a request means (`averment.index.infinigram.api`).
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import random
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from averment.index.infinigram.source import Refused
from averment.keyed_rows import KeyedRows

Body: TypeAlias = Mapping[str, Any]
Reply: TypeAlias = dict[str, Any]
_CONNECT_TIMEOUT_S = 10.0
_MOST_TRIES = 4
_PAUSE_S = 0.25
_LONGEST_PAUSE_S = 8.0
_MAY_PASS = ("timed out", "Internal server error", "Web request error")
"""In error strings of the API: what it says with status 500, and its front with status 200."""
_NOT_KEPT = ("latency", "tokens")
_CHUNK = 500  # requests after which answers are written down


class Requests:
    """One index on one server; safe to use from threads.

    Args:
        url: Of the server.
        cache: Where answers are kept; None: nowhere.
        offline: Answer from the cache alone, unless the server is on this machine.
        timeout_s: Longest wait for a reply, per request.
        n_parallel: Requests at a time, whichever threads they come from.
        pause_s: About how long the first pause is.
        sleep: How to wait.
    """

    def __init__(
        self,
        url: str,
        *,
        cache: KeyedRows | None,
        offline: bool = False,
        timeout_s: float = 30.0,
        n_parallel: int = 24,
        pause_s: float = _PAUSE_S,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url
        self.host = urlsplit(url).hostname or url
        self._cache = cache
        self._offline = offline and not _is_loopback(self.host)
        self._timeout_s = timeout_s
        self._n_parallel = n_parallel
        self._pause_s = pause_s
        self._sleep = sleep
        self._slots = threading.BoundedSemaphore(n_parallel)

    @cached_property
    def _client(self) -> Any:
        import httpx2

        timeout_s = self._timeout_s
        client = httpx2.Client(
            timeout=httpx2.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_TIMEOUT_S)),
            limits=httpx2.Limits(
                max_connections=self._n_parallel, max_keepalive_connections=self._n_parallel
            ),
            # A proxy of the environment cannot reach a server on this machine.
            trust_env=not _is_loopback(self.host),
            verify=self.url.startswith("https:"),  # there is nothing to verify without it
        )
        weakref.finalize(self, client.close)
        return client

    def ask(self, bodies: Sequence[Body]) -> list[Reply | Refused]:
        """The reply to each request; each different one is sent once."""
        asked = {_key(self.url, body): body for body in bodies}
        found: dict[bytes, Reply | Refused] = {}
        if self._cache is not None:
            rows = self._cache.read(list(asked))
            found |= {key: json.loads(row[0]) for key, row in rows.items()}
        missing = [key for key in asked if key not in found]
        if self._offline:
            told = Refused(f"offline, and {self.host} was not asked this before")
            found |= dict.fromkeys(missing, told)
            missing = []
        for first in range(0, len(missing), _CHUNK):
            some = missing[first : first + _CHUNK]
            fetched = self._fetch([asked[key] for key in some])
            found |= dict(zip(some, fetched, strict=True))
            self._keep({key: found[key] for key in some})
        return [found[_key(self.url, body)] for body in bodies]

    def names(self) -> list[str]:
        """The indexes that the server lists; empty if it lists none."""
        import httpx2

        if self._offline:
            return []
        try:
            listed = self._client.get(self.url).json()
        except (httpx2.HTTPError, ValueError):
            return []
        return sorted(map(str, listed)) if isinstance(listed, list) else []

    def _fetch(self, bodies: Sequence[Body]) -> list[Reply | Refused]:
        _ = self._client  # made here, not by several threads
        is_down = threading.Event()
        if len(bodies) == 1:
            return [self._send(bodies[0], is_down)]
        with ThreadPoolExecutor(min(self._n_parallel, len(bodies) or 1)) as pool:
            return list(pool.map(lambda body: self._send(body, is_down), bodies))

    def _keep(self, replies: Mapping[bytes, Reply | Refused]) -> None:
        if self._cache is None:
            return
        self._cache.write(
            {
                key: (json.dumps(_kept(reply), ensure_ascii=False),)
                for key, reply in replies.items()
                if not isinstance(reply, Refused)
            }
        )

    def _send(self, body: Body, is_down: threading.Event) -> Reply | Refused:
        """One request with its tries; `is_down` is shared by a batch: nobody waits twice for it."""
        import httpx2

        why = ""
        for attempt in range(_MOST_TRIES):
            if attempt:
                longest = min(_LONGEST_PAUSE_S, self._pause_s * 2.0**attempt)
                self._sleep(random.uniform(longest / 4, longest))
            if is_down.is_set():
                return Refused(why or f"{self.host} cannot be reached")
            try:
                with self._slots:
                    response = self._client.post(self.url, json=body)
            except httpx2.HTTPError as error:
                why = f"{self.host} does not answer: {type(error).__name__}: {error}"
                if attempt == _MOST_TRIES - 1 and isinstance(error, httpx2.ConnectError):
                    is_down.set()
                continue
            answer = _read(response)
            if not isinstance(answer, _Passing):
                return answer if not isinstance(answer, str) else Refused(f"{self.host}: {answer}")
            why = f"{self.host}: {answer}"
        return Refused(f"{why} (after {_MOST_TRIES} tries)")


class _Passing(str):
    """What went wrong and may go right the next time."""


def _read(response: Any) -> Reply | str:
    """The reply, or what is wrong with it."""
    status = response.status_code
    try:
        reply = response.json()
    except ValueError:
        return _Passing(f"HTTP {status}, and not JSON")
    error = reply.get("error") if isinstance(reply, dict) else f"no object but {reply!r:.40}"
    if status == 429 or status >= 500 or any(told in str(error) for told in _MAY_PASS):
        return _Passing(f"HTTP {status}: {error}")
    if error is not None or status != 200:
        return str(error or f"HTTP {status}")
    found: Reply = reply
    return found


def _kept(reply: Reply) -> Reply:
    """What of a reply is read again; the tokens of a document are in its text."""
    left_out = (*_NOT_KEPT, "token_ids") if "doc_ix" in reply else _NOT_KEPT
    return {name: value for name, value in reply.items() if name not in left_out}


def _key(url: str, body: Body) -> bytes:
    told = json.dumps([url, body], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(told.encode()).digest()


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
