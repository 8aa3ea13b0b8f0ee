"""Rising curves: isotonic regression by pooling adjacent violators, and what is done with curves.

`isotonic` is the exact minimiser of the weighted squared error among all rising functions; for
labels 0 and 1 it is the maximiser of the Bernoulli likelihood too. What it refuses: NaN, targets
outside [0, 1], nothing to fit. What it does not do: decide whether there are enough rows.

Source: Ayer et al. 1955 (pooling adjacent violators); Oron and Flournoy 2017, “Centered isotonic
regression”.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Monotone:
    """A curve that never falls: linear between its breakpoints, constant outside of them.

    Args:
        x: Where the breakpoints are, strictly rising; at least one.
        y: Their heights in [0, 1], never falling.
        n: How many rows it was fitted on, by weight.
        n_positive: How many of them were positive, by weight; None where no labels were read.

    Raises:
        ValueError: Any of that does not hold.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    n: float
    n_positive: float | None

    def __post_init__(self) -> None:
        if not self.x or len(self.x) != len(self.y):
            raise ValueError(f"A curve needs breakpoints; there are {len(self.x)}, {len(self.y)}.")
        if not np.isfinite([*self.x, *self.y, self.n, self.n_positive or 0.0]).all():
            raise ValueError("A curve has finite breakpoints and counts; one is not.")
        if any(b <= a for a, b in zip(self.x, self.x[1:], strict=False)):
            raise ValueError("The breakpoints of a curve rise in x; these do not.")
        if any(b < a for a, b in zip(self.y, self.y[1:], strict=False)):
            raise ValueError("A monotone curve never falls; this one does.")
        if self.y[0] < 0 or self.y[-1] > 1:
            raise ValueError(f"Heights lie in [0, 1], not in [{self.y[0]}, {self.y[-1]}].")
        if self.n < 0 or not 0 <= (self.n_positive or 0.0) <= self.n:
            raise ValueError(f"{self.n_positive} positive of {self.n} rows cannot be.")

    def __call__(self, x: npt.ArrayLike) -> FloatArray:
        """The heights at some places.

        Args:
            x: Finite. Any shape.

        Returns:
            In [0, 1], never falling in x. The shape of `x`.

        Raises:
            ValueError: NaN or infinite.
        """
        places = np.asarray(x, dtype=np.float64)
        if not np.isfinite(places).all():
            raise ValueError("A curve is read at finite places; one is NaN or infinite.")
        xs, ys = np.array(self.x), np.array(self.y)
        if len(xs) == 1:
            return np.full(places.shape, ys[0])
        places = np.clip(places, xs[0], xs[-1])
        left = np.clip(np.searchsorted(xs, places, side="right") - 1, 0, len(xs) - 2)
        share = _share(places, xs[left], xs[left + 1])
        low, high = ys[left], ys[left + 1]
        # Clipped, as rounding may leave the segment; 1 is exact, so that breakpoints are met.
        heights: FloatArray = np.where(
            share >= 1, high, np.clip(low + share * (high - low), low, high)
        )
        return heights

    def clipped(self) -> Monotone:
        """The curve without certainty that n rows cannot give: heights in [1/(n+2), 1 − 1/(n+2)].

        Source: Laplace's rule of succession for n rows of one class.
        """
        margin = 1 / (self.n + 2)
        return replace(self, y=tuple(np.clip(self.y, margin, 1 - margin).tolist()))


