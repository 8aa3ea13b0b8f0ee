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
_FEWEST_PLAIN, _MOST_PLAIN = 1e-6, 1e21
"""ECMAScript writes numbers from the first up to the second without an exponent."""
_WRITTEN_OTHERWISE = re.compile(rb"[\xf0-\xff]|\d\.0(?!\d)|\de[-+]\d|\d{16}")
"""What the standard library may write and we would not, or the other way round: characters beyond
the first plane, by which keys are sorted otherwise; doubles with an exponent or none behind the
point; integers that a double cannot hold."""
_sorted_json = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
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
    # The standard library is ten times as fast as we are; what it says the same is canonical.
    if _WRITTEN_OTHERWISE.search(body) is None:
        value = json.loads(body)
        if _sorted_json(value).encode() == body:
            return value
    value = _DECODER.decode(body.decode())
    if canonical(value) != body:
        raise ValueError("it is not in canonical form")
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


def canonical_object(members: Mapping[str, bytes]) -> bytes:
    """The canonical bytes of an object whose values are canonical already.

    Args:
        members: ASCII keys, each with the canonical bytes of its value.
    """
    rows = (f'"{key}":'.encode("ascii") + members[key] for key in sorted(members))
    return b"{" + b",".join(rows) + b"}"


def _written(value: Any) -> str:
    write = _WRITERS.get(type(value))
    if write is not None:
        return write(value)
    for kind in (str, int, float, list, tuple, Mapping):
        if isinstance(value, kind):  # a subclass, an enumeration of texts above all
            return _WRITERS[kind](value)
    raise ValueError(f"{type(value).__name__} has no form in JSON.")


def _integer(value: int) -> str:
    if abs(value) > _MOST_EXACT:
        raise ValueError(f"The integer {value} is beyond what every JSON reader can hold.")
    return int.__repr__(value)


def _array(value: Sequence[Any]) -> str:
    return f"[{','.join(map(_written, value))}]"


def _object(value: Mapping[Any, Any]) -> str:
    try:
        is_ascii = "".join(value).isascii()
    except TypeError:
        raise ValueError("A key is no text.") from None
    # subtle: by UTF-16 code units, where characters beyond the first plane precede U+E000.
    by = None if is_ascii else (lambda key: key.encode("utf-16-be"))
    keys = sorted(value, key=by)
    return f"{{{','.join([f'{encode_basestring(key)}:{_written(value[key])}' for key in keys])}}}"


def _number(value: float) -> str:
    """A double as ECMAScript writes it: the shortest digits that read back as the same."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is no number of JSON.")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    size = abs(value)
    mantissa, _, exponent_text = repr(size).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    exponent = int(exponent_text or 0)
    if not exponent_text and size < _MOST_PLAIN:
        return f"{sign}{whole}.{fraction}" if fraction else sign + whole
    if _FEWEST_PLAIN <= size < 1:
        return f"{sign}0.{'0' * (-exponent - 1)}{whole}{fraction}"
    if 1 <= size < _MOST_PLAIN:
        return sign + whole + fraction.ljust(exponent, "0")
    return f"{sign}{mantissa.removesuffix('.0')}e{exponent:+d}"


_WRITERS: Mapping[type[Any], Callable[[Any], str]] = {
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
_DECODER = json.JSONDecoder(parse_int=_read_integer, parse_float=_read_double)
