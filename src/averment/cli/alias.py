"""`averment alias add|remove|list|test`: how names are written, and what that does to counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from averment.cli.console import at_least, err, out, print_json
from averment.cli.options import AuditOption, IndexOption, JsonOption
from averment.text import n_of

if TYPE_CHECKING:
    from averment.claims.aliases.book import AliasRow, RefusedForm, Resolution
    from averment.types import Count

app = typer.Typer(
    help="The other ways in which names are written: yours, for every index.", no_args_is_help=True
)

CanonicalArgument = Annotated[str, typer.Argument(help="The name.")]

_WHY = {
    "ambiguous": "another name is written so as well",
    "given_name": "a given name alone is nobody's name",
    "part_of_name": "a part of the name alone could be anybody's",
    "stop_word": "it is a word of every text",
    "too_short": "it is too short to mean one thing",
}


@app.command()
def add(
    canonical: CanonicalArgument,
    forms: Annotated[list[str], typer.Argument(help="Other ways of writing it.")],
    audit: AuditOption = None,
    json: JsonOption = False,
) -> None:
    """Add ways of writing a name; they are counted as it from now on."""
    store = _store()
    with _recording(audit) as record:
        added = store.add(canonical, forms)
        record("add", added)
    if json:
        print_json({"canonical": canonical, "added": _objects(added), "file": str(store.path)})
        return
    for row in added:
        out().print(f"{row.canonical}: also {row.form}", markup=False)
    if not added:
        out().print("Nothing new: these were there already.")
    for warning in filter(None, (_doubt(row) for row in added)):
        err().print(warning, markup=False)


def _doubt(row: AliasRow) -> str | None:
    """What speaks against a form that the user added: it is used all the same."""
    from dataclasses import replace

    from averment.claims.aliases.book import TABLE, AliasBook

    refused = AliasBook([replace(row, source=TABLE)]).resolve(row.canonical).refused
    of_it = [one for one in refused if one.text == row.form]
    return f"{row.form} is counted as you say, but {_WHY[of_it[0].reason]}." if of_it else None


@app.command()
def remove(
    canonical: CanonicalArgument,
    forms: Annotated[
        list[str] | None, typer.Argument(help="Which ways; none: all of them.", show_default=False)
    ] = None,
    audit: AuditOption = None,
    json: JsonOption = False,
) -> None:
    """Remove ways of writing a name that you added; counts are the old ones again."""
    store = _store()
    with _recording(audit) as record:
        removed = store.remove(canonical, forms or ())
        record("remove", removed)
    if json:
        print_json({"canonical": canonical, "removed": _objects(removed), "file": str(store.path)})
        return
    for row in removed:
        out().print(f"{row.canonical}: no longer {row.form}", markup=False)


@app.command("list")
def list_aliases(
    canonical: Annotated[
        str | None, typer.Argument(help="Only of this name.", show_default=False)
    ] = None,
    json: JsonOption = False,
) -> None:
    """The ways of writing names that you added."""
    store = _store()
    rows = [row for row in store.rows() if canonical in (None, row.canonical)]
    if json:
        print_json({"aliases": _objects(rows), "file": str(store.path)})
        return
    for name in dict.fromkeys(row.canonical for row in rows):
        forms = ", ".join(row.form for row in rows if row.canonical == name)
        out().print(f"{name}: {forms}", markup=False)
    if not rows:
        out().print('None. Type: averment alias add "New York City" NYC "New York, N.Y."')


@app.command("test")
def show(
    name: Annotated[str, typer.Argument(help="A name.")],
    index: IndexOption = None,
    json: JsonOption = False,
) -> None:
    """How a name is written, what each way counts, all of them together, and what was refused."""
    from averment.settings import resolve_settings
    from averment.wiring import has_countries, open_aliases, open_index

    settings = resolve_settings(index=index)
    opened = open_index(
        settings.index, damaged_segments=settings.damaged_segments, settings=settings
    )
    found = open_aliases(settings, opened).resolve(name)
    texts = [form.text for form in found.forms]
    *counts, union = opened.count([*texts, frozenset(texts)])
    if json:
        print_json(_tested_object(found, counts, union) | {"index": opened.info.name})
        return
    _print_tested(found, counts, union)
    if not has_countries():
        err().print("Countries and demonyms are not among it: pip install 'averment[countries]'")


def _tested_object(found: Resolution, counts: Sequence[Count], union: Count) -> dict[str, Any]:
    from averment.shapes import count_object, forms_list

    counted = [count_object(form.text, n) for form, n in zip(found.forms, counts, strict=True)]
    forms = [a | b for a, b in zip(forms_list(found.forms), counted, strict=True)]
    return {
        "name": found.name,
        "canonical": found.canonical,
        "forms": forms,
        "union": count_object(found.name, union),
        "refused": [
            {
                "form": one.text,
                "source": one.source,
                "reason": one.reason,
                "claimed_by": list(one.claimed_by),
            }
            for one in found.refused
        ],
    }


def _print_tested(found: Resolution, counts: Sequence[Count], union: Count) -> None:
    console = out()
    if found.canonical is not None and found.canonical != found.name:
        console.print(f"{found.name} is {found.canonical}", markup=False)
    for form, count in zip(found.forms, counts, strict=True):
        console.print(f"  {_counted(count)}  {form.text}  ({form.source})", markup=False)
    console.print(f"  {_counted(union)}  together, overlapping ones once", markup=False)
    for one in found.refused:
        console.print(f"  not counted: {one.text}  ({one.source}): {_refusal(one)}", markup=False)


def _refusal(one: RefusedForm) -> str:
    claimed = f": {', '.join(one.claimed_by)}" if one.claimed_by else ""
    return _WHY[one.reason] + claimed


def _counted(count: Count) -> str:
    if count.value is None:
        return f"not counted: {count.reason or 'no answer'}"
    return f"{at_least(count.kind)}{count.value:>8,} in {n_of(count.documents, 'document'):<16}"


def _store() -> Any:
    from averment.settings import resolve_settings
    from averment.wiring import user_aliases

    return user_aliases(resolve_settings())


@contextmanager
def _recording(audit: str | None) -> Iterator[Callable[[str, Sequence[AliasRow]], None]]:
    """What records a change, where a ledger was asked for; it is opened before anything changes."""
    from averment.settings import resolve_settings
    from averment.wiring.audited_changes import record_alias_change, recording

    with recording(resolve_settings(audit=audit)) as auditor:

        def record(action: str, rows: Sequence[AliasRow]) -> None:
            if auditor is not None and rows:
                record_alias_change(auditor, action, rows)

        yield record


def _objects(rows: Sequence[AliasRow]) -> list[dict[str, str]]:
    return [{"canonical": row.canonical, "form": row.form, "source": row.source} for row in rows]
