"""What the made-up pairs give away without reading both texts: should be near chance.

    python baselines.py --pairs OUT --data DATA

A bag of words of the hypothesis alone, and word coverage alone, on the validation pairs by kind.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from averment.metrics.ranking import roc_auc
from pairs import ENTAILMENT, Pair, read_pairs, read_records
from scorers import FloatArray, LexicalCoverage


def areas(pairs: list[Pair], scores: FloatArray) -> dict[str, float]:
    """ROC-AUC by kind, of those with both sides."""
    found = {}
    for kind in sorted({part for pair in pairs for part in (pair.kind, _family(pair), "all")}):
        rows = [i for i, p in enumerate(pairs) if kind in (p.kind, _family(p), "all")]
        truth = np.array([pairs[i].label == ENTAILMENT for i in rows])
        area = roc_auc(1.0 - scores[rows], truth).value
        if area is not None:
            found[kind] = round(area, 3)
    return found


def _family(pair: Pair) -> str:
    return pair.kind.split("/")[0]


def hypothesis_only(train: list[Pair], test: list[Pair]) -> FloatArray:
    """P(entailment) by a logistic regression on the hypothesis' words and word pairs."""
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True)
    model = LogisticRegression(max_iter=300, C=1.0)
    model.fit(
        words.fit_transform([p.hypothesis for p in train]), [p.label == ENTAILMENT for p in train]
    )
    found: FloatArray = model.predict_proba(words.transform([p.hypothesis for p in test]))[:, 1]
    return found


def main() -> None:
    """Read the arguments and print both tables as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("pairs", "data"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    train = read_pairs(given.pairs / "synthetic_train.jsonl.gz")
    test = read_pairs(given.pairs / "synthetic_validation.jsonl.gz")
    corpus = (r["text"] for r in read_records(given.data / "corpus/wiki_passages.jsonl.gz"))
    overlap = LexicalCoverage(corpus).entailment([(p.premise, p.hypothesis) for p in test])
    print(
        json.dumps(
            {
                "hypothesis_only": areas(test, hypothesis_only(train, test)),
                "overlap_only": areas(test, overlap),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
