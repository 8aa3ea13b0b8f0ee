"""What it costs to score a given text by runtime, and how far the runtimes agree.

    pip install -e '.[local,rescore,transformers]'
    python bench/rescoring.py --model qwen2.5-coder-0.5b

Milliseconds a token of answers of about 20 and 100 tokens, after a question with its passages and
after the question alone. Every run has a prompt of its own, which nobody has read before; "again"
is the same prompts once more, which only the default runtime remembers.
CPU time is that of all threads; with one thread it is what a quiet machine would take. Each runtime
is a process of its own; runtimes that are not installed are passed over and named.
Greedy text of the default runtime is scored by all, token by token against what it was written
with. One JSON row a runtime, answer and context goes to `bench/runs/`, tables to the screen.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import platform
import resource
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

import measuring

from averment.models.registry import Registry
from averment.types import GenerationOptions, Prompt, Token

HERE = pathlib.Path(__file__).parent
RUNTIMES = {
    "xllamacpp": "xllamacpp",
    "llama-cpp-python": "llama_cpp",
    "transformers": "transformers",
}
Row = dict[str, Any]

PASSAGES = """\
The Kerrin rises in a bog below Mount Sallow and runs north for two hundred kilometres. Near Oldham
Bridge it takes up the Little Wray, which is the longer of the two but carries less water. Barges
went up as far as the mill at Tarn until the weir was built in 1874; since then only rowing boats
are seen above it. The town of Hallin lies on both banks. Its two halves were joined in 1911 by an
iron bridge that a local smith, Edda Morrow, had drawn, and the older stone bridge was kept for
carts. Below Hallin the river divides around Goose Island, where herons breed, and enters the sea
through a delta of seven arms. Three of them dry out in summer. Salt has been won in the delta since
the Middle Ages, and the path of the salt carriers can still be walked from the coast to the mill.
Floods came in 1783, in 1926 and in 1954; the last one took the wooden quay and the ferry house.
"""
SHORT = " The iron bridge of Hallin was drawn by a local smith, Edda Morrow, in 1911."
LONG = (
    SHORT
    + " The Kerrin rises below Mount Sallow and flows north through the town, whose two halves it"
    " divides. An older bridge of stone was kept for carts. Further down, the river splits around"
    " Goose Island and reaches the sea in seven arms, three of which are dry in summer. Barges used"
    " to go up to the mill at Tarn, until a weir was built there in 1874, and the last great flood,"
    " in 1954, took away the quay."
)
ANSWERS = (SHORT, LONG)
CONTEXTS = ("with", "with, again", "without")


def prompt(run: int, *, context: bool) -> Prompt:
    """A prompt that begins like no other."""
    passages = f"Passages:\n{PASSAGES}\n" if context else ""
    return Prompt(f"Case {run}.\n{passages}Question: Who drew the iron bridge of Hallin?\nAnswer:")


def opened(runtime: str, path: pathlib.Path, n_threads: int) -> Any:
    """The model in a runtime."""
    common = {"name": path.stem, "n_ctx": 1024, "n_threads": n_threads}
    if runtime == "xllamacpp":
        from averment.models.llama_cpp import open_llama_cpp

        return open_llama_cpp(path, n_parallel=1, **common)  # one text at a time, like the others
    if runtime == "llama-cpp-python":
        from averment.models.llama_cpp_python import open_llama_cpp_python

        return open_llama_cpp_python(path, **common)
    from averment.models.transformers_lm import open_transformers

    return open_transformers(path, **common)


def measure(
    runtime: str, path: pathlib.Path, n_threads: int, n_runs: int, texts: Sequence[str]
) -> tuple[list[Row], list[list[Token]]]:
    """In this process: times, and the scores of the greedy texts after their prompts."""
    started = time.perf_counter()
    model = opened(runtime, path, n_threads)
    load_s = time.perf_counter() - started
    model.score([(Prompt("Warm"), " up")])
    rows = []
    for context in CONTEXTS:
        for at, text in enumerate(ANSWERS):
            times, cpu, scored = [], [], []
            for run in range(at * n_runs, (at + 1) * n_runs):
                started, cpu_started = time.perf_counter(), time.process_time()
                (scored,) = model.score([(prompt(run, context=context != "without"), text)])
                times.append((time.perf_counter() - started) * 1e3 / len(scored))
                cpu.append((time.process_time() - cpu_started) * 1e3 / len(scored))
            row = {
                "runtime": runtime,
                "version": importlib.metadata.version(runtime),
                "context": context,
                "n_tokens": len(scored),
                "ms_a_token": statistics.median(times),
                "cpu_ms_a_token": statistics.median(cpu),
                "runs_ms_a_token": [round(took, 2) for took in times],
                "logprob": sum(token.logprob or 0.0 for token in scored),
                "load_s": round(load_s, 1),
            }
            rows.append(row)
            measuring.progress(
                f"{runtime} {context} {len(scored)} {row['cpu_ms_a_token']:.1f} ms a token"
            )
    scores = model.score([*zip(greedy_prompts(), texts, strict=True)])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return [{**row, "peak_rss_mb": round(peak)} for row in rows], scores


def greedy_prompts() -> list[Prompt]:
    """What greedy text is written after."""
    return [prompt(1000, context=True), prompt(1000, context=False)]


def write_greedily(path: pathlib.Path, n_threads: int) -> list[tuple[str, list[Token]]]:
    """What the default runtime writes after each prompt, with its own log-probabilities."""
    options = GenerationOptions(max_tokens=60)
    with opened("xllamacpp", path, n_threads) as model:
        written = model.generate(greedy_prompts(), options)
    return [(each.text, list(each.tokens)) for each in written]


def agreement(runtime: str, written: Sequence[Token], scored: Sequence[Token]) -> Row:
    """How far scores are from what a text was written with; both have the same text."""
    same = [token.text for token in written] == [token.text for token in scored]
    known = [
        (a.logprob, b.logprob)
        for a, b in zip(written, scored, strict=False)
        if a.logprob is not None and b.logprob is not None
    ]
    gaps = sorted(abs(a - b) for a, b in known)
    return {
        "runtime": runtime,
        "same_tokens": same,
        "n_tokens": len(written),
        "n_compared": len(known),
        "mean_gap_nats": statistics.mean(gaps),
        "p95_gap_nats": gaps[len(gaps) * 95 // 100],
        "max_gap_nats": gaps[-1],
        "gap_of_sums_nats": abs(sum(a for a, _ in known) - sum(b for _, b in known)),
    }


def main() -> None:
    """Run, write the rows, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--home", default=os.environ.get("AVERMENT_HOME"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--runtimes", default=",".join(RUNTIMES))
    arguments = parser.parse_args()
    path = Registry(arguments.home).path(arguments.model)
    written = measuring.in_child(write_greedily, path, arguments.threads)
    texts = [text for text, _ in written]
    times: list[Row] = []
    gaps: list[Row] = []
    for runtime in arguments.runtimes.split(","):
        if importlib.util.find_spec(RUNTIMES[runtime]) is None:
            measuring.progress(f"{runtime} is not installed")
            continue
        rows, scores = measuring.in_child(
            measure, runtime, path, arguments.threads, arguments.runs, texts
        )
        times += rows
        for (_, tokens), scored, where in zip(written, scores, ("with", "without"), strict=True):
            gaps.append({**agreement(runtime, tokens, scored), "context": where})
    save(arguments, times, gaps)
    show(arguments, times, gaps)


