"""`averment audit list|show|verify|replay`: what reads a ledger and leaves it as it is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from averment.cli.audit_changes import LedgerOption, app, ledger_of
from averment.cli.console import err, out, print_json
from averment.cli.options import JsonOption
from averment.errors import UsageError
from averment.files import write_whole
from averment.text import n_of

if TYPE_CHECKING:
    from averment.audit.chain import Record
    from averment.audit.reading import LedgerReader
    from averment.audit.verifying import Verification
    from averment.wiring.replaying import Replayed

__all__ = ["app"]

IdArgument = Annotated[
    str, typer.Argument(help="The number of a record, or the trace id of an answer.")
]
KindOption = Annotated[
    str | None,
    typer.Option("--kind", help="Only records of this kind: answer, …", show_default=False),
]
FromOption = Annotated[
    str | None,
    typer.Option(
        "--from",
        help="Only records of this day or moment and later: 2026-11-30, 2026-11-30T09:00Z.",
        show_default=False,
    ),
]
ToOption = Annotated[
    str | None,
    typer.Option(
        "--to", help="Only records up to this day, all of it, or moment.", show_default=False
    ),
]


@app.command("list")
def list_records(
    kind: KindOption = None,
    since: FromOption = None,
    until: ToOption = None,
    limit: Annotated[int, typer.Option(min=0, help="The last so many; 0: all.")] = 20,
    audit: LedgerOption = None,
    json: JsonOption = False,
) -> None:
    """What was recorded, the latest last, and the head of the ledger: keep it elsewhere."""
    from averment.audit.reading import LedgerReader

    with LedgerReader(ledger_of(audit)) as reader, reader.snapshot():
        head = reader.head()
        found = list(chosen(reader, kind=kind, since=since, until=until))
    shown = found[-limit:] if limit else found
    if json:
        rows = [_row(record) for record in shown]
        print_json({"ledger": str(reader.path), "head": str(head), "records": rows})
        return
    for record in shown:
        out().print(_line(record), markup=False)
    if len(shown) < len(found):
        err().print(f"{n_of(len(found) - len(shown), 'earlier record')} not shown: --limit 0")
    err().print(f"head {head}", markup=False)


def chosen(
    reader: LedgerReader, *, kind: str | None, since: str | None, until: str | None
) -> Iterator[Record]:
    """The records of a kind and a time.

    Raises:
        UsageError: No such kind, or no time.
    """
    from averment.audit.chain import Kind
    from averment.errors import UnknownNameError

    if kind is not None and kind not in list(Kind):
        raise UnknownNameError("kind of record", kind, list(Kind))
    first = None if since is None else _moment(since, is_end=False)
    last = None if until is None else _moment(until, is_end=True)
    for record in reader.records():
        if kind is not None and record.kind != kind:
            continue
        moment = datetime.fromisoformat(record.time)
        if (first is None or moment >= first) and (last is None or moment < last):
            yield record


def _moment(text: str, *, is_end: bool) -> datetime:
    """A day or a moment; without a zone it is UTC, and the end of a day is the next one."""
    try:
        if len(text) == len("2026-11-30"):
            moment = datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
            step = timedelta(days=is_end)
        else:
            found = datetime.fromisoformat(text)
            moment = found if found.tzinfo else found.replace(tzinfo=UTC)
            step = timedelta(microseconds=is_end)
    except ValueError as error:
        raise UsageError(
            f"{text[:50]!r} is no day or moment.",
            hint="For example 2026-11-30, or 2026-11-30T09:00:00Z.",
        ) from error
    try:
        return moment + step
    except OverflowError:  # the last day that there is
        return datetime.max.replace(tzinfo=UTC)


def _row(record: Record) -> dict[str, Any]:
    return {
        "seq": record.seq,
        "time": record.time,
        "kind": record.kind,
        "by": record.by,
        "trace_id": record.trace_id,
        "verdict": record.facts.get("verdict"),
        "sha256": record.digest,
    }


def _line(record: Record) -> str:
    told = _what(record)
    by = record.by or "-"
    return f"{record.seq:>6}  {record.time[:19]}Z  {record.kind:<12}  {by:<12}  {told}"


def _what(record: Record) -> str:
    """A record in a few words."""
    facts = record.facts
    match record.kind:
        case "answer" | "verification":
            told = facts.get("verdict") or facts.get("failure") or "checked"
            return f"{told}, {n_of(len(facts['claims']), 'claim')}  {record.trace_id}"
        case "override":
            of = "the answer" if facts["claim"] is None else f"claim {facts['claim']}"
            return f"{of} of record {facts['of']}: {facts['verdict']}, was {facts['was']}"
        case "erasure":
            erased = facts["erased"]
            which = f"record {erased[0]}" if len(erased) == 1 else n_of(len(erased), "record")
            return f"texts of {which}: {facts['reason']}"
        case "ingestion" | "deletion" | "merge":
            n = "" if record.kind == "merge" else f"{n_of(facts['n_documents'], 'document')}, "
            return f"{n}index {facts['index']['name']} generation {facts['index']['generation']}"
        case "alias_change":
            return f"{facts['action']} {n_of(facts['n_forms'], 'form')}"
        case "calibration":
            return f"{facts['mode']}, {n_of(facts['n_rows'], 'claim')}"
        case _:
            return record.trace_id or ""


@app.command()
def show(
    record_id: IdArgument,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write a page that opens from disk.", show_default=False),
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", help="Write Markdown.", show_default=False)
    ] = None,
    audit: LedgerOption = None,
    json: JsonOption = False,
) -> None:
    """All that is recorded of an answer, a check or a change, for an auditor."""
    from averment.audit.export import export_row
    from averment.audit.reading import LedgerReader
    from averment.page.record import RecordReport, record_markdown, record_page

    with LedgerReader(ledger_of(audit, html, markdown)) as reader, reader.snapshot():
        record = judged_or_only(reader.find(record_id))
        later = [(each, reader.contents(each)) for each in reader.later(record)]
        report = RecordReport(record, reader.contents(record), later, reader.head())
        row = export_row(reader, record, with_contents=True)
    if html is not None:
        write_whole(html, record_page(report))
    if markdown is not None:
        write_whole(markdown, record_markdown(report))
    if json:
        print_json({**row, "later": [each.seq for each, _ in later]})
    elif html is None and markdown is None:
        out().print(record_markdown(report), markup=False)
    for file in filter(None, (html, markdown)):
        err().print(f"Report: {file}", markup=False)


def judged_or_only(records: list[Record]) -> Record:
    """Of records with one trace id, the one that holds verdicts; else the first."""
    judged = [each for each in records if each.kind in ("answer", "verification")]
    return (judged or records)[0]


@app.command()
def verify(
    head: Annotated[
        str | None,
        typer.Option(
            "--head",
            help="A head that was kept elsewhere, HASH@NUMBER: finds records cut off at the end.",
            show_default=False,
        ),
    ] = None,
    audit: LedgerOption = None,
    json: JsonOption = False,
) -> None:
    """Read every record and every text; exit 1 and name the first that is not as it was written.

    That records are missing at the end, or that somebody wrote the whole ledger anew, shows only
    against a head that was kept elsewhere.
    """
    from averment.audit.chain import Head
    from averment.audit.reading import LedgerReader
    from averment.audit.verifying import verify as verify_ledger

    anchor = None if head is None else Head.parse(head)
    with LedgerReader(ledger_of(audit)) as reader:
        found = verify_ledger(reader, anchor=anchor)
    if json:
        print_json(_verified_object(found, reader.path))
    else:
        _print_verified(found)
    if found.bad is not None:
        raise typer.Exit(1)


def _verified_object(found: Verification, path: Path) -> dict[str, Any]:
    from averment.trace import to_plain

    return {
        "ledger": str(path),
        "records": found.head.seq,
        "head": str(found.head),
        "bad": to_plain(found.bad),
        "erased": [{"seq": seq, "by_record": by} for seq, by in sorted(found.erased.items())],
        "anchored": found.anchor is not None,
    }


def _print_verified(found: Verification) -> None:
    console = out()
    if found.bad is not None:
        console.print(
            f"Record {found.bad.seq} is bad ({found.bad.reason}): {found.bad.detail}.", markup=False
        )
        console.print(f"The {n_of(found.head.seq, 'record')} before what was read are linked.")
        return
    console.print(f"{n_of(found.head.seq, 'record')}: all are as they were written.")
    if found.erased:
        console.print(f"The texts of {n_of(len(found.erased), 'record')} were erased, on record.")
    if found.anchor is None:
        console.print("Whether records were cut off at the end shows only with --head HASH@NUMBER.")
    console.print(f"head {found.head}", markup=False)


@app.command()
def replay(record_id: IdArgument, audit: LedgerOption = None, json: JsonOption = False) -> None:
    """Make the verdicts of an answer or a check again from what is recorded, without network.

    Exit 1 where they come out otherwise, and where they cannot be made again, with the reason.
    """
    from averment.audit.reading import LedgerReader
    from averment.wiring.replaying import Outcome, replay_record

    with LedgerReader(ledger_of(audit)) as reader, reader.snapshot():
        record = judged_or_only(reader.find(record_id))
        contents = reader.contents(record)
    found = replay_record(record, contents)
    if json:
        from averment.trace import to_plain

        print_json({**to_plain(found), "trace_id": record.trace_id})
    else:
        _print_replayed(found, record)
    if found.outcome is not Outcome.REPRODUCED:
        raise typer.Exit(1)


def _print_replayed(found: Replayed, record: Record) -> None:
    console = out()
    if found.reason is None:
        told = n_of(len(record.facts["claims"]), "claim")
        console.print(f"Record {found.seq}: reproduced, with the verdicts of {told}.")
        return
    outcome = found.outcome.replace("_", " ")
    console.print(f"Record {found.seq}: {outcome} ({found.reason}): {found.detail}.", markup=False)
    for path in found.differences:
        console.print(f"  {path}", markup=False)
