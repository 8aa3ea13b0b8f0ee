"""One number decides: a draft is weighed by its probability of being true, and by what errors cost.

QuCo-RAG asks the corpus whether a claim fails. Here its answer is evidence beside other evidence:
the claim of each drafted sentence gets its calibrated P(true), and what is expected to cost least
is done. First a repair, if it is worth it: search again with what the claim is about, or draft
again with the same evidence, where it was misread. Once the answer is written, a claim is given,
hedged or left out, or there is no answer (`averment.scoring.withholding`, by the same costs). Of
several drafts of a sentence the cheapest stays.

What this module does not do: score (`averment.steps.ClaimScoring`), or know what errors cost
(`averment.costs`). Without a calibrator it does not run: scores that are no probabilities have no
expected cost.

Source: design/0026; `counting` is QuCo-RAG (arXiv 2512.19134), P(true) FRANQ (arXiv 2505.21072).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from averment.costs import Action, Costs, Weighed
from averment.errors import CapabilityError
from averment.findings import entails, is_denied
from averment.policies.final_answers import NO_ANSWERS
from averment.policies.loop import (
    Inspection,
    Progress,
    Query,
    final_answer,
    is_final,
    is_unknown,
    sentence_of,
)
from averment.policies.quco import QuCo
from averment.steps import ClaimScoring, Flow
from averment.types import (
    ClaimScores,
    Draft,
    Generation,
    Sentence,
    Verdict,
)

IMPROBABLE = "improbable_claim"
"""The trigger of a search for a claim that is not probable enough."""


@dataclass(frozen=True, slots=True)
class ExpectedCost(QuCo):
    """QuCo-RAG whose findings are weighed.

    Args:
        redraft_temperature: Of a draft with the same evidence, > 0.
        scoring: Who scores, and the costs; None until an engine says so.
    """

    redraft_temperature: float = 0.7
    scoring: ClaimScoring | None = field(default=None, repr=False)

    name: ClassVar[str] = "expected-cost"

    def scored_by(self, scoring: ClaimScoring | None) -> ExpectedCost:
        """The trigger with whoever scores.

        Raises:
            CapabilityError: Nobody does, or not with probabilities and costs.
        """
        if scoring is None or scoring.costs is None:
            raise CapabilityError(
                f"Policy {self.name!r} weighs the probability of claims, and they are not scored.",
                hint="Let claims be scored, by a calibrator: --scores --calibrator FILE",
            )
        return replace(self, scoring=scoring)

    def inspect(
        self, progress: Progress, sentence: str, generation: Generation
    ) -> Flow[Inspection]:
        """Count what a sentence claims, score it, and do what is expected to cost least."""
        found = yield from QuCo.inspect(self, progress, sentence, generation)
        claim = yield from self._scored(progress, sentence, found, generation)
        action, cost = self._as_it_is(sentence, found, claim)
        text = self._query(progress, sentence, found, claim)
        may_search = not progress.ledger.asked(text)
        may_draft = bool(progress.ledger.passages)  # otherwise there is nothing to misread
        repair, saved = self._costs.repair(cost, may_search=may_search, may_draft=may_draft)
        if not saved or not progress.repairs_left:
            weighed = Weighed(sentence, claim.p_true, action, cost)
            return replace(found, queries=(), weighed=weighed)
        weighed = Weighed(sentence, claim.p_true, repair, cost, saved)
        query = Query(text, IMPROBABLE, weighed.in_words)
        _, by_draft = self._costs.repair(cost, may_search=False, may_draft=may_draft)
        return replace(
            found,
            queries=(query,) if repair is Action.SEARCH else (),
            redraft_temperature=self.redraft_temperature if by_draft else None,
            weighed=weighed,
        )

    def conclude(self, sentences: tuple[Sentence, ...]) -> tuple[Verdict, str | None]:
        """Give the answer if there is one; whether it stays is for its probability to say."""
        if not sentences:
            return Verdict.ABSTAINED, "empty_answer"
        last = sentences[-1]
        if not is_final(last.text):
            return Verdict.WARNED, "no_final_answer"
        if _is_none(last.text, last.reason):
            return Verdict.ABSTAINED, "no_evidence"
        return Verdict.ANSWERED, None

    @property
    def _costs(self) -> Costs:
        assert self.scoring is not None
        assert self.scoring.costs is not None
        return self.scoring.costs

    def _scored(
        self, progress: Progress, sentence: str, found: Inspection, generation: Generation
    ) -> Flow[ClaimScores]:
        """The scores of a sentence behind those that are committed."""
        assert self.scoring is not None
        drafted = sentence_of(sentence, found, generation, progress.repairs)
        draft = Draft(
            sentences=(*progress.committed, drafted),
            final_answer=final_answer(sentence),
            retrievals=tuple(progress.ledger.retrievals),
            verdict=Verdict.ANSWERED,
            reason=None,
        )
        return (yield from self.scoring.of_last(progress.question, draft))

    def _as_it_is(
        self, sentence: str, found: Inspection, claim: ClaimScores
    ) -> tuple[Action, float]:
        """The best that can be done with a sentence as it is, and what that is expected to cost."""
        if is_final(sentence) and _is_none(sentence, found.reason):
            return Action.ABSTAIN, self._costs.abstained
        if claim.reasons.get("p_faithful") == "empty_claim":
            return Action.GIVE, 0.0
        return self._costs.best(claim.p_true, answers=is_final(sentence))

    def _query(
        self, progress: Progress, sentence: str, found: Inspection, claim: ClaimScores
    ) -> str:
        """What to search for: a second source, what failed, or what the sentence is about."""
        question = progress.question.text
        said = claim.faithfulness is not None and entails(claim.faithfulness)
        if said and any(map(is_denied, found.checks)):
            return sentence  # a passage says it and the corpus something else
        failed = [query.text for query in found.queries]
        about = [
            self.query_form.of(check.triplet, sentence=sentence, question=question)
            for check in found.checks
        ]
        texts = [*failed, *about, f"{question} {sentence}"]
        return next((text for text in texts if not progress.ledger.asked(text)), texts[0])


def _is_none(final: str, reason: str | None) -> bool:
    """Whether a final sentence gives no answer, or none to this question."""
    return is_unknown(final_answer(final)) or reason in NO_ANSWERS