def save(arguments: argparse.Namespace, times: list[Row], gaps: list[Row]) -> None:
    """Append the rows, each with what it was measured on."""
    facts = {
        "model": arguments.model,
        "threads": arguments.threads,
        "runs": arguments.runs,
        "load_average": os.getloadavg()[0],
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
    rows = [{"what": "time", **row, **facts} for row in times]
    rows += [{"what": "agreement", **row, **facts} for row in gaps]
    day = datetime.date.today().isoformat()
    target = HERE / "runs" / f"{day}-rescoring-{arguments.model}.jsonl"
    with target.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def show(arguments: argparse.Namespace, times: list[Row], gaps: list[Row]) -> None:
    """Two tables."""
    say = sys.stdout.write
    say(
        f"{arguments.model}, {arguments.threads} thread(s), median of {arguments.runs} runs; load"
        f" average at the end {os.getloadavg()[0]:.1f}\n\n"
        "| runtime | context | tokens | CPU ms a token | wall | load s | peak MB | log-prob |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n"
    )
    for row in times:
        say(
            f"| {row['runtime']} | {row['context']} | {row['n_tokens']}"
            f" | {row['cpu_ms_a_token']:.1f} | {row['ms_a_token']:.1f} | {row['load_s']}"
            f" | {row['peak_rss_mb']} | {row['logprob']:.2f} |\n"
        )
    say(
        "\n| runtime | context | same tokens | compared | mean gap | p95 | max | of the sums |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n"
    )
    for row in gaps:
        say(
            f"| {row['runtime']} | {row['context']} | {row['same_tokens']}"
            f" | {row['n_compared']} of {row['n_tokens']} | {row['mean_gap_nats']:.4f}"
            f" | {row['p95_gap_nats']:.3f} | {row['max_gap_nats']:.3f}"
            f" | {row['gap_of_sums_nats']:.2f} |\n"
        )


if __name__ == "__main__":
    main()
