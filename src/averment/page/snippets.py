"""Where the corpus has the pairs of an answer near each other: a few lines of text a pair.

A trace holds counts and, of some pairs, windows; this fetches what a reader wants to see beside
every count. What cannot be shown says why. What this module does not do: count again, or judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from averment.errors import AvermentError
from averment.ports import CorpusIndex
from averment.types import Answer, Check, Occurrence, Phrase, SurfaceForm

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Seen:
    """Where a pair stands, the closest place of each of some documents; or why nobody can say."""

    occurrences: tuple[Occurrence, ...] = ()
    refusal: str = ""


Snippets: TypeAlias = Mapping[tuple[str, str, int], Seen]
"""By head, tail and window."""


def key_of(check: Check) -> tuple[str, str, int]:
    """Under which the places of a pair are found."""
    return check.triplet.head, check.triplet.tail, check.window_words


def snippets_of(answer: Answer, index: CorpusIndex) -> dict[tuple[str, str, int], Seen]:
    """The places of every pair of an answer that occurs near each other."""
    found: dict[tuple[str, str, int], Seen] = {}
    for check in (check for claim in answer.claims for check in claim.checks):
        key = key_of(check)
        if check.cooccurrence.documents and key not in found:
            found[key] = _seen(check, index)
    return found


def _seen(check: Check, index: CorpusIndex) -> Seen:
    head = _counted_as(check.triplet.head, check.cooccurrence.a_forms)
    tail = _counted_as(check.triplet.tail, check.cooccurrence.b_forms)
    try:
        places = index.locate_pair(head, tail, window_words=check.window_words, limit=_SHOWN)
    except AvermentError as error:
        return Seen(refusal=error.message)
    return Seen(tuple(places))


def _counted_as(name: str, forms: Sequence[SurfaceForm]) -> Phrase:
    return frozenset(form.text for form in forms) if forms else name
