"""Labelled rows: what a calibrator is fitted on, checked and in canonical order.

A row is one claim. `uf` and `uu` are *confidence*, better when higher, on any scale that is the
same for all rows: the negation of an estimator's uncertainty (`components.confidence`). Unknown is
None and stays unknown; NaN, infinite numbers and a third label are refused.

By the canonical order a fit does not depend on the order in which rows came, and their fingerprint
says whether two calibrators saw the same data. A row that occurs twice
counts twice, as a weight; how many do is told in `RowCounts`.
What this module does not do: guess a label, read a file.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from averment.errors import CalibrationError
from averment.franq.isotonic import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Row:
    """A claim with its scores, and its labels where somebody looked them up."""

    p_faithful: float | None
    """How faithful the claim is to the passages, in [0, 1], raw (Pf)."""
    uf: float | None
    """Confidence in the claim if it is faithful, any scale."""
    uu: float | None
    """Confidence in the claim if it is not faithful, any scale."""
    is_true: bool | None = None
    is_faithful: bool | None = None
    """Whether a person found it faithful. Read by mode gold alone."""
    group: str | None = None
    """Its question or answer: claims of one group are dependent and are never parted. Without one,
    the row and its exact duplicates are a group."""
    evidence: Mapping[str, float | None] = field(default_factory=dict)
    """Corpus features by name (`evidence.claim_features`)."""


@dataclass(frozen=True, slots=True)
class RowCounts:
    """What became of the rows that were given."""

    n_rows: int
    n_used: int
    """With a label where one is needed, and with `p_faithful`."""
    n_true: int
    n_unlabelled: int
    """Left out: nobody knows whether the claim is true."""
    n_without_p_faithful: int
    """Left out: labelled, but without `p_faithful`."""
    n_duplicates: int
    """Rows used that equal an earlier one in everything; each counts."""
    n_groups: int


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows as columns of shape (n,), in canonical order; NaN stands for None in here only."""

    p_faithful: FloatArray
    uf: FloatArray
    uu: FloatArray
    is_true: BoolArray
    """False where no labels were needed."""
    is_faithful: FloatArray
    """1, 0 or NaN."""
    group: tuple[str, ...]
    evidence: tuple[Mapping[str, float | None], ...]

    def take(self, rows: IntArray) -> Table:
        """Some of the rows."""
        return Table(
            self.p_faithful[rows],
            self.uf[rows],
            self.uu[rows],
            self.is_true[rows],
            self.is_faithful[rows],
            tuple(self.group[row] for row in rows),
            tuple(self.evidence[row] for row in rows),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """The rows that are used, how many there were, and what identifies them."""

    table: Table
    counts: RowCounts
    fingerprint: str
    """SHA-256 of the canonical rows, hexadecimal."""


def training(rows: Sequence[Row], *, needs_labels: bool = True) -> Training:
    """Check rows, leave out those that say nothing, and put the others in canonical order.

    Args:
        rows: Any order.
        needs_labels: Leave rows without `is_true` out.

    Raises:
        CalibrationError: A number is NaN, infinite or out of range, or there is a third label.
    """
    keyed = sorted(
        ((canonical_line(row, number), row) for number, row in enumerate(rows, start=1)),
        key=lambda pair: pair[0],
    )
    labelled = [p for p in keyed if not needs_labels or p[1].is_true is not None]
    used = [pair for pair in labelled if pair[1].p_faithful is not None]
    lines = [line for line, _ in used]
    groups = group_keys(used)
    counts = RowCounts(
        n_rows=len(rows),
        n_used=len(used),
        n_true=sum(bool(row.is_true) for _, row in used),
        n_unlabelled=len(rows) - len(labelled),
        n_without_p_faithful=len(labelled) - len(used),
        n_duplicates=len(lines) - len(set(lines)),
        n_groups=len(set(groups)),
    )
    fingerprint = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    return Training(_table([row for _, row in used], groups), counts, fingerprint)


def canonical_line(row: Row, number: int) -> str:
    """The row as one line of JSON with sorted keys: equal lines, equal rows.

    Args:
        row: A row.
        number: Which one it is, from 1, for the error.

    Raises:
        CalibrationError: A number is NaN, infinite or out of range, or there is a third label.
    """
    plain: dict[str, object] = {}
    for of in fields(row):
        value = getattr(row, of.name)
        if of.name == "evidence":
            plain[of.name] = {k: _number(v, k, number) for k, v in sorted(value.items())}
        elif of.name == "group":
            plain[of.name] = value
        elif of.name.startswith("is_"):
            plain[of.name] = _label(value, of.name, number)
        else:
            plain[of.name] = _number(value, of.name, number)
    if row.p_faithful is not None and not 0 <= row.p_faithful <= 1:
        raise CalibrationError(
            f"Row {number} has p_faithful {row.p_faithful}; it lies in [0, 1].",
            hint="Give the raw score of a faithfulness model.",
        )
    return json.dumps(plain, sort_keys=True)


def group_keys(keyed: Sequence[tuple[str, Row]]) -> list[str]:
    """The group of each (canonical line, row); its line where it has none."""
    # The prefixes keep a group that somebody named like a line apart from that line.
    return [f"row {line}" if row.group is None else f"group {row.group}" for line, row in keyed]


def _number(value: float | None, name: str, number: int) -> float | None:
    if value is None:
        return None
    if not math.isfinite(value):
        raise CalibrationError(
            f"Row {number} has {name} {value}; it is a finite number or unknown.",
            hint="Write null for a value that nobody knows.",
        )
    return float(value)


def _label(value: object, name: str, number: int) -> bool | None:
    if value is None:
        return None
    if not isinstance(value, bool | int | float | np.bool_ | np.integer) or value not in (0, 1):
        raise CalibrationError(
            f"Row {number} has {name} {value!r}; labels are true, false or unknown.",
            hint="Write null for a claim that cannot be verified: it is left out.",
        )
    return bool(value)


def _table(rows: Sequence[Row], groups: Sequence[str]) -> Table:
    def column(values: Sequence[float | bool | None]) -> FloatArray:
        return np.array(values, dtype=np.float64)  # None becomes NaN

    return Table(
        column([row.p_faithful for row in rows]),
        column([row.uf for row in rows]),
        column([row.uu for row in rows]),
        np.array([bool(row.is_true) for row in rows], dtype=np.bool_),
        column([row.is_faithful for row in rows]),
        tuple(groups),
        tuple(row.evidence for row in rows),
    )
