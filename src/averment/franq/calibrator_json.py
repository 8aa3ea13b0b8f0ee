"""A calibrator as text and back: canonical JSON, a few hundred bytes to a few kilobytes.

Keys are sorted, there is no blank, numbers come back bit for bit, and equal calibrators have equal
texts. What is not exactly such a text is refused: another format version, a key too many or too
few, NaN, curves that fall, text that was cut off. There is no pickle.
What this module does not do: open files.
"""

from __future__ import annotations

import dataclasses
import json
import math
from enum import Enum
from typing import Any, NoReturn, TypeVar

from averment.errors import CalibrationError
from averment.franq.calibrator import (
    Calibrator,
    Curve,
    FaithfulnessRange,
    MadeWith,
    Mode,
    Raw,
    Rule,
    Side,
)
from averment.franq.corpus_stack import PriorWeights, Stack, Term
from averment.franq.evidence import DIRECTIONS
from averment.franq.isotonic import Monotone
from averment.franq.rows import RowCounts
from averment.franq.selective import HeldOut

FORMAT = "averment-calibrator"
FORMAT_VERSION = 2

_E = TypeVar("_E", bound=Enum)
_T = TypeVar("_T")


def to_json(calibrator: Calibrator) -> str:
    """The calibrator as one line of canonical JSON."""
    plain = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        **{name: getattr(calibrator, name) for name in _names(Calibrator)},
    }
    return json.dumps(
        plain,
        default=_plain,
        sort_keys=True,
        separators=(",", ":"),
        allow_nan=False,
        ensure_ascii=False,
    )


def from_json(text: str, *, made_with: MadeWith | None) -> Calibrator:
    """The calibrator of `to_json`.

    Args:
        text: The JSON.
        made_with: Who makes the numbers that it shall read; None only to look at it.

    Raises:
        CalibrationError: Not a calibrator, of another format version, damaged, or fitted on the
            numbers of others.
    """
    try:
        plain = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise _damaged(f"it is not JSON: {error}") from error
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise CalibrationError(
            f"This is not a calibrator: its 'format' is not {FORMAT!r}.",
            hint="Type: averment calibrate LABELLED.jsonl",
        )
    version = plain.get("format_version")
    if version != FORMAT_VERSION or isinstance(version, bool):
        raise CalibrationError(
            f"The calibrator has format version {version!r}; this averment reads {FORMAT_VERSION}.",
            hint="Update averment (pip install -U averment), or calibrate again.",
        )
    try:
        calibrator = _calibrator(plain)
    except ValueError as error:
        raise _damaged(str(error)) from error
    if made_with is not None:
        calibrator.require(made_with)
    return calibrator


# --- writing ------------------------------------------------------------------------------------


def _plain(value: object) -> object:
    """A part as an object of its fields; a stack and prior weights differ in their keys."""
    return {name: getattr(value, name) for name in _names(type(value))}


# --- reading ------------------------------------------------------------------------------------
# Each reader raises ValueError with the name of what is wrong.


def _calibrator(plain: dict[str, Any]) -> Calibrator:
    names = ["format", "format_version", *_names(Calibrator)]
    made = _object(plain, names, "the calibrator")
    return Calibrator(
        mode=_member(Mode, made["mode"]),
        centred=_of_type(bool, made["centred"], "centred"),
        made_with=_strings(MadeWith, made["made_with"]),
        created_by=_of_type(str, made["created_by"], "created_by"),
        fingerprint=_of_type(str, made["fingerprint"], "fingerprint"),
        counts=_counts(made["counts"]),
        p_faithful_range=_faithfulness_range(made["p_faithful_range"]),
        faithful=_side(made["faithful"], "faithful"),
        unfaithful=_side(made["unfaithful"], "unfaithful"),
        held_out=_held_out(made["held_out"]),
    )


def _held_out(plain: object) -> HeldOut | None:
    if plain is None:
        return None
    made = {
        name: _list(values, name)
        for name, values in _object(plain, _names(HeldOut), "held_out").items()
    }
    question = tuple(_whole(number, "question") for number in made.pop("question"))
    is_true = tuple(
        None if label is None else _of_type(bool, label, "is_true") for label in made.pop("is_true")
    )
    numbers = {name: tuple(_number(v, name) for v in values) for name, values in made.items()}
    return HeldOut(question=question, is_true=is_true, **numbers)


