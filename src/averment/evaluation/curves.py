"""What the page of a run draws besides its table: risk by coverage, and reliability.

An answer is right where its exact match is 1, or its accuracy where yes and no are asked for. A
policy that abstains has confidence 0 in that answer. Draws nothing: `averment.page.bench` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from averment.evaluation.tables import fetched
from averment.metrics.calibration_error import (
    ReliabilityBin,
    expected_calibration_error,
    reliability_table,
)
from averment.metrics.rejection import RiskCoverageCurve, aurc, risk_coverage_curve

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ROWS = """
SELECT "set", contestant, confidences, verdict,
    coalesce(grades.accuracy, grades.exact_match) = 1 AS is_right
FROM rows WHERE error IS NULL ORDER BY place
"""


@dataclass(frozen=True, slots=True)
class ConfidenceCurves:
    """How well one measure of confidence tells right answers of one contestant from wrong ones.

    Args:
        set: The question set.
        contestant: The policy.
        confidence: The measure.
        n: Answers that have it.
        risk_coverage: Share of wrong answers among the surest ones.
        aurc: Area under that curve, better when lower; None without answers.
        reliability: Confidence and share of right answers, in ten bins.
        ece: How far these are apart, better when lower; None without answers.
    """

    set: str
    contestant: str
    confidence: str
    n: int
    risk_coverage: RiskCoverageCurve
    aurc: float | None
    reliability: tuple[ReliabilityBin, ...]
    ece: float | None


def read_curves(rows: DuckDBPyConnection) -> list[ConfidenceCurves]:
    """The curves of every set, contestant and measure of confidence that its rows have."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in fetched(rows, _ROWS):
        groups.setdefault((row["set"], row["contestant"]), []).append(row)
    return [
        _curves(*of, measure, found)
        for of, found in groups.items()
        for measure in dict.fromkeys(name for row in found for name in row["confidences"])
    ]


def _curves(
    name: str, contestant: str, measure: str, rows: Sequence[dict[str, Any]]
) -> ConfidenceCurves:
    known = [row for row in rows if measure in row["confidences"]]
    confidence = np.array(
        [0.0 if row["verdict"] == "abstained" else row["confidences"][measure] for row in known]
    )
    is_right = np.array([row["is_right"] for row in known], dtype=bool)
    return ConfidenceCurves(
        set=name,
        contestant=contestant,
        confidence=measure,
        n=len(known),
        risk_coverage=risk_coverage_curve(-confidence, is_right),
        aurc=aurc(-confidence, is_right).value,
        reliability=reliability_table(confidence, is_right),
        ece=expected_calibration_error(confidence, is_right).value,
    )
