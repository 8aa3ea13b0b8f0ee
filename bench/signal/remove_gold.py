"""Copies an index and deletes a share of the gold passages of 2Wiki questions from the copy.

python bench/signal/remove_gold.py --index /tmp/full --share 0.3 --out /tmp/removed30
"""

from __future__ import annotations

import argparse
import random
import shutil
from pathlib import Path

from triples import FILES, read_questions

from averment.index.embedded import open_embedded
from averment.wiring.corpus import delete_documents


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--share", type=float, required=True, help="of the titles, in (0, 1]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    gold = {
        title
        for split in FILES
        for question in read_questions(asked.data, split)
        for title in question.titles
    }
    titles = sorted(gold)
    gone = set(random.Random(asked.seed).sample(titles, round(asked.share * len(titles))))
    passages = open_embedded(asked.index).passages()
    ids = dict.fromkeys(each.document_id for each in passages if each.title in gone)
    shutil.copytree(asked.index, asked.out)
    info = delete_documents(asked.out, list(ids))
    print(f"{len(gone)} of {len(titles)} titles, {len(ids)} documents; {info.n_documents} left")  # noqa: T201


if __name__ == "__main__":
    main()
