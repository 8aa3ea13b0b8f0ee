"""What is said of an answer beside its text: details, citations, headers, and the decision.

Details stand under one key, ``averment``, in the shapes of `averment.shapes`. Citations are those
of OpenAI (``url_citation``, offsets in code points of the content) and of Perplexity
(``citations``, ``search_results``). Only what supports a claim is cited; what speaks against it is
in the details.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from averment.places import cited as cited_as
from averment.scoring.withholding import CLAIMS_WITHHELD, is_withheld
from averment.shapes import answer_object, report_object
from averment.types import Answer, Claim, ClaimVerdict, Report, Verdict

DETAILS = "averment"
_REFUSAL = "refusal"
_SCHEMES = ("http://", "https://")
_WORST = (
    (ClaimVerdict.CONTRADICTED, "contradicted_claim"),
    (ClaimVerdict.UNSUPPORTED, "unsupported_claim"),
    (ClaimVerdict.UNVERIFIED, "not_checked"),
)


@dataclass(frozen=True, slots=True)
class Cited:
    """The citations of one text, and the documents that they name, each once."""

    annotations: list[dict[str, Any]] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)


def cited(claims: Iterable[Claim], urls: Mapping[str, str], *, within: int) -> Cited:
    """The citations of the claims that stand in a content.

    Args:
        claims: With their evidence; offsets are those of the content as far as it is theirs.
        urls: Addresses of documents; one without is cited by a URN of its id.
        within: Code points of the content that are those of the claims.
    """
    found = Cited()
    for claim in claims:
        is_cited = claim.verdict is ClaimVerdict.SUPPORTED and claim.end <= within
        for passage in claim.evidence if is_cited else ():
            named = urls.get(passage.document_id) or address_of(passage.document_id)
            citation = {
                "url": named,
                "title": cited_as(passage),
                "start_index": claim.start,
                "end_index": claim.end,
            }
            found.annotations.append({"type": "url_citation", "url_citation": citation})
            result = {"title": citation["title"], "url": named}
            if result not in found.results:
                found.results.append(result)
    return found


def address_of(document_id: str) -> str:
    """An id that is an address, or a URN of one that is not."""
    if document_id.startswith(_SCHEMES):
        return document_id
    return f"urn:averment:document:{quote(document_id, safe='')}"


def decision_on(report: Report | None) -> tuple[Verdict, str | None]:
    """What is held of a text that was checked: its worst claim decides.

    Returns:
        The verdict and its reason. A text that claims nothing is given, with the reason
        ``no_claim``; one that refuses in words abstains; without a text it is ``no_text``.
    """
    if report is None:
        return Verdict.ANSWERED, "no_text"
    verdicts = {claim.verdict for claim in report.claims}
    for verdict, reason in _WORST:
        if verdict in verdicts:
            return Verdict.WARNED, reason
    if any(map(is_withheld, report.claims)):
        return Verdict.WARNED, CLAIMS_WITHHELD
    if report.claims:
        return Verdict.ANSWERED, None
    if any(kind == _REFUSAL for _, _, kind in report.skipped):
        return Verdict.ABSTAINED, _REFUSAL
    return Verdict.ANSWERED, "no_claim"


def worst_first(claims: Iterable[Claim]) -> list[Claim]:
    """Claims in the order in which they decide on a text; those of one verdict as they stand."""
    order = [*(verdict for verdict, _ in _WORST), ClaimVerdict.SUPPORTED]
    return sorted(claims, key=lambda claim: order.index(claim.verdict))


def policy_details(
    answer: Answer, *, model: str, mode: str, ignored: Sequence[str]
) -> dict[str, Any]:
    """Details of an answer that a policy gave."""
    return {
        "route": "policy",
        "mode": mode,
        "evidence_sources": ["retrieval"] if answer.retrievals else [],
        "ignored": list(ignored),
        **answer_object(answer),
        "model": model,
    }


@dataclass(frozen=True, slots=True)
class CheckedAfterwards:
    """How a request went to a model's server and was checked afterwards."""

    reasons: tuple[str, ...]
    sources: tuple[str, ...]
    policy: str
    model: str
    mode: str
    trace_id: str


def checked_details(route: CheckedAfterwards, reports: Sequence[Report | None]) -> dict[str, Any]:
    """Details of answers that were checked afterwards; those of the first stand at the top.

    Args:
        route: Why and how.
        reports: One a choice; None where it has no text.
    """
    objects = [_checked_choice(at, report) for at, report in enumerate(reports)]
    verdicts = [decision_on(report) for report in reports]
    order = (Verdict.WARNED, Verdict.ABSTAINED, Verdict.ANSWERED)
    verdict, reason = min(verdicts, key=lambda each: order.index(each[0]))
    from_index = any(report is not None and report.passages for report in reports)
    first = {key: value for key, value in objects[0].items() if key != "index"}
    return {
        "route": "checked_afterwards",
        "route_reasons": list(route.reasons),
        "mode": route.mode,
        "evidence_sources": list(route.sources) or (["retrieval"] if from_index else []),
        **first,
        "verdict": verdict.value,
        "reason": reason,
        **({"choices": objects} if len(objects) > 1 else {}),
        "policy": route.policy,
        "model": route.model,
        "trace_id": route.trace_id,
    }


def _checked_choice(index: int, report: Report | None) -> dict[str, Any]:
    verdict, reason = decision_on(report)
    told = {"index": index, "verdict": verdict.value, "reason": reason}
    return told | ({"claims": []} if report is None else report_object(report))


def headers_of(details: Mapping[str, Any]) -> dict[str, str]:
    """What gateways read: the verdict, what warns of the answer, and the id of its trace."""
    verdicts = (claim["verdict"] for claim in details["claims"])
    warnings = dict.fromkeys(
        [
            *([details["reason"]] if details["reason"] else []),
            *(f"{verdict}_claims" for verdict in verdicts if verdict != ClaimVerdict.SUPPORTED),
            *(f"ignored_{_token(name)}" for name in details.get("ignored", ())),
        ]
    )
    return {
        "x-averment-verdict": details["verdict"],
        "x-averment-warnings": ", ".join(warnings),
        "x-averment-trace-id": details["trace_id"],
    }


def _token(name: str) -> str:
    """A name that a client chose, as a word of a header."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in name)[:40]
