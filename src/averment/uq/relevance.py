"""SAR: token probabilities weighted by how much the token matters, samples by who is like them.

The paper compares texts with a cross-encoder. Any model may do it, and its name is part of what is
reported: `Estimator.label` gives `sar(similarity=all-MiniLM-L6-v2)`.

Source: Duan et al. 2024, "Shifting Attention to Relevance" (arXiv 2307.01379).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from averment.types import Token
from averment.uq.estimator import Absence, Need, Refusal
from averment.uq.inputs import (
    FloatArray,
    logprobs,
    positions,
    sample_logprob,
    sample_similarities,
    several_samples,
    similarities,
)
from averment.uq.records import Record, Span


def token_sar(record: Record, span: Span) -> float:
    """How improbable the words that matter are: sum over S of -l_t·R_t / (sum over all t of R_t).

    R_t = 1 - similarity of question and answer to the same without token t. Relevance is shared out
    over the whole answer, so the scores of disjoint claims that cover it add up to that of it all.

    If no token matters at all, the shares are 0 / 0 and the score is refused; lm-polygraph
    gives NaN, which its evaluation then takes for the most certain of all.

    Returns:
        Nats in [0, inf), worse when higher.

    Needs: TOKENS, LOGPROBS, SIMILARITY without each token.

    Source: Duan et al. 2024, "tokenSAR"; lm-polygraph `TokenSAR`, `TokenSARClaim`.
    """
    at = positions(record, span)
    shares = _relevance_shares(record, record.tokens, record.similarity_without_token)
    return -float((logprobs(record.tokens, at) * shares[at]).sum())


def sentence_sar(record: Record, *, temperature: float = 0.001) -> float:
    """How improbable the samples are, counting what is like them.

    Mean over j of -log( p_j + (1/T) sum over i != j of g_ji p_i ), p the probability of a sample, g
    the similarity; a similarity below 0 counts as 0. It is summed as logarithms, so that samples of
    thousands of nats are no infinity.

    Args:
        record: The answer and what is known of it.
        temperature: T; the smaller, the more others count.

    Returns:
        Nats, any sign (others may count for more than 1), worse when higher.

    Needs: SAMPLES, SAMPLE_LOGPROBS, SIMILARITY of samples.

    Source: Duan et al. 2024, "sentSAR"; lm-polygraph `SentenceSAR`.
    """
    totals = [sample_logprob(sample) for sample in several_samples(record)]
    return _shared_improbability(record, np.array(totals), temperature)


def sar(record: Record, *, temperature: float = 0.001) -> float:
    """`sentence_sar` with exp(-`token_sar` of the sample) for the probability of a sample.

    Args:
        record: The answer and what is known of it.
        temperature: As in `sentence_sar`.

    Returns:
        Nats, any sign, worse when higher.

    Needs: SAMPLES, SAMPLE_LOGPROBS of each token, SIMILARITY of samples and without each token.

    Source: Duan et al. 2024, "SAR"; lm-polygraph `SAR`.
    """
    totals = []
    for sample in several_samples(record):
        if not sample.tokens:
            detail = "a sample has no tokens"
            raise Refusal(Absence.MISSING_INPUT, detail, need=Need.SAMPLE_LOGPROBS)
        every = range(len(sample.tokens))
        own = logprobs(sample.tokens, every, need=Need.SAMPLE_LOGPROBS)
        shares = _relevance_shares(record, sample.tokens, sample.similarity_without_token)
        totals.append(float((own * shares).sum()))
    return _shared_improbability(record, np.array(totals), temperature)


def _relevance_shares(
    record: Record, tokens: Sequence[Token], similarity_without: Sequence[float]
) -> FloatArray:
    relevance = 1 - similarities(record, similarity_without, len(tokens))
    total = relevance.sum()
    if total == 0:
        raise Refusal(Absence.UNDEFINED, "no token matters: relevance is 0 / 0")
    shares: FloatArray = relevance / total
    return shares


def _shared_improbability(record: Record, totals: FloatArray, temperature: float) -> float:
    similarity = np.clip(sample_similarities(record), 0, None)
    np.fill_diagonal(similarity, temperature)  # its own probability counts once, not 1 / T times
    with np.errstate(divide="ignore"):  # log 0 is -inf, which adds nothing
        log_terms = np.log(similarity / temperature) + totals[None, :]
    return -float(np.logaddexp.reduce(log_terms, axis=1).mean())
