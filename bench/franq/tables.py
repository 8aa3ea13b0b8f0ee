"""The tables: every method on some claims, with intervals over questions, as Markdown.

PR-AUC and ROC-AUC have false claims as the positive class; PRR rejects at most half of the claims.
ECE has ten bins and stands beside the band in which the ECE of perfectly calibrated confidence
lies; its bootstrap interval lies too high, since resampling raises it. Intervals are percentiles
over resamples of whole questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from methods import Column
from scored import ScoredClaim

from averment.metrics.calibration_error import (
    EceBand,
    brier_score,
    calibrated_ece_band,
    expected_calibration_error,
)
from averment.metrics.ranking import pr_auc, roc_auc
from averment.metrics.rejection import prediction_rejection_ratio
from averment.metrics.resampling import BootstrapInterval, bootstrap_difference, bootstrap_interval
from averment.metrics.rows import BoolArray, FloatArray, Metric

RANKING: Final[Mapping[str, Metric]] = {
    "PR-AUC": pr_auc,
    "ROC-AUC": roc_auc,
    "PRR": prediction_rejection_ratio,
}


@dataclass(frozen=True, slots=True)
class Line:
    """A method on some claims."""

    name: str
    n: int
    n_without: int
    """Claims of these for which it has no value; they are left out."""
    ranking: Mapping[str, BootstrapInterval]
    ece: BootstrapInterval | None
    band: EceBand | None


@dataclass(frozen=True, slots=True, eq=False)
class Selected:
    """Some of the claims, with what metrics need of them."""

    is_chosen: BoolArray
    is_true: BoolArray
    questions: Sequence[str]

    @classmethod
    def of(cls, claims: Sequence[ScoredClaim], is_chosen: BoolArray) -> Selected:
        """These claims."""
        is_true = np.array([claim.is_true for claim in claims], dtype=bool)
        return cls(is_chosen, is_true, [claim.question for claim in claims])

    def rows(self, *confidences: FloatArray) -> BoolArray:
        """Which of them have all these confidences."""
        known: BoolArray = self.is_chosen.copy()
        for confidence in confidences:
            known &= ~np.isnan(confidence)
        return known

    def ids(self, rows: BoolArray) -> list[str]:
        """Their questions."""
        return [self.questions[at] for at in np.flatnonzero(rows)]


def measured(selected: Selected, columns: Mapping[str, Column], *, n_resamples: int) -> list[Line]:
    """A line for each method that has a value for some of the claims."""
    lines = []
    for name, column in columns.items():
        rows = selected.rows(column.confidence)
        if not rows.any():
            continue
        confidence, truth, ids = column.confidence[rows], selected.is_true[rows], selected.ids(rows)

        def interval(
            metric: Metric,
            estimates: FloatArray,
            truth: BoolArray = truth,
            ids: Sequence[str] = ids,
        ) -> BootstrapInterval:
            return bootstrap_interval(
                metric, estimates, is_true=truth, question_ids=ids, n_resamples=n_resamples
            )

        lines.append(
            Line(
                name=name,
                n=int(rows.sum()),
                n_without=int(selected.is_chosen.sum() - rows.sum()),
                ranking={name: interval(metric, -confidence) for name, metric in RANKING.items()},
                ece=interval(expected_calibration_error, confidence)
                if column.is_probability
                else None,
                band=calibrated_ece_band(confidence, n_simulations=1000)
                if column.is_probability
                else None,
            )
        )
    return lines


def markdown(title: str, selected: Selected, lines: Sequence[Line]) -> str:
    """A table; `*` marks an ECE within the band."""
    n, n_true = int(selected.is_chosen.sum()), int(selected.is_true[selected.is_chosen].sum())
    n_questions = len(set(selected.ids(selected.is_chosen)))
    head = ["method", "claims", "without", *RANKING, "ECE", "if perfect"]
    body = [
        [
            line.name,
            str(line.n),
            str(line.n_without or ""),
            *(shown(value) for value in line.ranking.values()),
            _ece(line),
            f"{line.band.low:.3f}–{line.band.high:.3f}" if line.band else "",
        ]
        for line in lines
    ]
    about = f"{n} claims of {n_questions} questions, {n_true} true ({n_true / max(n, 1):.0%})"
    return f"### {title}\n\n{about}\n\n{grid(head, body)}"


def _ece(line: Line) -> str:
    if line.ece is None or line.band is None or line.ece.value is None:
        return "–"
    is_within = line.band.high is not None and line.ece.value <= line.band.high
    return shown(line.ece) + (" *" if is_within else "")


def difference(
    selected: Selected, better: Column, baseline: Column, metric: Metric, *, n_resamples: int
) -> BootstrapInterval:
    """metric(better) − metric(baseline) on the claims for which both have a value."""
    rows = selected.rows(better.confidence, baseline.confidence)
    sign = 1.0 if metric is brier_score or metric is expected_calibration_error else -1.0
    return bootstrap_difference(
        metric,
        sign * better.confidence[rows],
        baseline=sign * baseline.confidence[rows],
        is_true=selected.is_true[rows],
        question_ids=selected.ids(rows),
        n_resamples=n_resamples,
    )


def absences(claims: Sequence[ScoredClaim]) -> str:
    """How many claims lack each estimator, and why."""
    found = Counter((name, why) for claim in claims for name, why in claim.absent.items())
    body = [[name, str(n), why] for (name, why), n in sorted(found.items())]
    return f"### Estimators without a value\n\n{grid(['estimator', 'claims', 'why'], body)}"


def shown(interval: BootstrapInterval) -> str:
    """Value and interval, or a dash where it is undefined."""
    if interval.value is None:
        return "–"
    if interval.low is None or interval.high is None:
        return f"{interval.value:.3f}"
    return f"{interval.value:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def grid(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
