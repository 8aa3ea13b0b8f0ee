"""Why an answer was not given, as one of six kinds, and what was found at best."""

from __future__ import annotations

from dataclasses import replace

import pytest

from averment.outcomes import KIND_OF, OutcomeReason, best_evidence, outcome_reason
from averment.page.words import REASON_WORDS
from averment.types import Verdict
from doubles import hits, passage
from test_answers import CLAIM, FINAL, answered


def test_every_reason_that_is_told_in_words_is_of_a_kind() -> None:
    assert set(REASON_WORDS) <= set(KIND_OF)
    assert set(KIND_OF.values()) == set(OutcomeReason)


@pytest.mark.parametrize(
    ("verdict", "reason", "expected"),
    [
        (Verdict.ANSWERED, None, None),
        (Verdict.WARNED, "contradicted_claim", OutcomeReason.CONFLICT),
        (Verdict.ABSTAINED, "no_evidence", OutcomeReason.NO_EVIDENCE),
        (Verdict.ABSTAINED, "empty_answer", OutcomeReason.RUNTIME_FAILURE),
        (Verdict.WARNED, "no_final_answer", OutcomeReason.BUDGET),
        (Verdict.ABSTAINED, "of_another_policy", None),
        (Verdict.ABSTAINED, None, None),
    ],
)
def test_the_kind_of_a_reason(
    verdict: Verdict, reason: str | None, expected: OutcomeReason | None
) -> None:
    assert outcome_reason(answered(CLAIM, verdict=verdict, reason=reason)) is expected


def test_the_best_evidence_is_that_of_the_most_faithful_claim() -> None:
    answer = answered(CLAIM, FINAL)
    weak, strong = passage("weak"), passage("strong")
    first, second = answer.claims
    claims = (
        replace(first, evidence=(weak,), p_faithful=0.2),
        replace(second, evidence=(strong,), p_faithful=0.7),
    )

    assert best_evidence(replace(answer, claims=claims)) == strong
    assert best_evidence(replace(answer, claims=claims[:1])) == weak


def test_without_it_the_first_hit_of_the_last_search_is_told() -> None:
    found = hits("query", passage("Oslo is a city."), passage("Bergen is a city."))
    answer = answered(replace(CLAIM, checks=()), retrievals=(hits("before", passage("x")), found))

    assert best_evidence(answer) == found.hits[0].passage
    assert best_evidence(answered(replace(CLAIM, checks=()), retrievals=())) is None
