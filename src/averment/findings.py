"""What a finding amounts to: whether passages entail or oppose a claim, or the corpus denies it.

One rule for verdicts, policies and answers, so that none of them is stricter than another. What
this module does not do: find anything, or decide what follows.
"""

from __future__ import annotations

from averment.types import Check, Faithfulness, RelationOutcome

ENTAILED = 0.5
"""Least faithfulness that counts as support, and least contradiction that counts as such."""

OPPOSING = frozenset(("number_differs", "date_differs", "negation_differs", "opposite_stated"))
"""Rules that found the passage to say something else, not only to say less."""


def entails(found: Faithfulness) -> bool:
    """Whether the passages say it; a rule that found something missing outweighs the score."""
    return found.score >= ENTAILED and found.reason is None


def opposes(found: Faithfulness) -> bool:
    """Whether the passages say otherwise."""
    return found.reason in OPPOSING or (found.contradiction or 0.0) >= ENTAILED


def is_denied(check: Check) -> bool:
    """Whether the corpus gives the relation of a pair another tail."""
    return check.relation is not None and check.relation.outcome is RelationOutcome.CONTRADICTED
