"""Diagrams of the evaluation, as SVG: reliability, and how often answers are right by count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from methods import Column
from scored import ScoredClaim
from tables import Selected

from averment.metrics.calibration_error import reliability_table
from averment.metrics.resampling import BootstrapInterval, bootstrap_interval
from averment.metrics.rows import BoolArray, FloatArray, MetricValue
from averment.page.reliability import write_reliability

# Documents that hold question entity and answer; the last bin is open.
EDGES = (0, 1, 2, 3, 5, 10, 30)
_COLOURS = ("#2f6f9f", "#b0703c", "#5a8f4f")


@dataclass(frozen=True, slots=True)
class CountBin:
    """Claims whose pair is in `low` to `high` documents (None: and more), and how many are true."""

    low: int
    high: int | None
    share_true: BootstrapInterval

    @property
    def label(self) -> str:
        """Such as ``3–4``."""
        if self.high is None:
            return f"{self.low}+"
        return str(self.low) if self.high == self.low else f"{self.low}–{self.high}"


def count_curve(claims: Sequence[ScoredClaim], *, n_resamples: int) -> list[CountBin]:
    """P(correct | documents with entity and answer), without the passages that were retrieved."""
    known = [claim for claim in claims if "together" in claim.counts]
    counts = np.array([claim.counts["together"] for claim in known])
    bins = []
    for at, low in enumerate(EDGES):
        high = EDGES[at + 1] - 1 if at + 1 < len(EDGES) else None
        inside = [
            claim
            for claim, n in zip(known, counts, strict=True)
            if n >= low and (high is None or n <= high)
        ]
        share = bootstrap_interval(
            _share_true,
            np.zeros(len(inside)),
            is_true=np.array([claim.is_true for claim in inside], dtype=bool),
            question_ids=[claim.question for claim in inside],
            n_resamples=n_resamples,
        )
        bins.append(CountBin(low, high, share))
    return bins


def _share_true(_: FloatArray, is_true: BoolArray) -> MetricValue:
    if not len(is_true):
        return MetricValue(None, "there are no claims")
    return MetricValue(float(is_true.mean()))


def write_count_curve(path: Path, curves: Mapping[str, Sequence[CountBin]], *, title: str) -> None:
    """Draw one line for each condition."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    style = {"svg.hashsalt": "averment", "svg.fonttype": "none", "font.size": 10}
    with matplotlib.rc_context(style):
        figure, axes = pyplot.subplots(figsize=(6.2, 4.2), layout="constrained")
        for at, (name, bins) in enumerate(curves.items()):
            filled = [(x, each.share_true) for x, each in enumerate(bins) if each.share_true.n_rows]
            x = np.array([place for place, _ in filled]) + 0.12 * (at - 1)
            y = np.array([share.value for _, share in filled], dtype=float)
            # Without an interval (one question) there is no bar.
            low = y - np.array([s.value if s.low is None else s.low for _, s in filled], float)
            high = np.array([s.value if s.high is None else s.high for _, s in filled], float) - y
            colour = _COLOURS[at % len(_COLOURS)]
            axes.errorbar(
                x, y, yerr=np.abs([low, high]), color=colour, marker="o", capsize=3, label=name
            )
        labels = [each.label for each in next(iter(curves.values()))]
        axes.set_xticks(range(len(labels)), labels)
        axes.set(title=title, ylim=(0, 1), ylabel="share of answers that are correct")
        axes.set_xlabel("documents with entity and answer, without what was retrieved")
        axes.legend(frameon=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})
        pyplot.close(figure)


def write_diagram(
    path: Path, selected: Selected, columns: Mapping[str, Column], *, title: str
) -> None:
    """The reliability diagram of some methods, before and after calibration."""
    path.parent.mkdir(parents=True, exist_ok=True)
    series = []
    for name, column in columns.items():
        rows = selected.rows(column.confidence)
        if rows.any():
            series.append(
                (name, reliability_table(column.confidence[rows], selected.is_true[rows]))
            )
    write_reliability(path, series, title=title)
