"""The joint fit: how far each labelled row speaks of the faithful branch, given its label.

FRANQ's formula is a mixture, P(true) = Pf·f(uf) + (1 − Pf)·g(uu); a hard split fits f on rows that
belong to g and the reverse. Expectation maximisation fits the mixture itself. The fit of weighted
labels under a rising curve with bounded heights is the weighted isotonic regression with its
heights cut to the bounds, so each round maximises exactly and the likelihood never falls.

Source: Dempster, Laird and Rubin 1977; bounded isotonic regression as its truncation: Robertson,
Wright and Dykstra 1988, “Order Restricted Statistical Inference”, chapter 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from averment.franq.isotonic import BoolArray, FloatArray, IntArray, pooled, sum_by_point


@dataclass(frozen=True, slots=True, eq=False)
class JointFit:
    """What a joint fit found."""

    faithful_weights: FloatArray
    """How far each row speaks of the faithful branch, in [0, 1]; of the other one, 1 − that."""
    log_likelihoods: tuple[float, ...]
    """Σ log P(label) in nats before each round and after the last; it never falls."""


def joint_fit(
    p_faithful: FloatArray,
    *,
    uf: FloatArray,
    uu: FloatArray,
    is_true: BoolArray,
    n_iterations: int = 25,
) -> JointFit:
    """Maximise the likelihood of the labels under the mixture, from weights Pf and 1 − Pf.

    Heights lie in [1/(n+2), 1 − 1/(n+2)], n being the number of rows.

    Args:
        p_faithful: In [0, 1]. Shape (n,).
        uf: Confidence if faithful. Shape (n,).
        uu: Confidence if not. Shape (n,).
        is_true: Labels. Shape (n,).
        n_iterations: Rounds; 25 are more than enough in practice.
    """
    margin = 1 / (len(is_true) + 2)
    sides = [_Side.of(confidence, is_true, margin) for confidence in (uf, uu)]
    weights = p_faithful
    log_likelihoods = []
    for _ in range(n_iterations + 1):
        if_faithful = p_faithful * sides[0].likelihood(weights)
        if_unfaithful = (1 - p_faithful) * sides[1].likelihood(1 - weights)
        likelihood = if_faithful + if_unfaithful
        weights = if_faithful / likelihood
        log_likelihoods.append(float(np.log(likelihood).sum()))
    return JointFit(weights, tuple(log_likelihoods))


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One branch: where its rows lie on the axis of its confidence, and their labels."""

    point: IntArray
    n_points: int
    is_true: BoolArray
    margin: float

    @classmethod
    def of(cls, confidence: FloatArray, is_true: BoolArray, margin: float) -> _Side:
        unique, point = np.unique(confidence, return_inverse=True)
        return cls(point, len(unique), is_true, margin)

    def likelihood(self, weights: FloatArray) -> FloatArray:
        """P(label of each row | branch) after the curve was fitted with these weights."""
        mass = sum_by_point(weights, self.point, n_points=self.n_points)
        sums = sum_by_point(weights * self.is_true, self.point, n_points=self.n_points)
        heights = np.clip(pooled(sums, mass), self.margin, 1 - self.margin)[self.point]
        likelihood: FloatArray = np.where(self.is_true, heights, 1 - heights)
        return likelihood
