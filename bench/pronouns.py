"""How often a subject pronoun of an encyclopaedia page becomes the name of what the page is about.

    python bench/pronouns.py --data ../shared/data --split report

Pages of 2WikiMultihopQA's contexts, all sentences but the first that open with "he", "she", "it" or
a possessive, also behind a phrase ("In 1990, he …"). The title of the page stands for the truth,
which is right for most sentences and wrong for some (a page may speak of somebody else for a
while), so that the share of right ones is a little too low. `choose` are pages of training
questions, on which the rules were worked out; `report` pages of dev questions that are not there.
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import re
import sys

from extraction_sets import key, untokenised
from packed import records

from averment.claims.pronouns import self_contained

DATA = pathlib.Path(__file__).parent.parent.parent / "shared" / "data"
FILES = {"choose": "2wiki_train_ctx_triples_migres", "report": "2wiki_dev_ctx_migres"}
PRONOUN = re.compile(r"(?:(?:In|On|By|After)[^,]{1,40}, )?(he|she|it|his|her|its)\b", re.IGNORECASE)


def read_pages(data: pathlib.Path, split: str) -> dict[str, list[str]]:
    """Titles and sentences, each page once."""
    pages: dict[str, list[str]] = {}
    for record in records(data / "qa_multihop" / f"{FILES[split]}.jsonl.gz"):
        for title, sentences in record.get("context") or []:
            pages.setdefault(title, [untokenised(each) for each in sentences])
    return pages


def counted(pages: dict[str, list[str]]) -> dict[str, collections.Counter[str]]:
    """For each pronoun how many sentences, how many were named, and how many rightly."""
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for title, sentences in pages.items():
        for sentence, told in list(zip(sentences, self_contained(sentences), strict=True))[1:]:
            if found := PRONOUN.match(sentence):
                count = counts[found[1].lower()]
                count["sentences"] += 1
                count["named"] += told.pronoun is not None
                count["right"] += bool(set(key(told.name)) & set(key(title)))
    return counts


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, default=DATA)
    parser.add_argument("--split", choices=FILES, default="choose")
    arguments = parser.parse_args()
    pages = read_pages(arguments.data, arguments.split)
    if arguments.split == "report":
        known = read_pages(arguments.data, "choose")
        pages = {title: each for title, each in pages.items() if title not in known}
    for pronoun, count in sorted(counted(pages).items()):
        share = count["right"] / max(1, count["named"])
        row = [count["sentences"], count["named"], count["right"], f"{share:.2f}"]
        sys.stdout.write(f"| {pronoun} | {' | '.join(map(str, row))} |\n")


if __name__ == "__main__":
    main()
