"""Faithfulness scorers beside each other on labelled claims, with document-level intervals.

    python bench/faithfulness.py                                # lexical alignment and a baseline
    python bench/faithfulness.py --model DIR                    # and an ONNX model
    python bench/faithfulness.py --embedder DIR                 # and cosines of all-MiniLM-L6-v2
    python bench/faithfulness.py --judge GGUF --judge-rows 100  # and a language model, resumable

Per data set: ROC-AUC, and balanced accuracy at the threshold that is best on the rows for choosing
(those of the same set, or of all sets where it has none). Then context invariance, claims a second
of CPU on one thread, and how often the preselection of chunks keeps the gold sentences of a page
among 100,000 words. The baseline is the share of the claim's words that occur in the passages,
weighted by their rarity in the passages of the set. JSON rows go to `bench/runs/`.
"""

from __future__ import annotations

import argparse
import collections
import datetime
import importlib.metadata
import json
import math
import pathlib
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from faithfulness_sets import CHOOSE, REPORT, Row, gold_sentences, hashed, read_rows
from franq.similarity import Embedder

from averment.faithfulness.chunks import n_words, packed_chunks
from averment.faithfulness.lexical import LexicalAlignment
from averment.faithfulness.scorer import DEFAULT_CHUNK_WORDS, ChunkedScorer
from averment.metrics.ranking import roc_auc
from averment.metrics.resampling import bootstrap_interval
from averment.metrics.rows import BoolArray, FloatArray, MetricValue
from averment.ports import FaithfulnessScorer, PairJudge
from averment.text import TextForm
from averment.types import Faithfulness
from averment.uq.records import Nli

HERE = pathlib.Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data" / "faithfulness"
RESAMPLES = 1000
ADDED_PASSAGES = (1, 5, 20)
INVARIANCE_ROWS = 100
LONG_CONTEXT_WORDS, LONG_CONTEXT_CLAIMS = 100_000, 40
SPEED_ROWS = 200
Record = dict[str, object]
Score = Callable[[Sequence[Row]], list[float]]


class IdfCoverage:
    """The baseline; rarity comes from the passages that it is given."""

    name = "idf-coverage"

    def score(self, claims: Sequence[tuple[str, Sequence[str]]]) -> list[Faithfulness]:
        """Coverage of each claim by all of its passages."""
        words = TextForm().words
        texts = {passages: set(words(" ".join(passages))) for _, passages in claims}
        frequency = collections.Counter(word for text in texts.values() for word in text)
        found = []
        for claim, passages in claims:
            asked = set(words(claim))
            weights = {w: math.log((len(texts) + 1) / (frequency[w] + 0.5)) for w in asked}
            held = sum(weight for w, weight in weights.items() if w in texts[passages])
            total = sum(weights.values())
            found.append(Faithfulness(held / total if total else 0.0))
        return found


class Cosine:
    """The other baseline: the cosine of the claim with the chunk that is most like it, over 0."""

    def __init__(self, directory: pathlib.Path) -> None:
        self._embedder = Embedder(directory, name="all-MiniLM-L6-v2")
        self.name = f"cosine of {self._embedder.name}"

    def score(self, claims: Sequence[tuple[str, Sequence[str]]]) -> list[Faithfulness]:
        """The best cosine of each claim."""
        found = []
        for claim, passages in claims:
            chunks = packed_chunks(passages, budget=DEFAULT_CHUNK_WORDS)
            alike = self._embedder.compare([(chunk.text, claim) for chunk in chunks])
            found.append(Faithfulness(max(0.0, *alike) if alike else 0.0))
        return found


class ResumableJudge:
    """Appends every judgement to a file and never asks for one that is there."""

    def __init__(self, judge: PairJudge, path: pathlib.Path) -> None:
        self._judge, self._path = judge, path
        self.name = judge.name
        lines = path.read_text().splitlines() if path.exists() else []
        self._known = {key: Nli(*judged) for key, *judged in map(json.loads, lines)}

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Nli]:
        """The judgements, one pair at a time."""
        with self._path.open("a") as file:
            for premise, hypothesis in pairs:
                key = hashed(f"{len(premise)} {premise}{hypothesis}")
                if key not in self._known:
                    [found] = self._judge.judge([(premise, hypothesis)])
                    self._known[key] = found
                    line = [key, found.entailment, found.neutral, found.contradiction]
                    file.write(json.dumps(line) + "\n")
                    file.flush()
        return [self._known[hashed(f"{len(p)} {p}{h}")] for p, h in pairs]


# --- accuracy -----------------------------------------------------------------------------------


def scores_of(scorer: FaithfulnessScorer, rows: Sequence[Row]) -> FloatArray:
    """The score of each row."""
    found = scorer.score([(row.claim, row.passages) for row in rows])
    return np.array([each.score for each in found])


def best_threshold(scores: FloatArray, truth: BoolArray) -> float:
    """Where balanced accuracy is highest."""
    order = np.sort(np.unique(scores))
    candidates = [0.0, *((order[1:] + order[:-1]) / 2)]
    return float(max(candidates, key=lambda cut: _balanced(scores, truth, float(cut))))


