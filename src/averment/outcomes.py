"""Why an answer was not simply given, as one of a few kinds, and the best evidence there was.

The reason of an answer is a code of whatever decided (`Answer.reason`); who counts outcomes, or
acts on them, wants the kind. What this module does not do: decide.
"""

from __future__ import annotations

from enum import StrEnum

from averment.types import Answer, Passage, Verdict


class OutcomeReason(StrEnum):
    """Why an answer came with a warning, or not at all."""

    NO_EVIDENCE = "no_evidence"
    """Nothing that was found speaks of it."""
    WEAK_EVIDENCE = "weak_evidence"
    """What was found is not enough: unsupported, unchecked or too improbable."""
    CONFLICT = "conflict"
    """Something that was found says otherwise."""
    POLICY = "policy"
    """Somebody does not want it answered: the model or its server refused."""
    BUDGET = "budget"
    """It came to no end within its sentences and tokens."""
    RUNTIME_FAILURE = "runtime_failure"
    """The model wrote nothing."""


KIND_OF = {
    "no_evidence": OutcomeReason.NO_EVIDENCE,
    "unsupported_claim": OutcomeReason.WEAK_EVIDENCE,
    "not_checked": OutcomeReason.WEAK_EVIDENCE,
    "by_a_bridge": OutcomeReason.WEAK_EVIDENCE,
    "skipped_step": OutcomeReason.WEAK_EVIDENCE,
    "low_coverage": OutcomeReason.WEAK_EVIDENCE,
    "weak_evidence": OutcomeReason.WEAK_EVIDENCE,
    "claims_withheld": OutcomeReason.WEAK_EVIDENCE,
    "claims_hedged": OutcomeReason.WEAK_EVIDENCE,
    "contradicted_claim": OutcomeReason.CONFLICT,
    "refusal": OutcomeReason.POLICY,
    "no_final_answer": OutcomeReason.BUDGET,
    "empty_answer": OutcomeReason.RUNTIME_FAILURE,
}
"""The kind of each reason code."""


def outcome_reason(answer: Answer) -> OutcomeReason | None:
    """The kind of the reason; None where the answer was given, or the code is nobody's."""
    return None if answer.verdict is Verdict.ANSWERED else KIND_OF.get(answer.reason or "")


def best_evidence(answer: Answer) -> Passage | None:
    """The span or passage that says most about the answer, also where it was not given.

    It is the evidence of the claim that is most faithful to its own, else what the last search
    found first; None where nothing was found.
    """
    with_evidence = [claim for claim in answer.claims if claim.evidence]
    if with_evidence:
        return max(with_evidence, key=lambda claim: claim.p_faithful or 0.0).evidence[0]
    hits = [hit for made in answer.retrievals[-1:] for hit in made.retrieval.hits]
    return hits[0].passage if hits else None
