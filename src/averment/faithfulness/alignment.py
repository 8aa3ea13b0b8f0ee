"""How much of a claim's words stand close together in a text, and where.

The claim's content words and quantities are looked for in every run of at most three sentences;
the coverage of a run is the weight of what was found over the weight of all. Nothing here says
whether the claim holds: that its words occur is not support, see `averment.faithfulness.rules`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from averment.dates import Relation
from averment.faithfulness.terms import QUANTITY_WEIGHT, Sentence, beginning
from averment.quantities import compare

_MOST_SENTENCES = 3
_LONGER_RUN = 0.02
"""What each further sentence of a run has to bring: evidence shall be short."""
_NEAR_TERMS = 4


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive sentences of a text, `sentences[first:last]`, and what they hold of a claim.

    `found` has bit i set where the claim's term i is there; behind the terms come its quantities.
    `found_anywhere` is the same of the whole text. `coverage` is in [0, 1].
    """

    first: int
    last: int
    found: int
    found_anywhere: int
    coverage: float


def best_run(claim: Sentence, sentences: Sequence[Sentence]) -> Run:
    """The run that covers most of the claim; the shorter, then the earlier of equal ones.

    Args:
        claim: A sentence with at least one term or quantity.
        sentences: Of one text, in order; at least one.
    """
    masks = [_found_in(claim, sentence) for sentence in sentences]
    anywhere = reduce(or_, masks)
    coverages: dict[int, float] = {}
    best, best_value = Run(0, 1, 0, anywhere, 0.0), 0.0
    for n_sentences in range(1, min(_MOST_SENTENCES, len(masks)) + 1):
        for first in range(len(masks) - n_sentences + 1):
            found = reduce(or_, masks[first : first + n_sentences])
            if found not in coverages:
                coverages[found] = _coverage(claim, found)
            value = coverages[found] - _LONGER_RUN * (n_sentences - 1)
            if value > best_value:
                best_value = value
                best = Run(first, first + n_sentences, found, anywhere, coverages[found])
    return best


def order_kept(claim: Sentence, sentences: Sequence[Sentence]) -> float:
    """The share of the claim's neighbouring terms that stand near each other, in the same order.

    Returns:
        In [0, 1]; 1 for a claim of a single term.
    """
    asked = {(a.stem, b.stem) for a, b in zip(claim.terms, claim.terms[1:], strict=False)}
    near: set[tuple[str, str]] = set()
    for sentence in sentences:
        stems = [term.stem for term in sentence.terms]
        for step in range(1, _NEAR_TERMS + 1):
            near.update(zip(stems, stems[step:], strict=False))
    return len(asked & near) / len(asked) if asked else 1.0


def _found_in(claim: Sentence, sentence: Sentence) -> int:
    found, bit = 0, 1
    polarities, beginnings = sentence.polarities, sentence.beginnings
    for term in claim.terms:
        if term.stem in polarities or beginning(term.stem) in beginnings:
            found |= bit
        bit <<= 1
    for claimed in claim.quantities:
        if any(compare(claimed, stated) is Relation.SAME for stated in sentence.quantities):
            found |= bit
        bit <<= 1
    return found


def _coverage(claim: Sentence, found: int) -> float:
    weights = [term.weight for term in claim.terms] + [QUANTITY_WEIGHT] * len(claim.quantities)
    return sum(weight for at, weight in enumerate(weights) if found >> at & 1) / sum(weights)
