"""Dates and numbers in the other ways in which they are written.

A form has the same value and the same precision: "12 May 1815" is never "1815". Which of two
values is the vaguer one is for `averment.quantities`, which compares; here texts are made that an
index can look for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from averment.dates import Date, dates_at

_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_NUMBER = re.compile(r"(?P<digits>\d{1,3}(?:,\d{3})+|\d{4,15})(?P<rest>\D.*)?", re.DOTALL)
_MILLIONS = re.compile(
    r"(?P<digits>\d{1,3}(?:\.\d{1,3})?) (?P<scale>million|billion)(?P<rest>\D.*)?", re.DOTALL
)
_ZEROS = {"million": 6, "billion": 9}


def date_orders(text: str) -> Iterator[str]:
    """A date with the day first, with the month first, and as in ISO 8601."""
    stripped = text.strip()
    found = dates_at(stripped, 0)
    if len(found) != 1 or found[0].end != len(stripped):
        return
    date = found[0]
    if date.month is None or date.day is None:
        return
    month, day = _MONTHS[date.month - 1], date.day
    if date.first_year is None:
        yield from (f"{day} {month}", f"{month} {day}", f"{_ordinal(day)} {month}")
        yield from (f"{month} {_ordinal(day)}", f"{_ordinal(day)} of {month}")
        return
    yield from _with_year(date, month, day)


def _with_year(date: Date, month: str, day: int) -> Iterator[str]:
    year = date.first_year
    yield f"{day} {month} {year}"
    yield f"{month} {day}, {year}"
    yield f"{year}-{date.month:02}-{day:02}"
    yield f"{_ordinal(day)} {month} {year}"
    yield f"{month} {_ordinal(day)}, {year}"
    yield f"{_ordinal(day)} of {month} {year}"
    yield f"{day} of {month} {year}"
    if month[:3] != month:
        yield f"{day} {month[:3]} {year}"
        yield f"{month[:3]} {day}, {year}"
    if day < 10:
        yield f"{day:02} {month} {year}"


def _ordinal(day: int) -> str:
    if day in (11, 12, 13):
        return f"{day}th"
    return f"{day}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th') }"


def number_formats(text: str) -> Iterator[str]:
    """A number with and without commas, and in millions: "1,500,000", "1.5 million people".

    Four digits without a comma are a year, and stay.
    """
    stripped = text.strip()
    written = _NUMBER.fullmatch(stripped)
    spelled = _MILLIONS.fullmatch(stripped)
    if written and (len(written["digits"]) > 4 or "," in written["digits"]):
        number, rest = int(written["digits"].replace(",", "")), written["rest"] or ""
    elif spelled:
        whole, _, part = spelled["digits"].partition(".")
        zeros = _ZEROS[spelled["scale"]]
        number, rest = int(whole + part.ljust(zeros, "0")), spelled["rest"] or ""
    else:
        return
    yield f"{number:,}{rest}"
    yield f"{number}{rest}"
    for scale, zeros in _ZEROS.items():
        whole, part = divmod(number, 10**zeros)
        short = f"{whole}.{part:0{zeros}}".rstrip("0").rstrip(".")
        if 0 < whole < 1000 and len(short) <= len(str(whole)) + 4:
            yield f"{short} {scale}{rest}"
