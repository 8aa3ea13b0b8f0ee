"""What is said beside the text: citations of what supports, the worst claim decides, headers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import averment
from averment.places import Layout, Section
from averment.serve.completions import may_leave
from averment.serve.details import address_of, cited, decision_on, headers_of
from averment.types import ClaimVerdict, Document, Report, Support, Verdict

LONG = Document("https://rivers.org/vltava", "The Vltava is 430 kilometres long.", title="Vltava")


def _report(text: str, *contexts: Document) -> Report:
    return averment.check(text, contexts=contexts, faithfulness="lexical")


def test_what_supports_a_claim_is_cited_with_its_place() -> None:
    text = "The Vltava is 430 kilometres long. It is cold and nobody likes it."
    report = _report(text, LONG)

    found = cited(report.claims, {}, within=len(text))

    (annotation,) = found.annotations
    assert annotation["url_citation"] == {
        "url": "https://rivers.org/vltava",
        "title": "Vltava",
        "start_index": 0,
        "end_index": 34,
    }
    assert found.results == [{"title": "Vltava", "url": "https://rivers.org/vltava"}]


def test_a_document_with_pages_is_cited_by_page_and_section() -> None:
    layout = Layout((Section(("Rivers",), 0, 0, len(LONG.text)),), (0, 4))
    report = _report(LONG.text, replace(LONG, document_id="rivers.pdf", layout=layout))

    found = cited(report.claims, {}, within=99)

    assert [result["title"] for result in found.results] == ["rivers.pdf, pp. 1–2, Rivers"]


def test_what_speaks_against_a_claim_is_not_cited_for_it() -> None:
    report = _report("The Vltava is 120 kilometres long.", LONG)

    assert report.claims[0].verdict is ClaimVerdict.CONTRADICTED
    assert report.claims[0].evidence
    assert cited(report.claims, {}, within=100).annotations == []


def test_a_claim_that_is_not_in_the_content_is_not_cited() -> None:
    report = _report("The Vltava is 430 kilometres long.", LONG)

    assert cited(report.claims, {}, within=10).annotations == []


@pytest.mark.parametrize(
    ("document_id", "address"),
    [
        ("https://a.org/b c", "https://a.org/b c"),
        ("notes/7 ä.txt", "urn:averment:document:notes%2F7%20%C3%A4.txt"),
        ("javascript:alert(1)", "urn:averment:document:javascript%3Aalert%281%29"),
        ("file:///etc/passwd", "urn:averment:document:file%3A%2F%2F%2Fetc%2Fpasswd"),
    ],
)
def test_an_id_that_is_no_address_of_the_web_is_a_urn(document_id: str, address: str) -> None:
    assert address_of(document_id) == address


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("The Vltava is 430 kilometres long.", (Verdict.ANSWERED, None)),
        ("The Vltava is 120 kilometres long.", (Verdict.WARNED, "contradicted_claim")),
        ("Anna Novak painted the bridge.", (Verdict.WARNED, "unsupported_claim")),
        ("Hello there!", (Verdict.ANSWERED, "no_claim")),
        ("I don't know.", (Verdict.ABSTAINED, "refusal")),
    ],
    ids=["supported", "contradicted", "unsupported", "nothing claimed", "a refusal"],
)
def test_the_worst_claim_decides(text: str, decision: tuple[Verdict, str | None]) -> None:
    assert decision_on(_report(text, LONG)) == decision


def test_a_claim_that_nobody_could_check_is_a_warning() -> None:
    assert decision_on(_report("The Vltava is long.")) == (Verdict.WARNED, "not_checked")


def test_without_a_text_the_reason_says_so() -> None:
    assert decision_on(None) == (Verdict.ANSWERED, "no_text")


def test_headers_name_each_warning_once_and_hold_nothing_that_breaks_them() -> None:
    details: dict[str, Any] = {
        "verdict": "warned",
        "reason": "unsupported_claim",
        "trace_id": "ab12",
        "claims": [{"verdict": v} for v in ("unsupported", "supported", "unsupported")],
        "ignored": ["top_p", "bad\r\nname: ä"],
    }

    assert headers_of(details) == {
        "x-averment-verdict": "warned",
        "x-averment-warnings": "unsupported_claim, unsupported_claims, ignored_top_p, "
        "ignored_bad__name___",
        "x-averment-trace-id": "ab12",
    }


@pytest.mark.parametrize(
    ("text", "support", "reason", "leaves"),
    [
        ("Prague lies on the Vltava.", Support.PRESENT, None, True),
        ("Let me think.", Support.UNKNOWN, "no_claim", True),
        ("Prague lies on the Danube.", Support.ABSENT, None, False),
        ("Prague lies on the Danube.", Support.NOT_COVERED, None, False),
        ("Prague lies on the Vltava.", Support.UNKNOWN, "not_checked", False),
        ("So the answer is Vltava.", Support.PRESENT, None, False),
    ],
)
def test_a_sentence_leaves_early_if_nothing_can_take_it_back(
    text: str, support: Support, reason: str | None, leaves: bool
) -> None:
    assert may_leave(text, support, reason) is leaves
