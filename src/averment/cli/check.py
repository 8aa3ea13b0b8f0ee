"""`averment check`: a text that is already there, claim by claim, with the evidence for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from averment.cli.claims import print_as_of, print_claim, print_made_with
from averment.cli.console import err, out, print_json, print_json_line
from averment.cli.options import (
    AliasesOption,
    AsOfOption,
    AuditOption,
    CalibratorOption,
    ConfidenceOption,
    CostOption,
    EngineOption,
    FaithfulnessOption,
    IndexOption,
    JsonOption,
    LanguageOption,
    OfflineOption,
    OtelOption,
    TargetErrorOption,
    UndatedOption,
    Where,
    WithheldOption,
    costs_of,
)
from averment.errors import UsageError
from averment.files import read_text, write_whole
from averment.text import n_of, shortened

if TYPE_CHECKING:
    from averment.settings import Settings
    from averment.types import Claim, Document, Report

_EditedOption = Annotated[
    Path | None,
    typer.Option(
        help="Write the text without what is withheld, or with it hedged.", show_default=False
    ),
]
_FailBelowOption = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        help="Exit 1 if a claim's P(true), or without a calibrator its faithfulness, is below this "
        "or unknown.",
        show_default=False,
    ),
]
_ContextOption = Annotated[
    list[Path] | None,
    typer.Option(
        help="A file to hold the claims against: text, md, html, pdf, docx or pptx; "
        "may be repeated."
    ),
]
_ModelOption = Annotated[
    str | None,
    typer.Option(
        help="Re-scores the text: a name of `averment models list`, or a .gguf file.  "
        "[default: none]",
        show_default=False,
    ),
]
_DOCUMENTS = frozenset((".md", ".html", ".htm", ".pdf", ".docx", ".pptx"))
_FILE = "Name a text file, or - for stdin."


def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Text files, or - for stdin.")
    ],
    context: _ContextOption = None,
    question: Annotated[str | None, typer.Option(help="What the text answers.")] = None,
    index: IndexOption = None,
    model: _ModelOption = None,
    atomic: Annotated[
        bool, typer.Option("--atomic", help="A claim is one fact of a sentence, not the sentence.")
    ] = False,
    faithfulness: FaithfulnessOption = None,
    calibrator: CalibratorOption = None,
    target_error: TargetErrorOption = None,
    confidence: ConfidenceOption = None,
    withheld: WithheldOption = None,
    cost: CostOption = None,
    as_of: AsOfOption = None,
    undated: UndatedOption = None,
    aliases: AliasesOption = None,
    language: LanguageOption = None,
    edited: _EditedOption = None,
    fail_below: _FailBelowOption = None,
    audit: AuditOption = None,
    offline: OfflineOption = None,
    otel: OtelOption = None,
    engine: EngineOption = Where.LOCAL,
    json: JsonOption = False,
) -> None:
    """Score the claims of a text against given passages, the index, or both.

    Several files are checked one by one, each against the same passages; with --json that is one
    object a line, with the name of its file.
    """
    from averment.settings import resolve_settings
    from averment.wiring.checks import is_index_meant

    if edited is not None and len(files) > 1:
        raise UsageError(
            f"--edited is one file, and {len(files)} are checked.", hint="Check them one by one."
        )
    texts = [read_text(file, hint=_FILE) for file in files]
    contexts = [_context(path) for path in context or ()]
    settings = resolve_settings(index=index, audit=audit)
    make = partial(
        _checker,
        question=question,
        contexts=contexts,
        index=settings.index if is_index_meant(settings) else None,
        model=model,
        atomic=atomic,
        faithfulness=faithfulness,
        calibrator=calibrator,
        target_error=target_error,
        confidence=confidence,
        withheld=withheld,
        costs=costs_of(cost, withheld=withheld),
        as_of=as_of,
        undated=undated,
        aliases=aliases,
        language=language,
        audit=audit,
        offline=offline,
        otel=otel,
    )
    reports = zip(files, _reports(make, texts, settings, engine), strict=True)
    told = [
        _tell(report, file if len(files) > 1 else None, fail_below, edited, json=json)
        for file, report in reports
    ]
    if not all(told):
        raise typer.Exit(1)


def _tell(
    report: Report, file: str | None, fail_below: float | None, edited: Path | None, *, json: bool
) -> bool:
    """Print a report, of several files with the name; whether all of its text may stand."""
    from averment.answers import report_edited
    from averment.scoring.withholding import is_withheld
    from averment.shapes import report_object

    failing = [] if fail_below is None else _below(report, fail_below)
    if edited is not None:
        write_whole(edited, report_edited(report))
    if json and file is None:
        print_json(report_object(report))
    elif json:
        print_json_line({"file": file, **report_object(report)})
    else:
        if file is not None:
            out().print(file, markup=False, style="bold")
        _print_report(report, failing)
    return not failing and not any(map(is_withheld, report.claims))


def _checker(**options: Any) -> Callable[[str], Report]:
    """Checks a text; made where it is checked."""
    from averment.wiring import check as check_text

    return partial(check_text, **options)


def _reports(
    make: Callable[[], Callable[[str], Report]],
    texts: list[str],
    settings: Settings,
    engine: Where,
) -> Iterator[Report]:
    if engine is Where.LOCAL:
        return map(make(), texts)
    from averment.distributed.spreading import spread

    if settings.audit != "off":
        raise UsageError(
            "A ledger is written by one process, so what is checked on Ray is not recorded.",
            hint="Leave out --engine ray, or say --audit off.",
        )
    return spread(make, texts, doing="checking texts")


def _context(path: Path) -> Document:
    """A file to hold claims against; of a type that is not read as a document, its text."""
    from averment.corpus.readers import read_document
    from averment.types import Document

    if path.suffix.lower() in _DOCUMENTS:
        return read_document(path)
    return Document(str(path), read_text(path, hint=_FILE))


def number_of(claim: Claim) -> float | None:
    """What a threshold is held against: P(true) if it is calibrated, else faithfulness."""
    return claim.p_true if claim.calibrated else claim.p_faithful


def _below(report: Report, least: float) -> list[Claim]:
    """The claims that do not reach it; an unknown number does not."""
    return [c for c in report.claims if (number_of(c) is None or (number_of(c) or 0.0) < least)]


def _print_report(report: Report, failing: list[Claim]) -> None:
    from rich.text import Text

    console = out()
    for claim in report.claims:
        print_claim(claim)
    for start, end, reason in report.skipped:
        line = f"{reason.replace('_', ' '):>12}  {shortened(report.text[start:end])}"
        console.print(Text(line, style="bright_black"))
    if not report.claims:
        console.print("No claim to check.")
    print_as_of(report.as_of)
    print_made_with(report.scores, report.claims)
    if failing:
        err().print(Text(f"{n_of(len(failing), 'claim')} below the threshold", style="bold red"))
