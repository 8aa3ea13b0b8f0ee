"""Counts of claimed relations as evidence for a claim, apart from the passages it was written from.

A passage that was retrieved supports the claim that was copied from it through faithfulness. Its
document is therefore taken out of the counts: evidence is not counted for itself.

What this module does not do: count. Checks bring the counts of the corpus; passages are read here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from averment.franq.evidence import CorpusSize, TripleCounts, claim_features, without_retrieved
from averment.text import TextForm
from averment.types import Check, Cooccurrence, CountKind, Passage


def corpus_features(
    checks: Sequence[Check], retrieved: Sequence[Passage], *, corpus: CorpusSize
) -> dict[str, float]:
    """The corpus features of a claim that are known, by name; none where nothing was counted.

    Args:
        checks: The counts of its relations.
        retrieved: The passages that the answer was written from, or that it is held against.
        corpus: What the counts are from.

    Source: features as in `averment.franq.evidence`.
    """
    triples = [
        TripleCounts(
            head=check.head_count,
            tail=check.tail_count,
            together=without_retrieved(
                check.cooccurrence, retrieved=within_passages(check, retrieved)
            ),
        )
        for check in checks
        if check.triplet.relation
    ]
    return _known(claim_features(triples, corpus=corpus)) if triples else {}


def within_passages(check: Check, passages: Sequence[Passage]) -> Cooccurrence:
    """How often the ends of a triplet start within the window of each other in the passages."""
    form = TextForm()
    head, tail = form.words(check.triplet.head), form.words(check.triplet.tail)
    pairs_of: dict[str, int] = {}
    for passage in dict.fromkeys(passages):
        words = form.words(f"{passage.title} {passage.text}")
        heads, tails = _starts(words, head), _starts(words, tail)
        pairs = sum(abs(i - j) <= check.window_words for i in heads for j in tails)
        if pairs:
            pairs_of[passage.document_id] = pairs_of.get(passage.document_id, 0) + pairs
    n_pairs = sum(pairs_of.values())
    return Cooccurrence(bool(n_pairs), len(pairs_of), n_pairs, None, CountKind.EXACT)


def _starts(words: Sequence[str], phrase: Sequence[str]) -> list[int]:
    n_words = len(phrase)
    return [at for at in range(len(words) - n_words + 1) if words[at : at + n_words] == phrase]


def _known(features: Mapping[str, float | None]) -> dict[str, float]:
    return {name: value for name, value in features.items() if value is not None}
