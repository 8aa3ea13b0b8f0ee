"""Who reads which language: entities and triplets by the rules of that language, or a reason.

English is read by the modules of the room above this one. German, Spanish and Chinese are read
here. Any other language is not read at all, and that is said (`NOT_READ`); it is never read as if
it were English.

What this module does not do: guess the language (`averment.languages`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cache

from averment.claims.languages import cased, cased_triplets, han
from averment.claims.languages.vocabulary import vocabulary
from averment.claims.mentions import distinct
from averment.claims.spans import keep_spans
from averment.languages import UNDETERMINED
from averment.text import TextForm
from averment.types import Entity, Extraction, Triplet

CASED = ("de", "es")
READ = frozenset({"en", *CASED, "zh"})
"""The languages that have rules."""
NOT_READ = "language_not_read"
"""How the reason begins where a text is in another one."""


def not_read(code: str) -> str:
    """Why nothing was extracted of a text."""
    if code == UNDETERMINED:
        return f"{NOT_READ}: it is too short to tell its language, and not in Latin letters"
    return f"{NOT_READ}: there are no rules for {code!r}, but for {', '.join(sorted(READ))}"


class CasedReader:
    """Reads a language whose names have capitals.

    Args:
        code: One of `CASED`.
    """

    def __init__(self, code: str) -> None:
        self.code = code
        self._words = vocabulary(code)

    def mentions(self, text: str) -> list[Entity]:
        """Every mention in order of appearance."""
        return cased.mentions(text, self._words.code)

    def entities(self, text: str) -> tuple[Entity, ...]:
        """The named things of a text, in order, each once up to case."""
        return tuple(map(self._with_generic, distinct(self.mentions(text))))

    def _with_generic(self, entity: Entity) -> Entity:
        forms = TextForm().words(entity.text)
        is_generic = entity.kind == "name" and cased.says_nothing(forms, self._words.code)
        return replace(entity, kind="generic") if is_generic else entity

    def silent_rule(self, sentence: str, rules: Collection[str]) -> str | None:
        """The first of some rules by which a sentence claims nothing."""
        rule = self._words.silent_rule(sentence, rules)
        if rule is None and "fragment" in rules:
            return None if self.has_verb(sentence) else "fragment"
        return rule

    def has_verb(self, sentence: str) -> bool:
        """Whether a word outside of all mentions is a verb form."""
        return cased_triplets.has_verb(sentence, self._words)

    def stated(self, sentence: str) -> list[Triplet]:
        """The triplets of a sentence, whether or not a silent rule holds."""
        return list(cased_triplets.triplets(sentence, self._words))

    def kept(self, sentence: str, found: Iterable[Triplet]) -> Extraction:
        """Those triplets that a corpus can be asked about."""
        code = self._words.code
        mentions = self.mentions(sentence)
        return keep_spans(
            sentence, found, mentions, says_nothing=lambda forms: cased.says_nothing(forms, code)
        )


class HanReader:
    """Reads Chinese."""

    code = "zh"

    def mentions(self, text: str) -> list[Entity]:
        """Every mention in order of appearance."""
        return han.mentions(text)

    def entities(self, text: str) -> tuple[Entity, ...]:
        """The named things of a text, in order, each once."""
        return distinct(self.mentions(text))

    def silent_rule(self, sentence: str, rules: Collection[str]) -> str | None:
        """The first of some rules by which a sentence claims nothing."""
        return vocabulary("zh").silent_rule(sentence, rules)

    def has_verb(self, sentence: str) -> bool:
        """Whether it ends as a sentence does: no list of verbs would tell."""
        return sentence.rstrip().endswith(("。", "！"))

    def stated(self, sentence: str) -> list[Triplet]:
        """The triplets of a sentence, whether or not a silent rule holds."""
        return list(han.triplets(sentence, vocabulary("zh")))

    def kept(self, sentence: str, found: Iterable[Triplet]) -> Extraction:
        """Those triplets that a corpus can be asked about."""
        mentions = self.mentions(sentence)
        return keep_spans(
            sentence, found, mentions, says_nothing=lambda forms: han.says_nothing("".join(forms))
        )


@cache
def reader(code: str) -> CasedReader | HanReader | None:
    """Who reads a language; None for English and for what is not read."""
    if code in CASED:
        return CasedReader(code)
    return HanReader() if code == "zh" else None
