"""`averment bench compare|report|score`: what reads runs, or makes them from answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from averment.cli.bench_tables import (
    print_differences,
    print_expectations,
    print_paper,
    print_table,
    print_warnings,
)
from averment.cli.console import err, out, print_json
from averment.cli.options import JsonOption
from averment.errors import AvermentError, UsageError
from averment.files import write_whole
from averment.text import n_of

if TYPE_CHECKING:
    from averment.evaluation.comparing import HeldExpectation
    from averment.evaluation.run_record import RunRecord
    from averment.evaluation.tables import Run

app = typer.Typer(help="Policies held against questions with known answers.", no_args_is_help=True)

RunArgument = Annotated[
    str, typer.Argument(help="The folder of a run, or its name in the home directory.")
]
TABLE_NAME, PAGE_NAME, PARQUET_NAME = "table.jsonl", "report.html", "rows.parquet"


@app.command()
def compare(
    runs: Annotated[
        list[str], typer.Argument(help="Folders of runs, or their names in the home directory.")
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="exact_match, f1, draft_f1, accuracy or rouge_l; may be repeated.  "
            "[default: exact_match, f1, and draft_f1 where answers were held back]",
            show_default=False,
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            help="Compare with this policy only; POLICY@RUN where several runs have it.",
            show_default=False,
        ),
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            help="Such as 'quco > single in f1 on 2wiki'; may be repeated.  [default: the bench's]",
            show_default=False,
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Tables of runs, paired differences between policies; exit 1 if an expectation is not met."""
    from averment.evaluation.bench_file import Expectation
    from averment.evaluation.comparing import differences, hold_expectations, read_grades
    from averment.evaluation.tables import open_tables, read_table, warnings_of
    from averment.trace import to_plain

    opened = _open_runs(runs)
    with open_tables([run for run, _ in opened]) as rows:
        table, graded = read_table(rows), read_grades(rows)
    found = differences(graded, metrics=metric or (), baseline=baseline)
    warnings = warnings_of(table)
    stated = [Expectation.parse(each) for each in expect or ()]
    if not stated and len(opened) == 1:
        for each in map(Expectation.parse, opened[0][1].expect):
            lacking = {each.better, each.worse}.difference(graded.contestants)
            if lacking:  # the bench's, in a run of some of its policies
                warnings.append(
                    f"not judged: {each}, since the run lacks {', '.join(sorted(lacking))}"
                )
            else:
                stated.append(each)
    held = hold_expectations(graded, table, stated)
    if json:
        print_json(
            {
                "runs": [str(run.directory) for run, _ in opened],
                "table": to_plain(table),
                "differences": to_plain(found),
                "expectations": [_expectation_object(each) for each in held],
                "warnings": warnings,
            }
        )
    else:
        print_table(table)
        print_differences(found)
        print_expectations(held)
        print_warnings(warnings)
    if not all(each.met for each in held):
        raise typer.Exit(1)


