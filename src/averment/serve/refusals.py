"""What can go wrong with a request, as HTTP status and error object of OpenAI's shape.

An error keeps what it says elsewhere (kind, message, hint); here it gets its status. What is a
fault of ours says nothing of its inside: the log has it.
"""

from __future__ import annotations

import re
import traceback
from typing import Any

from averment.errors import (
    AvermentError,
    CapabilityError,
    ContextOverflow,
    CorpusError,
    IndexUnavailable,
    LedgerUnavailable,
    MissingExtraError,
    ModelError,
    QueryError,
    UnknownNameError,
    UsageError,
)

_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_STATUS: tuple[tuple[type[AvermentError], int], ...] = (
    (UnknownNameError, 404),
    (MissingExtraError, 501),
    (CapabilityError, 400),
    (QueryError, 400),
    (UsageError, 400),
    (ContextOverflow, 400),
    (IndexUnavailable, 503),
    (CorpusError, 500),
    (LedgerUnavailable, 503),
    (ModelError, 502),
)


class Refused(Exception):
    """A request that is not served.

    Args:
        status: The HTTP status.
        kind: A name as of an error class.
        message: What was wrong and what was expected.
        hint: What to do next.
        retry_after_s: After how many seconds it is worth trying again.
        body: The error object as somebody else wrote it, to be passed on as it is.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        message: str,
        *,
        hint: str = "",
        retry_after_s: int | None = None,
        body: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.hint = hint
        self.retry_after_s = retry_after_s
        self.body = body

    @property
    def headers(self) -> dict[str, str]:
        """Of the response."""
        return {} if self.retry_after_s is None else {"Retry-After": str(self.retry_after_s)}

    def object(self) -> dict[str, Any]:
        """The error object, with our kind and hint beside what OpenAI's clients read."""
        if self.body is not None:
            return self.body
        default = "server_error" if self.status >= 500 else "invalid_request_error"
        return {
            "error": {
                "message": f"{self.message} {self.hint}".strip(),
                "type": _TYPES.get(self.status, default),
                "param": None,
                "code": _code(self.kind),
                "kind": self.kind,
                "hint": self.hint,
            }
        }


def refused(error: Exception) -> Refused:
    """The refusal that an error amounts to."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, TimeoutError):
        return Refused(504, "TimeLimit", "The request took longer than a request may take.")
    if isinstance(error, AvermentError):
        status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
        return Refused(status, type(error).__name__, error.message, hint=error.hint)
    return Refused(500, "InternalError", "The server failed; its log says why.")


def trail(error: BaseException) -> str:
    """Where an error came from, without its message, which may hold what a client wrote."""
    places = "".join(traceback.format_tb(error.__traceback__))
    return f"{type(error).__name__}\n{places}"


def _code(kind: str) -> str:
    if kind == "ContextOverflow":
        return "context_length_exceeded"  # what clients look for
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind).lower()
