"""`POST /v1/verify`: a text against documents, or without any against the index."""

from __future__ import annotations

import secrets
from typing import Any

from averment.serve.details import decision_on
from averment.serve.requests import VerifyRequest
from averment.shapes import report_object
from averment.types import Document, Report
from averment.wiring.audited import record_check
from averment.wiring.serving import Serving


def verify(serving: Serving, asked: VerifyRequest) -> dict[str, Any]:
    """What ``check --json`` prints, with a decision on the whole.

    ``answer`` holds the decision instead of the text, which the caller has; ``aggregate`` is the
    lowest P(true) of the claims, and null with a reason where one has none.
    """
    documents = [
        Document(
            document_id=str(each.id or f"document {number}"),
            text=each.text,
            title=each.title or "",
            source=each.url or "",
        )
        for number, each in enumerate(asked.documents, start=1)
    ]
    checked = serving.check(asked.answer, asked.question, documents)
    report, trace_id = checked.report, secrets.token_hex(8)
    verdict, reason = decision_on(report)
    if serving.auditor is not None:
        record_check(
            serving.auditor, checked, trace_id=trace_id, verdict=verdict.value, reason=reason
        )
    aggregate, unknown = _lowest(report)
    from_index = [] if documents or not report.passages else ["retrieval"]
    return {
        **report_object(report),
        "answer": {
            "text": asked.answer,
            "aggregate": aggregate,
            "aggregate_of": "lowest p_true",
            "decision": verdict.value,
            "reason": reason,
            "reasons": {"aggregate": unknown} if unknown else {},
        },
        "evidence_sources": ["documents"] if documents else from_index,
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
