"""The language that science speaks: steps, the flows that yield them, and what comes back.

A policy is a generator. It yields a step, is sent the outcome, and returns a `Draft`; it never
touches a model, an index or a socket. One body therefore serves every driver of
`averment.engine`, is tested by hand-fed outcomes, and leaves a log that can be replayed.

The helpers below restore the types that `Generator.send` loses; policies use them and never
yield a bare step. A failed step is raised inside the flow. Counts and extractions may fail without
ending an answer: counts are then of kind ``unavailable``, which is unknown and never zero, and an
extraction says why it failed, which is unknown and never "nothing claimed".

A step more is a design decision: write a page in ``design/`` first.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from averment.costs import Costs
from averment.dating import Dates
from averment.errors import CapabilityError, CorpusError, ExtractionError, QueryError
from averment.readings import Attention, Sampling, Spread
from averment.types import (
    Capability,
    ClaimScores,
    Cooccurrence,
    Count,
    Draft,
    Entity,
    Extraction,
    Faithfulness,
    Generation,
    GenerationOptions,
    Passage,
    Prompt,
    Question,
    Retrieval,
    Scores,
    Sentence,
    Token,
)


@dataclass(frozen=True, slots=True)
class ExtractEntities:
    """Find the named things of a text. Outcome: `tuple[Entity, ...]`."""

    text: str


@dataclass(frozen=True, slots=True)
class ExtractTriplets:
    """Find the relations that a sentence claims. Outcome: `Extraction`.

    `before` are sentences of the same answer, which may say whom a pronoun means. `question` is
    what `sentence` answers in a word or a few; together they claim something.
    """

    sentence: str
    before: tuple[str, ...] = ()
    question: str = ""


@dataclass(frozen=True, slots=True)
class CountPhrases:
    """Count phrases in the corpus, or in its documents of some dates.

    Outcome: `list[Count]`, in order.
    """

    phrases: tuple[str, ...]
    dates: Dates | None = None


@dataclass(frozen=True, slots=True)
class Cooccur:
    """Count pairs of phrases within a window, in the corpus or in its documents of some dates.

    Outcome: `list[Cooccurrence]`, in order.
    """

    pairs: tuple[tuple[str, str], ...]
    window_words: int
    dates: Dates | None = None


Forms: TypeAlias = tuple[str, ...]
"""The ways in which one name is written, in a fixed order; one of them is a tuple of one."""


@dataclass(frozen=True, slots=True)
class LocatePairs:
    """Fetch the text where pairs of names stand nearest. Outcome: `list[tuple[Passage, ...]]`.

    One tuple a pair, the nearest window first, at most `limit`, each of another document.
    `context_words` are shown before and after a pair.
    """

    pairs: tuple[tuple[Forms, Forms], ...]
    window_words: int
    context_words: int
    limit: int


@dataclass(frozen=True, slots=True)
class Search:
    """Retrieve at most k passages. Outcome: `Retrieval`.

    `trigger` is a code (``rare_entity``), `detail` says it in words.
    """

    query: str
    k: int
    trigger: str
    detail: str


@dataclass(frozen=True, slots=True)
class Generate:
    """Let the model continue. Outcome: `Generation`."""

    prompt: Prompt
    options: GenerationOptions


@dataclass(frozen=True, slots=True)
class Commit:
    """Let a checked sentence leave. Outcome: None."""

    sentence: Sentence


@dataclass(frozen=True, slots=True)
class JudgeFaithfulness:
    """Hold claims against passages. Outcome: `list[Faithfulness]`, one a claim."""

    claims: tuple[str, ...]
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rescore:
    """Give the tokens of a text after a prompt, with their log-probabilities.

    Outcome: `list[Token]`.
    """

    prompt: Prompt
    text: str


@dataclass(frozen=True, slots=True)
class ReadAttention:
    """Let the model read a text, and say how it attends. Outcome: `Attention`.

    `before` is read first and not reported. Rows are given for the tokens of `text` that reach
    behind the code point `rows_from`.
    """

    before: str
    text: str
    rows_from: int


@dataclass(frozen=True, slots=True)
class MeasureSpread:
    """Draw continuations, and say how far apart they are inside the model. Outcome: `Spread`."""

    prompt: Prompt
    sampling: Sampling


Step: TypeAlias = (
    ExtractEntities
    | ExtractTriplets
    | CountPhrases
    | Cooccur
    | LocatePairs
    | Search
    | Generate
    | Commit
    | JudgeFaithfulness
    | Rescore
    | ReadAttention
    | MeasureSpread
)

_T = TypeVar("_T")
Flow: TypeAlias = Generator[Step, Any, _T]
"""A computation that yields steps, is sent their outcomes and returns a `_T`."""


class Policy(Protocol):
    """When to retrieve, with which query, and when to stop."""

    @property
    def name(self) -> str:
        """The name its paper gave it, lower case, as the command line spells it."""
        ...

    @property
    def needs(self) -> frozenset[Capability]:
        """What the model must provide; checked when wired, not at the 400th question."""
        ...

    def run(self, question: Question) -> Flow[Draft]:
        """Answer one question."""
        ...


@runtime_checkable
class ScoredPolicy(Policy, Protocol):
    """A policy that may act by the scores of what is written."""

    def scored_by(self, scoring: ClaimScoring | None) -> Policy:
        """The policy with whoever scores.

        Raises:
            CapabilityError: It acts by probabilities and costs, and there are none.
        """
        ...


class ClaimScoring(Protocol):
    """How the claims of a draft are scored, and what is weighed by the scores."""

    @property
    def costs(self) -> Costs | None:
        """What false and missing claims cost; None: nothing is weighed. Scores are calibrated."""
        ...

    @property
    def withholds(self) -> bool:
        """Whether something that was written may not be given in the end."""
        ...

    def of_draft(self, question: Question, draft: Draft) -> Flow[Scores]:
        """Score each sentence."""
        ...

    def of_last(self, question: Question, draft: Draft) -> Flow[ClaimScores]:
        """Score the last sentence alone, as `of_draft` would."""
        ...


def entities(text: str) -> Flow[tuple[Entity, ...] | None]:
    """The named things of a text; None where the extraction failed."""
    try:
        found: tuple[Entity, ...] = yield ExtractEntities(text)
    except ExtractionError:
        return None
    return found


def triplets(sentence: str, *, before: Sequence[str] = (), question: str = "") -> Flow[Extraction]:
    """The relations that a sentence claims, after others or in answer to a question."""
    try:
        extraction: Extraction = yield ExtractTriplets(sentence, tuple(before), question)
    except ExtractionError as error:
        return Extraction((), failed=error.message)
    return extraction


def count(phrases: Sequence[str], *, dates: Dates | None = None) -> Flow[list[Count]]:
    """Counts of phrases; unavailable ones where the corpus cannot answer, or knows no dates."""
    if not phrases:
        return []
    try:
        counts: list[Count] = yield CountPhrases(tuple(phrases), dates)
    except QueryError:
        raise  # the caller asked nonsense: that is no outage
    except (CorpusError, CapabilityError) as error:
        if dates is None and isinstance(error, CapabilityError):
            raise
        return [Count.unavailable() for _ in phrases]
    return counts


def cooccurrence(
    pairs: Sequence[tuple[str, str]], window_words: int, *, dates: Dates | None = None
) -> Flow[list[Cooccurrence]]:
    """Co-occurrence of pairs; unavailable as `count`."""
    if not pairs:
        return []
    try:
        found: list[Cooccurrence] = yield Cooccur(tuple(pairs), window_words, dates)
    except QueryError:
        raise
    except (CorpusError, CapabilityError) as error:
        if dates is None and isinstance(error, CapabilityError):
            raise
        return [Cooccurrence.unavailable() for _ in pairs]
    return found


def windows(
    pairs: Sequence[tuple[Forms, Forms]], *, window_words: int, context_words: int, limit: int
) -> Flow[list[tuple[Passage, ...]] | None]:
    """The nearest windows of pairs; None where the corpus cannot show them."""
    if not pairs:
        return []
    try:
        found: list[tuple[Passage, ...]] = yield LocatePairs(
            tuple(pairs), window_words, context_words, limit
        )
    except QueryError:
        raise
    except (CorpusError, CapabilityError):
        return None
    return found


def search(query: str, k: int, *, trigger: str, detail: str) -> Flow[Retrieval]:
    """Passages for a query, and why they were asked for."""
    retrieval: Retrieval = yield Search(query, k, trigger, detail)
    return retrieval


def generate(prompt: Prompt, options: GenerationOptions) -> Flow[Generation]:
    """A continuation of the prompt."""
    generation: Generation = yield Generate(prompt, options)
    return generation


def commit(sentence: Sentence) -> Flow[None]:
    """Let a checked sentence leave: drivers stream it."""
    yield Commit(sentence)


def judge_faithfulness(claims: Sequence[str], passages: Sequence[str]) -> Flow[list[Faithfulness]]:
    """How far the passages entail each claim."""
    if not claims:
        return []
    found: list[Faithfulness] = yield JudgeFaithfulness(tuple(claims), tuple(passages))
    return found


def rescore(prompt: Prompt, text: str) -> Flow[list[Token]]:
    """The tokens of a text after a prompt."""
    tokens: list[Token] = yield Rescore(prompt, text)
    return tokens


def read_attention(text: str, *, before: str = "", rows_from: int) -> Flow[Attention]:
    """How the model attends while it reads a text behind another."""
    reading: Attention = yield ReadAttention(before, text, rows_from)
    return reading


def measure_spread(prompt: Prompt, sampling: Sampling) -> Flow[Spread]:
    """How far apart continuations of a prompt are inside the model."""
    spread: Spread = yield MeasureSpread(prompt, sampling)
    return spread
