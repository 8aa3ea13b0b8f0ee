"""What Prometheus reads at ``/metrics``; no name, question or answer is in it.

Labels are routes, policies and codes, of which there are few; never what a client wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)


class Measures:
    """The counters of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()

        def counter(name: str, meaning: str, *labels: str) -> Counter:
            return Counter(f"averment_{name}", meaning, labels, registry=self._registry)

        self._requests = counter("requests", "Requests by route and status.", "route", "status")
        self._answers = counter(
            "answers", "Answers by route, verdict and reason.", "route", "verdict", "reason"
        )
        self._claims = counter("claims", "Claims of answers by verdict.", "verdict")
        self._retrievals = counter("retrievals", "Retrievals by what triggered them.", "trigger")
        self._tokens = counter("tokens", "Tokens of models of policies.", "kind")
        self._seconds = Histogram(
            "averment_request_seconds",
            "How long requests took, streams to their end.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )

    def watch(self, name: str, meaning: str, value: Callable[[], int]) -> None:
        """Read a number whenever somebody looks."""
        Gauge(f"averment_{name}", meaning, registry=self._registry).set_function(value)

    def request(self, route: str, status: int, seconds: float) -> None:
        """Count a request that is done."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def answer(self, details: Mapping[str, Any]) -> None:
        """Count an answer, by its details."""
        self._answers.labels(
            details["route"], details["verdict"], details["reason"] or "none"
        ).inc()
        for claim in details["claims"]:
            self._claims.labels(claim["verdict"]).inc()
        for made in details.get("retrievals", ()):
            self._retrievals.labels(made["trigger"]).inc()
        usage = details.get("usage") or {}
        for kind in ("prompt_tokens", "generated_tokens"):
            self._tokens.labels(kind).inc(usage.get(kind) or 0)

    def text(self) -> bytes:
        """All numbers in Prometheus' text format."""
        return generate_latest(self._registry)
