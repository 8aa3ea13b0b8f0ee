"""`averment index build|add|delete|merge|embed`: what changes an index."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from averment.cli.console import err, out, print_json
from averment.cli.options import (
    AuditOption,
    EmbedderOption,
    EngineOption,
    IndexOption,
    JsonOption,
    Where,
)
from averment.errors import DatasetError, EmptyCorpusError, MissingExtraError, UsageError
from averment.files import read_text
from averment.languages import ENGLISH, SeenLanguages
from averment.text import n_of

if TYPE_CHECKING:
    from averment.corpus.files import BadRecord, CorpusFile
    from averment.types import CorpusInfo, Document

app = typer.Typer(
    help="Build a corpus index, change it, look into it, count.", no_args_is_help=True
)

_SHOWN_BAD_RECORDS = 20
_AS_IT_IS = (None, ENGLISH)

PathsArgument = Annotated[
    list[str],
    typer.Argument(
        help="Files and folders: txt, md, html, pdf, docx, pptx; "
        "jsonl, csv, tsv (.gz, .zst), parquet. Also s3://…, gs://…, hf://… and patterns of such."
    ),
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Stop at the first record that cannot be read.")
]
KeepReferencesOption = Annotated[
    bool,
    typer.Option(
        "--keep-references", help="Count bibliographies too; they are never shown as evidence."
    ),
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
    keep_tokens: Annotated[
        bool,
        typer.Option(
            "--keep-tokens", help="Keep the words, packed: snippets in spite of --counts-only."
        ),
    ] = False,
    aliases: Annotated[
        Path | None,
        typer.Option(
            help="A table of names: TSV canonical, form, source. It is kept with the index.",
            show_default=False,
        ),
    ] = None,
    keep_references: KeepReferencesOption = False,
    language: Annotated[
        str | None,
        typer.Option(
            help="Of documents whose record says none: de, es, zh, …, or auto (as each looks); "
            "unset: en.",
            show_default=False,
        ),
    ] = None,
    strict: StrictOption = False,
    engine: EngineOption = Where.LOCAL,
    audit: AuditOption = None,
    json: JsonOption = False,
) -> None:
    """Build an index from documents; an index that is there already is replaced as a whole.

    A build that was interrupted goes on where it had got to when the same command comes again.
    """
    options = {
        "fold_accents": fold_accents,
        "counts_only": counts_only,
        "keep_tokens": keep_tokens,
        "language": language,
    }
    reading = _Reading(keep_references, strict, engine)
    _ingest(paths, index, options, reading, aliases=aliases, audit=audit, json=json)


@app.command()
def add(
    paths: PathsArgument,
    index: IndexOption = None,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="A document takes the place of the one with its id."),
    ] = False,
    keep_references: KeepReferencesOption = False,
    strict: StrictOption = False,
    audit: AuditOption = None,
    json: JsonOption = False,
) -> None:
    """Add documents to an index; those whose id is there already are listed and left out."""
    options = {"add": True, "replace": replace}
    reading = _Reading(keep_references, strict)
    _ingest(paths, index, options, reading, audit=audit, json=json)


@app.command()
def delete(
    document_ids: Annotated[
        list[str] | None, typer.Argument(help="Ids of documents.", show_default=False)
    ] = None,
    ids_from: Annotated[
        Path | None,
        typer.Option("--ids-from", help="A file with one id a line.", show_default=False),
    ] = None,
    index: IndexOption = None,
    missing_ok: Annotated[
        bool, typer.Option("--missing-ok", help="Pass over ids that no document has.")
    ] = False,
    audit: AuditOption = None,
    json: JsonOption = False,
) -> None:
    """Delete documents; counts and retrieval are exact without them at once.

    Their bytes stay on disk until `averment index merge`.
    """
    from averment.settings import resolve_settings
    from averment.wiring import delete_documents, open_own_index

    settings = resolve_settings(index=index, audit=audit)
    target = settings.index
    ids = [*(document_ids or []), *(_lines_of(ids_from) if ids_from else [])]
    if not ids:
        raise UsageError("No document is named.", hint="Name ids, or a file with --ids-from FILE.")
    before = open_own_index(target).info
    found = delete_documents(target, ids, missing_ok=missing_ok, settings=settings)
    n_deleted = (before.n_documents or 0) - (found.n_documents or 0)
    if json:
        print_json({**info_object(found, target), "deleted": n_deleted})
        return
    out().print(f"{n_of(n_deleted, 'document')} deleted, {found.n_documents:,} left.")
    if found.n_deleted_documents:
        out().print("Their bytes go with: averment index merge" + _flag(index, target))


def _lines_of(file: Path) -> list[str]:
    lines = read_text(file, hint="Give a text file with one id a line.").splitlines()
    return [line for line in lines if line.strip()]


@app.command()
def merge(index: IndexOption = None, audit: AuditOption = None, json: JsonOption = False) -> None:
    """Make few segments of many and let go of deleted documents; answers stay the same."""
    from averment.settings import resolve_settings
    from averment.wiring import merge_index, open_own_index

    settings = resolve_settings(index=index, audit=audit)
    target = settings.index
    before = open_own_index(target).info
    started = time.perf_counter()
    found = merge_index(target, settings=settings)
    seconds = time.perf_counter() - started
    if json:
        print_json({**info_object(found, target), "seconds": seconds})
        return
    if found.generation == before.generation:
        out().print(f"There is nothing to merge: {n_of(found.n_segments, 'segment')}.")
        return
    out().print(
        f"{n_of(before.n_segments, 'segment')} became {found.n_segments:,}, and "
        f"{n_of(before.n_deleted_documents, 'deleted document')} went, in {seconds:.1f} s"
    )


@app.command()
def embed(
    index: IndexOption = None, embedder: EmbedderOption = None, json: JsonOption = False
) -> None:
    """Give passages the vectors that the retrievers dense and fusion need.

    Only passages without a vector are embedded: run it again after `add`, or when it was
    interrupted.
    """
    from averment.cli.progress import count_progress
    from averment.settings import resolve_settings
    from averment.wiring import embed_index, open_embedder

    settings = resolve_settings(index=index, embedder=embedder)
    model = open_embedder(settings)
    started = time.perf_counter()
    with count_progress("Embedding", quiet=json) as advance:
        n_made = embed_index(settings.index, model, on_progress=advance)
    seconds = time.perf_counter() - started
    if json:
        found = {"index": str(settings.index), "embedded": n_made, "model": model.digest}
        print_json({**found, "seconds": seconds})
        return
    out().print(f"{n_of(n_made, 'passage')} embedded in {seconds:.1f} s; all have vectors now.")


class _Reading(NamedTuple):
    """How files are read, and where."""

    keep_references: bool
    strict: bool
    engine: Where = Where.LOCAL


def _ingest(
    paths: list[str],
    index: Path | None,
    options: dict[str, Any],
    reading: _Reading,
    *,
    aliases: Path | None = None,
    audit: str | None,
    json: bool,
) -> None:
    from averment.cli.progress import byte_progress
    from averment.corpus.files import list_files
    from averment.settings import resolve_settings
    from averment.wiring import read_alias_table

    settings = resolve_settings(index=index, audit=audit)
    target = settings.index
    bad: list[str] = []
    without_references: list[str] = []

    def on_bad(record: BadRecord | str) -> None:
        if reading.strict:
            raise DatasetError(str(record), hint="Without --strict such records are skipped.")
        bad.append(str(record))

    def on_duplicate(document: Document) -> None:
        if not options.get("replace"):  # one that has not changed is as it should be
            on_bad(f"{document.document_id}: this id is there already")

    seen = SeenLanguages()

    def note(document: Document) -> None:
        seen.see(document.language, document.text)
        if document.layout and document.layout.lacks_references:
            without_references.append(document.document_id)

    table = read_alias_table(aliases) if aliases is not None else None
    for line in table.skipped if table else ():
        on_bad(line)
    started = time.perf_counter()
    with byte_progress("Reading", quiet=json, then="Writing") as advance:
        files = list_files(paths)
        try:
            info = _built(
                files,
                target,
                reading,
                on_bad=on_bad,
                on_bytes=advance,
                on_document=note,
                on_duplicate=on_duplicate,
                aliases=table.rows if table else (),
                settings=settings,
                **options,
            )
        except (EmptyCorpusError, MissingExtraError):
            _print_bad(bad)
            raise
    seconds = time.perf_counter() - started
    if json:
        found = {"seconds": seconds, "skipped": bad, "without_references": without_references}
        print_json({**info_object(info, target), **found})
        return
    _print_bad(bad)
    _print_built(info, target, without_references, seconds, flag=_flag(index, target))
    if not options.get("add") and options.get("language") is None:
        _print_language(seen.most)


def _built(
    files: Sequence[CorpusFile | BadRecord],
    target: Path,
    reading: _Reading,
    *,
    on_bad: Callable[[BadRecord], None],
    on_bytes: Callable[[int, int], None],
    on_document: Callable[[Document], None],
    on_duplicate: Callable[[Document], None],
    **options: Any,
) -> CorpusInfo:
    """Index files here or on a cluster."""
    from averment.corpus.fingerprint import fingerprint
    from averment.corpus.readers import read_files
    from averment.wiring import build_index

    keep = reading.keep_references
    if reading.engine is Where.RAY:
        from averment.distributed.building import build_on_ray

        return build_on_ray(
            files,
            target,
            keep_references=keep,
            on_bad=on_bad,
            on_bytes=on_bytes,
            on_document=on_document,
            on_resume=lambda done, n: _say_goes_on(f"{done:,} of {n_of(n, 'piece')}"),
            **options,
        )
    documents = read_files(files, on_bad=on_bad, on_bytes=on_bytes, keep_references=keep)
    return build_index(
        _told(documents, on_document),
        target,
        on_duplicate=on_duplicate,
        resume_key=fingerprint(files, keep_references=keep),
        on_resume=lambda n: _say_goes_on(n_of(n, "document")),
        **options,
    )


def _print_built(
    info: CorpusInfo, target: Path, without_references: list[str], seconds: float, *, flag: str
) -> None:
    """What an index holds now, and what comes next."""
    from averment.wiring import open_own_index, vector_state

    console = out()
    console.print(f"Index: {target}")
    console.print(
        f"{n_of(info.n_documents, 'document')}, {n_of(info.n_words, 'word')}, "
        f"{n_of(info.n_passages, 'passage')} in {seconds:.1f} s"
    )
    if without_references:
        n_shorter = n_of(len(without_references), "document")
        console.print(f"References left out of {n_shorter} (--keep-references counts them)")
    state = vector_state(open_own_index(target))
    if state is not None and state.n_missing:
        n_missing = n_of(state.n_missing, "passage")
        console.print(f"Without a vector: {n_missing}; next: averment index embed")
    console.print(f'Next: averment ask{flag} "your question"')


def _told(documents: Iterable[Document], note: Callable[[Document], None]) -> Iterator[Document]:
    """The documents, each noted as it passes."""
    for document in documents:
        note(document)
        yield document


def _print_language(most: str | None) -> None:
    if most not in _AS_IT_IS:
        err().print(
            f"Most documents look like {most!r} and are searched as if they were English; "
            "for their own stems: --language auto",
            markup=False,
        )


def _say_goes_on(there: str) -> None:
    err().print(f"Going on after an interrupted build: {there} are there already.")


def _flag(index: Path | None, target: Path) -> str:
    """What a command has to say to mean the same index."""
    return "" if index is None else f" --index {target}"


def _print_bad(bad: list[str]) -> None:
    if not bad:
        return
    console = err()
    skipped = "1 record or file was" if len(bad) == 1 else f"{len(bad):,} records or files were"
    console.print(f"{skipped} skipped:")
    for record in bad[:_SHOWN_BAD_RECORDS]:
        console.print(f"  {record}", markup=False)
    if len(bad) > _SHOWN_BAD_RECORDS:
        console.print(f"  … and {len(bad) - _SHOWN_BAD_RECORDS:,} more (all of them: --json)")


def info_object(found: CorpusInfo, path: Path) -> dict[str, object]:
    """What `--json` prints about an index."""
    from averment.trace import to_plain

    return {"index": str(path), **to_plain(found)}
