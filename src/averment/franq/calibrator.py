"""A fitted calibrator: two curves, what they were fitted on, and the scores that they give.

It is a value. `calibration.fit` makes it, `calibrator_json` writes and reads it. It carries the
names of whoever made its numbers, because curves of one estimator read with the confidence of
another give numbers that look right.
What this module does not do: fit, read files.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from averment.errors import CalibrationError
from averment.franq.corpus_stack import PriorWeights, Stack, shifted
from averment.franq.isotonic import FloatArray, Monotone
from averment.franq.rows import Row, RowCounts
from averment.franq.score import Score, Source, Unscorable, Unscored, mixture
from averment.franq.selective import HeldOut

_OUTSIDE_SHARE = 0.1
_MEAN_DISTANCE = 0.15


class Mode(StrEnum):
    """Which rows teach which curve."""

    NONE = "none"
    """No curve: confidences are taken for probabilities. Uncalibrated."""
    QUANTILE = "quantile"
    """Ranks among the rows, which need no labels. Uncalibrated."""
    SHARED = "shared"
    """All rows teach both curves."""
    CONDITION = "condition"
    """p_faithful of 0.5 and more: the faithful curve; less: the other one."""
    GOLD = "gold"
    """What a person found faithful teaches the faithful curve, the rest the other one."""
    SOFT = "soft"
    """Each row teaches both curves, with weights p_faithful and 1 − p_faithful."""
    EM = "em"
    """The mixture itself is fitted (`em.joint_fit`)."""

    @property
    def reads_labels(self) -> bool:
        """Whether it was fitted on labels, so that its scores may be called probabilities."""
        return self not in (Mode.NONE, Mode.QUANTILE)


@dataclass(frozen=True, slots=True)
class MadeWith:
    """Whoever made the numbers of the rows, by the names under which they are reported."""

    uf: str
    """The estimator of the faithful branch (`Estimator.label`), or ``constant``."""
    uu: str
    """The estimator of the unfaithful branch, or ``constant``."""
    faithfulness: str
    """The faithfulness scorer."""
    model: str
    """The language model that wrote and scored; empty where none did."""


class Raw(StrEnum):
    """What a confidence is, where no curve was fitted."""

    PROBABILITY = "probability"
    """In [0, 1], taken as it is."""
    LOG_PROBABILITY = "log_probability"
    """At most 0, in nats; its exponential is taken."""


Curve: TypeAlias = Monotone | Raw | None
"""None: a constant branch."""


class Rule(StrEnum):
    """What the scarcity of rows did to a side."""

    OWN = "own"
    """Nothing: fitted on its own rows, or fitted on nothing by choice."""
    SHRUNK = "shrunk"
    """Too few rows, or one class: mixed with the curve of all rows."""
    BASE_RATE = "base_rate"
    """Too few rows have a confidence: constant."""


@dataclass(frozen=True, slots=True)
class Side:
    """One branch of the mixture.

    Raises:
        ValueError: The base rate is not in (0, 1), or a count cannot be.
    """

    curve: Curve
    base_rate: float
    """Share of true claims of this side, in (0, 1): taken where a claim has no confidence. Without
    labels, a prior that nobody fitted."""
    rule: Rule
    n: float
    """Rows of this side, by weight."""
    n_true: float | None
    """How many of them are true, by weight; None without labels."""
    evidence: Stack | PriorWeights | None = None

    def __post_init__(self) -> None:
        if not 0 < self.base_rate < 1:
            raise ValueError(f"A base rate lies in (0, 1), unlike {self.base_rate}.")
        if not 0 <= (self.n_true or 0.0) <= self.n:
            raise ValueError(f"{self.n_true} true of {self.n} rows cannot be.")

    def p_true(self, confidence: FloatArray) -> FloatArray:
        """P(true | branch) without corpus evidence; the base rate where confidence is NaN."""
        p = np.full(len(confidence), self.base_rate)
        known = ~np.isnan(confidence)
        if isinstance(self.curve, Monotone):
            p[known] = self.curve(confidence[known])
        elif self.curve is Raw.PROBABILITY:
            p[known] = confidence[known]
        elif self.curve is Raw.LOG_PROBABILITY:
            p[known] = np.exp(confidence[known])
        return p

    def source(self, confidence: float | None) -> Source:
        """Where P(true | branch) of a claim comes from."""
        if confidence is None or self.curve is None:
            return Source.PRIOR if self.n_true is None else Source.BASE_RATE
        if isinstance(self.curve, Raw):
            return Source.RAW
        return Source.QUANTILE if self.n_true is None else Source.CURVE

    def log_odds(self, rows: Sequence[Row]) -> FloatArray:
        """What corpus evidence adds to the log-odds of this branch."""
        if self.evidence is None:
            return np.zeros(len(rows))
        return self.evidence.log_odds([row.evidence for row in rows])


@dataclass(frozen=True, slots=True)
class FaithfulnessRange:
    """Where p_faithful lay in training; each in [0, 1]. It is what drift is measured against."""

    low: float
    """1 % of the rows are below."""
    high: float
    """1 % of the rows are above."""
    mean: float

    def __post_init__(self) -> None:
        if not (0 <= self.low <= self.high <= 1 and 0 <= self.mean <= 1):
            raise ValueError(f"p_faithful lies in [0, 1]; its range is {self}.")


@dataclass(frozen=True, slots=True)
class Calibrator:
    """P(true) from p_faithful and two confidences, calibrated unless its mode reads no labels."""

    mode: Mode
    centred: bool
    """Whether plateaus of its curves were centred."""
    made_with: MadeWith
    created_by: str
    """Program and version that fitted it."""
    fingerprint: str
    """SHA-256 of the rows that it was fitted on."""
    counts: RowCounts
    p_faithful_range: FaithfulnessRange
    faithful: Side
    unfaithful: Side
    held_out: HeldOut | None = None
    """Labelled claims that it did not see, for promises of an error rate."""

    @property
    def calibrated(self) -> bool:
        """Whether its scores may be called probabilities."""
        return self.mode.reads_labels

    def scores(self, rows: Sequence[Row]) -> list[Score | Unscored]:
        """The score of each row, in order, or why it has none. Labels are not read.

        A confidence of None is replaced by the side's base rate, and the score's source says so;
        a missing p_faithful is not replaced by anything.
        """
        refusals = [self._refusal(row) for row in rows]
        scored = [row for row, refusal in zip(rows, refusals, strict=True) if refusal is None]
        scores = iter(self._scores(scored))
        return [next(scores) if refusal is None else refusal for refusal in refusals]

    def drift_warning(self, p_faithful: Sequence[float]) -> str | None:
        """Words of warning where p_faithful is distributed otherwise than in training, else None.

        It is where more than 10 % lie outside the middle 98 % of training, or the mean is further
        off than 0.15: then base rates and curves are of another population.

        Args:
            p_faithful: In [0, 1], of many claims; a warning about a handful says little.
        """
        if not p_faithful or not self.counts.n_used:
            return None
        known, was = np.array(p_faithful, dtype=np.float64), self.p_faithful_range
        outside = float(((known < was.low) | (known > was.high)).mean())
        mean = float(known.mean())
        if outside <= _OUTSIDE_SHARE and abs(mean - was.mean) <= _MEAN_DISTANCE:
            return None
        return (
            f"p_faithful has drifted: mean {mean:.2f}, {was.mean:.2f} in training; {outside:.0%} "
            f"outside [{was.low:.2f}, {was.high:.2f}]. Calibrate on labels of these claims."
        )

    def require(self, made_with: MadeWith) -> None:
        """Refuse to score the numbers of others.

        Raises:
            CalibrationError: An estimator, the scorer or the model is another one, by name.
        """
        differing = [
            f"{of.name} by {getattr(self.made_with, of.name)!r}, "
            f"but here it is {getattr(made_with, of.name)!r}"
            for of in fields(MadeWith)
            if getattr(self.made_with, of.name) != getattr(made_with, of.name)
        ]
        if differing:
            raise CalibrationError(
                f"This calibrator was fitted on {'; '.join(differing)}.",
                hint="Calibrate again on labels scored with these, or go back to its own.",
            )

    def _refusal(self, row: Row) -> Unscored | None:
        pf = row.p_faithful
        if pf is None:
            return Unscored(Unscorable.MISSING_P_FAITHFUL, "nobody said how faithful the claim is")
        if not 0 <= pf <= 1:  # true for NaN too
            return Unscored(Unscorable.INVALID_P_FAITHFUL, f"p_faithful is {pf}, not in [0, 1]")
        for name, value, side in (("uf", row.uf, self.faithful), ("uu", row.uu, self.unfaithful)):
            if value is not None and not math.isfinite(value):
                detail = f"{name} is {value}, not a finite confidence"
                return Unscored(Unscorable.INVALID_CONFIDENCE, detail)
            if value is not None and not _is_in_range(value, side.curve):
                detail = f"{name} is {value}, which is no {side.curve}; fit a calibrator"
                return Unscored(Unscorable.OUT_OF_RANGE, detail)
        for name, value in row.evidence.items():
            if value is not None and not math.isfinite(value):
                return Unscored(Unscorable.INVALID_EVIDENCE, f"{name} is {value}")
        return None

    def _scores(self, rows: Sequence[Row]) -> list[Score]:
        """The scores of rows without a refusal."""
        p_faithful = np.array([row.p_faithful for row in rows], dtype=np.float64)
        gains = [side.log_odds(rows) for side in (self.faithful, self.unfaithful)]
        uf = np.array([row.uf for row in rows], dtype=np.float64)
        uu = np.array([row.uu for row in rows], dtype=np.float64)
        if_faithful = shifted(self.faithful.p_true(uf), gains[0])
        if_unfaithful = shifted(self.unfaithful.p_true(uu), gains[1])
        columns = (
            mixture(p_faithful, if_faithful, if_unfaithful),
            p_faithful,
            if_faithful,
            if_unfaithful,
            *gains,
        )
        return [
            Score(
                p_true=p,
                p_faithful=pf,
                p_true_if_faithful=f,
                p_true_if_unfaithful=g,
                source_if_faithful=self.faithful.source(row.uf),
                source_if_unfaithful=self.unfaithful.source(row.uu),
                calibrated=self.calibrated,
                evidence_log_odds_if_faithful=gain_f,
                evidence_log_odds_if_unfaithful=gain_u,
            )
            for row, p, pf, f, g, gain_f, gain_u in zip(
                rows, *(values.tolist() for values in columns), strict=True
            )
        ]


def _is_in_range(confidence: float, curve: Curve) -> bool:
    if curve is Raw.PROBABILITY:
        return 0 <= confidence <= 1
    return curve is not Raw.LOG_PROBABILITY or confidence <= 0
