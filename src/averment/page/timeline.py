"""What happened on the way to an answer, in order: each step in a line, with what it cost.

Drafts that were written again are struck through. What this module does not do: time anything; it
shows what the trace holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from averment import steps
from averment.dating import Dates
from averment.page.html import Html, joined, tag
from averment.text import n_of
from averment.trace import Record
from averment.types import Cost, TriggeredRetrieval

KIND_WORDS = {
    "generate": "writing",
    "search": "looking up",
    "count": "counting",
    "extract": "reading claims",
    "score": "scoring",
    "commit": "kept",
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
_TOLD = ("search", "generate", "commit")
_WIDTH = 1000.0
_LEAST_WIDTH = 2.0


def kind_of(record: Record) -> str:
    """What sort of step it was: a key of `KIND_WORDS`."""
    return _KINDS[type(record.step)]


def timeline(records: Sequence[Record], cost: Cost) -> Html:
    """The steps on a line of time, what was let out and looked up, and all steps with numbers."""
    rejected = rejected_drafts(records)
    told = [
        tag(
            "li",
            tag("span", f"{record.started_ms / 1000:.1f} s", class_="at"),
            tag("i", class_=f"dot {kind_of(record)}", aria_hidden="true"),
            _line(record, is_rejected=number in rejected),
            class_=kind_of(record),
        )
        for number, record in enumerate(records)
        if kind_of(record) in _TOLD
    ]
    return joined([_strip(records, cost), tag("ol", *told, class_="timeline"), _every(records)])


def _line(record: Record, *, is_rejected: bool) -> Html:
    if is_rejected:
        return tag("span", tag("s", told(record)), " ", tag("b", "rejected", class_="rejected"))
    return tag("span", told(record))


def _strip(records: Sequence[Record], cost: Cost) -> Html:
    """A bar of time, a colour a kind of step; what it says stands in words below it."""
    whole_ms = max((record.started_ms + record.ms for record in records), default=0.0)
    if whole_ms <= 0:
        return Html()
    scale = _WIDTH / whole_ms
    bars = [
        tag(
            "rect",
            tag("title", told(record)),
            class_=kind_of(record),
            x=f"{record.started_ms * scale:.1f}",
            width=f"{max(record.ms * scale, _LEAST_WIDTH):.1f}",
            y="0",
            height="28",
        )
        for record in records
        if kind_of(record) != "commit"
    ]
    spent: dict[str, float] = {}
    for record in records:
        spent[kind_of(record)] = spent.get(kind_of(record), 0.0) + record.ms
    legend = [
        tag(
            "li",
            tag("i", class_=f"dot {kind}", aria_hidden="true"),
            f"{KIND_WORDS[kind]} {_duration(spent[kind])}",
        )
        for kind in KIND_WORDS
        if kind in spent and kind != "commit"
    ]
    drawn = tag(
        "svg",
        *bars,
        viewBox="0 0 1000 28",
        preserveAspectRatio="none",
        aria_hidden="true",
        focusable="false",
    )
    spending = (
        f"{n_of(cost.model_calls, 'model call')}, {cost.prompt_tokens:,} prompt and "
        f"{cost.generated_tokens:,} generated tokens, {n_of(cost.retrievals, 'retrieval')}, "
        f"{cost.seconds:.1f} s"
    )
    return tag(
        "div",
        drawn,
        tag("ul", *legend, class_="legend"),
        tag("p", spending, class_="note"),
        class_="strip",
    )


def _every(records: Sequence[Record]) -> Html:
    head = tag(
        "tr",
        tag("th", "at, s", scope="col", class_="n"),
        tag("th", "ms", scope="col", class_="n"),
        tag("th", "tokens read + written", scope="col", class_="n"),
        tag("th", "step", scope="col"),
    )
    rows = [
        tag(
            "tr",
            tag("td", f"{record.started_ms / 1000:.2f}", class_="n"),
            tag("td", f"{record.ms:.1f}", class_="n"),
            tag("td", _tokens(record), class_="n"),
            tag("td", tag("i", class_=f"dot {kind_of(record)}", aria_hidden="true"), told(record)),
        )
        for record in records
    ]
    table = tag("table", tag("thead", head), tag("tbody", *rows), class_="steps")
    scrolled = tag("div", table, class_="wide", tabindex="0", role="region", aria_label="All steps")
    return tag("details", tag("summary", f"All {len(records)} steps"), scrolled, class_="more")


def _tokens(record: Record) -> str:
    usage = getattr(record.outcome, "usage", None)
    return f"{usage.prompt_tokens:,} + {usage.generated_tokens:,}" if usage else ""


def cost_of(made: TriggeredRetrieval, records: Sequence[Record]) -> str:
    """When a retrieval was made, how long it took, and how much was read behind it."""
    at = next((n for n, each in enumerate(records) if each.outcome == made.retrieval), None)
    if at is None:
        return "its step is not in the trace"
    told_of = f"at {records[at].started_ms / 1000:.1f} s, took {_duration(records[at].ms)}"
    draft = next((each for each in records[at:] if isinstance(each.step, steps.Generate)), None)
    if draft is None or draft.outcome is None:
        return told_of
    usage = draft.outcome.usage
    return (
        f"{told_of}; the draft behind it read {usage.prompt_tokens:,} tokens, wrote "
        f"{usage.generated_tokens:,} and took {_duration(draft.ms)}"
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


def _dated(dates: Dates | None) -> str:
    return "" if dates is None else f" {dates.in_words}"


def told(record: Record) -> str:
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
        case steps.CountPhrases(phrases=phrases, dates=dates):
            pairs = zip(phrases, outcome, strict=True)
            counts = ", ".join(f"{p}: {number(c.documents)}" for p, c in pairs)
            return f"documents{_dated(dates)} with {counts}"
        case steps.Cooccur(pairs=pairs_asked, dates=dates):
            found_pairs = zip(pairs_asked, outcome, strict=True)
            return f"documents{_dated(dates)} with both " + ", ".join(
                f"{a} and {b}: {number(c.documents)}" for (a, b), c in found_pairs
            )
        case steps.LocatePairs(pairs=located):
            n_windows = sum(map(len, outcome))
            return (
                f"read {n_of(n_windows, 'window')} of {', '.join(_names(pair) for pair in located)}"
            )
        case steps.Search(query=query):
            return f"searched “{query}”: {n_of(len(outcome.hits), 'passage')}"
        case steps.Generate():
            return f"wrote “{outcome.text.strip()}”"
        case steps.Commit(sentence=committed):
            return f"kept “{committed.text}”"
        case steps.JudgeFaithfulness(claims=claims, passages=passages):
            scores = ", ".join(f"{found.score:.2f}" for found in outcome)
            return (
                f"held {n_of(len(claims), 'claim')} against {n_of(len(passages), 'passage')}: "
                f"{scores or 'none'}"
            )
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


def number(value: int | None) -> str:
    """A count for a reader; one that nobody knows is a question mark."""
    return "?" if value is None else f"{value:,}"


def _duration(ms: float) -> str:
    return f"{ms:.1f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"