def _share(x: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:
    """How far x is from left to right, in [0, 1]."""
    with np.errstate(over="ignore"):
        # subtle: the difference of two finite numbers may overflow; that of their halves cannot.
        scale = np.where(np.isinf(right - left), 0.5, 1.0)
    share: FloatArray = (x * scale - left * scale) / (right * scale - left * scale)
    return share


def isotonic(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    centred: bool = False,
) -> Monotone:
    """The rising curve nearest to some rows: least Σ w·(curve(x) − y)².

    Rows of equal x are pooled first. A plateau is kept by its two ends.

    Args:
        x: Finite. Shape (n,).
        y: Targets in [0, 1]. Shape (n,).
        weights: Not negative; rows of weight 0 are left out. Shape (n,). Default: 1 each.
        centred: Replace a plateau by one breakpoint at the weighted mean of its x, which leaves
            fewer ties; plateaus at 0 and 1 stay.

    Raises:
        ValueError: Lengths differ, a number is NaN or out of range, or all weights are 0.

    Example:
        >>> isotonic([1, 2, 3], [0, 1, 0]).y
        (0.0, 0.5, 0.5)
    """
    places, targets, mass = _checked(x, y, weights)
    unique, inverse = np.unique(places, return_inverse=True)
    point_mass = sum_by_point(mass, inverse, n_points=len(unique))
    point_sum = sum_by_point(mass * targets, inverse, n_points=len(unique))
    blocks = _blocks(point_sum.tolist(), point_mass.tolist())
    breakpoints: list[tuple[float, float]] = []
    for block in blocks:
        first, last = float(unique[block.first]), float(unique[block.last])
        if centred and 0 < block.mean < 1:
            inside = slice(block.first, block.last + 1)
            breakpoints.append((_mean(unique[inside], point_mass[inside]), block.mean))
        else:
            breakpoints += [(place, block.mean) for place in sorted({first, last})]
    xs, ys = zip(*breakpoints, strict=True)
    n = float(mass.sum())
    return Monotone(xs, ys, n, min(float(point_sum.sum()), n))


def pooled(sums: FloatArray, mass: FloatArray) -> FloatArray:
    """The isotonic fit of points in order: never-falling means, one a point.

    Args:
        sums: Σ w·y of each point, y in [0, 1]. Shape (n,).
        mass: Σ w of each point; a point of 0 gets the value of the one before, or of the first
            that has some; 0.5 if none has. Shape (n,).
    """
    weighed = np.flatnonzero(mass > 0)
    if not len(weighed):
        return np.full(len(mass), 0.5)
    means = np.empty(len(weighed))
    for block in _blocks(sums[weighed].tolist(), mass[weighed].tolist()):
        means[block.first : block.last + 1] = block.mean
    before = np.searchsorted(weighed, np.arange(len(mass)), side="right") - 1
    values: FloatArray = means[np.maximum(before, 0)]
    return values


def blended(own: Monotone, pool: Monotone, *, own_weight: float) -> Monotone:
    """own_weight · own + (1 − own_weight) · pool, exact, with the row counts of `own`."""
    x = np.union1d(own.x, pool.x)
    y = np.clip(own_weight * own(x) + (1 - own_weight) * pool(x), 0, 1)
    return Monotone(tuple(x.tolist()), tuple(y.tolist()), own.n, own.n_positive)


def mid_ranks(x: npt.ArrayLike) -> Monotone:
    """The share of rows below a place, ties counting half: a curve that needs no labels.

    Args:
        x: Finite, at least one. Shape (n,).

    Raises:
        ValueError: NaN, infinite, or nothing.
    """
    places = np.asarray(x, dtype=np.float64)
    unique, counts = np.unique(places, return_counts=True)
    shares = (np.cumsum(counts) - counts / 2) / len(places) if len(places) else counts
    return Monotone(tuple(unique.tolist()), tuple(shares.tolist()), float(len(places)), None)


def sum_by_point(values: FloatArray, point: IntArray, *, n_points: int) -> FloatArray:
    """The sum of the values of each point, shape (n_points,); `point` says whose a value is."""
    return np.bincount(point, weights=values, minlength=n_points).astype(np.float64, copy=False)


@dataclass(slots=True)
class _Block:
    """Points from `first` to `last` that share a mean."""

    first: int
    last: int
    total: float
    mass: float

    @property
    def mean(self) -> float:
        return min(self.total / self.mass, 1.0)


def _blocks(sums: Sequence[float], mass: Sequence[float]) -> list[_Block]:
    """Merge neighbours until the means rise strictly. Each point is merged once: O(n)."""
    blocks: list[_Block] = []
    for index, (total, weight) in enumerate(zip(sums, mass, strict=True)):
        block = _Block(index, index, total, weight)
        while blocks and blocks[-1].mean >= block.mean:
            before = blocks.pop()
            block = _Block(
                before.first, index, before.total + block.total, before.mass + block.mass
            )
        blocks.append(block)
    return blocks


def _mean(x: FloatArray, mass: FloatArray) -> float:
    # Weights are normalised first and the mean is cut to its range: no overflow, no stray ulp.
    return float(np.clip(((mass / mass.sum()) * x).sum(), x[0], x[-1]))


def _checked(
    x: npt.ArrayLike, y: npt.ArrayLike, weights: npt.ArrayLike | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    places, targets = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    mass = np.ones(places.shape) if weights is None else np.asarray(weights, dtype=np.float64)
    if places.ndim != 1 or not places.shape == targets.shape == mass.shape:
        raise ValueError(f"Shapes differ: x {places.shape}, y {targets.shape}, w {mass.shape}.")
    if not (np.isfinite(places).all() and np.isfinite(mass.sum())):
        raise ValueError("Isotonic regression needs finite x and weights; one is not.")
    if not ((targets >= 0) & (targets <= 1)).all():  # false for NaN too
        raise ValueError("Targets lie in [0, 1]; one does not.")
    if (mass < 0).any() or not mass.any():
        raise ValueError("Weights are not negative, and one is above 0; these are not so.")
    weighed = mass > 0
    return places[weighed], targets[weighed], mass[weighed]
