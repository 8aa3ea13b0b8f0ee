"""How often BM25, dense retrieval and the fusion of both find the passages that answers stand on.

    python bench/retrieval.py --work /tmp/retrieval --embedder DIR           # all of wiki_passages
    python bench/retrieval.py --work /tmp/sampled --embedder DIR --sample 8000

The corpus is `wiki_passages` of the test data; with `--sample`, the documents whose titles are gold
and so many others, drawn with seed 1: easier than all of it, and only there to compare models.
Index and vectors are made in the work directory, and gone on with if they were interrupted.

Gold are the titles of the supporting facts. Per question and k: *hit* (one of its titles is among
the first k passages), *recall* (the share of them), *all* (each of them). Intervals and differences
to BM25 come from 2,000 resamples of questions. Nothing was chosen on these questions: k1, b and the
constant of the fusion are as published. Appends JSON rows to `bench/runs/`.
"""

from __future__ import annotations

import argparse
import datetime
import html
import importlib.metadata
import json
import pathlib
import platform
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import averment
from averment.corpus.readers import read_documents
from averment.evaluation.datasets import read_dataset
from averment.metrics.resampling import BootstrapInterval, bootstrap_difference, bootstrap_interval
from averment.metrics.rows import BoolArray, FloatArray, MetricValue
from averment.ports import Retriever
from averment.settings import resolve_settings
from averment.wiring import embed_index, open_embedder, open_retriever

HERE = pathlib.Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data"
SETS = ("2wiki_dev_ctx_migres", "hotpotqa_dev_ctx_migres", "hotpotqa_ctx_meve")
RETRIEVERS = ("bm25", "dense", "fusion")
KS = (1, 3, 5, 10)
MEASURES = ("hit", "recall", "all")
SEED = 1
Question = tuple[str, frozenset[str]]
"""A question and its gold titles."""


def normal(title: str) -> str:
    """A title as it is compared; some files escape it for HTML."""
    return html.unescape(title).casefold().strip()


def read_questions(name: str) -> list[Question]:
    """The questions of a file of the test data."""
    path = DATA / "qa_multihop" / f"{name}.jsonl.gz"
    return [
        (example.question, frozenset(normal(passage.title) for passage in example.gold_passages))
        for example in read_dataset(name.split("_")[0], path).examples
    ]


def corpus(sample: int | None, gold: frozenset[str]) -> Iterator[averment.Document]:
    """The documents, or the gold ones and a sample of the others, in the order of the file."""
    everything = list(read_documents([DATA / "corpus" / "wiki_passages.jsonl.gz"], on_bad=_refuse))
    if sample is None:
        yield from everything
        return
    others = [document.document_id for document in everything if normal(document.title) not in gold]
    drawn = set(random.Random(SEED).sample(others, sample))
    for document in everything:
        if document.document_id in drawn or normal(document.title) in gold:
            yield document


def _refuse(record: object) -> None:
    raise AssertionError(f"the corpus is broken: {record}")


def found(retriever: Retriever, questions: Sequence[Question]) -> tuple[list[list[str]], float]:
    """The titles of the first passages of each question, and the median CPU ms of a search."""
    titles, ms = [], []
    for question, _ in questions:
        started = time.process_time()
        (retrieval,) = retriever.search([question], k=max(KS))
        ms.append((time.process_time() - started) * 1000)
        titles.append([normal(hit.passage.title) for hit in retrieval.hits])
    return titles, statistics.median(ms)


def measured(titles: Sequence[str], gold: frozenset[str], k: int, measure: str) -> float:
    """What a measure says of one question, from 0 to 1."""
    share = len(gold & set(titles[:k])) / len(gold)
    return {"hit": float(share > 0), "recall": share, "all": float(share == 1)}[measure]


def mean(values: FloatArray, unused: BoolArray) -> MetricValue:
    """A metric in the sense of `averment.metrics`, of numbers that need no label."""
    return MetricValue(float(values.mean()))


