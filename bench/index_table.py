"""What the index was meant to reach, what it reached and how its rivals did, from rows of a bench.

    python bench/index_table.py bench/runs/DATE-index-rivals-c50.jsonl

Rows of several runs on one corpus become medians over the runs. A ratio is rival / averment, above
1 where averment needs less; of several classes the range is shown and the worst one counts.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

Row = dict[str, Any]

P50, P99 = 0, 1
SCALES_FROM = 1.8  # what two processes that only spin must get done for scaling to be judged
MEETING = ("rare-rare", "rare-frequent", "mid-mid", "mid-frequent", "frequent-frequent", "top")
DENSE = ("hardly ever meet", "never meet")
COUNTS = ("1", "10", "100", "1,000", "10,000", "100,000", "1,000,000")
OURS = ("averment", "core")


class Line(NamedTuple):
    """Of the table; `met` is None where there is no goal or nothing to judge by."""

    what: str
    goal: str
    reached: str
    met: bool | None
    rivals: str


class Goal(NamedTuple):
    """A latency: the most µs and the least ratio to FTS5, in the worst of some classes."""

    what: str
    case: str
    classes: tuple[str, ...]
    way: str
    part: int
    most_us: float | None
    least_ratio: float | None
    ratio_of: str = ""  # added to the class where rivals were asked less


LATENCIES = (
    Goal("count in every class, core, batches", "count", COUNTS, "core_batch", P50, None, 10),
    Goal("the same, through Python, batches", "count", COUNTS, "batch", P50, None, 10),
    Goal("the same, core, one by one and cold", "count", COUNTS, "core_single", P50, None, None),
    Goal(
        "any two frequent words, p99",
        *("count", ("two frequent words",), "core_single", P99, 1, None, ", some"),
    ),
    Goal(
        "any two of the 1,000 most frequent, p99",
        *("count", ("two of the 1,000 most frequent words",), "core_single", P99, None, None),
        ", some",
    ),
    Goal(
        "any 2 to 5 words of the text, p99",
        *("count", ("any 2 to 5 words of the text",), "core_single", P99, None, None, ", some"),
    ),
    Goal(
        "existence where phrases meet, core, batches", "exists", MEETING, "core_batch", P50, 2, 20
    ),
    Goal("the same, through Python, batches", "exists", MEETING, "batch", P50, None, 15),
    Goal("the same, core, one by one and cold", "exists", MEETING, "core_single", P50, None, None),
    Goal("documents, rare-frequent", "documents", ("rare-frequent",), "core_batch", P50, None, 15),
    Goal(
        "documents, frequent-frequent",
        *("documents", ("frequent-frequent",), "core_batch", P50, None, 4),
    ),
    Goal("documents, mid-mid", "documents", ("mid-mid",), "core_batch", P50, None, None),
    Goal("existence, dense lists that hardly meet", "exists", DENSE, "core_batch", P50, None, 10),
    Goal("documents, the same", "documents", DENSE, "core_batch", P50, None, 10),
    Goal(
        "documents, pairs and distance, core, batches",
        *("cooccurrence", (*MEETING, *DENSE), "core_batch", P50, None, None),
    ),
    Goal(
        "the same as `Cooccurrence` through Python, batches",
        *("cooccurrence", (*MEETING, *DENSE), "batch", P50, None, 5),
    ),
)


class Runs:
    """The rows of some runs on one corpus."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.rivals = [name for name in rows[0]["versions"] if name not in OURS]

    def of(self, case: str, name: str) -> list[Row]:
        """The rows of a case and class, one a run."""
        return [row for row in self.rows if row["case"] == case and row["class"] == name]

    def median(self, case: str, name: str, *keys: str | int) -> float | None:
        """Of a value in such rows; None where nothing was measured."""
        values: Any = self.of(case, name)
        for key in keys:
            values = [each[key] for each in values if isinstance(key, int) or key in each]
        return statistics.median(values) if values else None

    def medians(self, case: str, names: Sequence[str], *keys: str | int) -> list[float]:
        """Of several classes, those that were measured."""
        found = (self.median(case, name, *keys) for name in names)
        return [value for value in found if value is not None]

    def ratios(self, case: str, names: Sequence[str], *keys: str | int) -> dict[str, list[float]]:
        """To each rival, over some classes."""
        return {rival: self.medians(case, names, "ratio", rival, *keys) for rival in self.rivals}

    def control(self, case: str, name: str) -> float:
        """What two spinning processes got done against one, while this was measured."""
        return statistics.median(float(n) for row in self.of(case, name) for n in row["control"])


