"""The values that flow through averment: frozen, slotted, without I/O.

Adapters turn tensors, JSON and rows into these at the border; nothing else crosses a room.
Directions: confidence and scores are better when higher, uncertainty is worse when higher.
Offsets are code points, half open. Unknown is ``None`` with a ``CountKind``, never zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from averment.costs import Costs, Weighed
from averment.dating import Age, AsOf
from averment.places import Layout, Place
from averment.promises import Promise


class CountKind(StrEnum):
    """How far a count may be trusted."""

    EXACT = "exact"
    LOWER_BOUND = "lower_bound"
    ESTIMATE = "estimate"
    UNAVAILABLE = "unavailable"


class Support(StrEnum):
    """What the corpus says about a claim. Presence is never proof, absence is a warning."""

    PRESENT = "present"
    ABSENT = "absent"
    NOT_COVERED = "not_covered"
    """The corpus hardly knows the head at all, so absence says little."""
    UNKNOWN = "unknown"


class Verdict(StrEnum):
    """What was done with an answer."""

    ANSWERED = "answered"
    WARNED = "warned"
    ABSTAINED = "abstained"


class ClaimVerdict(StrEnum):
    """What is held of one claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"
    UNVERIFIED = "unverified"


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


# --- the corpus ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Document:
    """One record of a corpus. ``date`` is ISO 8601; ``layout``: its sections and pages."""

    document_id: str
    text: str
    title: str = ""
    source: str = ""
    date: str | None = None
    language: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    layout: Layout | None = None


Phrase: TypeAlias = str | Set[str]
"""What can be counted: some words in a row, or any of the forms of one name.
Of several forms that overlap in a text, the first counts, the longest of those that start together;
so they are counted once. A set of one form is that form."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What is retrieved: ``document.text[start:end]``; ``date`` is that of the document."""

    passage_id: str
    document_id: str
    title: str
    text: str
    start: int
    end: int
    place: Place | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A hit. ``score`` is comparable within one retrieval only; ``rank`` starts at 1."""

    passage: Passage
    score: float
    rank: int


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The hits of one query, best first."""

    query: str
    hits: tuple[ScoredPassage, ...]
    retriever: str


@dataclass(frozen=True, slots=True)
class CorpusInfo:
    """What an index is: compared when it is opened, echoed with its results.

    ``entity_threshold_documents`` is the 25 % quantile of the document frequencies of capitalised
    names in a sample: by default rarer ones are rare. Numbers are of what is not deleted, ``None``
    is what the index does not know. ``tells_documents``: its counts say in how many documents.
    """

    name: str
    format_version: int
    engine: str
    text_form: str
    n_documents: int | None
    n_words: int | None
    n_terms: int | None
    n_segments: int
    n_passages: int
    n_deleted_documents: int
    counts_bytes: int | None
    passages_bytes: int
    generation: int
    digest: str
    built_at: str
    entity_threshold_documents: int | None
    tells_documents: bool = True


