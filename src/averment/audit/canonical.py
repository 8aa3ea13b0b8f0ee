"""Canonical JSON (RFC 8785): one value, one sequence of bytes, whatever program writes it.

Keys are sorted by their UTF-16 code units, numbers are written as ECMAScript writes doubles, text
is UTF-8 with the shortest escapes, and there is no blank. What has no such form is refused: NaN,
infinity, integers that a double cannot hold, halves of characters, keys that are no text.

Tests hold it against the package `rfc8785` (Apache-2.0), which nobody needs at run time.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any

_MOST_EXACT = 2**53 - 1
_FEWEST_PLAIN = 1e-6
_MOST_PLAIN = 1e21
"""ECMAScript writes numbers from the first up to the second without an exponent."""
_BEYOND_FIRST_PLANE = re.compile(rb"[\xf0-\xff]")
"""Bytes of characters by which the standard library would sort keys otherwise than we do."""
_sorted_json = json.JSONEncoder(
    ensure_ascii=False,
    check_circular=False,  # only what was read is written by it
    allow_nan=False,
    sort_keys=True,
    separators=(",", ":"),
).encode


def canonical(value: Any) -> bytes:
    """The canonical bytes of a value of dicts, lists, tuples, texts, numbers, booleans and None.

    Raises:
        ValueError: The value has no canonical form.
    """
    try:
        return _written(value).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("A text holds half a character, which UTF-8 cannot say.") from error


def read_canonical(body: bytes) -> Any:
    """The value of canonical bytes.

    Raises:
        ValueError: It is no JSON, or not in canonical form.
    """
    text = body.decode()
    try:
        value, _ = _DECODER.raw_decode(text)  # refuses numbers that are spelled otherwise
        # The standard library is several times as fast as we are. What it writes the same is
        # canonical, unless it sorts keys in its own way.
        is_same = (text.isascii() or not _BEYOND_FIRST_PLANE.search(body)) and _sorted_json(
            value
        ) == text
        if not is_same and canonical(value) != body:
            raise ValueError("it is not in canonical form")
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return value


def _read_integer(written: str) -> int | float:
    """A number without point and exponent; what no integer of ours can be is a double."""
    number = int(written)
    return number if abs(number) <= _MOST_EXACT else _read_double(written)


def _read_double(written: str) -> float:
    number = float(written)
    if _number(number) != written:
        raise ValueError(f"the number {written} is not in canonical form")
    return number


def _written(value: Any) -> str:
    return _WRITERS[type(value)](value)


def _integer(value: int) -> str:
    if abs(value) > _MOST_EXACT:
        raise ValueError(f"The integer {value} is beyond what every JSON reader can hold.")
    return int.__repr__(value)


def _array(value: Sequence[Any]) -> str:
    return f"[{','.join([_WRITERS[type(each)](each) for each in value])}]"


def _object(value: Mapping[Any, Any]) -> str:
    try:
        is_ascii = "".join(value).isascii()
    except TypeError:
        raise ValueError("A key is no text.") from None
    # subtle: by UTF-16 code units, where characters beyond the first plane precede U+E000.
    by = None if is_ascii else (lambda key: key.encode("utf-16-be"))
    rows = [
        f"{encode_basestring(key)}:{_WRITERS[type(inner := value[key])](inner)}"
        for key in sorted(value, key=by)
    ]
    return f"{{{','.join(rows)}}}"


def _number(value: float) -> str:
    """A double as ECMAScript writes it: the shortest digits that read back as the same."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is no number of JSON.")
    mantissa, _, exponent_text = float.__repr__(value).partition("e")
    if not exponent_text:
        return mantissa.removesuffix(".0") if value else "0"
    sign = "-" if value < 0 else ""
    whole, _, fraction = mantissa.removeprefix("-").partition(".")
    exponent = int(exponent_text)
    if _FEWEST_PLAIN <= abs(value) < 1:
        return f"{sign}0.{'0' * (-exponent - 1)}{whole}{fraction}"
    if 1 <= abs(value) < _MOST_PLAIN:
        return sign + whole + fraction.ljust(exponent, "0")
    return f"{mantissa}e{exponent:+d}"


class _Writers(dict[type[Any], Callable[[Any], str]]):
    """How values are written, by their type."""

    def __missing__(self, kind: type[Any]) -> Callable[[Any], str]:
        """The writer of a subclass, an enumeration of texts above all."""
        for base in (str, int, float, list, tuple, Mapping):
            if issubclass(kind, base):
                return self.setdefault(kind, self[base])
        raise ValueError(f"{kind.__name__} has no form in JSON.")


_WRITERS = _Writers(
    {
        str: encode_basestring,
        dict: _object,
        list: _array,
        float: _number,
        int: _integer,
        bool: lambda value: "true" if value else "false",
        type(None): lambda _: "null",
        tuple: _array,
        Mapping: _object,
    }
)
_DECODER = json.JSONDecoder(parse_int=_read_integer, parse_float=_read_double)
