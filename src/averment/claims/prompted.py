"""Entities and triplets by the language model, under a grammar.

The model sees a few worked examples and the text, and writes one line of JSON. A model that takes
a grammar cannot write anything else; from others the line is parsed all the same, and a reply that
is no such line is an error with the raw text, not an empty extraction: "found nothing" and "could
not be read" are different things.

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
from averment.claims.mentions import distinct, mentions
from averment.claims.reading import read
from averment.claims.spans import keep_spans
from averment.errors import ExtractionError
from averment.ports import LanguageModel
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

    Raises:
        ValueError: A name is that of no rule.
    """

    name = "model"

    def __init__(self, model: LanguageModel, *, silent_rules: Iterable[str] = BY_WORDING) -> None:
        self._model = model
        self._silent_rules = checked_rules(silent_rules)

    def entities(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The named things of each text, in order of appearance, each once up to case.

        Returns:
            Entities of kind ``name``, or the kind that their look shows (`RulesExtractor`). Names
            that do not stand in the text are left out, as they have no place in it.

        Raises:
            ExtractionError: A reply is cut, or is not a list of strings.
        """
        replies = self._ask("entities", [{"text": text} for text in texts])
        return [_located(text, _names(reply)) for text, reply in zip(texts, replies, strict=True)]

    def triplets(self, sentences: Sequence[str]) -> list[Extraction]:
        """The relations that each sentence claims.

        Raises:
            ExtractionError: A reply is cut, or is not a list of lists of three strings.
        """
        silent = [silent_rule(read(sentence), self._silent_rules) for sentence in sentences]
        asked = [at for at, rule in enumerate(silent) if rule is None]
        replies = self._ask("triplets", [{"sentence": sentences[at]} for at in asked])
        extractions = [Extraction((), silent=rule) for rule in silent]
        for at, reply in zip(asked, replies, strict=True):
            extractions[at] = keep_spans(sentences[at], _triplets(reply))
        return extractions

    def _ask(self, template_id: str, values: Sequence[dict[str, str]]) -> list[Generation]:
        if not values:
            return []
        template = prompts.load(template_id)
        has_grammar = Capability.GRAMMAR in self._model.info.capabilities
        options = GenerationOptions(
            max_tokens=_MAX_TOKENS,
            stop=("\n",),
            grammar=_grammar(template_id) if has_grammar else None,
        )
        lines = [{name: _one_line(text) for name, text in each.items()} for each in values]
        filled = [Prompt(template.fill(**each).rstrip("\n")) for each in lines]
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


def _located(text: str, names: Sequence[str]) -> tuple[Entity, ...]:
    kinds = {(each.start, each.end): each.kind for each in mentions(text)}
    entities = []
    for name in names:
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
        if found and any(character.isalnum() for character in name):
            kind = kinds.get(found.span(), "name")
            entities.append(Entity(found.group(), found.start(), found.end(), kind))
    return distinct(sorted(entities, key=lambda entity: entity.start))
