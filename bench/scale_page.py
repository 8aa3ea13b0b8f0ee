"""The numbers of docs/explanation/scale.md, from rows of `bench/scale.py` and the prices assumed.

    python bench/scale_page.py            # writes them into the page
    python bench/scale_page.py --check    # fails if the page says anything else; a test does that

The page marks each table by a comment, `<!-- numbers: NAME -->`, up to the next blank line. Of rows
for the same number of words those that were written last count. Nothing is measured here.
"""

from __future__ import annotations

import json
import math
import pathlib
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

HERE = pathlib.Path(__file__).parent
PAGE = HERE.parent / "docs" / "explanation" / "scale.md"
ROWS = HERE / "runs" / "2026-12-01-scale.jsonl"
RIVAL_ROWS = HERE / "runs" / "2026-11-30-index-rivals-c50.jsonl"
REAL_ROWS = HERE / "runs" / "2026-11-30-index-rivals-real.jsonl"

Row = dict[str, Any]
P50, P99 = 0, 1
SIZES = {"1 billion": 10**9, "10 billion": 10**10, "100 billion": 10**11, "1 trillion": 10**12}
TRILLION = SIZES["1 trillion"]
HOT = ("document starts", "word offsets", "word entries", "pair offsets", "pair entries")
ASKED = {
    "count, a phrase that occurs once": ("count", "1"),
    "count, 1,000 times in all": ("count", "1,000"),
    "count, any 2 to 5 words of the text": ("count", "any 2 to 5 words of the text"),
    "count, two of the 1,000 most frequent words": (
        "count",
        "two of the 1,000 most frequent words",
    ),
    "exists, rare and rare": ("exists", "rare-rare"),
    "exists, rare and frequent": ("exists", "rare-frequent"),
    "exists, frequent ones that hardly meet": ("exists", "hardly ever meet"),
    "co-occurrence, rare and frequent": ("cooccurrence", "rare-frequent"),
    "co-occurrence, frequent and frequent": ("cooccurrence", "frequent-frequent"),
}
TYPICAL = "count, any 2 to 5 words of the text"


class Machine(NamedTuple):
    """A machine that is assumed; prices are round figures, not offers."""

    cores: int = 32
    memory_gb: int = 128
    disk_gb: int = 4_000
    filled: float = 0.7
    usd_an_hour: float = 1.5
    read_ms: float = 0.1


MACHINE = Machine()
HOURS_A_MONTH = 730


class Measured:
    """The rows of one size."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.words = int(rows[0]["words"])
        self.build, self.open = self.of("build"), self.of("open")
        self.memory, self.size = self.of("memory of asking"), self.of("size")
        self.segments = int(self.size["segments"])

    def of(self, case: str, name: str | None = None) -> Row:
        """The row of a case and class."""
        (row,) = (r for r in self.rows if r["case"] == case and r.get("class") == name)
        return row

    def cpu_us(self, asked: str, part: int = P50) -> float:
        """CPU time of one question, asked alone."""
        return float(self.of(*ASKED[asked])["cpu_us"]["single"][part])

    @property
    def hot_bytes(self) -> int:
        """Of what every question looks into: dictionaries and where lists begin."""
        return sum(self.size["section_bytes"][name] for name in HOT)

    @property
    def right(self) -> tuple[int, int]:
        """Answers that are the truth's, of all that were asked."""
        checked = [r for r in self.rows if r["case"] == "exactness"]
        return sum(r["right"] for r in checked), sum(r["n"] for r in checked)


