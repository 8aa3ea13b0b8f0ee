"""`averment filter`: rows of training or synthetic data, kept or rejected, with reasons."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from averment.cli.console import err, out, print_json
from averment.cli.options import (
    AliasesOption,
    CalibratorOption,
    ConfidenceOption,
    EngineOption,
    FaithfulnessOption,
    HtmlOption,
    JsonOption,
    OfflineOption,
    TargetErrorOption,
    Where,
)
from averment.files import write_whole
from averment.page.words import FLAG_WORDS, QUALITY_WORDS, interval_in_words, rejection_in_words
from averment.text import duration, n_of

if TYPE_CHECKING:
    from averment.filtering.labelled import Quality
    from averment.filtering.report import FilterReport
    from averment.filtering.running import Pace
    from averment.filtering.sampling import Estimate
    from averment.wiring.filters import OpenFilter

_SHOWN_NAMES = 10
_BAR = 30


_Data = Annotated[Path, typer.Argument(help="Rows: .jsonl, .jsonl.gz, .jsonl.zst, .parquet.")]
_Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="The folder of kept and rejected rows; a run that was killed goes on there.",
        show_default=False,
    ),
]
_Index = Annotated[
    Path | None,
    typer.Option(
        help="The index directory.  [default: $AVERMENT_INDEX, else .averment/index]",
        show_default=False,
    ),
]
_Field = Annotated[
    str | None,
    typer.Option(
        help="What is checked.  [default: answer, output, response, completion, text, or the "
        "last message of the assistant in messages]",
        show_default=False,
    ),
]
_Question = Annotated[
    str | None,
    typer.Option(
        help="The field with what it answers.  [default: question, instruction, prompt]",
        show_default=False,
    ),
]
_Context = Annotated[
    str | None,
    typer.Option(
        help="With --full: the field with what it is held against.  [default: context, "
        "documents, passages]",
        show_default=False,
    ),
]
_Labels = Annotated[
    str | None,
    typer.Option(
        help="The field that says whether a row is right: precision and recall are told.",
        show_default=False,
    ),
]
_Keep = Annotated[
    str | None,
    typer.Option(
        help="Which rows are kept, such as 'n_absent_pairs == 0 and least_documents >= 2'.",
        show_default=False,
    ),
]
_Full = Annotated[
    bool, typer.Option("--full", help="Judge the claims too; else they are only counted.")
]
_DryRun = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Look at so many rows, say what would come of all, and write no row.",
        show_default=False,
    ),
]
_FailBelow = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Exit 1 if a smaller share is kept.", show_default=False),
]


def filter_command(
    data: _Data,
    output: _Output = None,
    index: _Index = None,
    field: _Field = None,
    question: _Question = None,
    context: _Context = None,
    labels: _Labels = None,
    keep: _Keep = None,
    full: _Full = False,
    faithfulness: FaithfulnessOption = None,
    calibrator: CalibratorOption = None,
    target_error: TargetErrorOption = None,
    confidence: ConfidenceOption = None,
    aliases: AliasesOption = None,
    dry_run: _DryRun = None,
    fail_below: _FailBelow = None,
    engine: EngineOption = Where.LOCAL,
    html: HtmlOption = None,
    offline: OfflineOption = None,
    json: JsonOption = False,
) -> None:
    """Keep or reject rows of training or synthetic data, with reasons."""
    from averment.errors import UsageError
    from averment.wiring.filters import open_filter

    if output is None and dry_run is None:
        raise UsageError(
            "Where do the rows go?", hint="Name a folder: -o kept/, or try it: --dry-run 1000"
        )
    if html is not None:
        _check_page(html, data, output)
    opened = open_filter(
        data,
        index=index,
        field=field,
        question=question,
        context=context,
        labels=labels,
        keep=keep,
        full=full,
        faithfulness=faithfulness,
        calibrator=calibrator,
        target_error=target_error,
        confidence=confidence,
        aliases=aliases,
        offline=offline,
    )
    if engine is Where.RAY:
        from averment.distributed.filtering import on_ray

        if dry_run is not None:
            raise UsageError(
                "A dry run looks at a sample, in this process.", hint="Leave out --engine ray."
            )
        opened = on_ray(opened)
    _say_fields(opened)
    made: Estimate | None = None
    if dry_run is not None:
        made, report = _dry_run(opened, dry_run, as_json=json)
    else:
        assert output is not None
        report = _run(opened, output, as_json=json)
    if html is not None:
        _write_page(html, opened, report, made, output)
    if fail_below is not None and report.n_kept < fail_below * report.n_rows:
        raise typer.Exit(1)


def _say_fields(opened: OpenFilter) -> None:
    fields = opened.fields
    told = f"Checked: {fields.text!r}"
    told += f", as an answer to {fields.question!r}" if fields.question else ""
    if fields.context:
        told += f", against {fields.context!r}"
    err().print(told, markup=False)


def _run(opened: OpenFilter, output: Path, *, as_json: bool) -> FilterReport:
    progress = _Progress()
    try:
        report = opened.run(
            output,
            on_resume=lambda n: err().print(f"Goes on after {n_of(n, 'row')}."),
            on_pace=progress,
        )
    finally:
        progress.end()
    if as_json:
        print_json(report.to_json())
    else:
        _print(report)
        out().print(f"\nRows and report: {output}", markup=False)
    return report


def _dry_run(opened: OpenFilter, n_rows: int, *, as_json: bool) -> tuple[Estimate, FilterReport]:
    made, report = opened.estimate(n_rows)
    if as_json:
        estimated = {
            "n_rows": made.n_rows,
            "seconds": made.seconds,
            "share_kept_low": made.kept_low,
            "share_kept_high": made.kept_high,
        }
        print_json({"estimate": estimated, "sample": report.to_json()})
        return made, report
    _print(report)
    _print_histograms(report)
    _print_estimate(made)
    return made, report


def _check_page(html: Path, data: Path, output: Path | None) -> None:
    """Refuse what no page can be written to before hours are spent on the rows."""
    from averment.errors import UsageError
    from averment.filtering.output import FILES

    taken = {data.resolve(): "the input"}
    if output is not None:
        taken |= {(output / name).resolve(): "a file of the run" for name in FILES}
    what = "a folder" if html.is_dir() else taken.get(html.resolve())
    if what is not None:
        raise UsageError(f"{html} is {what}.", hint="Name a file: --html report.html")


def _write_page(
    html: Path,
    opened: OpenFilter,
    report: FilterReport,
    made: Estimate | None,
    output: Path | None,
) -> None:
    from averment.filtering.examples import examples_of
    from averment.page.filtering import FilterPage, render_filter

    if made is not None:
        rejected, rejected_in = examples_of(made.rejected, opened.fields), opened.source.path.name
    else:
        assert output is not None
        rejected, rejected_in = opened.rejected(output), opened.rejected_in
    page = FilterPage(report, rejected, rejected_in, opened.corpus, made)
    write_whole(html, render_filter(page))
    err().print(f"Page: {html}", markup=False)


class _Progress:
    """A line on stderr that is written over: rows, rows a second, time left."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty()

    def __call__(self, pace: Pace) -> None:
        if not self._is_shown:
            return
        rate = pace.n_rows / max(pace.seconds, 1e-9)
        left = ""
        if 0 < pace.share_read < 1:
            left = f", {duration(pace.seconds * (1 / pace.share_read - 1))} left"
        sys.stderr.write(f"\r{pace.n_rows:,} rows, {rate:,.0f} a second{left}\x1b[K")
        sys.stderr.flush()

    def end(self) -> None:
        """Leave the line empty."""
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")


