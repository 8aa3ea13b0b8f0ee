"""Renders answers as one HTML page that opens from disk, prints, and needs no network.

Everything that a user, a document or a model wrote is escaped here and nowhere else; the page
has no script. It shows what the trace holds and computes nothing of its own but widths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from string import Template

from averment import steps
from averment.trace import Record, Trace
from averment.types import Answer, Check, Claim, Support, TriggeredRetrieval, Verdict

_SUPPORT_WORDS = {
    Support.PRESENT: "present",
    Support.ABSENT: "absent",
    Support.NOT_COVERED: "not covered",
    Support.UNKNOWN: "unknown",
}
_VERDICT_WORDS = {
    Verdict.ANSWERED: "Answered",
    Verdict.WARNED: "Answered with a warning",
    Verdict.ABSTAINED: "Abstained",
}
REASON_WORDS = {
    "no_evidence": "nothing in the corpus supports an answer",
    "unsupported_claim": "a claim on the way has no support in the corpus",
    "not_checked": "the answer could not be checked against the corpus",
    "no_final_answer": "the model came to no final answer",
    "empty_answer": "the model wrote nothing",
}
_KINDS: dict[type[object], tuple[str, str]] = {
    steps.ExtractEntities: ("extract", "extract"),
    steps.ExtractTriplets: ("extract", "extract"),
    steps.CountPhrases: ("count", "corpus counts"),
    steps.Cooccur: ("count", "corpus counts"),
    steps.Search: ("search", "retrieve"),
    steps.Generate: ("generate", "language model"),
    steps.Commit: ("commit", "sentence let out"),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One answer on a page; `role` is a line above the question, e.g. what it demonstrates."""

    answer: Answer
    trace: Trace
    role: str = ""


def render_page(entries: Sequence[Entry], *, title: str, subtitle: str) -> str:
    """The page as a string.

    Args:
        entries: Answers in the order in which they are shown.
        title: Plain text.
        subtitle: Plain text.
    """
    shell = (resources.files("averment.page") / "template.html").read_text(encoding="utf-8")
    return Template(shell).substitute(
        title=escape(title),
        subtitle=escape(subtitle),
        articles="\n".join(_article(entry) for entry in entries),
    )


def _article(entry: Entry) -> str:
    answer = entry.answer
    role = f'<p class="role">{escape(entry.role)}</p>' if entry.role else ""
    cost = answer.cost
    return f"""<article>
{role}<h2>{escape(answer.question.text)}</h2>
{_answer(answer)}
<h3>Claims</h3>
<ol class="claims">{"".join(map(_claim, answer.claims)) or "<li>none</li>"}</ol>
<h3>Looked up</h3>
{"".join(map(_retrieval, answer.retrievals)) or '<p class="note">Nothing was retrieved.</p>'}
<h3>Timeline</h3>
{_timeline(entry.trace.records)}
<footer>{escape(answer.model)} · {cost.model_calls} model calls ·
{cost.prompt_tokens} prompt and {cost.generated_tokens} generated tokens ·
{cost.retrievals} retrievals · {cost.seconds:.1f} s · trace <code>{escape(answer.trace_id)}</code>
<br><code>{escape(answer.policy)}</code></footer>
</article>"""


def _answer(answer: Answer) -> str:
    reason = f": {REASON_WORDS.get(answer.reason, answer.reason)}" if answer.reason else ""
    return (
        f'<p class="answer {answer.verdict}"><strong>'
        f"{escape(_VERDICT_WORDS[answer.verdict] + reason)}</strong>"
        f"{escape(answer.final_answer or answer.text)}</p>"
    )


def _claim(claim: Claim) -> str:
    notes = []
    if claim.support is Support.UNKNOWN and not claim.checks:
        notes.append("nothing in it can be held against the corpus")
    notes += [f"evidence: {p.title or p.document_id}" for p in claim.evidence]
    note = f'<p class="note">{escape(" · ".join(notes))}</p>' if notes else ""
    return (
        f'<li><span class="chip {claim.support}">{_SUPPORT_WORDS[claim.support]}</span>'
        f"<div>{escape(claim.text)}{_checks(claim.checks)}{note}</div></li>"
    )


