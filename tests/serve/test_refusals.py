"""Errors as HTTP: each kind has its status, and the object says kind, message and hint."""

from __future__ import annotations

import pytest

from averment import errors
from averment.serve.refusals import Refused, refused


@pytest.mark.parametrize(
    ("error", "status", "kind", "code"),
    [
        (
            errors.UnknownNameError("model", "x", ["y"]),
            404,
            "invalid_request_error",
            "unknown_name_error",
        ),
        (errors.UsageError("No."), 400, "invalid_request_error", "usage_error"),
        (errors.CapabilityError("No."), 400, "invalid_request_error", "capability_error"),
        (errors.QueryError("No."), 400, "invalid_request_error", "query_error"),
        (errors.ContextOverflow("No."), 400, "invalid_request_error", "context_length_exceeded"),
        (errors.IndexUnavailable("No."), 503, "server_error", "index_unavailable"),
        (errors.IndexFormatError("No."), 500, "server_error", "index_format_error"),
        (errors.ModelUnavailable("No."), 502, "server_error", "model_unavailable"),
        (errors.MalformedReply("No."), 502, "server_error", "malformed_reply"),
        (errors.AvermentError("No."), 500, "server_error", "averment_error"),
        (TimeoutError(), 504, "server_error", "time_limit"),
        (RuntimeError("inside"), 500, "server_error", "internal_error"),
        (Refused(429, "Busy", "No."), 429, "rate_limit_error", "busy"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_an_error_has_its_status_type_and_code(
    error: Exception, status: int, kind: str, code: str
) -> None:
    refusal = refused(error)

    said = refusal.object()["error"]
    assert (refusal.status, said["type"], said["code"]) == (status, kind, code)
    assert "inside" not in said["message"]


def test_an_error_keeps_its_kind_message_and_hint() -> None:
    said = refused(errors.UsageError("It is empty.", hint="Fill it.")).object()["error"]

    assert (said["kind"], said["message"], said["hint"]) == (
        "UsageError",
        "It is empty. Fill it.",
        "Fill it.",
    )


def test_when_to_come_again_is_a_header() -> None:
    assert Refused(429, "Busy", "No.", retry_after_s=3).headers == {"Retry-After": "3"}
    assert Refused(500, "Other", "No.").headers == {}
