"""Why a claim has its verdict: the rule in words, counts, what windows say, passages."""

from __future__ import annotations

from typing import Any

from averment.dating import AsOf
from averment.serve.tool_results import (
    DATA_NOTICE,
    Explanation,
    PairOfClaim,
    Quote,
    ReadRelation,
)
from averment.shapes import claim_object, estimators_used, place_object, report_object
from averment.text import shortened
from averment.types import Check, Claim, Passage, RelationCheck, Report

_MOST_PAIRS = 5
_DIGITS = 4
_NUMBERS = ("p_true", "p_faithful")
_IN_WORDS = {
    "passage_entails": "A passage entails the claim.",
    "passage_contradicts": "A passage contradicts the claim.",
    "opposite_stated": "A passage states the opposite.",
    "number_differs": "A passage says the same with another number.",
    "date_differs": "A passage says the same with another date.",
    "negation_differs": "A passage says the same, but one of them is negated.",
    "other_quantity": "Another number or date stands in the passage that comes nearest.",
    "relation_missing": "A passage mentions its names, and not what it says of them.",
    "number_missing": "A number or date of the claim is not in the passage that comes nearest.",
    "name_missing": "A name of the claim is not in the passage that comes nearest.",
    "passages_do_not_entail": "Passages were read, and none entails the claim.",
    "no_evidence": "There was no passage to hold the claim against.",
    "corpus_states_another": "The corpus gives the relation of the claim to something else.",
    "absent_in_corpus": "What the claim joins never stands near each other in the corpus.",
    "not_covered_in_corpus": "The corpus hardly knows what the claim is about.",
    "mention_only": "Its names stand near each other in the corpus; that is no support.",
    "no_corpus": "Neither documents nor a corpus say anything about the claim.",
    "no_claim": "Nothing in the claim could be counted, and no passage was read.",
}


def explanation_of(claim_id: str, claim: Claim, report: Report, *, detail: bool) -> Explanation:
    """The explanation of a claim of a report.

    Args:
        claim_id: By which it is asked for.
        claim: One of the report's.
        report: What its check found.
        detail: With all that is known.
    """
    reason = claim.reasons["verdict"]
    made = Explanation(
        id=claim_id,
        text=claim.text,
        verdict=claim.verdict.value,
        reason=reason,
        explanation=in_words(reason),
        support=claim.support.value,
        p_true=claim.p_true,
        p_faithful=_rounded(claim.p_faithful),
        reasons={name: claim.reasons[name] for name in _NUMBERS if name in claim.reasons},
        pairs=[_pair(check) for check in claim.checks[:_MOST_PAIRS]],
        evidence=[quoted(passage) for passage in claim.evidence],
        n_passages=len(report.passages),
        estimators_used=estimators_used(report.scores),
        notice=DATA_NOTICE,
        **looked_at(report.as_of),
    )
    if detail:
        made.claim = claim_object(claim)
        made.passages = report_object(report)["passages"]
    return made


def unclaimed(claim_id: str, report: Report, *, reason: str) -> Explanation:
    """The explanation of a text that claims nothing."""
    return Explanation(
        id=claim_id,
        text=report.text,
        verdict="unverified",
        reason=reason,
        explanation=f"It claims nothing that could be checked: {reason.replace('_', ' ')}.",
        support="unknown",
        p_true=None,
        p_faithful=None,
        reasons=dict.fromkeys(_NUMBERS, reason),
        pairs=[],
        evidence=[],
        n_passages=len(report.passages),
        estimators_used=estimators_used(report.scores),
        notice=DATA_NOTICE,
        **looked_at(report.as_of),
    )


def looked_at(as_of: AsOf | None) -> dict[str, Any]:
    """The field ``as_of`` of a result; none where all documents were looked at."""
    return {} if as_of is None else {"as_of": as_of.in_words}


def in_words(reason: str) -> str:
    """What a reason code says; one without a sentence of its own is its own words."""
    return _IN_WORDS.get(reason) or f"The rule: {reason.replace('_', ' ')}."


def quoted(passage: Passage) -> Quote:
    """The span of a passage, cut."""
    text = shortened(passage.text)
    return Quote(document_id=passage.document_id, text=text, **place_object(passage))


def _rounded(number: float | None) -> float | None:
    """A raw score with as many digits as say something."""
    return None if number is None else round(number, _DIGITS)


def _pair(check: Check) -> PairOfClaim:
    found = check.cooccurrence
    return PairOfClaim(
        head=check.triplet.head,
        relation=check.triplet.relation,
        tail=check.triplet.tail,
        head_documents=check.head_count.documents,
        tail_documents=check.tail_count.documents,
        documents=found.documents,
        nearest_words=found.nearest_words,
        window_words=check.window_words,
        kind=found.kind.value,
        support=check.support.value,
        windows=None if check.relation is None else _read(check.relation),
    )


def _read(found: RelationCheck) -> ReadRelation:
    window = None if found.window is None else quoted(found.window)
    return ReadRelation(outcome=found.outcome.value, reason=found.reason, window=window)
