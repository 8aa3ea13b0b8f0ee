"""Time: are time-scoped questions found, are first dates right, does nothing leak, what it costs.

    python bench/over_time.py --work /tmp/over-time                    # retrieval and first dates
    python bench/over_time.py --work /tmp/over-time --cost             # and CPU over wiki_passages

*TimeQA* (human-written, train files, nothing is chosen on them): the corpus is its 318 pages, cut
into passages as always. Per question and k: is its page among the first k passages of BM25, and is
a passage among them that holds one of the answers at its marked place? A page of one person holds
many years, so the second is the harder one. Questions that the page does not answer are left out.

*Dated news*: the evidence of MultiHop-RAG, each quotation a document with its day of publication.
First and last days of every name that the rule extractor finds in a question are compared with a
scan over all words. Then every question is asked as of the day before its last evidence: how many
of the first ten passages are of later (they must not be), and how often the older evidence is
found, beside the index without a day.

*Cost* (`--cost`): CPU milliseconds over wiki_passages, with days drawn evenly over 20 years (seed
1): medians over names that are counted, dated, and counted by year and month in turns. The dates
are invented; nothing but cost is measured there.

Intervals are of 2,000 resamples of questions. Appends JSON rows to `bench/runs/`.
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import importlib.metadata
import json
import pathlib
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import averment
from averment.claims.rules import RulesExtractor
from averment.corpus.readers import read_documents
from averment.dating import Dates, Period
from averment.index.embedded import EmbeddedIndex
from averment.index.times import cooccurrence_by_period, counts_by_period, seen
from averment.metrics.resampling import bootstrap_interval
from averment.metrics.rows import BoolArray, FloatArray, MetricValue
from averment.ports import Retriever
from averment.text import TextForm
from averment.types import Passage
from averment.wiring import open_retriever

HERE = pathlib.Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data"
KS = (1, 3, 5, 10)
SEED = 1
YEARS = 20
N_NAMES, N_ROUNDS = 200, 5
_DAY = datetime.timedelta(days=1)
Row = dict[str, Any]


def rows_of(path: str) -> list[Row]:
    """The rows of a file of the test data."""
    with gzip.open(DATA / path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def opened(
    path: pathlib.Path, documents: Callable[[], Iterator[averment.Document]]
) -> EmbeddedIndex:
    """An index in the work directory, built if it is not there."""
    if not (path / "MANIFEST.json").exists():
        averment.build_index(documents(), path)
    return averment.open_index(path)


def mean(values: FloatArray, unused: BoolArray) -> MetricValue:
    """A metric in the sense of `averment.metrics`, of numbers that need no label."""
    return MetricValue(float(values.mean()))


def measured(values: Sequence[float]) -> Row:
    """A mean with its interval."""
    same = {"is_true": np.zeros(len(values), dtype=np.bool_), "question_ids": range(len(values))}
    found = bootstrap_interval(mean, np.array(values), **same)
    ends = {"value": found.value, "low": found.low, "high": found.high}
    return {"n": len(values), **{k: None if v is None else round(v, 4) for k, v in ends.items()}}


# --- TimeQA -------------------------------------------------------------------------------------


def timeqa(work: pathlib.Path) -> Iterator[Row]:
    """Whether the page, and the place of the answer, are among the first passages."""
    corpus = DATA / "corpus" / "timeqa_pages.jsonl.gz"
    index = opened(work / "timeqa", lambda: read_documents([corpus], on_bad=refuse))
    retriever = open_retriever(index)
    for level in ("easy", "hard"):
        asked = [
            row
            for row in rows_of(f"temporal/timeqa_human_train_{level}.jsonl.gz")
            if any(row["targets"])
        ]
        hits = [
            [hit.passage for hit in retriever.search([row["question"]], k=max(KS))[0].hits]
            for row in asked
        ]
        for k in KS:
            pages = [
                float(any(p.document_id == f"timeqa:{row['page']}" for p in got[:k]))
                for row, got in zip(asked, hits, strict=True)
            ]
            places = [
                float(any(holds_answer(p, row) for p in got[:k]))
                for row, got in zip(asked, hits, strict=True)
            ]
            about = {"set": f"timeqa-{level}", "passages": index.info.n_passages, "k": k}
            yield {**about, "measure": "page", **measured(pages)}
            yield {**about, "measure": "answer", **measured(places)}


def holds_answer(passage: Passage, row: Row) -> bool:
    """Whether a passage holds one of the answers of a question at its marked place."""
    return passage.document_id == f"timeqa:{row['page']}" and any(
        passage.start <= start and end <= passage.end
        for start, end in zip(row["from"], row["end"], strict=True)
    )


def refuse(record: object) -> None:
    """A corpus of the bench is whole."""
    raise AssertionError(f"the corpus is broken: {record}")


# --- dated news ---------------------------------------------------------------------------------


def news(work: pathlib.Path) -> Iterator[Row]:
    """First and last days against a scan, and questions asked before their last evidence."""
    questions = rows_of("qa_multihop/multihoprag_qa.jsonl.gz")
    quoted = {name_of(each): each for row in questions for each in row["evidence_list"]}
    index = opened(work / "news", lambda: map(news_document, quoted.items()))
    yield {"set": "multihoprag", **first_days(index, questions, quoted)}
    yield from asked_before(index, questions)


def name_of(evidence: Row) -> str:
    """A quotation is told by its article and its words."""
    return f"{evidence['url']}#{evidence['fact'][:60]}"


def news_document(named: tuple[str, Row]) -> averment.Document:
    """A quotation as a document of its day."""
    name, evidence = named
    day = evidence["published_at"][:10]
    return averment.Document(name, evidence["fact"], title=evidence["title"], date=day)


def first_days(index: EmbeddedIndex, questions: Sequence[Row], quoted: dict[str, Row]) -> Row:
    """How many names have the first and last day that a scan finds."""
    found = RulesExtractor().entities([row["question"] for row in questions])
    form = TextForm()
    names = sorted({e.text for entities in found for e in entities if form.words(e.text)})
    texts = [
        (f" {' '.join(form.words(each['fact']))} ", each["published_at"][:10])
        for each in quoted.values()
    ]
    wrong = n_found = 0
    for name, got in zip(names, seen(index, names), strict=True):
        needle = f" {' '.join(form.words(name))} "
        days = [day for text, day in texts if needle in text]
        n_found += bool(days)
        wrong += (got.first, got.last) != (min(days, default=None), max(days, default=None))
    return {
        "measure": "first and last day",
        "documents": index.info.n_documents,
        "n": len(names),
        "n_found": n_found,
        "n_wrong": wrong,
    }


def asked_before(index: EmbeddedIndex, questions: Sequence[Row]) -> Iterator[Row]:
    """Questions as of the day before their last evidence, beside the index without a day."""
    by_day: dict[str, Retriever] = {}
    later: dict[str, list[float]] = {"without a day": [], "as of": []}
    older: dict[str, list[float]] = {"without a day": [], "as of": []}
    whole = open_retriever(index)
    for row in questions:
        days = {name_of(each): each["published_at"][:10] for each in row["evidence_list"]}
        last = max(days.values(), default="")
        before = {name for name, day in days.items() if day < last}
        if not before:
            continue
        day = (datetime.date.fromisoformat(last) - _DAY).isoformat()
        if day not in by_day:
            by_day[day] = open_retriever(index.dated(Dates(until=day)))
        for name, retriever in (("without a day", whole), ("as of", by_day[day])):
            hits = retriever.search([row["question"]], k=max(KS))[0].hits
            dates = [hit.passage.date or "" for hit in hits]
            got = {hit.passage.document_id for hit in hits}
            later[name].append(sum(date > day for date in dates) / max(len(dates), 1))
            older[name].append(len(before & got) / len(before))
    for name in later:
        about = {"set": "multihoprag", "index": name, "k": max(KS)}
        yield {**about, "measure": "share of passages from later", **measured(later[name])}
        yield {**about, "measure": "share of older evidence found", **measured(older[name])}


# --- cost ---------------------------------------------------------------------------------------


def cost(work: pathlib.Path) -> Iterator[Row]:
    """CPU milliseconds of one question of each kind, in turns."""
    path = DATA / "corpus" / "wiki_passages.jsonl.gz"
    index = opened(work / "dated-wiki", lambda: invented_days(path))
    titles = sorted({passage.title for passage in index.passages()})
    titles = [title for title in titles if TextForm().words(title)]
    names = random.Random(SEED).sample(titles, N_NAMES)
    others = random.Random(SEED + 1).sample(titles, N_NAMES)
    years = {"window_words": 1000}
    ways: dict[str, Callable[[int], object]] = {
        "count": lambda at: index.count([names[at]]),
        "first and last day": lambda at: seen(index, [names[at]]),
        "by year": lambda at: counts_by_period(index, [names[at]], Period.YEAR),
        "by month": lambda at: counts_by_period(index, [names[at]], Period.MONTH),
        "pair by year": lambda at: cooccurrence_by_period(
            index, [(names[at], others[at])], Period.YEAR, **years
        ),
        "restrict to a day": lambda at: index.where(before=f"20{at % YEARS:02}-07-01"),
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for at in range(N_NAMES):
        for name, ask in ways.items():
            started = time.process_time()
            ask(at)
            taken[name].append((time.process_time() - started) * 1000)
    for _ in range(N_ROUNDS):
        started = time.process_time()
        counts_by_period(index, names, Period.YEAR)
        at_once = (time.process_time() - started) * 1000 / N_NAMES
        taken.setdefault(f"by year, {N_NAMES} names at once, a name", []).append(at_once)
    for name, ms in taken.items():
        yield {
            "set": "wiki_passages, invented days",
            "measure": name,
            "documents": index.info.n_documents,
            "n": len(ms),
            "cpu_ms_median": round(statistics.median(ms), 3),
            "cpu_ms_p95": round(float(np.quantile(ms, 0.95)), 3),
        }


def invented_days(path: pathlib.Path) -> Iterator[averment.Document]:
    """The documents of a file, each with a day of 20 years."""
    draw = random.Random(SEED)
    start = datetime.date(2000, 1, 1)
    for each in read_documents([path], on_bad=refuse):
        day = (start + draw.randrange(365 * YEARS) * _DAY).isoformat()
        yield averment.Document(each.document_id, each.text, title=each.title, date=day)


# ------------------------------------------------------------------------------------------------


def main() -> None:
    """Make what is not there, run, write the rows, print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="for the indexes")
    parser.add_argument("--cost", action="store_true", help="also CPU over wiki_passages")
    parser.add_argument("--out", type=pathlib.Path)
    given = parser.parse_args()
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    facts = {
        "bench": "over_time",
        "date": today,
        "version": importlib.metadata.version("averment"),
        "machine": f"{platform.system()} {platform.machine()}",
    }
    parts = [timeqa, news, *([cost] if given.cost else [])]
    out = given.out or HERE / "runs" / f"{today}-over-time.jsonl"
    for part in parts:
        rows = [{**facts, **row} for row in part(given.work)]
        with out.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        for row in rows:
            shown = {k: v for k, v in row.items() if k not in facts}
            sys.stdout.write(f"{shown}\n")


if __name__ == "__main__":
    main()
