"""Canonical JSON as RFC 8785 has it, and as another implementation writes it."""

from __future__ import annotations

import json
import struct
from collections import OrderedDict
from typing import Any

import numpy
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from averment.audit.canonical import canonical, read_canonical
from averment.audit.chain import Kind

# Appendix B of the RFC: the bits of a double, and how it is written.
NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXTS, inner, max_size=5),
    max_leaves=12,
)


@pytest.mark.parametrize(("bits", "written"), NUMBERS.items())
def test_a_number_is_written_as_the_rfc_writes_it(bits: str, written: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))

    assert canonical(number) == written.encode()


@pytest.mark.parametrize("bits", ["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"])
def test_what_is_no_number_is_refused(bits: str) -> None:
    with pytest.raises(ValueError, match="no number of JSON"):
        canonical(struct.unpack(">d", bytes.fromhex(bits))[0])


def test_the_example_of_the_rfc_comes_out_as_there() -> None:
    given_text = (
        '{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],'
        '"string": "\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/",'
        '"literals": [null, true, false]}'
    )

    made = canonical(json.loads(given_text))

    assert made.decode() == (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


def test_keys_are_sorted_by_utf_16_code_units() -> None:
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]

    made = json.loads(canonical(dict.fromkeys(keys, 0)))

    assert list(made) == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


def test_values_of_subclasses_are_written_as_what_they_are() -> None:
    value = {"kind": Kind.ANSWER, "p": numpy.float64(1e-7), "q": OrderedDict(b=True, a=(1, 2))}

    assert canonical(value) == b'{"kind":"answer","p":1e-7,"q":{"a":[1,2],"b":true}}'


@given(VALUES)
def test_it_agrees_with_another_implementation(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@given(VALUES)
def test_what_is_read_back_is_written_the_same(value: Any) -> None:
    made = canonical(value)

    assert canonical(read_canonical(made)) == made


@pytest.mark.parametrize(
    "body",
    [
        b'{"a": 1}',
        b'{"b":1,"a":2}',
        b'{"a":1,"a":1}',
        b"1.0",
        b"-0",
        b"-0.0",
        b"1e-07",
        b"1E+30",
        b"1e3",
        b"9007199254740993",
        b"NaN",
        b'"\\u0041"',
        b'"\\/"',
        '{"\ufb33":1,"\U0001f600":1}'.encode(),
        b"[1,2",
        b"\xff",
        b" 1",
        b"1 ",
        b"[1e-7,1.0]",
        b"9007199254740993.0",
        b'"\\ud800"',
        b"[" * 100_000 + b"]" * 100_000,
    ],
    ids=lambda body: repr(body[:20]),
)
def test_another_spelling_of_a_value_is_not_read(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_canonical(body)


@pytest.mark.parametrize(
    "value",
    [2**53, -(2**53), {1: 2}, {"a": {None: 1}}, "\ud800", {"\ud800": 1}, {1, 2}, b"bytes"],
    ids=repr,
)
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        canonical(value)
