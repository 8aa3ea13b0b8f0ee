"""Who is told of what was done, where the settings ask for that."""

from __future__ import annotations

from averment.settings import Settings
from averment.spans import Spans


def open_spans(settings: Settings) -> Spans | None:
    """Who makes spans and events; None unless they were asked for.

    Raises:
        MissingExtraError: OpenTelemetry's API is not installed.
    """
    if not settings.otel:
        return None
    # A server that speaks OpenAI's interface is told as that; who is behind it nobody here knows.
    provider = settings.runtime if settings.base_url is None else "openai"
    return Spans(provider=provider, content=settings.otel_content)