def _balanced(scores: FloatArray, truth: BoolArray, cut: float) -> float:
    called = scores >= cut
    return float((called[truth].mean() + (~called[~truth]).mean()) / 2)


def balanced_accuracy(cut: float) -> Callable[[FloatArray, BoolArray], MetricValue]:
    """The metric at a threshold."""

    def metric(scores: FloatArray, truth: BoolArray) -> MetricValue:
        if truth.all() or not truth.any():
            return MetricValue(None, "one class")
        return MetricValue(_balanced(scores, truth, cut))

    return metric


def accuracy(
    scorer: FaithfulnessScorer, n_rows: int | None, with_choosing: bool
) -> Iterator[Record]:
    """One record a data set."""
    chosen = {}
    for name, files in CHOOSE.items():
        rows = sampled(read_rows(DATA, files), n_rows)
        chosen[name] = (scores_of(scorer, rows), truth_of(rows))
    everything = [np.concatenate(parts) for parts in zip(*chosen.values(), strict=True)]
    parts = [("choose", CHOOSE)] if with_choosing else []
    for part, sets in [*parts, ("report", REPORT)]:
        for name, files in sets.items():
            rows = sampled(read_rows(DATA, files), n_rows)
            scores, truth = scores_of(scorer, rows), truth_of(rows)
            own = name in chosen
            cut = best_threshold(*(chosen[name] if own else everything))
            documents = [row.document for row in rows]
            yield {
                "measure": "accuracy",
                "set": name,
                "part": part,
                "n_rows": len(rows),
                "n_documents": len(set(documents)),
                "share_supported": round(float(truth.mean()), 3),
                "roc_auc": interval(roc_auc, -scores, truth, documents),
                "balanced_accuracy": interval(balanced_accuracy(cut), scores, truth, documents),
                "threshold": round(cut, 4),
                "threshold_from": name if own else "all sets for choosing",
            }


def interval(
    metric: Callable[[FloatArray, BoolArray], MetricValue],
    estimates: FloatArray,
    truth: BoolArray,
    documents: Sequence[str],
) -> list[float | None]:
    """[value, low, high]."""
    found = bootstrap_interval(
        metric, estimates, is_true=truth, question_ids=documents, n_resamples=RESAMPLES
    )
    return [
        None if each is None else round(each, 4) for each in (found.value, found.low, found.high)
    ]


def truth_of(rows: Sequence[Row]) -> BoolArray:
    """Which rows are supported."""
    return np.array([row.is_supported for row in rows])


def sampled(rows: list[Row], n_rows: int | None) -> list[Row]:
    """Some rows, the same ones each time."""
    return rows if n_rows is None else sorted(rows, key=lambda row: hashed(row.row_id))[:n_rows]


# --- the rest -----------------------------------------------------------------------------------


def invariance(scorer: FaithfulnessScorer) -> Iterator[Record]:
    """How far scores move when passages of other documents of the same set come in, shuffled."""
    for name in ("fever_symmetric", "fm2"):
        rows = sampled(read_rows(DATA, CHOOSE[name]), INVARIANCE_ROWS)
        alone = scores_of(scorer, rows)
        for k in ADDED_PASSAGES:
            rng = random.Random(k)
            asked = []
            for row in rows:
                others = [o.passages[0] for o in rows if o.document != row.document]
                passages = [*row.passages, *rng.sample(others, k)]
                rng.shuffle(passages)
                asked.append((row.claim, tuple(passages)))
            moved = np.abs(np.array([each.score for each in scorer.score(asked)]) - alone)
            yield {
                "measure": "invariance",
                "set": name,
                "added_passages": k,
                "n_rows": len(rows),
                "mean_change": round(float(moved.mean()), 4),
                "largest_change": round(float(moved.max()), 4),
                "share_above_0.05": round(float((moved > 0.05).mean()), 4),
            }


def speed(scorer: FaithfulnessScorer) -> Iterator[Record]:
    """Claims a second of CPU."""
    for name, files in REPORT.items():
        rows = sampled(read_rows(DATA, files), SPEED_ROWS)
        cpu, wall = time.process_time(), time.perf_counter()
        scores_of(scorer, rows)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        yield {
            "measure": "speed",
            "set": name,
            "n_rows": len(rows),
            "passage_words": statistics.mean(n_words(" ".join(row.passages)) for row in rows),
            "claims_a_cpu_second": round(len(rows) / cpu, 1),
            "claims_a_second": round(len(rows) / wall, 1),
        }


class _Noting:
    """A judge that notes what is asked."""

    name = "noting"

    def __init__(self) -> None:
        self.premises: set[str] = set()

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Nli]:
        self.premises |= {premise for premise, _ in pairs}
        return [Nli(0.0, 1.0, 0.0) for _ in pairs]


