"""The records of answers and checks: facts that stay, and what a replay needs as contents."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from averment.audit.actor import REQUEST
from averment.audit.chain import Head, Kind
from averment.audit.contents import new_salt
from averment.checking import TextCheck
from averment.engine import Answered, Unanswered
from averment.policies.loop import SentenceLoop
from averment.scoring.claims import retrieved_passages
from averment.scoring.flow import Scoring
from averment.shapes import answer_object, report_object
from averment.steps import ClaimScoring, Policy
from averment.trace import Record, records_to_json, to_plain
from averment.types import CorpusInfo, ModelInfo, Passage, Question, Report
from averment.wiring.auditing import (
    Auditor,
    calibrator_digest,
    claim_facts,
    document_facts,
    failure_of,
    index_facts,
    prompt_facts,
)
from averment.wiring.setups import check_object, policy_object, scoring_object

BY_POLICY, CHECKED_AFTERWARDS = "policy", "checked_afterwards"


@dataclass(frozen=True, slots=True)
class Checked:
    """A check of a text with all that went into it, so that it can be recorded and replayed."""

    report: Report
    rule: TextCheck
    question: Question | None
    contexts: tuple[Passage, ...]
    records: tuple[Record, ...]
    index: CorpusInfo | None
    model: ModelInfo | None


class AnswerRecorder:
    """Records what an engine answers; given to it as `on_result`.

    Args:
        auditor: Who writes.
        policy: Of the engine.
        scoring: Of the engine.
        index: What is counted.
        model: Who answers.
    """

    def __init__(
        self,
        auditor: Auditor,
        *,
        policy: Policy,
        scoring: ClaimScoring | None,
        index: CorpusInfo,
        model: ModelInfo,
    ) -> None:
        self._auditor = auditor
        scored = scoring_object(scoring)
        setup = {"policy": policy_object(policy), "scoring": scored}
        self._setup = json.dumps(setup, ensure_ascii=False)
        prompts = [policy.prompt_id] if isinstance(policy, SentenceLoop) else []
        if isinstance(scoring, Scoring):
            prompts.append(scoring.prompt_id)
        self._facts = {
            "route": BY_POLICY,
            "policy": repr(policy),
            "model": auditor.model(model),
            "prompts": prompt_facts(prompts),
            "faithfulness": (scored or {}).get("faithfulness_scorer"),
            "calibrator": calibrator_digest(scored),
            "index": index_facts(index),
        }

    def __call__(self, result: Answered | Unanswered) -> None:
        """Record what became of a question.

        Raises:
            LedgerUnavailable, LedgerFormatError: Nothing was recorded.
        """
        salt = new_salt()
        texts = {"trace": result.trace.dumps(), "setup": self._setup}
        passages: list[Passage] = []
        told: dict[str, Any] = {"verdict": None, "reason": None, "claims": []}
        if isinstance(result, Answered):
            answer = result.answer
            texts["result"] = json.dumps(answer_object(answer), ensure_ascii=False, sort_keys=True)
            told = {
                "verdict": answer.verdict.value,
                "reason": answer.reason,
                "claims": claim_facts(answer.claims),
            }
            if result.trace.draft is not None:
                passages = retrieved_passages(result.trace.draft)
        texts["settings"] = self._auditor.settings_text
        facts = {
            **self._facts,
            **told,
            "trace_id": result.trace.trace_id,
            "request": REQUEST.get(),
            "failure": failure_of(result),
            "documents": document_facts(passages, salt),
        }
        self._auditor.record(Kind.ANSWER, facts, texts, salt=salt)


def record_check(
    auditor: Auditor,
    checked: Checked,
    *,
    trace_id: str = "",
    verdict: str | None = None,
    reason: str | None = None,
) -> Head:
    """Record a check of a text.

    Args:
        auditor: Who writes.
        checked: What was checked, and how.
        trace_id: Under which it is known outside; empty: a new one.
        verdict: What is held of the whole, if anything is.
        reason: Why: a code.
    """
    salt = new_salt()
    texts = {
        "result": json.dumps(report_object(checked.report), ensure_ascii=False, sort_keys=True),
        "check": json.dumps(check_log(checked), ensure_ascii=False),
        "settings": auditor.settings_text,
    }
    facts = {
        **_check_facts(auditor, [checked], salt),
        "route": "check",
        "trace_id": trace_id or secrets.token_hex(8),
        "verdict": verdict,
        "reason": reason,
    }
    return auditor.record(Kind.VERIFICATION, facts, texts, salt=salt)


def record_request(
    auditor: Auditor, request: Mapping[str, Any], *, request_id: str, model: str, mode: str
) -> Head:
    """Record that a stream is about to begin, of which sentences leave before it is recorded.

    Args:
        auditor: Who writes.
        request: What was asked.
        request_id: The id of the completion.
        model: As it was asked for.
        mode: When text leaves.
    """
    facts = {"trace_id": request_id, "model": model, "mode": mode}
    texts = {"request": json.dumps(request, ensure_ascii=False)}
    return auditor.record(Kind.REQUEST, facts, texts)


def record_checked_answer(
    auditor: Auditor,
    request: Mapping[str, Any],
    details: Mapping[str, Any],
    choices: Sequence[Checked | None],
    said: Sequence[Mapping[str, Any]],
) -> Head:
    """Record an answer of a model's server that was checked afterwards.

    Args:
        auditor: Who writes.
        request: What was asked.
        details: What the client is told of it.
        choices: The check of each choice; None where it has no text.
        said: The messages of the choices.
    """
    salt = new_salt()
    checks = [None if each is None else check_log(each) for each in choices]
    reports = [None if each is None else report_object(each.report) for each in choices]
    texts = {
        "request": json.dumps(request, ensure_ascii=False),
        "messages": json.dumps(said, ensure_ascii=False),
        "details": json.dumps(details, ensure_ascii=False),
        "result": json.dumps(reports, ensure_ascii=False, sort_keys=True),
        "checks": json.dumps(checks, ensure_ascii=False),
        "settings": auditor.settings_text,
    }
    facts = {
        **_check_facts(auditor, [each for each in choices if each], salt),
        "route": CHECKED_AFTERWARDS,
        "trace_id": details["trace_id"],
        "verdict": details["verdict"],
        "reason": details["reason"],
        "model": {"name": details["model"], "source": "upstream", "sha256": None},
    }
    return auditor.record(Kind.ANSWER, facts, texts, salt=salt)


def check_log(checked: Checked) -> dict[str, Any]:
    """All that went into a check: its rule, its text, and each step with its outcome."""
    return {
        "rule": check_object(checked.rule),
        "text": checked.report.text,
        "question": to_plain(checked.question),
        "contexts": to_plain(checked.contexts),
        "records": records_to_json(checked.records),
    }


def _check_facts(auditor: Auditor, checks: Sequence[Checked], salt: bytes) -> dict[str, Any]:
    """What stays of checks that were made in one way."""
    scorings = [scoring_object(each.rule.scoring) for each in checks[:1]]
    scored = scorings[0] if scorings else None
    return {
        "policy": None,
        "request": REQUEST.get(),
        "model": auditor.model(checks[0].model) if checks else None,
        "prompts": prompt_facts(each.rule.scoring.prompt_id for each in checks if each.model),
        "faithfulness": (scored or {}).get("faithfulness_scorer"),
        "calibrator": calibrator_digest(scored),
        "index": index_facts(checks[0].index) if checks else None,
        "failure": None,
        "claims": [row for each in checks for row in claim_facts(each.report.claims)],
        "documents": document_facts((p for each in checks for p in each.report.passages), salt),
    }
