"""`averment index`: build a corpus index, look into it, count."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from averment.cli.console import err, n_of, out, print_json
from averment.cli.options import IndexOption, JsonOption
from averment.errors import DatasetError, EmptyCorpusError, QueryError

if TYPE_CHECKING:
    from averment.types import Cooccurrence, CorpusInfo, Occurrence

app = typer.Typer(help="Build a corpus index, look into it, count.", no_args_is_help=True)

_SHOWN_BAD_RECORDS = 20

PathsArgument = Annotated[
    list[Path],
    typer.Argument(
        help="Files and folders: txt, md, html, pdf, docx; jsonl, csv, tsv (.gz, .zst), parquet."
    ),
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Stop at the first record that cannot be read.")
]


@app.command()
def build(
    paths: PathsArgument,
    index: IndexOption = None,
    fold_accents: Annotated[
        bool, typer.Option("--fold-accents", help="Zürich and Zurich are one word.")
    ] = False,
    counts_only: Annotated[
        bool, typer.Option("--counts-only", help="Statistics without text: no retrieval.")
    ] = False,
    strict: StrictOption = False,
    json: JsonOption = False,
) -> None:
    """Build an index from documents; an index that is there already is replaced as a whole."""
    _ingest(
        paths, index, fold_accents=fold_accents, counts_only=counts_only, strict=strict, json=json
    )


@app.command()
def add(
    paths: PathsArgument,
    index: IndexOption = None,
    strict: StrictOption = False,
    json: JsonOption = False,
) -> None:
    """Add documents to an index; those whose id is there already are listed and left out."""
    _ingest(paths, index, add=True, strict=strict, json=json)


def _ingest(
    paths: list[Path],
    index: Path | None,
    *,
    fold_accents: bool = False,
    counts_only: bool = False,
    add: bool = False,
    strict: bool,
    json: bool,
) -> None:
    from averment.cli.progress import byte_progress
    from averment.corpus.files import BadRecord
    from averment.corpus.readers import read_documents
    from averment.wiring import build_index, resolve_settings

    target = resolve_settings(index=index).index
    bad: list[str] = []

    def on_bad(record: BadRecord | str) -> None:
        if strict:
            raise DatasetError(str(record), hint="Without --strict such records are skipped.")
        bad.append(str(record))

    started = time.perf_counter()
    with byte_progress("Reading", quiet=json) as advance:
        documents = read_documents(paths, on_bad=on_bad, on_bytes=advance)
        try:
            info = build_index(
                documents,
                target,
                fold_accents=fold_accents,
                counts_only=counts_only,
                add=add,
                on_duplicate=lambda d: on_bad(f"{d.document_id}: this id is there already"),
            )
        except EmptyCorpusError:
            _print_bad(bad)
            raise
    seconds = time.perf_counter() - started
    if json:
        print_json({**_info_object(info, target), "seconds": seconds, "skipped": bad})
        return
    _print_bad(bad)
    console = out()
    console.print(f"Index: {target}")
    console.print(
        f"{n_of(info.n_documents, 'document')}, {n_of(info.n_words, 'word')}, "
        f"{n_of(info.n_passages, 'passage')} in {seconds:.1f} s"
    )
    flag = "" if index is None else f" --index {target}"
    console.print(f'Next: averment ask{flag} "your question"')


def _print_bad(bad: list[str]) -> None:
    if not bad:
        return
    console = err()
    console.print(f"{len(bad):,} records or files were skipped:")
    for record in bad[:_SHOWN_BAD_RECORDS]:
        console.print(f"  {record}", markup=False)
    if len(bad) > _SHOWN_BAD_RECORDS:
        console.print(f"  … and {len(bad) - _SHOWN_BAD_RECORDS:,} more (all of them: --json)")


@app.command()
def info(index: IndexOption = None, json: JsonOption = False) -> None:
    """What an index holds, and how it was made."""
    from averment.wiring import open_index, resolve_settings

    target = resolve_settings(index=index).index
    found = open_index(target).info
    if json:
        print_json(_info_object(found, target))
        return
    threshold, n_terms = found.entity_threshold_documents, found.n_terms
    rows = [
        ("index", str(target)),
        ("documents", f"{found.n_documents:,}"),
        ("words", f"{found.n_words:,}" + (f" ({n_terms:,} different)" if n_terms else "")),
        ("passages", f"{found.n_passages:,}" if found.n_passages else "none (counts only)"),
        ("segments", f"{found.n_segments:,}"),
        ("engine", found.engine),
        ("text form", found.text_form),
        (
            "rare names",
            "no names found" if threshold is None else f"in fewer than {threshold} documents",
        ),
        ("built", found.built_at),
        ("digest", found.digest),
    ]
    for name, value in rows:
        out().print(f"{name:<11} {value}", markup=False)


def _info_object(found: CorpusInfo, path: Path) -> dict[str, object]:
    from averment.trace import to_plain

    return {"index": str(path), **to_plain(found)}


@app.command()
def verify(index: IndexOption = None, json: JsonOption = False) -> None:
    """Check every file of an index against the hashes in its manifest; exit 1 if one differs."""
    from averment.wiring import open_index, resolve_settings

    target = resolve_settings(index=index).index
    problems = open_index(target).verify()
    if json:
        print_json({"index": str(target), "problems": problems})
    for problem in [] if json else problems or [f"{target}: every file is as it was written"]:
        out().print(problem, markup=False)
    if problems:
        raise typer.Exit(1)


@app.command()
def count(
    phrases: Annotated[list[str], typer.Argument(help="Phrases; quote those with blanks.")],
    index: IndexOption = None,
    show: Annotated[
        int, typer.Option("--show", min=0, help="Occurrences to show of each phrase.")
    ] = 3,
    json: JsonOption = False,
) -> None:
    """How often phrases occur, and in how many documents: exact."""
    from averment.shapes import counts_object, occurrence_object
    from averment.wiring import open_index, resolve_settings

    opened = open_index(resolve_settings(index=index).index)
    counts = opened.count(phrases)
    if json:
        made = counts_object(phrases, counts, opened.info)
        for row, phrase in zip(made["counts"], phrases, strict=True):
            found = opened.locate(phrase, limit=show)
            row["occurrences"] = [occurrence_object(occurrence) for occurrence in found]
        print_json(made)
        return
    console = out()
    for phrase, found_count in zip(phrases, counts, strict=True):
        console.print(
            f"{phrase}: {n_of(found_count.value, 'time')} in "
            f"{n_of(found_count.documents, 'document')} ({found_count.kind})",
            markup=False,
        )
        _print_occurrences(opened.locate(phrase, limit=show))


@app.command()
def cooccur(
    a: Annotated[str, typer.Argument(help="A phrase.")],
    b: Annotated[str, typer.Argument(help="Another phrase.")],
    index: IndexOption = None,
    window: Annotated[
        int, typer.Option("--window", help="Largest distance of their first words, in words.")
    ] = 1000,
    show: Annotated[int, typer.Option("--show", min=0, help="Documents to show.")] = 5,
    json: JsonOption = False,
) -> None:
    """How often two phrases occur near each other in one document: exact."""
    from averment.shapes import cooccurrence_object
    from averment.wiring import open_index, resolve_settings

    if window < 0:
        raise QueryError(f"--window is {window}; a distance in words is 0 or more.")
    opened = open_index(resolve_settings(index=index).index)
    (found,) = opened.cooccurrence([(a, b)], window_words=window)
    shown = opened.locate_pair(a, b, window_words=window, limit=show)
    if json:
        made = cooccurrence_object(a, b, found, window_words=window, occurrences=shown)
        print_json({**made, "normalization": opened.info.text_form})
        return
    out().print(_told(a, b, found, window), markup=False)
    _print_occurrences(shown)


def _told(a: str, b: str, found: Cooccurrence, window: int) -> str:
    if found.nearest_words is None:
        return f"{a} and {b}: never in one document ({found.kind})"
    near = f"nearest {n_of(found.nearest_words, 'word')} apart"
    if not found.exists:
        return f"{a} and {b}: never within {n_of(window, 'word')}, {near} ({found.kind})"
    return (
        f"{a} and {b}: in {n_of(found.documents, 'document')} within {n_of(window, 'word')}, "
        f"{n_of(found.pairs, 'pair')}, {near} ({found.kind})"
    )


def _print_occurrences(occurrences: Sequence[Occurrence]) -> None:
    from rich.text import Text

    for occurrence in occurrences:
        snippet = occurrence.snippet or "(no text: the index has counts only)"
        out().print(Text.assemble(("  " + occurrence.document_id + "  ", "bold"), snippet))
