"""Corpus evidence inside a branch of FRANQ: log-odds that are added to those of its curve.

logit G = logit g(uu) + α·Σ_k [logit h_k(φ_k) − logit π_k]: naive Bayes over one-dimensional curves
h_k, damped by α in [0, 1] because features depend on each other. π_k is the share of true claims
among the rows that h_k was fitted on, so that a term is a likelihood ratio: it is near 0 on
average, and fitting it where another share of claims is true does not move G. A feature that is not
known has the term 0, and a claim with no known feature has exactly g(uu).

Where there are no labels, `PriorWeights` stands for the stack: weights that nobody fitted, under a
version, and what comes of them is called uncalibrated.
What this module does not do: compute features (`evidence`), choose α (`calibration`).

Source: ours; damping: Hand and Yu 2001, “Idiot's Bayes”; offset of priors: Saerens et al. 2002.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from averment.errors import UnknownNameError
from averment.franq.evidence import DIRECTIONS
from averment.franq.isotonic import BoolArray, FloatArray, Monotone, isotonic

Evidence: TypeAlias = Sequence[Mapping[str, float | None]]
"""The corpus features of some claims."""

_CERTAIN: Final = 1e-12
"""Evidence moves a probability that is nearer to 0 or 1 than this as if it were so far away."""


@dataclass(frozen=True, slots=True)
class Features:
    """Which corpus features enter which branch, by the names of `evidence.DIRECTIONS`.

    Raises:
        UnknownNameError: There is no such feature.
    """

    unfaithful: tuple[str, ...] = ()
    faithful: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (*self.unfaithful, *self.faithful):
            if name not in DIRECTIONS:
                raise UnknownNameError("corpus feature", name, DIRECTIONS)


PLAIN: Final = Features()
"""No corpus evidence: FRANQ as published."""
CORPUS: Final = Features(
    unfaithful=("log_head_weakest", "npmi_weakest", "surprise_weakest", "contrast_weakest"),
    faithful=("conflict_weakest",),
)
"""Popularity, association, surprise and contrast where the claim is not in the passages; where it
is, whether the corpus prefers another tail than the passage says."""


@dataclass(frozen=True, slots=True)
class Term:
    """One feature with its curve h_k and the prior π_k of the rows it was fitted on.

    Raises:
        ValueError: The direction is not 1 or −1, the prior or a height of the curve not in (0, 1).
    """

    feature: str
    direction: int
    """Of the feature: the curve reads direction · value, and rises."""
    prior: float
    curve: Monotone

    def __post_init__(self) -> None:
        if self.direction not in (1, -1) or not 0 < self.prior < 1:
            raise ValueError(f"{self.feature} has direction {self.direction}, prior {self.prior}.")
        if not 0 < self.curve.y[0] <= self.curve.y[-1] < 1:
            raise ValueError(f"The curve of {self.feature} is certain, which no data can be.")

    def log_odds(self, evidence: Evidence) -> FloatArray:
        """The log-odds logit h_k(φ_k) − logit π_k of each claim; 0 where the feature is unknown."""
        values, known = column(evidence, self.feature)
        gains = np.zeros(len(evidence))
        gains[known] = logit(self.curve(self.direction * values[known])) - logit(self.prior)
        return gains


@dataclass(frozen=True, slots=True)
class Stack:
    """The fitted terms of one branch and their damping.

    Raises:
        ValueError: α is outside [0, 1].
    """

    alpha: float
    terms: tuple[Term, ...]

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise ValueError(f"alpha lies in [0, 1]; it is {self.alpha}.")

    def log_odds(self, evidence: Evidence) -> FloatArray:
        """What the corpus adds to the log-odds of each claim, in nats."""
        return self.alpha * sum_of_terms(self.terms, evidence) + 0.0  # no negative zero


@dataclass(frozen=True, slots=True)
class PriorWeights:
    """Weights of features that nobody fitted: Σ weight · max(feature, 0).

    Args:
        version: Changes whenever a weight does.
        weights: Features and their weights, in nats a unit.

    Raises:
        ValueError: A weight is not finite.
    """

    version: int
    weights: tuple[tuple[str, float], ...]

    def __post_init__(self) -> None:
        if not all(math.isfinite(weight) for _, weight in self.weights):
            raise ValueError(f"Weights are finite; these are {self.weights}.")

    def log_odds(self, evidence: Evidence) -> FloatArray:
        """What the corpus adds to the log-odds of each claim, in nats."""
        gains = np.zeros(len(evidence))
        for feature, weight in self.weights:
            values, known = column(evidence, feature)
            gains[known] += weight * np.maximum(values[known], 0)
        return gains

    def only(self, features: Sequence[str]) -> PriorWeights:
        """The weights of these features."""
        return PriorWeights(self.version, tuple(p for p in self.weights if p[0] in features))


PRIOR_WEIGHTS: Final = PriorWeights(1, (("npmi_weakest", 1.5), ("surprise_weakest", -1.0)))
"""Version 1. A zero weighs as its own log-chance under independence: what if true pairs meet
twice as often as unrelated ones. Perfect association weighs as much as odds of 4.5 to 1."""


def fitted_terms(
    features: Sequence[str], *, evidence: Evidence, is_true: BoolArray, weights: FloatArray
) -> tuple[Term, ...]:
    """A curve for each feature that is known of rows with a weight; heights as in `clipped`.

    Args:
        features: Names of `DIRECTIONS`.
        evidence: Of each row. Length n.
        is_true: Labels. Shape (n,).
        weights: How far each row is of this branch, not negative. Shape (n,).
    """
    terms = []
    for feature in features:
        values, known = column(evidence, feature)
        known &= weights > 0
        if known.any():
            direction = DIRECTIONS[feature]
            curve = isotonic(direction * values[known], is_true[known], weights=weights[known])
            terms.append(Term(feature, direction, clipped_rate(curve), curve.clipped()))
    return tuple(terms)


def sum_of_terms(terms: Sequence[Term], evidence: Evidence) -> FloatArray:
    """Σ_k [logit h_k(φ_k) − logit π_k] of each claim, in nats."""
    return sum((term.log_odds(evidence) for term in terms), np.zeros(len(evidence)))


def clipped_rate(curve: Monotone) -> float:
    """The share of positive rows of a curve, in [1/(n+2), 1 − 1/(n+2)]."""
    margin = 1 / (curve.n + 2)
    return min(max((curve.n_positive or 0.0) / curve.n, margin), 1 - margin)


def shifted(probability: FloatArray, log_odds: FloatArray) -> FloatArray:
    """Probabilities after log-odds were added; bit for bit the same where 0 was added."""
    inner = np.clip(probability, _CERTAIN, 1 - _CERTAIN)
    moved = 1 / (1 + np.exp(-np.clip(logit(inner) + log_odds, -700, 700)))
    result: FloatArray = np.where(log_odds == 0, probability, moved)
    return result


def reanchored(probability: npt.ArrayLike, *, prior: float, new_prior: float) -> FloatArray:
    """Probabilities for a population where another share of claims is true.

    logit p + logit new_prior − logit prior: right where the features of true claims and those of
    false ones are distributed as before (label shift).

    Args:
        probability: In [0, 1]. Any shape.
        prior: The share of true claims where the probabilities were fitted, in (0, 1).
        new_prior: That share where they are read, in (0, 1): of a few labels made there.

    Raises:
        ValueError: A prior is not in (0, 1).

    Source: Saerens, Latinne and Decaestecker 2002.
    """
    if not (0 < prior < 1 and 0 < new_prior < 1):
        raise ValueError(f"Priors lie in (0, 1); these are {prior} and {new_prior}.")
    offset = logit(new_prior) - logit(prior)
    values = np.asarray(probability, dtype=np.float64)
    return shifted(values, np.full(values.shape, offset))


def column(evidence: Evidence, feature: str) -> tuple[FloatArray, BoolArray]:
    """A feature of each claim, and of which it is known; the others hold NaN."""
    values = np.array([of_claim.get(feature) for of_claim in evidence], dtype=np.float64)
    return values, ~np.isnan(values)


def logit(probability: npt.ArrayLike) -> FloatArray:
    """log(p / (1 − p)), in nats; p in (0, 1)."""
    p = np.asarray(probability, dtype=np.float64)
    log_odds: FloatArray = np.log(p) - np.log1p(-p)
    return log_odds
