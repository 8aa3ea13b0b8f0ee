"""Any trace that the types allow comes back from its JSON as it was."""

from __future__ import annotations

import dataclasses
import enum
import json
import types
import typing
from collections.abc import Mapping
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from averment import steps
from averment.costs import Costs
from averment.readings import Attention, Spread
from averment.trace import Failure, Record, Trace
from averment.types import (
    Cooccurrence,
    Count,
    Draft,
    Entity,
    Extraction,
    Faithfulness,
    Generation,
    Passage,
    Question,
    Retrieval,
    Token,
)
from doubles import EVERY_ERROR

OUTCOMES: dict[type, Any] = {
    steps.ExtractEntities: tuple[Entity, ...],
    steps.ExtractTriplets: Extraction,
    steps.CountPhrases: list[Count],
    steps.Cooccur: list[Cooccurrence],
    steps.LocatePairs: list[tuple[Passage, ...]],
    steps.Search: Retrieval,
    steps.Generate: Generation,
    steps.Commit: type(None),
    steps.JudgeFaithfulness: list[Faithfulness],
    steps.Rescore: list[Token],
    steps.ReadAttention: Attention,
    steps.MeasureSpread: Spread,
}
"""What each step gives, as `averment.steps` documents it."""

SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(max_size=12),
    int: st.integers(-(2**60), 2**60),
    bool: st.booleans(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    type(None): st.none(),
}


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a type that the modules `types` and `steps` are written with."""
    if kind in SCALARS:
        return SCALARS[kind]
    if kind is Costs:  # which takes no number that is none
        return st.builds(kind, **{f.name: st.floats(0, 1) for f in dataclasses.fields(kind)})
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return st.one_of([values(option) for option in arguments])
    if origin is tuple and arguments[-1] is not Ellipsis:
        return st.tuples(*[values(option) for option in arguments])
    if origin in (tuple, list):
        return st.lists(values(arguments[0]), max_size=2).map(origin)
    if origin is Mapping:
        return st.dictionaries(values(arguments[0]), values(arguments[1]), max_size=2)
    if issubclass(kind, enum.Enum):
        return st.sampled_from(list(kind))
    hints = typing.get_type_hints(kind)
    return st.builds(kind, **{f.name: values(hints[f.name]) for f in dataclasses.fields(kind)})


def records(step: type) -> st.SearchStrategy[Record]:
    """A record of that step that succeeded, or one that failed."""
    timing = {"started_ms": values(float), "ms": values(float), "batch": values(int)}
    failures = st.builds(
        Failure,
        st.sampled_from([kind.__name__ for kind in EVERY_ERROR]),
        values(str),
        values(str),
    )
    succeeded = st.builds(Record, values(step), values(OUTCOMES[step]), st.none(), **timing)
    failed = st.builds(Record, values(step), st.none(), failures, **timing)
    return succeeded | failed


TRACES = st.builds(
    Trace,
    trace_id=values(str),
    question=values(Question),
    policy=values(str),
    model=values(str),
    index=values(str),
    started_at=values(str),
    versions=values(Mapping[str, str]),
    records=st.tuples(*map(records, OUTCOMES)),
    draft=st.none() | values(Draft),
)


def test_every_step_of_the_language_takes_part() -> None:
    assert set(OUTCOMES) == set(typing.get_args(steps.Step))


@settings(max_examples=30, deadline=None)
@given(TRACES)
def test_a_trace_comes_back_from_its_json_as_it_was(trace: Trace) -> None:
    back = Trace.loads(trace.dumps())

    assert back == trace
    assert back.dumps() == trace.dumps()


@settings(max_examples=30, deadline=None)
@given(TRACES)
def test_the_types_come_back_too(trace: Trace) -> None:
    back = Trace.loads(trace.dumps())

    assert repr(back) == repr(trace)


@settings(max_examples=20, deadline=None)
@given(TRACES)
def test_the_json_is_strict(trace: Trace) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    plain = json.loads(trace.dumps(), parse_constant=refuse)

    assert plain["schema"] == trace.schema
