"""What the passages say to each sentence of a claim, and how that becomes one score.

What this module does not do: find the evidence; `averment.faithfulness.scorer` asks a judge for
it and `averment.faithfulness.lexical` counts words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from averment.types import Faithfulness

Pooling: TypeAlias = Literal["mean", "min"]
"""How the sentences of a claim make one score: on average, or by the weakest."""

NO_EVIDENCE = Faithfulness(0.0, reason="no_evidence")
EMPTY_CLAIM = Faithfulness(0.0, reason="empty_claim")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The best that was found for one sentence of a claim; fields as in `Faithfulness`."""

    score: float
    contradiction: float | None
    passage: int
    start: int
    end: int
    reason: str | None = None


def pooled(evidence: Sequence[Evidence], pooling: Pooling) -> Faithfulness:
    """One score for a claim, with the span that says most about it.

    That is the span of the sentence that is contradicted most, if one is contradicted more than
    supported; else of the one that is supported best.

    Args:
        evidence: Of each sentence of the claim; at least one.
        pooling: How to make one score of them.
    """
    scores = [each.score for each in evidence]
    opposed = [each for each in evidence if (each.contradiction or 0.0) > each.score]
    if opposed:
        shown = max(opposed, key=lambda each: each.contradiction or 0.0)
    else:
        shown = max(evidence, key=lambda each: each.score)
    return Faithfulness(
        score=min(scores) if pooling == "min" else math.fsum(scores) / len(scores),
        contradiction=shown.contradiction,
        passage=shown.passage,
        start=shown.start,
        end=shown.end,
        reason=shown.reason,
    )