@dataclass(frozen=True, slots=True)
class SurfaceForm:
    """A spelling; its ``source``: ``name`` (as asked), ``user``, ``rule:ID``, ``table:FILE`` …."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Count:
    """Start positions (``value``) and documents of a phrase; ``forms``: if several were counted."""

    value: int | None
    documents: int | None
    kind: CountKind
    forms: tuple[SurfaceForm, ...] = ()
    reason: str | None = None  # why it is not available, where that is known

    @classmethod
    def unavailable(cls, reason: str | None = None) -> Count:
        """The count that nobody could give."""
        return cls(None, None, CountKind.UNAVAILABLE, reason=reason)

    def support(self, at_least: int = 1) -> Support:
        """Whether it occurs so often; neither a lower bound nor an estimate proves absence."""
        if self.value is None or self.kind is CountKind.ESTIMATE:
            return Support.UNKNOWN
        if self.value >= at_least:
            return Support.PRESENT
        return Support.ABSENT if self.kind is CountKind.EXACT else Support.UNKNOWN


@dataclass(frozen=True, slots=True)
class Cooccurrence:
    """How often two phrases start within a window of words in one document.

    ``pairs`` counts pairs of start positions, ``documents`` documents with at least one pair,
    ``nearest_words`` is the smallest distance in words, ``None`` if the phrases share no document.
    ``a_forms``, ``b_forms``: if several were counted together. ``exists`` is never an estimate.
    """

    exists: bool | None
    documents: int | None
    pairs: int | None
    nearest_words: int | None
    kind: CountKind
    a_forms: tuple[SurfaceForm, ...] = ()
    b_forms: tuple[SurfaceForm, ...] = ()
    reason: str | None = None

    @classmethod
    def unavailable(cls, reason: str | None = None) -> Cooccurrence:
        """The co-occurrence that nobody could establish."""
        return cls(None, None, None, None, CountKind.UNAVAILABLE, reason=reason)

    def support(self, at_least: int = 1) -> Support:
        """Whether so many pairs occur; only an exact count proves an absence."""
        if self.pairs is None or self.kind is CountKind.ESTIMATE:
            return Support.PRESENT if self.exists and at_least == 1 else Support.UNKNOWN
        if self.pairs >= at_least:
            return Support.PRESENT
        return Support.ABSENT if self.kind is CountKind.EXACT else Support.UNKNOWN


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where a phrase occurs; an index without document text knows the document only."""

    document_id: str
    start: int | None
    end: int | None
    snippet: str | None
    place: Place | None = None


# --- language -----------------------------------------------------------------------------------


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


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """How far a claim is entailed by the passages, and by which span of which one.

    ``score`` is in [0, 1], higher is more faithful; it is raw, not a calibrated probability.
    ``contradiction`` is how far the best span speaks against the claim, ``None``: unknown.
    ``passage`` is the index of the best passage, ``start:end`` the code points of its best span;
    all are ``None`` where nothing was read. ``reason``: ``no_evidence``, ``empty_claim``, a rule.
    """

    score: float
    contradiction: float | None = None
    passage: int | None = None
    start: int | None = None
    end: int | None = None
    reason: str | None = None


# --- answers ------------------------------------------------------------------------------------


class RelationOutcome(StrEnum):
    """Whether the corpus states a relation, says it of another, neither, or nobody could tell."""

    SUPPORTED = "supported"
    NOT_FOUND = "not_found"
    CONTRADICTED = "contradicted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Rival:
    """Another tail that the corpus gives the relation of a head, and its pairs with the head."""

    text: str
    cooccurrence: Cooccurrence


@dataclass(frozen=True, slots=True)
class RelationCheck:
    """What the windows of a pair say of its relation: which one, how (a code), and its rivals."""

    outcome: RelationOutcome
    reason: str
    window: Passage | None = None
    rivals: tuple[Rival, ...] | None = None  # None: nobody counted them


@dataclass(frozen=True, slots=True)
class Check:
    """One pair held against the corpus.

    It is the ends of a triplet, or the final answer and a name of the question, without a relation.
    A pair whose head the corpus hardly knows is ``NOT_COVERED``. ``relation`` None: nobody looked.
    """

    triplet: Triplet
    support: Support
    head_count: Count
    tail_count: Count
    cooccurrence: Cooccurrence
    window_words: int
    relation: RelationCheck | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A committed sentence: what was checked in it and how often it was rewritten.

    ``reason`` is a code for the support where checks do not show it. ``tokens``, as written in its
    own context, join to the end of ``text`` or all of it, or are empty. ``weighed``: its drafts.
    """

    text: str
    support: Support
    reason: str | None = None
    checks: tuple[Check, ...] = ()
    dropped: tuple[DroppedTriplet, ...] = ()
    repairs: int = 0
    tokens: tuple[Token, ...] = ()
    weighed: tuple[Weighed, ...] = ()


@dataclass(frozen=True, slots=True)
class TriggeredRetrieval:
    """A retrieval and why it was made: a code and the words for it."""

    retrieval: Retrieval
    trigger: str
    detail: str


@dataclass(frozen=True, slots=True)
class ClaimScores:
    """How likely a claim is true, and the parts of that number. What is missing has a reason.

    ``faithfulness`` is raw and enters as P(faithful). ``uf`` and ``uu`` are the confidences of the
    two branches (better when higher, any scale), by the estimators that `Scores` names.
    ``features`` are the corpus features that are known. ``score`` is the mixture, in [0, 1]; if
    ``calibrated`` it is a probability, and ``p_true`` says it again with its two parts.
    """

    faithfulness: Faithfulness | None
    uf: float | None = None
    uu: float | None = None
    features: Mapping[str, float] = field(default_factory=dict)
    score: float | None = None
    p_true_if_faithful: float | None = None
    p_true_if_unfaithful: float | None = None
    p_true: float | None = None
    calibrated: bool = False
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of all claims in order, who made them, and what they decide.

    An estimator is ``constant`` where there is none; ``notes`` say what failed and why.
    """

    claims: tuple[ClaimScores, ...]
    faithfulness_scorer: str
    uf_estimator: str
    uu_estimator: str
    model: str
    notes: tuple[str, ...] = ()
    promise: Promise | None = None
    costs: Costs | None = None

    @property
    def estimators_used(self) -> tuple[str, ...]:
        """The names of everything that gave some claim a number; whoever gave none is not named."""
        used = {
            self.faithfulness_scorer: any(claim.faithfulness for claim in self.claims),
            self.uf_estimator: any(claim.uf is not None for claim in self.claims),
            self.uu_estimator: any(claim.uu is not None for claim in self.claims),
            "corpus_evidence": any(claim.features for claim in self.claims),
        }
        return tuple(name for name, has_numbers in used.items() if has_numbers)


