"""The formula of FRANQ and what is told of it: P(true) with its parts, or why there is none.

p = Pf·f(uf) + (1 − Pf)·g(uu). Pf enters raw, neither calibrated nor cut at a threshold: both were
found to hurt. p never falls in f and g; it rises in Pf where f(uf) > g(uu) and falls where it is
below. There is no NaN and no default: a claim that nobody could score is `Unscored`.
What this module does not do: fit anything.

Source: FRANQ (arXiv 2505.21072), its main formula and the ablation of the faithfulness threshold.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from averment.franq.isotonic import FloatArray


class Branch(StrEnum):
    """Which case of the mixture weighs more."""

    FAITHFUL = "faithful"
    UNFAITHFUL = "unfaithful"


class Source(StrEnum):
    """Where P(true | branch) came from."""

    CURVE = "curve"
    """A curve fitted on labels."""
    BASE_RATE = "base_rate"
    """The share of true claims of that side in training: the estimator has no value for this claim,
    or the branch is constant by choice, which costs little on the faithful side."""
    QUANTILE = "quantile"
    """The rank among unlabelled confidences. Not a probability."""
    RAW = "raw"
    """The confidence as it came. Not a calibrated probability."""
    PRIOR = "prior"
    """A constant that nobody fitted, in place of a base rate where there were no labels."""


class Unscorable(StrEnum):
    """Why a claim has no score."""

    MISSING_P_FAITHFUL = "missing_p_faithful"
    INVALID_P_FAITHFUL = "invalid_p_faithful"
    """NaN, or outside [0, 1]."""
    INVALID_CONFIDENCE = "invalid_confidence"
    """NaN or infinite; a confidence that nobody has is None instead."""
    OUT_OF_RANGE = "out_of_range"
    """No calibration was asked for, and the confidence is no probability."""
    INVALID_EVIDENCE = "invalid_evidence"
    """A corpus feature that is NaN or infinite; one that nobody knows is None instead."""


@dataclass(frozen=True, slots=True)
class Unscored:
    """No score, and why: a code and the words for it."""

    reason: Unscorable
    detail: str


@dataclass(frozen=True, slots=True)
class Score:
    """P(true) of a claim, with the parts that it was made of; all probabilities in [0, 1].

    With `calibrated` false none of them may be called a probability in front of a user.
    """

    p_true: float
    p_faithful: float
    p_true_if_faithful: float
    p_true_if_unfaithful: float
    source_if_faithful: Source
    source_if_unfaithful: Source
    calibrated: bool
    evidence_log_odds_if_faithful: float = 0.0
    """What corpus evidence added to the log-odds of that branch; 0 where there is none."""
    evidence_log_odds_if_unfaithful: float = 0.0

    @property
    def branch(self) -> Branch:
        """The case that weighs more, and so decides; faithful at equal weights."""
        return Branch.FAITHFUL if self.p_faithful >= 0.5 else Branch.UNFAITHFUL

    @property
    def branch_weight(self) -> float:
        """The weight of that case in the mixture, in [0.5, 1]."""
        return max(self.p_faithful, 1 - self.p_faithful)


def mixture(
    p_faithful: npt.ArrayLike, if_faithful: npt.ArrayLike, if_unfaithful: npt.ArrayLike
) -> FloatArray:
    """Pf·f + (1 − Pf)·g, for arrays of one shape, all in [0, 1].

    Returns:
        P(true), in [0, 1], better when higher.

    Raises:
        ValueError: A number is NaN or outside [0, 1].

    Example:
        >>> round(float(mixture(0.05, 0.21, 0.99)), 2)
        0.95
    """
    parts = [
        np.asarray(part, dtype=np.float64) for part in (p_faithful, if_faithful, if_unfaithful)
    ]
    if not all(((part >= 0) & (part <= 1)).all() for part in parts):  # false for NaN too
        raise ValueError("The parts of the mixture lie in [0, 1]; one does not.")
    weight, faithful, unfaithful = parts
    return np.clip(weight * faithful + (1 - weight) * unfaithful, 0, 1)
