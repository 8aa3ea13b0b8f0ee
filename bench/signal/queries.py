"""Which query finds the gold passage of a claim: hit@k by the way it is put.

    python bench/signal/queries.py --split train --index /tmp/full

Gold triples stand in for claims, once as they are and once with a wrong tail (a random one of the
same relation), which is what a claim looks like when it is searched for. A hit is the article of
the head among the first k passages; triples whose article is not in the corpus are left out.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

from measure import in_words
from triples import Case, KindsOfNames, by_rules, cases, read_questions

from averment.index.embedded import open_embedded
from averment.policies.quco import QueryForm
from averment.wiring import open_retriever

_KS = (1, 3, 5)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--split", choices=("train", "dev"), required=True)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    questions = read_questions(asked.data, asked.split)
    index = open_embedded(asked.index)
    kinds = KindsOfNames(asked.data, questions)
    texts = {question.question_id: question.text for question in questions}
    titles = {passage.title for passage in index.passages()}
    found = [
        case
        for case in cases(questions, kinds, index, forms=by_rules(asked.data), seed=asked.seed)
        if case.kind in ("true", "random") and case.triplet.head in titles
    ]
    retriever = open_retriever(index)
    print("| query | tail | n | hit@1 | hit@3 | hit@5 |\n| --- | --- | --- | --- | --- | --- |")  # noqa: T201
    for form in QueryForm:
        hits: dict[str, list[list[bool]]] = defaultdict(list)
        for case in found:
            query = _query(form, case, texts)
            [retrieval] = retriever.search([query], k=max(_KS))
            ranks = [hit.rank for hit in retrieval.hits if hit.passage.title == case.triplet.head]
            hits[case.kind].append([any(rank <= k for rank in ranks) for k in _KS])
        for kind, name in (("true", "right"), ("random", "wrong")):
            shares = [sum(column) / len(hits[kind]) for column in zip(*hits[kind], strict=True)]
            told = " | ".join(f"{share:.3f}" for share in shares)
            print(f"| {form} | {name} | {len(hits[kind])} | {told} |")  # noqa: T201


def _query(form: QueryForm, case: Case, texts: dict[str, str]) -> str:
    said = in_words(case.triplet)
    return form.of(case.triplet, sentence=said, question=texts[case.question_id])


if __name__ == "__main__":
    main()
