"""QuCo-RAG: corpus statistics, not the model's confidence, decide when to retrieve.

Before the answer (pre-generation knowledge assessment): are the question's entities rare in the
corpus? Then search with the question. During the answer (runtime claim verification): do head and
tail of each claimed triplet ever start within a window of each other? If not, search with
"head relation" (the tail, the suspected error, stays out) and draft the sentence again.

Differences from the paper's code, each on purpose:

- Sentence by sentence, and a repaired sentence is verified like the first (`SentenceLoop`).
- Unknown is never common and never present: a count that is not known asks for retrieval.
- The final answer is verified too: it must occur near a name of the question, end a claim that
  was found, or, in a question without names, stand in a retrieved passage.
- A pair in which one phrase contains the other is not asked: it would always be there.
- A head that the corpus does not know makes a pair ``not_covered``, which is told apart from
  ``absent``; both ask for retrieval.
- A question without entities asks for retrieval (the paper answers it unaided); see
  `retrieve_without_entities`.

Beyond the paper, each to be switched on by name: what `averment.policies.pairs` reads off the
windows of a pair, how much of a question the corpus knows (`coverage_threshold`), and how a query
is put (`query_form`).

Source: QuCo-RAG (arXiv 2512.19134), equations 2 to 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

from averment import steps
from averment.findings import is_denied
from averment.policies.cutoff import late_pairs, search_for_late
from averment.policies.final_answers import (
    BRIDGED,
    NO_ANSWERS,
    SKIPPED_STEP,
    FinalAnswerCheck,
    as_claimed,
    names_of,
    reason_for,
)
from averment.policies.loop import (
    Inspection,
    Progress,
    Query,
    before_final,
    final_answer,
    is_final,
    is_unknown,
    is_yes_or_no,
    worst,
)
from averment.policies.pairs import PairCheck
from averment.policies.relations import sense_of
from averment.steps import Flow
from averment.text import TextForm
from averment.types import (
    Capability,
    Check,
    Count,
    CountKind,
    Extraction,
    Generation,
    Question,
    RelationOutcome,
    Sentence,
    Support,
    Triplet,
    Verdict,
)

LOW_COVERAGE = "low_coverage"
"""The trigger of a search for a question whose entities the corpus hardly knows."""


class Aggregation(StrEnum):
    """How the entity counts of a question become one number."""

    MEAN = "mean"
    MIN = "min"
    MAX = "max"
    GEOMETRIC = "geometric"

    def of(self, counts: Sequence[int]) -> float:
        """The aggregate of at least one count."""
        if self is Aggregation.MIN:
            return float(min(counts))
        if self is Aggregation.MAX:
            return float(max(counts))
        if self is Aggregation.MEAN:
            return sum(counts) / len(counts)
        if 0 in counts:
            return 0.0
        # Rounded, so that three times 1000 is 1000 and not a little less.
        return round(math.exp(math.fsum(map(math.log, counts)) / len(counts)), 6)


class QueryForm(StrEnum):
    """What is searched for when a claim fails."""

    HEAD_RELATION = "head_relation"
    """The paper: the tail, the suspected error, stays out."""
    TRIPLET = "triplet"
    SENTENCE = "sentence"
    QUESTION_HEAD = "question_head"

    def of(self, triplet: Triplet, *, sentence: str, question: str) -> str:
        """The query of a triplet; without a question that is the head and the relation."""
        match self:
            case QueryForm.TRIPLET:
                return f"{triplet.head} {triplet.relation} {triplet.tail}"
            case QueryForm.SENTENCE:
                return sentence
            case QueryForm.QUESTION_HEAD if question:
                return f"{question} {triplet.head}"
            case _:
                return f"{triplet.head} {triplet.relation}"


class CountUnit(StrEnum):
    """What is counted to tell a rare entity from a common one."""

    OCCURRENCES = "occurrences"
    DOCUMENTS = "documents"

    def of(self, count: Count, *, enough: float) -> int | None:
        """The number of that unit; None when it is not known well enough.

        A lower bound is known well enough only if it reaches `enough`.
        """
        value = count.value if self is CountUnit.OCCURRENCES else count.documents
        if count.kind is CountKind.EXACT:
            return value
        if count.kind is CountKind.LOWER_BOUND and value is not None and value >= enough:
            return value
        return None


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
        search_first: Search with the question however common its entities are: how often a corpus
            names something says what a model knows only if the model learned from that corpus.
        retrieve_without_entities: Search with a question in which no entity was found.
        coverage_threshold: A question of whose entities the corpus knows a smaller share is not
            covered: it is searched for, and no answer to it goes out without a warning. 0: never.
        query_form: What is searched for when a claim fails.
        check_relations: Read windows of a pair for the claimed relation; one that is said of
            somebody else fails, and so does one of a known kind that is not found.
        judge_relations: Where patterns find nothing, let the judge of faithfulness read them.
        contrast: Count the rivals of a tail; a clearly stronger one contradicts.
        compare_values: Look for numbers and dates by value where their words do not occur.
        require_article: A head without a document about it is not covered, and only windows of
            such a document contradict.
        resolve_pronouns: A pronoun is the name that it stands for in the answer so far.
        check_final_answer: Hold the final answer against the corpus (the paper does not).
        allow_bridges: An answer that is near no name of the question may be linked to one by the
            title of a passage that it stands in; it goes out with a warning.
        require_steps: A question may go by somebody whom it does not name ("X's father"); an answer
            to it that names nobody else goes out with a warning, or is linked by a bridge.
        head_threshold: A claim of which the head alone can be counted, since its tail was refused,
            fails where the head occurs less often (the paper's code, not its text: 20). 0: never.
        model_cutoff: The last day, month or year that the model has learned from: what the corpus
            knows only from later is looked up (`averment.policies.cutoff`). None: nobody asks.
    """

    entity_threshold: float
    entity_unit: CountUnit = CountUnit.DOCUMENTS
    aggregation: Aggregation = Aggregation.MIN
    cooccurrence_threshold: int = 1
    window_words: int = 1000
    search_first: bool = False
    retrieve_without_entities: bool = True
    coverage_threshold: float = 0.0
    query_form: QueryForm = QueryForm.HEAD_RELATION
    check_relations: bool = False
    judge_relations: bool = False
    contrast: bool = False
    compare_values: bool = False
    require_article: bool = False
    resolve_pronouns: bool = False
    check_final_answer: bool = True
    allow_bridges: bool = False
    require_steps: bool = False
    head_threshold: int = 0
    model_cutoff: str | None = None

    name: ClassVar[str] = "quco"
    needs: ClassVar[frozenset[Capability]] = frozenset()

    # --- before the answer ----------------------------------------------------------------------

    def before(self, question: Question) -> Flow[tuple[Query, ...]]:
        """Search with the question if its entities are rare, unknown or missing (equation 2)."""
        names = yield from names_of(question.text)
        if names is None:
            return (Query(question.text, "extraction_failed", "its entities could not be found"),)
        if not names:
            if not self.retrieve_without_entities:
                return ()
            return (Query(question.text, "no_entities", "no entity was found in the question"),)
        found = yield from steps.count(names)
        counts = [self.entity_unit.of(count, enough=self.entity_threshold) for count in found]
        known = [count for count in counts if count is not None]
        if len(known) < len(counts):
            missing = [name for name, n in zip(names, counts, strict=True) if n is None]
            detail = f"the corpus could not count {', '.join(missing)}"
            return (Query(question.text, "unknown_count", detail),)
        share = sum(n > 0 for n in known) / len(known)
        if share < self.coverage_threshold:
            unknown = ", ".join(name for name, n in zip(names, known, strict=True) if not n)
            return (Query(question.text, LOW_COVERAGE, f"the corpus does not know {unknown}"),)
        if self.model_cutoff is not None:
            late = yield from search_for_late(question.text, names, found, self.model_cutoff)
            if late is not None:
                return (late,)
        if self.aggregation.of(known) >= self.entity_threshold:
            detail = "over a corpus of one's own every question is searched for"
            return (Query(question.text, "always", detail),) if self.search_first else ()
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
        """Hold the claims of a sentence, and the final answer, against the corpus (equation 4).

        Where nothing fails, what the model cannot have learned is looked up.
        """
        found = yield from self._inspect(progress, sentence)
        if self.model_cutoff is None or found.queries:
            return found
        late = yield from late_pairs(found.checks, progress.ledger, self.model_cutoff)
        question = progress.question.text
        queries = tuple(
            Query(self.query_form.of(check.triplet, sentence=sentence, question=question), *why)
            for check, *why in late
        )
        return replace(found, queries=queries)

    def _inspect(self, progress: Progress, sentence: str) -> Flow[Inspection]:
        question = progress.question.text
        before = [said.text for said in progress.committed] if self.resolve_pronouns else []
        claimed = before_final(sentence)
        claims = yield from self.inspect_claims(claimed, question=question, before=before)
        if claims.queries or not is_final(sentence) or not self.check_final_answer:
            return claims
        final = yield from self._inspect_final(progress, claims, final_answer(sentence))
        asked = [made.trigger for made in progress.ledger.retrievals]
        if final.support is Support.PRESENT and LOW_COVERAGE in asked:
            final = replace(final, reason=LOW_COVERAGE)
        if claims.reason == "extraction_failed" and final.support is Support.PRESENT:
            return replace(claims, checks=final.checks)  # what is not known is not present
        return replace(final, checks=claims.checks + final.checks, dropped=claims.dropped)

    def inspect_claims(
        self, text: str, *, question: str = "", before: Sequence[str] = ()
    ) -> Flow[Inspection]:
        """Hold the triplets of a text against the corpus; the final answer is not looked for.

        Args:
            text: A sentence, or nothing.
            question: What the answer is to, for the query.
            before: The sentences before it, for its pronouns.
        """
        if not text:
            return Inspection(reason="no_claim")
        extraction = yield from steps.triplets(text, before=before)
        return (yield from self.inspect_extraction(extraction, sentence=text, question=question))

    def inspect_answer(self, answer: str, question: str) -> Flow[Inspection]:
        """Hold what a short answer claims together with its question against the corpus."""
        extraction = yield from steps.triplets(answer, question=question)
        return (yield from self.inspect_extraction(extraction, question=question))

    def inspect_extraction(
        self, extraction: Extraction, *, sentence: str = "", question: str = ""
    ) -> Flow[Inspection]:
        """Hold triplets that were found already against the corpus."""
        if extraction.failed is not None:
            return Inspection(reason="extraction_failed")
        checks = yield from self._pair_check.run(extraction.triplets, sentence)
        rare = yield from self._rare_heads(extraction)
        if not checks:
            return Inspection(reason="no_claim", dropped=extraction.dropped, queries=rare)
        support = worst([check.support for check in checks])
        queries = rare + tuple(
            Query(
                self.query_form.of(check.triplet, sentence=sentence, question=question),
                f"{failed}_pair",
                f"{check.triplet.head} and {check.triplet.tail}: {self._pair_check.why(failed)}",
            )
            for check in checks
            if (failed := _failure(check)) is not None
        )
        return Inspection(support, reason_for(support), checks, extraction.dropped, queries)

    def _rare_heads(self, extraction: Extraction) -> Flow[tuple[Query, ...]]:
        """Queries for the claims of which nothing but a rare head is left."""
        if not self.head_threshold:
            return ()
        refused = {dropped.triplet.head: dropped.triplet for dropped in extraction.dropped}
        alone = [t for head, t in refused.items() if TextForm().words(head)]
        counts = yield from steps.count([triplet.head for triplet in alone])
        values = [CountUnit.OCCURRENCES.of(each, enough=self.head_threshold) for each in counts]
        return tuple(
            Query(
                f"{triplet.head} {triplet.relation}",
                "rare_head",
                f"{triplet.head}: {'unknown' if value is None else value} occurrences, "
                f"below {self.head_threshold}",
            )
            for triplet, value in zip(alone, values, strict=True)
            if value is None or value < self.head_threshold
        )

    def _inspect_final(
        self, progress: Progress, claims: Inspection, answer: str
    ) -> Flow[Inspection]:
        said: list[Sentence | Inspection] = [*progress.committed, claims]
        if is_yes_or_no(answer):
            said_yes = yield from self.inspect_answer(answer, progress.question.text)
            return said_yes if said_yes.checks else as_claimed(said)
        check = FinalAnswerCheck(self._pair_check, self.allow_bridges, self.require_steps)
        return (yield from check.run(progress, said, answer))

    @property
    def _pair_check(self) -> PairCheck:
        return PairCheck(
            self.window_words,
            self.cooccurrence_threshold,
            check_relations=self.check_relations,
            judge_relations=self.judge_relations,
            contrast=self.contrast,
            compare_values=self.compare_values,
            require_article=self.require_article,
        )

    # --- after the answer -----------------------------------------------------------------------

    def conclude(self, sentences: tuple[Sentence, ...]) -> tuple[Verdict, str | None]:
        """Give the answer, give it with a warning, or abstain.

        The final answer decides: without support in the corpus, or where it skips whom the
        question goes by, there is no answer. A claim on the way that stayed without support, or
        anything that could not be checked, is a warning.
        """
        if not sentences:
            return Verdict.ABSTAINED, "empty_answer"
        last = sentences[-1]
        if not is_final(last.text):
            return Verdict.WARNED, "no_final_answer"
        if is_unknown(final_answer(last.text)) or last.reason in NO_ANSWERS:
            return Verdict.ABSTAINED, "no_evidence"
        if last.support in (Support.ABSENT, Support.NOT_COVERED):
            return Verdict.ABSTAINED, "no_evidence"
        if last.reason == SKIPPED_STEP:  # of 184 on training questions 10 were right
            return Verdict.ABSTAINED, SKIPPED_STEP
        if last.reason in (LOW_COVERAGE, BRIDGED):
            return Verdict.WARNED, last.reason
        if any(is_denied(check) for sentence in sentences for check in sentence.checks):
            return Verdict.WARNED, "contradicted_claim"
        supports = [sentence.support for sentence in sentences]
        if Support.ABSENT in supports or Support.NOT_COVERED in supports:
            return Verdict.WARNED, "unsupported_claim"
        if last.support is Support.UNKNOWN or any(map(_unchecked, sentences)):
            return Verdict.WARNED, "not_checked"
        return Verdict.ANSWERED, None


def _failure(check: Check) -> Support | RelationOutcome | None:
    """Why a check asks for retrieval: no support, or a relation that the corpus does not state."""
    if check.support is not Support.PRESENT:
        return check.support
    if check.relation is None:
        return None
    if is_denied(check):
        return RelationOutcome.CONTRADICTED
    sense = sense_of(check.triplet.relation, check.triplet.tail)
    # Of a relation that is not in the table nobody knows how else it is said.
    is_known = sense is not None and sense.is_known
    is_missed = check.relation.outcome is RelationOutcome.NOT_FOUND
    return RelationOutcome.NOT_FOUND if is_known and is_missed else None


def _unchecked(sentence: Sentence) -> bool:
    return sentence.support is Support.UNKNOWN and sentence.reason != "no_claim"
