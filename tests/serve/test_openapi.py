"""The OpenAPI document describes the server, and nothing that fits it brings the server down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from averment.serve.app import make_app
from serve.rivers_index import rivers  # noqa: F401
from serve.running import running, serving_of
from towns_by_hand import scripted

EXAMPLES = settings(
    max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
CHECKS = [
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
]


def test_what_fits_the_document_is_answered_as_the_document_says(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url:
        document = schemathesis.openapi.from_url(f"{url}/openapi.json")
        operations = [found.ok() for found in document.get_all_operations()]

        for operation in operations:

            @EXAMPLES
            @given(case=operation.as_strategy())
            def ask_for(case: Any) -> None:
                case.call_and_validate(checks=CHECKS)

            ask_for()

    assert len(operations) == 11


def test_an_invalid_request_is_said_to_be_a_400_with_an_error_object(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving:
        document = make_app(serving, serving.settings).openapi()

    for path in ("/v1/chat/completions", "/v1/verify", "/v1/corpus/count"):
        responses = document["paths"][path]["post"]["responses"]
        assert "422" not in responses
        assert responses["400"]["content"]["application/json"]["schema"]["$ref"].endswith(
            "/ErrorBody"
        )
