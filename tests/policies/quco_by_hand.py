"""QuCo-RAG by hand: one question, its claims, and the exchanges that hold them against a corpus."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from averment.errors import ExtractionError, IndexUnavailable
from averment.policies.ledger import Ledger
from averment.policies.loop import Inspection, Progress, Query
from averment.policies.quco import QuCo
from averment.steps import (
    Cooccur,
    CountPhrases,
    ExtractEntities,
    ExtractTriplets,
)
from averment.types import (
    Check,
    Count,
    Entity,
    Extraction,
    Passage,
    Question,
    Sentence,
    Support,
    Triplet,
)
from doubles import Exchange, exact, follow, hits, text_of, together

TEXT = "Of which country is Oslo the capital?"
QUESTION = Question("q", TEXT)
RIGHT = "Oslo is the capital of Norway."
WRONG = "Oslo is the capital of Sweden."
OSLO_NORWAY = Triplet("Oslo", "is the capital of", "Norway")
OSLO_SWEDEN = Triplet("Oslo", "is the capital of", "Sweden")
TRIGGER = QuCo(entity_threshold=3)
DOWN = IndexUnavailable("The index cannot be reached.")
UNPARSED = ExtractionError("Expected a list.", raw="?")
# Raised as the engine does it, and sent as the helper of `averment.steps` passes it on: CPython
# 3.11 does not tell a tracer of frames that go on after `throw`, so coverage sees only the second.
ENTITIES_FAILED = [pytest.param(UNPARSED, id="raised"), pytest.param(None, id="passed on")]
TRIPLETS_FAILED = [
    pytest.param(UNPARSED, id="raised"),
    pytest.param(Extraction((), failed="Expected a list."), id="told by the extractor"),
]


def names(*found: str, text: str = TEXT, kind: str = "other") -> Exchange:
    """The entities of a question."""
    return ExtractEntities(text), tuple(Entity(name, 0, len(name), kind) for name in found)


def counted(**counts: Count) -> Exchange:
    """The counts of phrases, in order."""
    return CountPhrases(tuple(counts)), list(counts.values())


def claims(sentence: str, *triplets: Triplet) -> Exchange:
    """The relations of a sentence."""
    return ExtractTriplets(sentence), Extraction(triplets)


def short_answer(said: str, *triplets: Triplet) -> Exchange:
    """The relations of an answer in a word, together with its question."""
    return ExtractTriplets(said, question=TEXT), Extraction(triplets)


def held(
    *pairs: tuple[Triplet, object], head: object = exact(9), window_words: int = 1000
) -> list[Exchange]:
    """Triplets held against the corpus: their heads, their tails, then the pairs of both."""
    triplets = [triplet for triplet, _ in pairs]
    outcomes = [outcome for _, outcome in pairs]
    broken = next((outcome for outcome in outcomes if isinstance(outcome, Exception)), None)
    return [
        (CountPhrases(tuple(t.head for t in triplets)), [head] * len(pairs)),
        (CountPhrases(tuple(t.tail for t in triplets)), [exact(9)] * len(pairs)),
        (Cooccur(tuple((t.head, t.tail) for t in triplets), window_words), broken or outcomes),
    ]


def before(trigger: QuCo, *exchanges: Exchange) -> tuple[Query, ...]:
    """The searches before the first sentence."""
    return follow(trigger.before(QUESTION), exchanges)


def inspect(
    sentence: str,
    *exchanges: Exchange,
    trigger: QuCo = TRIGGER,
    question: Question = QUESTION,
    committed: Sequence[Sentence] = (),
    passages: Sequence[Passage] = (),
) -> Inspection:
    """What the trigger holds of a sentence."""
    ledger = Ledger(1000)
    ledger.add(hits("q", *passages), trigger="t", detail="d")
    progress = Progress(question, tuple(committed), ledger)
    return follow(trigger.inspect(progress, sentence, text_of(sentence)), exchanges)


def said_before(text: str, support: Support, triplet: Triplet) -> Sentence:
    """A sentence that was committed, with one check of the same support."""
    pair = together(int(support is Support.PRESENT))
    checks = (Check(triplet, support, exact(9), exact(9), pair, 1000),)
    return Sentence(text, support, checks=checks)


def answer(anchor: str, text: str = "Norway") -> Triplet:
    """The pair that a final answer is held against."""
    return Triplet(anchor, "", text)
