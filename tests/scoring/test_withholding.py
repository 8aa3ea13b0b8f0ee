"""What a promise withholds, and what that makes of an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from averment.costs import Costs
from averment.promises import Promise, Remedy, Unit
from averment.scoring.withholding import (
    BELOW,
    BY_COST,
    OF_ITS_ANSWER,
    REMEDY,
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


def remedied(one: Claim, remedy: Remedy) -> Claim:
    """A withheld claim with what becomes of it."""
    return replace(one, reasons={**one.reasons, REMEDY: remedy.value})


def reasons_of(*claims: Claim, unit: Unit = Unit.CLAIM) -> list[str | None]:
    found = with_withheld(claims, replace(PROMISE, unit=unit), None, answers=True)
    return [each.reasons.get(WITHHELD) for each in found]


def test_without_a_promise_nothing_is_withheld() -> None:
    claims = (claim(0.01), claim(None))

    assert with_withheld(claims, None, None, answers=True) == claims
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
    (found,) = with_withheld([claim(0.1, support="no_claim")], PROMISE, None, answers=False)

    told = {"verdict": "mention_only", "support": "no_claim"}
    assert found.reasons == {**told, WITHHELD: BELOW, REMEDY: "drop"}


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
    told = [remedied(each, remedy) if is_withheld(each) else each for each in claims]

    assert decision(Verdict.ANSWERED, None, told) == expected


# --- by what errors cost ------------------------------------------------------------------------

COSTS = Costs()


def by_cost(*claims: Claim, answers: bool = False) -> list[tuple[str | None, str | None]]:
    found = with_withheld(claims, None, COSTS, answers=answers)
    return [(each.reasons.get(WITHHELD), each.reasons.get(REMEDY)) for each in found]


def test_each_claim_gets_what_costs_least() -> None:
    assert by_cost(claim(0.9), claim(0.7), claim(0.3), claim(None)) == [
        (None, None),
        (BY_COST, "hedge"),
        (BY_COST, "drop"),
        (UNKNOWN, "drop"),
    ]


def test_where_a_claim_gives_the_answer_there_is_none_without_it() -> None:
    assert by_cost(claim(0.3), claim(0.3), answers=True) == [
        (BY_COST, "drop"),
        (BY_COST, "abstain"),
    ]


def test_a_promise_decides_what_is_withheld_and_costs_what_becomes_of_it() -> None:
    claims = (claim(0.8), claim(0.79), claim(0.2))

    found = with_withheld(claims, PROMISE, COSTS, answers=False)

    reasons = [(each.reasons.get(WITHHELD), each.reasons.get(REMEDY)) for each in found]
    assert reasons == [(None, None), (BELOW, "hedge"), (BELOW, "drop")]


@pytest.mark.parametrize(("worst", "remedy"), [(0.7, "hedge"), (0.1, "abstain"), (None, "abstain")])
def test_an_answer_that_goes_as_a_whole_goes_by_its_worst_claim(
    worst: float | None, remedy: str
) -> None:
    promise = replace(PROMISE, unit=Unit.ANSWER)

    found = with_withheld([claim(0.95), claim(worst)], promise, COSTS, answers=True)

    assert {each.reasons[REMEDY] for each in found} == {remedy}


def test_what_is_dropped_outweighs_what_is_hedged() -> None:
    hedged = remedied(GONE, Remedy.HEDGE)
    dropped = remedied(GONE, Remedy.DROP)

    assert decision(Verdict.ANSWERED, None, [dropped, hedged]) == (
        Verdict.WARNED,
        "claims_withheld",
    )
    assert decision(Verdict.ANSWERED, None, [hedged, dropped]) == (
        Verdict.ABSTAINED,
        "weak_evidence",
    )
