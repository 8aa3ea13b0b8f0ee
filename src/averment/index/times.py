"""When phrases and pairs of phrases are found: by year or month, for the first and the last time.

Exact: each answer is a few questions to the index about documents of some dates, so it counts as
the index counts, forms of names and lower bounds included. A document without a date has no place
on this scale: it is counted beside it, since it may be the earliest or the latest of all. What this
module does not do: read dates out of texts. A document's date says when it was written, not when
what it tells was so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Generic, TypeVar

from averment.dating import AsOf, Dates, Days, Period, Undated, written_date
from averment.index.metadata import checked_days
from averment.ports import CorpusIndex, DatedIndex
from averment.types import Cooccurrence, Count, CountKind, Phrase

_Found = TypeVar("_Found", bound=Count | Cooccurrence, covariant=True)
_UNDATED = Dates(undated=Undated.ONLY)


# --- by period ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OfPeriod(Generic[_Found]):
    """What was found in the documents of a year or month, and how many documents that are."""

    period: str
    n_documents: int
    found: _Found


@dataclass(frozen=True, slots=True)
class ByPeriod(Generic[_Found]):
    """What was found over time.

    Args:
        periods: Every period of which there are documents, the earliest first.
        undated: What was found in documents without a date.
        vague_documents: Documents that hold it and whose date names no single period; None: some
            could not be counted.
    """

    periods: tuple[OfPeriod[_Found], ...]
    undated: _Found
    vague_documents: int | None


def counts_by_period(
    index: DatedIndex, phrases: Sequence[Phrase], by: Period
) -> list[ByPeriod[Count]]:
    """Occurrences and documents of each phrase in each year or month.

    Raises:
        QueryError: A phrase has no word.
    """
    return _by_period(index, by, lambda some: some.count(phrases))


def cooccurrence_by_period(
    index: DatedIndex, pairs: Sequence[tuple[Phrase, Phrase]], by: Period, *, window_words: int
) -> list[ByPeriod[Cooccurrence]]:
    """Co-occurrence of each pair in each year or month.

    Raises:
        QueryError: A phrase has no word, or `window_words` is below zero.
    """
    return _by_period(index, by, lambda some: some.cooccurrence(pairs, window_words=window_words))


def _by_period(
    index: DatedIndex, by: Period, ask: Callable[[CorpusIndex], list[_Found]]
) -> list[ByPeriod[_Found]]:
    n_documents: dict[str, int] = {}
    for days, n in index.dates().items():
        if days is not None and (period := _period(days, by)) is not None:
            n_documents[period] = n_documents.get(period, 0) + n
    periods = sorted(n_documents)
    in_each = [ask(index.dated(Dates(since=each, until=each))) for each in periods]
    undated = ask(index.dated(_UNDATED))
    made = []
    for at, every in enumerate(ask(index)):
        times = [
            OfPeriod(period, n_documents[period], found[at])
            for period, found in zip(periods, in_each, strict=True)
        ]
        placed = [each.found.documents for each in times] + [undated[at].documents]
        known = [n for n in (every.documents, *placed) if n is not None]
        vague = known[0] - sum(known[1:]) if len(known) == len(placed) + 1 else None
        made.append(ByPeriod(tuple(times), undated[at], vague))
    return made


def _period(days: Days, by: Period) -> str | None:
    """The period in which a date lies as a whole; None: it is too vague to say."""
    n_characters = 4 if by is Period.YEAR else 7
    first, last = (_day(day)[:n_characters] for day in days)
    return first if first == last else None


# --- first and last -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Seen:
    """Between which dates something is found.

    Args:
        first: The date of the earliest document that surely is: the one whose last possible day
            comes first. None: unknown.
        last: The date of the latest one, likewise.
        first_document_id: A document of the date `first`.
        last_document_id: A document of the date `last`.
        dated_documents: Documents with a date that hold it.
        undated_documents: Documents without a date that hold it; they may be earlier or later.
        vague_before: Documents that may be earlier than `first`, since their date is vague.
        vague_after: Documents that may be later than `last`, since their date is vague.
        kind: How far the numbers may be trusted. With ``lower_bound`` the first may be earlier.
        reason: A code, where `first` and `last` are unknown: ``not_found``, ``only_undated``, or
            ``not_counted`` where a part of the index could not be read.
    """

    first: str | None
    last: str | None
    first_document_id: str | None
    last_document_id: str | None
    dated_documents: int | None
    undated_documents: int | None
    vague_before: int
    vague_after: int
    kind: CountKind
    reason: str | None = None


def seen(index: DatedIndex, phrases: Sequence[Phrase]) -> list[Seen]:
    """The first and the last date of each phrase.

    Raises:
        QueryError: A phrase has no word.
    """
    return [_seen(index, _PhraseSought(phrase)) for phrase in phrases]


def seen_together(
    index: DatedIndex, pairs: Sequence[tuple[Phrase, Phrase]], *, window_words: int
) -> list[Seen]:
    """The first and the last date at which each pair stands within the window.

    Raises:
        QueryError: A phrase has no word, or `window_words` is below zero.
    """
    return [_seen(index, _PairSought(a, b, window_words)) for a, b in pairs]


@dataclass(frozen=True, slots=True)
class _PhraseSought:
    phrase: Phrase

    def is_in(self, index: CorpusIndex) -> bool:
        return bool(self.found(index).documents)

    def found(self, index: CorpusIndex) -> Count:
        (found,) = index.count([self.phrase])
        return found

    def document(self, index: CorpusIndex) -> str:
        (place,) = index.locate(self.phrase, limit=1)
        return place.document_id


@dataclass(frozen=True, slots=True)
class _PairSought:
    a: Phrase
    b: Phrase
    window_words: int

    def is_in(self, index: CorpusIndex) -> bool:
        (found,) = index.exists([(self.a, self.b)], window_words=self.window_words)
        return bool(found)

    def found(self, index: CorpusIndex) -> Cooccurrence:
        (found,) = index.cooccurrence([(self.a, self.b)], window_words=self.window_words)
        return found

    def document(self, index: CorpusIndex) -> str:
        places = index.locate_pair(self.a, self.b, window_words=self.window_words, limit=1)
        return places[0].document_id


def _seen(index: DatedIndex, sought: _PhraseSought | _PairSought) -> Seen:
    every, undated = sought.found(index), sought.found(index.dated(_UNDATED))
    if every.documents is None or undated.documents is None:
        return Seen(None, None, None, None, None, None, 0, 0, every.kind, "not_counted")
    n_dated = every.documents - undated.documents
    dates = [days for days in index.dates() if days is not None]
    if not n_dated:
        lacks = "not_counted" if every.kind is not CountKind.EXACT else "not_found"
        reason = "only_undated" if undated.documents else lacks
        return Seen(None, None, None, None, 0, undated.documents, 0, 0, every.kind, reason)

    def is_found(dates: Dates) -> bool:
        return sought.is_in(index.dated(dates))

    # As documents are added day by day, it is once found and stays so: the first day is bisected.
    lasts = sorted({days.last for days in dates})
    end = lasts[bisect_left(lasts, True, key=lambda day: is_found(Dates(until=_day(day))))]
    firsts = sorted({-days.first for days in dates})
    start = -firsts[bisect_left(firsts, True, key=lambda day: is_found(Dates(since=_day(-day))))]
    # Of those that surely are the earliest, the one with the most exact date.
    of_end = sorted((days for days in dates if days.last == end), reverse=True)
    first = next(d for d in of_end if is_found(Dates(since=_day(d.first), until=_day(end))))
    of_start = sorted(days for days in dates if days.first == start)
    last = next(d for d in of_start if is_found(Dates(since=_day(start), until=_day(d.last))))
    surely_not_before = sought.found(index.dated(Dates(since=_day(first.first)))).documents
    surely_not_after = sought.found(index.dated(Dates(until=_day(last.last)))).documents
    assert surely_not_before is not None
    assert surely_not_after is not None
    return Seen(
        first=written_date(first),
        last=written_date(last),
        first_document_id=sought.document(index.dated(_exactly(first))),
        last_document_id=sought.document(index.dated(_exactly(last))),
        dated_documents=n_dated,
        undated_documents=undated.documents,
        vague_before=n_dated - surely_not_before,
        vague_after=n_dated - surely_not_after,
        kind=every.kind,
    )


def _day(ordinal: int) -> str:
    return date.fromordinal(ordinal).isoformat()


def _exactly(days: Days) -> Dates:
    return Dates(since=_day(days.first), until=_day(days.last))


# --- up to a date ---------------------------------------------------------------------------------


def as_of(index: DatedIndex, day: str, undated: Undated = Undated.EXCLUDE) -> AsOf:
    """What an answer as of a date looks at: documents whose date as a whole is not after it.

    Raises:
        QueryError: The day is not a date.
    """
    bound = checked_days("as_of", day)
    dates = index.dates()
    known = [(days, n) for days, n in dates.items() if days is not None]
    n_until = sum(n for days, n in known if days.last <= bound.last)
    n_later = sum(n for days, n in known if days.first > bound.last)
    n_undated = dates.get(None, 0)
    return AsOf(
        day=day,
        undated=undated,
        n_documents=n_until + (n_undated if undated is Undated.INCLUDE else 0),
        n_undated=n_undated,
        n_later=n_later,
        n_vague=sum(n for _, n in known) - n_until - n_later,
    )