def _checks(checks: Sequence[Check]) -> str:
    if not checks:
        return ""
    rows = "".join(
        f"<tr><td>{escape(check.triplet.head)}</td><td>{escape(check.triplet.tail)}</td>"
        f'<td class="n">{_number(check.cooccurrence.documents)}</td>'
        f'<td class="n">{_number(check.cooccurrence.nearest_words)}</td>'
        f'<td class="{check.support}">{_SUPPORT_WORDS[check.support]}</td></tr>'
        for check in checks
    )
    return (
        '<table><tr><th>head</th><th>tail</th><th class="n">documents with both</th>'
        f'<th class="n">nearest, words</th><th></th></tr>{rows}</table>'
    )


def _retrieval(made: TriggeredRetrieval) -> str:
    passages = "".join(
        f"<blockquote><b>{escape(hit.passage.title or hit.passage.document_id)}</b>"
        f"{escape(hit.passage.text)}</blockquote>"
        for hit in made.retrieval.hits
    )
    return (
        f"<details><summary>“{escape(made.retrieval.query)}” · "
        f"{escape(made.trigger.replace('_', ' '))}</summary>"
        f'<p class="note">{escape(made.detail)}</p>{passages or "No passage matched."}</details>'
    )


def _timeline(records: Sequence[Record]) -> str:
    total = sum(record.ms for record in records) or 1.0
    bars = []
    rows = []
    at = 0.0
    for record in records:
        kind, _ = _KINDS[type(record.step)]
        width = record.ms / total * 1000
        bars.append(
            f'<rect x="{at:.1f}" y="0" width="{max(width, 1.5):.1f}" height="22" '
            f'style="fill:var(--{kind})"><title>{escape(_told(record))}</title></rect>'
        )
        rows.append(f'<tr><td class="n">{record.ms:.1f}</td><td>{escape(_told(record))}</td></tr>')
        at += width
    legend = "".join(
        f'<span><i style="background:var(--{kind})"></i>{words}</span>'
        for kind, words in dict.fromkeys(_KINDS[type(r.step)] for r in records)
    )
    return (
        f'<svg viewBox="0 0 1002 22" role="img" aria-label="time of each step">{"".join(bars)}'
        f'</svg><div class="legend">{legend}</div><details><summary>{len(records)} steps</summary>'
        f'<table><tr><th class="n">ms</th><th>step</th></tr>{"".join(rows)}</table></details>'
    )


def _told(record: Record) -> str:
    """A step and its outcome in one line."""
    if record.failure is not None:
        return f"{type(record.step).__name__} failed: {record.failure.message}"
    outcome = record.outcome
    match record.step:
        case steps.ExtractEntities(text=text):
            return f"entities of “{text}”: {', '.join(e.text for e in outcome) or 'none'}"
        case steps.ExtractTriplets(sentence=sentence):
            found = "; ".join(f"{t.head} — {t.relation} — {t.tail}" for t in outcome.triplets)
            return f"triplets of “{sentence}”: {found or 'none'}"
        case steps.CountPhrases(phrases=phrases):
            pairs = zip(phrases, outcome, strict=True)
            return "documents with " + ", ".join(f"{p}: {_number(c.documents)}" for p, c in pairs)
        case steps.Cooccur(pairs=pairs_asked):
            found_pairs = zip(pairs_asked, outcome, strict=True)
            return "documents with both " + ", ".join(
                f"{a} and {b}: {_number(c.documents)}" for (a, b), c in found_pairs
            )
        case steps.Search(query=query):
            return f"searched “{query}”: {len(outcome.hits)} passages"
        case steps.Generate():
            return f"wrote “{outcome.text.strip()}”"
        case steps.Commit(sentence=committed):
            return f"let out “{committed.text}”"


def _number(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"
