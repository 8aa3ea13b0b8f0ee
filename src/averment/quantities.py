"""Numbers of a text as values: counts, ordinals, shares, money and measures, in English spelling.

"1,000" is "one thousand" and "5 km" is "5000 m". An amount is an interval: what is written as
"1.2 million" may be 1,234,567, and "more than 500" has no upper end. A claimed amount follows from
a stated one that lies inside its interval, and contradicts one that lies outside altogether, of
the same unit or of the same counted thing.

What this module does not do: decimal commas, Roman numerals, fractions in words ("half a million"
is not read), spans but "between 10 and 20" (of "10 to 20" or "10-20" both ends are amounts, as of a
score), arithmetic ("the sum of both"), ages from years, compound measures ("5 feet 7 inches" are
two amounts), and "one" as a word of its own, which is mostly no number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from averment.dates import MONTH_FORMS, Date, Relation, compare_dates, dates_at
from averment.text import TextForm, Word

_ROUNDING = 0.05
"""A rounded number is off by half its last digit, but never by more than this share."""
_VAGUENESS = 0.1
"""How far off "about" may be."""
_MOST_DIGITS = 20
"""What is longer is an identifier, and compared as a word."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number at `text[start:end]` with its unit.

    `dimension` is ``count``, ``ordinal``, ``share``, ``money usd``, ``length`` …; `value` is in
    its base unit (metres, grams, seconds, degrees Celsius …) and may mean anything from `low` to
    `high`. It is None for "more than 500". `noun` is the word behind a count or an ordinal.
    """

    dimension: str
    value: float | None
    low: float
    high: float
    noun: str
    start: int
    end: int


Quantity: TypeAlias = Amount | Date


def quantities(text: str, words: Sequence[Word] | None = None) -> list[Quantity]:
    """The amounts and dates of a text, in order, without overlaps.

    Args:
        text: Any text.
        words: Its words, as `averment.text.TextForm` gives them, where they are known already.
    """
    if words is None:
        return list(_quantities(text))
    return _read_all(text, words)


@lru_cache(maxsize=2**9)  # a passage is read for each thing that is claimed of its subject
def _quantities(text: str) -> tuple[Quantity, ...]:
    return tuple(_read_all(text, TextForm().words_with_spans(text)))


def _read_all(text: str, words: Sequence[Word]) -> list[Quantity]:
    found: list[Quantity] = []
    end = 0
    for at, word in enumerate(words):
        if word.start >= end and (word.form[0] in _DIGITS or word.form in _FIRST_WORDS):
            found += _read(text, words, at)
            end = found[-1].end if found else 0
    return found


def _read(text: str, words: Sequence[Word], at: int) -> Sequence[Quantity]:
    amount = _amount(text, words, at)
    when = dates_at(text, words[at].start)
    # "2000 km" is no year, and the 7 of "7 November" is no count.
    measured = amount is not None and amount.dimension not in _COUNTED
    if when and not (measured and when[0].is_bare_year):
        return when
    return [] if amount is None else [amount]


def compare(claimed: Quantity, stated: Quantity) -> Relation:
    """What a stated quantity says of a claimed one."""
    if isinstance(claimed, Date) and isinstance(stated, Date):
        return compare_dates(claimed, stated)
    if isinstance(claimed, Amount) and isinstance(stated, Amount):
        return _compare_amounts(claimed, stated)
    if isinstance(claimed, Date) and isinstance(stated, Amount):
        return _compare_year_and_count(claimed, stated)
    assert isinstance(stated, Date)
    assert isinstance(claimed, Amount)
    return _compare_year_and_count(stated, claimed)


def respelled(
    text: str, claimed: Sequence[Quantity], source: str, stated: Sequence[Quantity]
) -> str:
    """A text whose quantities are spelled as a source spells the same values.

    Args:
        text: What is claimed.
        claimed: Its quantities, in order.
        source: What is stated.
        stated: Quantities of it; the first of the same value gives the spelling.
    """
    pieces, end = [], 0
    for quantity in claimed:
        written = text[quantity.start : quantity.end]
        spellings = [
            source[other.start : other.end]
            for other in stated
            if _is_equal(quantity, other) and _mark(text, quantity) == _mark(source, other)
        ]
        if spellings and written not in spellings:
            written = spellings[0]
        pieces += [text[end : quantity.start], written]
        end = quantity.end
    return "".join([*pieces, text[end:]])


def _is_equal(a: Quantity, b: Quantity) -> bool:
    return compare(a, b) is Relation.SAME is compare(b, a)


def _mark(text: str, quantity: Quantity) -> str:
    """The currency or sign before a quantity, which is no part of it; empty if there is none."""
    before = text[: quantity.start].rstrip()[-1:]
    return before if before in _MARKS else ""


def _compare_year_and_count(date: Date, amount: Amount) -> Relation:
    # "1500" reads as a year and "1,500" does not.
    same = date.is_bare_year and amount.value == date.first_year and amount.dimension == "count"
    return Relation.SAME if same else Relation.OPEN


def _compare_amounts(claimed: Amount, stated: Amount) -> Relation:
    if claimed.dimension != stated.dimension:
        return _compare_currencies(claimed, stated)
    low, high = (stated.low, stated.high) if stated.value is None else (stated.value,) * 2
    if claimed.low <= low and high <= claimed.high:
        return Relation.SAME
    apart = stated.high < claimed.low or claimed.high < stated.low
    same_thing = claimed.noun == stated.noun or claimed.dimension not in _COUNTED
    return Relation.DIFFERENT if apart and same_thing else Relation.OPEN


def _compare_currencies(claimed: Amount, stated: Amount) -> Relation:
    # The same number of another money is a slip; two numbers may well be two prices.
    both_money = claimed.dimension.startswith("money") and stated.dimension.startswith("money")
    same_number = claimed.value is not None and claimed.value == stated.value
    return Relation.DIFFERENT if both_money and same_number else Relation.OPEN


# --- numerals -----------------------------------------------------------------------------------

_DIGITS = frozenset("0123456789")
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen".split()
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SMALL = {word: float(value) for value, word in enumerate(_ONES)} | {
    word: 20.0 + 10 * at for at, word in enumerate(_TENS)
}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SHORT_SCALES = {"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "b": 1e9}
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split()
)
_ORDINAL_VALUES = {word: float(at) for at, word in enumerate(_ORDINALS, 1)}
_NO_NUMBERS = frozenset(("one", "zero"))
_FIRST_WORDS = frozenset((*_SMALL, *_SCALES, *_ORDINAL_VALUES, "dozen", *MONTH_FORMS))

_NUMBER_WORD = "|".join((*_SMALL, *_SCALES))
_BEHIND_SCALE = "(?:(?<=red)|(?<=and)|(?<=ion))"  # "two and three" is no five
_SPELLED = re.compile(
    rf"(?:{_NUMBER_WORD})\b(?:(?:[\s-]|{_BEHIND_SCALE}\sand\s)(?:{_NUMBER_WORD})\b)*",
    re.IGNORECASE,
)
_AFTER_TENS = re.compile(rf"(?<=ty)-({'|'.join(_ORDINALS[:9])})\b", re.IGNORECASE)
# "1,00,000" is grouped as in India; a group behind a plain blank is one if a zero begins it.
_WRITTEN = re.compile(
    r"(?P<digits>(?:\d{1,3}(?:[,\u00a0\u2009\u202f]\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}"
    r"|\d{1,3}(?: \d{3})* 0\d{2}(?: \d{3})*(?!\d)|\d+)(?:\.\d+)?)"
    r"(?:(?P<suffix>st|nd|rd|th)\b|\s?(?P<scale>hundred|thousand|million|billion|trillion)s?\b"
    r"|(?P<short>k|m|mn|bn|b)\b)?",
    re.IGNORECASE,
)
_GROUPING = re.compile(r"[, \u00a0\u2009\u202f]")
# With the first letter of the number: "half million", but "in the first half 3 goals".
_OF_A_FRACTION = re.compile(
    r"\b(?:half|quarter)\s(?:(?:of\s(?:an?\s)?|an?\s).|[mbd])$", re.IGNORECASE
)
_AND_A_FRACTION = re.compile(r"\sand\s(?:an?|one)\s(?:half|quarter)\b", re.IGNORECASE)
_MOST_BEFORE = 20
"""Characters in front of a number that `_OF_A_FRACTION` is looked for in."""


class _Numeral(NamedTuple):
    """A number without its unit; `last_digit` is what one more of its last digit would add."""

    number: float
    last_digit: float
    is_ordinal: bool
    end: int


def _numeral(text: str, word: Word, *, of_money: bool) -> _Numeral | None:
    if word.form in _ORDINAL_VALUES:
        return _Numeral(_ORDINAL_VALUES[word.form], 1.0, True, word.end)
    if word.form == "dozen":
        return _Numeral(12.0, 1.0, False, word.end)
    spelled = _SPELLED.match(text, word.start)
    if spelled is not None:
        if spelled.group().lower() in _NO_NUMBERS:
            return None
        number, last_digit = _spelled(spelled.group().lower())
        ordinal = _AFTER_TENS.match(text, spelled.end())
        if ordinal is not None:
            number += _ORDINAL_VALUES[ordinal[1].lower()]
            return _Numeral(number, last_digit, True, ordinal.end())
        return _Numeral(number, last_digit, False, spelled.end())
    written = _WRITTEN.match(text, word.start)
    if written is None:
        return None
    digits = _GROUPING.sub("", written["digits"])
    if _has_point_before(text, word.start) and digits.isdigit():
        digits = f"0.{digits}"
    if len(digits) > _MOST_DIGITS:
        return None
    scale = _SCALES.get((written["scale"] or "").lower(), 1.0)
    end, short = written.end(), written["short"] or ""
    if of_money or short == "M":
        scale *= _SHORT_SCALES.get(short.lower(), 1.0)
    elif short:
        end = written.end("digits")  # "5 m" is a length
    last_digit = scale / 10 ** len(digits.partition(".")[2])
    return _Numeral(float(digits) * scale, last_digit, written["suffix"] is not None, end)


def _has_point_before(text: str, start: int) -> bool:
    """Whether a number begins with its point (".5 km"), which no word is cut at."""
    before = text[max(0, start - 2) : start]
    return before.endswith(".") and not before[:-1].strip("$€£¥-−~(")


def _is_part_of_fraction(text: str, start: int, end: int) -> bool:
    """Whether a number is said to be halved, or to be more by a half."""
    before = text[max(0, start - _MOST_BEFORE) : start + 1]
    return bool(_OF_A_FRACTION.search(before) or _AND_A_FRACTION.match(text, end))


def _spelled(words: str) -> tuple[float, float]:
    """What stands before a scale is multiplied by it: "two hundred and five thousand"."""
    total = group = scale = 0.0
    for word in re.findall(r"[a-z]+", words):
        if word in _SMALL:
            group += _SMALL[word]
        elif word == "hundred":
            group = (group or 1.0) * 100
        elif word in _SCALES:
            scale = _SCALES[word]
            total += (group or 1.0) * scale
            group = 0.0
    return total + group, 1.0 if group else scale or 1.0


# --- units --------------------------------------------------------------------------------------

_DAY_S = 86_400.0
_YEAR_S = 365.25 * _DAY_S
_UNITS: dict[str, tuple[str, float]] = {
    spelling.replace("_", " "): (dimension, factor)
    for dimension, factor, spellings in (
        ("length", 1e-6, "µm μm micrometre micrometres micrometer micrometers"),
        ("length", 1e-3, "mm millimetre millimetres millimeter millimeters"),
        ("length", 1e-2, "cm centimetre centimetres centimeter centimeters"),
        ("length", 1.0, "m metre metres meter meters"),
        ("length", 1e3, "km kilometre kilometres kilometer kilometers"),
        ("length", 0.0254, "inch inches"),
        ("length", 0.3048, "ft foot feet"),
        ("length", 0.9144, "yard yards"),
        ("length", 1609.344, "mi mile miles"),
        # With the micro sign and with the Greek letter, which look alike.
        ("mass", 1e-6, "µg μg ug mcg microgram micrograms"),
        ("mass", 1e-3, "mg milligram milligrams"),
        ("mass", 1.0, "g gram grams gramme grammes"),
        ("mass", 1e3, "kg kilogram kilograms kilo kilos"),
        ("mass", 1e6, "tonne tonnes ton tons"),
        ("mass", 453.592, "lb lbs pound pounds"),
        ("mass", 28.3495, "oz ounce ounces"),
        ("time", 1e-3, "ms millisecond milliseconds"),
        ("time", 1.0, "second seconds sec"),
        ("time", 60.0, "minute minutes min mins"),
        ("time", 3600.0, "hour hours hr hrs"),
        ("time", _DAY_S, "day days"),
        ("time", 7 * _DAY_S, "week weeks"),
        ("time", _YEAR_S / 12, "month months"),
        ("time", _YEAR_S, "year years"),
        ("time", 10 * _YEAR_S, "decade decades"),
        ("time", 100 * _YEAR_S, "century centuries"),
        ("area", 1.0, "m² square_metre square_metres square_meter square_meters sq_m"),
        ("area", 1e6, "km² square_kilometre square_kilometres square_kilometers square_km sq_km"),
        ("area", 1609.344**2, "square_mile square_miles sq_mi"),
        ("area", 1e4, "ha hectare hectares"),
        ("area", 4046.86, "acre acres"),
        ("volume", 1e-3, "ml millilitre millilitres milliliter milliliters"),
        ("volume", 1.0, "litre litres liter liters"),
        ("volume", 3.78541, "gallon gallons"),
        ("speed", 1.0, "km/h kph"),
        ("speed", 1.609344, "mph"),
        ("share", 0.01, "% percent per_cent"),
        ("temperature", 1.0, "°c degrees_celsius"),
        ("fahrenheit", 1.0, "°f degrees_fahrenheit"),
        ("money usd", 1.0, "dollar dollars usd"),
        ("money eur", 1.0, "euro euros eur"),
        ("money gbp", 1.0, "pounds_sterling gbp"),
    )
    for spelling in spellings.split()
}
_MARKS = frozenset("$€£¥-−~")
_CURRENCIES = {"$": "money usd", "€": "money eur", "£": "money gbp", "¥": "money jpy"}
_UNIT = re.compile(
    r"[\s-]?("
    + "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True)).replace(r"\ ", r"\s")
    + r")(?!\w)",
    re.IGNORECASE,
)
_NOUN = re.compile(r"[\s-]+([^\W\d_]{2,})")
_NO_NOUN = frozenset("and in of on at to for by from with as or is was were are the a".split())
_COUNTED = ("count", "ordinal")

# --- what stands before and behind --------------------------------------------------------------

_BOUNDS = {
    tuple(words.split()): bound
    for bound, phrases in (
        ("about", "about;around;approximately;roughly;nearly;almost;circa;ca;c;estimated"),
        ("more", "more than;over;above;exceeding;greater than;at least;no less than;no fewer than"),
        ("less", "less than;fewer than;under;below;at most;no more than;not more than;up to"),
    )
    for words in phrases.split(";")
}
_MOST_WORDS_OF_A_BOUND = 3
_NUMBER = rf"[$€£¥~]?(?:\.?\d|(?:{_NUMBER_WORD})\b)"
_AND_MORE = re.compile(rf"\sand\s{_NUMBER}", re.IGNORECASE)
_BETWEEN = re.compile(rf"\bbetween\s{_NUMBER}\S*(?:\s\S+)?\sand\s[$€£¥~]?$", re.IGNORECASE)
_MOST_OF_BETWEEN = 40
"""Characters in front of a number that `_BETWEEN` is looked for in."""
_SIGN = re.compile(r"(?<![^\s(])(?:[-−][$€£¥]?|[$€£¥][-−])$")
_BEHIND = re.compile(r"\+|\s?or more\b|\s?or (?P<less>less|fewer)\b", re.IGNORECASE)


def _amount(text: str, words: Sequence[Word], at: int) -> Amount | None:
    """The amount whose number begins with that word; None if it is no number."""
    start = words[at].start - _has_point_before(text, words[at].start)
    currency = _CURRENCIES.get(text[max(0, start - 2) : start].rstrip("-−").rstrip()[-1:])
    numeral = _numeral(text, words[at], of_money=currency is not None)
    if numeral is None or _is_part_of_fraction(text, start, numeral.end):
        return None
    dimension, factor, end = currency or "count", 1.0, numeral.end
    unit = _UNIT.match(text, numeral.end)
    if numeral.is_ordinal:
        dimension = "ordinal"
    elif currency is None and unit is not None:
        (dimension, factor), end = _UNITS[" ".join(unit[1].lower().split())], unit.end()
    value = numeral.number * factor
    exact = dimension in _COUNTED and numeral.last_digit == 1
    half = 0.0 if exact else min(numeral.last_digit * factor / 2, value * _ROUNDING)
    bound = _bound(text, words, at, start=start, end=end)
    if _is_negative(text, words, at, start=start):
        value = -value
    if dimension == "fahrenheit":
        dimension, value, half = "temperature", (value - 32) * 5 / 9, half * 5 / 9
    if bound == "about":
        half = abs(value) * _VAGUENESS
    return Amount(
        dimension=dimension,
        value=None if bound in ("more", "less") else value,
        low={"less": -math.inf, "more": value}.get(bound, value - half),
        high={"less": value, "more": math.inf}.get(bound, value + half),
        noun=_noun(text, end) if dimension in _COUNTED else "",
        start=start,
        end=end,
    )


def _bound(text: str, words: Sequence[Word], at: int, *, start: int, end: int) -> str:
    """Whether it is said to be about so much, more or less; empty if nothing is said."""
    if _BETWEEN.search(text[max(0, start - _MOST_OF_BETWEEN) : start]):
        return "less"
    if at and words[at - 1].form == "between" and _AND_MORE.match(text, end):
        return "more"
    behind = _BEHIND.match(text, end)
    if behind is not None:
        return "less" if behind["less"] else "more"
    for n_words in range(_MOST_WORDS_OF_A_BOUND, 0, -1):
        bound = _BOUNDS.get(tuple(word.form for word in words[max(0, at - n_words) : at]))
        if bound is not None:
            return bound
    return "about" if text[start - 1 : start] == "~" else ""


def _is_negative(text: str, words: Sequence[Word], at: int, *, start: int) -> bool:
    if at and words[at - 1].form in ("minus", "negative"):
        return True
    # subtle: the hyphen of "10-6" and of "vitamin-12" is no sign.
    return _SIGN.search(text[max(0, start - 4) : start]) is not None


def _noun(text: str, end: int) -> str:
    """The word behind a number without the ending of its plural; empty if there is none."""
    found = _NOUN.match(text, end)
    word = found[1].lower() if found else ""
    if word in _NO_NOUN:
        return ""
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
