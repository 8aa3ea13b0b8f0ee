"""`averment index export`: an index of averment's own in the formats of others."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from averment.cli.changes import app
from averment.cli.console import out, print_json
from averment.cli.options import IndexOption, JsonOption
from averment.errors import UsageError
from averment.text import n_of

__all__ = ["app"]


class Format(StrEnum):
    """What is written."""

    INFINIGRAM = "infinigram"
    PARQUET = "parquet"


@app.command()
def export(
    output: Annotated[
        Path, typer.Option("--output", help="A new directory (infinigram), or a file (parquet).")
    ],
    form: Annotated[
        Format,
        typer.Option(
            "--format",
            help="infinigram: an index that infini-gram opens; parquet: how often each word "
            "occurs, and in how many documents.",
        ),
    ],
    index: IndexOption = None,
    tokenizer: Annotated[
        Path | None,
        typer.Option(
            help="infinigram: a tokenizer.json whose tokens are written.  [default: words]",
            show_default=False,
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Write an index for others: for infini-gram, or as a table of counts."""
    from averment.settings import resolve_settings
    from averment.wiring import export_counts, export_index, open_own_index

    if tokenizer is not None and form is not Format.INFINIGRAM:
        raise UsageError("--tokenizer is for --format infinigram.", hint="Leave it out.")
    opened = open_own_index(resolve_settings(index=index).index)
    started = time.perf_counter()
    if form is Format.PARQUET:
        n_words = export_counts(opened, output)
        facts: dict[str, object] = {"words": n_words}
        told = f"{n_of(n_words, 'different word')}: {output}"
    else:
        made = export_index(opened, output, tokenizer=tokenizer)
        facts = {"documents": made.n_documents, "tokens": made.n_tokens, "bytes": made.n_bytes}
        told = (
            f"{n_of(made.n_documents, 'document')}, {n_of(made.n_tokens, 'token')}, "
            f"{made.n_bytes:,} bytes: {output}\nNext: averment index count --index {output} PHRASE"
        )
    seconds = time.perf_counter() - started
    if json:
        print_json({"output": str(output), "format": form.value, **facts, "seconds": seconds})
        return
    out().print(told, markup=False)
