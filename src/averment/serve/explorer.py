"""The corpus explorer: one phrase or two, how often, how near, and where.

What this module does not do: HTTP, or say what a count means for a claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from averment.page.claims import places
from averment.page.html import Html
from averment.types import Cooccurrence, Count, CountKind, Phrase
from averment.wiring.serving import Serving

WINDOWS_WORDS = (5, 10, 50, 200, 1000)
ANYWHERE_WORDS = 2**31 - 1
"""Longer than any document, so that a pair may stand anywhere in it."""
_SHOWN = 8
_AT_LEAST = {CountKind.LOWER_BOUND: "≥ ", CountKind.ESTIMATE: "about "}


@dataclass(frozen=True, slots=True)
class CountRow:
    """A phrase with its counts in words, and the forms that were counted as it."""

    phrase: str
    occurrences: str
    documents: str
    forms: str


@dataclass(frozen=True, slots=True)
class WindowRow:
    """What a window holds: counts in words, and a share of the widest window's documents."""

    window: str
    documents: str
    pairs: str
    share: float | None


@dataclass(frozen=True, slots=True)
class Explored:
    """What was found; `windows` is empty for one phrase."""

    counts: Sequence[CountRow]
    windows: Sequence[WindowRow]
    nearest: str
    places: Html | None
    places_told: str


def explore(serving: Serving, first: str, second: str, *, by_forms: bool) -> Explored:
    """Count one phrase, or two and how near they stand.

    Args:
        serving: With the index.
        first: A phrase.
        second: Another, or empty.
        by_forms: Names are counted by all their forms.

    Raises:
        QueryError: A phrase has no word.
    """
    index = serving.counts_by_forms if by_forms else serving.index
    phrases = [first, second] if second else [first]
    counts = index.count(phrases)
    asked = [_counted_as(phrase, count) for phrase, count in zip(phrases, counts, strict=True)]
    windows: Sequence[WindowRow] = ()
    nearest = ""
    if second:
        all_windows = (*WINDOWS_WORDS, ANYWHERE_WORDS)
        (found,) = index.cooccurrence_by_window([(first, second)], windows_words=all_windows)
        windows = [_window_row(w, f, found[-1]) for w, f in zip(all_windows, found, strict=True)]
        nearest = _nearest(found[-1])
        # From the index itself, which shows the text of forms that were counted together.
        seen = serving.index.locate_pair(*asked, window_words=ANYWHERE_WORDS, limit=_SHOWN)
    else:
        seen = serving.index.locate(asked[0], limit=_SHOWN)
    names = [name for phrase in asked for name in ([phrase] if isinstance(phrase, str) else phrase)]
    return Explored(
        counts=[_count_row(p, c) for p, c in zip(phrases, counts, strict=True)],
        windows=windows,
        nearest=nearest,
        places=places(seen, names, serving.index.form) if seen else None,
        places_told=_places_told(len(seen), is_pair=bool(second)),
    )


def _counted_as(phrase: str, count: Count) -> Phrase:
    return frozenset(form.text for form in count.forms) or phrase


def _count_row(phrase: str, count: Count) -> CountRow:
    others = [form.text for form in count.forms if form.text != phrase]
    return CountRow(
        phrase,
        _told(count.value, count.kind),
        _told(count.documents, count.kind),
        ", ".join(others),
    )


def _window_row(window_words: int, found: Cooccurrence, widest: Cooccurrence) -> WindowRow:
    anywhere = window_words == ANYWHERE_WORDS
    share = None
    if found.documents is not None and widest.documents:
        share = found.documents / widest.documents
    return WindowRow(
        "anywhere in one document" if anywhere else f"within {window_words:,} words",
        _told(found.documents, found.kind),
        _told(found.pairs, found.kind),
        share,
    )


def _told(value: int | None, kind: CountKind) -> str:
    return "not counted" if value is None else f"{_AT_LEAST.get(kind, '')}{value:,}"


def _nearest(found: Cooccurrence) -> str:
    if found.nearest_words is not None:
        return f"The nearest pair is {found.nearest_words:,} words apart."
    if found.exists is False:
        return "They never stand in one document."
    return "How near they stand is not known: a part of the corpus could not be read."


def _places_told(n_shown: int, *, is_pair: bool) -> str:
    if not n_shown:
        return "There is no place to show."
    if is_pair:
        return f"The closest place of each of the first {n_shown} documents that hold both."
    return f"The first {n_shown} places, in the order of the corpus."
