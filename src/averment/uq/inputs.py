"""Reads what a formula needs from a record, or refuses with the reason.

Every number that reaches a formula passed here: finite, in its range, of the right length. Rounding
of half-precision models (a log-probability of 0.0004) is cut off; anything larger is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from averment.types import Token
from averment.uq.estimator import Absence, Need, Refusal
from averment.uq.records import WHOLE, ClaimSpan, Nli, Record, Sample, Span

FloatArray = NDArray[np.float64]
T = TypeVar("T")

_ROUNDING = 1e-3


def positions(record: Record, span: Span) -> list[int]:
    """The indices of the span's tokens, ascending, each once; at least one."""
    n_tokens = len(record.tokens)
    if not n_tokens:
        raise _missing(Need.TOKENS, "the record has no tokens")
    if not isinstance(span, ClaimSpan):
        return list(range(n_tokens))
    if not span.tokens:
        raise Refusal(Absence.EMPTY_SPAN, "the claim has no tokens: it was not aligned")
    indices = sorted(set(span.tokens))
    if indices[0] < 0 or indices[-1] >= n_tokens:
        detail = f"the claim has tokens {indices[0]} to {indices[-1]} of an answer of {n_tokens}"
        raise Refusal(Absence.UNALIGNED, detail)
    return indices


def logprob(value: float | None, *, need: Need) -> float:
    """A log-probability: known, finite, not above 0."""
    if value is None:
        raise _missing(need, "a token has no log-probability")
    if not math.isfinite(value) or value > _ROUNDING:
        raise Refusal(Absence.INVALID_INPUT, f"{value} is not a log-probability")
    return min(float(value), 0.0)


def logprobs(
    tokens: Sequence[Token], at: Iterable[int], *, need: Need = Need.LOGPROBS
) -> FloatArray:
    """The log-probabilities of the tokens at these indices."""
    return np.array([logprob(tokens[index].logprob, need=need) for index in at], dtype=np.float64)


def same_tokens(record: Record, rescored: Sequence[Token], *, need: Need) -> Sequence[Token]:
    """The re-scored tokens, if they are the tokens of the answer, text by text."""
    if not rescored:
        raise _missing(need, "the tokens were not re-scored")
    if [token.text for token in rescored] != [token.text for token in record.tokens]:
        raise Refusal(Absence.UNALIGNED, "the re-scored tokens are not the tokens of the answer")
    return rescored


def for_each_token(record: Record, values: Sequence[T], *, need: Need) -> Sequence[T]:
    """The values, if there is one for each token of the answer."""
    if not values:
        raise _missing(need, f"nothing is known of the tokens under {need.value}")
    _same_length(len(values), len(record.tokens), "tokens")
    return values


def entropy(value: float | None) -> float:
    """An entropy of a full distribution: known, finite, not below 0."""
    if value is None:
        raise _missing(Need.FULL_DISTRIBUTION, "a token has no entropy")
    if not math.isfinite(value) or value < -_ROUNDING:
        raise Refusal(Absence.INVALID_INPUT, f"{value} is not an entropy")
    return max(float(value), 0.0)


def judged(judgement: Nli | None) -> Nli:
    """A judgement: known, three probabilities that sum to 1."""
    if judgement is None:
        raise _missing(Need.NLI, "a pair was not judged")
    parts = (judgement.entailment, judgement.neutral, judgement.contradiction)
    # Written so that NaN, which compares false with everything, is refused.
    if not all(-_ROUNDING <= part <= 1 + _ROUNDING for part in parts):
        raise Refusal(Absence.INVALID_INPUT, f"{parts} are not probabilities")
    if abs(sum(parts) - 1) > 10 * _ROUNDING:
        raise Refusal(Absence.INVALID_INPUT, f"the probabilities {parts} do not sum to 1")
    return judgement


def named_nli(record: Record) -> None:
    """Refuses judgements of nobody knows which model."""
    if not record.nli_model:
        raise _missing(Need.NLI, "nli_model does not name the model that judged")


