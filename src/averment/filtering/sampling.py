"""What a run would do, from a sample of its rows; nothing is written."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from averment.filtering.reading import InputRow, Source
from averment.filtering.running import Filter
from averment.filtering.tally import Tally

_BATCH_ROWS = 64
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sample says of all rows.

    Args:
        tally: Of the sample.
        n_rows: Of the input.
        seconds: What all of them are likely to take on this machine.
        kept_low: The share that is kept is likely above this (95 %), in [0, 1].
        kept_high: And below this.
        rejected: The rows of the sample that would be rejected, each with what was found about it.
    """

    tally: Tally
    n_rows: int
    seconds: float
    kept_low: float
    kept_high: float
    rejected: tuple[tuple[InputRow, Mapping[str, Any]], ...]


def estimate(filtering: Filter, source: Source, n_sampled: int, *, seed: int = 0) -> Estimate:
    """Filter a random sample of the rows, and write nothing.

    All rows are read, which is a small part of the work, so that the sample is of all of them.

    Args:
        filtering: How rows would be filtered.
        source: The rows.
        n_sampled: How many are looked at.
        seed: Of the sample.
    """
    began = time.perf_counter()
    sample, n_rows = _sample(source.rows(filtering.fields.names), n_sampled, seed)
    reading_s = time.perf_counter() - began
    tally = Tally()
    rows = iter(sample)
    rejected = []
    began = time.perf_counter()
    while batch := list(islice(rows, _BATCH_ROWS)):
        found = zip(batch, filtering.columns(batch, tally), strict=True)
        rejected += [each for each in found if each[1]["verdict"] != "keep"]
    each_s = (time.perf_counter() - began) / max(len(sample), 1)
    low, high = _wilson(tally.n_kept, tally.n_rows)
    return Estimate(tally, n_rows, reading_s + each_s * n_rows, low, high, tuple(rejected))


class Reservoir(Generic[_T]):
    """Some of many, drawn without replacement while they pass.

    Args:
        most: How many are kept.
        seed: Of the draw.

    Source: Vitter 1985, "Random sampling with a reservoir", algorithm R.
    """

    def __init__(self, most: int, *, seed: int = 0) -> None:
        self._most = most
        self._draw = random.Random(seed)
        self.kept: list[_T] = []
        self.n_seen = 0

    def add(self, one: _T) -> None:
        """Let one pass."""
        self.n_seen += 1
        if len(self.kept) < self._most:
            self.kept.append(one)
        elif (at := self._draw.randrange(self.n_seen)) < self._most:
            self.kept[at] = one


def _sample(rows: Iterable[InputRow], n: int, seed: int) -> tuple[list[InputRow], int]:
    """Rows that were drawn, in their order, and how many there are in all."""
    drawn: Reservoir[InputRow] = Reservoir(n, seed=seed)
    for row in rows:
        drawn.add(row)
    return sorted(drawn.kept, key=lambda row: row.line), drawn.n_seen


def _wilson(part: int, whole: int) -> tuple[float, float]:
    """95 % interval of a share. Source: Wilson 1927, "Probable inference", equation 7."""
    if not whole:
        return 0.0, 1.0
    z = 1.96
    share, spread = part / whole, z * z / whole
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * (share * (1 - share) / whole + spread / (4 * whole)) ** 0.5
    return max(middle - half, 0.0), min(middle + half, 1.0)
