"""One index at several sizes: what it costs to build, open and ask, and whether it is right.

    python ../shared/bench/make_corpus.py --out /tmp/c50 --words 50000000
    python ../shared/bench/make_corpus.py --out /tmp/c300 --words 300000000
    python bench/scale.py --corpus /tmp/c50 --corpus /tmp/c300
    python bench/scale_page.py            # the numbers of docs/explanation/scale.md

Everything goes through the public door, with counts only. Building, drawing questions and asking
happen in a fresh process each, so that a peak is nobody else's. No rivals: what counts here is how
the numbers grow from one size to the next (`index_core.py` has the rivals). Questions are timed in
CPU time: what else the machine does counts little then. Rows are appended to `bench/runs/`.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import re
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from bench_corpus import BenchCorpus
from index_core import build_averment, opening, read_only
from index_exactness import index_truth_rows
from measuring import REPEATS, Ask, Row, in_child, measured, microseconds, progress

from averment import open_index
from averment.index import _native
from averment.index.manifest import read_manifest

RUNS = pathlib.Path(__file__).parent / "runs"
N_MIXED, N_DRAWN = 1_000, 200
N_FREQUENT_WORDS = 1_000
BUDGET_S = 1.0
Questions = dict[str, dict[str, Sequence[Any]]]  # by case and class


def build_row(corpus: BenchCorpus, path: pathlib.Path) -> Row:
    """One build, and what of it was reading the text."""
    progress(f"{corpus.path.name}: build")
    row = in_child(measured, build_averment, corpus, path)
    reading = in_child(measured, read_only, corpus, path.with_name("reading"))
    row |= {f"reading_{clock}": reading[clock] for clock in ("wall_s", "cpu_s")}
    text_bytes, n_words = in_child(text_size, corpus), corpus.n_words
    return {
        "case": "build",
        **row,
        "text_bytes": text_bytes,
        "bytes_per_word": row["bytes"] / n_words,
    }


def text_size(corpus: BenchCorpus) -> int:
    """Bytes of the texts."""
    return corpus.text_bytes


def size_row(path: pathlib.Path) -> Row:
    """The bytes of all segments by section, and how many segments there are."""
    entries = read_manifest(path).segments
    sections: dict[str, int] = {}
    for entry in entries:
        # of the files of a segment, only the core's own has sections
        (core,) = (path / file.path for file in entry.files if file.path.endswith("/segment.bin"))
        for name, n_bytes in _native.Segment(str(core)).section_bytes.items():
            sections[name] = sections.get(name, 0) + n_bytes
    return {"case": "size", "segments": len(entries), "section_bytes": sections}


def opening_row(corpus: BenchCorpus, path: pathlib.Path) -> Row:
    """Medians over processes, as in `index_core`."""
    progress(f"{corpus.path.name}: open")
    phrase = corpus.phrase_classes()["1,000"][0]
    found = [in_child(opening, "averment", corpus, path, phrase) for _ in range(REPEATS)]
    medians = {key: statistics.median(each[key] for each in found) for key in found[0]}
    return {"case": "open", **medians}


def questions_of(corpus: BenchCorpus) -> Questions:
    """The classes of `index_core`, and phrases of the text that nobody planted."""
    pairs = corpus.pair_classes()
    drawn = {
        "two of the 1,000 most frequent words": corpus.bigrams(N_FREQUENT_WORDS, N_DRAWN),
        "any 2 to 5 words of the text": corpus.text_phrases(N_DRAWN, 2, 5),
    }
    return {
        "count": {**corpus.phrase_classes(), **drawn},
        "exists": {**pairs, "mixed at random": corpus.mixed_pairs(N_MIXED)},
        "cooccurrence": pairs,
    }


def asking_rows(corpus: BenchCorpus, path: pathlib.Path, questions: Questions) -> list[Row]:
    """Right answers; [p50, p99] µs of a question, alone and in batches; then the memory."""
    index = open_index(path)
    rows = index_truth_rows(corpus, index)
    asking: dict[str, Ask] = {
        "count": index.count,
        "exists": partial(index.exists, window_words=corpus.window_words),
        "cooccurrence": partial(index.cooccurrence, window_words=corpus.window_words),
    }
    for case, classes in questions.items():
        for name, some in classes.items():
            progress(f"{corpus.path.name}: {case}: {name}")
            ways = dict.fromkeys(("batch", "single"), asking[case])
            us = microseconds(some, ways, clock=time.process_time_ns, budget_s=BUDGET_S)
            rows.append({"case": case, "class": name, "n": len(some), "cpu_us": us})
    return [*rows, {"case": "memory of asking", **resident_mb()}]


def resident_mb() -> dict[str, float]:
    """Of this process: the peak, and now what is its own and what are pages of mapped files."""
    status = pathlib.Path("/proc/self/status").read_text("utf-8")
    now = {name: int(kb) / 1e3 for name, kb in re.findall(r"Rss(Anon|File):\s*(\d+) kB", status)}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return {"peak_rss_mb": peak, "own_mb": now["Anon"], "mapped_mb": now["File"]}


def circumstances(corpus: BenchCorpus) -> Row:
    """What every row carries."""
    return {
        "bench": "scale",
        "run": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "corpus": f"{corpus.path.name}, seed {corpus.facts['args']['seed']}",
        "corpus_digest": corpus.facts["sha256_ids"],
        "words": corpus.n_words,
        "documents": corpus.facts["docs"],
        "averment": importlib.metadata.version("averment"),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}",
        "load_at_start": round(os.getloadavg()[0], 1),
    }


def run(corpus: BenchCorpus, work: pathlib.Path) -> list[Row]:
    """Everything about one corpus."""
    common, path = circumstances(corpus), work / "averment"
    rows = [build_row(corpus, path), size_row(path), opening_row(corpus, path)]
    questions = in_child(questions_of, corpus)
    rows += in_child(asking_rows, corpus, path, questions)
    return [{**row, **common, "load_at_end": round(os.getloadavg()[0], 1)} for row in rows]


def main() -> None:
    """Build, open, ask, append the rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--corpus", type=pathlib.Path, action="append", required=True, help="see bench_corpus.py"
    )
    parser.add_argument("--work", type=pathlib.Path, help="where to build; default: temporary")
    parser.add_argument("--rows", type=pathlib.Path, help="default: bench/runs/DATE-scale.jsonl")
    arguments = parser.parse_args()
    target = arguments.rows or RUNS / f"{datetime.date.today().isoformat()}-scale.jsonl"
    for path in arguments.corpus:
        with tempfile.TemporaryDirectory(prefix="scale-", dir=arguments.work) as made:
            rows = run(BenchCorpus(path.resolve()), pathlib.Path(made))
        with target.open("a", encoding="utf-8") as kept:
            kept.writelines(json.dumps(row) + "\n" for row in rows)
        sys.stdout.write(f"{target}: {len(rows)} rows of {path.name}\n")


if __name__ == "__main__":
    main()
