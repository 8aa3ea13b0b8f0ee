"""Who may come in: keys, compared in constant time, and sessions of browsers that showed one.

A browser shows its key once and is given a token, which it keeps in a cookie that no script reads
and no other site sends. Only the digest of a token is kept here. What this module does not do:
make keys, or tell one client from another.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

COOKIE = "averment_session"
LIFE_S = 12 * 60 * 60
"""How long a browser may go on without showing its key again."""
_MOST = 1000
"""Sessions at a time; one more ends the oldest."""


class Sessions:
    """Admits by a key, or by the token that was given for one.

    Args:
        keys: One of which is to be shown; none: everybody is admitted.
        clock: In seconds, never going back.
    """

    def __init__(
        self, keys: Sequence[str] = (), *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._keys = [key.encode() for key in keys]
        self._clock = clock
        self._ends_at: OrderedDict[bytes, float] = OrderedDict()

    @property
    def are_needed(self) -> bool:
        """Whether anybody has to show a key."""
        return bool(self._keys)

    def admit_key(self, shown: str) -> bool:
        """Whether it is one of the keys; all are compared, so that time tells nothing."""
        matches = [hmac.compare_digest(shown.encode(), key) for key in self._keys]
        return any(matches)

    def begin(self) -> str:
        """The token of a new session."""
        token = secrets.token_urlsafe(32)
        while len(self._ends_at) >= _MOST:
            self._ends_at.popitem(last=False)
        self._ends_at[_digest(token)] = self._clock() + LIFE_S
        return token

    def admit_token(self, token: str) -> bool:
        """Whether a session of this token goes on."""
        return self._ends_at.get(_digest(token), float("-inf")) > self._clock()

    def end(self, token: str) -> None:
        """End a session; one that there never was ends too."""
        self._ends_at.pop(_digest(token), None)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
