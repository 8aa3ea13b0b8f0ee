"""Who acts in which request, where one program acts for many; seen by all that is done in it."""

from __future__ import annotations

from contextvars import ContextVar

ACTOR: ContextVar[str | None] = ContextVar("averment_actor", default=None)
"""As the caller names them; nobody here finds out whether it is true. None: nobody was named."""
MOST_CHARACTERS = 200
"""Of an actor's name."""
REQUEST: ContextVar[str | None] = ContextVar("averment_request", default=None)
"""The id of a request that has a record of its own, so that what came of it can name it."""
