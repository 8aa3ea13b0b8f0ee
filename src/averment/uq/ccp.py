"""Claim-conditioned probability: does what else could stand here mean something else?

What this module does not do: judge words; `pairs.judge_alternatives` asks whoever can.
"""

from __future__ import annotations

import string

import numpy as np

from averment.uq.estimator import Need
from averment.uq.inputs import for_each_token, judged, named_nli, positions
from averment.uq.records import Alternative, NliClass, Record, Span
from averment.uq.token_probability import listed_logprobs

FUNCTION_WORDS = frozenset(
    "a an the this that these those and or but if as than so of at by for with about between into "
    "through during to from in on i me my we our ours you your yours he him his she her hers it "
    "its they them their theirs what which who whom whose am is are was were be been being have "
    "has had having do does did doing will would shall should can could may might must there here "
    "when where why how".split()
)
"""English words that carry no claim; none that turns one, such as "not", "no", "before", "over"."""


def ccp(record: Record, span: Span, *, function_words: frozenset[str] = FUNCTION_WORDS) -> float:
    """How much probability lay on words that would have contradicted the written ones.

    -sum over S of log( P(entailing) / (P(entailing) + P(contradicting)) ), where the written token
    entails itself and each alternative has the class that its two directions agree on: the one that
    is not neutral; neutral if they are entailment and contradiction. Neutral alternatives (another
    kind of claim) do not count, nor do function words.

    It is the negative log of the paper's product, which orders the same and does not saturate:
    lm-polygraph's value is -exp(-it). There the sequence version knows no function
    words; here both levels are one formula. Three traps there: function words are
    compared with raw token texts, so that " the" and "The" are none; so is a piece of a word such
    as "In" of "Indiana"; and "not" and "no" count as meaningless.

    Args:
        record: The answer and what is known of it.
        span: A claim, or the whole answer.
        function_words: Words that carry no claim, in lower case.

    Returns:
        Nats in [0, inf), worse when higher.

    Needs: TOKENS, LOGPROBS, TOP_LOGPROBS and NLI of the alternatives, both directions; neither at
    function words.

    Source: Fadeeva et al. 2024 (arXiv 2403.04696); lm-polygraph
    `ClaimConditionedProbability`, `ClaimConditionedProbabilityClaim`.
    """
    at = positions(record, span)
    for_each_token(record, record.alternatives, need=Need.TOP_LOGPROBS)
    content = [index for index in at if _whole_word(record, index) not in function_words]
    return sum(_token_ccp(record, index) for index in content)


def _token_ccp(record: Record, index: int) -> float:
    listed = listed_logprobs(record, index)
    named_nli(record)
    classes = [NliClass.ENTAILMENT, *map(_agreed, record.alternatives[index])]
    entailing = [lp for lp, label in zip(listed, classes, strict=True) if label == "entailment"]
    counted = [lp for lp, label in zip(listed, classes, strict=True) if label != "neutral"]
    return max(float(np.logaddexp.reduce(counted) - np.logaddexp.reduce(entailing)), 0.0)


def _agreed(alternative: Alternative) -> NliClass:
    labels = {judged(alternative.forward).label, judged(alternative.backward).label}
    decided = labels - {NliClass.NEUTRAL}
    return decided.pop() if len(decided) == 1 else NliClass.NEUTRAL


def _whole_word(record: Record, index: int) -> str:
    """The word that a token is, in lower case; empty if it is a piece of one."""
    text = record.tokens[index].text
    before = record.tokens[index - 1].text if index else ""
    after = record.tokens[index + 1].text if index + 1 < len(record.tokens) else ""
    starts = not (before[-1:].isalnum() and text[:1].isalnum())
    ends = not (text[-1:].isalnum() and after[:1].isalnum())
    return text.strip(string.punctuation + string.whitespace).lower() if starts and ends else ""