def preselection() -> Iterator[Record]:
    """How often a gold sentence, or all of them, are in the chosen chunks of 100,000 words."""
    pages = list(gold_sentences(DATA, "wice_claim_dev"))
    n_found: collections.Counter[tuple[int, str]] = collections.Counter()
    sizes = (8, 16, 32, 64)
    asked = pages[:LONG_CONTEXT_CLAIMS]
    for at, (claim, page, gold) in enumerate(asked):
        passages = [" ".join(page)]
        others = [" ".join(p) for _, p, _ in pages if p != page]
        random.Random(at).shuffle(others)
        n = n_words(passages[0])
        while n < LONG_CONTEXT_WORDS and others:
            passages.append(others.pop())
            n += n_words(passages[-1])
        for most_chunks in sizes:
            judge = _Noting()
            ChunkedScorer(judge, most_chunks=most_chunks).score([(claim, passages)])
            held = [any(s.strip() in premise for premise in judge.premises) for s in gold]
            n_found[most_chunks, "any"] += any(held)
            n_found[most_chunks, "all"] += all(held)
    for most_chunks in sizes:
        yield {
            "measure": "preselection",
            "most_chunks": most_chunks,
            "n_claims": len(asked),
            "context_words": LONG_CONTEXT_WORDS,
            "any_gold_sentence": round(n_found[most_chunks, "any"] / len(asked), 3),
            "all_gold_sentences": round(n_found[most_chunks, "all"] / len(asked), 3),
        }


# --- running ------------------------------------------------------------------------------------


def open_judge(path: pathlib.Path, n_chunks: int) -> FaithfulnessScorer:
    """The language model of a GGUF file as judge of few chunks; judgements are kept."""
    from averment.models.judge import JudgeByLanguageModel
    from averment.models.llama_cpp import open_llama_cpp

    model = open_llama_cpp(path, name=path.stem, n_ctx=1024, n_threads=1, n_parallel=1)
    judge = JudgeByLanguageModel(model, name=path.stem)
    kept = HERE / "runs" / f"judgements-{path.stem}-{hashed(judge.identity)}.jsonl"
    return ChunkedScorer(ResumableJudge(judge, kept), most_chunks=n_chunks)


@dataclass(frozen=True)
class Tier:
    """A scorer; for the time it takes, another one that remembers nothing."""

    scorer: FaithfulnessScorer
    timed: FaithfulnessScorer | None = None


def model_tiers(path: pathlib.Path) -> Iterator[Tier]:
    """An ONNX model of a directory as averment uses it, then without lexical alignment."""
    from averment.faithfulness.cache import CachedJudge
    from averment.models.nli import open_nli
    from averment.wiring.scores import scorer_of

    nli = open_nli(path)
    remembering = CachedJudge(nli, memory_pairs=1_000_000)
    yield Tier(scorer_of(nli, remembering), scorer_of(nli, nli))
    if nli.joint is not None:
        budget = nli.window_words or DEFAULT_CHUNK_WORDS
        yield Tier(ChunkedScorer(remembering, split=partial(packed_chunks, budget=budget)))


def show(record: Record) -> None:
    """A line of the table."""
    shown = (
        f"{key} {' '.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in record.items()
        if key not in ("bench", "date", "version", "machine", "python")
    )
    sys.stdout.write(" | ".join(shown) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Run, write the rows, print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=pathlib.Path, help="directory of an ONNX model")
    parser.add_argument("--embedder", type=pathlib.Path, help="directory of all-MiniLM-L6-v2")
    parser.add_argument("--judge", type=pathlib.Path, help="GGUF file of a language model")
    parser.add_argument("--judge-rows", type=int, default=100, help="rows a set for the judge")
    parser.add_argument("--judge-chunks", type=int, default=2, help="chunks a claim sentence")
    parser.add_argument("--only", choices=("accuracy", "invariance", "speed", "preselection"))
    parser.add_argument("--choose", action="store_true", help="show the sets for choosing, too")
    parser.add_argument("--out", type=pathlib.Path)
    given = parser.parse_args()
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    out = given.out or HERE / "runs" / f"{today}-faithfulness.jsonl"
    facts = {
        "bench": "faithfulness",
        "date": today,
        "version": importlib.metadata.version("averment"),
        "machine": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }
    wanted = lambda measure: given.only in (None, measure)  # noqa: E731
    records: list[Record] = []

    def note(tier: str, found: Iterator[Record]) -> None:
        for record in found:
            records.append({**facts, "tier": tier, **record})
            show(records[-1])

    tiers = [Tier(IdfCoverage()), Tier(LexicalAlignment(), LexicalAlignment())]
    if given.model is not None:
        tiers += model_tiers(given.model)
    if given.embedder is not None:
        tiers.append(Tier(Cosine(given.embedder)))
    for tier in tiers:
        if wanted("accuracy"):
            note(tier.scorer.name, accuracy(tier.scorer, None, given.choose))
        if wanted("invariance") and not isinstance(tier.scorer, IdfCoverage | Cosine):
            note(tier.scorer.name, invariance(tier.scorer))
        if wanted("speed") and tier.timed is not None:
            note(tier.timed.name, speed(tier.timed))
    if wanted("preselection"):
        note("preselection", preselection())
    if given.judge is not None:
        judge = open_judge(given.judge, given.judge_chunks)
        note(judge.name, accuracy(judge, given.judge_rows, given.choose))
    out.parent.mkdir(exist_ok=True)
    with out.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


if __name__ == "__main__":
    main()
