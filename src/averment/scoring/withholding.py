"""What is withheld of a text, and how: by the promise of an error rate, or by what errors cost.

A promise withholds claims that are not probable enough, or answers with one; costs withhold what is
dearer to give. A claim whose probability nobody knows is withheld too. A part that claims nothing
is not. What this module does not do: make the promise (`averment.franq.selective`), or weigh
(`averment.costs`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from averment.costs import Costs
from averment.promises import Promise, Remedy, Unit
from averment.types import Claim, Verdict

WITHHELD = "withheld"
"""The key of `Claim.reasons` under which it is said why a claim is withheld."""
REMEDY = "remedy"
"""The key of `Claim.reasons` under which it is said what becomes of it."""
BELOW = "below_threshold"
BY_COST = "by_expected_cost"
UNKNOWN = "unknown_probability"
OF_ITS_ANSWER = "answer_withheld"
WEAK_EVIDENCE = "weak_evidence"
CLAIMS_WITHHELD = "claims_withheld"
CLAIMS_HEDGED = "claims_hedged"


def with_withheld(
    claims: Sequence[Claim], promise: Promise | None, costs: Costs | None, *, answers: bool
) -> tuple[Claim, ...]:
    """The claims, those that are withheld with a reason and a remedy.

    Args:
        claims: In order.
        promise: Decides what is withheld.
        costs: Decide that where nothing is promised, and in any case what becomes of it; None: the
            promise has a remedy for all.
        answers: The last claim gives the answer.
    """
    if promise is None and costs is None:
        return tuple(claims)
    last = len(claims) - 1
    told = tuple(
        _told(claim, promise, costs, answers=answers and at == last)
        for at, claim in enumerate(claims)
    )
    if promise is None or promise.unit is Unit.CLAIM or not any(map(is_withheld, told)):
        return told
    return _all_of(told, promise, costs)


def is_withheld(claim: Claim) -> bool:
    """Whether it is not given as it was written."""
    return WITHHELD in claim.reasons


def remedy_of(claim: Claim) -> Remedy:
    """What becomes of a claim that is withheld."""
    return Remedy(claim.reasons.get(REMEDY, Remedy.DROP))


def decision(
    verdict: Verdict, reason: str | None, claims: Sequence[Claim]
) -> tuple[Verdict, str | None]:
    """The verdict of an answer whose claims may be withheld, and the reason.

    Args:
        verdict: Of the policy; never made better.
        reason: Of that.
        claims: In order. The last gives the answer: without it nothing is given, unless hedged.
    """
    withheld = [claim for claim in claims if is_withheld(claim)]
    if verdict is Verdict.ABSTAINED or not withheld:
        return verdict, reason
    remedies = set(map(remedy_of, withheld))
    loses_its_answer = is_withheld(claims[-1]) and remedy_of(claims[-1]) is Remedy.DROP
    if loses_its_answer or Remedy.ABSTAIN in remedies:
        return Verdict.ABSTAINED, WEAK_EVIDENCE
    if Remedy.DROP in remedies:
        return Verdict.WARNED, CLAIMS_WITHHELD if verdict is Verdict.ANSWERED else reason
    return Verdict.WARNED, CLAIMS_HEDGED


def _told(claim: Claim, promise: Promise | None, costs: Costs | None, *, answers: bool) -> Claim:
    if claim.reasons.get("p_faithful") == "empty_claim":
        return claim
    why = _why(claim, promise, costs, answers=answers)
    return claim if why is None else _because(claim, why, _remedy(claim, promise, costs, answers))


def _why(
    claim: Claim, promise: Promise | None, costs: Costs | None, *, answers: bool
) -> str | None:
    if claim.p_true is None:
        return UNKNOWN
    if promise is not None:
        return None if claim.p_true >= promise.p_true_at_least else BELOW
    assert costs is not None
    action, _ = costs.best(claim.p_true, answers=answers)
    return None if action.remedy is None else BY_COST


def _remedy(claim: Claim, promise: Promise | None, costs: Costs | None, answers: bool) -> Remedy:
    if costs is None:
        assert promise is not None
        return promise.remedy
    action, _ = costs.withheld(claim.p_true, answers=answers)
    assert action.remedy is not None
    return action.remedy


def _all_of(claims: Sequence[Claim], promise: Promise, costs: Costs | None) -> tuple[Claim, ...]:
    """An answer goes as a whole, in the way that suits the least probable of its claims."""
    told = [claim for claim in claims if is_withheld(claim)]
    worst = min(told, key=lambda claim: claim.p_true or 0.0)
    remedy = _remedy(worst, promise, costs, answers=True)
    return tuple(
        _because(claim, claim.reasons.get(WITHHELD, OF_ITS_ANSWER), remedy) for claim in claims
    )


def _because(claim: Claim, why: str, remedy: Remedy) -> Claim:
    return replace(claim, reasons={**claim.reasons, WITHHELD: why, REMEDY: remedy.value})
