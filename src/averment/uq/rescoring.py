"""Estimators that ask the model once more: the same tokens after another prompt, or "is it true?".

Re-scored tokens come with their texts, and are refused unless they are the tokens of the answer:
a tokenizer may cut the same text differently after another prompt.

Notation: l_t = log p(y_t | prompt, y_<t); S the tokens of the span.
"""

from __future__ import annotations

import numpy as np

from averment.uq.estimator import Absence, Need, Refusal
from averment.uq.inputs import (
    FloatArray,
    entropy,
    for_each_token,
    logprob,
    logprobs,
    positions,
    same_tokens,
)
from averment.uq.records import WHOLE, Record, Span


def parametric_knowledge(record: Record, span: Span) -> float:
    """How improbable the span is to the model alone: -sum over S of log p(y_t | question, y_<t).

    Only the passages leave the prompt; y_<t keeps all earlier tokens of the answer, also those that
    were copied from a passage.

    Returns:
        Nats in [0, inf), worse when higher; exp(-it) is the probability that FRANQ prints.

    Needs: TOKENS, RESCORED_WITHOUT_CONTEXT.

    Source: FRANQ (arXiv 2505.21072), "Parametric Knowledge"; its estimator of the
    unfaithful branch for long answers.
    """
    need = Need.RESCORED_WITHOUT_CONTEXT
    at = positions(record, span)
    alone = same_tokens(record, record.tokens_without_context, need=need)
    return -float(logprobs(alone, at, need=need).sum())


def pmi(record: Record, span: Span) -> float:
    """How little the prompt speaks for the span: -mean over S of (l_t - u_t).

    u_t = log p(y_t | y_<t), without any prompt; u of the very first token is set to 0, since
    nothing stands before it.

    lm-polygraph's claim version takes the sum where its sequence version takes the mean; here it is
    the mean at both levels. Two traps there: u_t was read one position off (a causal model's logits
    at t are about token t + 1), so that each token was compared with another one's probability; and
    the claim version sets u of the first token to 0 in the caller's own list.

    Returns:
        Nats a token, any sign, worse when higher.

    Needs: TOKENS, LOGPROBS, RESCORED_WITHOUT_PROMPT.

    Source: Takayama and Arase 2019; lm-polygraph `MeanPointwiseMutualInformation`.
    """
    at = positions(record, span)
    own = logprobs(record.tokens, at)
    return -float((own - _without_prompt(record, at)).mean())


def conditional_pmi(
    record: Record, span: Span, *, entropy_threshold: float = 0.0656, weight: float = 3.599
) -> float:
    """PMI that counts only where the model was undecided: -mean over S of (l_t - w·[H_t >= t]·u_t).

    u_t as in `pmi`, 0 for the very first token.

    Args:
        record: The answer and what is known of it.
        span: A claim, or the whole answer.
        entropy_threshold: Nats from which u_t counts (tau).
        weight: Of u_t (lambda).

    Returns:
        Nats a token, any sign, worse when higher.

    Needs: TOKENS, LOGPROBS, FULL_DISTRIBUTION, RESCORED_WITHOUT_PROMPT.

    Source: van der Poel et al. 2022 (arXiv 2210.13210), with its best constants;
    lm-polygraph `MeanConditionalPointwiseMutualInformation`.
    """
    at = positions(record, span)
    own = logprobs(record.tokens, at)
    known = for_each_token(record, record.entropies, need=Need.FULL_DISTRIBUTION)
    undecided = np.array([entropy(known[index]) >= entropy_threshold for index in at])
    return -float((own - weight * undecided * _without_prompt(record, at)).mean())


def p_true(record: Record, span: Span) -> float:
    """How little the model believes it when asked: -log p("True" | a prompt that asks for it).

    Trap in lm-polygraph: its claim prompt is filled with a printed object instead of the claim's
    text. A reply that carries its prompt is refused unless the prompt holds the claim (or answer).

    Returns:
        Nats in [0, inf), worse when higher.

    Needs: P_TRUE.

    Source: Kadavath et al. 2022, "P(True)"; lm-polygraph `PTrue`, `PTrueClaim`.
    """
    reply, statement = (record.p_true, record.answer) if span is WHOLE else (span.p_true, span.text)
    if reply is None:
        detail = "the model was not asked whether it is true"
        raise Refusal(Absence.MISSING_INPUT, detail, need=Need.P_TRUE)
    if reply.prompt is not None and statement not in reply.prompt:
        detail = f"the prompt that asked for truth does not hold {statement!r}"
        raise Refusal(Absence.UNALIGNED, detail)
    return -logprob(reply.logprob_true, need=Need.P_TRUE)


def _without_prompt(record: Record, at: list[int]) -> FloatArray:
    need = Need.RESCORED_WITHOUT_PROMPT
    alone = same_tokens(record, record.tokens_without_prompt, need=need)
    return np.array(
        [logprob(alone[index].logprob, need=need) if index else 0.0 for index in at],
        dtype=np.float64,
    )
