"""How good a filter is on rows of which somebody says whether they are right.

Found is what is rejected, meant is what is wrong: precision is the share of wrong rows among the
rejected ones, recall the share of rejected rows among the wrong ones. What this module does not do:
see rows; four counts are all there is to it, so intervals take rows as independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_RESAMPLES = 2000
_LEVEL = 0.95


class Share(NamedTuple):
    """A value in [0, 1] and its interval; None: undefined, there is nothing to divide by."""

    value: float | None
    low: float | None
    high: float | None


class Quality(NamedTuple):
    """How good a rejection is.

    Args:
        n_labelled: Rows with a label.
        n_wrong: Those that are labelled wrong.
        n_rejected: Those that are rejected.
        precision: Of the rejection.
        recall: Of the rejection.
        f1: The harmonic mean of both.
    """

    n_labelled: int
    n_wrong: int
    n_rejected: int
    precision: Share
    recall: Share
    f1: Share


def quality_of(labelled: Mapping[str, int], *, seed: int = 0) -> Quality | None:
    """Precision, recall and F1 of a rejection, with bootstrap intervals (95 %).

    Args:
        labelled: Rows by ``right,kept``, ``right,rejected``, ``wrong,kept``, ``wrong,rejected``.
        seed: Of the resamples.

    Returns:
        None where no row has a label.

    Source: Efron and Tibshirani 1993, "An Introduction to the Bootstrap", chapter 13; drawing rows
        with replacement draws their four counts from a multinomial distribution.
    """
    keys = ("wrong,rejected", "right,rejected", "wrong,kept", "right,kept")
    counts = np.array([labelled.get(key, 0) for key in keys])
    n = int(counts.sum())
    if n == 0:
        return None
    drawn = np.random.default_rng(seed).multinomial(n, counts / n, size=_RESAMPLES)
    hit, false_alarm, missed, _ = counts[:, None]
    of = drawn.T
    return Quality(
        n,
        int(hit[0] + missed[0]),
        int(hit[0] + false_alarm[0]),
        _share(hit, hit + false_alarm, of[0], of[0] + of[1]),
        _share(hit, hit + missed, of[0], of[0] + of[2]),
        _share(2 * hit, 2 * hit + missed + false_alarm, 2 * of[0], 2 * of[0] + of[1] + of[2]),
    )


_Ints = npt.NDArray[np.int64]


def _share(part: _Ints, whole: _Ints, parts: _Ints, wholes: _Ints) -> Share:
    if not whole[0]:
        return Share(None, None, None)
    is_defined = wholes > 0
    tails = ((1 - _LEVEL) / 2, (1 + _LEVEL) / 2)
    low, high = np.quantile(parts[is_defined] / wholes[is_defined], tails)
    return Share(float(part[0] / whole[0]), float(low), float(high))
