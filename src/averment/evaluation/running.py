"""Runs a bench: every question under every policy, one row each, going on where it had got to.

All policies answer a question before the next one is asked, so that whatever was done when a run
stops is paired. A question that fails, for whatever reason, is a row with its error and is asked
again by the next run; rows that are there and still mean the same are kept. This module refuses to
open anything: it is handed the questions and, for each policy, an engine that is open.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from averment.engine import Engine, versions
from averment.errors import UnknownNameError
from averment.evaluation.examples import Example
from averment.evaluation.outcomes import outcome_row
from averment.evaluation.rows import Row, RowFile, RowKey
from averment.models.cache import Meter
from averment.trace import Failure
from averment.types import Question


@dataclass(frozen=True, slots=True)
class Entrant:
    """A policy in a bench.

    Args:
        policy: Its preset.
        engine: Open, with that policy.
        meter: Reads what went through the model so far.
    """

    policy: str
    engine: Engine
    meter: Callable[[], Meter]


@dataclass(frozen=True, slots=True)
class DrawnSet:
    """The questions of one set, in the order in which they are asked.

    Args:
        name: Of the set.
        examples: The questions.
        digest: Of the file that they come from.
    """

    name: str
    examples: tuple[Example, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands, told after each row.

    Args:
        row: The one that was just made.
        n_done: Rows made by this run.
        n_to_do: Rows that this run makes in all.
        seconds_left: An estimate: the mean seconds of each policy so far, for what is left.
    """

    row: Row
    n_done: int
    n_to_do: int
    seconds_left: float


Watch: TypeAlias = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Asking:
    """A question to be asked of one policy.

    Args:
        policy: Its name in the bench.
        example: The question.
        set: It is of the set of that name,
        data: of which this is the digest.
    """

    policy: str
    example: Example
    set: str
    data: str

    @property
    def key(self) -> RowKey:
        """Of the row that comes of it."""
        return self.set, self.example.id, self.policy


Spread: TypeAlias = Callable[[Iterable[Asking]], Iterator[Row]]
"""Has questions asked elsewhere; gives their rows in order."""


def run_bench(
    sets: Sequence[DrawnSet],
    entrants: Sequence[Entrant],
    rows: RowFile,
    *,
    limit: int | None = None,
    now: Sequence[DrawnSet] | None = None,
    watch: Watch | None = None,
    spread: Spread | None = None,
) -> int:
    """Ask every question of every policy that has no row yet.

    Args:
        sets: The whole bench, whatever the limit and however few of them are asked now.
        entrants: The policies.
        rows: What is there already, and where new rows go.
        limit: At most so many questions of each set.
        now: The sets that are asked; None: all.
        watch: Told after each row.
        spread: Where the questions are asked; None: here, one after the other.

    Returns:
        How many rows were made.
    """
    by_name = {entrant.policy: entrant for entrant in entrants}
    pending = [
        asking
        for asking in _askings(sets if now is None else now, entrants, limit)
        if not _is_done(rows.rows.get(asking.key), asking, by_name[asking.policy])
    ]
    clock = _Clock([asking.policy for asking in pending])
    made = spread(pending) if spread else (asked(each, by_name[each.policy]) for each in pending)
    for n_done, row in enumerate(made, start=1):
        rows.append(row)
        left = clock.after(row.policy)
        if watch is not None:
            watch(Progress(row, n_done, len(pending), left))
    rows.settle([asking.key for asking in _askings(sets, entrants, None)])
    return len(pending)


def sets_named(sets: Sequence[DrawnSet], names: Sequence[str]) -> list[DrawnSet]:
    """The sets of these names, in the order of the bench.

    Raises:
        UnknownNameError: There is no such set.
    """
    known = [each.name for each in sets]
    for name in names:
        if name not in known:
            raise UnknownNameError("set of this bench", name, known)
    return [each for each in sets if each.name in names]


def _askings(
    sets: Sequence[DrawnSet], entrants: Sequence[Entrant], limit: int | None
) -> list[Asking]:
    return [
        Asking(entrant.policy, example, each.name, each.digest)
        for each in sets
        for example in each.examples[:limit]
        for entrant in entrants
    ]


def _is_done(row: Row | None, asking: Asking, entrant: Entrant) -> bool:
    """Whether a row answers the question as it stands now, and without an error."""
    return (
        row is not None
        and row.error is None
        and row.settings == repr(entrant.engine.policy)
        and row.data == asking.data
    )


def asked(asking: Asking, entrant: Entrant) -> Row:
    """The row of a question to a policy, whatever happens on the way to it."""
    engine, example = entrant.engine, asking.example
    before = entrant.meter()
    row = Row(
        set=asking.set,
        id=example.id,
        question=example.question,
        gold=example.answers,
        policy=asking.policy,
        settings=repr(engine.policy),
        model=engine.edges.model.info.name,
        averment=versions()["averment"],
        index=engine.edges.index.info.digest,
        data=asking.data,
    )
    try:
        (result,) = engine.answer_many([Question(example.id, example.question, example.answers)])
        return outcome_row(row, result, example, spent=entrant.meter().since(before))
    except Exception as error:  # a mistake of ours in one question must not cost the night's run
        return replace(row, error=Failure(type(error).__name__, str(error)))


class _Clock:
    """Estimates the seconds that are left from those of each policy so far.

    Args:
        policies: Of the rows to come, in order.
    """

    def __init__(self, policies: Sequence[str]) -> None:
        self._left = Counter(policies)
        self._spent: dict[str, list[float]] = {}
        self._started = time.perf_counter()

    def after(self, policy: str) -> float:
        """The estimate after a row of this policy; one that has none yet is taken for the mean."""
        now = time.perf_counter()
        self._spent.setdefault(policy, []).append(now - self._started)
        self._started = now
        self._left[policy] -= 1
        everything = [seconds for some in self._spent.values() for seconds in some]
        return sum(
            n_left * statistics.fmean(self._spent.get(name, everything))
            for name, n_left in self._left.items()
        )
