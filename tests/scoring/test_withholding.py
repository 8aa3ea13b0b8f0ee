"""What a promise withholds, and what that makes of an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from averment.promises import Promise, Remedy, Unit
from averment.scoring.withholding import (
    BELOW,
    OF_ITS_ANSWER,
    UNKNOWN,
    WITHHELD,
    decision,
    is_withheld,
    with_withheld,
)
from averment.types import Claim, ClaimVerdict, Support, Verdict

PROMISE = Promise(0.1, 0.9, Unit.CLAIM, 0.8, 100, 60, 0.05, 0.6)


def claim(p_true: float | None, **reasons: str) -> Claim:
    return Claim(
        text="Oslo is in Norway.",
        start=0,
        end=18,
        sentence=0,
        triplets=(),
        support=Support.UNKNOWN,
        verdict=ClaimVerdict.UNVERIFIED,
        checks=(),
        evidence=(),
        reasons={"verdict": "mention_only", **reasons},
        p_true=p_true,
    )


def reasons_of(*claims: Claim, unit: Unit = Unit.CLAIM) -> list[str | None]:
    found = with_withheld(claims, replace(PROMISE, unit=unit))
    return [each.reasons.get(WITHHELD) for each in found]


def test_without_a_promise_nothing_is_withheld() -> None:
    claims = (claim(0.01), claim(None))

    assert with_withheld(claims, None) == claims
    assert not any(map(is_withheld, claims))


def test_what_is_not_probable_enough_is_withheld_and_what_is_unknown_too() -> None:
    assert reasons_of(claim(0.8), claim(0.79999), claim(None)) == [None, BELOW, UNKNOWN]


def test_what_claims_nothing_is_not_withheld() -> None:
    assert reasons_of(claim(None, p_faithful="empty_claim"), claim(0.9)) == [None, None]
    assert reasons_of(claim(None, p_faithful="not_judged")) == [UNKNOWN]


def test_an_answer_goes_as_a_whole_where_answers_are_promised() -> None:
    assert reasons_of(claim(0.9), claim(0.95), unit=Unit.ANSWER) == [None, None]
    assert reasons_of(claim(0.9), claim(0.1), unit=Unit.ANSWER) == [OF_ITS_ANSWER, BELOW]


def test_the_other_reasons_of_a_claim_stay() -> None:
    (found,) = with_withheld([claim(0.1, support="no_claim")], PROMISE)

    assert found.reasons == {"verdict": "mention_only", "support": "no_claim", WITHHELD: BELOW}


KEPT, GONE = claim(0.9), claim(0.1, **{WITHHELD: BELOW})


@pytest.mark.parametrize(
    ("claims", "verdict", "reason", "expected"),
    [
        ([KEPT, KEPT], Verdict.ANSWERED, None, (Verdict.ANSWERED, None)),
        ([KEPT, KEPT], Verdict.WARNED, "not_checked", (Verdict.WARNED, "not_checked")),
        ([GONE, KEPT], Verdict.ANSWERED, None, (Verdict.WARNED, "claims_withheld")),
        ([GONE, KEPT], Verdict.WARNED, "not_checked", (Verdict.WARNED, "not_checked")),
        ([KEPT, GONE], Verdict.ANSWERED, None, (Verdict.ABSTAINED, "weak_evidence")),
        ([KEPT, GONE], Verdict.WARNED, "not_checked", (Verdict.ABSTAINED, "weak_evidence")),
        ([GONE, KEPT], Verdict.ABSTAINED, "no_evidence", (Verdict.ABSTAINED, "no_evidence")),
        ([], Verdict.ABSTAINED, "empty_answer", (Verdict.ABSTAINED, "empty_answer")),
    ],
)
def test_the_last_claim_gives_the_answer(
    claims: list[Claim],
    verdict: Verdict,
    reason: str | None,
    expected: tuple[Verdict, str | None],
) -> None:
    assert decision(verdict, reason, claims) == expected


@pytest.mark.parametrize(
    ("remedy", "claims", "expected"),
    [
        (Remedy.HEDGE, [GONE, KEPT], (Verdict.WARNED, "claims_hedged")),
        (Remedy.HEDGE, [KEPT, GONE], (Verdict.WARNED, "claims_hedged")),
        (Remedy.HEDGE, [KEPT, KEPT], (Verdict.ANSWERED, None)),
        (Remedy.ABSTAIN, [GONE, KEPT], (Verdict.ABSTAINED, "weak_evidence")),
        (Remedy.ABSTAIN, [KEPT, KEPT], (Verdict.ANSWERED, None)),
    ],
)
def test_the_remedy_decides_what_becomes_of_an_answer(
    remedy: Remedy, claims: list[Claim], expected: tuple[Verdict, str | None]
) -> None:
    assert decision(Verdict.ANSWERED, None, claims, remedy) == expected
