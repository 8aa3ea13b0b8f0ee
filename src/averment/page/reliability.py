"""Reliability and risk by coverage of scores before and after calibration, as SVG or PNG.

Left: what a score of 0.7 promises, and what comes, with the number of claims below. Right: how many
of the claims that are kept are false, the surest kept first.
Drawn by matplotlib (extra ``[plot]``), without a screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from averment.errors import MissingExtraError, UsageError
from averment.metrics.calibration_error import ReliabilityBin

_COLOURS = ("#b0703c", "#2f6f9f", "#5a8f4f")
_FORMATS = (".svg", ".png")


def check_target(path: Path) -> None:
    """Refuse a file that no diagram can be written to, before anything long is computed.

    Raises:
        UsageError: Another suffix than .svg or .png.
        MissingExtraError: matplotlib is not installed.
    """
    if path.suffix.lower() not in _FORMATS:
        raise UsageError(
            f"A diagram is written as .svg or .png, not as {path.name}.",
            hint=f"Type: --plot {path.stem}.svg",
        )
    _pyplot()


def write_reliability(
    path: Path,
    series: Sequence[tuple[str, Sequence[ReliabilityBin]]],
    *,
    title: str,
    curves: Sequence[tuple[str, Sequence[tuple[float, float]]]] = (),
) -> None:
    """Draw one line for each series, and beside them one for each curve, if there are any.

    Args:
        path: .svg or .png.
        series: Names and reliability tables.
        title: Above the diagrams.
        curves: Names and pairs of coverage and risk.
    """
    check_target(path)
    matplotlib, pyplot = _pyplot()
    style = {"svg.hashsalt": "averment", "svg.fonttype": "none", "font.size": 10}
    with matplotlib.rc_context(style):
        panels = [["reliability", "risk"], ["claims", "risk"]]
        figure, axes = pyplot.subplot_mosaic(
            panels if curves else [row[:1] for row in panels],
            figsize=(9.6, 5.4) if curves else (5.2, 6.2),
            height_ratios=(3, 1),
            layout="constrained",
        )
        above, below = axes["reliability"], axes["claims"]
        above.sharex(below)
        above.plot((0, 1), (0, 1), color="#999999", linewidth=1, linestyle="--", label="perfect")
        for at, (name, bins) in enumerate(series):
            _draw(above, below, bins, name=name, colour=_COLOURS[at % len(_COLOURS)], at=at)
        figure.suptitle(title)
        above.set(ylabel="share of true claims", xlim=(0, 1), ylim=(0, 1))
        for at, (name, curve) in enumerate(curves):
            coverage, risk = zip(*curve, strict=True)
            axes["risk"].plot(coverage, risk, color=_COLOURS[at % len(_COLOURS)], label=name)
        if curves:
            axes["risk"].set(xlabel="share of claims that are kept, the surest first")
            axes["risk"].set(ylabel="share of false claims among them", xlim=(0, 1), ylim=(0, 1))
        above.legend(loc="upper left", frameon=False)
        below.set(xlabel="score", ylabel="claims")
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)
        pyplot.close(figure)


def _draw(
    above: Any, below: Any, bins: Sequence[ReliabilityBin], *, name: str, colour: str, at: int
) -> None:
    filled = [b for b in bins if b.mean_confidence is not None and b.share_true is not None]
    x = [b.mean_confidence for b in filled]
    y = [b.share_true for b in filled]
    sizes = [12 + 60 * (b.n_rows / max(c.n_rows for c in filled)) for b in filled]
    above.plot(x, y, color=colour, linewidth=1.5, label=name)
    above.scatter(x, y, s=sizes, color=colour, zorder=3)
    width = (bins[0].high - bins[0].low) * 0.4
    lows = [b.low + 0.01 + at * width for b in bins]
    below.bar(lows, [b.n_rows for b in bins], width=width, align="edge", color=colour)


def _pyplot() -> tuple[Any, Any]:
    try:
        import matplotlib

        matplotlib.use("agg")
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtraError("Diagrams", "plot") from error
    return matplotlib, pyplot