def read(path: pathlib.Path) -> list[Row]:
    """The rows of a file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def measurements(rows: Sequence[Row]) -> tuple[Measured, Measured]:
    """The last run at 50 million words, and at 300."""
    newest: dict[int, str] = {}
    for row in rows:
        newest[row["words"]] = max(newest.get(row["words"], ""), row["run"])
    small, large = sorted(newest)[-2:]
    return Measured(_of(rows, small, newest)), Measured(_of(rows, large, newest))


def _of(rows: Sequence[Row], words: int, newest: dict[int, str]) -> list[Row]:
    return [r for r in rows if r["words"] == words and r["run"] == newest[words]]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [list(head), ["---"] * len(head), *map(list, rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def short(number: float) -> str:
    """Two digits that count, or whole numbers from 100 on."""
    if number == 0 or number >= 100:
        return f"{number:,.0f}"
    digits = max(0, 1 - math.floor(math.log10(abs(number))))
    return f"{number:.{digits}f}"


def duration(seconds: float) -> str:
    """In the unit that one would use."""
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60), ("s", 1)):
        if seconds >= 2 * length:
            return f"{short(seconds / length)} {unit}"
    return f"{short(seconds * 1e3)} ms" if seconds >= 2e-3 else f"{short(seconds * 1e6)} µs"


# --- what the page shows ------------------------------------------------------------------------


def measured_table(small: Measured, large: Measured) -> str:
    """What was measured at both sizes."""
    both = (small, large)
    lines: list[tuple[str, Callable[[Measured], str]]] = [
        ("build, CPU", lambda m: duration(m.build["cpu_s"])),
        ("build, by the clock", lambda m: duration(m.build["wall_s"])),
        ("words a second of CPU", lambda m: f"{m.words / m.build['cpu_s'] / 1e6:.1f} million"),
        ("peak memory of the build", lambda m: f"{m.build['peak_rss_mb']:,.0f} MB"),
        ("segments", lambda m: str(m.segments)),
        ("bytes a word", lambda m: f"{m.build['bytes_per_word']:.2f}"),
        ("open, warm", lambda m: f"{short(m.open['warm_open_ms'])} ms"),
        ("open, cold", lambda m: f"{short(m.open['cold_open_ms'])} ms"),
        ("memory of its own, while asked", lambda m: f"{m.memory['own_mb']:.0f} MB"),
        ("mapped pages in memory after all questions", lambda m: f"{m.memory['mapped_mb']:.0f} MB"),
        ("right answers", lambda m: "{:,} of {:,}".format(*m.right)),
        ("load of the machine when it began", lambda m: str(m.build["load_at_start"])),
    ]
    head = ["", *(f"{m.words / 1e6:.0f} million words" for m in both)]
    return table(head, [[name, *(show(m) for m in both)] for name, show in lines])


def latency_table(small: Measured, large: Measured) -> str:
    """µs of CPU a question, p50 and p99, asked one by one."""
    rows = [
        [name, *(f"{short(m.cpu_us(name))} / {short(m.cpu_us(name, P99))}" for m in (small, large))]
        for name in ASKED
    ]
    sizes = (f"{m.words / 1e6:.0f} million words" for m in (small, large))
    return table(["question, µs of CPU (p50 / p99)", *sizes], rows)


def growth_table(small: Measured, large: Measured) -> str:
    """What the small size foretells of the large one, and what came."""
    words, segments = large.words / small.words, large.segments / small.segments
    foretold = [
        ("build, CPU s", small.build["cpu_s"] * words, large.build["cpu_s"]),
        ("disk, MB", small.build["bytes"] * words / 1e6, large.build["bytes"] / 1e6),
        ("dictionaries and list heads, MB", small.hot_bytes * words / 1e6, large.hot_bytes / 1e6),
        ("open warm, ms", small.open["warm_open_ms"] * segments, large.open["warm_open_ms"]),
        *((f"{name}, µs", small.cpu_us(name) * segments, large.cpu_us(name)) for name in ASKED),
    ]
    rows = [
        [name, short(told), short(came), f"{came / told:.2f}x"] for name, told, came in foretold
    ]
    head = ["", "foretold", "measured", "measured / foretold"]
    return table(head, rows)


class Plan(NamedTuple):
    """So many words on machines as assumed."""

    words: int
    segments: float
    disk_gb: float
    hot_gb: float
    build_cpu_h: float
    machines: int
    open_s: float

    @property
    def build_h(self) -> float:
        """By the clock, all cores of all machines at work."""
        return self.build_cpu_h / (self.machines * MACHINE.cores)

    @property
    def segments_a_machine(self) -> float:
        """How many one machine asks."""
        return self.segments / self.machines


def plan(large: Measured, words: int) -> Plan:
    """The large size, extended in proportion."""
    share = words / large.words
    disk_gb, hot_gb = large.build["bytes"] / 1e9 * share, large.hot_bytes / 1e9 * share
    machines = max(
        math.ceil(disk_gb / (MACHINE.disk_gb * MACHINE.filled)),
        math.ceil(hot_gb / (MACHINE.memory_gb * MACHINE.filled)),
    )
    segments = large.segments * share
    open_s = large.open["cold_open_ms"] / 1e3 * share / machines
    cpu_h = large.build["cpu_s"] * share / 3_600
    return Plan(words, segments, disk_gb, hot_gb, cpu_h, machines, open_s)


def plan_table(_small: Measured, large: Measured) -> str:
    """From one billion to one trillion words."""
    plans = {name: plan(large, words) for name, words in SIZES.items()}
    lines: list[tuple[str, Callable[[Plan], str]]] = [
        ("segments", lambda p: f"{p.segments:,.0f}"),
        ("disk", lambda p: f"{short(p.disk_gb)} GB"),
        ("dictionaries and list heads, to be kept in memory", lambda p: f"{short(p.hot_gb)} GB"),
        ("build, one core", lambda p: duration(p.build_cpu_h * 3_600)),
        ("machines", lambda p: str(p.machines)),
        ("build, all their cores", lambda p: duration(p.build_h * 3_600)),
        ("open, cold, on one thread a machine", lambda p: duration(p.open_s)),
        (
            "a page of each segment from disk, one after the other",
            lambda p: duration(p.segments_a_machine * MACHINE.read_ms / 1e3),
        ),
        (
            "build, US dollars",
            lambda p: short(p.build_h * p.machines * MACHINE.usd_an_hour),
        ),
        (
            "a month, US dollars",
            lambda p: f"{p.machines * MACHINE.usd_an_hour * HOURS_A_MONTH:,.0f}",
        ),
    ]
    return table(["", *plans], [[name, *(show(p) for p in plans.values())] for name, show in lines])


def trillion_table(_small: Measured, large: Measured) -> str:
    """How long one question takes over a trillion words."""
    there = plan(large, TRILLION)
    more = {n: there.segments / n / large.segments for n in (there.machines, 8, 64)}
    rows = [
        [name, *(duration(large.cpu_us(name) / 1e6 * share) for share in more.values())]
        for name in ASKED
    ]
    machines = (f"{n} machine{'s' if n > 1 else ''}" for n in more)
    return table(["question, p50, on one thread a machine", *machines], rows)


def assumed(_small: Measured, _large: Measured) -> str:
    """The machine and its price."""
    m = MACHINE
    return (
        f"A machine has {m.cores} cores, {m.memory_gb} GB of memory and {m.disk_gb:,} GB of local "
        f"SSD, both filled to {m.filled:.0%}, reads a page from it in {m.read_ms} ms, and costs "
        f"{m.usd_an_hour:.2f} US dollars an hour; a month has {HOURS_A_MONTH} hours."
    )


def rival_table(_small: Measured, large: Measured) -> str:
    """Our index and infini-gram, measured in one run."""
    rows = read(RIVAL_ROWS)
    built = {r["class"]: r for r in rows if r["case"] == "build"}
    count = {r["class"]: r["us"] for r in rows if r["case"] == "count"}
    exact = {
        r["who"]: f"{r['right']} of {r['n']}"
        for r in rows
        if r["case"] == "exactness" and r["class"] == "pairs"
    }
    names = ("averment", "infini-gram")
    lines = [
        ["bytes a word", *(f"{built[name]['bytes_per_word']:.2f}" for name in names)],
        ["build, CPU s", *(short(built[name]["cpu_s"]) for name in names)],
        *(
            [
                f"count of a phrase that occurs {often}, µs (p50)",
                short(count[name]["core_single"][P50]),
                short(count[name]["infini-gram"][P50]),
            ]
            for name, often in (("1", "once"), *((n, f"{n} times") for n in ("1,000", "100,000")))
        ),
        ["pairs counted right", exact["averment"], exact["infini-gram, cap 500,000"]],
    ]
    return table(["50 million words, one run", *names], lines)


def dictionary_line(_small: Measured, large: Measured) -> str:
    """What real text adds to the dictionaries."""
    ours = large.size["section_bytes"]["word entries"] / large.words
    (real,) = (r for r in read(REAL_ROWS) if r.get("class") == "core: word entries")
    millions = large.words / large.segments / 1e6
    return (
        f"Word entries take {ours:.2f} bytes a word in segments of {millions:.0f} million words of "
        f"synthetic text, and {real['bytes_per_word']:.2f} in the one segment of "
        f"{real['words'] / 1e6:.1f} million words of real English."
    )


PARTS: dict[str, Callable[[Measured, Measured], str]] = {
    "measured": measured_table,
    "latency": latency_table,
    "growth": growth_table,
    "assumed": assumed,
    "plan": plan_table,
    "trillion": trillion_table,
    "dictionary": dictionary_line,
    "infini-gram": rival_table,
}


def filled(page: str, small: Measured, large: Measured) -> str:
    """The page with its numbers as the rows have them."""
    for name, make in PARTS.items():
        mark = f"<!-- numbers: {name} -->\n\n"
        if mark not in page:
            raise SystemExit(f"{PAGE.name} has no place for {name!r}")
        before, _, rest = page.partition(mark)
        _, _, after = rest.partition("\n\n")
        page = f"{before}{mark}{make(small, large)}\n\n{after}"
    return page


def main() -> int:
    """Write or check."""
    page = PAGE.read_text("utf-8")
    made = filled(page, *measurements(read(ROWS)))
    if "--check" not in sys.argv:
        PAGE.write_text(made, "utf-8")
    elif made != page:
        sys.stderr.write("docs/explanation/scale.md is stale; type: python bench/scale_page.py\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
