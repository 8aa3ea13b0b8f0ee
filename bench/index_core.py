"""The corpus index beside its rivals, on the same text in one run: exactness, then cost.

    python ../shared/bench/make_corpus.py --out /tmp/c8 --words 8000000
    python bench/index_core.py --corpus /tmp/c8 --rivals fts5,tantivy,infini-gram
    python bench/index_table.py bench/runs/DATE-index-rivals-c8.jsonl

All indexes keep counts only and are built in child processes. Every count and every pair of the
ground truth is asked and compared, and thousands of random ones with brute force. Then the same
questions are timed turn by turn, so that what else the machine does disturbs all alike. What to
read is the ratio rival / averment, never a time. Rows are appended to `bench/runs/`.

How each rival is set up and what it can answer is in `index_rivals.py`, what is asked in
`bench_corpus.py`, how it is checked in `index_exactness.py`, how it is timed in `measuring.py`.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any

from bench_corpus import BenchCorpus, Pair
from index_exactness import Asked, checked, random_rows, truth_rows
from index_rivals import BUILD_THREADS, RIVALS, Fts5, InfiniGram, Tantivy
from measuring import (
    LEAST_ROUNDS,
    REPEATS,
    Ask,
    Control,
    Row,
    drop_from_cache,
    in_child,
    measured,
    median_ms,
    microseconds,
    progress,
)

from averment import Document, build_index, open_index
from averment.index import _native

RUNS = pathlib.Path(__file__).parent / "runs"
N_MIXED = N_ADDED = 1_000
N_DRAWN, N_DRAWN_RIVALS = 2_000, 200  # phrases of the text that are timed
N_RATE, N_RATE_RIVALS, RATE_TURNS = 20_000, 500, 5
N_MERGED = 4
BUILD_METRICS = ("wall_s", "cpu_s", "wall_s_without_reading", "cpu_s_without_reading", "bytes")


# --- building -----------------------------------------------------------------------------------


def read_only(corpus: BenchCorpus, target: pathlib.Path) -> None:
    """Only read the documents: the share of each build from text that is not the index's."""
    target.write_text(str(sum(1 for _ in corpus.documents())))


def build_averment(corpus: BenchCorpus, target: pathlib.Path) -> None:
    """An index directory through the public door."""
    build_index(corpus.documents(), target, counts_only=True)


def build_core(corpus: BenchCorpus, target: pathlib.Path, **options: Any) -> None:
    """One segment of the core: no ids, no manifest, no digests."""
    builder, stream = _native.SegmentBuilder(**options), (each.text for each in corpus.documents())
    while batch := list(islice(stream, 1_000)):
        builder.add_many(batch)
    builder.finish(str(target))


def build_rows(
    corpus: BenchCorpus, work: pathlib.Path, rivals: Sequence[str], n_rounds: int, control: Control
) -> list[Row]:
    """All builds in turn, each in a fresh process so that the peak is its own; medians."""
    builds: dict[str, Callable[..., None]] = {"reading": read_only}
    builds |= {name: RIVALS[name].build for name in rivals}
    builds |= {
        "averment": build_averment,
        "core": build_core,
        "core, 2 threads": partial(build_core, n_threads=BUILD_THREADS),
    }
    rounds, controls = [], [control.two_to_one()]
    for turn in range(n_rounds):
        found = {}
        for name, build in builds.items():
            progress(f"build {turn + 1}/{n_rounds}: {name}")
            remove(work / name)
            found[name] = in_child(measured, build, corpus, work / name)
        rounds.append(found)
        controls.append(control.two_to_one())
    return [build_row(corpus, name, rounds, rivals, controls) for name in builds]


def remove(target: pathlib.Path) -> None:
    """A file or a directory, if it is there."""
    if target.is_dir():
        shutil.rmtree(target)
    target.unlink(missing_ok=True)


def build_row(
    corpus: BenchCorpus, name: str, rounds: list[Any], rivals: Sequence[str], controls: list[float]
) -> Row:
    """Medians of a build, and of its ratios to the rivals' builds of the same round."""
    for found in rounds:
        for builder, row in found.items():
            # infini-gram gets numbers and reads no text
            reads = builder not in ("reading", InfiniGram.name)
            for clock in ("wall_s", "cpu_s"):
                off = found["reading"][clock] if reads else 0.0
                row[f"{clock}_without_reading"] = row[clock] - off
    row = {key: statistics.median(found[name][key] for found in rounds) for key in rounds[0][name]}
    ratios = {
        rival: {
            key: statistics.median(found[rival][key] / found[name][key] for found in rounds)
            for key in BUILD_METRICS
        }
        for rival in rivals
    }
    row["bytes_per_word"] = row["bytes"] / corpus.n_words
    row["text_mb_per_cpu_s"] = corpus.text_bytes / 1e6 / row["cpu_s_without_reading"]
    row["text_mb_per_s"] = corpus.text_bytes / 1e6 / row["wall_s_without_reading"]
    facts = {"case": "build", "class": name, "rounds": len(rounds), "control": controls}
    return {**facts, **row, "ratio": {} if name == "reading" else ratios}


