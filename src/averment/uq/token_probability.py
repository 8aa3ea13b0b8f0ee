"""Estimators of the token probabilities of one answer, without a second look by anybody.

Notation: l_t = log p(y_t | prompt, y_<t); S the tokens of the span; H_t the entropy at token t.
Every formula reads S only, so the whole answer and a claim of all its tokens score the same.
"""

from __future__ import annotations

import numpy as np

from averment.uq.estimator import Absence, Need, Refusal
from averment.uq.inputs import FloatArray, entropy, for_each_token, logprob, logprobs, positions
from averment.uq.records import Record, Span


def max_probability(record: Record, span: Span) -> float:
    """How improbable the span's words are: -sum over S of l_t.

    The negative log of the maximum sequence (or claim) probability; exp(-it) is that probability.

    Returns:
        Nats in [0, inf), worse when higher. Grows with length.

    Needs: TOKENS, LOGPROBS.

    Source: Fadeeva et al. 2023 (LM-Polygraph), lm-polygraph `MaximumSequenceProbability` and
    `MaximumClaimProbability`; FRANQ's estimator of the faithful branch for long answers.
    """
    return -float(_own_logprobs(record, span).sum())


def perplexity(record: Record, span: Span) -> float:
    """How improbable a word of the span is on average: -mean over S of l_t.

    It is the logarithm of the perplexity, which orders the same.

    Returns:
        Nats a token in [0, inf), worse when higher.

    Needs: TOKENS, LOGPROBS.

    Source: Fomicheva et al. 2020; lm-polygraph `Perplexity`, `PerplexityClaim`.
    """
    return -float(_own_logprobs(record, span).mean())


def mean_token_entropy(record: Record, span: Span) -> float:
    """How undecided the model was on average: mean over S of H_t.

    Returns:
        Nats in [0, log of the vocabulary size], worse when higher.

    Needs: TOKENS, FULL_DISTRIBUTION.

    Source: Fomicheva et al. 2020; lm-polygraph `MeanTokenEntropy`. lm-polygraph has
    no mean for claims; FRANQ's table of long answers reports one.
    """
    return float(_full_entropies(record, span).mean())


def max_token_entropy(record: Record, span: Span) -> float:
    """How undecided the model was where it was most so: max over S of H_t.

    Returns:
        Nats in [0, log of the vocabulary size], worse when higher.

    Needs: TOKENS, FULL_DISTRIBUTION.

    Source: lm-polygraph `MaxTokenEntropyClaim`; FRANQ's table of short answers.
    """
    return float(_full_entropies(record, span).max())


def mean_token_entropy_top(record: Record, span: Span) -> float:
    """Mean over S of the entropy of the written token and its alternatives, renormalised to 1.

    An approximation for servers that give a few alternatives, under a name of its own because it
    lies below the entropy of the full distribution by an amount that nobody knows.

    Returns:
        Nats in [0, log of the number of tokens listed], worse when higher.

    Needs: TOKENS, LOGPROBS, TOP_LOGPROBS (at least one alternative at every token of the span).
    """
    return float(_top_entropies(record, span).mean())


def max_token_entropy_top(record: Record, span: Span) -> float:
    """Max over S of the entropy of the written token and its alternatives, renormalised to 1.

    Returns:
        Nats in [0, log of the number of tokens listed], worse when higher.

    Needs: TOKENS, LOGPROBS, TOP_LOGPROBS (at least one alternative at every token of the span).
    """
    return float(_top_entropies(record, span).max())


def _own_logprobs(record: Record, span: Span) -> FloatArray:
    return logprobs(record.tokens, positions(record, span))


def _full_entropies(record: Record, span: Span) -> FloatArray:
    at = positions(record, span)
    entropies = for_each_token(record, record.entropies, need=Need.FULL_DISTRIBUTION)
    return np.array([entropy(entropies[index]) for index in at], dtype=np.float64)


def _top_entropies(record: Record, span: Span) -> FloatArray:
    at = positions(record, span)
    for_each_token(record, record.alternatives, need=Need.TOP_LOGPROBS)
    return np.array([_top_entropy(record, index) for index in at], dtype=np.float64)


def _top_entropy(record: Record, index: int) -> float:
    log_shares = listed_logprobs(record, index)
    log_shares -= np.logaddexp.reduce(log_shares)
    return max(-float((np.exp(log_shares) * log_shares).sum()), 0.0)


def listed_logprobs(record: Record, index: int) -> FloatArray:
    """Log-probabilities of the token at an index, first, and of its alternatives, at least one.

    Raises:
        Refusal: Without alternatives: certainty would follow from the list being short. And where
            the written token is among them, as servers list it: it would count twice.
    """
    alternatives = record.alternatives[index]
    if not alternatives:
        detail = f"token {index} has no alternatives"
        raise Refusal(Absence.MISSING_INPUT, detail, need=Need.TOP_LOGPROBS)
    written = record.tokens[index]
    if any(
        (other.text, other.logprob) == (written.text, written.logprob) for other in alternatives
    ):
        detail = f"the alternatives of token {index} hold the written token itself"
        raise Refusal(Absence.INVALID_INPUT, detail)
    own = logprob(written.logprob, need=Need.LOGPROBS)
    others = [logprob(other.logprob, need=Need.TOP_LOGPROBS) for other in alternatives]
    return np.array([own, *others], dtype=np.float64)
