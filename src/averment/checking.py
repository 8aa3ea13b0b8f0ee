"""A text that is already there, held against passages and the corpus claim by claim: a flow.

    parts of the text → counts of what each claims → passages, if none are given → scores → report

The flow is performed by `averment.engine.carry_out`. Nothing is rewritten here, and a text that
claims nothing is a report without claims, not an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from averment import steps
from averment.answers import scored_claim, unscored_claim
from averment.claims.split import Part, PartKind, split_text
from averment.policies.loop import Inspection
from averment.policies.quco import QuCo
from averment.scoring.claims import ScorableClaim
from averment.scoring.flow import Scoring
from averment.steps import Flow
from averment.text import TextForm
from averment.types import Passage, Question, Report

_PRONOUNS = frozenset("he she it they this that these those his her its their there".split())


@dataclass(frozen=True, slots=True)
class TextCheck:
    """How a text is checked.

    Args:
        scoring: How its claims are scored.
        counting: Counts what they claim; None: there is no corpus, and support is unknown.
        n_passages: How many passages are retrieved for each claim where none are given.
    """

    scoring: Scoring
    counting: QuCo | None = None
    n_passages: int = 0

    def run(
        self, text: str, question: Question | None, contexts: Sequence[Passage]
    ) -> Flow[Report]:
        """Check a text.

        Args:
            text: Any text.
            question: What it answers, if that is known.
            contexts: What its claims are held against; empty: passages are retrieved.
        """
        parts = split_text(text)
        claimed = [part for part in parts if part.kind is PartKind.CLAIM]
        found = []
        for part in claimed:
            found.append((yield from self._count(part)))
        are_retrieved = not contexts
        passages = list(contexts) if contexts else (yield from self._retrieve(claimed))
        claims = [
            ScorableClaim(part.text, part.start, part.end, counts.checks)
            for part, counts in zip(claimed, found, strict=True)
        ]
        scores = yield from self.scoring.of_text(
            question, text, claims, passages, are_retrieved=are_retrieved
        )
        told = []
        rows = zip(claims, found, scores.claims, strict=True)
        for number, (claim, counts, scored) in enumerate(rows):
            unscored = unscored_claim(
                number, claim.text, claim, support=counts.support, reason=counts.reason
            )
            told.append(scored_claim(unscored, scored, passages, from_corpus=are_retrieved))
        skipped = tuple(
            (part.start, part.end, part.kind.value)
            for part in parts
            if part.kind is not PartKind.CLAIM
        )
        return Report(text, question, tuple(told), skipped, tuple(passages), scores)

    def _count(self, part: Part) -> Flow[Inspection]:
        if self.counting is None:
            return Inspection(reason="no_corpus")
        return (yield from self.counting.inspect_claims(part.text))

    def _retrieve(self, claimed: Sequence[Part]) -> Flow[list[Passage]]:
        """The passages that the claims ask for, each once, in the order of the claims.

        A claim about "it" is held against what was retrieved for the others: asked on its own it
        would find evidence about something else.
        """
        found: dict[Passage, None] = {}
        for part in claimed if self.n_passages else ():
            if TextForm().words(part.text)[0] in _PRONOUNS:
                continue
            retrieval = yield from steps.search(
                part.text, self.n_passages, trigger="check", detail="evidence for a claim"
            )
            found |= dict.fromkeys(hit.passage for hit in retrieval.hits)
        return list(found)
