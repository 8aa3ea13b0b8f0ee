"""What of a sentence is held against passages, and where it stands in the answer.

A sentence that gives the answer in short ("So the answer is Paris.") claims nothing that a passage
could entail without its question; together they do.

What this module does not do: cut sentences into single facts.
"""

from __future__ import annotations

from dataclasses import dataclass

from averment.claims.short_answers import answer_claims
from averment.policies.loop import before_final, final_answer, is_unknown
from averment.types import Check, Draft, Passage, Question, Sentence, Token, Triplet


@dataclass(frozen=True, slots=True)
class ScorableClaim:
    """A claim at ``answer[start:end]`` and what is known of it.

    Args:
        text: What is held against passages; empty where nothing is claimed.
        start: In code points of the answer.
        end: In code points of the answer.
        checks: Counts, where somebody has counted already.
        tokens: The tokens that it ends with, with log-probabilities under its own prompt.
    """

    text: str
    start: int
    end: int
    checks: tuple[Check, ...] = ()
    tokens: tuple[Token, ...] = ()

    @property
    def triplets(self) -> tuple[Triplet, ...]:
        """The relations that it claims, apart from pairs without one."""
        return tuple(check.triplet for check in self.checks if check.triplet.relation)


def answer_text(draft: Draft) -> str:
    """The answer that the claims of a draft point into."""
    return " ".join(sentence.text for sentence in draft.sentences)


def retrieved_passages(draft: Draft) -> list[Passage]:
    """The passages of all retrievals in order: those that `Faithfulness.passage` counts."""
    return [hit.passage for made in draft.retrievals for hit in made.retrieval.hits]


def claims_of(question: Question, draft: Draft) -> list[ScorableClaim]:
    """One claim a sentence, in order."""
    claims = []
    start = 0
    for sentence in draft.sentences:
        end = start + len(sentence.text)
        claims.append(
            ScorableClaim(
                text=claimed(question, sentence),
                start=start,
                end=end,
                checks=sentence.checks,
                tokens=sentence.tokens,
            )
        )
        start = end + 1
    return claims


def claimed(question: Question, sentence: Sentence) -> str:
    """What a sentence claims: itself, or the question and the short answer that it gives.

    Source: FRANQ (arXiv 2505.21072): short answers are judged as question and answer in a row.
    """
    answer = final_answer(sentence.text)
    if not answer:
        return sentence.text
    before = before_final(sentence.text)
    if before:
        return before
    return "" if is_unknown(answer) else answer_in_words(question, answer)


def answer_in_words(question: Question, answer: str) -> str:
    """What a short answer claims: "yes" and "no" as statements, others after their question."""
    statement = answer_claims(question.text, answer).statement
    return statement or f"{question.text} {answer}"
