"""Asks an index about every case and writes what it answered, one JSON line a case.

    python bench/signal/measure.py --split train --index /tmp/full --out rows.jsonl.gz

The checks are those of `averment.policies.pairs.PairCheck`, performed by the engine: the bench has
no logic of its own about what a window says.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Sequence
from pathlib import Path

from triples import (
    WINDOW_WORDS,
    Case,
    KindsOfNames,
    by_rules,
    cases,
    read_questions,
)

from averment.engine import Edges, Missing, carry_out
from averment.faithfulness.lexical import LexicalAlignment
from averment.franq.evidence import CorpusSize, TripleCounts, triple_features
from averment.index.embedded import open_embedded
from averment.policies.pairs import PairCheck
from averment.ports import CorpusIndex, FaithfulnessScorer
from averment.settings import resolve_settings
from averment.types import Check, Triplet
from averment.wiring.aliases import open_aliases, widened
from averment.wiring.scores import open_faithfulness

_VERBS = {
    "director": "{head} was directed by {tail}.",
    "date of birth": "{head} was born on {tail}.",
    "place of birth": "{head} was born in {tail}.",
    "date of death": "{head} died on {tail}.",
    "place of death": "{head} died in {tail}.",
    "country of citizenship": "{head} is a citizen of {tail}.",
    "country": "{head} is in {tail}.",
    "country of origin": "{head} is from {tail}.",
    "publication date": "{head} was published in {tail}.",
    "performer": "{head} was performed by {tail}.",
    "composer": "{head} was composed by {tail}.",
    "cast member": "{head} stars {tail}.",
}


def in_words(triplet: Triplet) -> str:
    """The triplet as a sentence, for the judge of faithfulness."""
    template = _VERBS.get(triplet.relation, f"The {triplet.relation} of {{head}} is {{tail}}.")
    return template.format(head=triplet.head, tail=triplet.tail)


def measure(
    found: Sequence[Case],
    index: CorpusIndex,
    *,
    scorer: FaithfulnessScorer | None,
    judge: bool,
) -> list[dict[str, object]]:
    """A row a case."""
    edges = Edges(index, *[Missing(w, hint="") for w in ("a", "b", "c")], faithfulness=scorer)
    check = PairCheck(
        WINDOW_WORDS,
        check_relations=True,
        judge_relations=judge,
        contrast=True,
        compare_values=True,
        require_article=True,
    )
    info = index.info
    size = CorpusSize(info.n_documents, info.n_words, WINDOW_WORDS)
    rows = []
    for case in found:
        started = time.perf_counter()
        made = carry_out(check.run([case.triplet], in_words(case.triplet)), edges)
        ms = (time.perf_counter() - started) * 1000
        rows.append(_row(case, made[0], size) | {"ms": round(ms, 2)})
    return rows


def _row(case: Case, check: Check, size: CorpusSize) -> dict[str, object]:
    relation = check.relation
    rivals = relation.rivals if relation and relation.rivals else ()
    counts = TripleCounts(
        check.head_count,
        check.tail_count,
        check.cooccurrence,
        tuple(rival.cooccurrence for rival in rivals),
    )
    return {
        "question": case.question_id,
        "kind": case.kind,
        "same_kind": case.same_kind_of_tail,
        "triplet": [case.triplet.head, case.triplet.relation, case.triplet.tail],
        "zero": check.cooccurrence.exists is False,
        "support": check.support.value,
        "relation": relation.outcome.value if relation else None,
        "reason": relation.reason if relation else None,
        "window": relation.window.title if relation and relation.window else None,
        "rivals": [rival.text for rival in rivals],
        "features": triple_features(counts, corpus=size),
    }


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--split", choices=("train", "dev"), required=True)
    parser.add_argument("--index", type=Path, required=True, help="what is asked")
    parser.add_argument("--whole", type=Path, help="where false tails are drawn from")
    parser.add_argument("--forms", choices=("written", "aliases"), default="aliases")
    parser.add_argument("--judge", default="none", help="none, lexical, minilm, or a directory")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    questions = read_questions(asked.data, asked.split)
    rules = by_rules(asked.data)
    whole = open_embedded(asked.whole or asked.index)
    kinds = KindsOfNames(asked.data, questions)
    found = cases(questions, kinds, whole, forms=rules, seed=asked.seed)
    titles = {passage.title for passage in whole.passages()}
    rows = measure(
        found,
        opened(asked.index, aliases=asked.forms == "aliases"),
        scorer=_scorer(asked.judge),
        judge=asked.judge != "none",
    )
    with gzip.open(asked.out, "wt", encoding="utf-8") as out:
        for case, row in zip(found, rows, strict=True):
            row["has_article"] = case.triplet.head in titles
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def opened(path: Path, *, aliases: bool) -> CorpusIndex:
    """The index as a policy has it, with names counted as written or by all their forms."""
    index = open_embedded(path)
    return widened(index, open_aliases(resolve_settings(), index)) if aliases else index


def _scorer(name: str) -> FaithfulnessScorer | None:
    if name == "none":
        return None
    if name == "lexical":
        return LexicalAlignment()
    return open_faithfulness(resolve_settings(faithfulness=name), None)


if __name__ == "__main__":
    main()
