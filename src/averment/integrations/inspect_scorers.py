"""Scorers for Inspect (inspect-ai): grades of answers, verdicts of their claims.

`answer_grades` holds an answer against the target of its sample, `claim_verdicts` its claims
against passages of the sample's metadata or an index. What is not known is NaN, Inspect's word for
unscored, and is counted there, never taken for 0. Importing this module needs the extra [inspect].
"""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

try:
    import anyio
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import TaskState
except ImportError as error:
    from averment.errors import MissingExtraError

    raise MissingExtraError("Scorers for Inspect", "inspect") from error

from averment.errors import UsageError
from averment.evaluation.correctness import grade
from averment.evaluation.examples import AnswerKind, Example
from averment.integrations.completions import short_answer
from averment.integrations.inspect_metrics import calibration, selective_accuracy
from averment.shapes import report_object
from averment.types import ClaimVerdict, Report
from averment.wiring import check, open_index


@scorer(metrics={"*": [mean(), stderr()]})
def answer_grades(kind: str = "span") -> Scorer:
    """Grade answers as averment's benches do: exact match and token F1, of the best target.

    Args:
        kind: What an answer looks like: ``span``, ``yes_no`` and ``yes_no_maybe`` (with accuracy),
            or ``long`` (with ROUGE-L).
    """
    expected = AnswerKind(kind)

    async def score(state: TaskState, target: Target) -> Score:
        example = Example(str(state.sample_id), state.input_text, tuple(target), expected)
        written = state.output.completion
        answer = written if expected is AnswerKind.LONG else short_answer(written)
        return Score(value=_grades(answer, example), answer=answer)

    return score


@scorer(metrics=[{"*": [mean(), stderr()]}, calibration(), selective_accuracy()])
def claim_verdicts(index: str | None = None, contexts: str = "contexts", **settings: Any) -> Scorer:
    """Check what a model wrote, claim by claim (`averment.check`).

    A score has the share of claims of each verdict; ``score`` and ``p_true`` of the last claim,
    which gives the answer (``p_true`` only with a calibrator); and ``right``, whether the answer
    matches the target, where the sample has one. The whole report is the metadata of the score.

    Args:
        index: The directory of an index; None: there is none.
        contexts: The key of the sample's metadata with its passages, a list of texts.
        **settings: Any setting of averment, such as ``faithfulness`` and ``calibrator``.

    Raises:
        NotAnIndexError: There is no index there.
    """
    opened = None if index is None else open_index(Path(index))
    turn = anyio.Lock()  # one check at a time: scorers run side by side, an index is read by one

    async def score(state: TaskState, target: Target) -> Score:
        passages = (state.metadata or {}).get(contexts)
        if passages is None and opened is None:
            raise UsageError(
                f"Sample {state.sample_id!r} has no passages under {contexts!r} in its metadata.",
                hint="Name their key (contexts=…), or an index (index=…).",
            )
        written = state.output.completion

        def checked() -> Report:
            return check(written, state.input_text, passages or (), opened, **settings)

        async with turn:
            report = await anyio.to_thread.run_sync(checked)
        answer = short_answer(written)
        right = math.nan
        if target.text:
            example = Example(str(state.sample_id), state.input_text, tuple(target))
            right = _grades(answer, example)["exact_match"]
        return Score(
            value={**_verdicts(report), "right": right},
            answer=answer,
            explanation="\n".join(f"{claim.verdict}: {claim.text}" for claim in report.claims),
            metadata=report_object(report),
        )

    return score


def _grades(answer: str, example: Example) -> dict[str, float]:
    found = grade(answer, example)
    grades = {"exact_match": found.exact_match, "f1": found.f1}
    more = {"accuracy": found.accuracy, "rouge_l": found.rouge_l}
    return grades | {name: value for name, value in more.items() if value is not None}


def _verdicts(report: Report) -> dict[str, float]:
    counts = Counter(claim.verdict for claim in report.claims)
    last = report.claims[-1] if report.claims else None
    n = len(report.claims) or math.nan
    return {
        **{verdict.value: counts[verdict] / n for verdict in ClaimVerdict},
        "score": math.nan if last is None or last.score is None else last.score,
        "p_true": math.nan if last is None or last.p_true is None else last.p_true,
    }
