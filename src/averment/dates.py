"""Dates of a text as values: days, months, years, decades and centuries, in English spelling.

A date holds what is written of it and no more: "7 November" has no year, "1867" no month. That
is what makes a vaguer date follow from a more exact one and never the other way round. What this
module does not do: times of day, weekdays, "last year", calendars other than the Gregorian one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Relation(StrEnum):
    """What a stated quantity says of a claimed one."""

    SAME = "same"
    """The claimed one follows from it."""
    OPEN = "open"
    """Both may hold: it is vaguer, or of something else."""
    DIFFERENT = "different"
    """Only one of both can hold."""


@dataclass(frozen=True, slots=True)
class Date:
    """A date at `text[start:end]`; years before Christ are negative.

    `first_year` and `last_year` are equal unless it is a decade or a century, and None where no
    year is written; so are `month` (1 to 12) and `day`.
    """

    first_year: int | None
    last_year: int | None
    month: int | None
    day: int | None
    start: int
    end: int

    @property
    def is_bare_year(self) -> bool:
        """Whether nothing but one year is written, as a number that could be a count."""
        return self.month is None and self.first_year == self.last_year


def compare_dates(claimed: Date, stated: Date) -> Relation:
    """What a stated date says of a claimed one."""
    relations = [
        _compare_field(claimed.month, stated.month),
        _compare_field(claimed.day, stated.day),
        _compare_years(claimed, stated),
    ]
    if Relation.DIFFERENT in relations:
        return Relation.DIFFERENT
    return Relation.OPEN if Relation.OPEN in relations else Relation.SAME


def _compare_field(claimed: int | None, stated: int | None) -> Relation:
    if claimed is None:
        return Relation.SAME
    if stated is None:
        return Relation.OPEN
    return Relation.SAME if claimed == stated else Relation.DIFFERENT


def _compare_years(claimed: Date, stated: Date) -> Relation:
    if claimed.first_year is None or claimed.last_year is None:
        return Relation.SAME
    if stated.first_year is None or stated.last_year is None:
        return Relation.OPEN
    if stated.last_year < claimed.first_year or claimed.last_year < stated.first_year:
        return Relation.DIFFERENT
    inside = claimed.first_year <= stated.first_year and stated.last_year <= claimed.last_year
    return Relation.SAME if inside else Relation.OPEN


# --- reading ------------------------------------------------------------------------------------

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
MONTH_FORMS = frozenset(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
"""The words that name a month, case folded."""
_MONTH = (
    r"(?P<month>January|February|March|April|May|June|July|August|September|October|November"
    r"|December|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
)
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?![\d.,]\d|\d)"
# "1947 – 30 August 2017" is a year and a day, not a span of years.
_UNTIL = rf"(?:\s?[-–—]\s?(?P<until>[12]\d{{3}}|\d\d(?!\s+(?:{'|'.join(_MONTHS).title()})))(?!\d))?"
_YEAR = r"(?P<year>[12]\d{3})(?!\d|[.,]\d)"
_BEFORE_CHRIST = r"(?P<bc>\s?B\.?C\.?(?:E\.?)?\b)?"

# The first that matches wins, so the more exact ones stand first.
_DATE = re.compile(
    "|".join(
        pattern.replace("?P<", f"?P<p{at}_")
        for at, pattern in enumerate(
            (
                rf"\b{_YEAR}-(?P<month_number>0[1-9]|1[0-2])-(?P<day>[0-3]\d)(?!\d)",
                rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}(?:\s*,?\s*{_YEAR})?",
                rf"\b{_MONTH}\s+{_DAY}(?:\s*,?\s*{_YEAR})?",
                rf"\b{_MONTH}\s*,?\s*(?:of\s+)?{_YEAR}",
                rf"(?<=\b[Ii]n ){_MONTH}\b",
                r"\b(?P<decade>[12]\d{2}0)\s?['’]?s\b",
                r"\b(?P<century>[12]?\d)(?:st|nd|rd|th)[ -]century" + _BEFORE_CHRIST,
                r"(?<![\w$€£.,/-])(?P<year>[1-9]\d{0,2})\s?"
                r"(?:(?P<bc>B\.?C\.?(?:E\.?)?)|A\.?D\.?)\b",
                rf"(?<![\w$€£.,/-]){_YEAR}(?!\s?%){_UNTIL}{_BEFORE_CHRIST}",
            )
        )
    )
)


def dates_at(text: str, start: int) -> list[Date]:
    """The date that begins at that place of a text, if any; a span of years, "1955-56", is two.

    A number of four digits from 1000 to 2999 without a mark is taken for a year.
    """
    found = _DATE.match(text, start)
    if found is None:
        return []
    parts = {
        name.split("_", 1)[1]: value
        for name, value in found.groupdict().items()
        if value is not None
    }
    return list(_dates_of(parts, start, found.end()))


def _dates_of(parts: dict[str, str], start: int, end: int) -> Iterator[Date]:
    sign = -1 if "bc" in parts else 1
    first, last = _years(parts)
    if sign < 0 and first is not None and last is not None:
        first, last = -last, -first
    month = _MONTHS.index(parts["month"][:3].lower()) + 1 if "month" in parts else None
    if "month_number" in parts:
        month = int(parts["month_number"])
    day = int(parts["day"]) if "day" in parts else None
    yield Date(first, last, month, day, start, end)
    if "until" in parts:
        until = parts["until"]
        year = int(parts["year"][: 4 - len(until)] + until)
        if sign > 0 and len(until) == 2 and year < int(parts["year"]):
            if until != "00":
                return  # "2020-05" is a month
            year += 100  # "1999-00"
        yield Date(sign * year, sign * year, None, None, start, end)


def _years(parts: dict[str, str]) -> tuple[int | None, int | None]:
    if "decade" in parts:
        return int(parts["decade"]), int(parts["decade"]) + 9
    if "century" in parts:
        century = int(parts["century"])
        # People count a century both from 1800 and from 1801.
        return century * 100 - 100, century * 100
    year = int(parts["year"]) if "year" in parts else None
    return year, year
