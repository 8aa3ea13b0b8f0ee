"""Entities and triplets by a small encoder that was taught by a language model (distilled).

The encoder gives numbers for every token (`Layout`), and everything is read off them by dot
products: which words are a name, a date or a number; which of two is said of the other; and which
words between or beside them say how. Head, relation and tail are therefore words of the sentence
by construction; a relation that no words say ("(1815 - 1852)") is one of the few fixed ones of the
layout. Names that are seen by their look (`averment.claims.mentions`) come first, since titles and
dates are read better that way than by a small model; the encoder adds those without capitals.

Sentences that claim nothing (`averment.claims.declarative`) are not read, and what is found passes
the span rule (`averment.claims.spans`), as with every extractor.

What this module does not do: open files (`averment.models.token_numbers`), know which model it
is, resolve pronouns, read what the encoder's window cuts off.

How it was trained: ``research/extractor/``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from averment.claims.declarative import BY_WORDING, checked_rules, silent_rule
from averment.claims.mentions import distinct, mentions
from averment.claims.reading import read
from averment.claims.spans import keep_spans
from averment.claims.vocabulary import says_nothing
from averment.errors import ModelFileError
from averment.text import TextForm
from averment.types import Entity, Extraction, Triplet

_MOST_RELATION_WORDS = 8
_FORM = TextForm()
Numbers = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Layout:
    """What the numbers of a token are, in their order.

    Logits of its tag (outside, then beginning and inside of each kind); six vectors: as head and
    as tail of a link, as head and as tail of the question by which words they are linked, as first
    and as last word of a relation; logits of the fixed relations, as head and as tail.

    Args:
        kinds: Of entities: ``name``, ``date``, ``number``.
        relations: The fixed ones; the first is empty and stands for "in words of the sentence".
        n_dims: Numbers of a vector.
        threshold: Logit from which two entities are linked.
    """

    kinds: tuple[str, ...]
    relations: tuple[str, ...]
    n_dims: int
    threshold: float = 0.0

    @classmethod
    def of_card(cls, card: Mapping[str, Any]) -> Layout:
        """The layout on a model's card.

        Raises:
            ModelFileError: The card does not say it.
        """
        try:
            layout = cls(
                tuple(map(str, card["kinds"])),
                tuple(map(str, card["relations"])),
                int(card["n_dims"]),
                float(card["threshold"]),
            )
            if not layout.kinds or layout.relations[:1] != ("",) or len(layout.relations) < 2:
                raise ValueError("no kinds, or no fixed relations behind an empty one")
        except (KeyError, TypeError, ValueError) as error:
            raise ModelFileError(
                f"The layout on the card of the extraction model is {dict(card)} ({error!r}); "
                "expected kinds, relations, n_dims and threshold.",
                hint="Install averment anew.",
            ) from error
        return layout

    def tag(self, kind: str, *, begins: bool) -> int:
        """The tag of a word of an entity; 0 is outside of all."""
        return 2 * self.kinds.index(kind) + (1 if begins else 2)

    @property
    def scale(self) -> float:
        """By which dot products are divided."""
        return math.sqrt(self.n_dims)

    @property
    def tags(self) -> slice:
        """Logits of the tags."""
        return slice(0, 2 * len(self.kinds) + 1)

    def _vector(self, nth: int) -> slice:
        start = self.tags.stop + nth * self.n_dims
        return slice(start, start + self.n_dims)

    @cached_property
    def head(self) -> slice:
        """As head of a link."""
        return self._vector(0)

    @cached_property
    def tail(self) -> slice:
        """As tail of a link."""
        return self._vector(1)

    @cached_property
    def asks_head(self) -> slice:
        """As head of the question for the words of a relation."""
        return self._vector(2)

    @cached_property
    def asks_tail(self) -> slice:
        """As tail of that question."""
        return self._vector(3)

    @cached_property
    def first(self) -> slice:
        """As first word of a relation."""
        return self._vector(4)

    @cached_property
    def last(self) -> slice:
        """As last word of a relation."""
        return self._vector(5)

    @cached_property
    def head_classes(self) -> slice:
        """Logits of the fixed relations, as head."""
        start = self.last.stop
        return slice(start, start + len(self.relations))

    @cached_property
    def tail_classes(self) -> slice:
        """Logits of the fixed relations, as tail."""
        start = self.head_classes.stop
        return slice(start, start + len(self.relations))

    @property
    def width(self) -> int:
        """Numbers of a token."""
        return int(self.tail_classes.stop)


class ReadWord(Protocol):
    """A word of a text: where it stands in code points, and its first and last token."""

    @property
    def start(self) -> int:
        """Its first code point."""
        ...

    @property
    def end(self) -> int:
        """The code point behind its last."""
        ...

    @property
    def first(self) -> int:
        """Its first token."""
        ...

    @property
    def last(self) -> int:
        """Its last token."""
        ...


class TokenReader(Protocol):
    """What is asked of an encoder; `averment.models.token_numbers.TokenNumbers` is one."""

    @property
    def layout(self) -> Mapping[str, Any]:
        """What the numbers mean: the fields of `Layout`."""
        ...

    def read(self, text: str) -> tuple[Sequence[ReadWord], Numbers]:
        """The words of a text and the numbers of its tokens, shape (n_tokens, width)."""
        ...


class DistilledExtractor:
    """A `ClaimExtractor` over an encoder.

    Args:
        reader: The encoder.
        silent_rules: The rules by which a sentence is not read, since it claims nothing.

    Raises:
        ModelFileError: The encoder's card does not say what its numbers are.
        ValueError: A name is that of no rule.
    """

    name = "distilled"

    def __init__(self, reader: TokenReader, *, silent_rules: Iterable[str] = BY_WORDING) -> None:
        self._reader = reader
        self._layout = Layout.of_card(reader.layout)
        self._silent_rules = checked_rules(silent_rules)

    def entities(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The named things of each text, in order of appearance, each once up to case.

        Returns:
            Entities with the kinds of `averment.claims.rules.RulesExtractor`.
        """
        return [distinct(self._read(text).entities) for text in texts]

    def triplets(self, sentences: Sequence[str]) -> list[Extraction]:
        """The relations that each sentence claims.

        Returns:
            Nothing where a silent rule holds, which is then named in `Extraction.silent`.
        """
        return [self._extract(sentence) for sentence in sentences]

    def _extract(self, sentence: str) -> Extraction:
        silent = silent_rule(read(sentence), self._silent_rules)
        if silent is not None:
            return Extraction((), silent=silent)
        return keep_spans(sentence, self._read(sentence).triplets())

    def _read(self, text: str) -> _Sentence:
        words, numbers = self._reader.read(text)
        if numbers.shape[-1] != self._layout.width:
            raise ModelFileError(
                f"The extraction model gives {numbers.shape[-1]} numbers a token; the layout on its"
                f" card has {self._layout.width}.",
                hint="Install averment anew.",
            )
        return _Sentence(text, words, numbers, self._layout)


