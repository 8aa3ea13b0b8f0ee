"""Expressions that say which rows are kept: ``n_absent_pairs == 0 and least_documents >= 2``.

A small language: the fields below, numbers, ``null``, ``+ - * /``, comparisons, ``and``, ``or``,
``not`` and brackets. It is read by Python's parser and never run by Python. What is unknown stays
unknown (Kleene's three values): ``n_absent_pairs == 0`` is neither true nor false where pairs could
not be counted, and such a row is not kept. ``== null`` and ``!= null`` ask whether it is unknown.

What this module does not do: look into the fields of the row itself.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from averment.errors import UnknownNameError, UsageError
from averment.filtering.findings import Numbers

COUNTED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "n_claims": "claims of the text",
        "n_pairs": "different pairs that they claim",
        "n_absent_pairs": "pairs whose ends both occur in the corpus, and never near each other",
        "n_not_covered_pairs": "pairs of which the corpus does not know an end",
        "n_unknown_counts": "pairs and names that could not be counted",
        "least_documents": "in how many documents the rarest name of the text occurs",
    }
)
JUDGED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "n_supported": "claims that a passage entails",
        "n_contradicted": "claims that a passage speaks against",
        "n_unsupported": "claims that no passage entails",
        "n_unverified": "claims of which nothing is known",
        "n_withheld": "claims that the promise of --target-error withholds",
        "lowest_p_faithful": "of all claims, how far passages entail it, from 0 to 1, raw",
        "lowest_p_true": "of all claims, the probability that it is true",
    }
)
SYNONYMS: Final[Mapping[str, str]] = MappingProxyType(
    {"p_true": "lowest_p_true", "p_faithful": "lowest_p_faithful"}
)

_LONGEST = 2000
_HINT = "For example: --keep 'n_absent_pairs == 0 and n_claims >= 1'"
_COMPARED: Final[Mapping[type[ast.cmpop], Callable[[float, float], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_COMPUTED: Final[Mapping[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_Number: TypeAlias = Callable[[Numbers], float | None]
_Truth: TypeAlias = Callable[[Numbers], bool | None]


@dataclass(frozen=True)
class Keep:
    """An expression, ready to be asked; made by `parse_keep`.

    Args:
        text: As it was written.
        fields: The fields that it speaks of, in order, by their full names.
    """

    text: str
    fields: tuple[str, ...]
    _truth: _Truth

    def __call__(self, numbers: Numbers) -> bool | None:
        """Whether a row is kept; None where that depends on what is unknown."""
        return self._truth(numbers)


def parse_keep(text: str, *, judged: bool, calibrated: bool) -> Keep:
    """Read an expression.

    Args:
        text: The expression.
        judged: Whether claims are judged (``--full``).
        calibrated: Whether there is a calibrator.

    Raises:
        UsageError: It is no such expression, or speaks of what this run does not establish.
        UnknownNameError: It speaks of a field that there is not.
    """
    if len(text) > _LONGEST:
        raise UsageError(f"--keep has {len(text):,} characters; at most {_LONGEST:,} are read.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what Python only warns of is no number here either
            tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, Warning, RecursionError, MemoryError) as error:
        offset = error.offset if isinstance(error, SyntaxError) else None
        at = f" at character {offset}" if offset else ""
        said = getattr(error, "msg", None) or str(error) or type(error).__name__
        raise UsageError(f"--keep {text!r} cannot be read{at}: {said}.", hint=_HINT) from error
    reader = _Reader(text)
    truth = reader.truth(tree.body)
    for name in reader.fields:
        if name in JUDGED and not judged:
            raise UsageError(
                f"{name} is not known without a judge: this run only counts.",
                hint=f"Add --full, or use what is counted: {', '.join(COUNTED)}.",
            )
        if name == "lowest_p_true" and not calibrated:
            raise UsageError(
                "lowest_p_true is not known without a calibrator.",
                hint="Add --calibrator FILE (averment calibrate), or use lowest_p_faithful.",
            )
    return Keep(text, tuple(dict.fromkeys(reader.fields)), truth)


class _Reader:
    """Turns the nodes of an expression into functions of the numbers of a row."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.fields: list[str] = []

    def truth(self, node: ast.expr) -> _Truth:
        match node:
            case ast.BoolOp(op=op, values=values):
                parts = [self.truth(value) for value in values]
                decisive = isinstance(op, ast.Or)
                return lambda numbers: _any_or_all([p(numbers) for p in parts], decisive)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.truth(operand)
                return lambda numbers: None if (it := inner(numbers)) is None else not it
            case ast.Compare(left=left, ops=ops, comparators=rights):
                lefts = [left, *rights[:-1]]
                parts = [self._compared(*each) for each in zip(lefts, ops, rights, strict=True)]
                return lambda numbers: _any_or_all([p(numbers) for p in parts], False)
            case ast.Constant(value=bool(value)):
                return lambda numbers: value
            case ast.Name(id="true" | "false" as name):
                return lambda numbers: name == "true"
        raise self._refused(node, "a comparison")

    def _compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> _Truth:
        a, b = self._number(left), self._number(right)
        if _is_null(left) or _is_null(right):
            if not isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
                raise self._refused(right, "a number (null is only == or != to something)")
            same = isinstance(op, ast.Eq | ast.Is)
            return lambda numbers: (a(numbers) is None and b(numbers) is None) == same
        compare = _COMPARED.get(type(op))
        if compare is None:
            raise self._refused(right, "one of == != < <= > >=")
        return lambda numbers: (
            None if (x := a(numbers)) is None or (y := b(numbers)) is None else compare(x, y)
        )

    def _number(self, node: ast.expr) -> _Number:
        match node:
            case ast.Constant(value=bool()) | ast.Name(id="true" | "false"):
                pass
            case ast.Constant(value=int() | float() as value):
                return lambda numbers: value
            case ast.Constant(value=None) | ast.Name(id="null"):
                return lambda numbers: None
            case ast.Name(id=name):
                return self._field(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self._number(operand)
                return lambda numbers: None if (x := inner(numbers)) is None else -x
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _COMPUTED:
                compute, a, b = _COMPUTED[type(op)], self._number(left), self._number(right)
                return lambda numbers: _computed(compute, a(numbers), b(numbers))
        raise self._refused(node, "a field or a number")

    def _field(self, name: str) -> _Number:
        full = SYNONYMS.get(name, name)
        if full not in COUNTED and full not in JUDGED:
            raise UnknownNameError("field of --keep", name, [*COUNTED, *JUDGED])
        self.fields.append(full)
        return lambda numbers: numbers[full]

    def _refused(self, node: ast.expr, expected: str) -> UsageError:
        found = ast.get_source_segment(self._text.strip(), node) or self._text
        return UsageError(
            f"--keep {self._text!r} cannot be used: {found!r} stands where {expected} is expected.",
            hint=_HINT,
        )


def _is_null(node: ast.expr) -> bool:
    return (isinstance(node, ast.Constant) and node.value is None) or (
        isinstance(node, ast.Name) and node.id == "null"
    )


def _any_or_all(parts: list[bool | None], decisive: bool) -> bool | None:
    """Kleene's or (one that is true decides) and his and (one that is false decides)."""
    if any(part is decisive for part in parts):
        return decisive
    return None if None in parts else not decisive


def _computed(
    compute: Callable[[float, float], float], a: float | None, b: float | None
) -> float | None:
    if a is None or b is None:
        return None
    try:
        return compute(a, b)
    except (ZeroDivisionError, OverflowError):
        return None