def _print(report: FilterReport) -> None:
    n_rejected = report.n_rows - report.n_kept
    share = report.n_kept / report.n_rows if report.n_rows else 0.0
    say = _say
    say(f"kept      {report.n_kept:>9,} of {n_of(report.n_rows, 'row')} ({share:.1%})")
    say(f"rejected  {n_rejected:>9,}")
    for reason, n in report.reasons.items():
        say(f"  {n:>9,}  {reason:<20} {rejection_in_words(reason)}")
    flags = report.tally.flags.most_common()
    if flags:
        say("\nWorth a look; no reason to reject a row:")
    for flag, n in flags:
        say(f"  {n:>9,}  {flag:<20} {FLAG_WORDS[flag]}")
    if report.quality is not None:
        _print_quality(report.quality)
    if report.lacking:
        _print_lacking(report)


def _print_quality(quality: Quality) -> None:
    _say(
        f"\nOf {n_of(quality.n_labelled, 'row')} with a label {quality.n_wrong:,} are wrong and "
        f"{quality.n_rejected:,} are rejected (95 % intervals):"
    )
    for name, told in QUALITY_WORDS.items():
        _say(f"  {name:<9}  {interval_in_words(*getattr(quality, name.lower()))}   {told}")


def _print_lacking(report: FilterReport) -> None:
    missed = report.tally.lacking.missed_at_most
    about = f" (counts may be up to {missed:,} too low)" if missed else ""
    _say(
        f"\nWhat to add to the corpus: names in fewer than {n_of(report.rare_below, 'document')}, "
        f"by how many rows name them{about}"
    )
    for name, n_rows, documents in report.lacking[:_SHOWN_NAMES]:
        _say(f"  {n_rows:>9,}  {name}  ({n_of(documents, 'document')})")
    if len(report.lacking) > _SHOWN_NAMES:
        _say("  more of them: report.json, or --json")


def _print_histograms(report: FilterReport) -> None:
    for name, counts in report.to_json()["histograms"].items():
        known = [n for told, n in counts.items() if told != "unknown"]
        if not any(known):
            continue
        _say(f"\n{name}")
        most = max(counts.values())
        for told, n in counts.items():
            bar = "#" * -(-n * _BAR // most)
            _say(f"  {told:>12}  {n:>7,}  {bar}")


def _print_estimate(made: Estimate) -> None:
    _say(
        f"\nAll {n_of(made.n_rows, 'row')}: about {duration(made.seconds)} on this machine; "
        f"{made.kept_low:.0%} to {made.kept_high:.0%} are likely kept. No row was written."
    )


def _say(line: Any) -> None:
    out().print(line, markup=False)