def shown(value: float) -> str:
    """To three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def ranged(values: Sequence[float], unit: str = "") -> str:
    """The least and the greatest, or the only one."""
    least, most = shown(min(values)), shown(max(values))
    return f"{least}{unit}" if least == most else f"{least} to {most}{unit}"


def beside(ratios: dict[str, list[float]]) -> str:
    """The ratios to the rivals that were measured."""
    return ", ".join(f"{name} {ranged(each, 'x')}" for name, each in ratios.items() if each)


def enough(ratios: dict[str, list[float]], rival: str, least: float) -> bool:
    """Whether the worst ratio to a rival is what it should be; yes where it was not asked."""
    return min(ratios.get(rival) or [least]) >= least


def latency_lines(runs: Runs) -> Iterator[Line]:
    """Each latency with its goal."""
    for goal in LATENCIES:
        us = runs.medians(goal.case, goal.classes, "us", goal.way, goal.part)
        if not us:
            continue
        names = [f"{name}{goal.ratio_of}" for name in goal.classes]
        ratios = runs.ratios(goal.case, names, goal.way, goal.part)
        wanted, met = [], None
        if goal.most_us is not None:
            wanted.append(f"<= {shown(goal.most_us)} µs")
            met = max(us) <= goal.most_us
        if goal.least_ratio is not None:
            wanted.append(f">= {shown(goal.least_ratio)}x fts5")
            met = met is not False and enough(ratios, "fts5", goal.least_ratio)
        yield Line(goal.what, ", ".join(wanted), ranged(us, " µs"), met, beside(ratios))


def exactness_lines(runs: Runs) -> Iterator[Line]:
    """All that was checked: right answers of how many, averment's and each rival's."""
    rows = [row for row in runs.rows if row["case"] == "exactness"]
    for name in dict.fromkeys(row["class"] for row in rows):
        some = [row for row in rows if row["class"] == name]
        ours = [row for row in some if row["who"].startswith(OURS)]
        said = {row["who"]: f"{row['right']:,} of {row['n']:,}" for row in some}
        theirs = [f"{who} {score}" for who, score in said.items() if not who.startswith(OURS)]
        met = all(row["right"] == row["n"] for row in ours) if ours else None
        reached = " / ".join(dict.fromkeys(said[row["who"]] for row in ours))
        yield Line(f"right answers: {name}", "all" if ours else "", reached, met, ", ".join(theirs))


def build_lines(runs: Runs) -> Iterator[Line]:
    """Builds from text, the reading of it taken off from both sides of a ratio."""
    for name in ("averment", "core", "core, 2 threads"):
        if not runs.of("build", name):
            continue
        for clock, label in (("wall_s", "wall"), ("cpu_s", "CPU")):
            value = runs.median("build", name, clock) or 0.0
            ratios = runs.ratios("build", [name], f"{clock}_without_reading")
            judged = name == "core, 2 threads" and clock == "wall_s"
            met = enough(ratios, "fts5", 8) and enough(ratios, "tantivy", 6)
            goal = ">= 8x fts5, >= 6x tantivy" if judged else ""
            if judged and (control := runs.control("build", name)) < SCALES_FROM:
                goal += f" (two cores were worth {control:.2g} here: not established)"
                judged = False
            rate_key = "text_mb_per_s" if clock == "wall_s" else "text_mb_per_cpu_s"
            rate = runs.median("build", name, rate_key) or 0.0
            reached = f"{shown(value)} s, {shown(rate)} MB/s without reading"
            what = f"build, {name}: {label}"
            yield Line(what, goal, reached, met if judged else None, beside(ratios))
    yield from memory_and_size_lines(runs)


def memory_and_size_lines(runs: Runs) -> Iterator[Line]:
    """Of the builds."""
    names = [name for name in ("averment", "core", "core, 2 threads") if runs.of("build", name)]
    peaks = {name: runs.median("build", name, "peak_rss_mb") for name in [*names, *runs.rivals]}
    here = [peak for name in names if (peak := peaks[name]) is not None]
    theirs = ", ".join(f"{name} {shown(peaks[name] or 0)} MB" for name in runs.rivals)
    yield Line(
        "peak memory of a build", "<= 1200 MB", ranged(here, " MB"), max(here) <= 1200, theirs
    )
    size = runs.median("size", "counts/", "bytes_per_word") or 0.0
    ratios = runs.ratios("build", ["averment"], "bytes")
    fits = enough(ratios, "fts5", 1 / 0.8) and enough(ratios, "infini-gram", 1 / 0.45)
    met = fits and size <= 2.9
    goal = "<= 2.9 bytes a word, >= 1.25x fts5, >= 2.22x infini-gram"
    yield Line("size of counts/", goal, f"{shown(size)} bytes a word", met, beside(ratios))
    for name in ("lists", "text"):
        bound = runs.median("size", f"entropy, {name}", "bytes_per_word") or 0.0
        what = f"entropy bound of the {name}"
        yield Line(what, "", f"{shown(bound)} bytes a word", None, "")


def rate_lines(runs: Runs) -> Iterator[Line]:
    """Questions a second, and what a second thread is worth."""
    for name in ("core", "averment"):
        rate = runs.median("rate", name, "per_s") or 0.0
        ratios = runs.ratios("rate", [name])
        met, goal = rate >= 100_000, ">= 100,000 a second"
        what = f"mixed existence, one thread, {name}"
        yield Line(what, goal, f"{shown(rate)} a second", met, beside(ratios))
    two, control = runs.median("rate", "core", "two_to_one") or 0.0, runs.control("rate", "core")
    reached = f"{two:.2f}x; two spinning processes {control:.2f}x"
    if control < SCALES_FROM:
        reached = f"{reached}: not established"
    yield Line("the same on two threads, against one", "beside the control", reached, None, "")


def directory_lines(runs: Runs) -> Iterator[Line]:
    """Opening, adding, merging."""
    for state, goals in (("cold", (20, 15)), ("warm", (None, None))):
        for what, most in zip(("open", "first_count"), goals, strict=True):
            key = f"{state}_{what}_ms"
            ms = runs.median("open", "averment", key) or 0.0
            theirs = [
                f"{n} {shown(runs.median('open', n, key) or 0)} ms" for n in (*runs.rivals, "core")
            ]
            goal, met = (f"<= {most} ms", ms <= most) if most else ("", None)
            label = f"{what.replace('_', ' ')}, {state}"
            yield Line(label, goal, f"{shown(ms)} ms", met, ", ".join(theirs))
    ms = runs.median("add", "averment", "ms") or 0.0
    theirs = [
        f"{n} {shown(t)} ms" for n in (*runs.rivals, "core") if (t := runs.median("add", n, "ms"))
    ]
    what = "1,000 documents, durable and visible"
    yield Line(what, "<= 100 ms", f"{shown(ms)} ms", ms <= 100, ", ".join(theirs))
    if rate := runs.median("merge", "core", "postings_per_cpu_s"):
        reached = f"{shown(rate / 1e6)} million postings a second and core"
        yield Line("merge", ">= 100 million", reached, rate >= 1e8, "")


def lines(runs: Runs) -> Iterator[Line]:
    """The whole table."""
    yield from exactness_lines(runs)
    yield from build_lines(runs)
    yield from latency_lines(runs)
    yield from rate_lines(runs)
    yield from directory_lines(runs)


def detail_lines(runs: Runs) -> Iterator[list[str]]:
    """Every class that was timed: averment's µs, the core's, the rivals', and their ratios."""
    yield [
        "question",
        "class",
        "n",
        "batch µs",
        "core single µs",
        *(f"{n} µs" for n in runs.rivals),
    ] + [f"{rival} / {door}" for rival in runs.rivals for door in ("batch", "core single")]
    for row in dict.fromkeys((r["case"], r["class"], r["n"]) for r in runs.rows if "us" in r):
        case, name, n = row
        cells = [case, name, str(n)]
        for way in ("batch", "core_single", *runs.rivals):
            both = [runs.median(case, name, "us", way, part) for part in (P50, P99)]
            cells.append(" / ".join(shown(us) for us in both if us is not None) or "–")
        for rival in runs.rivals:
            for way in ("batch", "core_single"):
                ratio = runs.median(case, name, "ratio", rival, way, P50)
                cells.append("–" if ratio is None else f"{shown(ratio)}x")
        yield cells


