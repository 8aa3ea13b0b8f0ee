"""A record as a report: nothing of it is markup, whatever somebody wrote."""

from __future__ import annotations

import json

import pytest

from averment.audit.chain import START, Event, Head, Kind, Prepared, Record, read_record
from averment.audit.contents import Contents
from averment.page.record import RecordReport, record_markdown, record_page

HOSTILE = "```\n<script>alert(1)</script> | **bold** [link](http://x.example) `code`\n````"
RESULT = {
    "question": HOSTILE,
    "answer": HOSTILE,
    "claims": [
        {
            "text": HOSTILE,
            "verdict": "supported",
            "support": "present",
            "p_faithful": 0.5,
            "p_true": None,
            "evidence": [{"document_id": HOSTILE, "text": HOSTILE}],
        }
    ],
}


def made(kind: Kind, texts: dict[str, str], **facts: object) -> Record:
    event = Event(kind, HOSTILE[:40], facts, Contents(texts))
    return read_record(Prepared(event).body(START, "2026-11-30T09:00:00.000000Z"))


def report(record: Record, texts: dict[str, str], *later: Record) -> RecordReport:
    return RecordReport(record, texts, [(each, {}) for each in later], Head(2, "0" * 64))


CHECKED = {"result": json.dumps(RESULT), "settings": HOSTILE}


@pytest.mark.parametrize("result", [RESULT, [RESULT, None]], ids=["check", "choices"])
def test_the_page_escapes_all_that_others_wrote(result: object) -> None:
    texts = {**CHECKED, "result": json.dumps(result)}
    record = made(Kind.VERIFICATION, texts, claims=[], documents=[], note=HOSTILE)

    page = record_page(report(record, texts))

    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_markdown_fences_and_escapes_all_that_others_wrote() -> None:
    record = made(Kind.VERIFICATION, CHECKED, claims=[], documents=[])

    told = record_markdown(report(record, CHECKED))

    assert "\n`````text\n" in told  # longer than any fence within
    table = [line for line in told.splitlines() if line.startswith("| 1 |")]
    assert len(table) == 1
    assert "\\<script\\>" in table[0]
    assert "\\*\\*bold\\*\\*" in table[0]
    assert table[0].replace("\\|", "").count("|") == 7


def test_a_record_without_claims_and_documents_says_none() -> None:
    empty = {"result": json.dumps({**RESULT, "question": None, "claims": []})}
    record = made(Kind.VERIFICATION, empty, claims=[], documents=[])

    told = record_markdown(report(record, empty))

    assert "## Claims\n\nNone." in told
    assert "## Documents that were read\n\nNone." in told
    assert "## Question" not in told


def test_what_happened_since_is_told_also_where_its_reason_was_erased() -> None:
    record = made(Kind.ANSWER, CHECKED, claims=[], verdict="warned")
    overridden = made(Kind.OVERRIDE, {}, of=1, claim=None, verdict="abstained", was="warned")
    erased = made(Kind.ERASURE, {}, erased=[1], reason="a request")

    told = record_markdown(report(record, CHECKED, overridden, erased))

    assert "the answer is abstained, and was warned" in told
    assert "(the reason was erased)" in told
    assert "Reason: a request" in told


def test_a_change_is_told_by_its_facts() -> None:
    rows = '{"id": "graz"}\n'
    record = made(Kind.DELETION, {"documents": rows}, n_documents=1, previous=None, erased=[1, 2])

    told = record_markdown(report(record, {"documents": rows}))

    assert "| n documents | 1 |" in told
    assert "| previous | none |" in told
    assert "| erased | 1, 2 |" in told
    assert '{"id": "graz"}' in told
