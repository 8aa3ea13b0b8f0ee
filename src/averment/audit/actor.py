"""Who is acting, where one program acts for many: set for a request, seen by all that it does."""

from __future__ import annotations

from contextvars import ContextVar

ACTOR: ContextVar[str | None] = ContextVar("averment_actor", default=None)
"""As the caller names them; nobody here finds out whether it is true. None: nobody was named."""
MOST_CHARACTERS = 200
