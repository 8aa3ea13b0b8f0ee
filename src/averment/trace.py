"""The trace: the log of steps and outcomes of one answer, and its JSON form.

Audit, replay, the cost of an answer and the answer page all read this one thing. It is written
by `averment.engine` only. Values round-trip: ``Trace.from_json(trace.to_json()) == trace``.
Derived numbers (`cost`) are computed, never stored.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from averment import errors, steps
from averment.dating import AsOf
from averment.errors import AvermentError, TraceFormatError
from averment.readings import Attention, Spread
from averment.types import (
    Cooccurrence,
    Cost,
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

SCHEMA = 1

_OUTCOMES: dict[type[Any], Any] = {
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
_STEPS: dict[str, type[Any]] = {step.__name__: step for step in _OUTCOMES}


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as a value: the name of its class, its message and its hint."""

    kind: str
    message: str
    hint: str = ""

    @classmethod
    def of(cls, error: AvermentError) -> Failure:
        """The record of an error."""
        return cls(type(error).__name__, error.message, error.hint)

    def restore(self) -> AvermentError:
        """An error of the same kind with the same words, to be raised at a replay."""
        kind = getattr(errors, self.kind, None)
        if not (isinstance(kind, type) and issubclass(kind, AvermentError)):
            kind = AvermentError
        return errors.restore(kind, self.message, self.hint)


@dataclass(frozen=True, slots=True)
class Record:
    """One step and what came of it.

    `ms` is the wall time of the step; of a batch, its share. `batch` says how many steps were
    performed together. Exactly one of `outcome` and `failure` speaks; a commit has neither.
    """

    step: steps.Step
    outcome: Any
    failure: Failure | None
    started_ms: float
    ms: float
    batch: int = 1


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything that happened for one question. Append-only while it is made, then frozen."""

    trace_id: str
    question: Question
    policy: str
    model: str
    index: str
    started_at: str
    versions: Mapping[str, str]
    records: tuple[Record, ...]
    draft: Draft | None
    schema: int = SCHEMA
    as_of: AsOf | None = None

    @property
    def cost(self) -> Cost:
        """All tokens and calls of the answer; seconds are the sum over the steps."""
        calls = [r for r in self.records if isinstance(r.outcome, Generation | Attention | Spread)]
        return Cost(
            prompt_tokens=sum(call.outcome.usage.prompt_tokens for call in calls),
            generated_tokens=sum(call.outcome.usage.generated_tokens for call in calls),
            model_calls=sum(_n_continuations(call.step) for call in calls),
            retrievals=sum(isinstance(r.outcome, Retrieval) for r in self.records),
            seconds=sum(r.ms for r in self.records) / 1000.0,
        )

    def to_json(self) -> dict[str, Any]:
        """A JSON object; steps carry their class name under ``type``."""
        plain: dict[str, Any] = to_plain(dataclasses.replace(self, records=()))
        return {**plain, "records": records_to_json(self.records)}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Trace:
        """The trace of `to_json`.

        Raises:
            TraceFormatError: Not a trace, or of a newer schema than this version reads.
        """
        schema = plain.get("schema")
        if not isinstance(schema, int):
            raise TraceFormatError("This is not a trace: it has no field 'schema'.")
        if isinstance(schema, bool) or schema < 1:
            raise TraceFormatError(f"The trace has schema {schema!r}; schemas count from 1.")
        if schema > SCHEMA:
            raise TraceFormatError(
                f"The trace has schema {schema}; this averment reads up to {SCHEMA}.",
                hint="Update averment: pip install -U averment",
            )
        try:
            records = records_from_json(plain["records"])
            rest = {name: made for name, made in plain.items() if name != "records"}
            trace: Trace = from_plain(cls, {**rest, "records": []})
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise TraceFormatError(f"The trace is damaged: {error!r}.") from error
        return dataclasses.replace(trace, records=records)

    def dumps(self) -> str:
        """One line of JSON."""
        line = json.dumps(self.to_json(), ensure_ascii=False, allow_nan=False)
        # subtle: half a character, which a model may write, becomes the JSON escape of itself.
        return line.encode("utf-8", "backslashreplace").decode()

    @classmethod
    def loads(cls, text: str) -> Trace:
        """The trace of `dumps`."""
        try:
            plain = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise TraceFormatError(f"The trace is not JSON: {error}.") from error
        if not isinstance(plain, dict):
            raise TraceFormatError("The trace is not a JSON object.")
        return cls.from_json(plain)


def _n_continuations(step: steps.Step) -> int:
    return step.sampling.n_samples if isinstance(step, steps.MeasureSpread) else 1


def records_to_json(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Steps and outcomes as JSON objects; steps carry their class name under ``type``."""
    made: list[dict[str, Any]] = [to_plain(record) for record in records]
    for record, plain in zip(records, made, strict=True):
        plain["step"] = {"type": type(record.step).__name__, **plain["step"]}
    return made


