"""What a run would do, from a sample of its rows; nothing is written."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from averment.filtering.reading import InputRow, Source
from averment.filtering.running import Filter
from averment.filtering.tally import Tally

_BATCH_ROWS = 64


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sample says of all rows.

    Args:
        tally: Of the sample.
        n_rows: Of the input.
        seconds: What all of them are likely to take on this machine.
        kept_low: The share that is kept is likely above this (95 %), in [0, 1].
        kept_high: And below this.
    """

    tally: Tally
    n_rows: int
    seconds: float
    kept_low: float
    kept_high: float


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
    began = time.perf_counter()
    while batch := list(islice(rows, _BATCH_ROWS)):
        for _ in filtering.columns(batch, tally):
            pass
    each_s = (time.perf_counter() - began) / max(len(sample), 1)
    low, high = _wilson(tally.n_kept, tally.n_rows)
    return Estimate(tally, n_rows, reading_s + each_s * n_rows, low, high)


def _sample(rows: Iterable[InputRow], n: int, seed: int) -> tuple[list[InputRow], int]:
    """Rows drawn without replacement, in their order, and how many there are in all.

    Source: Vitter 1985, "Random sampling with a reservoir", algorithm R.
    """
    draw = random.Random(seed)
    kept: list[InputRow] = []
    n_rows = 0
    for row in rows:
        n_rows += 1
        if len(kept) < n:
            kept.append(row)
        elif (at := draw.randrange(n_rows)) < n:
            kept[at] = row
    return sorted(kept, key=lambda row: row.line), n_rows


def _wilson(part: int, whole: int) -> tuple[float, float]:
    """95 % interval of a share. Source: Wilson 1927, "Probable inference", equation 7."""
    if not whole:
        return 0.0, 1.0
    z = 1.96
    share, spread = part / whole, z * z / whole
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * (share * (1 - share) / whole + spread / (4 * whole)) ** 0.5
    return max(middle - half, 0.0), min(middle + half, 1.0)
