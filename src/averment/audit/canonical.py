"""Canonical JSON (RFC 8785): one value, one sequence of bytes, whatever program writes it.

Keys are sorted by their UTF-16 code units, numbers are written as ECMAScript writes doubles, text
is UTF-8 with the shortest escapes, and there is no blank. What has no such form is refused: NaN,
infinity, integers that a double cannot hold, halves of characters, keys that are no text.

Tests hold it against the package `rfc8785` (Apache-2.0), which nobody needs at run time.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

_MOST_EXACT = 2**53 - 1
_FEWEST_PLAIN, _MOST_PLAIN = 1e-6, 1e21
"""ECMAScript writes numbers from the first up to the second without an exponent."""
_written_text = json.JSONEncoder(ensure_ascii=False).encode


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
    """The value of canonical bytes, so that `canonical` gives these bytes again.

    Raises:
        ValueError: It is no JSON.
    """
    return json.loads(body, parse_int=_read_integer)


def _read_integer(written: str) -> int | float:
    """A number without point and exponent; what no integer of ours can be is a double."""
    number = int(written)
    return number if abs(number) <= _MOST_EXACT else float(written)


def canonical_object(members: Mapping[str, bytes]) -> bytes:
    """The canonical bytes of an object whose values are canonical already.

    Args:
        members: ASCII keys, each with the canonical bytes of its value.
    """
    rows = (f'"{key}":'.encode("ascii") + members[key] for key in sorted(members))
    return b"{" + b",".join(rows) + b"}"


def _written(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return _written_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if abs(value) > _MOST_EXACT:
            raise ValueError(f"The integer {value} is beyond what every JSON reader can hold.")
        return int.__repr__(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(_written, value))}]"
    if isinstance(value, Mapping):
        return f"{{{','.join(_members(value))}}}"
    raise ValueError(f"{type(value).__name__} has no form in JSON.")


def _members(value: Mapping[Any, Any]) -> list[str]:
    if not all(isinstance(key, str) for key in value):
        raise ValueError("A key is no text.")
    # subtle: by UTF-16 code units, in which characters beyond the first plane come before U+E000.
    ordered = sorted(value, key=lambda key: key.encode("utf-16-be"))
    return [f"{_written_text(key)}:{_written(value[key])}" for key in ordered]


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
