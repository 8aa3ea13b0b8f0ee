"""Weights for the model's judgement beside lexical alignment, and the card that holds them.

    python joint.py --model DIR --data OUT            # shows what each choice of numbers is worth
    python joint.py --model DIR --data OUT --write    # and puts the chosen one on the card of DIR

A logistic regression on the validation pairs, human-labelled and a sample of made-up ones; every
set counts the same, and in it supported pairs as much as others. What a choice is worth is ROC-AUC
by set, cross-fitted over five folds of documents.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from averment.faithfulness.lexical import LexicalAlignment
from averment.metrics.ranking import roc_auc
from pairs import ENTAILMENT, Pair, read_pairs
from scorers import FloatArray, OnnxJudge

CHOICES = {
    "model": ("model",),
    "lexical": ("lexical", "against"),
    "model and lexical": ("model", "lexical"),
    "all": ("model", "lexical", "against"),
}
_CHOSEN = "all"
_N_MADE_UP = 600
_INVERSE_PENALTY = 10.0


def numbers_of(pairs: Sequence[Pair], model: Path) -> dict[str, FloatArray]:
    """What `averment.faithfulness.joint` weighs, of each pair."""
    texts = [(pair.premise, pair.hypothesis) for pair in pairs]
    judge = OnnxJudge(model / "model.onnx", model / "tokenizer.json")
    inside = np.clip(judge.probabilities(texts, batch_size=1)[:, 0], 1e-4, 1 - 1e-4)
    by_words = LexicalAlignment().judge(texts)
    return {
        "model": np.log(inside / (1 - inside)),
        "lexical": np.array([found.entailment for found in by_words]),
        "against": np.array([found.contradiction for found in by_words]),
    }


def weights_of(sets: Sequence[str], truth: np.ndarray) -> FloatArray:
    """Of the pairs: each set counts the same, and so do both of its sides."""
    weights = np.zeros(len(truth))
    for name in set(sets):
        for side in (True, False):
            here = (np.array(sets) == name) & (truth == side)
            weights[here] = 1 / max(1, here.sum())
    weighted: FloatArray = weights / weights.mean()
    return weighted


def main() -> None:
    """Read the arguments, fit, show, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    pairs = read_pairs(given.data / "labelled_validation.jsonl.gz")
    made = read_pairs(given.data / "synthetic_validation.jsonl.gz")
    n_labelled = len(pairs)
    pairs += random.Random(0).sample(made, min(_N_MADE_UP, len(made)))
    numbers = numbers_of(pairs, given.model)
    truth = np.array([pair.label == ENTAILMENT for pair in pairs])
    sets = [pair.kind.split("/")[0] for pair in pairs]
    weights = weights_of(sets, truth)
    for name, columns in CHOICES.items():
        features = np.stack([numbers[column] for column in columns], axis=1)
        found = np.zeros(len(pairs))
        folds = GroupKFold(5).split(features, truth, [pair.group for pair in pairs])
        for train, test in folds:
            fitted = LogisticRegression(C=_INVERSE_PENALTY)
            fitted.fit(features[train], truth[train], sample_weight=weights[train])
            found[test] = fitted.decision_function(features[test])
        areas = {}
        for each in dict.fromkeys(sets):
            here = np.array(sets) == each
            area = roc_auc(-found[here], truth[here]).value
            if area is not None:  # one-sided sets have none
                areas[each] = round(area, 3)
        labelled = [area for each, area in areas.items() if each in sets[:n_labelled]]
        print(name, f"labelled {np.mean(labelled):.4f}", json.dumps(areas))
    if given.write:
        columns = CHOICES[_CHOSEN]
        features = np.stack([numbers[column] for column in columns], axis=1)
        whole = LogisticRegression(C=_INVERSE_PENALTY).fit(features, truth, sample_weight=weights)
        fits = dict(zip(columns, whole.coef_[0].tolist(), strict=True))
        fits["against"] = -fits["against"]  # the card's formula subtracts it
        fits["intercept"] = float(whole.intercept_[0])
        path = given.model / "card.json"
        card = json.loads(path.read_text(encoding="utf-8"))
        card["joint"] = {name: round(weight, 4) for name, weight in fits.items()}
        path.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
        print(json.dumps(card["joint"]))


if __name__ == "__main__":
    main()