def table(rows: Sequence[Sequence[str]]) -> str:
    """Markdown; the first row is the head."""
    head, *others = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, f"|{' --- |' * len(rows[0])}", *others])


def main() -> None:
    """Print the circumstances and the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rows", type=pathlib.Path, nargs="+", help="of index_core.py, one corpus")
    parser.add_argument("--detail", action="store_true", help="every class that was timed")
    arguments = parser.parse_args()
    read = [json.loads(line) for file in arguments.rows for line in file.read_text().splitlines()]
    if len({row["corpus_digest"] for row in read}) != 1:
        parser.error("rows of one corpus make one table")
    runs, row = Runs(read), read[0]
    loads = dict.fromkeys(f"{each['run']} (load {each['load_at_start']})" for each in read)
    versions = ", ".join(f"{name} {version}" for name, version in row["versions"].items())
    corpus = f"{row['corpus']}: {row['words']:,} words, {row['documents']:,} documents"
    sys.stdout.write(f"{corpus}; {row['machine']}; {versions}; runs: {', '.join(loads)}.\n\n")
    verdict = {True: "", False: " **(missed)**", None: ""}
    body = [[x.what, x.goal, f"{x.reached}{verdict[x.met]}", x.rivals] for x in lines(runs)]
    sys.stdout.write(table([["what", "goal", "reached", "rivals"], *body]) + "\n")
    if arguments.detail:
        sys.stdout.write(f"\n{table(list(detail_lines(runs)))}\n")


if __name__ == "__main__":
    main()
