"""Counts of claimed relations as evidence for a claim, apart from the passages it was written from.

What this module does not do: count. Checks bring the counts of the corpus.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from averment.franq.evidence import CorpusSize, TripleCounts, claim_features
from averment.franq.retrieved import pairs_in_passages, without_retrieved
from averment.text import TextForm
from averment.types import (
    Check,
    Cooccurrence,
    Count,
    CountKind,
    Passage,
    Phrase,
    SurfaceForm,
)

_NO_RIVAL = Cooccurrence(False, 0, 0, None, CountKind.EXACT)
"""Somebody looked for other tails, and the windows of the head name none."""


def corpus_features(
    checks: Sequence[Check], retrieved: Sequence[Passage], *, corpus: CorpusSize, form: TextForm
) -> dict[str, float]:
    """The corpus features of a claim that are known, by name; none where nothing was counted.

    Args:
        checks: The counts of its relations.
        retrieved: The passages that were retrieved from the corpus, each once; they leave it.
        corpus: What the counts are from.
        form: The text form of the corpus.

    Source: features as in `averment.franq.evidence`.
    """
    triples = [_without(check, retrieved, form) for check in checks if check.triplet.relation]
    if not triples:
        return {}
    features = claim_features(triples, corpus=corpus)
    return {name: value for name, value in features.items() if value is not None}


def _without(check: Check, retrieved: Sequence[Passage], form: TextForm) -> TripleCounts:
    inside, together = _left(check, check.triplet.tail, check.cooccurrence, retrieved, form)
    return TripleCounts(
        _fewer(check.head_count, inside),
        _fewer(check.tail_count, inside),
        together,
        _rivals(check, retrieved, form),
    )


def _rivals(check: Check, retrieved: Sequence[Passage], form: TextForm) -> tuple[Cooccurrence, ...]:
    """The counts of other tails; none where nobody looked."""
    if check.relation is None or check.relation.rivals is None:
        return ()
    found = [
        _left(check, rival.text, rival.cooccurrence, retrieved, form)[1]
        for rival in check.relation.rivals
    ]
    return tuple(found) or (_NO_RIVAL,)


def _left(
    check: Check, tail: str, together: Cooccurrence, retrieved: Sequence[Passage], form: TextForm
) -> tuple[int, Cooccurrence]:
    """How many retrieved documents hold head and tail, and the pairs in all others."""
    inside = pairs_in_passages(
        _counted(check.triplet.head, together.a_forms),
        _counted(tail, together.b_forms),
        passages=retrieved,
        window_words=check.window_words,
        form=form,
    )
    return inside.documents or 0, without_retrieved(together, retrieved=inside)


def _counted(name: str, forms: Sequence[SurfaceForm]) -> Phrase:
    """What a name was counted by: what leaves the counts must be what came into them."""
    return frozenset(form.text for form in forms) or name


def _fewer(count: Count, n_documents: int) -> Count:
    """The count of an end without the documents in which its pair left.

    A name that only they know is a stranger to the rest; that the rest never has the pair would
    otherwise speak against what they say.
    """
    if count.documents is None:
        return count
    return replace(count, value=None, documents=max(count.documents - n_documents, 0))
