"""What is held of a claim in the light of its evidence: design/0010.

The verdict speaks of evidence, never of truth: a claim can be supported by a passage that is
wrong. How likely it is true is `Claim.p_true`, where a calibrator was given.
"""

from __future__ import annotations

from averment.types import ClaimVerdict, Faithfulness, Support

ENTAILED = 0.5
"""Least faithfulness that counts as support, and least contradiction that counts as such."""


def verdict_of(
    faithfulness: Faithfulness | None, support: Support, *, unknown: str
) -> tuple[ClaimVerdict, str]:
    """The verdict and its reason code.

    Args:
        faithfulness: What the passages say; None where nobody judged.
        support: What the corpus says.
        unknown: The reason to give where neither says anything.
    """
    if faithfulness is not None and faithfulness.passage is not None:
        if (faithfulness.contradiction or 0.0) >= ENTAILED:
            return ClaimVerdict.CONTRADICTED, faithfulness.reason or "passage_contradicts"
        if faithfulness.score >= ENTAILED:
            return ClaimVerdict.SUPPORTED, "passage_entails"
        return ClaimVerdict.UNSUPPORTED, faithfulness.reason or "passages_do_not_entail"
    if support in (Support.ABSENT, Support.NOT_COVERED):
        return ClaimVerdict.UNSUPPORTED, f"{support}_in_corpus"
    if support is Support.UNKNOWN:
        return ClaimVerdict.UNVERIFIED, unknown
    # Co-occurrence is not entailment: a pair that is there leaves the claim unverified.
    return ClaimVerdict.UNVERIFIED, "mention_only"
