"""QuCo-RAG: corpus statistics, not the model's confidence, decide when to retrieve.

Before the answer (pre-generation knowledge assessment): are the question's entities rare in the
corpus? Then search with the question. During the answer (runtime claim verification): do head and
tail of each claimed triplet ever start within a window of each other? If not, search with
"head relation" (the tail, the suspected error, stays out) and draft the sentence again.

Differences from the paper's code, each on purpose:

- Sentence by sentence, and a repaired sentence is verified like the first (`SentenceLoop`).
- Unknown is never common and never present: a count that is not known asks for retrieval.
- The final answer is verified too: it must occur near an entity of the question or of the answer,
  or, where there is no such entity, stand in a retrieved passage.
- A pair in which one phrase contains the other is not asked: it would always be there.
- A head that the corpus does not know makes a pair ``not_covered``, which is told apart from
  ``absent``; both ask for retrieval.
- A question without entities asks for retrieval (the paper answers it unaided); see
  `retrieve_without_entities`.

Source: QuCo-RAG (arXiv 2512.19134), equations 2 to 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from averment import steps
from averment.policies.loop import (
    Inspection,
    Progress,
    Query,
    final_answer,
    is_final,
    is_unknown,
    worst,
)
from averment.steps import Flow
from averment.text import TextForm, contains_words
from averment.types import (
    Capability,
    Check,
    Cooccurrence,
    Count,
    CountKind,
    Generation,
    Question,
    Sentence,
    Support,
    Triplet,
    Verdict,
)

# Kinds of entities that say nothing about how well known a question's subject is.
_NOT_NAMED = frozenset({"date", "number"})
_YES_NO = frozenset({"yes", "no"})


class Aggregation(StrEnum):
    """How the entity counts of a question become one number."""

    MEAN = "mean"
    MIN = "min"
    GEOMETRIC = "geometric"

    def of(self, counts: Sequence[int]) -> float:
        """The aggregate of at least one count."""
        if self is Aggregation.MIN:
            return float(min(counts))
        if self is Aggregation.MEAN:
            return sum(counts) / len(counts)
        # One entity that never occurs makes the product 0, as it should.
        return float(math.prod(counts) ** (1 / len(counts)))


class CountUnit(StrEnum):
    """What is counted to tell a rare entity from a common one."""

    OCCURRENCES = "occurrences"
    DOCUMENTS = "documents"

    def of(self, count: Count) -> int | None:
        """The number of that unit; None when it is not known for certain."""
        if count.kind in (CountKind.UNAVAILABLE, CountKind.ESTIMATE):
            return None
        return count.value if self is CountUnit.OCCURRENCES else count.documents


@dataclass(frozen=True, slots=True)
class QuCo:
    """The QuCo-RAG trigger.

    Args:
        entity_threshold: A question whose aggregated entity count is below it is rare
            (tau_entity; the paper: 1000 occurrences).
        entity_unit: What is counted.
        aggregation: How the counts of several entities are put together (the paper: mean).
        cooccurrence_threshold: A pair that occurs less often fails (tau_cooc; the paper: 1).
        window_words: Largest distance of a pair, in words (omega; the paper's 1000 tokens are
            about 750 words).
        retrieve_without_entities: Search with a question in which no entity was found.
    """

    entity_threshold: float
    entity_unit: CountUnit = CountUnit.DOCUMENTS
    aggregation: Aggregation = Aggregation.MIN
    cooccurrence_threshold: int = 1
    window_words: int = 1000
    retrieve_without_entities: bool = True

    name: ClassVar[str] = "quco"
    needs: ClassVar[frozenset[Capability]] = frozenset()

    # --- before the answer ----------------------------------------------------------------------

    def before(self, question: Question) -> Flow[tuple[Query, ...]]:
        """Search with the question if its entities are rare, unknown or missing (equation 2)."""
        names = yield from _names(question.text)
        if not names:
            if not self.retrieve_without_entities:
                return ()
            return (Query(question.text, "no_entities", "no entity was found in the question"),)
        counts = [self.entity_unit.of(count) for count in (yield from steps.count(names))]
        known = [count for count in counts if count is not None]
        if len(known) < len(counts):
            missing = [name for name, n in zip(names, counts, strict=True) if n is None]
            detail = f"the corpus could not count {', '.join(missing)}"
            return (Query(question.text, "unknown_count", detail),)
        if self.aggregation.of(known) >= self.entity_threshold:
            return ()
        shown = ", ".join(f"{name} {n}" for name, n in zip(names, known, strict=True))
        detail = (
            f"{self.aggregation} of {self.entity_unit} ({shown}) "
            f"is below the threshold {self.entity_threshold:g}"
        )
        return (Query(question.text, "rare_entity", detail),)

    # --- during the answer ----------------------------------------------------------------------

    def inspect(
        self, progress: Progress, sentence: str, generation: Generation
    ) -> Flow[Inspection]:
        """Hold the triplets of a sentence, or the final answer, against the corpus (equation 4)."""
        if is_final(sentence):
            return (yield from self._inspect_final(progress, final_answer(sentence)))
        extraction = yield from steps.triplets(sentence)
        checks = yield from self._check(extraction.triplets)
        support = worst([check.support for check in checks]) if checks else Support.UNKNOWN
        queries = tuple(
            Query(
                f"{check.triplet.head} {check.triplet.relation}",
                f"{check.support}_pair",
                f"{check.triplet.head} and {check.triplet.tail}: {_WHY[check.support]}",
            )
            for check in checks
            if check.support is not Support.PRESENT
        )
        return Inspection(support, checks, extraction.dropped, queries)

    def _inspect_final(self, progress: Progress, answer: str) -> Flow[Inspection]:
        question = progress.question
        if is_unknown(answer):
            detail = "the model says that it does not know"
            return self._failed(Support.UNKNOWN, (), question, "unknown_answer", detail)
        if answer.lower() in _YES_NO or not TextForm().words(answer):
            return Inspection(worst([s.support for s in progress.committed] or [Support.UNKNOWN]))
        anchors = yield from self._anchors(progress)
        pairs = [anchor for anchor in anchors if not _one_contains_other(anchor, answer)]
        if anchors and not pairs:  # "Which is older, A or B?": the answer is one of the entities
            return Inspection(worst([s.support for s in progress.committed] or [Support.UNKNOWN]))
        if not pairs:
            return self._inspect_against_passages(progress, answer)
        checks = yield from self._check([Triplet(anchor, "answer", answer) for anchor in pairs])
        supports = [check.support for check in checks]
        if Support.PRESENT in supports:  # one link suffices: a chain ends at one of its entities
            present = tuple(check for check in checks if check.support is Support.PRESENT)
            return Inspection(Support.PRESENT, present)
        support = worst(supports)
        detail = f"{answer} and {', '.join(pairs)}: {_WHY[support]}"
        return self._failed(support, checks, question, "final_answer", detail)

    def _inspect_against_passages(self, progress: Progress, answer: str) -> Inspection:
        """The check for answers without any entity to pair them with."""
        words = TextForm().words(answer)
        for passage in progress.ledger.passages:
            if contains_words(TextForm().words(f"{passage.title} {passage.text}"), words):
                return Inspection(Support.PRESENT)
        detail = f"{answer} stands in none of the passages"
        return self._failed(Support.ABSENT, (), progress.question, "final_answer", detail)

    def _failed(
        self,
        support: Support,
        checks: tuple[Check, ...],
        question: Question,
        trigger: str,
        detail: str,
    ) -> Inspection:
        return Inspection(support, checks, queries=(Query(question.text, trigger, detail),))

    def _anchors(self, progress: Progress) -> Flow[list[str]]:
        """The entities that an answer may stand near to: of the question, then of the claims."""
        names = yield from _names(progress.question.text)
        claimed = [
            end
            for sentence in progress.committed
            for check in sentence.checks
            if check.support is Support.PRESENT
            for end in (check.triplet.head, check.triplet.tail)
        ]
        return list(dict.fromkeys([*names, *claimed]))

    def _check(self, triplets: Sequence[Triplet]) -> Flow[tuple[Check, ...]]:
        asked = [t for t in triplets if not _one_contains_other(t.head, t.tail)]
        if not asked:
            return ()
        heads = yield from steps.count([t.head for t in asked])
        tails = yield from steps.count([t.tail for t in asked])
        found = yield from steps.cooccurrence([(t.head, t.tail) for t in asked], self.window_words)
        return tuple(
            Check(t, self._support(head, pair), head, tail, pair, self.window_words)
            for t, head, tail, pair in zip(asked, heads, tails, found, strict=True)
        )

    def _support(self, head: Count, pair: Cooccurrence) -> Support:
        support = pair.support(at_least=self.cooccurrence_threshold)
        if support is Support.ABSENT and head.support() is Support.ABSENT:
            return Support.NOT_COVERED
        return support

    # --- after the answer -----------------------------------------------------------------------

    def conclude(self, sentences: tuple[Sentence, ...]) -> tuple[Verdict, str | None]:
        """Give the answer, give it with a warning, or abstain.

        The final answer decides: without support in the corpus there is no answer. A claim on
        the way that stayed without support, or anything that could not be checked, is a warning.
        """
        if not sentences:
            return Verdict.ABSTAINED, "empty_answer"
        last = sentences[-1]
        if is_unknown(final_answer(last.text)):
            return Verdict.ABSTAINED, "no_evidence"
        if is_final(last.text) and last.support in (Support.ABSENT, Support.NOT_COVERED):
            return Verdict.ABSTAINED, "no_evidence"
        supports = [s.support for s in sentences]
        if Support.ABSENT in supports or Support.NOT_COVERED in supports:
            return Verdict.WARNED, "unsupported_claim"
        if last.support is Support.UNKNOWN:
            return Verdict.WARNED, "not_checked"
        return Verdict.ANSWERED, None


_WHY = {
    Support.ABSENT: "never near each other in the corpus",
    Support.NOT_COVERED: "the corpus does not know the first",
    Support.UNKNOWN: "the corpus could not tell",
}


def _names(text: str) -> Flow[list[str]]:
    found = yield from steps.entities(text)
    return [entity.text for entity in found if entity.kind not in _NOT_NAMED]


def _one_contains_other(a: str, b: str) -> bool:
    """Whether a pair would co-occur by its spelling alone ("Mumbai" / "Mumbai, India")."""
    first, second = TextForm().words(a), TextForm().words(b)
    return contains_words(first, second) or contains_words(second, first)
