"""Plain records of answers: what estimators read, whoever produced it.

A record holds an answer with the numbers that are known of it. Nothing is computed here and
nothing is validated: an estimator reads what its formula needs and says what is missing or wrong.
Empty and None mean "not known". All log-probabilities are natural logarithms.

Entailment and similarity were computed by somebody else (`pairs` asks them in batches); the record
names the model, so that TokenSAR by MiniLM is not reported as TokenSAR by the paper's model.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final, TypeAlias

from averment.types import Token


class NliClass(StrEnum):
    """What a premise does to a hypothesis."""

    ENTAILMENT = "entailment"
    NEUTRAL = "neutral"
    CONTRADICTION = "contradiction"


@dataclass(frozen=True, slots=True)
class Nli:
    """The probabilities that a premise entails, leaves open, contradicts a hypothesis; sum 1.

    A model of two classes gives (p, 1 - p, 0).
    """

    entailment: float
    neutral: float
    contradiction: float

    @property
    def label(self) -> NliClass:
        """The class that is more probable than both others; neutral if none is."""
        if self.entailment > max(self.neutral, self.contradiction):
            return NliClass.ENTAILMENT
        if self.contradiction > max(self.neutral, self.entailment):
            return NliClass.CONTRADICTION
        return NliClass.NEUTRAL


NliMatrix: TypeAlias = tuple[tuple[Nli, ...], ...]
"""Row i, column j: premise sample i, hypothesis sample j. The diagonal is not read."""

SimilarityMatrix: TypeAlias = tuple[tuple[float, ...], ...]
"""Similarities of samples, at most 1. The diagonal is not read."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another token that could have stood at a position; never the one that was written.

    `forward` has the written token as premise and this one as hypothesis, `backward` is the
    reverse; both are None where nobody judged them.
    """

    text: str
    logprob: float
    forward: Nli | None = None
    backward: Nli | None = None


@dataclass(frozen=True, slots=True)
class TruthReply:
    """The log-probability of the one token "True" after a prompt that asks whether it is true.

    `prompt` is what was asked, where known: then it must hold the text of the claim or the answer.
    """

    logprob_true: float | None
    prompt: str | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """Another answer to the same prompt, drawn at random.

    `logprob` is the total, for samples whose `tokens` are not known. `similarity_without_token[t]`
    compares question and sample with question and sample without token t.
    """

    text: str
    tokens: tuple[Token, ...] = ()
    logprob: float | None = None
    similarity_without_token: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimSpan:
    """A claim: the indices of the answer's tokens that carry it, and what was asked of it alone.

    `tokens` is a set, in any order; it is empty if the claim could not be aligned. `nli[j]` has
    sample j as premise and the claim as hypothesis.
    """

    tokens: tuple[int, ...]
    text: str = ""
    p_true: TruthReply | None = None
    nli: tuple[Nli, ...] = ()


class Whole(Enum):
    """The type of `WHOLE`."""

    ANSWER = "answer"


WHOLE: Final = Whole.ANSWER
"""The span that is the whole answer."""

Span: TypeAlias = ClaimSpan | Whole


@dataclass(frozen=True, slots=True)
class Record:
    """An answer and what is known of it. Entry t of each tuple of tokens is about token t.

    Args:
        question: The question.
        answer: The answer.
        passages: What was retrieved and stood in the prompt.
        tokens: The tokens of the answer with their log-probabilities under the whole prompt.
        alternatives: For each token, the most probable other tokens of its position.
        entropies: Entropy of the full next-token distribution at each token, in nats.
        tokens_without_context: The same tokens, re-scored with the passages left out.
        tokens_without_prompt: The same tokens, re-scored after nothing; each entry is of its own
            token given the earlier ones, and the first is not read.
        similarity_without_token: Similarity of question and answer to question and answer without
            token t.
        p_true: What the model says when asked whether the answer is true.
        nli: Sample j as premise, the answer as hypothesis.
        samples: Other answers to the same prompt.
        sample_nli: Every sample against every other.
        sample_similarity: Every sample beside every other.
        nli_model: Which model gave every `Nli` here.
        similarity_model: Which model gave every similarity here.
    """

    question: str
    answer: str
    passages: tuple[str, ...] = ()
    tokens: tuple[Token, ...] = ()
    alternatives: tuple[tuple[Alternative, ...], ...] = ()
    entropies: tuple[float | None, ...] = ()
    tokens_without_context: tuple[Token, ...] = ()
    tokens_without_prompt: tuple[Token, ...] = ()
    similarity_without_token: tuple[float, ...] = ()
    p_true: TruthReply | None = None
    nli: tuple[Nli, ...] = ()
    samples: tuple[Sample, ...] = ()
    sample_nli: NliMatrix = ()
    sample_similarity: SimilarityMatrix = ()
    nli_model: str = ""
    similarity_model: str = ""
