"""The corpus index beside SQLite FTS5, on the same text in one run: exactness, then cost.

    python ../shared/bench/make_corpus.py --out /tmp/c8 --words 8000000
    python bench/index_core.py --corpus /tmp/c8

Both indexes keep counts only and are built in child processes. Every count and every pair of the
ground truth is asked and compared. Then the same questions are timed turn by turn, so that what
else the machine does disturbs all alike. What to read is the ratio FTS5 / averment, never a time.
Rows go to `bench/runs/`, tables to the screen.

FTS5 is given its best case: no journal, no sync, one merged tree, and `limit 1` for existence. It
counts documents but not occurrences, and its NEAR counts the words between two phrases, not from
start to start, so that a few of its answers are off by the length of a phrase.
"""

from __future__ import annotations

import argparse
import collections
import datetime
import importlib.metadata
import json
import multiprocessing
import os
import pathlib
import platform
import random
import resource
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from typing import Any

import averment
from averment.index import _native

RUNS = pathlib.Path(__file__).parent / "runs"
RARE, FREQUENT = range(10, 101), range(100_000, 1_000_001)
# Of a pair, the planted frequencies: the lower and the higher.
PAIR_CLASSES: dict[str, Callable[[int, int], bool]] = {
    "rare-rare": lambda low, high: low in RARE and high in RARE,
    "rare-frequent": lambda low, high: low in RARE and high in FREQUENT,
    "mid-mid": lambda low, high: low == high == 10_000,
    "mid-frequent": lambda low, high: low in (1_000, 10_000) and high in FREQUENT,
    "frequent-frequent": lambda low, high: low == high == 100_000,
    "top": lambda low, high: low >= 100_000 and high == 1_000_000,
}
MOST_ASKED = 30  # of each class are timed; all are checked
N_MIXED = N_ADDED = 1_000
ROUNDS, BATCHES_A_ROUND = 20, 5
REPEATS = 5  # of opening and of adding

Row = dict[str, Any]
Ask = Callable[[Sequence[Any]], object]


# --- building -----------------------------------------------------------------------------------


