"""Questions with a passage that answers them, and with one that does not: is it told when to speak?

    python bench/franq/answerable.py generate --model qwen2.5-coder-0.5b
    python bench/franq/answerable.py score --index IDX --model qwen2.5-coder-0.5b
    python bench/abstention.py

CLAP NQ, dev: 207 questions with their gold passage and 209 whose passage does not answer them. The
model answers each in a line, greedily, without samples. Counted as right is that it spoke to a
question that its passage answers; whether it says the right thing is not judged, since the gold
answers are whole paragraphs. Rows are appended as they come to `runs/franq-clapnq-MODEL.jsonl`,
their numbers, without a text of the set, written to `runs/franq-clapnq-MODEL-scores.jsonl`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import pathlib
import sys
import tempfile
from collections.abc import Iterator

import generate
from evaluate import opened
from questions import DATA, Item
from records import Judging, attempts, compared, matched, read_rows, record_of, uncertainties
from scored import MadeBy, ScoredClaim, write_scored
from short_tables import listed

from averment import faithfulness
from averment.models.llama_cpp import open_llama_cpp
from averment.models.registry import Registry
from averment.settings import resolve_settings
from corpus import CorpusCounter

RUNS = pathlib.Path(__file__).parents[1] / "runs"
KINDS = ("answerable", "unanswerable")
N_WORDS = 400  # of a passage: what the model's window holds; a few are longer


def items() -> list[Item]:
    """Both kinds in turns, so that every beginning has as many of each."""
    of_kind = [list(_items(kind)) for kind in KINDS]
    together = [item for pair in zip(*of_kind, strict=False) for item in pair]
    return together + [item for some in of_kind for item in some[len(together) // 2 :]]


def _items(kind: str) -> Iterator[Item]:
    path = DATA / "qa_longform" / f"clapnq_dev_{kind}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            passages = tuple(
                (each["title"], " ".join(each["text"].split()[:N_WORDS]))
                for each in row["passages"]
            )
            question = row["input"].rstrip("?") + "?"
            yield Item("clapnq", str(row["id"]), question, (), kind, passages)


def answer(model_name: str, *, n_threads: int) -> None:
    """Go on with the run."""
    target = RUNS / f"franq-clapnq-{model_name}.jsonl"
    done = {row["key"] for row in read_rows(target)} if target.exists() else set()
    left = [item for item in items() if item.key not in done]
    path = Registry(resolve_settings().home).resolve(model_name)
    with (
        open_llama_cpp(
            path, name=model_name, n_ctx=1024, n_threads=n_threads, n_parallel=1
        ) as model,
        target.open("a", encoding="utf-8") as rows,
    ):
        for at, item in enumerate(left, 1):
            row = generate.row_of(item, model, n_samples=0)
            rows.write(json.dumps(row, ensure_ascii=False) + "\n")
            rows.flush()
            sys.stderr.write(f"{at}/{len(left)} {row['seconds']} s  {item.key} {row['answer']!r}\n")


def score(model_name: str, index_path: str, *, n_threads: int) -> None:
    """Write the numbers of the rows that there are."""
    kept, dropped = attempts(read_rows(RUNS / f"franq-clapnq-{model_name}.jsonl"))
    pairs = matched(kept, items())
    counter = CorpusCounter(opened(index_path, aliases=True))
    records = [record_of(row, item) for row, item in pairs]
    claims = []
    with tempfile.TemporaryDirectory() as cache:
        shipped = pathlib.Path(faithfulness.__file__).parent / "model"
        judging = Judging.open(shipped, cache=pathlib.Path(cache), n_threads=n_threads)
        p_faithful = judging.faithfulness(records)
        for (row, item), record, faithful in zip(pairs, records, p_faithful, strict=True):
            values, absent = uncertainties(compared(judging.judged(record), None))
            found = counter.evidence(row, item.question, ())
            claims.append(
                ScoredClaim(
                    key=item.key,
                    question=f"{item.set_name}:{item.row}",
                    part=item.set_name,
                    condition=item.condition,
                    is_true=item.condition == "answerable",
                    p_faithful=faithful,
                    uncertainty=values,
                    absent=absent,
                    evidence=found.features,
                    counts=found.counts,
                )
            )
    made_by = MadeBy(
        model_name,
        judging.scorer_name,
        judging.name,
        corpus=f"{counter.name}, names by all their forms",
        notes=f"{len(kept)} attempts; no attempt: {listed(dropped)}",
    )
    write_scored(RUNS / f"franq-clapnq-{model_name}-scores.jsonl", made_by, claims)
    sys.stdout.write(f"{made_by}\n")


def main() -> None:
    """One of both steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["generate", "score"])
    parser.add_argument("--model", required=True)
    parser.add_argument("--index", help="score: whose counts are evidence")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.step == "generate":
        answer(arguments.model, n_threads=arguments.threads)
    else:
        score(arguments.model, arguments.index, n_threads=arguments.threads)


if __name__ == "__main__":
    main()
