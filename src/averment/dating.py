"""Which documents are meant by their dates, up to when an answer looks, and how old evidence is.

Plain values, below everything else. Dates are ISO 8601 as documents carry them: a day, a month or
a year, which is vague about its days. What this module does not do: read dates out of texts
(`averment.dates`), or compare them with documents (`averment.index.metadata`).
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple


class Days(NamedTuple):
    """The first and the last day that a date may mean, as ordinals of the Gregorian calendar."""

    first: int
    last: int


class Period(StrEnum):
    """What dates are cut down to where something is counted over time."""

    YEAR = "year"
    MONTH = "month"


class Undated(StrEnum):
    """What becomes of documents without a date where dates restrict."""

    EXCLUDE = "exclude"
    """They are left out: nobody knows that they are old enough."""
    INCLUDE = "include"
    """They are taken along: nobody knows that they are too new."""
    ONLY = "only"
    """They alone are meant."""


@dataclass(frozen=True, slots=True)
class Dates:
    """Documents by date; what is None does not restrict.

    Args:
        after: Dated after that day, month or year.
        since: Dated in it or later.
        until: Dated in it or earlier. A vague date must lie inside as a whole.
        undated: What becomes of documents without a date.
    """

    after: str | None = None
    since: str | None = None
    until: str | None = None
    undated: Undated = Undated.EXCLUDE

    @property
    def in_words(self) -> str:
        """As it stands behind a noun: "dated after 2020, until 2024"."""
        named = {"after": self.after, "since": self.since, "until": self.until}
        told = ", ".join(f"{name} {day}" for name, day in named.items() if day is not None)
        if self.undated is Undated.ONLY:
            return "without a date"
        return f"dated {told}" + (" or not at all" if self.undated is Undated.INCLUDE else "")


@dataclass(frozen=True, slots=True)
class AsOf:
    """Up to when an answer looked, and how many documents that left.

    Args:
        day: The last day, month or year whose documents were used.
        undated: Whether documents without a date were used.
        n_documents: How many were used.
        n_undated: How many have no date.
        n_later: How many are dated later and were left out.
        n_vague: How many have a date that may be earlier or later ("2021" for a day in May 2021);
            left out too.
    """

    day: str
    undated: Undated
    n_documents: int
    n_undated: int
    n_later: int
    n_vague: int

    @property
    def in_words(self) -> str:
        """One sentence: what was looked at, and what not."""
        taken = "taken along" if self.undated is Undated.INCLUDE else "left out"
        parts = [f"{self.n_later:,} later left out"]
        parts += [f"{self.n_vague:,} of unclear date left out"] if self.n_vague else []
        parts += [f"{self.n_undated:,} without a date {taken}"] if self.n_undated else []
        return f"As of {self.day}: {self.n_documents:,} documents; {', '.join(parts)}."


@dataclass(frozen=True, slots=True)
class Age:
    """How old the newest evidence of a claim is, and whether the corpus has newer documents.

    Args:
        newest_evidence: The date of the newest document that the evidence is from; None: unknown.
        newer_documents: Documents dated later that hold a pair of the claim; of several pairs, the
            one with most. None: unknown.
        is_at_least: There may be more of them than were counted.
        reason: A code, where one of both is unknown: ``no_evidence``, ``undated_evidence``,
            ``no_pair``, ``not_counted``.
    """

    newest_evidence: str | None
    newer_documents: int | None
    is_at_least: bool = False
    reason: str | None = None

    @property
    def in_words(self) -> str | None:
        """One line for a reader; None where the evidence has no date."""
        if self.newest_evidence is None:
            return None
        told = f"newest evidence of {self.newest_evidence}"
        if self.newer_documents is None:
            return f"{told}; whether there are newer documents was not counted"
        if not self.newer_documents:
            of_those = " of those that could be read" if self.is_at_least else ""
            return f"{told}; no newer document{of_those} names its pair"
        least = "at least " if self.is_at_least else ""
        one = self.newer_documents == 1
        many = "1 newer document names" if one else f"{self.newer_documents:,} newer documents name"
        return f"{told}; {least}{many} its pair"


# --- dates as days ------------------------------------------------------------------------------

_YEAR = re.compile(r"(\d{4})(?:-(\d{2}))?")


def days_of(written: str) -> Days | None:
    """The days that an ISO 8601 date means: a year has 365 or 366, a time of day one.

    Returns:
        None if it is no date of the calendar.
    """
    try:
        if found := _YEAR.fullmatch(written):
            year, month = int(found[1]), int(found[2] or 0)
            last_month = month or 12
            last = date(year, last_month, monthrange(year, last_month)[1])
            return Days(date(year, month or 1, 1).toordinal(), last.toordinal())
        day = datetime.fromisoformat(written).toordinal()
    except ValueError:
        return None
    return Days(day, day)


def written_date(days: Days) -> str:
    """The ISO 8601 date that means these days: the inverse of `days_of`, without a time of day."""
    first = date.fromordinal(days.first).isoformat()
    return next(short for short in (first[:4], first[:7], first) if days_of(short) == days)