@dataclass
class _Sentence:
    """A text that was read."""

    text: str
    words: Sequence[ReadWord]
    numbers: Numbers
    layout: Layout

    @cached_property
    def entities(self) -> list[Entity]:
        """What the look of the text shows, and what only the encoder marks; none overlap."""
        found = mentions(self.text)
        for each in self._marked():
            if not any(e.start < each.end and each.start < e.end for e in found):
                found.append(each)
        found = [
            replace(each, kind="generic")
            if each.kind == "name" and says_nothing(_FORM.words(each.text))
            else each
            for each in found
        ]
        return sorted(found, key=lambda each: each.start)

    def _marked(self) -> Iterator[Entity]:
        firsts = [word.first for word in self.words]
        tags = self.numbers[firsts][:, self.layout.tags].argmax(axis=1).tolist() if firsts else []
        at = 0
        while at < len(tags):
            start, at = at, at + 1
            if tags[start] == 0:
                continue
            inside = tags[start] + tags[start] % 2  # a name may begin without its beginning
            while at < len(tags) and tags[at] == inside:
                at += 1
            kind = self.layout.kinds[inside // 2 - 1]
            words = [w for w in self.words[start:at] if self._is_word(w)]
            if words:
                a, b = words[0].start, words[-1].end
                yield Entity(self.text[a:b], a, b, kind)

    def _is_word(self, word: ReadWord) -> bool:
        return self.text[word.start : word.end].isalnum()

    def triplets(self) -> Iterator[Triplet]:
        """Every two entities of which one is said of the other, in the order of the sentence."""
        tokens = {each: self._tokens(each) for each in self.entities}
        read = [each for each, (first, last) in tokens.items() if first <= last]
        if len(read) < 2:
            return
        mean = np.stack(
            [self.numbers[a : b + 1].mean(axis=0) for a, b in map(tokens.__getitem__, read)]
        )
        logits = mean[:, self.layout.head] @ mean[:, self.layout.tail].T / self.layout.scale
        for h, head in enumerate(read):
            for t, tail in enumerate(read):
                # Of two directions the better one: the claim is the same.
                is_best = h != t and (logits[h, t], t) > (logits[t, h], h)
                if is_best and logits[h, t] >= self.layout.threshold and _can_be_head(head):
                    relation = self._relation(mean[h], mean[t])
                    yield Triplet(head.text, relation, tail.text)

    def _tokens(self, entity: Entity) -> tuple[int, int]:
        """First and last token; the last before the first if none was read."""
        inside = [w for w in self.words if w.start < entity.end and entity.start < w.end]
        return (inside[0].first, inside[-1].last) if inside else (0, -1)

    def _relation(self, head: Numbers, tail: Numbers) -> str:
        classes = head[self.layout.head_classes] + tail[self.layout.tail_classes]
        said = int(classes.argmax())
        if said != 0 or not self._runs:
            return self.layout.relations[said or 1 + int(classes[1:].argmax())]
        asked = head[self.layout.asks_head] + tail[self.layout.asks_tail]
        firsts = self.numbers[[a.first for a, _ in self._runs]][:, self.layout.first] @ asked
        lasts = self.numbers[[b.first for _, b in self._runs]][:, self.layout.last] @ asked
        first, last = self._runs[int((firsts + lasts).argmax())]
        return self.text[first.start : last.end]

    @cached_property
    def _runs(self) -> list[tuple[ReadWord, ReadWord]]:
        """First and last word of all that could say a relation: a few words without an entity."""
        free: list[tuple[ReadWord, int]] = []  # with how many entities stand before
        for word in filter(self._is_word, self.words):
            before = [each for each in self.entities if each.start < word.end]
            if not before or before[-1].end <= word.start:
                free.append((word, len(before)))
        return [
            (first, last)
            for at, (first, gap) in enumerate(free)
            for last, its_gap in free[at : at + _MOST_RELATION_WORDS]
            if gap == its_gap
        ]


def _can_be_head(entity: Entity) -> bool:
    return entity.kind in ("name", "title")
