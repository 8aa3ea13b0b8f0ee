"""What is held of a claim in the light of its evidence: design/0010.

The verdict speaks of evidence, never of truth: a claim can be supported by a passage that is
wrong. How likely it is true is `Claim.p_true`, where a calibrator was given.
"""

from __future__ import annotations

from averment.findings import entails, opposes
from averment.types import ClaimVerdict, Faithfulness, Support


def verdict_of(
    faithfulness: Faithfulness | None,
    support: Support,
    *,
    unknown: str,
    from_corpus: bool,
    is_denied: bool = False,
) -> tuple[ClaimVerdict, str]:
    """The verdict and its reason code.

    Args:
        faithfulness: What the passages say; None where nobody judged.
        support: What the corpus says.
        unknown: The reason to give where neither says anything.
        from_corpus: The passages are of the corpus that `support` speaks of. What never occurs
            there together cannot be entailed by one of them, whatever the scorer says.
        is_denied: A window of the corpus gives a relation of the claim another tail. Passages that
            somebody brought may know better, passages of the corpus do not.
    """
    absent = support in (Support.ABSENT, Support.NOT_COVERED)
    is_read = faithfulness is not None and faithfulness.passage is not None
    if faithfulness is not None and is_read:
        if opposes(faithfulness):
            return ClaimVerdict.CONTRADICTED, faithfulness.reason or "passage_contradicts"
        if entails(faithfulness) and not (from_corpus and (absent or is_denied)):
            return ClaimVerdict.SUPPORTED, "passage_entails"
    if is_denied:
        return ClaimVerdict.CONTRADICTED, "corpus_states_another"
    if absent and (from_corpus or not is_read):
        return ClaimVerdict.UNSUPPORTED, f"{support}_in_corpus"
    if faithfulness is not None and is_read:
        return ClaimVerdict.UNSUPPORTED, faithfulness.reason or "passages_do_not_entail"
    if support is Support.UNKNOWN:
        return ClaimVerdict.UNVERIFIED, unknown
    # Co-occurrence is not entailment: a pair that is there leaves the claim unverified.
    return ClaimVerdict.UNVERIFIED, "mention_only"
