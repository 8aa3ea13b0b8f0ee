"""Verdicts of then, made again from what the ledger holds: no model, no corpus, no network.

The policy or check of then runs on the recorded outcomes of its steps, claims are scored and
verdicts found by the code of this version, and the result is compared with the recorded one, to the
last field. What the model wrote and the judge said are inputs here: nobody is asked again.

What cannot be replayed says why: a reason is never taken for agreement.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from averment.audit.chain import Kind, Record
from averment.engine import replay as replay_trace
from averment.engine import replay_flow, versions
from averment.errors import AvermentError, TraceDiverged, TraceFormatError
from averment.shapes import answer_object, report_object
from averment.trace import Trace, from_plain, records_from_json
from averment.types import Passage, Question
from averment.wiring.setups import OtherSetup, check_of, policy_of, scoring_of


class Outcome(StrEnum):
    """What a replay came to."""

    REPRODUCED = "reproduced"
    """The verdicts, probabilities and everything else came out as they were."""
    DIFFERS = "differs"
    """Something came out otherwise."""
    NOT_REPLAYABLE = "not_replayable"


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay of one record came to.

    Args:
        seq: Of the record.
        outcome: What it came to.
        reason: A code, where it was not reproduced: ``erased``, ``no_verdicts``, ``other_policy``,
            ``other_calibrator``, ``other_version``, ``diverged``, ``other_result``.
        detail: The words for it.
        differences: Paths into the result at which it came out otherwise, the first few.
    """

    seq: int
    outcome: Outcome
    reason: str | None = None
    detail: str = ""
    differences: tuple[str, ...] = ()


_MOST_DIFFERENCES = 20


def replay_record(record: Record, contents: Mapping[str, str]) -> Replayed:
    """Make the verdicts of a record again.

    Args:
        record: Of an answer or a check.
        contents: What is left of its contents.
    """
    if record.kind not in (Kind.ANSWER, Kind.VERIFICATION):
        detail = f"a record of kind {record.kind} holds no verdicts"
        return Replayed(record.seq, Outcome.NOT_REPLAYABLE, "no_verdicts", detail)
    if missing := sorted(record.contents.keys() - contents.keys()):
        detail = f"its contents were erased: {', '.join(missing)}"
        return Replayed(record.seq, Outcome.NOT_REPLAYABLE, "erased", detail)
    try:
        return _compared(record, contents)
    except OtherSetup as error:
        return Replayed(record.seq, Outcome.NOT_REPLAYABLE, error.reason, error.detail)
    except TraceFormatError as error:
        return Replayed(record.seq, Outcome.NOT_REPLAYABLE, "other_version", error.message)
    except TraceDiverged as error:
        if record.versions.get("averment") == versions()["averment"]:
            return Replayed(record.seq, Outcome.DIFFERS, "diverged", error.message)
        detail = f"made by averment {record.versions.get('averment')}: {error.message}"
        return Replayed(record.seq, Outcome.NOT_REPLAYABLE, "other_version", detail)


def _compared(record: Record, contents: Mapping[str, str]) -> Replayed:
    if "trace" in contents:
        made, was = _answer(record, contents)
    elif "check" in contents:
        made = _check(json.loads(contents["check"]))
        was = json.loads(contents["result"])
    else:
        logs = json.loads(contents["checks"])
        made = [None if log is None else _check(log) for log in logs]
        was = json.loads(contents["result"])
    found = _differences(was, _through_json(made), "")
    if not found:
        return Replayed(record.seq, Outcome.REPRODUCED)
    detail = f"{len(found)} of its fields came out otherwise; the first: {found[0]}"
    if (then := record.versions.get("averment")) != versions()["averment"]:
        detail += f"; made by averment {then}, replayed by {versions()['averment']}"
    shown = tuple(found[:_MOST_DIFFERENCES])
    return Replayed(record.seq, Outcome.DIFFERS, "other_result", detail, shown)


def _answer(record: Record, contents: Mapping[str, str]) -> tuple[Any, Any]:
    """The answer made again and the one of then; of a failure, its kind and words."""
    trace = Trace.loads(contents["trace"])
    setup = json.loads(contents["setup"])
    policy = policy_of(setup["policy"])
    if repr(policy) != trace.policy:
        detail = f"this version makes {policy!r} of {trace.policy}"
        raise OtherSetup("other_version", detail)
    scoring = scoring_of(setup["scoring"])
    try:
        answer = replay_trace(trace, policy, scoring)
    except (TraceDiverged, TraceFormatError):
        raise
    except AvermentError as error:
        return {"failure": type(error).__name__}, {"failure": record.facts["failure"]}
    was = contents.get("result")
    return answer_object(answer), None if was is None else json.loads(was)


def _check(log: Mapping[str, Any]) -> dict[str, Any]:
    """The report of a check, made again."""
    rule = check_of(log["rule"])
    try:
        question = from_plain(Question | None, log["question"])
        contexts = from_plain(tuple[Passage, ...], log["contexts"])
        records = records_from_json(log["records"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        detail = f"this version records checks otherwise: {error}"
        raise OtherSetup("other_version", detail) from error
    return report_object(replay_flow(rule.run(log["text"], question, contexts), records))


def _through_json(value: Any) -> Any:
    return json.loads(json.dumps(value, ensure_ascii=False))


def _differences(was: Any, made: Any, path: str) -> list[str]:
    """Where two JSON values differ."""
    if isinstance(was, dict) and isinstance(made, dict):
        keys = sorted(was.keys() | made.keys())
        return [
            each
            for key in keys
            for each in _differences(was.get(key), made.get(key), f"{path}.{key}")
        ]
    if isinstance(was, list) and isinstance(made, list) and len(was) == len(made):
        pairs = enumerate(zip(was, made, strict=True))
        return [each for at, (a, b) in pairs for each in _differences(a, b, f"{path}[{at}]")]
    return [] if was == made and type(was) is type(made) else [path.removeprefix(".")]