@dataclass(frozen=True, slots=True)
class Draft:
    """What a policy returns; engines add ``scores`` and ``ages``, one a sentence, or none.

    ``final_answer`` is the short one inside ``sentences``, or empty; ``reason`` why it warned.
    """

    sentences: tuple[Sentence, ...]
    final_answer: str
    retrievals: tuple[TriggeredRetrieval, ...]
    verdict: Verdict
    reason: str | None
    scores: Scores | None = None
    ages: tuple[Age, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the answer at ``answer.draft[start:end]``, with every score it has.

    A missing score is ``None`` and a key of ``reasons``; ``p_faithful`` is raw. ``evidence`` are
    the best spans for it, cut out of the passages that were retrieved. ``weighed``: as `Sentence`.
    """

    text: str
    start: int
    end: int
    sentence: int
    triplets: tuple[Triplet, ...]
    support: Support
    verdict: ClaimVerdict
    checks: tuple[Check, ...]
    evidence: tuple[Passage, ...]
    reasons: Mapping[str, str]
    p_faithful: float | None = None
    p_true_if_faithful: float | None = None
    p_true_if_unfaithful: float | None = None
    p_true: float | None = None
    calibrated: bool = False
    score: float | None = None
    uf: float | None = None
    uu: float | None = None
    features: Mapping[str, float] = field(default_factory=dict)
    weighed: tuple[Weighed, ...] = ()
    age: Age | None = None


@dataclass(frozen=True, slots=True)
class Cost:
    """What an answer took: all tokens of all calls, not only those of the answer."""

    prompt_tokens: int
    generated_tokens: int
    model_calls: int
    retrievals: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: ``text`` is what to show, ``final_answer`` its short form, ``as_of`` when it is.

    ``draft`` is all that was written; claims point into it. Of that, ``text`` is what is given.
    """

    question: Question
    text: str
    draft: str
    final_answer: str
    verdict: Verdict
    reason: str | None
    claims: tuple[Claim, ...]
    retrievals: tuple[TriggeredRetrieval, ...]
    cost: Cost
    policy: str
    model: str
    trace_id: str
    scores: Scores | None = None
    as_of: AsOf | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What a check of a text found: its claims, and in ``skipped`` what claims nothing, with why.

    That is (start, end, reason code). ``passages`` are what the claims were held against.
    """

    text: str
    question: Question | None
    claims: tuple[Claim, ...]
    skipped: tuple[tuple[int, int, str], ...]
    passages: tuple[Passage, ...]
    scores: Scores
    as_of: AsOf | None = None

    @property
    def calibrated(self) -> bool:
        """Whether the scores of the claims are calibrated probabilities."""
        return bool(self.claims) and all(claim.calibrated for claim in self.claims)