@app.command()
def report(
    run: RunArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The page.  [default: report.html in the run]",
            show_default=False,
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Write a run as one page that opens from disk: tables, differences, curves."""
    from averment.evaluation.comparing import differences, read_grades
    from averment.evaluation.curves import read_curves
    from averment.evaluation.tables import open_tables, read_table, warnings_of
    from averment.page.bench import BenchReport, render_bench

    ((found, record),) = _open_runs([run])
    with open_tables([found]) as rows:
        table = read_table(rows)
        shown = BenchReport(
            record=record,
            table=table,
            differences=differences(read_grades(rows)),
            curves=read_curves(rows),
            warnings=warnings_of(table),
        )
    target = output or found.directory / PAGE_NAME
    write_whole(target, render_bench(shown))
    if json:
        print_json({"page": str(target)})
    else:
        out().print(str(target), markup=False)


@app.command()
def score(
    answers: Annotated[
        Path, typer.Argument(help='JSONL of {"id", "answer"}, one a question; made by any system.')
    ],
    dataset: Annotated[str, typer.Option(help="The data set: a name of `averment bench list`.")],
    questions: Annotated[Path, typer.Option(help="The file of the data set.")],
    system: Annotated[
        str | None,
        typer.Option(help="Who gave the answers.  [default: the file's name]", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The folder of the run.  [default: runs/SYSTEM-DATASET in the home directory]",
            show_default=False,
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Grade the answers of another system, and table them as a run that can be compared."""
    from averment.evaluation.datasets import read_dataset
    from averment.evaluation.given_answers import graded_rows, read_answers
    from averment.evaluation.rows import FILE_NAME, write_rows
    from averment.evaluation.run_record import RunRecord, SetRecord, claim_run
    from averment.evaluation.tables import require_duckdb
    from averment.files import read_text
    from averment.settings import resolve_settings

    require_duckdb()
    name = system or answers.name.removesuffix(".gz").removesuffix(".jsonl")
    given = read_answers(
        read_text(answers, hint='Give JSONL of {"id", "answer"}.').split("\n"), source=str(answers)
    )
    known = read_dataset(dataset, questions)
    rows, unmatched = graded_rows(given, known, system=name)
    directory = output or resolve_settings().home / "runs" / f"{name}-{dataset}"
    told = SetRecord(dataset, dataset, str(questions.name), known.digest, len(known.examples))
    directory.mkdir(parents=True, exist_ok=True)
    claim_run(directory, RunRecord(name, name, name, "", (told,)))
    write_rows(directory / FILE_NAME, rows)
    if not json:
        err().print(
            f"{n_of(len(rows), 'answer')} graded of {n_of(len(known.examples), 'question')}; "
            f"{n_of(len(unmatched), 'answer')} to no question of the file"
        )
    finish(directory, n_made=len(rows), parquet=False, as_json=json)


def finish(directory: Path, *, n_made: int, parquet: bool, as_json: bool) -> None:
    """Write the table of a run beside its rows, and print it.

    Raises:
        AvermentError: Not one question could be answered.
    """
    from averment.evaluation.run_record import read_record
    from averment.evaluation.tables import (
        open_tables,
        read_table,
        table_lines,
        warnings_of,
        write_parquet,
    )
    from averment.trace import to_plain

    record = read_record(directory)
    run = _run_of(directory, record, label="")
    with open_tables([run]) as rows:
        table = read_table(rows)
        write_whole(directory / TABLE_NAME, table_lines(table))
        if parquet:
            write_parquet(rows, directory / PARQUET_NAME)
    if as_json:
        print_json(
            {
                "run": str(directory),
                "rows_made": n_made,
                "table": to_plain(table),
                "paper": to_plain(record.paper),
                "warnings": warnings_of(table),
            }
        )
    else:
        print_table(table)
        print_paper(record.paper)
        print_warnings(warnings_of(table))
    if all(line.failed == line.n for line in table):
        raise _all_failed(directory)
    if not as_json:
        err().print(f"Next: averment bench report {directory}", markup=False)


def _all_failed(directory: Path) -> AvermentError:
    from averment.evaluation.rows import FILE_NAME, read_rows

    first = read_rows(directory / FILE_NAME)[0].error
    assert first is not None
    return AvermentError(
        f"Every question failed. The first: {first.kind}: {first.message}", hint=first.hint
    )


def _open_runs(names: list[str]) -> list[tuple[Run, RunRecord]]:
    """Runs by folder or name, each with a label where there are several."""
    from averment.evaluation.run_record import read_record

    directories = [_directory(name) for name in names]
    labels = [directory.resolve().name for directory in directories]
    if len(set(labels)) < len(labels):
        raise UsageError(f"Two runs are called the same: {', '.join(labels)}.")
    records = [read_record(directory) for directory in directories]
    return [
        (_run_of(directory, record, label=label if len(names) > 1 else ""), record)
        for directory, record, label in zip(directories, records, labels, strict=True)
    ]


def _directory(name: str) -> Path:
    from averment.settings import resolve_settings

    return Path(name) if Path(name).is_dir() else resolve_settings().home / "runs" / name


def _run_of(directory: Path, record: RunRecord, *, label: str) -> Run:
    from averment.evaluation.tables import Run

    return Run(label, directory, record.max_unknown)


def _expectation_object(held: HeldExpectation) -> dict[str, Any]:
    from averment.trace import to_plain

    return {
        "expectation": str(held.expectation),
        "difference": to_plain(held.difference),
        "met": held.met,
    }
