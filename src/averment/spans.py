"""Answers and checks as spans and events of OpenTelemetry, made from the engine's own log of steps.

Only the API is used: where spans go is for whoever runs averment to set up, and without that they
go nowhere. No text of a question, an answer or a document is in them unless content was asked for.

Source of the names: OpenTelemetry's semantic conventions for GenAI, as of their release 0.1.0 (in
development). An event says what is held of a claim; a score that is not known is not there, and
the label says why.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from importlib import metadata
from typing import TYPE_CHECKING, Any, TypeAlias

from averment import steps
from averment.engine import Answered, Unanswered
from averment.errors import AvermentError, MissingExtraError
from averment.trace import Record, Trace
from averment.types import Answer, Claim, Generation, Report, Retrieval

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span

EVALUATION = "gen_ai.evaluation.result"
_PROVIDER = "averment"
_Attributes: TypeAlias = dict[str, Any]
_NS_A_MS = 1_000_000


class Spans:
    """Makes spans and events.

    Args:
        provider: Who runs the language model, as the conventions name it.
        content: Whether texts are in them.

    Raises:
        MissingExtraError: OpenTelemetry's API is not installed.
    """

    def __init__(self, *, provider: str, content: bool) -> None:
        try:
            from opentelemetry import _logs, trace
        except ImportError as error:
            raise MissingExtraError("Spans and events", "otel") from error
        version = metadata.version("averment")
        self._tracer = trace.get_tracer("averment", version)
        self._events = _logs.get_logger("averment", version)
        self._provider = provider
        self._content = content

    def answered(self, result: Answered | Unanswered) -> None:
        """A span of a question, one of each step below it, and events of what is held of it."""
        trace = result.trace
        attributes = {
            **_workflow(trace.policy.partition("(")[0]),
            "gen_ai.request.model": trace.model,
            "gen_ai.response.id": trace.trace_id,
            "gen_ai.data_source.id": trace.index,
            "gen_ai.usage.input_tokens": trace.cost.prompt_tokens,
            "gen_ai.usage.output_tokens": trace.cost.generated_tokens,
            **self._said("gen_ai.input.messages", "user", trace.question.text),
        }
        began_ns = _began_ns(trace)
        with self._around(trace.records, began_ns, attributes, model=trace.model) as (span, within):
            if isinstance(result, Unanswered):
                _fail(span, type(result.error).__name__)
                return
            answer = result.answer
            span.set_attribute("averment.verdict", answer.verdict.value)
            span.set_attributes(self._said("gen_ai.output.messages", "assistant", answer.text))
            self._decided(answer, within)
            self._judged(answer.claims, within, trace_id=trace.trace_id)

    def checked(
        self, text: str, found: Report | AvermentError, records: Sequence[Record], began_ns: int
    ) -> None:
        """A span of the check of a text, one of each step, and events of what is held of it.

        Args:
            text: What was checked.
            found: What was found, or why nothing was.
            records: The steps.
            began_ns: When it began: nanoseconds since 1970.
        """
        attributes = {
            **_workflow("check"),
            **self._said("gen_ai.input.messages", "assistant", text),
        }
        model = "" if isinstance(found, AvermentError) else found.scores.model
        with self._around(records, began_ns, attributes, model=model) as (span, within):
            if isinstance(found, AvermentError):
                _fail(span, type(found).__name__)
            else:
                self._judged(found.claims, within)

    # --- spans of steps -------------------------------------------------------------------------

    @contextmanager
    def _around(
        self, records: Sequence[Record], began_ns: int, attributes: _Attributes, *, model: str
    ) -> Iterator[tuple[Span, Context]]:
        """A span around those of the steps, below whatever span there is; it ends as they did."""
        from opentelemetry.trace import set_span_in_context

        name = f"invoke_workflow {attributes['gen_ai.agent.name']}"
        span = self._tracer.start_span(name, attributes=attributes, start_time=began_ns)
        within = set_span_in_context(span)
        self._steps(records, began_ns, within, model=model)
        yield span, within
        ended_ms = max((record.started_ms + record.ms for record in records), default=0.0)
        span.end(began_ns + round(ended_ms * _NS_A_MS))

    def _steps(
        self, records: Iterable[Record], began_ns: int, within: Context, *, model: str
    ) -> None:
        for record in records:
            if isinstance(record.step, steps.Commit):
                continue  # nothing is done
            name, attributes = self._told(record, model)
            start_ns = began_ns + round(record.started_ms * _NS_A_MS)
            span = self._tracer.start_span(name, within, attributes=attributes, start_time=start_ns)
            if record.failure is not None:
                _fail(span, record.failure.kind)
            span.end(start_ns + round(record.ms * _NS_A_MS))

    def _told(self, record: Record, model: str) -> tuple[str, _Attributes]:
        """The name of a span, and what is said of the step."""
        step, outcome = record.step, record.outcome
        if isinstance(step, steps.Generate):
            return f"text_completion {model}", self._generated(step, outcome, model)
        if isinstance(step, steps.Search):
            return "retrieval", self._retrieved(step, outcome)
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(step).__name__).lower()
        return f"averment.{name}", {"averment.batch": record.batch}

    def _generated(
        self, step: steps.Generate, outcome: Generation | None, model: str
    ) -> _Attributes:
        told: _Attributes = {
            "gen_ai.operation.name": "text_completion",
            "gen_ai.provider.name": self._provider,
            "gen_ai.request.model": model,
            "gen_ai.request.max_tokens": step.options.max_tokens,
            "gen_ai.request.temperature": step.options.temperature,
            **self._said("gen_ai.input.messages", "user", step.prompt.text + step.prompt.answer),
        }
        if outcome is not None:
            told |= {
                "gen_ai.usage.input_tokens": outcome.usage.prompt_tokens,
                "gen_ai.usage.output_tokens": outcome.usage.generated_tokens,
                "gen_ai.response.finish_reasons": [outcome.finish.value],
                **self._said("gen_ai.output.messages", "assistant", outcome.text),
            }
        return told

    def _retrieved(self, step: steps.Search, outcome: Retrieval | None) -> _Attributes:
        told: _Attributes = {
            "gen_ai.operation.name": "retrieval",
            "gen_ai.retrieval.top_k": step.k,
            "averment.trigger": step.trigger,
        }
        if self._content:
            told["gen_ai.retrieval.query.text"] = step.query
            if outcome is not None:
                found = [
                    {"id": hit.passage.document_id, "score": hit.score} for hit in outcome.hits
                ]
                told["gen_ai.retrieval.documents"] = json.dumps(found, ensure_ascii=False)
        return told

    # --- events of what is held -----------------------------------------------------------------

    def _decided(self, answer: Answer, within: Context) -> None:
        self._event(
            within,
            "verdict",
            label=answer.verdict.value,
            explanation=answer.reason,
            trace_id=answer.trace_id,
        )

    def _judged(
        self, claims: Iterable[Claim], within: Context, *, trace_id: str | None = None
    ) -> None:
        """Two events a claim: how likely it is true, and how faithful to the passages."""
        for claim in claims:
            verdict = claim.verdict.value
            why_none = claim.reasons.get("p_true", "unscored")
            place: _Attributes = {
                "averment.claim.start": claim.start,
                "averment.claim.end": claim.end,
                **({"averment.claim.text": claim.text} if self._content else {}),
            }
            self._event(
                within,
                "factuality",
                label=verdict if claim.p_true is not None else f"{verdict} ({why_none})",
                value=claim.p_true,
                explanation=claim.reasons["verdict"],
                trace_id=trace_id,
                more=place,
            )
            unread = claim.p_faithful is None
            self._event(
                within,
                "faithfulness",
                label=claim.reasons.get("p_faithful", "unscored") if unread else None,
                value=claim.p_faithful,
                explanation=claim.reasons["verdict"],
                trace_id=trace_id,
                more=place,
            )

    def _event(
        self,
        within: Context,
        name: str,
        *,
        label: str | None,
        value: float | None = None,
        explanation: str | None,
        trace_id: str | None,
        more: _Attributes | None = None,
    ) -> None:
        told = {
            "gen_ai.evaluation.name": name,
            "gen_ai.evaluation.score.value": value,
            "gen_ai.evaluation.score.label": label,
            "gen_ai.evaluation.explanation": explanation,
            "gen_ai.response.id": trace_id,
            **(more or {}),
        }
        known = {key: each for key, each in told.items() if each is not None}
        self._events.emit(
            timestamp=time.time_ns(), context=within, attributes=known, event_name=EVALUATION
        )

    def _said(self, name: str, role: str, text: str) -> _Attributes:
        """A message, where content was asked for."""
        if not self._content:
            return {}
        message = {"role": role, "parts": [{"type": "text", "content": text}]}
        return {name: json.dumps([message], ensure_ascii=False)}


def _fail(span: Span, kind: str) -> None:
    """The kind of an error; its message may hold what somebody asked."""
    from opentelemetry.trace import StatusCode

    span.set_attribute("error.type", kind)
    span.set_status(StatusCode.ERROR)


def _workflow(name: str) -> _Attributes:
    return {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.agent.name": name,
        "gen_ai.provider.name": _PROVIDER,
    }


def _began_ns(trace: Trace) -> int:
    return round(datetime.fromisoformat(trace.started_at).timestamp() * 1000) * _NS_A_MS
