"""One contestant against another on the same questions: differences, intervals, p-values, verdicts.

Only questions that both answered without an error are compared. Nothing is corrected for the number
of comparisons: an expectation is to be stated before a run, and what a run suggests is to be tested
by another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from averment.errors import UnknownNameError
from averment.evaluation.bench_file import Expectation
from averment.evaluation.tables import METRICS, Line, fetched, rounded
from averment.metrics.permutation import sign_flip_test
from averment.metrics.resampling import bootstrap_mean_difference

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class Difference:
    """How much higher a metric is for one contestant than for another, question by question.

    Args:
        set: The question set.
        metric: What is compared.
        contestant: One of them.
        baseline: The other.
        n: Questions that both answered.
        value: Mean of the differences; above zero where the contestant is better.
        low: Lower end of the 95 % bootstrap interval over questions; None with too few.
        high: Its upper end.
        p_value: Of the two-sided sign-flip test, in (0, 1]; None without questions.
    """

    set: str
    metric: str
    contestant: str
    baseline: str
    n: int
    value: float | None
    low: float | None
    high: float | None
    p_value: float | None

    @property
    def is_better(self) -> bool:
        """Whether the interval lies above zero."""
        return self.low is not None and self.low > 0


@dataclass(frozen=True, slots=True)
class HeldExpectation:
    """An expectation held against a run: on each set, the difference and whether it is met."""

    expectation: Expectation
    difference: Difference
    met: bool


_GRADES = """
SELECT "set", contestant, id, grades FROM rows WHERE error IS NULL ORDER BY place
"""


@dataclass(frozen=True, slots=True)
class Graded:
    """The grades of runs, by set, contestant and question."""

    by_set: Mapping[str, Mapping[str, Mapping[str, Mapping[str, float | None]]]]

    @property
    def contestants(self) -> list[str]:
        """All of them, in the order of the rows."""
        return list(dict.fromkeys(name for each in self.by_set.values() for name in each))

    @property
    def usual_metrics(self) -> list[str]:
        """Exact match, F1, and F1 of drafts where it is known and says more."""
        rows = [
            row
            for by_contestant in self.by_set.values()
            for by_question in by_contestant.values()
            for row in by_question.values()
        ]
        says_more = any(row["draft_f1"] not in (None, row["f1"]) for row in rows)
        return ["exact_match", "f1", *(["draft_f1"] if says_more else [])]


def read_grades(rows: DuckDBPyConnection) -> Graded:
    """The grades of `averment.evaluation.tables.open_tables`."""
    by_set: dict[str, dict[str, dict[str, Mapping[str, float | None]]]] = {}
    for row in fetched(rows, _GRADES):
        of = by_set.setdefault(row["set"], {}).setdefault(row["contestant"], {})
        of[row["id"]] = row["grades"]
    return Graded(by_set)


def differences(
    graded: Graded, *, metrics: Sequence[str] = (), baseline: str | None = None
) -> list[Difference]:
    """Each contestant against each that stands before it, or against one baseline.

    Args:
        graded: Of which runs.
        metrics: Which; none: exact match, F1, and F1 of drafts where some were not given.
        baseline: One contestant; None: all pairs.

    Raises:
        UnknownNameError: Nobody is called like the baseline, or no metric like that.
    """
    metrics = metrics or graded.usual_metrics
    _require("metric", metrics, METRICS)
    _require("contestant", [baseline] if baseline else [], graded.contestants)
    found = []
    for name, by_contestant in graded.by_set.items():
        pairs = [(a, b) for b, a in combinations(by_contestant, 2)]
        if baseline is not None:
            pairs = [(a, baseline) for a in by_contestant if a != baseline]
        found += [
            difference(graded, name, metric, contestant=a, baseline=b)
            for a, b in pairs
            for metric in metrics
        ]
    return found


def difference(
    graded: Graded, name: str, metric: str, *, contestant: str, baseline: str
) -> Difference:
    """The difference of two contestants on one set."""
    by_contestant = graded.by_set[name]
    mine, its = by_contestant.get(contestant, {}), by_contestant.get(baseline, {})
    pairs = {
        key: (a[metric], b[metric])
        for key, a in mine.items()
        if (b := its.get(key)) is not None and a[metric] is not None and b[metric] is not None
    }
    scores = np.array([a for a, _ in pairs.values()], dtype=float)
    others = np.array([b for _, b in pairs.values()], dtype=float)
    interval = bootstrap_mean_difference(scores, baseline=others, question_ids=list(pairs))
    test = sign_flip_test(scores, baseline=others, question_ids=list(pairs))
    return Difference(
        set=name,
        metric=metric,
        contestant=contestant,
        baseline=baseline,
        n=len(pairs),
        value=rounded(interval.value),
        low=rounded(interval.low),
        high=rounded(interval.high),
        p_value=rounded(test.p_value),
    )


def hold_expectations(
    graded: Graded, table: Sequence[Line], expectations: Sequence[Expectation]
) -> list[HeldExpectation]:
    """Hold expectations against a run, each on every set that it speaks of.

    Rows that are invalid meet none, nor does a set that lacks one of the contestants.

    Raises:
        UnknownNameError: Nobody is called like one of its contestants, or no set or metric.
    """
    found = []
    invalid = {(line.set, line.contestant) for line in table if not line.valid}
    for each in expectations:
        _require("metric", [each.metric], METRICS)
        _require("contestant", [each.better, each.worse], graded.contestants)
        _require("set", [each.set] if each.set else [], list(graded.by_set))
        for name in [each.set] if each.set else graded.by_set:
            made = difference(
                graded, name, each.metric, contestant=each.better, baseline=each.worse
            )
            valid = not {(name, each.better), (name, each.worse)} & invalid
            found.append(HeldExpectation(each, made, made.is_better and valid))
    return found


def _require(kind: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise UnknownNameError(kind, name, known)
