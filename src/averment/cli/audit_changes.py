"""`averment audit export|erase|override`: what goes out of a ledger, and what adds to one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from averment.cli.console import err, out, print_json
from averment.cli.options import JsonOption
from averment.errors import UnknownNameError, UsageError
from averment.files import staged
from averment.text import n_of

if TYPE_CHECKING:
    from averment.audit.store import Erased
    from averment.settings import Settings

app = typer.Typer(
    help="The audit ledger: what was answered, checked and changed, provably as it was.",
    no_args_is_help=True,
)

LedgerOption = Annotated[
    str | None,
    typer.Option(
        "--audit",
        help="The ledger.  [default: $AVERMENT_AUDIT, else audit.sqlite in the home directory]",
        show_default=False,
    ),
]
ByOption = Annotated[
    str | None,
    typer.Option("--by", help="Who says so.  [default: $AVERMENT_AUDIT_BY]", show_default=False),
]
_FORMS = ("jsonl", "parquet")
_WHO = "Name who says so: --by NAME, or AVERMENT_AUDIT_BY."


def ledger_of(audit: str | None, *written: Path | None) -> Path:
    """The ledger that is read.

    Args:
        audit: As it was named; None: the one of the settings.
        *written: Files that are to be written from it.

    Raises:
        UsageError: One of them is the ledger itself.
    """
    from averment.settings import resolve_settings
    from averment.wiring.auditing import named_ledger

    path = named_ledger(resolve_settings(audit=audit))
    if any(file is not None and file.resolve() == path.resolve() for file in written):
        raise UsageError(
            f"{path} is the ledger itself, which would be lost.", hint="Name another file."
        )
    return path


@app.command()
def export(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A file.  [default: stdout]", show_default=False),
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="Only records of this kind.", show_default=False)
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--from", help="Only of this day or moment and later.", show_default=False),
    ] = None,
    until: Annotated[
        str | None, typer.Option("--to", help="Only up to this day or moment.", show_default=False)
    ] = None,
    texts: Annotated[
        bool, typer.Option("--texts/--no-texts", help="With questions, answers and passages.")
    ] = True,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="jsonl: JSON, one record a line; parquet: columns, into a file.  "
            "[default: parquet where the file ends in .parquet, else jsonl]",
            show_default=False,
        ),
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of a line, and nothing else.")
    ] = False,
    audit: LedgerOption = None,
) -> None:
    """Write records as JSON or Parquet; anybody can verify them, with or without averment."""
    from averment.audit.export import schema_text, write_lines
    from averment.audit.parquet import write_parquet
    from averment.audit.reading import LedgerReader
    from averment.cli.audit import chosen

    if schema:
        sys.stdout.write(schema_text())
        return
    is_parquet = _is_parquet(form, output)
    with LedgerReader(ledger_of(audit, output)) as reader, reader.snapshot():
        records = chosen(reader, kind=kind, since=since, until=until)
        if output is None:
            n_records = write_lines(sys.stdout, reader, records, with_contents=texts)
        elif is_parquet:
            with staged(output) as partial:
                n_records = write_parquet(partial, reader, records, with_contents=texts)
        else:
            with staged(output) as partial, partial.open("w", encoding="utf-8") as target:
                n_records = write_lines(target, reader, records, with_contents=texts)
        head = reader.head()
    err().print(f"{n_of(n_records, 'record')}; head of the ledger {head}", markup=False)


def _is_parquet(form: str | None, output: Path | None) -> bool:
    """Whether columns are asked for, by name or by the ending of the file."""
    if form not in (None, *_FORMS):
        raise UnknownNameError("format", str(form), _FORMS)
    if form is None:
        return output is not None and output.suffix.lower() == ".parquet"
    if form == "parquet" and output is None:
        raise UsageError(
            "Parquet is written into a file, and none is named.", hint="Name it: -o ledger.parquet"
        )
    return form == "parquet"


@app.command()
def erase(
    record_ids: Annotated[
        list[str] | None,
        typer.Argument(help="Numbers of records, or trace ids of answers.", show_default=False),
    ] = None,
    older_than: Annotated[
        float | None,
        typer.Option(help="Erase the texts of all records older than so many days.", min=0),
    ] = None,
    reason: Annotated[
        str | None,
        typer.Option(
            help="Why; it stays for good, so no word of what is erased belongs into it.",
            show_default=False,
        ),
    ] = None,
    by: ByOption = None,
    audit: LedgerOption = None,
    json: JsonOption = False,
) -> None:
    """Erase texts: questions, answers, passages. The records stay, and the ledger still verifies.

    With an answer go its request and its overrides. What was erased, when, why and by whom is on
    record.
    """
    from averment.audit.store import Ledger

    settings, path = _for_writing(audit, by)
    if (older_than is None) == (not record_ids):
        raise UsageError("Name records to erase, or --older-than DAYS; one of the two.")
    if older_than is not None:
        with Ledger(path) as ledger:
            erased = ledger.retain(older_than, by=settings.audit_by)
    else:
        if not reason:
            raise UsageError("Why is it erased?", hint="Say so: --reason 'request of 30 November'")
        if settings.audit_by is None:
            raise UsageError("Who erases is not named.", hint=_WHO)
        seqs = _all_of(path, record_ids or [])
        with Ledger(path) as ledger:
            erased = ledger.erase(seqs, by=settings.audit_by, reason=reason)
    _print_erased(erased, json=json)


def _all_of(path: Path, record_ids: list[str]) -> list[int]:
    """The records that are named, and those of the same answers."""
    from averment.audit.reading import LedgerReader

    with LedgerReader(path) as reader, reader.snapshot():
        named = [each for record_id in record_ids for each in reader.find(record_id)]
        answers = [each for one in named for each in reader.answers_to(one)]
        ids = {
            id_ for each in (*named, *answers) for id_ in (each.trace_id, each.facts.get("request"))
        }
        of_them = [each for one in sorted(filter(None, ids)) for each in reader.find(one)]
    return sorted({each.seq for each in (*named, *of_them)})


def _print_erased(erased: Erased, *, json: bool) -> None:
    if json:
        print_json(
            {
                "erased": list(erased.records),
                "records": [head.seq for head in erased.written],
                "overwritten": erased.is_overwritten,
            }
        )
        return
    if not erased.records:
        out().print("Nothing to erase: the texts are gone already.")
        return
    written = ", ".join(str(head.seq) for head in erased.written)
    out().print(f"Texts of {n_of(len(erased.records), 'record')} erased; on record as {written}.")
    if not erased.is_overwritten:
        err().print("Another process is reading: old bytes go from the journal with its next use.")


@app.command()
def override(
    record_id: Annotated[
        str, typer.Argument(help="The number of a record, or the trace id of an answer.")
    ],
    verdict: Annotated[
        str,
        typer.Option(
            help="What it should have been. Of an answer: answered, warned, abstained; of a claim: "
            "supported, contradicted, unsupported, unverified."
        ),
    ],
    reason: Annotated[str, typer.Option(help="Why, in words.")],
    claim: Annotated[
        int | None,
        typer.Option(help="The number of the claim, from 1.  [default: the answer as a whole]"),
    ] = None,
    by: ByOption = None,
    audit: LedgerOption = None,
    json: JsonOption = False,
) -> None:
    """Record that you hold a verdict to be wrong; the record of it stays as it is."""
    from averment.audit.reading import LedgerReader
    from averment.audit.store import Ledger
    from averment.cli.audit import judged_or_only
    from averment.wiring.audited_changes import record_override
    from averment.wiring.auditing import Auditor

    settings, path = _for_writing(audit, by)
    if settings.audit_by is None:
        raise UsageError("Who overrides is not named.", hint=_WHO)
    with LedgerReader(path) as reader:
        of = judged_or_only(reader.find(record_id))
    with Auditor(Ledger(path), settings) as auditor:
        head = record_override(
            auditor, of, verdict=verdict, reason=reason, by=settings.audit_by, claim=claim
        )
    if json:
        print_json({"seq": head.seq, "sha256": head.digest, "of": of.seq})
        return
    out().print(f"Recorded as {head.seq}: record {of.seq} stays as it is.")


def _for_writing(audit: str | None, by: str | None) -> tuple[Settings, Path]:
    """The settings, and a ledger that is there: a wrong name makes no new one."""
    from averment.audit.reading import LedgerReader
    from averment.settings import resolve_settings
    from averment.wiring.auditing import named_ledger

    settings = resolve_settings(audit=audit, audit_by=by)
    path = named_ledger(settings)
    LedgerReader(path).close()
    return settings, path
