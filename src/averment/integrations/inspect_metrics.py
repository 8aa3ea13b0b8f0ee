"""Metrics for Inspect (inspect-ai): calibration and selection, over the scores of `claim_verdicts`.

They take any score whose value has ``right`` (0 or 1) beside ``p_true`` or ``score``. Importing
this module needs the extra [inspect].
"""

from __future__ import annotations

from typing import Any

try:
    from inspect_ai.scorer import Metric, SampleScore, metric
except ImportError as error:
    from averment.errors import MissingExtraError

    raise MissingExtraError("Metrics for Inspect", "inspect") from error

from averment.integrations import confidence


@metric(name="calibration")
def calibration() -> Metric:
    """ECE of ``p_true`` as the probability that the answer is right, and the band of perfection."""

    def measure(scores: list[SampleScore]) -> Any:
        return confidence.calibration(_pairs(scores, "p_true"))

    return measure


@metric(name="selective_accuracy")
def selective_accuracy(coverage: float = 0.8) -> Metric:
    """The share of right answers among the surest ones, by ``score``, with its interval."""

    def measure(scores: list[SampleScore]) -> Any:
        return confidence.selective_accuracy(_pairs(scores, "score"), coverage=coverage)

    return measure


def _pairs(scores: list[SampleScore], sure: str) -> list[confidence.Pair]:
    values = [each.score.value for each in scores]
    return [(each[sure], each["right"]) for each in values if isinstance(each, dict)]
