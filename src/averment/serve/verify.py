"""`POST /v1/verify`: a text against documents, or without any against the index."""

from __future__ import annotations

import secrets
from typing import Any

from averment.serve.details import decision_on
from averment.serve.requests import VerifyRequest
from averment.shapes import report_object
from averment.types import Document, Report
from averment.wiring.open_corpus import OpenCorpus


def verify(opened: OpenCorpus, asked: VerifyRequest) -> dict[str, Any]:
    """What ``check --json`` prints, with a decision on the whole."""
    report = checked(opened, asked)
    given = bool(asked.documents)
    return verified_object(report, given_documents=given, trace_id=secrets.token_hex(8))


def checked(opened: OpenCorpus, asked: VerifyRequest) -> Report:
    """What a check of the text finds."""
    documents = [
        Document(
            document_id=str(each.id or f"document {number}"),
            text=each.text,
            title=each.title or "",
            source=each.url or "",
        )
        for number, each in enumerate(asked.documents, start=1)
    ]
    return opened.check(asked.answer, asked.question, documents)


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
