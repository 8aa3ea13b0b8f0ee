"""Entities and triplets by rules: no model, the same result every time, well under a millisecond.

Made for short declarative English sentences such as a language model writes when it is told to
put one fact into a sentence and to use names instead of pronouns. Precision comes first: a
triplet that is not claimed makes a right answer look unsupported.

What this module does not do: other languages than English, pronouns, claims whose subject has no
capital. It says nothing about what it cannot read, and a sentence without triplets is unchecked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from averment.claims.clauses import clause_triplets
from averment.claims.declarative import claims_nothing, is_fragment
from averment.claims.mentions import distinct, mentions
from averment.claims.reading import read
from averment.claims.spans import keep_spans
from averment.claims.vocabulary import says_nothing
from averment.text import TextForm
from averment.types import Entity, Extraction


class RulesExtractor:
    """A `ClaimExtractor` without a model.

    Example:
        >>> RulesExtractor().triplets(["Kumbasaram was directed by Haneef."])[0].triplets
        (Triplet(head='Kumbasaram', relation='was directed by', tail='Haneef'),)
    """

    name = "rules"

    def entities(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The named things of each text, in order of appearance, each once up to case.

        Returns:
            Entities of kind ``name``, ``title`` (in quotation marks), ``generic`` (a nationality,
            profession or month and nothing more), ``date`` or ``number``; the last three are no
            measure of how well known a subject is, so tell them apart by kind.
        """
        return [tuple(map(_with_generic, distinct(mentions(text)))) for text in texts]

    def triplets(self, sentences: Sequence[str]) -> list[Extraction]:
        """The relations that each sentence claims.

        Returns:
            Nothing for questions, conclusions, comparisons, negations, refusals and fragments.
        """
        return [_extract(sentence) for sentence in sentences]


def _with_generic(entity: Entity) -> Entity:
    is_generic = entity.kind == "name" and says_nothing(TextForm().words(entity.text))
    return replace(entity, kind="generic") if is_generic else entity


def _extract(sentence: str) -> Extraction:
    pieces = read(sentence)
    if claims_nothing(pieces) or is_fragment(pieces):
        return Extraction(())
    return keep_spans(sentence, clause_triplets(pieces))
