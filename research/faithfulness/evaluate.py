"""ROC-AUC and balanced accuracy of the exported model and two baselines on every test set.

    python evaluate.py --data DATA --pairs OUT --model DIR --backbone BACKBONE --out results.json

The threshold of the balanced accuracy is chosen on the human-labelled validation pairs, one for
each scorer; 95 % intervals come from resampling whole documents. To be run once, at the end.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from averment.metrics.ranking import roc_auc
from averment.metrics.resampling import bootstrap_difference, bootstrap_interval
from averment.metrics.rows import BoolArray, MetricValue
from pairs import ENTAILMENT, Pair, read_pairs, read_records
from scorers import FloatArray, LexicalCoverage, MiniLMCosine, OnnxJudge, Scorer
from testsets import TEST_SETS, UNSEEN
from windows import Case, score_cases

_RESAMPLES = 1000


def balanced_accuracy(
    uncertainty: FloatArray, is_true: BoolArray, *, threshold: float
) -> MetricValue:
    """Mean of the shares of both sides that a threshold on the uncertainty puts right."""
    if is_true.all() or not is_true.any():
        return MetricValue(None, "all rows are of one side")
    accepted = uncertainty <= threshold
    return MetricValue(float((accepted[is_true].mean() + (~accepted[~is_true]).mean()) / 2))


def best_threshold(uncertainty: FloatArray, is_true: BoolArray) -> float:
    """The uncertainty at which balanced accuracy is best; the lowest of several."""
    values = np.unique(uncertainty)
    cuts = np.concatenate([values, (values[1:] + values[:-1]) / 2])
    found = [balanced_accuracy(uncertainty, is_true, threshold=cut).value or 0.0 for cut in cuts]
    return float(cuts[int(np.argmax(found))])


def threshold_on(pairs: Sequence[Pair], scorer: Scorer) -> float:
    """The threshold chosen on validation pairs."""
    scores = scorer.entailment([(pair.premise, pair.hypothesis) for pair in pairs])
    truth = np.array([pair.label == ENTAILMENT for pair in pairs])
    return best_threshold(1.0 - scores, truth)


def _rounded(interval: Any) -> list[float | None]:
    return [
        None if v is None else round(v, 4) for v in (interval.value, interval.low, interval.high)
    ]


def result_of(cases: Sequence[Case], scores: FloatArray, threshold: float) -> dict[str, Any]:
    """The metrics of one scorer on one set, each with its interval."""
    truth = np.array([case.is_supported for case in cases])
    groups = [case.group for case in cases]
    accuracy = partial(balanced_accuracy, threshold=threshold)
    return {
        name: _rounded(
            bootstrap_interval(
                metric, 1.0 - scores, is_true=truth, question_ids=groups, n_resamples=_RESAMPLES
            )
        )
        for name, metric in (("roc_auc", roc_auc), ("balanced_accuracy", accuracy))
    }


def main() -> None:
    """Read the arguments, score, write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "pairs", "model", "backbone", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--window-words", type=int, default=160)
    parser.add_argument("--sets", nargs="*", default=list(TEST_SETS))
    given = parser.parse_args()
    corpus = (r["text"] for r in read_records(given.data / "corpus/wiki_passages.jsonl.gz"))
    scorers: dict[str, Scorer] = {
        "model": OnnxJudge(given.model / "model.onnx", given.model / "tokenizer.json"),
        "lexical": LexicalCoverage(corpus),
        "cosine": MiniLMCosine(given.backbone),
    }
    validation = read_pairs(given.pairs / "labelled_validation.jsonl.gz")
    thresholds = {name: threshold_on(validation, scorer) for name, scorer in scorers.items()}
    results: dict[str, Any] = {
        "window_words": given.window_words,
        "unseen": UNSEEN,
        "score_thresholds": {name: 1.0 - cut for name, cut in thresholds.items()},
    }
    for name in given.sets:
        results[name] = _one_set(given.data, name, given.window_words, scorers, thresholds)
        print(name, json.dumps(results[name]), file=sys.stderr, flush=True)
        given.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def _one_set(
    data: Path,
    name: str,
    window_words: int,
    scorers: dict[str, Scorer],
    thresholds: dict[str, float],
) -> dict[str, Any]:
    cases = list(TEST_SETS[name](data / "faithfulness", window_words))
    scores = {key: score_cases(cases, scorer) for key, scorer in scorers.items()}
    truth = np.array([case.is_supported for case in cases])
    found: dict[str, Any] = {key: result_of(cases, scores[key], thresholds[key]) for key in scorers}
    found["model_minus_lexical"] = _rounded(
        bootstrap_difference(
            roc_auc,
            1.0 - scores["model"],
            baseline=1.0 - scores["lexical"],
            is_true=truth,
            question_ids=[case.group for case in cases],
            n_resamples=_RESAMPLES,
        )
    )
    return {"cases": len(cases), "supported": int(truth.sum()), **found}


if __name__ == "__main__":
    main()
