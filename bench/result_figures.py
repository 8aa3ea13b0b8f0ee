"""The figures of docs/results.md, from the rows that are committed: no model, no corpus.

    python bench/result_figures.py

`verdicts.svg`: how good the drafts are that quco gives, gives with a warning, and withholds.
`thresholds.svg`: F1 against searches, a line for each threshold swept on training questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

from averment.evaluation.bench_file import Variant
from averment.evaluation.run_record import read_record
from averment.evaluation.tables import Mean, Run, fetched, mean_of, open_tables
from averment.metrics.rows import FloatArray

matplotlib.use("agg")
from matplotlib import pyplot

HERE = Path(__file__).parent
RUNS, PLOTS = HERE / "runs", HERE / "plots"
STYLE: Any = {"svg.hashsalt": "averment", "svg.fonttype": "none", "font.size": 10}
VERDICTS = {"answered": "#1f7a4d", "warned": "#c07f2a", "abstained": "#b3261e"}
MODELS = {
    "1.5B": (
        "2026-12-01-quco-2wiki-qwen2.5-coder-1.5b",
        "2026-12-01-quco-hotpotqa-qwen2.5-coder-1.5b",
        "2026-12-01-quco-hotpotqa-meve-qwen2.5-coder-1.5b",
        "2026-12-01-quco-train-qwen2.5-coder-1.5b",
    ),
    "0.5B": (
        "2026-11-30-quco-2wiki-searching-first",
        "2026-11-30-quco-hotpotqa-searching-first",
        "2026-12-01-quco-hotpotqa-meve-qwen2.5-coder-0.5b",
        "2026-12-01-quco-train-qwen2.5-coder-0.5b",
    ),
}
SHOWN_AS = {
    "2wiki": "2Wiki",
    "hotpotqa": "HotpotQA",
    "hotpotqa-meve": "HotpotQA",
    "2wiki-train": "training",
    "hotpotqa-train": "training",
}
SWEEP = "2026-12-01-quco-thresholds-qwen2.5-coder-0.5b"


def main() -> None:
    """Write both."""
    with matplotlib.rc_context(STYLE):
        draw_verdicts(PLOTS / "verdicts.svg")
        draw_sweep(PLOTS / "thresholds.svg")


def rows_of(*names: str) -> list[dict[str, Any]]:
    """The rows of runs that ended without an error."""
    with open_tables([Run("", RUNS / name, 1.0) for name in names]) as rows:
        return fetched(rows, "SELECT * FROM rows WHERE error IS NULL ORDER BY place")


def f1_of(rows: Sequence[dict[str, Any]]) -> Mean:
    """Mean F1 of drafts and its interval over questions."""
    return mean_of([row["grades"]["draft_f1"] for row in rows], [row["id"] for row in rows])


def draw_verdicts(path: Path) -> None:
    """Bars of F1 by verdict, for each model and set."""
    figure, axes = pyplot.subplots(figsize=(8.4, 3.4), layout="constrained")
    ticks: list[str] = []
    for model, names in MODELS.items():
        rows = [row for row in rows_of(*names) if row["policy"] == "quco"]
        for name in dict.fromkeys(SHOWN_AS.values()):
            of_it = [row for row in rows if SHOWN_AS[row["set"]] == name]
            counts = []
            for at, (verdict, colour) in enumerate(VERDICTS.items()):
                those = [row for row in of_it if row["verdict"] == verdict]
                x, y = len(ticks) + 0.26 * (at - 1), height(mean := f1_of(those))
                axes.bar(x, y, 0.24, color=colour, label=None if ticks else verdict)
                axes.errorbar(x, y, yerr=reach(mean), color="#333", capsize=2, lw=1)
                counts.append(str(len(those)))
            ticks.append(f"{name}, {model}\nn = {', '.join(counts)}")
    axes.set_xticks(range(len(ticks)), ticks)
    axes.set(ylabel="F1 of drafts", title="What quco gives, gives with a warning, and withholds")
    figure.legend(frameon=False, ncols=3, loc="outside lower center")
    save(figure, path)


def draw_sweep(path: Path) -> None:
    """Lines of F1 of drafts by searches, both training sets together."""
    variants = read_record(RUNS / SWEEP).variants
    rows = rows_of(SWEEP)
    lines: dict[str, list[tuple[float, float, Mean]]] = {}
    for policy in dict.fromkeys(row["policy"] for row in rows):
        those = [row for row in rows if row["policy"] == policy]
        name, value = place(policy, variants.get(policy))
        searches = float(np.mean([row["retrievals"] for row in those]))
        lines.setdefault(name, []).append((value, searches, f1_of(those)))
    figure, axes = pyplot.subplots(figsize=(7.2, 4.2), layout="constrained")
    for at, (name, points) in enumerate(lines.items()):
        points.sort(key=lambda point: point[0])
        x, y = [point[1] for point in points], [height(point[2]) for point in points]
        bars = np.hstack([reach(point[2]) for point in points])
        marker = "o" if len(points) > 1 else "D"
        axes.errorbar(
            x, y, yerr=bars, label=name, marker=marker, lw=1.6, elinewidth=0.5, color=f"C{at}"
        )
    n = len({(row["set"], row["id"]) for row in rows})
    axes.set(xlabel="searches a question", ylabel="F1 of drafts", ylim=(0, None))
    axes.set_title(f"Thresholds swept on {n} training questions, 0.5B")
    figure.legend(frameon=False, fontsize=8, ncols=3, loc="outside lower center")
    save(figure, path)


def place(policy: str, variant: Variant | None) -> tuple[str, float]:
    """The line that a policy is on, and its threshold."""
    if variant is None or variant.swept is None:
        return policy, 0.0
    name, value = variant.swept
    return f"{variant.preset}, {name.replace('_', ' ')}", value


def height(mean: Mean) -> float:
    """A mean that there is."""
    assert mean.value is not None
    return mean.value


def reach(mean: Mean) -> FloatArray:
    """How far an interval reaches below and above its mean, as matplotlib wants it."""
    y = height(mean)
    low, high = (y if end is None else end for end in (mean.low, mean.high))
    return np.array([[y - low], [high - y]])


def save(figure: Any, path: Path) -> None:
    """The same rows give the same bytes."""
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


if __name__ == "__main__":
    main()
