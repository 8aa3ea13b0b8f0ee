"""Atomic claims: an answer as facts that can each be read, and judged, alone.

    parts of the answer → subjects named → triplets → one claim a triplet, with its place

A part from which no triplet can be had is one claim by itself, and so is one that a silent rule
holds of, with the rule's name; nothing of an answer is dropped. The place of a claim is the
stretch of the answer from its head, or the pronoun that stands for it, to its tail, so that
`averment.claims.alignment` finds its tokens.

What this module does not do: judge, or write good English. A claim reads well enough for a model
that compares it with a passage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from averment.claims.pronouns import SelfContained, self_contained
from averment.claims.split import Part, PartKind, split_text
from averment.claims.vocabulary import is_verb
from averment.ports import ClaimExtractor
from averment.text import Span
from averment.types import Extraction, Triplet

_ELIDED = re.compile(r"(?:\b\w+ )?… ")  # "was directed by … in": what was said of something else


@dataclass(frozen=True, slots=True)
class AtomicClaim:
    """One fact of an answer, at `answer[start:end]`.

    ``triplet`` is None where the part could not be taken apart; ``silent`` then names the rule by
    which it claims nothing, if there is one. ``sentence`` is the part that it comes from, with its
    subject named.
    """

    text: str
    start: int
    end: int
    sentence: str
    triplet: Triplet | None = None
    silent: str | None = None


def atomic_claims(answer: str, extractor: ClaimExtractor) -> list[AtomicClaim]:
    """The facts of an answer, in order.

    Args:
        answer: Any text; greetings, questions, refusals and code claim nothing and are left out
            (`averment.claims.split`).
        extractor: Who finds the triplets; it is asked once.

    Raises:
        ExtractionError: The extractor could not read a sentence.

    Example:
        >>> from averment.claims.rules import RulesExtractor
        >>> answer = "Kumbasaram was directed by Haneef. He was born in Zurich."
        >>> [claim.text for claim in atomic_claims(answer, RulesExtractor())]
        ['Kumbasaram was directed by Haneef', 'Haneef was born in Zurich']
    """
    parts = [part for part in split_text(answer) if part.kind is PartKind.CLAIM]
    told = self_contained([part.text for part in parts])
    extractions = extractor.triplets([each.text for each in told])
    return [
        claim
        for part, sentence, extraction in zip(parts, told, extractions, strict=True)
        for claim in facts(part, sentence, extraction)
    ]


def facts(part: Part, told: SelfContained, extraction: Extraction) -> Iterator[AtomicClaim]:
    """The facts of one part of an answer, whose subject has been named and its triplets found."""
    if not extraction.triplets:
        yield AtomicClaim(told.text, part.start, part.end, told.text, None, extraction.silent)
    for triplet in extraction.triplets:
        place = _place(part.text, told, triplet)
        start, end = part.start + place.start, part.start + place.end
        yield AtomicClaim(stated(triplet), start, end, told.text, triplet)


def stated(triplet: Triplet) -> str:
    """A triplet as a sentence without its full stop."""
    relation = _ELIDED.sub("", f"{triplet.relation} ").strip()
    if not any(is_verb(word) for word in relation.split()):
        if relation.endswith(" of"):
            return f"The {relation} {triplet.head} is {triplet.tail}"
        relation = f"{relation}:" if relation == "dated" else relation
    return f"{triplet.head} {relation} {triplet.tail}"


def _place(sentence: str, told: SelfContained, triplet: Triplet) -> Span:
    """From the first to the last of what stands for head and tail in the sentence as it was."""
    heads = _occurrences(sentence, triplet.head)
    if told.pronoun is not None and told.name == triplet.head:
        heads = [told.pronoun]
    tails = _occurrences(sentence, triplet.tail)
    if not heads or not tails:
        return Span(0, len(sentence))
    head, tail = min(
        ((head, tail) for head in heads for tail in tails),
        key=lambda pair: abs(pair[0].start - pair[1].start),
    )
    return Span(min(head.start, tail.start), max(head.end, tail.end))


def _occurrences(sentence: str, name: str) -> Sequence[Span]:
    pattern = r"\W+".join(map(re.escape, re.findall(r"\w+", name)))
    found = re.finditer(rf"(?<!\w){pattern}(?!\w)", sentence, re.IGNORECASE) if pattern else ()
    return [Span(*each.span()) for each in found]
