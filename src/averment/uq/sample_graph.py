"""Estimators of the graph of samples: how many groups of like answers are there?

W holds the pairwise similarities of N samples, symmetric, with a diagonal of 1: D = diag(row sums),
L = I - D^(-1/2) W D^(-1/2). The diagonal is set, not read: a model that doubts that a text entails
itself would make equal samples look different, and a row of zeros would divide by zero.

All four are the same for a set of samples and for that set drawn twice.

Source: Lin et al. 2024, "Generating with Confidence" (arXiv 2305.19187).
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from averment.uq.inputs import FloatArray, sample_judgements, several_samples
from averment.uq.lexical import jaccard_similarities
from averment.uq.records import Record


class Affinity(StrEnum):
    """What makes two samples alike."""

    ENTAILMENT = "entailment"
    """(E + E^T) / 2, E the probabilities of entailment. Needs NLI."""
    CONTRADICTION = "contradiction"
    """1 - (C + C^T) / 2, C the probabilities of contradiction. Needs NLI."""
    JACCARD = "jaccard"
    """Shared words. Needs the samples only."""


def degree_matrix(record: Record, *, affinity: Affinity = Affinity.ENTAILMENT) -> float:
    """How unlike the samples are on average: trace(N·I - D) / N^2 = 1 - mean of W.

    Returns:
        In [0, 1 - 1/N], worse when higher; 0 if all are alike.

    Needs: SAMPLES; NLI of samples, unless the affinity is JACCARD.

    Source: Lin et al. 2024 (U_Deg); lm-polygraph `DegMat`.
    """
    return 1 - float(_similarity(record, affinity).mean())


def sum_of_eigenvalues(record: Record, *, affinity: Affinity = Affinity.ENTAILMENT) -> float:
    """A continuous number of meanings: sum over k of max(0, 1 - lambda_k), lambda eigenvalues of L.

    Returns:
        In [1, N], worse when higher; 1 if all are alike, N if none is like another.

    Needs: SAMPLES; NLI of samples, unless the affinity is JACCARD.

    Source: Lin et al. 2024 (U_EigV); lm-polygraph `EigValLaplacian`; FRANQ's estimator
    of the unfaithful branch for short answers.
    """
    eigenvalues = np.linalg.eigvalsh(_laplacian(_similarity(record, affinity)))
    return float(np.maximum(0, 1 - eigenvalues).sum())


def eccentricity(
    record: Record, *, affinity: Affinity = Affinity.ENTAILMENT, eigenvalue_below: float = 0.9
) -> float:
    """How far the samples lie from their centre in the informative eigenvectors of L.

    sqrt of the sum, over eigenvectors v with an eigenvalue below a threshold, of |v - mean(v)|^2.
    It does not depend on the basis that an eigenvalue of several vectors happens to get.

    Args:
        record: The answer and what is known of it.
        affinity: What makes two samples alike.
        eigenvalue_below: Which eigenvectors inform.

    Returns:
        In [0, sqrt(N - 1)], worse when higher; 0 if all are alike.

    Needs: SAMPLES; NLI of samples, unless the affinity is JACCARD.

    Source: Lin et al. 2024 (U_Ecc); lm-polygraph `Eccentricity`.
    """
    eigenvalues, vectors = np.linalg.eigh(_laplacian(_similarity(record, affinity)))
    informative = vectors[:, eigenvalues < eigenvalue_below]
    return float(np.linalg.norm(informative - informative.mean(axis=0)))


def number_of_semantic_sets(record: Record) -> float:
    """How many groups of samples are linked by entailment that outweighs contradiction both ways.

    Connected components of the graph with an edge iff E_ij > C_ij and E_ji > C_ji.

    Returns:
        A whole number in [1, N], worse when higher.

    Needs: SAMPLES, NLI of samples.

    Source: Lin et al. 2024 (U_NumSet); lm-polygraph `NumSemSets`.
    """
    entailment, contradiction = sample_judgements(record)
    linked = entailment > contradiction
    linked &= linked.T
    unvisited = set(range(len(linked)))
    n_sets = 0
    while unvisited:
        frontier = {unvisited.pop()}
        n_sets += 1
        while frontier:
            reached = set(np.flatnonzero(linked[frontier.pop()]).tolist()) & unvisited
            unvisited -= reached
            frontier |= reached
    return float(n_sets)


def _similarity(record: Record, affinity: Affinity) -> FloatArray:
    if affinity is Affinity.JACCARD:
        return jaccard_similarities([sample.text for sample in several_samples(record)])
    entailment, contradiction = sample_judgements(record)
    directed = entailment if affinity is Affinity.ENTAILMENT else 1 - contradiction
    return (directed + directed.T) / 2


def _laplacian(similarity: FloatArray) -> FloatArray:
    scale = 1 / np.sqrt(similarity.sum(axis=1))  # a row sums to 1 at least
    laplacian: FloatArray = np.eye(len(similarity)) - scale[:, None] * similarity * scale
    return laplacian