def records_from_json(made: Sequence[Mapping[str, Any]]) -> tuple[Record, ...]:
    """The records of `records_to_json`.

    Raises:
        AttributeError, KeyError, TypeError, ValueError: They are damaged.
    """
    return tuple(_record(plain) for plain in made)


def _record(made: Mapping[str, Any]) -> Record:
    fields = dict(made["step"])
    kind = _STEPS[fields.pop("type")]
    failed = made["failure"] is not None
    return Record(
        step=from_plain(kind, fields),
        outcome=None if failed else from_plain(_OUTCOMES[kind], made["outcome"]),
        failure=from_plain(Failure, made["failure"]) if failed else None,
        started_ms=from_plain(float, made["started_ms"]),
        ms=from_plain(float, made["ms"]),
        batch=from_plain(int, made["batch"]),
    )


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


# --- values <-> plain JSON ----------------------------------------------------------------------


def to_plain(value: Any) -> Any:
    """A value of `averment.types` or of `averment.steps` as dicts, lists and scalars."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(to_plain(item) for item in value)
    return value


def from_plain(kind: Any, plain: Any) -> Any:
    """The value of a type, out of what `to_plain` made.

    Raises:
        TypeError, ValueError, KeyError: The plain value does not fit the type.
    """
    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        if plain is None and type(None) in arguments:
            return None
        (kind,) = [option for option in arguments if option is not type(None)]
        return from_plain(kind, plain)
    if origin in (tuple, list):
        if not isinstance(plain, list):
            raise TypeError(f"expected a list, found {plain!r}")
        if origin is tuple and arguments[-1] is not Ellipsis:
            pairs = zip(arguments, plain, strict=True)
            return tuple(from_plain(option, item) for option, item in pairs)
        return origin(from_plain(arguments[0], item) for item in plain)
    if origin is Mapping:
        if not isinstance(plain, Mapping):
            raise TypeError(f"expected an object, found {plain!r}")
        return {str(key): from_plain(arguments[1], item) for key, item in plain.items()}
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        if not isinstance(plain, Mapping):
            raise TypeError(f"expected an object, found {plain!r}")
        hints = _hints(kind)
        _require_fields(kind, plain)
        return kind(**{name: from_plain(hints[name], item) for name, item in plain.items()})
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(plain)
    if kind is float:
        if isinstance(plain, bool) or not isinstance(plain, (int, float)):
            raise TypeError(f"expected a number, found {plain!r}")
        return float(plain)
    if kind in (str, int, bool, type(None)) and type(plain) is not kind:
        raise TypeError(f"expected {kind.__name__}, found {plain!r}")
    return plain


def _require_fields(kind: Any, plain: Mapping[Any, Any]) -> None:
    """Refuse what lacks a field, or has one too many, in words for whoever wrote it."""
    is_required = _is_required(kind)
    for name in plain:
        if name not in is_required:
            raise ValueError(f"{name!r} means nothing there")
    for name, required in is_required.items():
        if required and name not in plain:
            raise ValueError(f"it lacks {name!r}")


@cache
def _is_required(kind: Any) -> dict[str, bool]:
    """The fields of a dataclass by name, and whether each has to be given."""
    return {
        field.name: field.default is field.default_factory is dataclasses.MISSING
        for field in dataclasses.fields(kind)
    }


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)
