"""Clocks of the benches: builds in child processes, questions in turns, a cold cache, a control.

What else a machine does disturbs all that take turns alike, so that the ratios stay when the times
do not. Where two threads are timed, two processes that only spin say what two cores are worth then.
"""

from __future__ import annotations

import multiprocessing
import os
import pathlib
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from typing import Any, TypeVar

_T = TypeVar("_T")
Row = dict[str, Any]
Ask = Callable[[Sequence[Any]], object]

ROUNDS, BATCHES_A_ROUND, LEAST_ROUNDS = 20, 5, 2
BUDGET_S = 5.0  # of one way to ask, for one class of questions, by the clock that times it
REPEATS = 5
SPIN_S = 0.4


def progress(what: str) -> None:
    """A line on stderr."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {what}\n")


def in_child(act: Callable[..., _T], *arguments: Any) -> _T:
    """Run in a fresh process, whose memory and open files are nobody else's."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as child:
        return child.submit(act, *arguments).result()


def stored_bytes(target: pathlib.Path) -> int:
    """Of a file, or of all files below a directory."""
    return sum(file.stat().st_size for file in (target, *target.rglob("*")) if file.is_file())


def measured(build: Callable[..., object], corpus: Any, target: pathlib.Path) -> Row:
    """Build in this process: seconds without the imports, the peak with them.

    CPU is that of all threads and of the programs that it starts; the peak is that of the largest
    single process.
    """
    wall, cpu = time.perf_counter(), _cpu_s()
    build(corpus, target)
    wall, cpu = time.perf_counter() - wall, _cpu_s() - cpu
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    peak = max(resource.getrusage(who).ru_maxrss for who in whose)
    peak *= 1 if sys.platform == "darwin" else 1024
    facts = {"wall_s": wall, "cpu_s": cpu, "peak_rss_mb": peak / 1e6}
    return {**facts, "bytes": stored_bytes(target)}


def _cpu_s() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def microseconds(
    questions: Sequence[Any],
    ways: dict[str, Ask],
    rivals: Sequence[str] = (),
    clock: Callable[[], int] = time.perf_counter_ns,
    budget_s: float = BUDGET_S,
) -> dict[str, list[float]]:
    """[p50, p99] a question of each way to ask, the ways taking turns; the first turn warms up.

    A way named `batch` is asked all at once: its time is the mean of a batch, to be compared with
    `NAME_mean` of a rival, [p50, p99] of the means of its turns. Others are asked one by one. The
    clock's own tenth of a microsecond is included. Who has used up its budget sits out. A clock of
    CPU time does not see what else the machine does.
    """
    times: dict[str, list[float]] = {name: [] for name in ways}
    spent = dict.fromkeys(ways, 0.0)
    for turn in range(ROUNDS + 1):
        for name, ask in ways.items():
            if turn > LEAST_ROUNDS and spent[name] > budget_s:
                continue
            at_once = name.endswith("batch")
            for asked in [questions] * BATCHES_A_ROUND if at_once else [[q] for q in questions]:
                started = clock()
                ask(asked)
                took = clock() - started
                spent[name] += took / 1e9
                if turn:
                    times[name].append(took / 1e3 / len(asked))
    for name in rivals:
        each, n = iter(times[name]), len(questions)
        turns = [statistics.mean(islice(each, n)) for _ in range(len(times[name]) // n)]
        times[f"{name}_mean"] = turns
    ranked = {name: sorted(each) for name, each in times.items()}
    return {name: [us[len(us) // 2], us[len(us) * 99 // 100]] for name, us in ranked.items()}


def median_ms(act: Callable[..., object], *arguments: Any) -> float:
    """Of some repetitions."""
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        act(*arguments)
        times.append((time.perf_counter() - started) * 1e3)
    return statistics.median(times)


def drop_from_cache(target: pathlib.Path) -> None:
    """Write out and forget the pages of all files of an index that nobody has mapped."""
    for file in (target, *target.rglob("*")):
        if file.is_file():
            handle = os.open(file, os.O_RDONLY)
            os.fsync(handle)
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(handle)


class Control:
    """Two processes that only spin: how much they get done together against one alone."""

    def __enter__(self) -> Control:
        self._pool = ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))
        self.two_to_one()  # starts both
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def two_to_one(self) -> float:
        """2.0 on two idle cores."""
        alone = self._pool.submit(_spun, SPIN_S).result()
        both = [self._pool.submit(_spun, SPIN_S) for _ in range(2)]
        return sum(each.result() for each in both) / alone


def _spun(seconds: float) -> int:
    until, done = time.perf_counter() + seconds, 0
    while time.perf_counter() < until:
        done += 1
    return done
