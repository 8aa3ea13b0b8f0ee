"""Line charts as inline SVG that takes its colours from the page around it; no script, no fetch.

Three series of points or lines with error bars are all that is drawn here, small enough to be
written out, so that pages need no plotting library and follow the reader's light or dark scheme.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 420, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 12, 44
N_COLOURS = 8
_FEW = 10
"""So many points of a line have full size."""
_SHAPES = ("full", "hollow", "square", "hollow square")
"""What tells series of one colour apart."""


@dataclass(frozen=True, slots=True)
class Point:
    """A place in a chart; `low` and `high` are the ends of its error bar.

    Args:
        x: Along.
        y: Up.
        low: Where its error bar begins; None: it has none.
        high: Where that ends.
        name: What it is called when pointed at; the series, if empty.
    """

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """Points with a name, joined by a line."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows and between which values, `low` < `high`."""

    label: str
    low: float
    high: float


def line_chart(
    series: Sequence[Series], *, title: str, x: Axis, y: Axis, diagonal: bool = False
) -> str:
    """A chart as a figure of HTML.

    Args:
        series: In the order of their colours.
        title: Above the chart.
        x: Along.
        y: Up.
        diagonal: Draw the line on which both are equal.
    """
    scale = _Scale(x, y)
    even = f'<path class="even" d="{scale.path([Point(0, 0), Point(1, 1)])}"/>' if diagonal else ""
    marks = "".join(_marks(each, at, scale) for at, each in enumerate(series))
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">'
        f"{_axes(scale)}{even}{marks}</svg>{_legend(series)}</figure>"
    )


class _Scale:
    """From values to places in the drawing."""

    def __init__(self, x: Axis, y: Axis) -> None:
        self.x, self.y = x, y

    def at_x(self, value: float) -> float:
        share = (value - self.x.low) / (self.x.high - self.x.low)
        return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)

    def at_y(self, value: float) -> float:
        share = (value - self.y.low) / (self.y.high - self.y.low)
        return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 1)

    def path(self, points: Sequence[Point]) -> str:
        return "M" + " L".join(f"{self.at_x(p.x)} {self.at_y(p.y)}" for p in points)


def _axes(scale: _Scale) -> str:
    left, bottom = scale.at_x(scale.x.low), scale.at_y(scale.y.low)
    right, top = scale.at_x(scale.x.high), scale.at_y(scale.y.high)
    parts = []
    for value in _ticks(scale.y):
        at = scale.at_y(value)
        parts.append(f'<path class="grid" d="M{left} {at} L{right} {at}"/>')
        parts.append(f'<text class="tick y" x="{left - 6}" y="{at + 3.5}">{value:g}</text>')
    for value in _ticks(scale.x):
        at = scale.at_x(value)
        parts.append(f'<text class="tick x" x="{at}" y="{bottom + 17}">{value:g}</text>')
    middle = (left + right) / 2
    parts.append(f'<path class="axis" d="M{left} {top} L{left} {bottom} L{right} {bottom}"/>')
    parts.append(
        f'<text class="label" x="{middle}" y="{_HEIGHT - 6}">{escape(scale.x.label)}</text>'
    )
    at = (top + bottom) / 2
    parts.append(
        f'<text class="label" x="12" y="{at}" transform="rotate(-90 12 {at})">'
        f"{escape(scale.y.label)}</text>"
    )
    return "".join(parts)


def _ticks(axis: Axis) -> list[float]:
    """Four to eight round values within an axis."""
    reach = axis.high - axis.low
    step = next(s for s in _STEPS if reach / s <= 8)
    first = round(axis.low / step)
    found = [round((first + number) * step, 6) for number in range(10)]
    return [value for value in found if axis.low - 1e-9 <= value <= axis.high + 1e-9]


_STEPS = tuple(digit * 10.0**power for power in range(-3, 7) for digit in (1.0, 2.0, 2.5, 5.0))


def _looks(number: int) -> tuple[str, str]:
    """The shape and the colour of a series: of 32 no two are alike."""
    return _SHAPES[number // N_COLOURS % len(_SHAPES)], f"c{number % N_COLOURS}"


def _marks(series: Series, number: int, scale: _Scale) -> str:
    shape, colour = _looks(number)
    parts = []
    if len(series.points) > 1:
        parts.append(f'<path class="line {colour}" d="{scale.path(series.points)}"/>')
    for p in series.points:
        at_x, at_y = scale.at_x(p.x), scale.at_y(p.y)
        if p.low is not None and p.high is not None:
            bar = f"M{at_x} {scale.at_y(p.low)} L{at_x} {scale.at_y(p.high)}"
            parts.append(f'<path class="bar {colour}" d="{bar}"/>')
        if len(series.points) < 30:
            told = escape(f"{p.name or series.name}: {p.x:.3g}, {p.y:.3g}")
            reach = 4.0 if len(series.points) < _FEW else 2.2
            corner = 0 if "square" in shape else reach
            parts.append(
                f'<rect class="dot {shape} {colour}" x="{at_x - reach:.1f}" y="{at_y - reach:.1f}"'
                f' width="{2 * reach}" height="{2 * reach}" rx="{corner}">'
                f"<title>{told}</title></rect>"
            )
    return "".join(parts)


def _legend(series: Sequence[Series]) -> str:
    items = "".join(
        f'<li><i class="{" ".join(_looks(at))}"></i>{escape(each.name)}</li>'
        for at, each in enumerate(series)
    )
    return f'<ul class="legend">{items}</ul>'
