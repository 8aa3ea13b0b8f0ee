"""ROC-AUC and balanced accuracy on the test sets: the model, two baselines and a joint score.

    python evaluate.py score --scorer model --model DIR --data DATA --pairs OUT --scores SCORES
    python evaluate.py score --scorer lexical ...
    python evaluate.py score --scorer cosine --backbone BACKBONE ...
    python evaluate.py report --data DATA --pairs OUT --scores SCORES

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
from sklearn.linear_model import LogisticRegression

from averment.metrics.ranking import roc_auc
from averment.metrics.resampling import bootstrap_difference, bootstrap_interval
from averment.metrics.rows import BoolArray, MetricValue
from pairs import ENTAILMENT, Pair, read_pairs, read_records
from scorers import FloatArray, LexicalCoverage, MiniLMCosine, OnnxJudge, Scorer
from testsets import TEST_SETS, UNSEEN
from windows import Case, score_cases

SCORERS = ("model", "lexical", "cosine")
JOINT = "model_and_lexical"
WINDOW_WORDS = 100
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


def make_scorer(given: argparse.Namespace) -> Scorer:
    """The scorer that was asked for."""
    if given.scorer == "model":
        return OnnxJudge(given.model / "model.onnx", given.model / "tokenizer.json")
    if given.scorer == "cosine":
        return MiniLMCosine(given.backbone)
    corpus = read_records(given.data / "corpus/wiki_passages.jsonl.gz")
    return LexicalCoverage(record["text"] for record in corpus)


def score(given: argparse.Namespace) -> None:
    """One scorer's scores of the sets and of the validation pairs, as files."""
    scorer = make_scorer(given)
    given.scores.mkdir(parents=True, exist_ok=True)
    for name in given.sets:
        if name == "validation":
            pairs = _validation(given.pairs)
            scores = scorer.entailment([(pair.premise, pair.hypothesis) for pair in pairs])
        else:
            scores = score_cases(_cases(given, name), scorer)
        np.save(given.scores / f"{name}.{given.scorer}.npy", scores)
        print(name, len(scores), file=sys.stderr, flush=True)


def report(given: argparse.Namespace) -> None:
    """All scorers' metrics, as JSON."""
    truth = np.array([pair.label == ENTAILMENT for pair in _validation(given.pairs)])
    joint = joint_scorer(given, truth)
    validation = _all_scores(given, "validation", joint)
    cuts = {scorer: best_threshold(1.0 - scores, truth) for scorer, scores in validation.items()}
    results: dict[str, Any] = {
        "window_words": given.window_words,
        "unseen": UNSEEN,
        "score_thresholds": {scorer: round(1.0 - cut, 4) for scorer, cut in cuts.items()},
    }
    for name in given.sets:
        if name != "validation":
            cases = _cases(given, name)
            results[name] = compare(cases, _all_scores(given, name, joint), cuts)
    print(json.dumps(results, indent=1))


def compare(
    cases: Sequence[Case], scores: dict[str, FloatArray], cuts: dict[str, float]
) -> dict[str, Any]:
    """Every scorer on one set, and the model's lead over lexical coverage."""
    truth = np.array([case.is_supported for case in cases])
    lead = bootstrap_difference(
        roc_auc,
        1.0 - scores["model"],
        baseline=1.0 - scores["lexical"],
        is_true=truth,
        question_ids=[case.group for case in cases],
        n_resamples=_RESAMPLES,
    )
    return {
        "cases": len(cases),
        "supported": int(truth.sum()),
        "documents": len({case.group for case in cases}),
        **{scorer: result_of(cases, scores[scorer], cuts[scorer]) for scorer in scores},
        "model_minus_lexical": _rounded(lead),
    }


def joint_scorer(given: argparse.Namespace, truth: BoolArray) -> LogisticRegression:
    """Model and coverage in one logistic regression, fitted on the validation pairs."""
    scores = {scorer: _load(given, "validation", scorer) for scorer in SCORERS}
    return LogisticRegression(class_weight="balanced").fit(_features(scores), truth)


def _features(scores: dict[str, FloatArray]) -> FloatArray:
    chance = np.clip(scores["model"], 1e-4, 1 - 1e-4)
    features: FloatArray = np.stack([np.log(chance / (1 - chance)), scores["lexical"]], axis=1)
    return features


def _all_scores(
    given: argparse.Namespace, name: str, joint: LogisticRegression
) -> dict[str, FloatArray]:
    scores = {scorer: _load(given, name, scorer) for scorer in SCORERS}
    return {**scores, JOINT: joint.predict_proba(_features(scores))[:, 1]}


def _cases(given: argparse.Namespace, name: str) -> list[Case]:
    return list(TEST_SETS[name](given.data / "faithfulness", given.window_words))


def _load(given: argparse.Namespace, name: str, scorer: str) -> FloatArray:
    scores: FloatArray = np.load(given.scores / f"{name}.{scorer}.npy")
    return scores


def _validation(folder: Path) -> list[Pair]:
    return read_pairs(folder / "labelled_validation.jsonl.gz")


def main() -> None:
    """Read the arguments; score or report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=("score", "report"))
    parser.add_argument("--scorer", choices=SCORERS, default="model")
    for name in ("data", "pairs", "scores"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--backbone", type=Path)
    parser.add_argument("--window-words", type=int, default=WINDOW_WORDS)
    parser.add_argument("--sets", nargs="*", default=["validation", *TEST_SETS])
    given = parser.parse_args()
    (score if given.task == "score" else report)(given)


if __name__ == "__main__":
    main()
