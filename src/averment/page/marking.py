"""Parts of a text set off as marked: a span by its place, or phrases wherever they stand.

What this module does not do: look for evidence. It marks what it is told, and where it cannot find
that, it shows the text as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from averment.page.html import Child, Html, joined, tag
from averment.text import Span, TextForm
from averment.types import Passage


def with_marked(text: str, spans: Iterable[Span]) -> Html:
    """The text with some spans marked; spans that overlap become one."""
    parts: list[Child] = []
    at = 0
    for span in _merged(spans):
        parts += [text[at : span.start], tag("mark", text[span.start : span.end])]
        at = span.end
    return joined([*parts, text[at:]])


def with_evidence(passage: Passage, evidence: Sequence[Passage]) -> Html:
    """The text of a passage, with what of the evidence was cut out of it marked."""
    return with_marked(
        passage.text,
        [
            Span(span.start - passage.start, span.end - passage.start)
            for span in evidence
            if is_within(span, passage)
        ],
    )


def is_within(span: Passage, passage: Passage) -> bool:
    """Whether a span of evidence was cut out of a passage."""
    return (
        span.document_id == passage.document_id
        and passage.start <= span.start
        and span.end <= passage.end
    )


def with_phrases(text: str, phrases: Iterable[str], form: TextForm) -> Html:
    """The text with every occurrence of some phrases marked, as the corpus counts them."""
    words = form.words_with_spans(text)
    forms = [word.form for word in words]
    spans = []
    for asked in filter(None, map(form.words, phrases)):
        n = len(asked)
        spans += [
            Span(words[at].start, words[at + n - 1].end)
            for at in range(len(forms) - n + 1)
            if forms[at : at + n] == asked
        ]
    return with_marked(text, spans)


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if span.end <= span.start:
            continue
        if merged and span.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged
