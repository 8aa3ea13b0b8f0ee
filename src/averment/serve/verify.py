"""`POST /v1/verify`: a text against documents, or without any against the index."""

from __future__ import annotations

import secrets
from typing import Any

from averment.serve.details import decision_on
from averment.serve.evidence import id_of
from averment.serve.requests import VerifyRequest
from averment.shapes import report_object
from averment.types import Document, Report
from averment.wiring.audited import record_check
from averment.wiring.open_corpus import OpenCorpus


def verify(opened: OpenCorpus, asked: VerifyRequest) -> dict[str, Any]:
    """What ``check --json`` prints, with a decision on the whole."""
    trace_id = secrets.token_hex(8)
    report = checked(opened, asked, trace_id=trace_id)
    return verified_object(report, given_documents=bool(asked.documents), trace_id=trace_id)


def checked(opened: OpenCorpus, asked: VerifyRequest, *, trace_id: str) -> Report:
    """What a check of the text finds; recorded, where that is asked for, before it is told.

    Args:
        opened: Index and judge.
        asked: The text and what it is held against.
        trace_id: By which the check is known.
    """
    documents = [
        Document(
            document_id=id_of(each.id, number),
            text=each.text,
            title=each.title or "",
            source=each.url or "",
        )
        for number, each in enumerate(asked.documents, start=1)
    ]
    made = opened.check(asked.answer, asked.question, documents, asked.looks_back)
    if opened.auditor is not None:
        verdict, reason = decision_on(made.report)
        record_check(opened.auditor, made, trace_id=trace_id, verdict=verdict.value, reason=reason)
    return made.report


def verified_object(report: Report, *, given_documents: bool, trace_id: str) -> dict[str, Any]:
    """A report with a decision on the whole.

    ``answer`` holds the decision beside the text; ``aggregate`` is the lowest P(true) of the
    claims, and null with a reason where one has none.

    Args:
        report: What a check found.
        given_documents: The client brought what the text was held against.
        trace_id: By which the check is known.
    """
    verdict, reason = decision_on(report)
    aggregate, unknown = _lowest(report)
    from_index = [] if given_documents or not report.passages else ["retrieval"]
    return {
        **report_object(report),
        "answer": {
            "text": report.text,
            "aggregate": aggregate,
            "aggregate_of": "lowest p_true",
            "decision": verdict.value,
            "reason": reason,
            "reasons": {"aggregate": unknown} if unknown else {},
        },
        "evidence_sources": ["documents"] if given_documents else from_index,
        "calibration": {"calibrated": report.calibrated},
        "trace_id": trace_id,
    }


def _lowest(report: Report) -> tuple[float | None, str | None]:
    """The lowest P(true), or why there is none."""
    if not report.claims:
        return None, "no_claim"
    known = [claim.p_true for claim in report.claims if claim.p_true is not None]
    if len(known) == len(report.claims):
        return min(known), None
    lacking = next(claim for claim in report.claims if claim.p_true is None)
    return None, lacking.reasons.get("p_true", "unscored")
