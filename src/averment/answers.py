"""From a finished trace to the answer that is shown: pure, so that a replay gives the same one.

Does not judge: support was found by the policy, and nothing scores claims yet.
"""

from __future__ import annotations

from collections.abc import Sequence

from averment.text import TextForm, contains_words
from averment.trace import Trace
from averment.types import (
    Answer,
    Claim,
    ClaimVerdict,
    Draft,
    Passage,
    Sentence,
    Support,
    Verdict,
)

ABSTENTION = "I do not know."
_UNSCORED = ("p_faithful", "p_true_if_faithful", "p_true_if_unfaithful", "p_true")


def answer_of(trace: Trace) -> Answer:
    """The answer that a finished trace holds."""
    draft = trace.draft
    assert draft is not None
    text = " ".join(sentence.text for sentence in draft.sentences)
    abstained = draft.verdict is Verdict.ABSTAINED
    return Answer(
        question=trace.question,
        text=ABSTENTION if abstained else text,
        draft=text,
        final_answer="" if abstained else draft.final_answer,
        verdict=draft.verdict,
        reason=draft.reason,
        claims=_claims(draft),
        retrievals=draft.retrievals,
        cost=trace.cost,
        policy=trace.policy,
        model=trace.model,
        trace_id=trace.trace_id,
    )


def _claims(draft: Draft) -> tuple[Claim, ...]:
    """One claim a sentence, for now; nothing scores them yet, and they say so."""
    found = dict.fromkeys(hit.passage for t in draft.retrievals for hit in t.retrieval.hits)
    passages = [(p, TextForm().words(f"{p.title} {p.text}")) for p in found]
    claims = []
    start = 0
    for number, sentence in enumerate(draft.sentences):
        verdict, reason = _claim_verdict(sentence)
        claims.append(
            Claim(
                text=sentence.text,
                start=start,
                end=start + len(sentence.text),
                sentence=number,
                triplets=tuple(c.triplet for c in sentence.checks if c.triplet.relation),
                support=sentence.support,
                verdict=verdict,
                checks=sentence.checks,
                evidence=_evidence(sentence, draft.final_answer, passages),
                reasons=_reasons(sentence, reason),
            )
        )
        start += len(sentence.text) + 1
    return tuple(claims)


def _claim_verdict(sentence: Sentence) -> tuple[ClaimVerdict, str]:
    if sentence.support in (Support.ABSENT, Support.NOT_COVERED):
        return ClaimVerdict.UNSUPPORTED, f"{sentence.support}_in_corpus"
    if sentence.support is Support.UNKNOWN:
        return ClaimVerdict.UNVERIFIED, sentence.reason or "not_checked"
    # Co-occurrence is not entailment: a pair that is there leaves the claim unverified.
    return ClaimVerdict.UNVERIFIED, "no_estimator"


def _reasons(sentence: Sentence, verdict_reason: str) -> dict[str, str]:
    reasons = {**dict.fromkeys(_UNSCORED, "no_estimator"), "verdict": verdict_reason}
    if sentence.reason is not None:
        reasons["support"] = sentence.reason
    return reasons


def _evidence(
    sentence: Sentence, answer: str, passages: Sequence[tuple[Passage, list[str]]]
) -> tuple[Passage, ...]:
    """The passages (with their words) that hold both ends of a pair, or the answer found there."""
    form = TextForm()
    needed = [
        (form.words(check.triplet.head), form.words(check.triplet.tail))
        for check in sentence.checks
    ]
    if sentence.reason == "in_passage":
        needed.append((form.words(answer), form.words(answer)))
    return tuple(
        passage
        for passage, words in passages
        if any(contains_words(words, a) and contains_words(words, b) for a, b in needed)
    )
