"""Counts over time in the terminal: a line and a bar a period, and from when to when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from averment.cli.console import at_least, out, print_json
from averment.dating import Period
from averment.text import n_of

if TYPE_CHECKING:
    from averment.index.times import ByPeriod, Seen
    from averment.ports import DatedIndex
    from averment.types import Cooccurrence, Count

ByOption = Annotated[
    Period | None,
    typer.Option("--by", help="Count in each year or month apart.", show_default=False),
]
_BAR = 30
_WHY_UNKNOWN = {
    "not_found": "not found",
    "only_undated": "found only in documents without a date, so nobody knows when",
    "not_counted": "not known, since a part of the index could not be read",
}


def print_counts_by(
    index: DatedIndex, phrases: Sequence[str], by: Period, *, json: bool = False
) -> None:
    """How often phrases occur in each period."""
    from averment.index.times import counts_by_period
    from averment.shapes import counts_by_period_object

    found = counts_by_period(index, phrases, by)
    if json:
        print_json(counts_by_period_object(phrases, found, by, index.info))
        return
    for phrase, one in zip(phrases, found, strict=True):
        out().print(f"{phrase}:", markup=False)
        _print_periods(one)


def print_cooccurrence_by(
    index: DatedIndex, pair: tuple[str, str], by: Period, *, window_words: int, json: bool = False
) -> None:
    """How often a pair stands together in each period."""
    from averment.index.times import cooccurrence_by_period
    from averment.shapes import cooccurrence_by_period_object

    (found,) = cooccurrence_by_period(index, [pair], by, window_words=window_words)
    if json:
        made = cooccurrence_by_period_object(*pair, found, by, window_words=window_words)
        print_json({**made, "normalization": index.info.text_form})
        return
    within = n_of(window_words, "word")
    out().print(f"{pair[0]} and {pair[1]} within {within}:", markup=False)
    _print_periods(found)


def _print_periods(found: ByPeriod[Count | Cooccurrence]) -> None:
    """A bar is as long as the share of the documents of its period that hold it."""
    shares = [(each.found.documents or 0) / each.n_documents for each in found.periods]
    most = max(shares, default=0)
    for each, share in zip(found.periods, shares, strict=True):
        least = at_least(each.found.kind)
        told = f"{least}{each.found.documents:,} of {n_of(each.n_documents, 'document')}"
        bar = "█" * round(_BAR * share / most) if most else ""
        out().print(f"  {each.period:<7}  {bar:<{_BAR}}  {told}".rstrip(), markup=False)
    for line in _without_place(found):
        out().print(f"  {line}", markup=False)


def _without_place(found: ByPeriod[Count | Cooccurrence]) -> Iterator[str]:
    if not found.periods:
        yield "no document of the index has a date that names a single period"
    if found.undated.documents:
        yield f"and {n_of(found.undated.documents, 'document')} without a date"
    if found.vague_documents:
        yield f"and {n_of(found.vague_documents, 'document')} whose date is longer than a period"


def print_seen(
    index: DatedIndex, phrase: str, other: str | None, *, window_words: int, json: bool = False
) -> None:
    """From when to when a phrase is found, or a pair within a window."""
    from averment.index.times import seen, seen_together
    from averment.shapes import seen_object

    if other is None:
        (found,) = seen(index, [phrase])
    else:
        (found,) = seen_together(index, [(phrase, other)], window_words=window_words)
    if json:
        window = None if other is None else window_words
        made = seen_object(phrase, other, found, window_words=window)
        print_json({**made, "normalization": index.info.text_form, "index": index.info.name})
        return
    named = phrase
    if other is not None:
        named = f"{phrase} and {other} within {n_of(window_words, 'word')}"
    out().print(f"{named}: {_seen_told(found)}", markup=False)
    for line in _undecided(found):
        out().print(f"  {line}", markup=False)


def _seen_told(found: Seen) -> str:
    if found.reason is not None:
        return _WHY_UNKNOWN[found.reason]
    dated = f"in {at_least(found.kind)}{n_of(found.dated_documents, 'dated document')}"
    return (
        f"first {found.first} ({found.first_document_id}), "
        f"last {found.last} ({found.last_document_id}), {dated} ({found.kind})"
    )


def _undecided(found: Seen) -> Iterator[str]:
    """What may be earlier or later than what is known."""
    if found.undated_documents:
        may = "" if found.first is None else ", which may be earlier or later"
        yield f"and {n_of(found.undated_documents, 'document')} without a date{may}"
    if found.vague_before:
        yield f"{n_of(found.vague_before, 'document')} of vaguer date may be earlier"
    if found.vague_after:
        yield f"{n_of(found.vague_after, 'document')} of vaguer date may be later"
    if found.first is not None and found.kind == "lower_bound":
        yield "a part of the index could not be read, so it may have been found earlier or later"
