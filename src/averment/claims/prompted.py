"""Entities and triplets by the language model, under a grammar.

The model sees a few worked examples and the text, and writes one line of JSON. A model that takes
a grammar cannot write anything else; from others the line is parsed all the same, and a reply that
is no such line is an error with the raw text, not an empty extraction: "found nothing" and "could
not be read" are different things.

German, Spanish and Chinese texts have prompts and examples of their own; of a text in any other
language a model is asked with the English ones.

Sentences that claim nothing (`averment.claims.declarative`) are not sent, and what comes back
passes the span rule (`averment.claims.spans`), as with every extractor.

What this module does not do: repair replies, or ask again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources

from averment import prompts
from averment.claims.declarative import BY_WORDING, checked_rules, silent_rule
from averment.claims.languages.readers import READ, CasedReader, HanReader, reader
from averment.claims.mentions import distinct, mentions
from averment.claims.reading import read
from averment.claims.spans import keep_spans
from averment.errors import ExtractionError
from averment.languages import AUTO, ENGLISH, checked_language, spoken_language
from averment.ports import LanguageModel
from averment.text import is_by_character
from averment.types import (
    Capability,
    Entity,
    Extraction,
    FinishReason,
    Generation,
    GenerationOptions,
    Prompt,
    Triplet,
)

_MAX_TOKENS = 256


class PromptedExtractor:
    """A `ClaimExtractor` that asks a language model, all texts in one call.

    Args:
        model: Who is asked. Without `Capability.GRAMMAR` it must keep to JSON by itself.
        silent_rules: The rules by which a sentence is not sent, since it claims nothing.
        language: That of all texts (ISO 639-1); "auto": each as it looks.
        otherwise: With "auto": that of texts in Latin letters which are too short to tell.

    Raises:
        ValueError: A name is that of no rule.
        UnknownNameError: There is no such language.
    """

    name = "model"

    def __init__(
        self,
        model: LanguageModel,
        *,
        silent_rules: Iterable[str] = BY_WORDING,
        language: str = AUTO,
        otherwise: str = ENGLISH,
    ) -> None:
        self._model = model
        self._silent_rules = checked_rules(silent_rules)
        self._language = checked_language(language)
        self._otherwise = otherwise

    def entities(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The named things of each text, in order of appearance, each once up to case.

        Returns:
            Entities of kind ``name``, or the kind that their look shows (`RulesExtractor`). Names
            that do not stand in the text are left out, as they have no place in it.

        Raises:
            ExtractionError: A reply is cut, or is not a list of strings.
        """
        replies = self._ask("entities", "text", texts)
        return [
            _located(text, _names(reply), self._reader(text))
            for text, reply in zip(texts, replies, strict=True)
        ]

    def triplets(self, sentences: Sequence[str]) -> list[Extraction]:
        """The relations that each sentence claims.

        Raises:
            ExtractionError: A reply is cut, or is not a list of lists of three strings.
        """
        silent = [self._silent_rule(sentence) for sentence in sentences]
        asked = [at for at, rule in enumerate(silent) if rule is None]
        replies = self._ask("triplets", "sentence", [sentences[at] for at in asked])
        extractions = [Extraction((), silent=rule) for rule in silent]
        for at, reply in zip(asked, replies, strict=True):
            other, found = self._reader(sentences[at]), _triplets(reply)
            kept = other.kept(sentences[at], found) if other else keep_spans(sentences[at], found)
            extractions[at] = kept
        return extractions

    def _spoken(self, text: str) -> str:
        fixed = self._language != AUTO
        return self._language if fixed else spoken_language(text, self._otherwise)

    def _reader(self, text: str) -> CasedReader | HanReader | None:
        return reader(self._spoken(text))

    def _silent_rule(self, sentence: str) -> str | None:
        other = self._reader(sentence)
        if other is not None:
            return other.silent_rule(sentence, self._silent_rules)
        return silent_rule(read(sentence), self._silent_rules)

    def _ask(self, template_id: str, placeholder: str, texts: Sequence[str]) -> list[Generation]:
        if not texts:
            return []
        has_grammar = Capability.GRAMMAR in self._model.info.capabilities
        options = GenerationOptions(
            max_tokens=_MAX_TOKENS,
            stop=("\n",),
            grammar=_grammar(template_id) if has_grammar else None,
        )
        filled = []
        for text in texts:
            code = self._spoken(text)
            has_own = code in READ and code != ENGLISH
            template = prompts.load(f"{template_id}_{code}" if has_own else template_id)
            filled.append(Prompt(template.fill(**{placeholder: _one_line(text)}).rstrip("\n")))
        return self._model.generate(filled, options)


@cache
def _grammar(template_id: str) -> str:
    path = resources.files("averment") / "prompt_texts" / f"{template_id}.gbnf"
    return path.read_text(encoding="utf-8")


def _one_line(text: str) -> str:
    """Examples are lines; a text with line breaks could pass for one of them."""
    return " ".join(text.split())


# --- replies ------------------------------------------------------------------------------------


def _triplets(reply: Generation) -> list[Triplet]:
    triplets = []
    for item in _json_list(reply):
        if not (isinstance(item, list) and len(item) == 3):
            raise _unreadable(reply, "a list of [head, relation, tail]")
        head, relation, tail = item
        if not (isinstance(head, str) and isinstance(relation, str) and isinstance(tail, str)):
            raise _unreadable(reply, "a list of [head, relation, tail]")
        triplets.append(Triplet(head, relation, tail))
    return triplets


def _names(reply: Generation) -> list[str]:
    names = []
    for item in _json_list(reply):
        if not isinstance(item, str):
            raise _unreadable(reply, "a list of strings")
        names.append(item)
    return names


def _json_list(reply: Generation) -> list[object]:
    if reply.finish is FinishReason.LENGTH:
        raise _unreadable(reply, f"a line of JSON within {_MAX_TOKENS} tokens")
    try:
        value = json.loads(reply.text)
    except (ValueError, RecursionError) as error:
        raise _unreadable(reply, "a line of JSON") from error
    if not isinstance(value, list):
        raise _unreadable(reply, "a list")
    return value


def _unreadable(reply: Generation, expected: str) -> ExtractionError:
    return ExtractionError(
        f"The model wrote {reply.text!r} where {expected} was expected.",
        raw=reply.text,
        hint="Use the rules: --extractor rules",
    )


def _located(
    text: str, names: Sequence[str], other: CasedReader | HanReader | None
) -> tuple[Entity, ...]:
    known = other.mentions(text) if other else mentions(text)
    kinds = {(each.start, each.end): each.kind for each in known}
    entities = []
    for name in names:
        # Between Han there are no blanks that a name could be told by.
        before, after = ("" if is_by_character(c) else r"\w" for c in (name[:1], name[-1:]))
        pattern = f"{before and f'(?<!{before})'}{re.escape(name)}{after and f'(?!{after})'}"
        found = re.search(pattern, text, re.IGNORECASE)
        if found and any(character.isalnum() for character in name):
            kind = kinds.get(found.span(), "name")
            entities.append(Entity(found.group(), found.start(), found.end(), kind))
    return distinct(sorted(entities, key=lambda entity: entity.start))
