"""`averment index info|verify|count|cooccur|first-seen`: what asks an index and leaves it be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from averment.cli.changes import info_object
from averment.cli.console import at_least, err, out, print_json
from averment.cli.exporting import app
from averment.cli.options import CountAliasesOption, IndexOption, JsonOption
from averment.cli.times import ByOption, print_cooccurrence_by, print_counts_by, print_seen
from averment.dating import Undated
from averment.errors import QueryError
from averment.text import n_of

if TYPE_CHECKING:
    from averment.ports import DatedIndex
    from averment.types import Cooccurrence, CorpusInfo, Count, Occurrence, SurfaceForm
    from averment.wiring.retrievers import VectorState

__all__ = ["app"]

SourceOption = Annotated[
    str | None, typer.Option("--source", help="Only documents of this source.", show_default=False)
]
LanguageOption = Annotated[
    str | None,
    typer.Option("--language", help="Only documents in this language.", show_default=False),
]
BeforeOption = Annotated[
    str | None,
    typer.Option(
        "--before",
        help="Only documents dated before 2024, 2024-05 or so.",
        show_default=False,
    ),
]
AfterOption = Annotated[
    str | None,
    typer.Option("--after", help="Only documents dated after; same forms.", show_default=False),
]
BetweenOption = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--between",
        help="Only documents dated within these two, both included: --between 2019 2021-06.",
        show_default=False,
    ),
]
UndatedOption = Annotated[
    Undated,
    typer.Option(help="Documents without a date, where dates restrict."),
]


@app.command()
def info(index: IndexOption = None, json: JsonOption = False) -> None:
    """What an index holds, and how it was made."""
    from averment.index.compiled import available
    from averment.index.engines import REFERENCE, WITHOUT_CORE
    from averment.settings import resolve_settings
    from averment.wiring import open_index, vector_state

    target = resolve_settings(index=index).index
    opened = open_index(target)
    found, vectors = opened.info, vector_state(opened)
    if json:
        told = {**info_object(found, target), "language": opened.language}
        print_json({**told, "vectors": vectors and vectors._asdict()})
        return
    n_terms, n_deleted = found.n_terms, found.n_deleted_documents
    gone = f" (and {n_deleted:,} deleted, until: averment index merge)" if n_deleted else ""
    without_core = f" ({WITHOUT_CORE})" if found.engine == REFERENCE and not available() else ""
    rows = [
        ("index", str(target)),
        ("documents", f"{_known(found.n_documents)}{gone}"),
        ("words", _known(found.n_words) + (f" ({n_terms:,} different)" if n_terms else "")),
        ("passages", _passages_told(found)),
        ("vectors", _vectors_told(vectors)),
        ("segments", f"{found.n_segments:,}"),
        ("size", _sizes(found)),
        ("engine", found.engine + without_core),
        ("text form", found.text_form),
        ("language", opened.language),
        ("rare names", _rarity_told(found)),
        ("generation", f"{found.generation}"),
        ("built", found.built_at),
        ("digest", found.digest),
    ]
    for name, value in rows:
        out().print(f"{name:<11} {value}", markup=False)


def _known(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def _passages_told(found: CorpusInfo) -> str:
    if not found.tells_documents:
        return "none (documents are read around names)"
    return f"{found.n_passages:,}" if found.n_passages else "none (counts only)"


def _rarity_told(found: CorpusInfo) -> str:
    if not found.tells_documents:
        return "by occurrences, as the policy says (quco: 1,000)"
    if found.entity_threshold_documents is None:
        return "no names found"
    return f"in fewer than {found.entity_threshold_documents} documents"


def _vectors_told(found: VectorState | None) -> str:
    if found is None:
        return "none (for dense retrieval: averment index embed)"
    lacking = f", {found.n_missing:,} missing: averment index embed" if found.n_missing else ""
    return f"{found.n_vectors:,} by {found.model[:12]}{lacking}"


def _sizes(found: CorpusInfo) -> str:
    if found.counts_bytes is None:
        return "unknown"
    counts = f"{found.counts_bytes:,} bytes of counts"
    if found.n_words:
        counts += f" ({found.counts_bytes / found.n_words:.2f} a word)"
    return counts + (f", {found.passages_bytes:,} of passages" if found.passages_bytes else "")


@app.command()
def verify(index: IndexOption = None, json: JsonOption = False) -> None:
    """Check every file of an index against the hashes in its manifest; exit 1 if one differs."""
    from averment.settings import resolve_settings
    from averment.wiring import verify_index

    target = resolve_settings(index=index).index
    problems = verify_index(target)
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
    source: SourceOption = None,
    language: LanguageOption = None,
    before: BeforeOption = None,
    after: AfterOption = None,
    between: BetweenOption = None,
    undated: UndatedOption = Undated.EXCLUDE,
    by: ByOption = None,
    aliases: CountAliasesOption = False,
    json: JsonOption = False,
) -> None:
    """How often phrases occur, and in how many documents: exact."""
    from averment.shapes import counts_object, occurrence_object

    where = _Where(source, language, before, after, between, undated)
    opened = _open(index, where, aliases=aliases)
    if by is not None:
        print_counts_by(opened, phrases, by, json=json)
        return
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
        console.print(f"{phrase}: {_counted(found_count)}", markup=False)
        _print_forms(found_count.forms)
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
    source: SourceOption = None,
    language: LanguageOption = None,
    before: BeforeOption = None,
    after: AfterOption = None,
    between: BetweenOption = None,
    undated: UndatedOption = Undated.EXCLUDE,
    by: ByOption = None,
    aliases: CountAliasesOption = False,
    json: JsonOption = False,
) -> None:
    """How often two phrases occur near each other in one document: exact."""
    from averment.shapes import cooccurrence_object

    _check_window(window)
    where = _Where(source, language, before, after, between, undated)
    opened = _open(index, where, aliases=aliases)
    if by is not None:
        print_cooccurrence_by(opened, (a, b), by, window_words=window, json=json)
        return
    (found,) = opened.cooccurrence([(a, b)], window_words=window)
    shown = opened.locate_pair(a, b, window_words=window, limit=show)
    if json:
        made = cooccurrence_object(a, b, found, window_words=window, occurrences=shown)
        print_json({**made, "normalization": opened.info.text_form})
        return
    out().print(_told(a, b, found, window), markup=False)
    _print_forms(found.a_forms)
    _print_forms(found.b_forms)
    _print_occurrences(shown)


@app.command("first-seen")
def first_seen(
    phrase: Annotated[str, typer.Argument(help="A phrase.")],
    other: Annotated[
        str | None, typer.Argument(help="Another one, to be found near it.", show_default=False)
    ] = None,
    index: IndexOption = None,
    window: Annotated[
        int, typer.Option("--window", help="Largest distance of their first words, in words.")
    ] = 1000,
    source: SourceOption = None,
    language: LanguageOption = None,
    aliases: CountAliasesOption = False,
    json: JsonOption = False,
) -> None:
    """From when to when a phrase, or two near each other, are found in dated documents: exact."""
    _check_window(window)
    opened = _open(index, _Where(source, language), aliases=aliases)
    print_seen(opened, phrase, other, window_words=window, json=json)


def _check_window(window: int) -> None:
    if window < 0:
        raise QueryError(f"--window is {window}; a distance in words is 0 or more.")


class _Where(NamedTuple):
    """Which documents a question is about, as `EmbeddedIndex.where` is told."""

    source: str | None = None
    language: str | None = None
    before: str | None = None
    after: str | None = None
    between: tuple[str, str] | None = None
    undated: Undated = Undated.EXCLUDE


def _open(index: Path | None, where: _Where, *, aliases: bool) -> DatedIndex:
    """The index of a question, restricted or widened where that was asked for."""
    from averment.settings import resolve_settings
    from averment.wiring import open_aliases, open_index, widened

    settings = resolve_settings(index=index)
    opened = open_index(
        settings.index, damaged_segments=settings.damaged_segments, settings=settings
    )
    if where != _Where():
        opened = opened.where(**where._asdict())
        if opened.info.n_documents == 0:
            err().print("No document of the index is of this source, language and date.")
    return widened(opened, open_aliases(settings, opened)) if aliases else opened


def _counted(found: Count) -> str:
    if found.value is None:
        return f"unknown ({found.kind}: {found.reason})" if found.reason else f"({found.kind})"
    least = at_least(found.kind)
    n_documents = n_of(found.documents, "document")
    return f"{least}{n_of(found.value, 'time')} in {least}{n_documents} ({found.kind})"


def _told(a: str, b: str, found: Cooccurrence, window: int) -> str:
    within = f"within {n_of(window, 'word')}"
    if found.kind in ("estimate", "unavailable") or found.reason is not None:
        return _told_of_others(f"{a} and {b}", found, within)
    if found.exists is None:
        why = "a part of the index is missing or was not read"
        return f"{a} and {b}: not found {within}, but {why} ({found.kind})"
    if found.nearest_words is None:
        return f"{a} and {b}: never in one document ({found.kind})"
    near = f"nearest {n_of(found.nearest_words, 'word')} apart"
    if not found.exists:
        return f"{a} and {b}: never {within}, {near} ({found.kind})"
    least = at_least(found.kind)
    return (
        f"{a} and {b}: in {least}{n_of(found.documents, 'document')} {within}, "
        f"{n_of(found.pairs, 'pair')}, {near} ({found.kind})"
    )


def _told_of_others(pair: str, found: Cooccurrence, within: str) -> str:
    """What an index says that does not know all: infini-gram's."""
    if found.pairs is None:
        return f"{pair}: unknown {within} ({found.kind}: {found.reason or 'no answer'})"
    sure = "surely there" if found.exists else "not known to be there"
    return f"{pair}: about {n_of(found.pairs, 'pair')} {within}, {sure} ({found.kind})"


def _print_forms(forms: Sequence[SurfaceForm]) -> None:
    """The forms that were counted together, with who says so; nothing for a name as it stands."""
    from averment.claims.aliases.book import NAME

    for form in forms:
        if form.source != NAME:
            out().print(f"  also {form.text}  ({form.source})", markup=False)


def _print_occurrences(occurrences: Sequence[Occurrence]) -> None:
    from rich.text import Text

    from averment.places import cited

    for occurrence in occurrences:
        snippet = occurrence.snippet or "(no text: the index has counts only)"
        out().print(Text.assemble((f"  {cited(occurrence)}  ", "bold"), snippet))