def _side(plain: object, name: str) -> Side:
    made = _object(plain, _names(Side), name)
    n_true = made["n_true"]
    return Side(
        curve=_curve(made["curve"], f"the {name} curve"),
        base_rate=_number(made["base_rate"], "base_rate"),
        rule=_member(Rule, made["rule"]),
        n=_number(made["n"], "n"),
        n_true=None if n_true is None else _number(n_true, "n_true"),
        evidence=_evidence(made["evidence"]),
    )


def _curve(plain: object, name: str) -> Curve:
    if plain is None:
        return None
    return _member(Raw, plain) if isinstance(plain, str) else _monotone(plain, name)


def _monotone(plain: object, name: str) -> Monotone:
    made = _object(plain, _names(Monotone), name)
    positive = made["n_positive"]
    x, y = (tuple(_number(v, name) for v in _list(made[axis], name)) for axis in "xy")
    try:
        return Monotone(
            x, y, _number(made["n"], "n"), None if positive is None else _number(positive, name)
        )
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _evidence(plain: object) -> Stack | PriorWeights | None:
    if plain is None:
        return None
    if isinstance(plain, dict) and "version" in plain:
        made = _object(plain, _names(PriorWeights), "prior weights")
        pairs = [_pair(pair) for pair in _list(made["weights"], "weights")]
        return PriorWeights(_whole(made["version"], "version"), tuple(pairs))
    made = _object(plain, _names(Stack), "evidence")
    terms = tuple(_term(term) for term in _list(made["terms"], "terms"))
    return Stack(_number(made["alpha"], "alpha"), terms)


def _pair(plain: object) -> tuple[str, float]:
    pair = _list(plain, "a weight")
    if len(pair) != 2:
        raise ValueError(f"a weight is a feature and a number, not {plain!r}")
    return _feature(pair[0]), _number(pair[1], "a weight")


def _term(plain: object) -> Term:
    made = _object(plain, _names(Term), "a term")
    feature = _feature(made["feature"])
    direction = _whole(made["direction"], "direction")
    prior, curve = _number(made["prior"], "prior"), _monotone(made["curve"], feature)
    return Term(feature, direction, prior, curve)


def _feature(plain: object) -> str:
    name = _of_type(str, plain, "a feature")
    if name not in DIRECTIONS:
        raise ValueError(f"there is no corpus feature {name!r}")
    return name


def _counts(plain: object) -> RowCounts:
    made = _object(plain, _names(RowCounts), "counts")
    return RowCounts(**{name: _whole(value, name) for name, value in made.items()})


def _faithfulness_range(plain: object) -> FaithfulnessRange:
    made = _object(plain, _names(FaithfulnessRange), "p_faithful_range")
    return FaithfulnessRange(**{name: _number(value, name) for name, value in made.items()})


def _strings(kind: type[MadeWith], plain: object) -> MadeWith:
    made = _object(plain, _names(kind), "made_with")
    return kind(**{name: _of_type(str, value, name) for name, value in made.items()})


def _names(kind: type[Any]) -> list[str]:
    return [of.name for of in dataclasses.fields(kind)]


def _object(plain: object, names: list[str], name: str) -> dict[str, Any]:
    if not isinstance(plain, dict) or sorted(plain) != sorted(names):
        found = sorted(plain) if isinstance(plain, dict) else plain
        raise ValueError(f"{name} has the keys {', '.join(names)}, not {found}")
    return plain


def _list(plain: object, name: str) -> list[object]:
    if not isinstance(plain, list):
        raise ValueError(f"{name} is a list, not {plain!r}")
    return plain


def _number(plain: object, name: str) -> float:
    if isinstance(plain, bool) or not isinstance(plain, int | float):
        raise ValueError(f"{name} is a number, not {plain!r}")
    try:
        number = float(plain)
    except OverflowError:  # a whole number of 309 digits
        number = math.inf
    if not math.isfinite(number):  # 1e999 reads as infinite
        raise ValueError(f"{name} is not finite")
    return number


def _whole(plain: object, name: str) -> int:
    if isinstance(plain, bool) or not isinstance(plain, int):
        raise ValueError(f"{name} is a whole number, not {plain!r}")
    return plain


def _of_type(kind: type[_T], plain: object, name: str) -> _T:
    if not isinstance(plain, kind):
        raise ValueError(f"{name} is a {kind.__name__}, not {plain!r}")
    return plain


def _member(kind: type[_E], plain: object) -> _E:
    try:
        return kind(plain)
    except ValueError as error:
        known = ", ".join(str(member.value) for member in kind)
        raise ValueError(f"{plain!r} is none of {known}") from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number that a calibrator has")


def _damaged(detail: str) -> CalibrationError:
    return CalibrationError(
        f"The calibrator cannot be read: {detail}.", hint="Calibrate again, or restore the file."
    )