def rows_of(name: str, retrievers: dict[str, Retriever], known: frozenset[str]) -> Iterator[Any]:
    """One row for each retriever, k and measure over the questions of a set."""
    questions = read_questions(name)
    n_gold = sum(len(gold) for _, gold in questions)
    n_known = sum(len(gold & known) for _, gold in questions)
    about = {"set": name, "questions": len(questions), "gold": n_gold, "gold_in_corpus": n_known}
    answers = {each: found(retriever, questions) for each, retriever in retrievers.items()}
    for measure in MEASURES:
        for k in KS:
            values = {
                each: np.array(
                    [
                        measured(got, gold, k, measure)
                        for got, (_, gold) in zip(titles, questions, strict=True)
                    ]
                )
                for each, (titles, _) in answers.items()
            }
            for each, numbers in values.items():
                same = {
                    "is_true": np.zeros(len(numbers), dtype=np.bool_),
                    "question_ids": range(len(numbers)),
                }
                over = bootstrap_difference(mean, numbers, baseline=values["bm25"], **same)
                yield {
                    **about,
                    "retriever": each,
                    "measure": measure,
                    "k": k,
                    **plain(bootstrap_interval(mean, numbers, **same)),
                    "over_bm25": plain(over),
                    "cpu_ms_a_query": round(answers[each][1], 2),
                }


def plain(interval: BootstrapInterval) -> dict[str, float | None]:
    """An interval as it is written."""
    ends = {"value": interval.value, "low": interval.low, "high": interval.high}
    return {name: None if end is None else round(end, 4) for name, end in ends.items()}


def table(rows: Sequence[Any]) -> Iterator[str]:
    """Lines of Markdown: a line for each set, measure and retriever."""
    yield "| set | measure | retriever | " + " | ".join(f"k = {k}" for k in KS) + " |"
    yield "| --- " * (3 + len(KS)) + "|"
    for name in SETS:
        for measure in MEASURES:
            for retriever in RETRIEVERS:
                mine = {
                    row["k"]: row
                    for row in rows
                    if (row.get("set"), row.get("measure"), row.get("retriever"))
                    == (name, measure, retriever)
                }
                cells = (
                    f"{mine[k]['value']:.3f} [{mine[k]['low']:.3f}, {mine[k]['high']:.3f}]"
                    for k in KS
                )
                yield f"| {name} | {measure} | {retriever} | " + " | ".join(cells) + " |"


def main() -> None:
    """Make what is not there, run, write the rows, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="for index and vectors")
    parser.add_argument("--embedder", type=pathlib.Path, required=True, help="sentence model")
    parser.add_argument("--model", default="", help="what the sentence model is, for the rows")
    parser.add_argument("--sample", type=int, help="documents besides the gold ones")
    parser.add_argument("--out", type=pathlib.Path)
    given = parser.parse_args()
    gold = frozenset(
        title for name in SETS for _, titles in read_questions(name) for title in titles
    )
    path = given.work / "idx"
    if not (path / "MANIFEST.json").exists():
        averment.build_index(corpus(given.sample, gold), path)
    settings = {
        name: resolve_settings(retriever=name, embedder=given.embedder) for name in RETRIEVERS
    }
    embedder = open_embedder(settings["dense"])
    started = time.process_time()
    n_embedded = embed_index(path, embedder, on_progress=_progress)
    cpu_s = time.process_time() - started
    index = averment.open_index(path)
    retrievers = {name: open_retriever(index, each) for name, each in settings.items()}
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    facts = {
        "bench": "retrieval",
        "date": today,
        "version": importlib.metadata.version("averment"),
        "machine": f"{platform.system()} {platform.machine()}",
        "corpus": "wiki_passages" if given.sample is None else f"gold and {given.sample} others",
        "index": index.info.digest[:12],
        "passages": index.info.n_passages,
        "model": given.model,
        "model_digest": embedder.digest[:12],
    }
    known = frozenset(normal(passage.title) for passage in index.passages())
    rows = [{**facts, **row} for name in SETS for row in rows_of(name, retrievers, known)]
    if n_embedded:  # in this run; those of an earlier one are in its row
        rows.append({**facts, "embedded": n_embedded, "embedding_cpu_s": round(cpu_s, 1)})
    out = given.out or HERE / "runs" / f"{today}-retrieval.jsonl"
    with out.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    sys.stdout.writelines(line + "\n" for line in table(rows))


def _progress(done: int, total: int) -> None:
    if done % 1000 == 0 or done == total:
        sys.stderr.write(f"{time.strftime('%H:%M:%S')} {done} of {total} passages embedded\n")


if __name__ == "__main__":
    main()
