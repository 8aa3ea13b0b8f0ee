"""Entities and triplets by rules: no model, the same result every time, well under a millisecond.

Made for short declarative English sentences such as a language model writes when it is told to
put one fact into a sentence and to use names instead of pronouns. Precision comes first: a
triplet that is not claimed makes a right answer look unsupported.

What this module does not do: other languages than English, pronouns, claims whose subject has no
capital. It says nothing about what it cannot read, and a sentence without triplets is unchecked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from averment.claims.clauses import clause_triplets
from averment.claims.declarative import SILENT_RULES, checked_rules, silent_rule
from averment.claims.mentions import distinct, mentions
from averment.claims.reading import read
from averment.claims.spans import keep_spans
from averment.claims.vocabulary import says_nothing
from averment.text import TextForm
from averment.types import Entity, Extraction


class RulesExtractor:
    """A `ClaimExtractor` without a model.

    Args:
        silent_rules: The rules by which a sentence claims nothing, by name; leave one out to have
            triplets of such sentences too.

    Raises:
        ValueError: A name is that of no rule.

    Example:
        >>> RulesExtractor().triplets(["Kumbasaram was directed by Haneef."])[0].triplets
        (Triplet(head='Kumbasaram', relation='was directed by', tail='Haneef'),)
    """

    name = "rules"

    def __init__(self, *, silent_rules: Iterable[str] = SILENT_RULES) -> None:
        self._silent_rules = checked_rules(silent_rules)

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
            Nothing where a silent rule holds, which is then named in `Extraction.silent`.
        """
        return [self._extract(sentence) for sentence in sentences]

    def _extract(self, sentence: str) -> Extraction:
        pieces = read(sentence)
        silent = silent_rule(pieces, self._silent_rules)
        if silent:
            return Extraction((), silent=silent)
        return stated(sentence)


@lru_cache(maxsize=2**11)  # whom a pronoun means is read off the same sentences
def stated(sentence: str) -> Extraction:
    """The triplets of a sentence by its clauses, whether or not a silent rule holds."""
    return keep_spans(sentence, clause_triplets(read(sentence)))


def _with_generic(entity: Entity) -> Entity:
    is_generic = entity.kind == "name" and says_nothing(TextForm().words(entity.text))
    return replace(entity, kind="generic") if is_generic else entity
