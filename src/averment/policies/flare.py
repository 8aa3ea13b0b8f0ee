"""FLARE: look ahead one sentence; where a token is improbable, search with the probable ones.

    trigger   some token t of the draft has p(t) <= theta          theta = 0.8
    query     the draft without its tokens with p(t) <= beta       beta = 0.4
    then      the sentence is drafted again with what was found, and accepted

The question opens the search. `Flare` is the paper; `FlareSimplified` is what the code of DRAGIN
and QuCo-RAG runs under this name, which is another policy: no search before the answer, and

    trigger   mean over the tokens of 1 - p(t) > theta             theta = 0.1
    query     the draft without its tokens with 1 - p(t) > theta

Departures, both: passages stay in the evidence of the loop within its budget. A query without a
word left is the question. The tokens of "So the answer is" are not the model's where the loop wrote
them, and count for nothing. `Flare`: worked examples carry no passages. `FlareSimplified`: only
the sentence that failed is accepted unseen, where that code appends the whole continuation.

A token without a probability counts as improbable: what is not known is not sure.

Source: FLARE (arXiv 2305.06983), section 3.2, and its released settings;
simplified: QuCo-RAG (arXiv 2512.19134), section 4, and its released code.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from averment.policies.fixed import NoRetrieval, OpeningSearch
from averment.policies.loop import Inspection, Progress, Query
from averment.steps import Flow
from averment.text import TextForm
from averment.types import Capability, Generation, Question, Token

_PASSED = Inspection(reason="not_checked")


@dataclass(frozen=True, slots=True)
class Flare(OpeningSearch):
    """FLARE as published.

    Args:
        probability_threshold: theta; a token at most so probable triggers, in [0, 1].
        mask_threshold: beta; tokens at most so probable are left out of the query, in [0, 1].
    """

    name: ClassVar[str] = "flare"
    needs: ClassVar[frozenset[Capability]] = frozenset({Capability.LOGPROBS})

    probability_threshold: float = 0.8
    mask_threshold: float = 0.4

    def inspect(
        self, progress: Progress, sentence: str, generation: Generation
    ) -> Flow[Inspection]:
        """Look for an improbable token, in a first draft only."""
        yield from ()
        if progress.repairs or not generation.text.strip():
            return _PASSED
        if not generation.tokens:
            return _without_probabilities(progress.question)
        worst = min(generation.tokens, key=probability)
        if probability(worst) > self.probability_threshold:
            return _PASSED
        probable = [t for t in generation.tokens if probability(t) > self.mask_threshold]
        detail = f"{worst.text.strip()!r} has probability {probability(worst):.2f}"
        query = Query(_query_text(probable, progress.question), "improbable_token", detail)
        return Inspection(reason="not_checked", queries=(query,))


@dataclass(frozen=True, slots=True)
class FlareSimplified(NoRetrieval):
    """FLARE as DRAGIN and QuCo-RAG run it.

    Args:
        doubt_threshold: theta; a mean of 1 - p above it triggers, and tokens with 1 - p above it
            are left out of the query, in [0, 1].
    """

    name: ClassVar[str] = "flare-simplified"
    needs: ClassVar[frozenset[Capability]] = frozenset({Capability.LOGPROBS})

    doubt_threshold: float = 0.1

    def inspect(
        self, progress: Progress, sentence: str, generation: Generation
    ) -> Flow[Inspection]:
        """Hold the mean doubt against the threshold, in a first draft only."""
        yield from ()
        if progress.repairs or not generation.text.strip():
            return _PASSED
        if not generation.tokens:
            return _without_probabilities(progress.question)
        doubts = [1.0 - probability(token) for token in generation.tokens]
        mean = math.fsum(doubts) / len(doubts)
        if mean <= self.doubt_threshold:
            return _PASSED
        pairs = zip(generation.tokens, doubts, strict=True)
        sure = [token for token, doubt in pairs if doubt <= self.doubt_threshold]
        detail = f"the mean doubt of its tokens is {mean:.2f}"
        query = Query(_query_text(sure, progress.question), "doubtful_sentence", detail)
        return Inspection(reason="not_checked", queries=(query,))


def probability(token: Token) -> float:
    """How probable a token was, in [0, 1]; 0 where that is unknown."""
    return 0.0 if token.logprob is None else math.exp(token.logprob)


def _query_text(tokens: Sequence[Token], question: Question) -> str:
    """What is left of a draft; the question where that has no word."""
    text = " ".join("".join(token.text for token in tokens).split())
    return text if TextForm().words(text) else question.text


def _without_probabilities(question: Question) -> Inspection:
    detail = "the model gave no probabilities"
    query = Query(question.text, "unknown_probability", detail)
    return Inspection(reason="not_checked", queries=(query,))
