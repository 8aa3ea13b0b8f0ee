"""A record of the audit ledger as a report for an auditor: one Markdown or HTML file.

It says who, when, with what, on which documents, and what was held of each claim; what was erased
or overridden since; and how to verify it. Of an answer that a policy gave, the page of the answer
itself is inside. Everything that somebody wrote is escaped; there is no script.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from averment.answers import answer_of
from averment.audit.chain import Head, Kind, Record
from averment.page.html import Html, tag
from averment.page.render import Entry, render_page
from averment.trace import Trace

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #1a1a1a; background: #fff; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0;
  border-bottom: 1px solid #ddd; overflow-wrap: break-word; }
th { font-weight: 600; } blockquote { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere;
  border-left: 3px solid #bbb; padding-left: 1rem; }
iframe { width: 100%; height: 60rem; border: 1px solid #ddd; }
"""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within the report."""

    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A paragraph of ours."""

    text: str


@dataclass(frozen=True, slots=True)
class Quote:
    """What somebody else wrote."""

    text: str


@dataclass(frozen=True, slots=True)
class Rows:
    """A table; the first row is its head."""

    rows: tuple[tuple[str, ...], ...]


Block: TypeAlias = Heading | Note | Quote | Rows


@dataclass(frozen=True, slots=True)
class RecordReport:
    """What a report is made of.

    Args:
        record: The record.
        contents: What is left of its contents.
        later: Erasures and overrides that name it, each with what is left of its contents.
        head: Of the ledger when the report was made.
    """

    record: Record
    contents: Mapping[str, str]
    later: Sequence[tuple[Record, Mapping[str, str]]]
    head: Head


def record_markdown(report: RecordReport) -> str:
    """The report as Markdown."""
    told = [f"# {_title(report.record)}", *map(_markdown, _blocks(report))]
    return "\n\n".join(told) + "\n"


def record_page(report: RecordReport) -> str:
    """The report as an HTML page that opens from disk."""
    title = _title(report.record)
    inside = [tag("h1", title), *map(_html, _blocks(report))]
    if (page := _answer_page(report)) is not None:
        inside.append(tag("h2", "The page of the answer"))
        # In a frame of its own: a page with its own style and policy, held apart from the report.
        inside.append(tag("iframe", sandbox=True, title="The answer", srcdoc=page))
    head = tag(
        "head", tag("meta", charset="utf-8"), tag("title", title), tag("style", Html(_STYLE))
    )
    body = tag("body", *inside)
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _title(record: Record) -> str:
    return f"Record {record.seq} of the audit ledger: {record.kind.replace('_', ' ')}"


def _answer_page(report: RecordReport) -> str | None:
    """The page of an answer that a policy gave; None where there is none, or it was erased."""
    if "trace" not in report.contents or report.record.facts.get("verdict") is None:
        return None
    trace = Trace.loads(report.contents["trace"])
    return render_page([Entry(answer_of(trace), trace)], title="The answer", subtitle=trace.model)


# --- what is told ---------------------------------------------------------------------------------


def _blocks(report: RecordReport) -> list[Block]:
    record = report.record
    blocks: list[Block] = [Rows((("what", "recorded"), *_facts(record)))]
    blocks += _afterwards(report)
    blocks += _said(report)
    blocks += _documents(record)
    blocks += [
        Heading("How to verify this"),
        Note(
            f"averment audit verify --head {report.head} reads the whole ledger and names the "
            "first record that is not as it was written. The head is that of the ledger when this "
            f"report was made; averment audit replay {record.seq} makes the verdicts again."
        ),
    ]
    return blocks


def _facts(record: Record) -> list[tuple[str, str]]:
    facts = record.facts
    rows = [
        ("when (UTC)", record.time),
        ("who, as the caller said", record.by or "nobody was named"),
        ("SHA-256", record.digest),
        ("SHA-256 of the record before", record.previous),
        ("versions", ", ".join(f"{k} {v}" for k, v in sorted(record.versions.items()))),
    ]
    hidden = {"claims", "documents"}
    rows += [(name.replace("_", " "), _told(facts[name])) for name in facts if name not in hidden]
    return rows


def _told(value: Any) -> str:
    """A fact in words."""
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_told(item)}" for key, item in value.items()) or "none"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_told, value)) or "none"
    return str(value)


