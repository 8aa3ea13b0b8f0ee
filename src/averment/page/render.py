"""Renders answers as one HTML page that opens from disk, prints, and needs no network.

One answer looks the same here and on the pages of `averment serve`, which take `article`. It has
no script, and its policy of content forbids one. It shows what the trace holds, and computes
nothing of its own but widths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from averment.page.claims import Behind, claims_flow, passage_name
from averment.page.document import whole_page
from averment.page.html import Child, Html, tag
from averment.page.snippets import Snippets
from averment.page.timeline import cost_of, timeline
from averment.page.words import VERDICT_WORDS, reason_in_words
from averment.text import n_of
from averment.trace import Record, Trace
from averment.types import Answer, CorpusInfo, TriggeredRetrieval, Verdict

STYLES = ("base.css", "answer.css")


@dataclass(frozen=True, slots=True)
class Entry:
    """One answer on a page.

    Args:
        answer: What is shown.
        trace: How it came about.
        role: A line above the question, such as what it demonstrates.
        snippets: Where the pairs of its claims stand in the corpus.
    """

    answer: Answer
    trace: Trace
    role: str = ""
    snippets: Snippets = field(default_factory=dict)


def render_page(entries: Sequence[Entry], *, title: str, subtitle: str) -> str:
    """The page as a string.

    Args:
        entries: Answers in the order in which they are shown.
        title: Plain text.
        subtitle: Plain text.
    """
    return whole_page(map(article, entries), title=title, subtitle=subtitle, style=STYLES)


def corpus_in_words(info: CorpusInfo) -> str:
    """What a corpus is, for the head of a page."""
    return f"{info.name}: {n_of(info.n_documents, 'document')}, {n_of(info.n_words, 'word')}"


def article(entry: Entry) -> Html:
    """One answer: what is said, claim by claim, what was looked up, how it went, who made it."""
    answer, trace = entry.answer, entry.trace
    heading = f"question-{answer.trace_id}"
    claims = "Draft, not given" if answer.verdict is Verdict.ABSTAINED else "The answer"
    retrievals = [_retrieval(made, trace.records) for made in answer.retrievals]
    return tag(
        "article",
        tag("p", entry.role, class_="role") if entry.role else None,
        tag("h2", answer.question.text, id=heading),
        _verdict(answer),
        _section(f"{claims}, claim by claim", claims_flow(answer.claims, _behind(entry))),
        _section("Looked up", *(retrievals or [tag("p", "Nothing was retrieved.", class_="note")])),
        _section("How it went", timeline(trace.records, answer.cost)),
        _section("Made with", _made_with(answer, trace)),
        class_="answer",
        aria_labelledby=heading,
    )


def _section(title: str, *body: Child) -> Html:
    return tag("section", tag("h3", title), *body)


def _behind(entry: Entry) -> Behind:
    answer, draft = entry.answer, entry.trace.draft
    return Behind(
        draft=answer.draft,
        passages=[hit.passage for made in answer.retrievals for hit in made.retrieval.hits],
        scores=answer.scores,
        repairs=[sentence.repairs for sentence in draft.sentences] if draft else [],
        snippets=entry.snippets,
    )


def _verdict(answer: Answer) -> Html:
    """What was done with the answer, its short form, and why."""
    reason = reason_in_words(answer.reason)
    short = answer.final_answer or (answer.text if not answer.claims else "")
    if answer.verdict is Verdict.ABSTAINED:
        short = answer.text
    return tag(
        "div",
        tag("p", tag("span", VERDICT_WORDS[answer.verdict], class_="chip"), class_="decided"),
        tag("p", short, class_="short") if short else None,
        tag("p", f"{reason[:1].upper()}{reason[1:]}.", class_="why") if reason else None,
        tag("p", answer.as_of.in_words, class_="why") if answer.as_of else None,
        class_=f"outcome {answer.verdict}",
    )


def _retrieval(made: TriggeredRetrieval, records: Sequence[Record]) -> Html:
    hits = made.retrieval.hits
    passages = [
        tag(
            "figure",
            tag("figcaption", f"{hit.rank}. ", *passage_name(hit.passage)),
            tag("blockquote", hit.passage.text),
            class_="passage",
        )
        for hit in hits
    ]
    summary = tag(
        "summary",
        tag("span", f"“{made.retrieval.query}”", class_="query"),
        " ",
        tag("span", made.trigger.replace("_", " "), class_="chip trigger"),
        " ",
        tag("span", n_of(len(hits), "passage"), class_="note"),
    )
    why = tag("p", f"{made.detail} · found by {made.retrieval.retriever}", class_="note")
    cost = tag("p", cost_of(made, records), class_="note")
    nothing = tag("p", "No passage matched.", class_="note")
    return tag("details", summary, why, cost, *(passages or [nothing]), class_="retrieval")


def _made_with(answer: Answer, trace: Trace) -> Html:
    """Who decided and by which rule, who made the numbers, and what it was made from."""
    reason = reason_in_words(answer.reason)
    decision = VERDICT_WORDS[answer.verdict] + (f": {reason}" if reason else "")
    scores = answer.scores
    facts: list[tuple[str, Child]] = [
        ("decision", decision),
        ("rule", tag("code", answer.policy)),
        ("model", _name(answer.model)),
    ]
    if scores is None:
        facts.append(("estimators", "none: the claims were not scored"))
    else:
        facts += [
            ("estimators that ran", ", ".join(scores.estimators_used) or "none"),
            ("calibration", _calibration(answer)),
            *([("promise", scores.promise.in_words)] if scores.promise else []),
            *([("costs", scores.costs.in_words)] if scores.costs else []),
            *(("note", note) for note in scores.notes),
        ]
    facts += [
        ("corpus digest", tag("code", trace.index)),
        ("versions", ", ".join(f"{name} {what}" for name, what in trace.versions.items())),
        ("asked at", tag("time", _moment(trace.started_at), datetime=trace.started_at)),
        ("trace", tag("code", answer.trace_id)),
    ]
    return tag("dl", *(tag("div", tag("dt", k), tag("dd", v)) for k, v in facts), class_="facts")


def _calibration(answer: Answer) -> str:
    n_calibrated = sum(claim.calibrated for claim in answer.claims)
    if not n_calibrated:
        return "none: no score is a probability of being true"
    if n_calibrated < len(answer.claims):
        return f"of {n_calibrated} of {len(answer.claims)} claims"
    return "calibrated on labelled claims"


def _name(model: str) -> str:
    """A model file by its name, not by where it lies."""
    return PurePath(model).name if model.endswith(".gguf") else model


def _moment(iso: str) -> str:
    return f"{iso[:10]} {iso[11:19]} UTC"
