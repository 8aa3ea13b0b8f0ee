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
from averment.page.words import forms_in_words, relation_in_words
from averment.trace import Record, Trace
from averment.types import (
    Answer,
    Check,
    Claim,
    Cooccurrence,
    CountKind,
    RelationOutcome,
    Support,
    TriggeredRetrieval,
    Verdict,
)

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
    "contradicted_claim": "the corpus says something else of a claim",
    "by_a_bridge": "the answer is linked to the question only through a passage",
    "skipped_step": "the answer names nobody whom the question goes by",
    "low_coverage": "the corpus does not know every name of the question",
    "weak_evidence": "the answer is too improbable for the promised error",
    "claims_hedged": "claims that are too improbable for the promised error are hedged",
    "claims_withheld": "claims that are too improbable for the promised error are left out",
}
_RELATION_STYLES = {
    RelationOutcome.SUPPORTED: "present",
    RelationOutcome.CONTRADICTED: "absent",
    RelationOutcome.NOT_FOUND: "not_covered",
    RelationOutcome.UNKNOWN: "unknown",
}
_KINDS: dict[type[object], str] = {
    steps.ExtractEntities: "extract",
    steps.ExtractTriplets: "extract",
    steps.CountPhrases: "count",
    steps.Cooccur: "count",
    steps.LocatePairs: "count",
    steps.Search: "search",
    steps.Generate: "generate",
    steps.Commit: "commit",
    steps.JudgeFaithfulness: "score",
    steps.Rescore: "score",
    steps.ReadAttention: "score",
    steps.MeasureSpread: "score",
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
<h3>{"Draft, not given" if answer.verdict is Verdict.ABSTAINED else "Claims"}</h3>
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
    if claim.evidence and claim.p_faithful is None:
        notes.append("evidence: " + ", ".join(p.title or p.document_id for p in claim.evidence))
    note = f'<p class="note">{escape(" · ".join(notes))}</p>' if notes else ""
    return (
        f'<li><span class="chip {claim.support}">{_words(claim.support)}</span>'
        f"<div>{escape(claim.text)}{_scores(claim)}{_checks(claim.checks)}{note}</div></li>"
    )


def _scores(claim: Claim) -> str:
    """The verdict and the parts of P(true) as bars; scores that are no probabilities say so."""
    if claim.p_faithful is None:
        return ""
    bars = [("faithful to the passages", claim.p_faithful)]
    if claim.reasons.get("p_faithful") == "no_evidence":
        bars = []  # there were no passages to be faithful to
    if claim.p_true is not None:
        bars += [
            ("true if faithful", claim.p_true_if_faithful or 0.0),
            ("true if not", claim.p_true_if_unfaithful or 0.0),
            ("true", claim.p_true),
        ]
    rows = "".join(
        f'<tr><td>{name}</td><td class="n">{value:.2f}</td>'
        f'<td><meter min="0" max="1" value="{value:.4f}"></meter></td></tr>'
        for name, value in bars
    )
    scale = "" if claim.calibrated else "; not calibrated, so no probability that it is true"
    why = claim.reasons["verdict"].replace("_", " ")
    quote = "".join(
        f"<blockquote><b>{escape(p.title or p.document_id)}</b>{escape(p.text)}</blockquote>"
        for p in claim.evidence
    )
    return (
        f'<p class="note"><b>{claim.verdict}</b>: {escape(why)}{scale}</p>'
        f'<table class="scores">{rows}</table>{quote}'
    )


def _checks(checks: Sequence[Check]) -> str:
    if not checks:
        return ""
    rows = "".join(
        f"<tr><td>{escape(check.triplet.head)}</td><td>{escape(check.triplet.tail)}</td>"
        f'<td class="n">{_documents(check.cooccurrence)}</td>'
        f'<td class="n">{_nearest(check.cooccurrence)}</td>'
        f'<td class="{check.support}">{_words(check.support)}</td>'
        f'<td class="{_RELATION_STYLES[check.relation.outcome] if check.relation else ""}">'
        f"{escape(relation_in_words(check))}</td></tr>"
        for check in checks
    )
    counted = "".join(
        f'<p class="note">counted: {escape(forms)}</p>'
        for forms in dict.fromkeys(map(forms_in_words, checks))
        if forms
    )
    return (
        '<table><tr><th>head</th><th>tail</th><th class="n">documents with both</th>'
        '<th class="n">nearest, words</th><th></th><th>relation</th></tr>'
        f"{rows}</table>{counted}"
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
        f'<p class="note">{escape(made.detail)} · found by {escape(made.retrieval.retriever)}</p>'
        f"{passages or 'No passage matched.'}</details>"
    )


def _timeline(records: Sequence[Record]) -> str:
    """What happened, in order; drafts that were not let out are struck through."""
    rejected = rejected_drafts(records)
    rows = []
    every = []
    for number, record in enumerate(records):
        kind = _KINDS[type(record.step)]
        told = escape(_told(record))
        every.append(f'<tr><td class="n">{record.ms:.1f}</td><td>{told}</td></tr>')
        if kind in ("search", "generate", "commit"):
            if number in rejected:
                told = f"<s>{told}</s> rejected"
            rows.append(
                f'<tr><td class="n">{record.started_ms / 1000:.1f} s</td>'
                f'<td><i style="background:var(--{kind})"></i>{told}</td></tr>'
            )
    return (
        f'<table class="timeline">{"".join(rows)}</table>'
        f"<details><summary>all {len(records)} steps, with the milliseconds of each</summary>"
        f'<table><tr><th class="n">ms</th><th>step</th></tr>{"".join(every)}</table></details>'
    )


def rejected_drafts(records: Sequence[Record]) -> set[int]:
    """Which records are drafts that another draft replaced before a sentence was let out.

    A draft that the next one goes on from was interrupted, not replaced.
    """
    rejected: set[int] = set()
    draft: int | None = None
    for number, record in enumerate(records):
        if isinstance(record.step, steps.Generate):
            if draft is not None and not _goes_on(record.step, records[draft]):
                rejected.add(draft)
            draft = number
        elif isinstance(record.step, steps.Commit):
            draft = None
    return rejected


def _goes_on(step: steps.Generate, draft: Record) -> bool:
    text = draft.outcome.text if draft.outcome is not None else ""
    return bool(text) and step.prompt.answer.endswith(text)


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
        case steps.LocatePairs(pairs=located):
            n_windows = sum(map(len, outcome))
            return f"read {n_windows} windows of {', '.join(_names(pair) for pair in located)}"
        case steps.Search(query=query):
            return f"searched “{query}”: {len(outcome.hits)} passages"
        case steps.Generate():
            return f"wrote “{outcome.text.strip()}”"
        case steps.Commit(sentence=committed):
            return f"let out “{committed.text}”"
        case steps.JudgeFaithfulness(claims=claims, passages=passages):
            scores = ", ".join(f"{found.score:.2f}" for found in outcome)
            return f"held {len(claims)} claims against {len(passages)} passages: {scores}"
        case steps.Rescore(text=text):
            return f"re-scored {len(outcome)} tokens of “{text.strip()}” without passages"
        case steps.ReadAttention(text=text):
            return f"read the attention of {len(outcome.spans)} tokens of “{text.strip()}”"
        case steps.MeasureSpread():
            volume = "unknown" if outcome.log_volume is None else f"{outcome.log_volume:.2f}"
            return f"measured the spread of {outcome.n_used} continuations: {volume}"


def _names(pair: tuple[steps.Forms, steps.Forms]) -> str:
    (a, *_), (b, *_) = pair
    return a if a == b else f"{a} and {b}"


def _words(support: Support) -> str:
    return support.replace("_", " ")


def _documents(found: Cooccurrence) -> str:
    least = "≥ " if found.kind is CountKind.LOWER_BOUND else ""
    return least + _number(found.documents)


def _nearest(found: Cooccurrence) -> str:
    # What was not found where a part of the corpus is missing is unknown, and not absent.
    is_never = found.exists is False and found.documents == 0 and found.nearest_words is None
    return "never" if is_never else _number(found.nearest_words)


def _number(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"