def size_rows(corpus: BenchCorpus, work: pathlib.Path) -> list[Row]:
    """What averment's bytes are, and the bound."""
    n = corpus.n_words
    counts = sum(f.stat().st_size for f in (work / "averment" / "counts").rglob("*") if f.is_file())
    sections = _native.Segment(str(work / "core")).section_bytes
    rows = {"counts/": counts / n, **{f"core: {k}": v / n for k, v in sections.items()}}
    bounds = {f"entropy, {name}": each for name, each in corpus.entropy_bytes().items()}
    return [
        {"case": "size", "class": name, "bytes_per_word": each}
        for name, each in {**rows, **bounds}.items()
    ]


# --- asking -------------------------------------------------------------------------------------


def timed(
    case: str, name: str, questions: Sequence[Any], rivals: dict[str, Ask], ours: dict[str, Ask]
) -> Row:
    """A row: [p50, p99] of all; ratios of p50 and p99, for batches of the means."""
    progress(f"{case}: {name}")
    us = microseconds(questions, {**rivals, **ours}, tuple(rivals))
    ratios = {}
    for rival in rivals:
        theirs = {way: us[f"{rival}_mean" if way.endswith("batch") else rival] for way in ours}
        ratios[rival] = {
            way: [there / here for there, here in zip(theirs[way], us[way], strict=True)]
            for way in ours
        }
    us = {name: each for name, each in us.items() if not name.endswith("_mean")}
    return {"case": case, "class": name, "n": len(questions), "us": us, "ratio": ratios}


def query_rows(asked: Asked) -> list[Row]:
    """Each kind of question in each class."""
    corpus, index, segment, rivals = asked
    near = partial(partial, window_words=corpus.window_words)
    pairs, phrases = corpus.pair_classes(), corpus.phrase_classes()
    existence = {**pairs, "mixed at random": corpus.mixed_pairs(N_MIXED)}
    of_windows = {name: getattr(rival, "documents", None) for name, rival in rivals.items()}
    answers_more = {
        name: rival.near if isinstance(rival, InfiniGram) else rival.documents
        for name, rival in rivals.items()
    }
    cases: list[tuple[str, dict[str, Any], dict[str, Any], Ask | None, Ask]] = [
        ("count", phrases, {n: r.count for n, r in rivals.items()}, index.count, segment.count),
        (
            "exists",
            existence,
            {n: r.exists for n, r in rivals.items()},
            near(index.exists),
            near(segment.exists),
        ),
        ("documents", pairs, of_windows, None, near(segment.documents)),
        ("cooccurrence", pairs, answers_more, near(index.cooccurrence), near(segment.cooccurrence)),
    ]
    rows = []
    for case, classes, theirs, public, core in cases:
        doors = {"": public, "core_": core} if public else {"core_": core}
        ours = {f"{door}{how}": ask for door, ask in doors.items() for how in ("batch", "single")}
        asking = {name: ask for name, ask in theirs.items() if ask}
        rows += [timed(case, name, some, asking, ours) for name, some in classes.items()]
    return rows


