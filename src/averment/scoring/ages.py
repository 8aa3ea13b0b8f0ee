"""How old the evidence of a claim is, and whether the corpus has newer documents of the same pair.

The date of evidence is that of its document. A newer document is one that is dated later as a
whole and holds both ends of a pair that the claim states: it may say the same, or something else.
What this module does not do: read newer documents, or call a claim outdated.
"""

from __future__ import annotations

from collections.abc import Sequence

from averment import steps
from averment.dating import Age, Dates, Days, days_of
from averment.steps import Flow
from averment.types import Check, Claim, CountKind


def counted_ages(claims: Sequence[Claim]) -> Flow[tuple[Age, ...]]:
    """The age of each claim's evidence, and how many newer documents hold one of its pairs."""
    ages = []
    for claim in claims:
        ages.append((yield from _counted_age(claim)))
    return tuple(ages)


def _counted_age(claim: Claim) -> Flow[Age]:
    newest = _newest_date(claim)
    if newest is None:
        return Age(None, None, reason="undated_evidence" if claim.evidence else "no_evidence")
    if not claim.checks:
        return Age(newest, None, reason="no_pair")
    windows: dict[int, list[tuple[str, str]]] = {}
    for check in claim.checks:
        windows.setdefault(check.window_words, []).append(_pair(check))
    found = []
    for window_words, pairs in windows.items():
        found += yield from steps.cooccurrence(pairs, window_words, dates=Dates(after=newest))
    known = [each.documents for each in found if each.documents is not None]
    if not known:
        return Age(newest, None, reason="not_counted")
    is_exact = len(known) == len(found) and all(each.kind is CountKind.EXACT for each in found)
    return Age(newest, max(known), is_at_least=not is_exact)


def _pair(check: Check) -> tuple[str, str]:
    return check.triplet.head, check.triplet.tail


def _newest_date(claim: Claim) -> str | None:
    """The date of the newest evidence: whose last possible day is the latest."""
    dates = [passage.date for passage in claim.evidence if passage.date is not None]
    known = [(days, date) for date in dates if (days := days_of(date)) is not None]
    return max(known, key=_last_day)[1] if known else None


def _last_day(dated: tuple[Days, str]) -> Days:
    days, _ = dated
    return Days(days.last, days.first)
