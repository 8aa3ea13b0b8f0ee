"""Renders a run of a bench as one HTML page that opens from disk and needs no network.

Tables with intervals, paired differences, and three charts for each question set. Numbers of papers
stand apart and are marked. It shows what it is handed and computes nothing of its own but places;
everything that a file wrote is escaped here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil
from operator import itemgetter

from averment.evaluation.bench_file import PaperRow, Variant
from averment.evaluation.comparing import Difference
from averment.evaluation.curves import ConfidenceCurves
from averment.evaluation.run_record import RunRecord
from averment.evaluation.tables import Line, Mean, shown_metrics
from averment.page.charts import Axis, Point, Series, line_chart
from averment.page.document import whole_page
from averment.page.html import Html

_METRICS = {
    "exact_match": "exact match",
    "f1": "F1",
    "draft_f1": "F1 of drafts",
    "accuracy": "accuracy",
    "rouge_l": "ROUGE-L",
}
_CONFIDENCES = {
    "token_probability": "raw token probability",
    "score": "raw score of the last claim",
    "p_true": "P(true) of the last claim",
}


_SHOWN_PAIRS = 10


@dataclass(frozen=True, slots=True)
class BenchReport:
    """What the page of a run shows."""

    record: RunRecord
    table: Sequence[Line]
    differences: Sequence[Difference]
    curves: Sequence[ConfidenceCurves]
    warnings: Sequence[str]


def render_bench(report: BenchReport) -> str:
    """The page as a string."""
    record = report.record
    names = list(dict.fromkeys(line.set for line in report.table))
    parts = [_warnings(report), *(_set(name, report) for name in names)]
    return whole_page(
        map(Html, [*parts, _made_with(record, report.table)]),
        title=f"averment bench: {record.bench}",
        subtitle=f"{record.model}. Means over questions with 95 % bootstrap intervals; failed "
        "questions are counted, not graded.",
        style=("base.css", "bench.css"),
        kind="broad",
    )


def _warnings(report: BenchReport) -> str:
    if not report.warnings:
        return ""
    items = "".join(f"<li>{escape(warning)}</li>" for warning in report.warnings)
    return f'<article><h2>Read first</h2><ul class="warnings">{items}</ul></article>'


def _set(name: str, report: BenchReport) -> str:
    lines = [line for line in report.table if line.set == name]
    paper = [row for row in report.record.paper if row.set == name]
    found = [each for each in report.differences if each.set == name]
    curves = [each for each in report.curves if each.set == name]
    told = next((each for each in report.record.sets if each.name == name), None)
    source = f"{told.file}, {told.split or 'no split named'}" if told else ""
    charts = _retrieval_accuracy(lines, report.record.variants) + _confidence_charts(curves)
    return (
        f'<article><h2>{escape(name)}</h2><p class="note">{escape(source)}</p>'
        + _grades(lines, paper)
        + _section("What it took, a question", _costs(lines))
        + _section("Differences on the same questions, p by sign flips", _differences(found))
        + _section("Curves", f'<div class="charts">{charts}</div>' if charts else "")
        + "</article>"
    )


def _section(title: str, body: str) -> str:
    return f"<h3>{escape(title)}</h3>{body}" if body else ""


def _grades(lines: Sequence[Line], paper: Sequence[PaperRow]) -> str:
    metrics = shown_metrics(lines)
    told = (
        *("answered", "warned", "abstained"),
        *("F1 of those given", "F1 of those withheld", "wrongly withheld"),
    )
    head = ["policy", "n", *(_METRICS[m] for m in metrics), *told]
    rows = [
        [
            escape(line.contestant) + ("" if line.valid else ' <b class="bad">invalid</b>'),
            str(line.n - line.failed)
            + (f"<small>+{line.failed} failed</small>" * (line.failed > 0)),
            *(_mean(line.grades[m]) for m in metrics),
            *(str(n) for n in (line.answered, line.warned, line.abstained)),
            *(_number(value, 3) for value in (line.f1_given, line.f1_withheld)),
            _number(line.wrong_abstention_rate, 3),
        ]
        for line in lines
    ]
    reported = [
        [
            f"{escape(row.policy)}<small>{escape(row.model)}, {escape(row.source)}</small>",
            "",
            *(_number(getattr(row, m, None), 3) for m in metrics),
            *[""] * len(told),
        ]
        for row in paper
    ]
    table = _table(head, rows)
    if not reported:
        return table
    return (
        f"{table}<details><summary>What the paper reports, with its own model and corpus: "
        "not to be compared digit by digit</summary>"
        f"{_table(head, reported, kind='paper')}</details>"
    )


def _costs(lines: Sequence[Line]) -> str:
    if all(line.retrievals.value is None for line in lines):
        return ""
    head = [
        *("policy", "searches", "triggered", "gold found", "model calls"),
        *("prompt tokens", "generated", "other tokens", "seconds", "unknown counts"),
    ]
    rows = [
        [
            escape(line.contestant) + _triggers(line),
            _mean(line.retrievals, digits=2),
            _percent(line.trigger_rate),
            _percent(line.gold_retrieved),
            _number(line.model_calls, 1),
            _number(line.prompt_tokens, 0),
            _number(line.generated_tokens, 0),
            _number(line.extractor_tokens, 0),
            _number(line.seconds, 1),
            _percent(line.unknown),
        ]
        for line in lines
    ]
    return _table(head, rows)


def _triggers(line: Line) -> str:
    """Why it searched, in small print under its name."""
    told = ", ".join(f"{name.replace('_', ' ')} {rate:.2f}" for name, rate in line.triggers.items())
    return f'<small class="under">{escape(told)}</small>' if told else ""


def _differences(found: Sequence[Difference]) -> str:
    if not found:
        return ""
    metrics = list(dict.fromkeys(each.metric for each in found))
    head = ["policy", "minus", "n", *(t for m in metrics for t in (_METRICS[m], "p"))]
    pairs: dict[tuple[str, str], dict[str, Difference]] = {}
    for each in found:
        pairs.setdefault((each.contestant, each.baseline), {})[each.metric] = each
    rows = [
        [
            escape(contestant),
            escape(baseline),
            str(max(each.n for each in by_metric.values())),
            *(cell for m in metrics for cell in _difference(by_metric[m])),
        ]
        for (contestant, baseline), by_metric in pairs.items()
    ]
    table = _table(head, rows, n_words=2)
    if len(rows) <= _SHOWN_PAIRS:
        return table
    return f"<details><summary>{len(rows)} pairs of policies</summary>{table}</details>"


def _difference(of: Difference) -> tuple[str, str]:
    """A difference with its interval, and its p-value."""
    sign = "good" if of.is_better else "bad" if of.high is not None and of.high < 0 else ""
    value = "" if of.value is None else f"{of.value:+.3f}"
    interval = ""
    if of.low is not None and of.high is not None:
        interval = f"<small>{of.low:+.3f} to {of.high:+.3f}</small>"
    return f'<span class="{sign}">{value}</span>{interval}', _p_value(of.p_value)


def _retrieval_accuracy(lines: Sequence[Line], variants: Mapping[str, Variant]) -> str:
    """F1 by searches a question: a point a policy, a line through the values of a threshold."""
    found: dict[str, list[tuple[float, Point]]] = {}
    for line in lines:
        x, mean = line.retrievals.value, line.grades["f1"]
        if x is not None and mean.value is not None:
            name, value = _swept(line.contestant, variants)
            point = Point(x, mean.value, mean.low, mean.high, line.contestant)
            found.setdefault(name, []).append((value, point))
    if not found:
        return ""
    series = []
    for name, swept in found.items():
        points = tuple(point for _, point in sorted(swept, key=itemgetter(0)))
        series.append(Series(name if len(points) > 1 else points[0].name, points))
    shown = [point for each in series for point in each.points]
    top = max(point.y if point.high is None else point.high for point in shown)
    return line_chart(
        series,
        title="F1 by what is looked up",
        x=Axis("searches a question", 0.0, max(1.0, 1.1 * max(point.x for point in shown))),
        y=Axis("F1", 0.0, max(0.1, ceil(10 * top) / 10)),
    )


def _swept(contestant: str, variants: Mapping[str, Variant]) -> tuple[str, float]:
    """The line that a contestant is on, and where: by the first number of its variant.

    A variant without one, and who is no variant, is a line of its own.
    """
    variant = variants.get(contestant)
    if variant is None or variant.swept is None:
        return contestant, 0.0
    name, value = variant.swept
    return f"{variant.preset}, {name}", value


def _confidence_charts(curves: Sequence[ConfidenceCurves]) -> str:
    parts = []
    for measure in dict.fromkeys(each.confidence for each in curves):
        mine = [each for each in curves if each.confidence == measure]
        told = _CONFIDENCES.get(measure, measure)
        parts.append(
            line_chart(
                [Series(_named(each.contestant, "AURC", each.aurc), _risk(each)) for each in mine],
                title=f"Risk by coverage: {told}",
                x=Axis("share of answers kept, surest first", 0.0, 1.0),
                y=Axis("share of them wrong", 0.0, 1.0),
            )
        )
        parts.append(
            line_chart(
                [
                    Series(_named(each.contestant, "ECE", each.ece), _reliability(each))
                    for each in mine
                ],
                title=f"Reliability: {told}",
                x=Axis("confidence", 0.0, 1.0),
                y=Axis("share right", 0.0, 1.0),
                diagonal=True,
            )
        )
    return "".join(parts)


def _named(contestant: str, metric: str, value: float | None) -> str:
    return contestant if value is None else f"{contestant} ({metric} {value:.2f})"


def _risk(curves: ConfidenceCurves) -> tuple[Point, ...]:
    curve = curves.risk_coverage
    pairs = zip(curve.coverage, curve.risk, strict=True)
    return tuple(Point(float(coverage), float(risk)) for coverage, risk in pairs)


def _reliability(curves: ConfidenceCurves) -> tuple[Point, ...]:
    return tuple(
        Point(each.mean_confidence, each.share_true)
        for each in curves.reliability
        if each.mean_confidence is not None and each.share_true is not None
    )


def _made_with(record: RunRecord, table: Iterable[Line]) -> str:
    sets = "; ".join(
        f"{each.name}: {each.n} of {each.file} (SHA-256 {each.digest}), "
        + ("in file order" if each.seed is None else f"drawn with seed {each.seed}")
        for each in record.sets
    )
    facts = {
        "model": record.model_identity,
        "index": record.index or "none",
        "questions": sets,
        "decoder seed": str(record.decoder_seed),
        "settings": ", ".join(f"{k} = {v}" for k, v in record.settings.items()) or "defaults",
        "averment": ", ".join(f"{k} {v}" for k, v in record.versions.items()),
        "machine": record.machine,
    }
    items = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items())
    policies = dict.fromkeys(text for line in table for text in line.settings)
    shown = "".join(f"<p><code>{escape(text)}</code></p>" for text in policies)
    return (
        f"<article><h2>Made with</h2><dl>{items}</dl>"
        f"<details><summary>every policy with its parameters</summary>{shown}</details></article>"
    )


def _table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, kind: str = "", n_words: int = 1
) -> str:
    """A table; the first columns are words, the others numbers. Cells are HTML."""

    def cell(tag: str, at: int, text: str) -> str:
        return f"<{tag}>{text}</{tag}>" if at < n_words else f'<{tag} class="n">{text}</{tag}>'

    top = "".join(cell("th", at, escape(text)) for at, text in enumerate(head))
    body = "".join(
        f'<tr class="{kind}">{"".join(cell("td", at, text) for at, text in enumerate(row))}</tr>'
        for row in rows
    )
    return f'<div class="wide"><table><tr>{top}</tr>{body}</table></div>'


def _mean(mean: Mean, *, digits: int = 3) -> str:
    if mean.value is None:
        return ""
    value = f"{mean.value:.{digits}f}"
    if mean.low is None or mean.high is None:
        return value
    return f"{value}<small>{mean.low:.{digits}f} to {mean.high:.{digits}f}</small>"


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:,.{digits}f}"


def _p_value(value: float | None) -> str:
    return "&lt; 0.001" if value is not None and value < 0.001 else _number(value, 3)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"