def _afterwards(report: RecordReport) -> list[Block]:
    """What happened to the record since."""
    blocks: list[Block] = []
    for record, contents in report.later:
        what = "Erased" if record.kind == Kind.ERASURE else "Overridden"
        blocks.append(Heading(f"{what} on {record.time} by {record.by or 'nobody named'}"))
        facts = record.facts
        if record.kind == Kind.ERASURE:
            blocks.append(Note(f"Record {record.seq}. Reason: {facts['reason']}"))
            continue
        of = "the answer" if facts["claim"] is None else f"claim {facts['claim']}"
        blocks.append(
            Note(f"Record {record.seq}: {of} is {facts['verdict']}, and was {facts['was']}.")
        )
        blocks.append(Quote(contents.get("reason", "(the reason was erased)")))
    return blocks


def _said(report: RecordReport) -> list[Block]:
    """The question, the answer and its claims; their numbers alone where the text is erased."""
    record, contents = report.record, report.contents
    blocks: list[Block] = []
    if missing := sorted(record.contents.keys() - contents.keys()):
        blocks.append(Note(f"Erased, and no longer part of this report: {', '.join(missing)}."))
    results = json.loads(contents["result"]) if "result" in contents else []
    for result in results if isinstance(results, list) else [results]:
        if result is None:
            continue
        if result["question"] is not None:
            blocks += [Heading("Question"), Quote(result["question"])]
        blocks += [Heading("Text"), Quote(result["answer"])]
        blocks += _claims(result["claims"])
    if not results and record.facts.get("claims"):
        blocks += _claims([{"text": "(erased)", **claim} for claim in record.facts["claims"]])
    for name in sorted(contents.keys() - {"result", "trace", "setup", "check", "checks"}):
        blocks += [Heading(name.capitalize()), Quote(contents[name])]
    return blocks


def _claims(claims: Sequence[Mapping[str, Any]]) -> list[Block]:
    rows = [
        (
            str(number),
            claim["text"],
            f"{claim['verdict']} ({claim['support'].replace('_', ' ')} in the corpus)",
            _number(claim["p_faithful"]),
            _number(claim["p_true"]),
            " · ".join(_quoted(span) for span in claim.get("evidence", ())),
        )
        for number, claim in enumerate(claims, start=1)
    ]
    head = ("claim", "text", "verdict", "faithful", "P(true)", "evidence")
    return [Heading("Claims"), Rows((head, *rows)) if rows else Note("None.")]


def _quoted(span: Mapping[str, Any]) -> str:
    return f"{span.get('citation', span['document_id'])}: {span['text']}"


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def _documents(record: Record) -> list[Block]:
    documents = record.facts.get("documents")
    if documents is None:
        return []
    rows = [(d["id"], f"{d['start']} to {d['end']}", d["sha256"]) for d in documents]
    head = ("document", "characters", "SHA-256 of the record's salt and the text")
    return [Heading("Documents that were read"), Rows((head, *rows)) if rows else Note("None.")]


# --- as HTML and as Markdown ----------------------------------------------------------------------


def _html(block: Block) -> Html:
    match block:
        case Heading(text):
            return tag("h2", text)
        case Note(text):
            return tag("p", text)
        case Quote(text):
            return tag("blockquote", text)
        case Rows(rows):
            head, *body = rows
            told = tag("tr", *(tag("th", cell) for cell in head))
            return tag("table", told, *(tag("tr", *(tag("td", c) for c in row)) for row in body))


def _markdown(block: Block) -> str:
    match block:
        case Heading(text):
            return f"## {_plain(text)}"
        case Note(text):
            return text
        case Quote(text):
            # Fenced, so that nothing in it is read as markup; the fence is longer than any in it.
            fence = "```"
            while fence in text:
                fence += "`"
            return f"{fence}text\n{text}\n{fence}"
        case Rows(rows):
            head, *body = rows
            lines = [map(_plain, head), ("---",) * len(head), *(map(_plain, row) for row in body)]
            return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _plain(text: str) -> str:
    """A text on one line in which nothing is markup."""
    flat = " ".join(text.split())
    for character in "\\`*_[]<>|":
        flat = flat.replace(character, f"\\{character}")
    return flat
