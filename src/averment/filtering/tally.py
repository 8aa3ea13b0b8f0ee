"""What a run has seen so far, in a bounded space: reasons, histograms, names that lack documents.

A tally becomes JSON and comes back as it was, so that a run goes on where it was killed. What this
module does not do: keep rows.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from averment.filtering.findings import Findings

_MOST_NAMES = 4000

_EDGES: Mapping[str, tuple[float, ...]] = {
    "least_documents": (1, 2, 10, 100, 1000),
    "n_pairs": (1, 2, 4, 8),
    "n_absent_pairs": (1, 2, 4),
    "n_not_covered_pairs": (1, 2, 4),
    "lowest_p_faithful": (0.1, 0.3, 0.5, 0.7, 0.9),
    "lowest_p_true": (0.1, 0.3, 0.5, 0.7, 0.9),
}
HISTOGRAMS = tuple(_EDGES)
UNKNOWN = "unknown"


def bin_names(field_name: str) -> list[str]:
    """The bins of a histogram, in order; the last is of what is unknown."""
    edges = _EDGES[field_name]
    if edges[0] < 1:
        lows = [0.0, *edges]
        highs = [*edges, 1.0]
        return [f"{a:g} to {b:g}" for a, b in zip(lows, highs, strict=True)] + [UNKNOWN]
    starts = [0, *(int(edge) for edge in edges)]
    names = [str(a) if b == a + 1 else f"{a} to {b - 1}" for a, b in pairwise(starts)]
    return [*names, f"{starts[-1]} or more", UNKNOWN]


class FrequentNames:
    """How many rows have each name, of the names that most rows have.

    When there are too many names, the rarer half is let go, so a count may be too low by at most
    `missed_at_most`; it is never too high. Source of the bound: Misra and Gries 1982, "Finding
    repeated elements", with the names let go in blocks.
    """

    def __init__(self, most: int = _MOST_NAMES) -> None:
        self._most = most
        self._rows: dict[str, tuple[int, int]] = {}
        self.missed_at_most = 0

    def add(self, names: Iterable[tuple[str, int]]) -> None:
        """Count a row's names, each with the number of its documents."""
        for name, documents in names:
            n_rows, _ = self._rows.get(name, (0, 0))
            self._rows[name] = n_rows + 1, documents
        if len(self._rows) > 2 * self._most:
            ranked = sorted(self._rows.items(), key=lambda item: -item[1][0])
            self.missed_at_most += ranked[self._most][1][0]
            self._rows = dict(ranked[: self._most])

    def most_common(self, n: int) -> list[tuple[str, int, int]]:
        """(name, rows, documents) of those in most rows; names of equal counts by name."""
        ranked = sorted(self._rows.items(), key=lambda item: (-item[1][0], item[0]))
        return [(name, *numbers) for name, numbers in ranked[:n]]

    def to_json(self) -> dict[str, Any]:
        """For `from_json`."""
        rows = [[name, *numbers] for name, numbers in self._rows.items()]
        return {"missed_at_most": self.missed_at_most, "rows": rows}

    @classmethod
    def from_json(cls, made: Mapping[str, Any]) -> FrequentNames:
        """What `to_json` gave."""
        names = cls()
        names.missed_at_most = made["missed_at_most"]
        names._rows = {name: (n_rows, documents) for name, n_rows, documents in made["rows"]}
        return names


@dataclass
class Tally:
    """Sums over the rows of a run.

    Args:
        n_rows: All of them.
        n_kept: Those that are kept.
        n_claims: Claims of all rows.
        n_pairs: Pairs of all rows.
        reasons: Rejected rows by the reason.
        flags: Rows by flag; a row may have several.
        labelled: Rows with a label, by (label, whether it is kept).
        bins: Rows by bin, for each histogram.
        lacking: Names that the corpus knows too little of.
    """

    n_rows: int = 0
    n_kept: int = 0
    n_claims: int = 0
    n_pairs: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    labelled: Counter[str] = field(default_factory=Counter)
    bins: dict[str, list[int]] = field(
        default_factory=lambda: {name: [0] * len(bin_names(name)) for name in HISTOGRAMS}
    )
    lacking: FrequentNames = field(default_factory=FrequentNames)

    def add(
        self,
        found: Findings | None,
        reason: str | None,
        flags: Iterable[str] = (),
        *,
        label: bool | None = None,
        rare_below: int = 0,
    ) -> None:
        """Count a row.

        Args:
            found: What was found about it; None: it could not be read.
            reason: Why it is rejected; None: it is kept.
            flags: What is worth a look.
            label: Whether somebody says that it is right.
            rare_below: A name in fewer documents is one that the corpus lacks.
        """
        self.n_rows += 1
        self.n_kept += reason is None
        if reason is not None:
            self.reasons[reason] += 1
        if label is not None:
            self.labelled[
                f"{'right' if label else 'wrong'},{'rejected' if reason else 'kept'}"
            ] += 1
        self.flags.update(flags)
        if found is None:
            return
        self.n_claims += len(found.claims)
        self.n_pairs += len(found.pairs)
        for name, edges in _EDGES.items():
            value = found.numbers[name]
            self.bins[name][-1 if value is None else bisect.bisect_right(edges, value)] += 1
        self.lacking.add((n, d) for n, d in found.names if d is not None and d < rare_below)

    def to_json(self) -> dict[str, Any]:
        """For `from_json`."""
        plain = {name: getattr(self, name) for name in ("n_rows", "n_kept", "n_claims", "n_pairs")}
        counters = {name: dict(getattr(self, name)) for name in ("reasons", "flags", "labelled")}
        return {**plain, **counters, "bins": self.bins, "lacking": self.lacking.to_json()}

    @classmethod
    def from_json(cls, made: Mapping[str, Any]) -> Tally:
        """What `to_json` gave."""
        counters = {name: Counter(made[name]) for name in ("reasons", "flags", "labelled")}
        lacking = FrequentNames.from_json(made["lacking"])
        return cls(**{**made, **counters, "lacking": lacking})