def documents(corpus: pathlib.Path, prefix: str = "") -> Iterator[averment.Document]:
    """What `make_corpus.py` wrote, one document a line."""
    for shard in sorted(corpus.glob("docs-*.jsonl")):
        with shard.open(encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                yield averment.Document(f"{prefix}{row['id']}", row["text"])


def build_nothing(corpus: pathlib.Path, target: pathlib.Path) -> None:
    """Only read the documents: the share of each build that is not the index's."""
    target.write_text(str(sum(1 for _ in documents(corpus))))


def build_averment(corpus: pathlib.Path, target: pathlib.Path) -> None:
    """An index directory through the public door."""
    averment.build_index(documents(corpus), target, counts_only=True)


def build_core(corpus: pathlib.Path, target: pathlib.Path) -> None:
    """One segment of the core: no ids, no manifest, no digests."""
    builder, stream = _native.SegmentBuilder(), (each.text for each in documents(corpus))
    while batch := list(islice(stream, 1_000)):
        builder.add_many(batch)
    builder.finish(str(target))


def build_fts5(corpus: pathlib.Path, target: pathlib.Path) -> None:
    """A table with positions and without the text."""
    connection = sqlite3.connect(target, isolation_level=None)
    for statement in (
        "pragma journal_mode=off",
        "pragma synchronous=off",
        "pragma cache_size=-1000000",
        "create virtual table t using fts5(text, content='', detail=full, tokenize='ascii')",
        "insert into t(t, rank) values('automerge', 0)",
        "begin",
    ):
        connection.execute(statement)
    rows = ((document.text,) for document in documents(corpus))
    connection.executemany("insert into t(text) values(?)", rows)
    connection.execute("commit")
    connection.execute("insert into t(t) values('optimize')")
    connection.close()


def measured(build: Callable[..., None], corpus: pathlib.Path, target: pathlib.Path) -> Row:
    """Build in this process: seconds without the imports, the peak with them."""
    _ = averment.build_index, averment.Document  # names of the package are loaded at first use
    wall, cpu = time.perf_counter(), time.process_time()
    build(corpus, target)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak *= 1 if sys.platform == "darwin" else 1024
    n_bytes = sum(file.stat().st_size for file in (target, *target.rglob("*")) if file.is_file())
    return {"wall_s": wall, "cpu_s": cpu, "peak_rss_mb": peak / 1e6, "bytes": n_bytes}


def build_rows(corpus: pathlib.Path, work: pathlib.Path, n_words: int) -> list[Row]:
    """All builds, each in a fresh process so that the peak is its own."""
    builds = {"reading": build_nothing, "fts5": build_fts5, "averment": build_averment}
    found = {}
    for name, build in {**builds, "core": build_core}.items():
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as child:
            found[name] = child.submit(measured, build, corpus, work / name).result()
    reading_s, fts5 = found.pop("reading")["cpu_s"], found["fts5"]
    for row in found.values():
        row["bytes_per_word"] = row["bytes"] / n_words
        for clock in ("wall_s", "cpu_s"):
            row[f"ratio_{clock}"] = fts5[clock] / row[clock]
        net_cpu_s = row["cpu_s"] - reading_s
        row["ratio_cpu_s_without_reading"] = (fts5["cpu_s"] - reading_s) / net_cpu_s
    return [{"case": "build", "class": name, **row} for name, row in found.items()]


# --- asking -------------------------------------------------------------------------------------


class Fts5:
    """The rival's questions; it has no batches."""

    def __init__(self, file: pathlib.Path, window_words: int) -> None:
        connection = sqlite3.connect(file)
        connection.execute("pragma cache_size=-2000000")
        connection.execute("pragma mmap_size=8000000000")
        self._ask, self._window_words = connection.execute, window_words

    def _matches(self, what: str, match: str) -> Any:
        found = self._ask(f"select {what} where t match ? limit 1", (match,)).fetchone()
        return found[0] if found else 0

    def _near(self, pair: tuple[str, str]) -> str:
        return f'NEAR("{pair[0]}" "{pair[1]}", {self._window_words})'

    def count(self, phrases: Sequence[str]) -> list[int]:
        """Documents of each phrase."""
        return [self._matches("count(*) from t", f'"{phrase}"') for phrase in phrases]

    def documents(self, pairs: Sequence[tuple[str, str]]) -> list[int]:
        """Documents that hold each pair within the window."""
        return [self._matches("count(*) from t", self._near(pair)) for pair in pairs]

    def exists(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Whether there is such a document, stopping at the first."""
        return [bool(self._matches("1 from t", self._near(pair))) for pair in pairs]


class Truth:
    """The ground truth of a corpus, and its questions by class of frequency."""

    def __init__(self, corpus: pathlib.Path) -> None:
        self.facts: Row = json.loads((corpus / "truth.json").read_text(encoding="utf-8"))
        self.n_words, self.window_words = int(self.facts["words"]), int(self.facts["W"])
        self.entities: list[Row] = self.facts["entities"]
        self.phrases = [str(entity["text"]) for entity in self.entities]
        self.pairs = [(self.phrases[p["a"]], self.phrases[p["b"]]) for p in self.facts["pairs"]]

    def phrase_classes(self) -> dict[str, list[str]]:
        """Phrases by how often they were planted in 50 million words (in fewer, less often)."""
        classes = collections.defaultdict(list)
        for entity in self.entities:
            if entity["kind"] != "exclusive":
                classes[f"{entity['cls']:,}"].append(str(entity["text"]))
        return {name: phrases[:MOST_ASKED] for name, phrases in classes.items()}

    def pair_classes(self) -> dict[str, list[tuple[str, str]]]:
        """Pairs by the frequencies of both, and frequent ones that meet 0 to 20 times."""
        classes: dict[str, list[tuple[str, str]]] = {name: [] for name in PAIR_CLASSES}
        classes["hardly ever meet"] = []
        for fact, pair in zip(self.facts["pairs"], self.pairs, strict=True):
            low, high = sorted(int(self.entities[fact[side]]["cls"]) for side in "ab")
            if fact["type"] == "exclusive":
                classes["hardly ever meet"].append(pair)
            for name, holds in PAIR_CLASSES.items():
                if fact["type"] == "natural" and holds(low, high):
                    classes[name].append(pair)
        return {name: pairs[:MOST_ASKED] for name, pairs in classes.items()}

    def mixed_pairs(self) -> list[tuple[str, str]]:
        """Random pairs of all phrases up to a frequency of 10,000; most never meet."""
        drawn = random.Random(1)
        known = [str(entity["text"]) for entity in self.entities if entity["cls"] <= 10_000]
        return [(drawn.choice(known), drawn.choice(known)) for _ in range(N_MIXED)]


def exactness_rows(truth: Truth, index: Any, segment: _native.Segment, fts5: Fts5) -> list[Row]:
    """How many of all answers are the truth's."""
    pairs, window = truth.pairs, truth.window_words
    counts = [(entity["count"], entity["docs"]) for entity in truth.entities]
    meetings = [(fact["docs"], fact["pairs"]) for fact in truth.facts["pairs"]]
    n_documents = [n for n, _ in meetings]
    full = index.cooccurrence(pairs, window_words=window)
    checks: dict[str, tuple[list[Any], list[Any]]] = {
        "count": ([(each.value, each.documents) for each in index.count(truth.phrases)], counts),
        "exists": (index.exists(pairs, window_words=window), [n > 0 for n in n_documents]),
        "cooccurrence": ([(each.documents, each.pairs) for each in full], meetings),
        "core documents": (segment.documents(pairs, window), n_documents),
        "fts5 count": (fts5.count(truth.phrases), [n for _, n in counts]),
        "fts5 documents": (fts5.documents(pairs), n_documents),
    }
    rows = []
    for name, (answers, expected) in checks.items():
        right = sum(one == other for one, other in zip(answers, expected, strict=True))
        rows.append({"case": "exactness", "class": name, "right": right, "n": len(expected)})
    return rows


def microseconds(questions: Sequence[Any], ways: dict[str, Ask]) -> dict[str, list[float]]:
    """[p50, p99] a question of each way to ask, the ways taking turns; the first turn warms up.

    A way named `batch` is asked all at once: its time is the mean of a batch, to be compared with
    `fts5_mean`, [p50, p99] of the means of the turns. Others are asked one by one. The clock's own
    tenth of a microsecond is included.
    """
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(ROUNDS + 1):
        for name, ask in ways.items():
            at_once = name.endswith("batch")
            for asked in [questions] * BATCHES_A_ROUND if at_once else [[q] for q in questions]:
                started = time.perf_counter_ns()
                ask(asked)
                took = time.perf_counter_ns() - started
                if turn:
                    times[name].append(took / 1e3 / len(asked))
    fts5 = iter(times["fts5"])
    times["fts5_mean"] = [statistics.mean(islice(fts5, len(questions))) for _ in range(ROUNDS)]
    ranked = {name: sorted(each) for name, each in times.items()}
    return {name: [us[len(us) // 2], us[len(us) * 99 // 100]] for name, us in ranked.items()}


def query_rows(truth: Truth, index: Any, segment: _native.Segment, fts5: Fts5) -> list[Row]:
    """Each kind of question in each class; ratios are of p50, for batches of the means' p50."""
    near = partial(partial, window_words=truth.window_words)
    pairs = truth.pair_classes()
    existence = {**pairs, "mixed at random": truth.mixed_pairs()}
    cases: list[tuple[str, dict[str, Any], Ask, Ask | None, Ask]] = [
        ("count", truth.phrase_classes(), fts5.count, index.count, segment.count),
        ("exists", existence, fts5.exists, near(index.exists), near(segment.exists)),
        ("documents", pairs, fts5.documents, None, near(segment.documents)),
        (
            "cooccurrence",
            pairs,
            fts5.documents,
            near(index.cooccurrence),
            near(segment.cooccurrence),
        ),
    ]
    rows = []
    for case, classes, rival, public, core in cases:
        doors = {"": public, "core_": core} if public else {"core_": core}
        ours = {f"{door}{how}": ask for door, ask in doors.items() for how in ("batch", "single")}
        for name, questions in classes.items():
            us = microseconds(questions, {"fts5": rival, **ours})
            ratios = {
                f"ratio_{way}": us["fts5_mean" if way.endswith("batch") else "fts5"][0] / us[way][0]
                for way in ours
            }
            rows.append({"case": case, "class": name, "n": len(questions), "us": us, **ratios})
    return rows


# --- opening and adding -------------------------------------------------------------------------


def median_ms(act: Callable[..., object], *arguments: Any) -> float:
    """Of some repetitions."""
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        act(*arguments)
        times.append((time.perf_counter() - started) * 1e3)
    return statistics.median(times)


def opening_rows(truth: Truth, work: pathlib.Path) -> list[Row]:
    """Open and answer a first question; the system has read the files before."""
    ways: dict[str, Callable[[], Any]] = {
        "fts5": partial(Fts5, work / "fts5", truth.window_words),
        "averment": partial(averment.open_index, work / "averment"),
        "core": partial(_native.Segment, str(work / "core")),
    }

    def answer(start: Callable[[], Any]) -> None:
        start().count(truth.phrases[:1])

    return [
        {
            "case": "open",
            "class": name,
            "open_ms": median_ms(start),
            "open_and_ask_ms": median_ms(answer, start),
        }
        for name, start in ways.items()
    ]


def adding_rows(corpus: pathlib.Path, work: pathlib.Path, n_documents: int) -> list[Row]:
    """New documents made durable and visible, by the index and by the core alone."""
    fresh = [list(islice(documents(corpus, f"{n}-"), N_ADDED)) for n in range(REPEATS)]
    to_index, to_core = iter(fresh), enumerate(fresh)

    def add() -> None:
        averment.build_index(next(to_index), work / "averment", add=True)

    def add_core() -> None:
        n, new = next(to_core)
        builder = _native.SegmentBuilder()
        builder.add_many([document.text for document in new])
        builder.finish(str(work / f"added-{n}"))

    found = {"averment": median_ms(add), "core": median_ms(add_core)}
    seen = averment.open_index(work / "averment").info.n_documents - n_documents
    return [
        {"case": "add", "class": name, "documents": len(fresh[0]), "ms": ms, "seen": seen}
        for name, ms in found.items()
    ]


# --- the report ---------------------------------------------------------------------------------


def shown(value: Any) -> str:
    """A cell: numbers to three digits, p50 and p99 with a stroke."""
    if isinstance(value, list):
        return " / ".join(map(shown, value))
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return str(value)


def print_tables(rows: list[Row]) -> None:
    """Markdown, one table a set of columns."""
    columns: tuple[str, ...] = ()
    for row in rows:
        flat = {k: v for k, v in row.items() if k not in ("us", "bytes")}
        flat |= {f"{way} µs": us for way, us in row.get("us", {}).items() if way != "fts5_mean"}
        if tuple(flat) != columns:
            columns = tuple(flat)
            sys.stdout.write(f"\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}\n")
        sys.stdout.write(f"| {' | '.join(map(shown, flat.values()))} |\n")


def circumstances(corpus: pathlib.Path, truth: Truth) -> Row:
    """What every row carries: corpus, machine, versions, and how busy it was at the start."""
    return {
        "bench": "index_core",
        "corpus": f"{corpus.name}, seed {truth.facts['args']['seed']}",
        "corpus_digest": truth.facts["sha256_ids"],
        "words": truth.n_words,
        "documents": truth.facts["docs"],
        "window_words": truth.window_words,
        "averment": importlib.metadata.version("averment"),
        "sqlite": sqlite3.sqlite_version,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}",
        "load_at_start": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    """Build, check, time, write the rows, print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--corpus", type=pathlib.Path, required=True, help="of make_corpus.py")
    parser.add_argument("--work", type=pathlib.Path, help="where to build; default: temporary")
    arguments = parser.parse_args()
    corpus = arguments.corpus.resolve()
    truth = Truth(corpus)
    common = circumstances(corpus, truth)
    with tempfile.TemporaryDirectory(prefix="index-core-", dir=arguments.work) as made:
        work = pathlib.Path(made)
        rows = build_rows(corpus, work, truth.n_words)
        index, segment = averment.open_index(work / "averment"), _native.Segment(str(work / "core"))
        fts5 = Fts5(work / "fts5", truth.window_words)
        common |= {"index_digest": index.info.digest, "segments": index.info.n_segments}
        rows += exactness_rows(truth, index, segment, fts5)
        rows += query_rows(truth, index, segment, fts5)
        rows += opening_rows(truth, work)
        rows += adding_rows(corpus, work, truth.facts["docs"])
    target = RUNS / f"{datetime.date.today().isoformat()}-index-{corpus.name}.jsonl"
    target.write_text("".join(json.dumps({**row, **common}) + "\n" for row in rows))
    print_tables(rows)
    sys.stdout.write(f"\n{json.dumps(common)}\n")


if __name__ == "__main__":
    main()
