"""Generated rows of a number and a label, with many ties, for the tests of metrics."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from averment.metrics.rows import BoolArray, FloatArray

Columns: TypeAlias = tuple[FloatArray, BoolArray]

untimed = settings(deadline=None, max_examples=30)
"""For every generated test: a busy machine is no failure, and a metric is small."""


def columns(*, min_size: int, max_size: int, both_classes: bool) -> st.SearchStrategy[Columns]:
    """Numbers among eleven levels in [0, 1], so that ties are the rule, and labels."""
    row = st.tuples(st.integers(0, 10).map(lambda level: level / 10), st.booleans())
    rows = st.lists(row, min_size=min_size, max_size=max_size).map(_columns)
    return rows.filter(lambda found: len(set(found[1].tolist())) == 2) if both_classes else rows


def _columns(rows: list[tuple[float, bool]]) -> Columns:
    numbers = np.array([number for number, _ in rows], dtype=np.float64)
    return numbers, np.array([is_true for _, is_true in rows], dtype=np.bool_)


def random_columns(seed: int, *, n_rows: int, n_levels: int) -> Columns:
    """Confidence rounded to so many levels, and labels that follow it somewhat."""
    random = np.random.default_rng(seed)
    confidence = random.integers(n_levels + 1, size=n_rows) / n_levels
    return confidence, random.random(n_rows) < 0.2 + 0.6 * confidence
