"""Claims whose probabilities are known: what each mode recovers of them.

The claims are those of `claims_by_hand.claims`; margins are about half of what was measured over
these seeds, so that another numpy does not turn the verdict.
"""

from __future__ import annotations

import numpy as np
import pytest
from claims_by_hand import claims, fit_by_hand, p_true

from averment.franq.calibrator import Mode
from averment.metrics.rejection import prediction_rejection_ratio

SEEDS = range(4)


def prr(estimates: np.ndarray, is_true: np.ndarray) -> float:
    value = prediction_rejection_ratio(-estimates, is_true).value
    assert value is not None
    return value


def recovered(mode: Mode, n: int, *, told: float) -> tuple[float, float]:
    """Mean over seeds of the PRR and of the root mean square distance from the true P(true)."""
    test = claims(5000, seed=99, told=told)
    measured = []
    for seed in SEEDS:
        estimates = p_true(fit_by_hand(claims(n, seed=seed, told=told).rows, mode=mode), test.rows)
        distance = float(np.sqrt(np.mean((estimates - test.p_true) ** 2)))
        measured.append((prr(estimates, test.is_true), distance))
    return tuple(np.mean(measured, axis=0).tolist())  # type: ignore[return-value]


@pytest.mark.parametrize("told", [1.0, 0.4], ids=["Pf calibrated", "Pf too high"])
def test_curves_of_each_condition_beat_shared_ones_where_reliabilities_differ(told: float) -> None:
    shared, condition = (recovered(mode, 1000, told=told) for mode in (Mode.SHARED, Mode.CONDITION))

    assert condition[0] > shared[0] + 0.007
    assert condition[1] < shared[1] - 0.015


def test_the_joint_fit_beats_the_hard_split_where_faithfulness_is_told_too_high() -> None:
    condition, em = (recovered(mode, 500, told=0.4) for mode in (Mode.CONDITION, Mode.EM))

    assert em[0] > condition[0] + 0.007
    assert em[1] < condition[1] - 0.01


@pytest.mark.parametrize("mode", [Mode.CONDITION, Mode.EM], ids=str)
def test_more_claims_bring_it_nearer_to_the_truth(mode: Mode) -> None:
    few, many = (recovered(mode, n, told=1.0) for n in (120, 1200))

    test = claims(5000, seed=99)
    best = prr(test.p_true, test.is_true)
    assert many[1] < 0.65 * few[1]
    assert many[0] > best - 0.025
