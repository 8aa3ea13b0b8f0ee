"""A text that is already there, held against passages and the corpus claim by claim: a flow.

    parts of the text → counts of what each claims → passages, if none are given → scores → report

A pronoun is the name that it stands for where claims are counted and passages are looked for. A
text that answers a question in a word or a few is one claim, together with the question.

The flow is performed by `averment.engine.carry_out`. Nothing is rewritten here, and a text that
claims nothing is a report without claims, not an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from averment import steps
from averment.answers import scored_claim, unscored_claim
from averment.claims.atomic import facts
from averment.claims.pronouns import SelfContained, self_contained
from averment.claims.short_answers import AnswerForm, answer_claims
from averment.claims.split import Part, PartKind, split_text
from averment.dating import AsOf
from averment.policies.loop import Inspection
from averment.policies.quco import QuCo
from averment.scoring.ages import counted_ages
from averment.scoring.claims import ScorableClaim, answer_in_words
from averment.scoring.flow import Scoring
from averment.scoring.withholding import with_withheld
from averment.steps import Flow
from averment.text import TextForm
from averment.types import Passage, Question, Report

_PRONOUNS = frozenset("he she it they this that these those his her its their there".split())

_UNCOUNTED = Inspection(reason="no_corpus")
_MAY_ANSWER = frozenset({PartKind.CLAIM, PartKind.HEADING})


@dataclass(frozen=True, slots=True)
class _Claimed:
    """What a sentence, by its number, claims: in words for a judge, as a query, and counted."""

    sentence: int
    part: Part
    words: str
    query: str
    counts: Inspection


@dataclass(frozen=True, slots=True)
class TextCheck:
    """How a text is checked.

    Args:
        scoring: How its claims are scored.
        counting: Counts what they claim; None: there is no corpus, and support is unknown.
        n_passages: How many passages are retrieved for each claim where none are given.
        atomic: A claim is one fact of a sentence, with its subject named, and not the sentence. Its
            text is then in words of its own, and its offsets say where the fact stands.
        as_of: Up to when the corpus is looked at; None: all of it.
    """

    scoring: Scoring
    counting: QuCo | None = None
    n_passages: int = 0
    atomic: bool = False
    as_of: AsOf | None = None

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
        if question is not None and (answer := short_answer_part(text, parts, question)):
            parts = [answer]
            claimed = yield from self._answer(answer, question)
        else:
            claimed = yield from self._sentences(parts)
        are_retrieved = not contexts
        passages = list(contexts) if contexts else (yield from self._retrieve(claimed))
        claims = [
            ScorableClaim(each.words, each.part.start, each.part.end, each.counts.checks)
            for each in claimed
        ]
        scores = yield from self.scoring.of_text(
            question, text, claims, passages, are_retrieved=are_retrieved
        )
        told = []
        rows = zip(claimed, claims, scores.claims, strict=True)
        for each, claim, scored in rows:
            counts = each.counts
            unscored = unscored_claim(
                each.sentence, each.part.text, claim, support=counts.support, reason=counts.reason
            )
            told.append(scored_claim(unscored, scored, passages, from_corpus=are_retrieved))
        skipped = tuple(
            (part.start, part.end, part.kind.value)
            for part in parts
            if part.kind is not PartKind.CLAIM
        )
        ages = yield from counted_ages(told)
        aged = [replace(claim, age=age) for claim, age in zip(told, ages, strict=True)]
        claims_told = with_withheld(aged, scores.promise, scores.costs, answers=False)
        return Report(text, question, claims_told, skipped, tuple(passages), scores, self.as_of)

    def _sentences(self, parts: Sequence[Part]) -> Flow[list[_Claimed]]:
        """What claims something, counted; pronouns stand for names of the sentences before."""
        claiming = [part for part in parts if part.kind is PartKind.CLAIM]
        named = self_contained([part.text for part in claiming])
        claimed: list[_Claimed] = []
        for number, (part, told) in enumerate(zip(claiming, named, strict=True)):
            if self.atomic:
                claimed += yield from self._facts(number, part, told)
                continue
            counts = _UNCOUNTED
            if self.counting is not None:
                counts = yield from self.counting.inspect_claims(told.text)
            claimed.append(_Claimed(number, part, part.text, told.text, counts))
        return claimed

    def _facts(self, number: int, part: Part, told: SelfContained) -> Flow[list[_Claimed]]:
        """The facts of a sentence, each counted alone; the sentence where there are none."""
        extraction = yield from steps.triplets(told.text)
        claimed = []
        for fact in facts(part, told, extraction):
            counts = _UNCOUNTED
            if self.counting is not None:
                alone = replace(extraction, triplets=(fact.triplet,) if fact.triplet else ())
                counts = yield from self.counting.inspect_extraction(alone, sentence=fact.sentence)
            place = replace(part, text=fact.text, start=fact.start, end=fact.end)
            claimed.append(_Claimed(number, place, fact.text, fact.text, counts))
        return claimed

    def _answer(self, part: Part, question: Question) -> Flow[list[_Claimed]]:
        """A short answer is one claim, together with its question, or says that there is none."""
        if part.kind is not PartKind.CLAIM:
            return []
        counts = _UNCOUNTED
        if self.counting is not None:
            counts = yield from self.counting.inspect_answer(part.text, question.text)
        words = answer_in_words(question, part.text)
        return [_Claimed(0, part, words, words, counts)]

    def _retrieve(self, claimed: Sequence[_Claimed]) -> Flow[list[Passage]]:
        """The passages that the claims ask for, each once, in the order of the claims.

        A claim about "it" is held against what was retrieved for the others: asked on its own it
        would find evidence about something else.
        """
        found: dict[Passage, None] = {}
        for each in claimed if self.n_passages else ():
            if TextForm().words(each.query)[0] in _PRONOUNS:
                continue
            retrieval = yield from steps.search(
                each.query, self.n_passages, trigger="check", detail="evidence for a claim"
            )
            found |= dict.fromkeys(hit.passage for hit in retrieval.hits)
        return list(found)


def short_answer_part(text: str, parts: Sequence[Part], question: Question) -> Part | None:
    """The text as one part, if it answers in a word or a few; a refusal in words is none.

    Args:
        text: The text.
        parts: Of it, by `split_text`.
        question: What it answers.
    """
    form = answer_claims(question.text, text).form
    if not parts or form is AnswerForm.TEXT or {part.kind for part in parts} - _MAY_ANSWER:
        return None
    start, end = min(part.start for part in parts), max(part.end for part in parts)
    kind = PartKind.REFUSAL if form is AnswerForm.OPEN else PartKind.CLAIM
    return Part(text[start:end], start, end, kind)
