"""Traces: what they count, what they refuse to read, and how errors travel in them."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from averment import steps
from averment.errors import (
    AvermentError,
    ExtractionError,
    IndexUnavailable,
    MissingExtraError,
    TraceFormatError,
    restore,
)
from averment.readings import Attention, Sampling, Spread
from averment.trace import SCHEMA, Failure, Record, Trace, to_plain
from averment.types import (
    Capability,
    Count,
    Draft,
    FinishReason,
    Generation,
    GenerationOptions,
    ModelInfo,
    Prompt,
    Question,
    Sentence,
    Support,
    Token,
    Usage,
    Verdict,
)
from doubles import EVERY_ERROR, exact, hits, passage, text_of


def done(step: steps.Step, outcome: object, ms: float = 1.0) -> Record:
    return Record(step, outcome, None, 0.0, ms)


GENERATED = done(steps.Generate(Prompt("p"), GenerationOptions()), text_of("Oslo it is."), 250.0)
SEARCHED = done(steps.Search("q", 3, "always", "d"), hits("q", passage("Oslo.")), 500.0)
COUNTED = done(steps.CountPhrases(("Oslo", "Bergen")), [exact(3), Count.unavailable()])
COMMITTED = done(steps.Commit(Sentence("Oslo it is.", Support.UNKNOWN)), None)
FAILED = Record(
    steps.CountPhrases(("Oslo",)), None, Failure.of(IndexUnavailable("down", hint="wait")), 0.0, 1.0
)


def trace_of(*records: Record, draft: Draft | None = None) -> Trace:
    return Trace(
        "0123456789abcdef",
        Question("q1", "Which city?", ("Oslo",)),
        "policy",
        "model",
        "index",
        "2026-01-01T00:00:00+00:00",
        {"averment": "0", "python": "3"},
        records,
        draft,
    )


def test_a_trace_survives_its_json() -> None:
    draft = Draft((Sentence("Oslo it is.", Support.UNKNOWN),), "", (), Verdict.WARNED, "why")
    trace = trace_of(GENERATED, SEARCHED, COUNTED, FAILED, COMMITTED, draft=draft)

    assert Trace.loads(trace.dumps()) == trace


def test_a_trace_is_one_line_that_reads_as_it_was_written() -> None:
    line = trace_of(done(steps.ExtractEntities("Łódź\n東京"), ())).dumps()

    assert "\n" not in line
    assert "Łódź" in line


def test_half_a_character_can_be_written_down_and_comes_back() -> None:
    trace = trace_of(done(steps.ExtractEntities("Oslo \ud83d"), ()))

    assert Trace.loads(trace.dumps().encode().decode()) == trace


def test_a_step_in_json_carries_the_name_of_its_class() -> None:
    plain = trace_of(GENERATED, COMMITTED).to_json()

    assert [made["step"]["type"] for made in plain["records"]] == ["Generate", "Commit"]


def test_the_cost_adds_up_over_all_steps() -> None:
    trace = trace_of(GENERATED, SEARCHED, GENERATED, FAILED)

    assert trace.cost.prompt_tokens == 20
    assert trace.cost.generated_tokens == 6
    assert trace.cost.model_calls == 2
    assert trace.cost.retrievals == 1
    assert trace.cost.seconds == pytest.approx(1.001)


def test_what_is_read_inside_a_model_costs_its_tokens_and_every_continuation_is_a_call() -> None:
    read = done(steps.ReadAttention("", "Oslo", 0), Attention((), (), (), Usage(7)))
    sampling = Sampling(20, 5, (), 1.0, 50, 0.9, 0)
    drawn = done(steps.MeasureSpread(Prompt("Q"), sampling), Spread(None, 0, Usage(30, 90)))

    cost = trace_of(GENERATED, read, drawn).cost

    assert (cost.prompt_tokens, cost.generated_tokens) == (47, 93)
    assert cost.model_calls == 22


def test_a_trace_from_before_tokens_had_entropies_is_read() -> None:
    written = Generation("Oslo", (Token("Oslo", -1.0),), FinishReason.LENGTH, Usage(1, 1))
    line = trace_of(done(GENERATED.step, written)).dumps()

    old = line.replace(', "entropy": null', "")

    assert old != line
    assert Trace.loads(old) == Trace.loads(line)


def test_the_cost_is_derived_and_never_stored() -> None:
    assert "cost" not in trace_of(GENERATED).to_json()


@pytest.mark.parametrize("kind", EVERY_ERROR, ids=lambda kind: kind.__name__)
def test_a_recorded_failure_comes_back_as_the_same_error(kind: type[AvermentError]) -> None:
    error = restore(kind, "It was found.", "Type this.")

    restored = Failure.of(error).restore()

    assert type(restored) is kind
    assert (restored.message, restored.hint) == ("It was found.", "Type this.")
    assert str(restored) == "It was found. Type this."


@pytest.mark.parametrize(
    ("error", "attribute"),
    [
        pytest.param(ExtractionError("Expected a list.", raw="?"), "raw", id="raw"),
        pytest.param(MissingExtraError("Local models", "local"), "extra", id="extra"),
    ],
)
def test_what_a_failure_does_not_record_is_empty_in_the_error_that_comes_back(
    error: AvermentError, attribute: str
) -> None:
    assert getattr(Failure.of(error).restore(), attribute) == ""


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("SomebodyElsesError", id="unknown"),
        pytest.param("difflib", id="a module"),
        pytest.param("Iterable", id="a class that is no error"),
        pytest.param("restore", id="a function"),
    ],
)
def test_a_failure_of_an_error_that_is_not_ours_comes_back_as_the_root(kind: str) -> None:
    restored = Failure(kind, "It was found.").restore()

    assert type(restored) is AvermentError


@pytest.mark.parametrize("ms", [math.nan, math.inf], ids=str)
def test_neither_nan_nor_infinity_gets_into_the_json(ms: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        trace_of(done(steps.ExtractEntities("t"), (), ms)).dumps()


# --- what is not a trace ------------------------------------------------------------------------


def test_a_newer_schema_asks_for_an_update() -> None:
    plain = {**trace_of().to_json(), "schema": SCHEMA + 1}

    with pytest.raises(TraceFormatError, match=f"schema {SCHEMA + 1}") as refused:
        Trace.from_json(plain)

    assert refused.value.hint == "Update averment: pip install -U averment"


@pytest.mark.parametrize("plain", [{}, {"schema": "1"}, {"schema": None}], ids=repr)
def test_an_object_without_a_schema_number_is_no_trace(plain: dict[str, Any]) -> None:
    with pytest.raises(TraceFormatError, match="no field 'schema'"):
        Trace.from_json(plain)


@pytest.mark.parametrize("schema", [0, -3, True], ids=repr)
def test_schemas_count_from_1(schema: object) -> None:
    with pytest.raises(TraceFormatError, match="schemas count from 1"):
        Trace.from_json({**trace_of().to_json(), "schema": schema})


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("{", id="cut"),
        pytest.param("no trace", id="words"),
        pytest.param('{"schema": NaN}', id="NaN"),
        pytest.param('{"schema": -Infinity}', id="infinity"),
        pytest.param("[" * 100_000, id="nested too deep"),
    ],
)
def test_what_is_not_json_is_no_trace(text: str) -> None:
    with pytest.raises(TraceFormatError, match="not JSON"):
        Trace.loads(text)


@pytest.mark.parametrize("text", ["[]", "1", '"text"', "null"])
def test_json_that_is_no_object_is_no_trace(text: str) -> None:
    with pytest.raises(TraceFormatError, match="not a JSON object"):
        Trace.loads(text)


def _without(name: str) -> Any:
    return lambda plain: plain.pop(name)


def _with(name: str, value: object) -> Any:
    return lambda plain: plain.update({name: value})


def _in_record(name: str, value: object) -> Any:
    return lambda plain: plain["records"][0].update({name: value})


def _in_outcome(value: object) -> Any:
    return lambda plain: plain["records"][0].update(outcome=value)


@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(_without("records"), id="no records"),
        pytest.param(_without("question"), id="no question"),
        pytest.param(_with("records", 3), id="records are a number"),
        pytest.param(_with("records", ["step"]), id="a record is text"),
        pytest.param(_with("question", "Which?"), id="the question is text"),
        pytest.param(_with("model", None), id="the model is null"),
        pytest.param(_with("surplus", 1), id="a field too many"),
        pytest.param(_with("versions", 5), id="the versions are a number"),
        pytest.param(_with("versions", {"averment": 1}), id="a version is a number"),
        pytest.param(_in_record("step", {"type": "Teleport"}), id="an unknown step"),
        pytest.param(_in_record("step", {"phrases": []}), id="a step without type"),
        pytest.param(_in_record("step", {"type": ["CountPhrases"]}), id="a type that is a list"),
        pytest.param(_in_record("failure", "down"), id="the failure is text"),
        pytest.param(_in_record("failure", {}), id="the failure is empty"),
        pytest.param(_in_record("ms", None), id="no time"),
        pytest.param(_in_record("ms", "1.0"), id="the time is text"),
        pytest.param(_in_record("ms", True), id="the time is true"),
        pytest.param(_in_record("outcome", None), id="neither outcome nor failure"),
        pytest.param(_in_record("batch", "many"), id="the batch is a word"),
        pytest.param(_in_outcome({"value": 1}), id="one count where a list belongs"),
        pytest.param(_in_outcome([3]), id="a number where a count belongs"),
        pytest.param(
            _in_outcome([{"value": 1, "documents": 1, "kind": "guess"}]), id="an unknown kind"
        ),
        pytest.param(
            _in_outcome([{"value": True, "documents": 1, "kind": "exact"}]), id="true as a number"
        ),
        pytest.param(
            _in_outcome([{"value": "1", "documents": 1, "kind": "exact"}]), id="text as a number"
        ),
    ],
)
def test_a_damaged_trace_is_refused_with_a_typed_error(harm: Any) -> None:
    plain = json.loads(trace_of(COUNTED).dumps())
    harm(plain)

    with pytest.raises(TraceFormatError, match="damaged"):
        Trace.from_json(plain)


def test_a_pair_of_three_is_damage() -> None:
    plain = trace_of(done(steps.Cooccur((("a", "b"),), 9), [])).to_json()
    plain["records"][0]["step"]["pairs"] = [["a", "b", "c"]]

    with pytest.raises(TraceFormatError, match="damaged"):
        Trace.from_json(plain)


def test_a_set_becomes_a_sorted_list() -> None:
    info = ModelInfo("m", "s", frozenset({Capability.SCORING, Capability.LOGPROBS}))

    assert to_plain(info)["capabilities"] == ["logprobs", "scoring"]
