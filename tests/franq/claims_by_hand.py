"""Rows for the tests of FRANQ: synthetic claims whose probability of being true is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from averment.franq.calibration import fit
from averment.franq.calibrator import Calibrator, MadeWith, Mode
from averment.franq.rows import Row
from averment.franq.score import Score

MADE_WITH = MadeWith("max_probability", "parametric_knowledge", "lexical", "a model")
FloatArray = NDArray[np.float64]

fit_by_hand = partial(fit, made_with=MADE_WITH, created_by="test 1")


@dataclass(frozen=True)
class Claims:
    """Claims, and the probability of each that a perfect calibrator would give."""

    rows: list[Row]
    p_true: FloatArray

    @property
    def is_true(self) -> NDArray[np.bool_]:
        return np.array([bool(row.is_true) for row in self.rows])


def claims(
    n: int, *, seed: int, share_false: float = 0.3, told: float = 1.0, groups_of: int = 1
) -> Claims:
    """Claims from a mixture whose two sides have very different reliability.

    Pf is bimodal; uf says little of faithful claims, uu much of unfaithful ones, where the middle
    of its scale already means false. `told`: the Pf that is told is the real one to that power.
    """
    random = np.random.default_rng(seed)
    modes = random.random(n) < 0.5
    real = np.where(modes, random.beta(8, 2, n), random.beta(2, 8, n))
    uf, uu = random.random(n), random.random(n)
    if_faithful = 1 - share_false * (1.0 - 0.7 * uf)
    if_unfaithful = 1 - np.clip(2.2 * share_false / (1 + np.exp(12 * (uu - 0.5))), 0.01, 0.99)
    p_true = real * if_faithful + (1 - real) * if_unfaithful
    is_true = random.random(n) < p_true
    is_faithful = random.random(n) < real
    columns = (column.tolist() for column in (real**told, uf, uu, is_true, is_faithful))
    rows = [
        Row(pf, f, u, true, faithful, f"question {number // groups_of}")
        for number, (pf, f, u, true, faithful) in enumerate(zip(*columns, strict=True))
    ]
    return Claims(rows, p_true)


def with_evidence(made: Claims, *, seed: int) -> Claims:
    """The claims with a corpus feature that knows more than uu of unfaithful ones, and a noisy one.

    A claim keeps its label; NPMI is drawn around it. One in five has no evidence.
    """
    random = np.random.default_rng(seed)
    rows = []
    for row in made.rows:
        npmi = float(np.clip(random.normal(0.4 if row.is_true else -0.3, 0.35), -1, 1))
        noise = float(random.random())
        known = random.random() < 0.8
        evidence = {"npmi_weakest": npmi, "log_head_weakest": noise} if known else {}
        rows.append(replace(row, evidence=evidence))
    return Claims(rows, made.p_true)


def p_true(calibrator: Calibrator, rows: list[Row]) -> FloatArray:
    scores = calibrator.scores(rows)
    assert all(isinstance(score, Score) for score in scores)
    return np.array([score.p_true for score in scores if isinstance(score, Score)])


FITTED_MODES = [Mode.SHARED, Mode.CONDITION, Mode.GOLD, Mode.SOFT, Mode.EM]
