"""Spans and events are what was done, hold no text unless asked for, and are off by default."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import _logs, trace
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

import averment
from averment.calibrating import calibrate
from averment.cli.app import run
from averment.errors import MissingExtraError
from averment.franq.calibrator import Mode
from averment.franq.calibrator_json import to_json
from averment.models.scripted import ScriptedModel
from averment.spans import EVALUATION, Spans
from labels_by_hand import some_labels
from serve.rivers_index import rivers  # noqa: F401
from serve.running import ask, client, running, serving_of
from towns_by_hand import QUESTION, scripted

WORDS = ("vltava", "prague", "river", "bohemia", "danube")
SPANS, EVENTS = InMemorySpanExporter(), InMemoryLogRecordExporter()


@pytest.fixture(scope="module", autouse=True)
def _providers() -> None:
    """What somebody sets up who wants to see spans; once a process."""
    tracers, loggers = TracerProvider(), LoggerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(SPANS))
    loggers.add_log_record_processor(SimpleLogRecordProcessor(EVENTS))
    trace.set_tracer_provider(tracers)
    _logs.set_logger_provider(loggers)


@pytest.fixture(autouse=True)
def _forgotten() -> None:
    SPANS.clear()
    EVENTS.clear()


def spans() -> dict[str, ReadableSpan]:
    return {span.name: span for span in SPANS.get_finished_spans()}


def events() -> list[tuple[Any, dict[str, Any]]]:
    """Each event with its attributes; all are evaluations."""
    records = [each.log_record for each in EVENTS.get_finished_logs()]
    assert {record.event_name for record in records} <= {EVALUATION}
    return [(record, dict(record.attributes or {})) for record in records]


def everything() -> str:
    """All that left, as one text."""
    told = [json.dumps(json.loads(span.to_json())) for span in SPANS.get_finished_spans()]
    return " ".join([*told, *(json.dumps(attributes) for _, attributes in events())]).lower()


def answered(index: Path, **settings: Any) -> Any:
    with averment.open_engine(
        index=index, model=scripted(), policy="quco", faithfulness="lexical", **settings
    ) as engine:
        return engine.ask(QUESTION)


# --- answers ------------------------------------------------------------------------------------


def test_a_question_is_a_span_with_its_steps_below_it(rivers: Path) -> None:
    answer = answered(rivers, otel=True)

    found = spans()
    root = found["invoke_workflow quco"]
    assert dict(root.attributes or {}) == {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.agent.name": "quco",
        "gen_ai.provider.name": "averment",
        "gen_ai.request.model": "tiny",
        "gen_ai.response.id": answer.trace.trace_id,
        "gen_ai.data_source.id": answer.trace.index,
        "gen_ai.usage.input_tokens": answer.trace.cost.prompt_tokens,
        "gen_ai.usage.output_tokens": answer.trace.cost.generated_tokens,
        "averment.verdict": answer.verdict.value,
    }
    below = [span for span in SPANS.get_finished_spans() if span is not root]
    assert {span.parent.span_id for span in below if span.parent} == {root.context.span_id}
    assert {"text_completion tiny", "averment.count_phrases", "averment.cooccur"} <= set(found)
    commits = sum(type(record.step).__name__ == "Commit" for record in answer.trace.records)
    assert len(below) == len(answer.trace.records) - commits
    for span in below:
        assert root.start_time <= span.start_time <= span.end_time <= root.end_time


def test_what_a_model_wrote_is_counted_and_not_told(rivers: Path) -> None:
    answer = answered(rivers, otel=True)

    generations = [
        span for span in SPANS.get_finished_spans() if span.name == "text_completion tiny"
    ]
    told = [dict(span.attributes or {}) for span in generations]
    assert {each["gen_ai.provider.name"] for each in told} == {"llama_cpp"}
    assert all(each["gen_ai.response.finish_reasons"] for each in told)
    n_generated = sum(each["gen_ai.usage.output_tokens"] for each in told)
    assert n_generated == answer.trace.cost.generated_tokens
    assert not any(word in everything() for word in WORDS)


def test_what_is_held_of_each_claim_is_an_event_below_the_question(rivers: Path) -> None:
    answer = answered(rivers, otel=True)

    root = spans()["invoke_workflow quco"]
    found = events()
    assert {record.span_id for record, _ in found} == {root.context.span_id}
    assert {told["gen_ai.response.id"] for _, told in found} == {answer.trace.trace_id}
    by_name: dict[str, list[dict[str, Any]]] = {}
    for _, told in found:
        by_name.setdefault(told["gen_ai.evaluation.name"], []).append(told)
    assert [told["gen_ai.evaluation.score.label"] for told in by_name["verdict"]] == ["answered"]
    assert len(by_name["factuality"]) == len(by_name["faithfulness"]) == len(answer.claims)
    for claim, told in zip(answer.claims, by_name["factuality"], strict=True):
        assert "gen_ai.evaluation.score.value" not in told
        assert told["gen_ai.evaluation.score.label"] == f"{claim.verdict} (uncalibrated)"
        assert told["gen_ai.evaluation.explanation"] == claim.reasons["verdict"]
        place = (told["averment.claim.start"], told["averment.claim.end"])
        assert place == (claim.start, claim.end)
    for claim, told in zip(answer.claims, by_name["faithfulness"], strict=True):
        assert told.get("gen_ai.evaluation.score.value") == claim.p_faithful


def test_an_answer_without_scores_says_so(rivers: Path) -> None:
    answered(rivers, otel=True, scores=False)

    labels = {told.get("gen_ai.evaluation.score.label") for _, told in events()}
    assert "unverified (no_estimator)" in labels
    assert "no_estimator" in labels  # of faithfulness
    assert not any("gen_ai.evaluation.score.value" in told for _, told in events())


def test_with_content_texts_are_there(rivers: Path) -> None:
    answered(rivers, otel=True, otel_content=True, policy_parameters={})
    asked = dict(spans()["invoke_workflow quco"].attributes or {})["gen_ai.input.messages"]

    with averment.open_engine(
        index=rivers, model=scripted(), policy="single", otel=True, otel_content=True
    ) as engine:
        engine.ask(QUESTION)

    assert json.loads(str(asked))[0]["parts"] == [{"type": "text", "content": QUESTION}]
    retrieval = dict(spans()["retrieval"].attributes or {})
    assert retrieval["gen_ai.retrieval.query.text"] == QUESTION
    assert retrieval["gen_ai.retrieval.top_k"] == 3
    assert json.loads(str(retrieval["gen_ai.retrieval.documents"]))[0]["id"] == "prague"
    generated = dict(spans()["text_completion tiny"].attributes or {})
    assert "Vltava" in str(generated["gen_ai.output.messages"])
    assert any("vltava" in told.get("averment.claim.text", "").lower() for _, told in events())


def test_a_question_that_ends_in_an_error_is_a_failed_span_without_its_message(
    rivers: Path,
) -> None:
    def overflow(prompt: object) -> str:
        raise averment.AvermentError(f"no room for {QUESTION}")

    model = ScriptedModel(overflow, name="tiny", capabilities=frozenset())
    with (
        averment.open_engine(index=rivers, model=model, policy="none", otel=True) as engine,
        pytest.raises(averment.AvermentError),
    ):
        engine.ask(QUESTION)

    root, step = spans()["invoke_workflow none"], spans()["text_completion tiny"]
    for span in (root, step):
        assert span.status.status_code is StatusCode.ERROR
        assert dict(span.attributes or {})["error.type"] == "AvermentError"
    assert not any(word in everything() for word in WORDS)
    assert events() == []


# --- checks -------------------------------------------------------------------------------------


def test_a_check_is_a_span_with_events(rivers: Path) -> None:
    averment.check("The Vltava flows through Prague.", index=rivers, otel=True)

    root = spans()["invoke_workflow check"]
    assert spans()["retrieval"].parent.span_id == root.context.span_id  # type: ignore[union-attr]
    assert {told["gen_ai.evaluation.name"] for _, told in events()} == {
        "factuality",
        "faithfulness",
    }
    assert not any("gen_ai.response.id" in told for _, told in events())
    assert not any(word in everything() for word in WORDS)


def test_a_calibrated_probability_is_the_value(tmp_path: Path) -> None:
    made = calibrate(some_labels(), mode=Mode.CONDITION, created_by="test").calibrator
    (tmp_path / "calibrator.json").write_text(to_json(made), encoding="utf-8")

    report = averment.check(
        "Oslo lies in Norway.",
        contexts=["Oslo lies in Norway."],
        faithfulness="lexical",
        calibrator=tmp_path / "calibrator.json",
        otel=True,
    )

    (told,) = [t for _, t in events() if t["gen_ai.evaluation.name"] == "factuality"]
    assert told["gen_ai.evaluation.score.value"] == report.claims[0].p_true
    assert told["gen_ai.evaluation.score.label"] == "supported"


def test_a_check_that_fails_is_a_failed_span(rivers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def search(self, queries: object, *, k: int) -> Any:
            raise averment.AvermentError("The passages of Prague are gone.")

    monkeypatch.setattr("averment.wiring.checks.open_retriever", lambda *_: Broken())

    with pytest.raises(averment.AvermentError, match="gone"):
        averment.check("The Vltava flows through Prague.", index=rivers, otel=True)

    for name in ("invoke_workflow check", "retrieval"):
        assert spans()[name].status.status_code is StatusCode.ERROR
    assert events() == []
    assert not any(word in everything() for word in WORDS)


def test_spans_stand_below_the_span_that_there_is(rivers: Path) -> None:
    with trace.get_tracer("test").start_as_current_span("a request") as outer:
        answered(rivers, otel=True)

    root = spans()["invoke_workflow quco"]
    assert root.parent is not None
    assert root.parent.span_id == outer.get_span_context().span_id


# --- where it is asked for ----------------------------------------------------------------------


def test_nothing_leaves_unless_it_is_asked_for(rivers: Path) -> None:
    answered(rivers)
    averment.check("The Vltava flows through Prague.", index=rivers)

    assert SPANS.get_finished_spans() == ()
    assert events() == []


def test_the_command_line_asks_for_it(rivers: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The Vltava flows through Prague.", encoding="utf-8")

    codes = [run(["check", "a.txt", "--index", str(rivers), *more]) for more in ([], ["--otel"])]

    assert codes == [0, 0]
    assert [s.name for s in SPANS.get_finished_spans()].count("invoke_workflow check") == 1


def test_a_server_makes_spans_of_answers_and_checks(rivers: Path) -> None:
    with (
        serving_of(rivers, scripted(), otel=True) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        made = c.post("/v1/chat/completions", json=ask()).json()
        c.post("/v1/verify", json={"answer": "The Vltava flows through Prague."})

    found = spans()
    told = dict(found["invoke_workflow quco"].attributes or {})
    assert told["gen_ai.response.id"] == made["averment"]["trace_id"]
    assert "invoke_workflow check" in found


def test_an_agents_call_is_the_parent_of_its_checks(rivers: Path) -> None:
    import asyncio

    from mcp.client.client import Client

    from averment.serve.mcp import make_server
    from averment.settings import resolve_settings

    async def call(**settings: Any) -> None:
        resolved = resolve_settings(index=rivers, faithfulness="lexical", **settings)
        async with Client(make_server(resolved)) as agent:
            await agent.call_tool("verify_claims", {"claims": ["The Vltava flows through Prague."]})

    asyncio.run(call())
    without = {span.name for span in SPANS.get_finished_spans() if span.kind.name != "CLIENT"}
    asyncio.run(call(otel=True))

    assert without == set()
    check = spans()["invoke_workflow check"]
    called = [
        span
        for span in SPANS.get_finished_spans()
        if span.name == "tools/call verify_claims" and span.kind.name == "SERVER"
    ]
    assert check.parent is not None
    assert [span.context.span_id for span in called] == [check.parent.span_id]


def test_without_the_extra_it_gives_the_line_to_type(
    rivers: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)

    with pytest.raises(MissingExtraError, match=r"averment\[otel\]"):
        Spans(provider="test", content=False)
    with pytest.raises(MissingExtraError):
        serving_of(rivers, scripted(), otel=True)
    Path("a.txt").write_text("Oslo lies in Norway.", encoding="utf-8")
    assert run(["check", "a.txt", "--otel"]) == 2
    assert "averment[otel]" in capsys.readouterr().err


def test_unless_it_is_asked_for_nothing_of_it_is_imported(rivers: Path) -> None:
    code = (
        "import sys, averment; "
        f"averment.check('Oslo lies in Norway.', index={str(rivers)!r}); "
        "print('opentelemetry' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert said.stdout.strip() == "False"
