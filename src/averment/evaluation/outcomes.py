"""From what became of a question to its row: grades, costs, triggers, unknown counts, confidences.

Everything is read off the trace and the answer; nothing is asked again.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from averment import steps
from averment.engine import Answered, Unanswered
from averment.evaluation.correctness import grade
from averment.evaluation.examples import AnswerKind, Example
from averment.evaluation.rows import Row, Timing
from averment.models.cache import Meter
from averment.text import TextForm
from averment.trace import Failure, Record, Trace
from averment.types import (
    Answer,
    Cooccurrence,
    Count,
    Draft,
    Generation,
    Retrieval,
    Support,
    Verdict,
)

TOKEN_PROBABILITY = "token_probability"


def outcome_row(
    asked: Row, result: Answered | Unanswered, example: Example, *, spent: Meter
) -> Row:
    """The row of a question that was asked.

    Args:
        asked: Who was asked what; the rest is filled in.
        result: What became of it.
        example: The question and its answers.
        spent: What went through the model for it.
    """
    cost = result.trace.cost
    written = [
        each.outcome for each in result.trace.records if isinstance(each.outcome, Generation)
    ]
    counts = _counts(result.trace.records)
    row = replace(
        asked,
        retrievals=cost.retrievals,
        triggers=_triggers(result.trace),
        gold_retrieved=_gold_retrieved(result.trace, example),
        model_calls=cost.model_calls,
        prompt_tokens=cost.prompt_tokens,
        generated_tokens=cost.generated_tokens,
        extractor_tokens=spent.prompt_tokens
        + spent.generated_tokens
        - sum(each.usage.prompt_tokens + each.usage.generated_tokens for each in written),
        counts=counts.n_asked,
        unknown_counts=counts.n_unknown,
        timing=Timing(round(cost.seconds + spent.cached_seconds, 3), spent.cached_calls),
    )
    if isinstance(result, Unanswered):
        return replace(row, error=Failure.of(result.error))
    predicted = prediction(result.answer, example)
    return replace(
        row,
        prediction=predicted,
        draft=result.answer.draft,
        verdict=result.answer.verdict.value,
        reason=result.answer.reason,
        grades=replace(grade(predicted, example), draft_f1=_draft_f1(result, example)),
        confidences=_confidences(result.answer, result.trace.draft),
    )


def prediction(answer: Answer, example: Example) -> str:
    """What is graded of an answer.

    The short answer, or all of the text where there is none or where sentences are asked for;
    nothing where it abstained.
    """
    if answer.verdict is Verdict.ABSTAINED:
        return ""
    return answer.text if example.kind is AnswerKind.LONG else answer.final_answer or answer.text


def _draft_f1(result: Answered, example: Example) -> float | None:
    """The F1 of what the policy would have said if it had never abstained."""
    draft = result.trace.draft
    if draft is None:
        return None
    is_long = example.kind is AnswerKind.LONG
    written = result.answer.draft
    return grade(written if is_long else draft.final_answer or written, example).f1


@dataclass(frozen=True, slots=True)
class _Counts:
    n_asked: int
    n_unknown: int


def _counts(records: Iterable[Record]) -> _Counts:
    """How many counts were asked for, and how many of them nobody could give."""
    n_asked = n_unknown = 0
    for record in records:
        match record.step:
            case steps.CountPhrases(phrases=asked) | steps.Cooccur(pairs=asked):
                n_asked += len(asked)
                n_unknown += len(asked) if record.failure else _n_unknown(record.outcome)
    return _Counts(n_asked, n_unknown)


def _n_unknown(outcome: list[Count] | list[Cooccurrence]) -> int:
    return sum(each.support() is Support.UNKNOWN for each in outcome)


def _triggers(trace: Trace) -> Mapping[str, int]:
    searches = [record.step for record in trace.records if isinstance(record.step, steps.Search)]
    return dict(sorted(Counter(step.trigger for step in searches).items()))


def _gold_retrieved(trace: Trace, example: Example) -> float | None:
    """The share of the gold passages that were found, by their titles."""
    gold = {_title(passage.title) for passage in example.gold_passages if passage.title}
    if not gold:
        return None
    retrievals = [each.outcome for each in trace.records if isinstance(each.outcome, Retrieval)]
    found = {_title(hit.passage.title) for each in retrievals for hit in each.hits}
    return round(len(gold & found) / len(gold), 6)


def _title(text: str) -> tuple[str, ...]:
    return tuple(TextForm().words(text))


def _confidences(answer: Answer, draft: Draft | None) -> Mapping[str, float]:
    """How sure the answer is, by each measure that there is.

    ``token_probability`` is the geometric mean of the probabilities of the tokens of the last
    sentence; ``score`` and ``p_true`` are those of the last claim, which gives the answer.
    """
    found: dict[str, float | None] = {}
    if draft is not None and draft.sentences:
        logprobs = [token.logprob for token in draft.sentences[-1].tokens]
        known = [each for each in logprobs if each is not None]
        if known and len(known) == len(logprobs):
            found[TOKEN_PROBABILITY] = math.exp(min(0.0, statistics.fmean(known)))
    if answer.claims:
        found["score"] = answer.claims[-1].score
        found["p_true"] = answer.claims[-1].p_true
    return {name: round(value, 6) for name, value in found.items() if value is not None}
