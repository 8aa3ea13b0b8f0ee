"""What a sentence claims where it stands: after other sentences, or in answer to a question.

"He was born in Zurich." claims something of whom the sentences before it name; "Haneef" and "yes"
claim something together with the question. An extractor reads single sentences and is told the
rest in words.

What this module does not do: find triplets (the extractors), or decide what follows from them.
"""

from __future__ import annotations

from collections.abc import Sequence

from averment.claims.pronouns import self_contained
from averment.claims.short_answers import AnswerForm, answer_claims
from averment.ports import ClaimExtractor
from averment.steps import ExtractTriplets
from averment.types import Extraction, Triplet


def extractions(batch: Sequence[ExtractTriplets], extractor: ClaimExtractor) -> list[Extraction]:
    """The outcomes of steps, in order; the extractor is asked once.

    A short answer claims the pairs that it makes with the question, "yes" what was asked, "no" and
    "maybe" nothing.
    """
    told = [_told(step) for step in batch]
    found = iter(extractor.triplets([each for each in told if isinstance(each, str)]))
    return [next(found) if isinstance(each, str) else Extraction(each) for each in told]


def _told(step: ExtractTriplets) -> str | tuple[Triplet, ...]:
    """The sentence that an extractor is to read, or the triplets if none is needed."""
    if step.question:
        claims = answer_claims(step.question, step.sentence)
        if claims.form is not AnswerForm.TEXT:
            return claims.statement or claims.pairs
    return self_contained([*step.before, step.sentence])[-1].text
