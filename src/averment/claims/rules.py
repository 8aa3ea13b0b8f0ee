"""Entities and triplets by rules: no model, the same result every time, well under a millisecond.

Made for short declarative sentences such as a language model writes when it is told to put one
fact into a sentence and to use names instead of pronouns. Precision comes first: a triplet that is
not claimed makes a right answer look unsupported.

The rules here are those of English; German, Spanish and Chinese have their own
(`averment.claims.languages`). Each text is read in the language that it shows, and one that is too
short to show any as English. A text in any other language is not read, and that is said.

What this module does not do: pronouns, claims whose subject has no capital. It says nothing about
what it cannot read, and a sentence without triplets is unchecked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from averment.claims.clauses import clause_triplets
from averment.claims.declarative import SILENT_RULES, checked_rules, silent_rule
from averment.claims.languages.readers import READ, not_read, reader
from averment.claims.mentions import distinct, mentions
from averment.claims.reading import read
from averment.claims.spans import keep_spans
from averment.claims.vocabulary import says_nothing
from averment.errors import ExtractionError
from averment.languages import AUTO, ENGLISH, checked_language, spoken_language
from averment.text import TextForm
from averment.types import Entity, Extraction


class RulesExtractor:
    """A `ClaimExtractor` without a model.

    Args:
        silent_rules: The rules by which a sentence claims nothing, by name; leave one out to have
            triplets of such sentences too.
        language: That of all texts (ISO 639-1); "auto": each as it looks.
        otherwise: With "auto": that of texts in Latin letters which are too short to tell.

    Raises:
        ValueError: A name is that of no rule.
        UnknownNameError: There is no such language.

    Example:
        >>> RulesExtractor().triplets(["Kumbasaram was directed by Haneef."])[0].triplets
        (Triplet(head='Kumbasaram', relation='was directed by', tail='Haneef'),)
    """

    name = "rules"

    def __init__(
        self,
        *,
        silent_rules: Iterable[str] = SILENT_RULES,
        language: str = AUTO,
        otherwise: str = ENGLISH,
    ) -> None:
        self._silent_rules = checked_rules(silent_rules)
        self._otherwise = otherwise
        self._language = checked_language(language)

    def entities(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The named things of each text, in order of appearance, each once up to case.

        Returns:
            Entities of kind ``name``, ``title`` (in quotation marks), ``generic`` (a nationality,
            profession or month and nothing more), ``date`` or ``number``; the last three are no
            measure of how well known a subject is, so tell them apart by kind.

        Raises:
            ExtractionError: A text is in a language that has no rules.
        """
        return [self._entities(text) for text in texts]

    def _entities(self, text: str) -> tuple[Entity, ...]:
        code = self._spoken(text)
        if code not in READ:
            raise ExtractionError(not_read(code), raw=text, hint=_READ_ANYWAY)
        other = reader(code)
        if other is not None:
            return other.entities(text)
        return tuple(map(_with_generic, distinct(mentions(text))))

    def _spoken(self, text: str) -> str:
        fixed = self._language != AUTO
        return self._language if fixed else spoken_language(text, self._otherwise)

    def triplets(self, sentences: Sequence[str]) -> list[Extraction]:
        """The relations that each sentence claims.

        Returns:
            Nothing where a silent rule holds, which is then named in `Extraction.silent`; of a
            language that has no rules `Extraction.failed` says so.
        """
        return [self._extract(sentence) for sentence in sentences]

    def _extract(self, sentence: str) -> Extraction:
        code = self._spoken(sentence)
        if code not in READ:
            return Extraction((), failed=not_read(code))
        other = reader(code)
        if other is not None:
            rule = other.silent_rule(sentence, self._silent_rules)
            found = other.stated(sentence) if rule is None else ()
            return Extraction((), silent=rule) if rule else other.kept(sentence, found)
        pieces = read(sentence)
        silent = silent_rule(pieces, self._silent_rules)
        if silent:
            return Extraction((), silent=silent)
        return stated(sentence)


_READ_ANYWAY = "Ask a language model: --extractor model, or name the language: --language CODE"


@lru_cache(maxsize=2**11)  # whom a pronoun means is read off the same sentences
def stated(sentence: str) -> Extraction:
    """The triplets of a sentence by its clauses, whether or not a silent rule holds."""
    return keep_spans(sentence, clause_triplets(read(sentence)))


def _with_generic(entity: Entity) -> Entity:
    is_generic = entity.kind == "name" and says_nothing(TextForm().words(entity.text))
    return replace(entity, kind="generic") if is_generic else entity
