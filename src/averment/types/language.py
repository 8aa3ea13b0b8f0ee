"""Questions, prompts and generated texts; names and triplets found in them.

What this module does not do: generate or extract.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class FinishReason(StrEnum):
    """Why a generation ended."""

    STOP = "stop"
    SENTENCE = "sentence"
    LENGTH = "length"


class Capability(StrEnum):
    """What a model can be asked for. Declared by policies and estimators as `needs`."""

    LOGPROBS = "logprobs"
    SAMPLES = "samples"
    GRAMMAR = "grammar"
    SCORING = "scoring"
    ENTROPIES = "entropies"
    ATTENTION = "attention"
    HIDDEN_STATES = "hidden_states"


@dataclass(frozen=True, slots=True)
class Question:
    """A question; ``gold`` is empty in production."""

    question_id: str
    text: str
    gold: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing in a text: ``text`` is its surface form at ``start:end``."""

    text: str
    start: int
    end: int
    kind: str = "other"


@dataclass(frozen=True, slots=True)
class Triplet:
    """A claimed relation. Head and tail are spans of their sentence, up to case.

    ``tail_kind``, which is not compared: ``person``, ``place``, ``date``, ``number``, ``title``, ….
    """

    head: str
    relation: str
    tail: str
    tail_kind: str = field(default="other", compare=False)


@dataclass(frozen=True, slots=True)
class DroppedTriplet:
    """A triplet that an extractor gave and the span rule refused, with the reason code."""

    triplet: Triplet
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """Triplets of a sentence; ``silent``: by which rule it has none; ``failed``: why unknown."""

    triplets: tuple[Triplet, ...]
    dropped: tuple[DroppedTriplet, ...] = ()
    failed: str | None = None
    silent: str | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """A generated token; ``logprob`` (nats) is ``None`` where the server gives none.

    ``alternatives`` are the most probable other tokens of its position with their log-probabilities
    (nats), best first. ``entropy`` (nats) is that of the whole distribution, ``None``: unknown.
    """

    text: str
    logprob: float | None
    alternatives: tuple[tuple[str, float], ...] = ()
    entropy: float | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call; ``cached_tokens`` of the prompt were not processed again."""

    prompt_tokens: int = 0
    generated_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Generation:
    """What a model wrote. The token texts join to ``text``, or ``tokens`` is empty."""

    text: str
    tokens: tuple[Token, ...]
    finish: FinishReason
    usage: Usage


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Which model answers, where it came from, what it can be asked for."""

    name: str
    source: str
    capabilities: frozenset[Capability]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked: ``text``, and the ``answer`` it has written so far.

    Models that complete text are given both in a row; chat servers get a message to go on with.
    """

    text: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class GenerationOptions:
    """How to generate.

    ``until_sentence_end`` stops once a whole sentence is written, which no stop string can do
    (``St. Louis``). Temperature 0 is greedy. ``grammar`` is GBNF. ``n_alternatives`` other tokens
    are listed for each position; servers have a limit.
    """

    max_tokens: int = 128
    stop: tuple[str, ...] = ()
    until_sentence_end: bool = False
    temperature: float = 0.0
    seed: int = 0
    grammar: str | None = None
    n_alternatives: int = 0
