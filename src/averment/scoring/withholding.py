"""What a promise of an error rate withholds: claims that are not probable enough, answers with one.

A claim whose probability nobody knows is withheld too. A part that claims nothing is not.
What this module does not do: make the promise (`averment.franq.selective`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from averment.promises import Promise, Remedy, Unit
from averment.types import Claim, Verdict

WITHHELD = "withheld"
"""The key of `Claim.reasons` under which it is said why a claim is withheld."""
BELOW = "below_threshold"
UNKNOWN = "unknown_probability"
OF_ITS_ANSWER = "answer_withheld"
WEAK_EVIDENCE = "weak_evidence"
CLAIMS_WITHHELD = "claims_withheld"
CLAIMS_HEDGED = "claims_hedged"


def with_withheld(claims: Sequence[Claim], promise: Promise | None) -> tuple[Claim, ...]:
    """The claims, those that are withheld with a reason under `WITHHELD`."""
    if promise is None:
        return tuple(claims)
    told = tuple(_told(claim, promise) for claim in claims)
    if promise.unit is Unit.CLAIM or not any(map(is_withheld, told)):
        return told
    return tuple(claim if is_withheld(claim) else _because(claim, OF_ITS_ANSWER) for claim in told)


def is_withheld(claim: Claim) -> bool:
    """Whether a promise withholds it."""
    return WITHHELD in claim.reasons


def decision(
    verdict: Verdict, reason: str | None, claims: Sequence[Claim], remedy: Remedy = Remedy.DROP
) -> tuple[Verdict, str | None]:
    """The verdict of an answer with its claims held against a promise, and the reason.

    Args:
        verdict: Of the policy; never made better.
        reason: Of that.
        claims: In order. The last gives the answer: without it nothing is given, unless hedged.
        remedy: What becomes of what is withheld.
    """
    if verdict is Verdict.ABSTAINED or not any(map(is_withheld, claims)):
        return verdict, reason
    if remedy is Remedy.HEDGE:
        return Verdict.WARNED, CLAIMS_HEDGED
    if remedy is Remedy.ABSTAIN or is_withheld(claims[-1]):
        return Verdict.ABSTAINED, WEAK_EVIDENCE
    return Verdict.WARNED, CLAIMS_WITHHELD if verdict is Verdict.ANSWERED else reason


def _told(claim: Claim, promise: Promise) -> Claim:
    if claim.reasons.get("p_faithful") == "empty_claim":
        return claim
    if claim.p_true is None:
        return _because(claim, UNKNOWN)
    return claim if claim.p_true >= promise.p_true_at_least else _because(claim, BELOW)


def _because(claim: Claim, why: str) -> Claim:
    return replace(claim, reasons={**claim.reasons, WITHHELD: why})