def drawn_rows(asked: Asked) -> list[Row]:
    """Phrases that nobody planted: two frequent words, and what stands in the text.

    Rivals are asked some of them, averment these in turn with them, and all for the p99 of all.
    """
    corpus, _, segment, rivals = asked
    drawn = {
        "two frequent words": corpus.bigrams(corpus.n_frequent_words(), N_DRAWN),
        "two of the 1,000 most frequent words": corpus.bigrams(1_000, N_DRAWN),
        "any 2 to 5 words of the text": corpus.text_phrases(N_DRAWN, 2, 5),
    }
    ours: dict[str, Ask] = {"core_batch": segment.count, "core_single": segment.count}
    rows = []
    for name, phrases in drawn.items():
        some = phrases[:: N_DRAWN // N_DRAWN_RIVALS]
        for rival in (r for r in rivals.values() if isinstance(r, InfiniGram)):
            some = [phrase for phrase in some if rival.knows(phrase)]
        theirs = {rival_name: rival.count for rival_name, rival in rivals.items()}
        rows.append(timed("count", f"{name}, some", some, theirs, ours))
        rows.append(timed("count", name, phrases, {}, ours))
    return rows


def rate_rows(asked: Asked, control: Control) -> list[Row]:
    """Mixed existence questions a second: one batch, on one thread and on two."""
    corpus, index, segment, rivals = asked
    pairs, window = corpus.mixed_pairs(N_RATE), corpus.window_words
    ways: dict[str, tuple[Callable[..., object], list[Pair]]] = {
        "core": (partial(segment.exists, window_words=window), pairs),
        "core, 2 threads": (partial(segment.exists, window_words=window, n_threads=2), pairs),
        "averment": (partial(index.exists, window_words=window), pairs),
    }
    ways |= {name: (rival.exists, pairs[:N_RATE_RIVALS]) for name, rival in rivals.items()}
    rates: dict[str, list[float]] = {name: [] for name in ways}
    controls = []
    progress("existence questions a second")
    for _ in range(RATE_TURNS):
        controls.append(control.two_to_one())
        for name, (ask, some) in ways.items():
            started = time.perf_counter()
            ask(some)
            rates[name].append(len(some) / (time.perf_counter() - started))
    medians = {name: statistics.median(each) for name, each in rates.items()}
    scaling = [b / a for a, b in zip(rates["core"], rates["core, 2 threads"], strict=True)]
    facts = {"control": controls, "two_to_one": statistics.median(scaling)}
    ratios = {
        name: {rival: rate / medians[rival] for rival in rivals} for name, rate in medians.items()
    }
    return [
        {"case": "rate", "class": name, "per_s": rate, "ratio": ratios[name], **facts}
        for name, rate in medians.items()
    ]


# --- opening, adding, merging -------------------------------------------------------------------


def openers(name: str, corpus: BenchCorpus, path: pathlib.Path) -> Callable[[], Any]:
    """The act of opening an index; what is loaded once a process is loaded before."""
    if name in RIVALS:
        return RIVALS[name].opener(corpus, path)
    if name == "core":
        return partial(_native.Segment, str(path))
    with tempfile.TemporaryDirectory() as small:
        build_index([Document("1", "One word.")], pathlib.Path(small) / "i", counts_only=True)
        open_index(pathlib.Path(small) / "i").count(["word"])
    return partial(open_index, path)


def opening(name: str, corpus: BenchCorpus, path: pathlib.Path, phrase: str) -> Row:
    """In a fresh process: open and ask, first without a page of it in memory, then again."""
    start, times = openers(name, corpus, path), {}
    drop_from_cache(path)
    for state in ("cold", "warm"):
        clock = [time.perf_counter()]
        engine = start()
        clock.append(time.perf_counter())
        engine.count([phrase])
        clock.append(time.perf_counter())
        times[f"{state}_open_ms"] = (clock[1] - clock[0]) * 1e3
        times[f"{state}_first_count_ms"] = (clock[2] - clock[1]) * 1e3
        del engine
    return times


def opening_rows(corpus: BenchCorpus, work: pathlib.Path, rivals: Sequence[str]) -> list[Row]:
    """Medians over processes; cold is after fsync and POSIX_FADV_DONTNEED on each file."""
    phrase, rows = corpus.phrase_classes()["1,000"][0], []
    for name in (*rivals, "averment", "core"):
        progress(f"open: {name}")
        found = [in_child(opening, name, corpus, work / name, phrase) for _ in range(REPEATS)]
        medians = {key: statistics.median(each[key] for each in found) for key in found[0]}
        rows.append({"case": "open", "class": name, **medians})
    return rows


def adding_rows(corpus: BenchCorpus, work: pathlib.Path, rivals: Sequence[str]) -> list[Row]:
    """New documents made durable and visible, by each that can."""
    progress("adding")
    fresh = [list(islice(corpus.documents(f"{n}-"), N_ADDED)) for n in range(REPEATS)]
    texts = [document.text for document in fresh[0]]
    to_index, numbers = iter(fresh), iter(range(REPEATS))

    def add() -> None:
        build_index(next(to_index), work / "averment", add=True)

    def add_core() -> None:
        builder = _native.SegmentBuilder()
        builder.add_many(texts)
        builder.finish(str(work / f"added-{next(numbers)}"))

    ways: dict[str, Callable[[], object]] = {"averment": add, "core": add_core}
    if Fts5.name in rivals:
        ways[Fts5.name] = partial(Fts5.add, work / Fts5.name, texts)
    if Tantivy.name in rivals:
        ways[Tantivy.name] = partial(Tantivy.add, work / Tantivy.name, texts, corpus.is_plain)
    found = {name: median_ms(act) for name, act in ways.items()}
    seen = open_index(work / "averment").info.n_documents - int(corpus.facts["docs"])
    return [
        {"case": "add", "class": name, "added": len(texts), "ms": ms, "seen": seen}
        for name, ms in found.items()
    ]


def merge_rows(corpus: BenchCorpus, work: pathlib.Path) -> list[Row]:
    """Some segments merged into one by the core, on one thread.

    A posting is an occurrence of a word or of a pair of frequent neighbours.
    """
    progress("merge")
    texts, paths = (document.text for document in corpus.documents()), []
    for number in range(N_MERGED):
        builder = _native.SegmentBuilder()
        share = -(-int(corpus.facts["docs"]) // N_MERGED)
        while builder.n_documents < share and (batch := list(islice(texts, 1_000))):
            builder.add_many(batch)
        paths.append(work / f"part-{number}")
        builder.finish(str(paths[-1]))
    segments = [_native.Segment(str(path)) for path in paths]
    times = []
    for turn in range(LEAST_ROUNDS + 1):
        wall, cpu = time.perf_counter(), time.process_time()
        _native.merge(segments, str(work / f"merged-{turn}"))
        times.append((time.perf_counter() - wall, time.process_time() - cpu))
    merged = _native.Segment(str(work / "merged-0"))
    counts = [(entity["count"], entity["docs"]) for entity in corpus.entities]
    facts = merged.facts
    postings = facts["n_words"] + facts["n_pair_occurrences"]
    wall_s, cpu_s = (statistics.median(each) for each in zip(*times, strict=True))
    row = {"case": "merge", "class": "core", "segments": N_MERGED, "postings": postings}
    row |= {"wall_s": wall_s, "cpu_s": cpu_s, "postings_per_cpu_s": postings / cpu_s}
    return [row, checked("counts", "core, merged", merged.count(corpus.phrases), counts)]


# --- the run ------------------------------------------------------------------------------------


def circumstances(corpus: BenchCorpus, rivals: Sequence[str]) -> Row:
    """What every row carries: corpus, machine, versions, and how busy it was at the start."""
    return {
        "bench": "index_core",
        "run": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "corpus": f"{corpus.path.name}, seed {corpus.facts['args']['seed']}",
        "corpus_digest": corpus.facts["sha256_ids"],
        "words": corpus.n_words,
        "documents": corpus.facts["docs"],
        "window_words": corpus.window_words,
        "versions": {
            "averment": importlib.metadata.version("averment"),
            **{name: RIVALS[name].version() for name in rivals},
        },
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}",
        "load_at_start": round(os.getloadavg()[0], 1),
    }


def run(
    corpus: BenchCorpus, work: pathlib.Path, rivals: Sequence[str], n_builds: int, control: Control
) -> list[Row]:
    """Everything in order: what changes an index comes last."""
    rows = build_rows(corpus, work, rivals, n_builds, control)
    rows += size_rows(corpus, work)
    rows += opening_rows(corpus, work, rivals)
    opened = {name: RIVALS[name].opener(corpus, work / name)() for name in rivals}
    segment = _native.Segment(str(work / "core"))
    asked = Asked(corpus, open_index(work / "averment"), segment, opened)
    progress("exactness")
    rows += truth_rows(asked) + random_rows(asked)
    rows += query_rows(asked) + drawn_rows(asked) + rate_rows(asked, control)
    del asked, opened
    return rows + adding_rows(corpus, work, rivals) + merge_rows(corpus, work)


def main() -> None:
    """Build, check, time, append the rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--corpus", type=pathlib.Path, required=True, help="see bench_corpus.py")
    parser.add_argument("--rivals", default="fts5", help=f"of {','.join(RIVALS)}; default: fts5")
    parser.add_argument("--builds", type=int, default=3, help="rounds of building; default: 3")
    parser.add_argument("--work", type=pathlib.Path, help="where to build; default: temporary")
    parser.add_argument(
        "--rows", type=pathlib.Path, help="default: bench/runs/DATE-index-rivals-CORPUS"
    )
    arguments = parser.parse_args()
    corpus, rivals = BenchCorpus(arguments.corpus.resolve()), arguments.rivals.split(",")
    name = f"{datetime.date.today().isoformat()}-index-rivals-{corpus.path.name}.jsonl"
    common = circumstances(corpus, rivals)
    with (
        Control() as control,
        tempfile.TemporaryDirectory(prefix="index-core-", dir=arguments.work) as made,
    ):
        rows = run(corpus, pathlib.Path(made), rivals, arguments.builds, control)
    with (arguments.rows or RUNS / name).open("a", encoding="utf-8") as kept:
        kept.writelines(json.dumps({**row, **common}) + "\n" for row in rows)
    sys.stdout.write(f"{arguments.rows or RUNS / name}: {len(rows)} rows\n")


if __name__ == "__main__":
    main()