def several_samples(record: Record) -> Sequence[Sample]:
    """The samples, at least two: one sample agrees with itself whatever it says."""
    if not record.samples:
        raise _missing(Need.SAMPLES, "the record has no samples")
    if len(record.samples) < 2:
        raise Refusal(Absence.TOO_FEW_SAMPLES, "1 sample; at least 2 are needed to compare")
    return record.samples


def sample_logprob(sample: Sample) -> float:
    """The total log-probability of a sample."""
    if sample.tokens:
        need = Need.SAMPLE_LOGPROBS
        return float(logprobs(sample.tokens, range(len(sample.tokens)), need=need).sum())
    return logprob(sample.logprob, need=Need.SAMPLE_LOGPROBS)


def sample_judgements(record: Record) -> tuple[FloatArray, FloatArray]:
    """P(entailment) and P(contradiction), each (N, N): premise i, hypothesis j; diagonals 1 and 0.

    The diagonal is set, not read: a text entails itself, whatever a model thinks of that pair.
    """
    n_samples = len(several_samples(record))
    if not record.sample_nli:
        raise _missing(Need.NLI, "the samples were not judged against each other")
    named_nli(record)
    _square(record.sample_nli, n_samples)
    entailment, contradiction = np.eye(n_samples), np.zeros((n_samples, n_samples))
    for i, row in enumerate(record.sample_nli):
        for j, judgement in enumerate(row):
            if i != j:
                entailment[i, j] = judged(judgement).entailment
                contradiction[i, j] = judgement.contradiction
    return np.clip(entailment, 0, 1), np.clip(contradiction, 0, 1)


def claim_judgements(record: Record, span: Span) -> Sequence[Nli]:
    """What each sample says of the claim, or of the answer."""
    if not record.samples:
        raise _missing(Need.SAMPLES, "the record has no samples")
    judgements = record.nli if span is WHOLE else span.nli
    if not judgements:
        raise _missing(Need.NLI, "the samples were not held against the claim")
    named_nli(record)
    _same_length(len(judgements), len(record.samples), "samples")
    return [judged(judgement) for judgement in judgements]


def similarities(record: Record, values: Sequence[float], n_values: int) -> FloatArray:
    """So many similarities, each in [-1, 1], by a model that has a name."""
    if not values:
        raise _missing(Need.SIMILARITY, "the texts were not compared")
    if not record.similarity_model:
        raise _missing(Need.SIMILARITY, "similarity_model does not name the model that compared")
    _same_length(len(values), n_values, "texts")
    array = np.array(values, dtype=np.float64)
    if not np.all(np.abs(array) <= 1 + _ROUNDING):  # false for NaN too
        raise Refusal(Absence.INVALID_INPUT, "a similarity is NaN or outside [-1, 1]")
    return np.clip(array, -1, 1)


def sample_similarities(record: Record) -> FloatArray:
    """Similarity of sample i and sample j, (N, N); the diagonal is not read."""
    n_samples = len(several_samples(record))
    if not record.sample_similarity:
        raise _missing(Need.SIMILARITY, "the samples were not compared with each other")
    _square(record.sample_similarity, n_samples)
    off_diagonal = [
        1.0 if i == j else value
        for i, row in enumerate(record.sample_similarity)
        for j, value in enumerate(row)
    ]
    flat = similarities(record, off_diagonal, n_samples * n_samples)
    return flat.reshape(n_samples, n_samples)


def _missing(need: Need, detail: str) -> Refusal:
    return Refusal(Absence.MISSING_INPUT, detail, need=need)


def _same_length(n_values: int, n_expected: int, of_what: str) -> None:
    if n_values != n_expected:
        detail = f"{n_values} values for {n_expected} {of_what}"
        raise Refusal(Absence.UNALIGNED, detail)


def _square(rows: Sequence[Sequence[object]], n_samples: int) -> None:
    for length in (len(rows), *map(len, rows)):
        _same_length(length, n_samples, "samples")
