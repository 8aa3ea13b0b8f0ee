"""A run of the towns bench with the scripted model, as a program that can be killed.

`python bench_program.py FOLDER [SECONDS]` runs it in a folder and writes its table; each model call
takes so many seconds. `python bench_program.py FOLDER --golden` also writes the golden table.
"""

from __future__ import annotations

import dataclasses
import sys
import time
from pathlib import Path

import averment
from averment.evaluation.bench_file import read_bench
from averment.evaluation.datasets import read_dataset
from averment.evaluation.rows import open_rows
from averment.evaluation.run_record import RunRecord, claim_run
from averment.evaluation.running import DrawnSet, Entrant, run_bench
from averment.evaluation.tables import Run, open_tables, read_table, table_lines
from averment.models.cache import cached
from averment.models.scripted import ScriptedModel
from averment.types import Prompt
from evaluation.bench_world import documents, scripted, write_bench

N_QUESTIONS = 20
GOLDEN = Path(__file__).parent / "golden" / "bench_table.jsonl"


def run_towns(folder: Path, *, seconds: float = 0.0) -> str:
    """Run the bench in a folder, going on where an earlier run had got to; its table."""
    bench = read_bench(str(write_bench(folder, N_QUESTIONS)))
    if not (folder / "idx").exists():
        averment.build_index(documents(N_QUESTIONS), folder / "idx")
    index = averment.open_index(folder / "idx")

    def slowly(prompt: Prompt) -> str:
        time.sleep(seconds)
        return scripted(prompt)

    script = ScriptedModel(slowly, name="tiny", logprob=lambda text: -len(text) / 100)
    model = cached(script, identity="towns 1", directory=folder / "calls")
    entrants = [
        Entrant(
            name,
            averment.open_engine(index=index, model=model, policy=name, scores=False),
            lambda: model.meter,
        )
        for name in bench.policies
    ]
    (each,) = bench.sets
    dataset = read_dataset(each.data, folder / each.file)
    drawn = DrawnSet(each.name, each.drawn(dataset.examples), dataset.digest)
    directory = folder / "run"
    with open_rows(directory) as rows:
        claim_run(directory, RunRecord("towns", "tiny", "towns 1", index.info.digest, ()))
        run_bench([drawn], entrants, rows)
    table = read_table(open_tables([Run("", directory, bench.max_unknown)]))
    # A policy that gets a parameter more is not thereby another one.
    return table_lines(dataclasses.replace(line, settings=()) for line in table)


if __name__ == "__main__":
    place, *more = sys.argv[1:]
    waits = float(more[0]) if more and more[0] != "--golden" else 0.0
    table = run_towns(Path(place), seconds=waits)
    (Path(place) / "table.jsonl").write_text(table, encoding="utf-8")
    if "--golden" in more:
        GOLDEN.write_text(table, encoding="utf-8")
