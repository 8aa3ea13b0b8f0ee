"""What was drafted, held against passages and corpus, scored, and given.

What this module does not do: decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from averment.costs import Costs, Weighed
from averment.dating import Age, AsOf
from averment.promises import Promise
from averment.types.corpus import (
    Cooccurrence,
    Count,
    Passage,
    Retrieval,
    Support,
)
from averment.types.language import (
    DroppedTriplet,
    Question,
    Token,
    Triplet,
)


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
