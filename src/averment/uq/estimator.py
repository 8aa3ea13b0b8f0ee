"""What an estimator is: a named formula that says what it needs and why it has no value.

`Estimator.score` gives a finite uncertainty or an `Absent` with a reason. There is no NaN, no
default and no exception for what a record lacks: a score that nobody could compute must not be
read as confidence, which is what happens where NaN is replaced by a large negative number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from averment.uq.records import WHOLE, Record, Span


class Need(StrEnum):
    """What must be known of an answer. Each costs something else to get."""

    TOKENS = "tokens"
    """The tokens of the answer, which spans point at."""
    LOGPROBS = "logprobs"
    TOP_LOGPROBS = "top_logprobs"
    """The most probable other tokens at each position."""
    FULL_DISTRIBUTION = "full_distribution"
    """Entropies over the whole vocabulary."""
    RESCORED_WITHOUT_CONTEXT = "rescored_without_context"
    RESCORED_WITHOUT_PROMPT = "rescored_without_prompt"
    P_TRUE = "p_true"
    SAMPLES = "samples"
    SAMPLE_LOGPROBS = "sample_logprobs"
    NLI = "nli"
    """Entailment, of the pairs that the formula names."""
    SIMILARITY = "similarity"
    """Similarity, of the pairs that the formula names."""


class Level(StrEnum):
    """What an estimator can score."""

    CLAIM = "claim"
    SEQUENCE = "sequence"


class Absence(StrEnum):
    """Why there is no score."""

    MISSING_INPUT = "missing_input"
    """The record lacks the need that `Absent.need` names."""
    EMPTY_SPAN = "empty_span"
    """The claim has no tokens: it could not be aligned with the answer."""
    UNALIGNED = "unaligned"
    """Two things that must belong together do not: lengths, token texts, indices, claim texts."""
    INVALID_INPUT = "invalid_input"
    """A number that cannot be: NaN, infinite, a log-probability above 0, a probability above 1."""
    TOO_FEW_SAMPLES = "too_few_samples"
    UNDEFINED = "undefined"
    """The formula has no finite value here, such as 0 / 0."""
    SEQUENCE_ONLY = "sequence_only"
    """The estimator compares whole answers; it says nothing of one claim."""


@dataclass(frozen=True, slots=True)
class Absent:
    """No score, and why: a code, the need that is missing (if that is it), the words for it."""

    reason: Absence
    detail: str
    need: Need | None = None


class Refusal(Exception):
    """Raised by formulas; `Estimator.score` turns it into its `absent`."""

    def __init__(self, reason: Absence, detail: str, *, need: Need | None = None) -> None:
        super().__init__(detail)
        self.absent = Absent(reason, detail, need)


@dataclass(frozen=True, slots=True)
class Estimator:
    """A formula with its name, its needs and the levels at which it has a meaning.

    Args:
        name: As its paper calls it, in lower case.
        formula: From a record and a span to the uncertainty; raises `Refusal`.
        needs: What a record must hold.
        levels: What may be scored.
    """

    name: str
    formula: Callable[[Record, Span], float]
    needs: frozenset[Need]
    levels: frozenset[Level] = frozenset(Level)

    def score(self, record: Record, span: Span = WHOLE) -> float | Absent:
        """The uncertainty of the span, worse when higher, always finite; or why there is none.

        Args:
            record: The answer and what is known of it.
            span: A claim, or the whole answer.
        """
        if span is not WHOLE and Level.CLAIM not in self.levels:
            detail = f"{self.name} compares whole answers; score WHOLE instead of a claim"
            return Absent(Absence.SEQUENCE_ONLY, detail)
        try:
            uncertainty = self.formula(record, span)
        except Refusal as refusal:
            return refusal.absent
        if not math.isfinite(uncertainty):
            return Absent(Absence.UNDEFINED, f"{self.name} is {uncertainty} here")
        return uncertainty

    def label(self, record: Record) -> str:
        """The name to report, with the models that judged: `token_sar(similarity=MiniLM)`."""
        models = []
        if Need.NLI in self.needs:
            models.append(f"nli={record.nli_model}")
        if Need.SIMILARITY in self.needs:
            models.append(f"similarity={record.similarity_model}")
        return f"{self.name}({', '.join(models)})" if models else self.name
