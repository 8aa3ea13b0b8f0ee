"""Renders what a run of the filter came to as one HTML page, to be shown to whoever owns the data.

What was kept, what was rejected and why, histograms, names that the corpus lacks, some of the
rejected rows. It shows what it is handed and filters nothing; a dry run is told as the estimate
that it is. That names stand near each other proves nothing, and the page never says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from averment.filtering.examples import RejectedRow
from averment.filtering.keep import COUNTED, JUDGED, SYNONYMS
from averment.filtering.labelled import Quality
from averment.filtering.report import FilterReport
from averment.filtering.sampling import Estimate
from averment.filtering.tally import HISTOGRAMS, UNKNOWN, bin_names
from averment.page.document import whole_page
from averment.page.html import Child, Html, joined, tag
from averment.page.marking import with_marked
from averment.page.render import corpus_in_words
from averment.page.words import FLAG_WORDS, QUALITY_WORDS, interval_in_words, rejection_in_words
from averment.text import Span, duration, n_of
from averment.types import CorpusInfo

_FIRST_NAMES = 15
_MOST_PAIRS = 6
_LEAST_WIDTH = 4.0
_LONGEST_TEXT, _BEFORE_MARK = 700, 200
_FIELD_WORDS = {**COUNTED, **JUDGED}
_NUMBERS_OF = {"withheld_claim": ["lowest_p_true"], "unknown_counts": ["n_unknown_counts"]}


@dataclass(frozen=True, slots=True)
class FilterPage:
    """What the page of a run shows.

    Args:
        report: What the run came to; of a dry run, its sample.
        rejected: Some of the rejected rows, by reason.
        rejected_in: The name of the file that they stand in.
        corpus: What was counted in; None: nothing was.
        estimate: Of a dry run, what it says of all rows.
    """

    report: FilterReport
    rejected: Mapping[str, Sequence[RejectedRow]]
    rejected_in: str
    corpus: CorpusInfo | None
    estimate: Estimate | None = None


def render_filter(page: FilterPage) -> str:
    """The page as a string."""
    report = page.report
    against = f"Corpus {corpus_in_words(page.corpus)}. " if page.corpus else ""
    if report.settings["full"]:
        told = "Claims were judged; a passage that says what a claim says may be wrong."
    else:
        told = "Rows were counted only: that names stand near each other proves nothing."
    parts = (_outcome(page), _histograms(report), _lacking(report), _rows(page), _made_with(page))
    return whole_page(
        filter(None, parts),
        title=f"averment filter: {report.settings['input']}",
        subtitle=against + told,
        style=("base.css", "filter.css"),
    )


def _article(title: str, *parts: Child) -> Html:
    return tag("article", tag("h2", title), *parts)


# --- what came of it ------------------------------------------------------------------------------


def _outcome(page: FilterPage) -> Html:
    report, tally = page.report, page.report.tally
    n_rows, n_rejected = report.n_rows, report.n_rows - report.n_kept
    tiles = [
        _tile(
            "looked at" if page.estimate else "rows read",
            n_rows,
            n_of(tally.n_claims, "claim"),
        ),
        _tile("kept", report.n_kept, _percent(report.n_kept, n_rows)),
        _tile("rejected", n_rejected, _percent(n_rejected, n_rows)),
    ]
    reasons = [(_code(code, rejection_in_words(code)), n) for code, n in report.reasons.items()]
    flags = [(_code(code, FLAG_WORDS[code]), n) for code, n in tally.flags.most_common()]
    nothing = tag("p", "None was.", class_="note")
    parts = [_estimate(page.estimate, report)] if page.estimate else []
    parts += [
        tag("dl", *tiles, class_="tiles"),
        _bar([("good", report.n_kept), ("bad", n_rejected)], n_rows, kind="whole"),
        tag("h3", "Why rows are rejected"),
        _bars(reasons, n_rows, kind="bad") if reasons else nothing,
    ]
    if flags:
        parts += [tag("h3", "Worth a look; no reason to reject a row"), _bars(flags, n_rows)]
    if report.quality is not None:
        parts += [tag("h3", "Against the labels"), *_quality(report.quality)]
    return _article("What would come of it" if page.estimate else "What came of it", *parts)


def _estimate(made: Estimate, report: FilterReport) -> Html:
    took = duration(max(made.seconds, 1))
    return tag(
        "p",
        tag("b", "An estimate."),
        f" {n_of(report.n_rows, 'row')} of {made.n_rows:,}, drawn at random, were looked at; no "
        f"row was written. Of all rows {made.kept_low:.0%} to {made.kept_high:.0%} are likely "
        f"kept (95 % interval); all of them take about {took} on the machine of this run. Every "
        "number below is of the rows that were looked at.",
        class_="estimate",
    )


def _tile(name: str, number: int, told: str) -> Html:
    return tag("div", tag("dt", name), tag("dd", tag("b", f"{number:,}"), " ", tag("small", told)))


def _code(code: str, told: str) -> Html:
    return joined([tag("code", code), " ", tag("small", told)])


def _quality(quality: Quality) -> list[Html]:
    rows = [
        tag(
            "tr",
            tag("th", _code(name, words), scope="row"),
            tag("td", interval_in_words(*getattr(quality, name.lower())), class_="n"),
        )
        for name, words in QUALITY_WORDS.items()
    ]
    about = (
        f"Of {n_of(quality.n_labelled, 'row')} with a label {quality.n_wrong:,} are wrong and "
        f"{quality.n_rejected:,} are rejected. In brackets: 95 % intervals."
    )
    return [tag("p", about, class_="note"), tag("table", *rows, class_="bars shares")]


# --- distributions --------------------------------------------------------------------------------


def _histograms(report: FilterReport) -> Html | None:
    """A figure for each number of which something is known."""
    figures = []
    for name in HISTOGRAMS:
        bins = dict(zip(bin_names(name), report.tally.bins[name], strict=True))
        if sum(bins.values()) == bins[UNKNOWN]:
            continue
        shown = [(of, n) for of, n in bins.items() if n or of != UNKNOWN]
        caption = tag("figcaption", tag("code", name), " ", tag("small", _FIELD_WORDS[name]))
        figures.append(tag("figure", caption, _bars(shown, max(bins.values()))))
    if not figures:
        return None
    note = tag("p", "How many rows have which value; rows that were kept too.", class_="note")
    return _article("What the rows are like", note, tag("div", *figures, class_="histograms"))


def _lacking(report: FilterReport) -> Html | None:
    if not report.lacking:
        return None
    missed = report.tally.lacking.missed_at_most
    about = (
        f"Names of the rows that stand in fewer than {n_of(report.rare_below, 'document')}, and "
        "how many rows have them. What is said of them could hardly be checked."
        + (f" Counts of rows may be up to {missed:,} too low." if missed else "")
    )
    most = max(n_rows for _, n_rows, _ in report.lacking)
    rows = [
        (joined([name, " ", tag("small", n_of(documents, "document"))]), n_rows)
        for name, n_rows, documents in report.lacking
    ]
    rest = rows[_FIRST_NAMES:]
    return _article(
        "What to add to the corpus",
        tag("p", about, class_="note"),
        _bars(rows[:_FIRST_NAMES], most),
        tag("details", tag("summary", f"{n_of(len(rest), 'name')} more"), _bars(rest, most))
        if rest
        else None,
    )


def _bars(rows: Sequence[tuple[str, int]], most: int, *, kind: str = "plain") -> Html:
    """A table: what is counted, a bar, how many."""
    return tag(
        "table",
        *(
            tag(
                "tr",
                tag("th", name, scope="row"),
                tag("td", _bar([(kind, n)], most)),
                tag("td", f"{n:,}", class_="n"),
            )
            for name, n in rows
        ),
        class_="bars",
    )


def _bar(parts: Sequence[tuple[str, int]], most: int, *, kind: str | None = None) -> Html:
    """Lengths in a row; the numbers stand beside it, so it is hidden from who cannot see it."""
    drawn, at = [], 0.0
    for colour, n in parts:
        width = max(1000 * n / max(most, 1), _LEAST_WIDTH if n else 0.0)
        drawn.append(tag("rect", class_=colour, x=f"{at:.1f}", width=f"{width:.1f}", height="10"))
        at += width
    return tag(
        "svg",
        *drawn,
        viewBox="0 0 1000 10",
        preserveAspectRatio="none",
        aria_hidden="true",
        focusable="false",
        class_=kind,
    )


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else ""


# --- rejected rows --------------------------------------------------------------------------------


def _rows(page: FilterPage) -> Html | None:
    reasons = [reason for reason in page.report.reasons if page.rejected.get(reason)]
    if not reasons:
        return None
    keep = page.report.settings["keep"] or ""
    parts: list[Html] = []
    for reason in reasons:
        told = _code(reason, f"{page.report.reasons[reason]:,}: {rejection_in_words(reason)}")
        named = [SYNONYMS.get(word, word) for word in re.findall(r"\w+", keep)]
        numbers = _NUMBERS_OF.get(reason, [name for name in named if name in _FIELD_WORDS])
        parts.append(tag("h3", told))
        parts += [_row(row, page.rejected_in, numbers) for row in page.rejected[reason]]
    note = (
        "Drawn at random, a few of each reason. Marked are claims with a pair that never stands "
        "near each other in the corpus"
    )
    note += ", and claims that a passage contradicts." if page.report.settings["full"] else "."
    return _article("Some of the rejected rows", tag("p", note, class_="note"), *parts)


def _row(row: RejectedRow, file: str, numbers: Sequence[str]) -> Html:
    column = row.column
    absent = column.get("absent_pairs") or ()
    pairs = [
        tag("li", tag("b", pair["head"]), f" {pair['relation']} ", tag("b", pair["tail"]))
        for pair in absent[:_MOST_PAIRS]
    ]
    if len(absent) > _MOST_PAIRS:
        pairs.append(tag("li", f"{n_of(len(absent) - _MOST_PAIRS, 'pair')} more"))
    told = [f"{name} = {_number(column.get(name))}" for name in dict.fromkeys(numbers)]
    notes = [f"line {row.line:,} of {file}", *told, column.get("detail")]
    return tag(
        "figure",
        tag("p", row.question, class_="question") if row.question else None,
        tag("blockquote", _excerpt(row.text, _marked(column))),
        tag("ul", *pairs, class_="pairs") if pairs else None,
        tag("figcaption", " · ".join(filter(None, notes))),
        class_="row",
    )


def _marked(column: Mapping[str, object]) -> list[Span]:
    claims = column.get("claims") or ()
    assert isinstance(claims, Sequence)
    return [
        Span(claim["start"], claim["end"])
        for claim in claims
        if claim["support"] == "absent" or claim.get("verdict") == "contradicted"
    ]


def _excerpt(text: str, marked: Sequence[Span]) -> Html:
    """The text, or of a long one the part about the first mark."""
    start = 0
    if len(text) > _LONGEST_TEXT and marked:
        start = max(0, min(marked[0].start - _BEFORE_MARK, len(text) - _LONGEST_TEXT))
    end = start + _LONGEST_TEXT
    spans = [Span(max(s.start, start) - start, min(s.end, end) - start) for s in marked]
    before, after = "…" if start else "", "…" if end < len(text) else ""
    return joined([before, with_marked(text[start:end], spans), after])


def _number(value: object) -> str:
    if value is None:
        return "unknown"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


# --- what it was made with ------------------------------------------------------------------------


def _made_with(page: FilterPage) -> Html:
    settings = dict(page.report.settings)
    settings["keep"] = settings["keep"] or "the rule of the house"
    facts = [(name.replace("_", " "), _told(value)) for name, value in settings.items()]
    if page.corpus is not None:
        facts.append(("corpus", f"{corpus_in_words(page.corpus)}, built {page.corpus.built_at}"))
    told = (tag("div", tag("dt", name), tag("dd", value)) for name, value in facts)
    return _article("Made with", tag("dl", *told, class_="facts"))


def _told(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None or value == "" else str(value)
