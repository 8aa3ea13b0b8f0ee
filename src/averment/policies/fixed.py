"""Retrieval at fixed places: never, or once with the question before the answer.

The two baselines that every other policy is compared with. Neither looks at what the model
writes, so nothing they return counts as checked.

Source: QuCo-RAG (arXiv 2512.19134), section 4: Wo-RAG and SR-RAG.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from averment.policies.loop import (
    Inspection,
    Progress,
    Query,
    final_answer,
    is_final,
    is_unknown,
)
from averment.steps import Flow
from averment.types import Capability, Generation, Question, Sentence, Verdict


@dataclass(frozen=True, slots=True)
class NoRetrieval:
    """The model alone."""

    name: ClassVar[str] = "none"
    needs: ClassVar[frozenset[Capability]] = frozenset()

    def before(self, question: Question) -> Flow[tuple[Query, ...]]:
        """No search."""
        yield from ()  # a flow without a step
        return ()

    def inspect(
        self, progress: Progress, sentence: str, generation: Generation
    ) -> Flow[Inspection]:
        """Every sentence passes, unchecked."""
        yield from ()
        return Inspection(reason="not_checked")

    def conclude(self, sentences: tuple[Sentence, ...]) -> tuple[Verdict, str | None]:
        """Abstain where the model does; else warn that nothing was checked."""
        if not sentences:
            return Verdict.ABSTAINED, "empty_answer"
        last = sentences[-1].text
        if is_final(last) and is_unknown(final_answer(last)):
            return Verdict.ABSTAINED, "no_evidence"
        return Verdict.WARNED, "not_checked"


@dataclass(frozen=True, slots=True)
class OpeningSearch(NoRetrieval):
    """One search with the question; what comes after it is the policy's own."""

    def before(self, question: Question) -> Flow[tuple[Query, ...]]:
        """Search with the question, always."""
        yield from ()
        return (Query(question.text, "always", "the question opens the search"),)


@dataclass(frozen=True, slots=True)
class SingleRetrieval(NoRetrieval):
    """One search with the question."""

    name: ClassVar[str] = "single"

    def before(self, question: Question) -> Flow[tuple[Query, ...]]:
        """Search with the question, always."""
        yield from ()
        return (Query(question.text, "always", "single retrieval searches with the question"),)
