"""Does what the corpus knows of a question's entities tell whether it can answer?

    python bench/signal/coverage.py --split train --index /tmp/removed60

A question can be answered where every gold passage is there. Estimates: the share of its entities
(found by rules) that occur at all, and the smallest number of documents of one; `at` is the share
of questions that can be answered among those below 1 and at 1.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from triples import read_questions

from averment.claims.rules import RulesExtractor
from averment.index.embedded import open_embedded
from averment.metrics.ranking import roc_auc

_NOT_NAMED = ("date", "generic", "number")


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--split", choices=("train", "dev"), required=True)
    parser.add_argument("--index", type=Path, required=True)
    asked = parser.parse_args()
    index = open_embedded(asked.index)
    is_there = index.passages_meant()
    titles = {
        passage.title
        for number, passage in enumerate(index.passages())
        if is_there is None or is_there[number]
    }
    shares, rarest, can = [], [], []
    for question in read_questions(asked.data, asked.split):
        [entities] = RulesExtractor().entities([question.text])
        names = [each.text for each in entities if each.kind not in _NOT_NAMED]
        if names:
            counts = [count.documents or 0 for count in index.count(names)]
            shares.append(sum(n > 0 for n in counts) / len(counts))
            rarest.append(min(counts))
            can.append(all(title in titles for title in question.titles))
    known, answerable = np.array(shares), np.array(can)
    low = known < 1
    of_share = roc_auc(-known, answerable).value
    of_rarest = roc_auc(-np.array(rarest, dtype=float), answerable).value
    print(  # noqa: T201
        f"{len(known)} questions, {answerable.mean():.1%} answerable; ROC-AUC of the share known "
        f"{of_share}, of the rarest {of_rarest}; "
        f"{low.mean():.1%} are not wholly known, of which {answerable[low].mean():.1%} are "
        f"answerable, against {answerable[~low].mean():.1%} of the others"
    )


if __name__ == "__main__":
    main()
