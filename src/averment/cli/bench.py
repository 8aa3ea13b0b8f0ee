"""`averment bench list|run`: benches, and their runs; what reads runs is in `bench_results`."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from averment.cli.bench_results import app, finish
from averment.cli.console import err, out, print_json
from averment.cli.options import BaseUrlOption, EngineOption, JsonOption, OfflineOption, Where
from averment.errors import DatasetError, UsageError
from averment.text import duration, n_of

if TYPE_CHECKING:
    from averment.evaluation.bench_file import Bench, QuestionSet
    from averment.evaluation.rows import Row
    from averment.evaluation.run_record import SetRecord
    from averment.evaluation.running import Asking, DrawnSet, Entrant, Progress
    from averment.models.cache import CachedModel
    from averment.settings import Settings
    from averment.wiring.foreign import AnyIndex

__all__ = ["app"]

_SHOWN_BAD_RECORDS = 5
_LINE_EVERY_S = 30.0


@app.command("list")
def list_benches(json: JsonOption = False) -> None:
    """The benches that ship with averment, and the data sets that a bench can name."""
    from averment.evaluation.bench_file import bench_names, read_bench
    from averment.evaluation.datasets import DATASETS
    from averment.trace import to_plain

    benches = [read_bench(name) for name in bench_names()]
    sets = [spec for spec in DATASETS.values() if spec.read is not None]
    if json:
        listed = [{**to_plain(bench), "expect": list(map(str, bench.expect))} for bench in benches]
        for each in listed:
            del each["folder"]
        named = [
            {"name": spec.name, "title": spec.title, "expects": spec.expects, "source": spec.source}
            for spec in sets
        ]
        print_json({"benches": listed, "data_sets": named})
        return
    width = max(len(bench.name) for bench in benches)
    for bench in benches:
        out().print(f"{bench.name:<{width}} {bench.about}", markup=False)
        presets = dict.fromkeys(bench.variant(policy).preset for policy in bench.policies)
        policies = ", ".join(presets)
        if bench.variants:
            policies = f"{len(bench.policies)} variants of {policies}"
        out().print(f"{'':<{width}} {bench.model}: {policies}", markup=False, style="bright_black")
    out().print("\nData sets that a bench can name:")
    for spec in sets:
        out().print(f"{spec.name:<{width}} {spec.title}: {spec.expects}", markup=False)


_DataOption = Annotated[
    Path | None,
    typer.Option(
        help="Where the data files lie.  [default: $AVERMENT_DATA, else beside the bench]",
        show_default=False,
    ),
]
_OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="The folder of the run.  [default: runs/BENCH-MODEL in the home directory]",
        show_default=False,
    ),
]


@app.command()
def run(
    bench: Annotated[str, typer.Argument(help="A name of `averment bench list`, or a .toml file.")],
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="At most so many questions of each set.", show_default=False),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Only the questions of this set; may be repeated.", show_default=False
        ),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(help="One of the bench's, or a preset; may be repeated.", show_default=False),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="A name of `averment models list`, a .gguf file, or a model of --base-url.  "
            "[default: the bench's]",
            show_default=False,
        ),
    ] = None,
    base_url: BaseUrlOption = None,
    index: Annotated[
        Path | None,
        typer.Option(help="An index instead of the bench's corpus.", show_default=False),
    ] = None,
    data: _DataOption = None,
    output: _OutputOption = None,
    offline: OfflineOption = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds to wait for a server.", show_default=False)
    ] = None,
    parquet: Annotated[
        bool, typer.Option("--parquet", help="Also write the rows as Parquet.")
    ] = False,
    engine: EngineOption = Where.LOCAL,
    json: JsonOption = False,
) -> None:
    """Ask every question of a bench under every policy, and print the table.

    A run that was stopped goes on when the same command comes again: at most the question that was
    being answered is lost. Questions that failed are asked again.
    """
    from averment.evaluation.bench_file import read_bench
    from averment.evaluation.tables import require_duckdb
    from averment.settings import resolve_settings

    require_duckdb()
    found = read_bench(bench)
    settings = resolve_settings(
        **{
            **found.settings,
            "model": model if model or base_url else found.model,
            "base_url": base_url,
            "data": data,
            "offline": offline,
            "timeout_s": timeout,
        }
    )
    folder = settings.data or found.folder or settings.home / "data"
    drawn = [_read_set(each, folder, quiet=json) for each in found.sets]
    place = index or _index_place(found, folder, settings, quiet=json)
    n_made, directory = _run(
        found,
        settings,
        drawn,
        place,
        policies=policy,
        limit=limit,
        only=set_,
        output=output,
        quiet=json,
        engine=engine,
    )
    finish(directory, n_made=n_made, parquet=parquet, as_json=json)


def _run(
    bench: Bench,
    settings: Settings,
    drawn: list[tuple[DrawnSet, SetRecord]],
    index_place: Path,
    *,
    policies: list[str] | None,
    limit: int | None,
    only: list[str] | None,
    output: Path | None,
    quiet: bool,
    engine: Where,
) -> tuple[int, Path]:
    """Run what was read, and say how many rows were made and where they are."""
    from averment.evaluation.rows import open_rows
    from averment.evaluation.run_record import RunRecord, claim_run
    from averment.evaluation.running import run_bench, sets_named
    from averment.wiring import deciding_settings, open_cached_model, open_index

    sets = [questions for questions, _ in drawn]
    asked_now = sets_named(sets, only) if only else sets
    with ExitStack() as stack:
        model = stack.enter_context(open_cached_model(settings, seed=bench.decoder_seed))
        index = open_index(
            index_place, damaged_segments=settings.damaged_segments, settings=settings
        )
        entrants = _entrants(bench, policies or list(bench.policies), index, model, settings, stack)
        name = re.sub(r"[^\w.-]+", "-", Path(model.info.name).name.removesuffix(".gguf"))
        directory = output or settings.home / "runs" / f"{bench.name}-{name}"
        record = RunRecord(
            bench=bench.name,
            model=model.info.name,
            model_identity=model.identity,
            index=index.info.digest,
            sets=tuple(told for _, told in drawn),
            settings=deciding_settings(settings),
            decoder_seed=bench.decoder_seed,
            max_unknown=bench.max_unknown,
            expect=tuple(map(str, bench.expect)),
            paper=bench.paper,
            variants=bench.variants,
        )
        rows = stack.enter_context(open_rows(directory))
        claim_run(directory, record)
        if not quiet:
            err().print(f"Run: {directory}", markup=False)
        watch = None if quiet else _Teller()
        spread = None
        if engine is Where.RAY:
            from averment.distributed.spreading import spread as on_ray

            make = partial(_asker, bench, policies, index, settings)
            spread = partial(on_ray, make, doing="asking the questions of a bench")
        n_made = run_bench(
            sets, entrants, rows, limit=limit, now=asked_now, watch=watch, spread=spread
        )
        return n_made, directory


def _asker(
    bench: Bench, policies: list[str] | None, index: AnyIndex, settings: Settings
) -> Callable[[Asking], Row]:
    """Asks questions as `_run` does, in a worker, with a model that is open while it lives."""
    from averment.evaluation.running import asked
    from averment.wiring import open_cached_model

    stack = ExitStack()
    model = stack.enter_context(open_cached_model(settings, seed=bench.decoder_seed))
    names = policies or list(bench.policies)
    entrants = {e.policy: e for e in _entrants(bench, names, index, model, settings, stack)}

    def ask(asking: Asking, _open: ExitStack = stack) -> Row:
        return asked(asking, entrants[asking.policy])

    return ask


def _entrants(
    bench: Bench,
    policies: list[str],
    index: AnyIndex,
    model: CachedModel,
    settings: Settings,
    stack: ExitStack,
) -> list[Entrant]:
    """An engine for each policy, over one model and one index.

    Raises:
        UnknownNameError: No such policy, or no such parameter of it.
        CapabilityError: A policy needs what the model lacks.
        UsageError: A policy has another prompt than the bench says.
    """
    from averment.evaluation.running import Entrant
    from averment.wiring import open_engine

    given = settings.model_dump(exclude_unset=True, exclude={"index", "model", "policy"})
    found = []
    for name in policies:
        variant = bench.variant(name)
        engine = stack.enter_context(
            open_engine(
                index=index,
                model=model,
                policy=variant.preset,
                policy_parameters=variant.parameters,
                **given | {"audit": "off"},  # nobody is told these answers
            )
        )
        if f"prompt_id={bench.prompt}" not in repr(engine.policy):
            raise UsageError(
                f"The bench {bench.name} is for the prompt {bench.prompt!r}, but policy {name!r} "
                f"is {engine.policy!r}.",
                hint="Policies are compared on one prompt: change the bench or the policy.",
            )
        found.append(Entrant(name, engine, lambda: model.meter))
    return found


def _read_set(each: QuestionSet, folder: Path, *, quiet: bool) -> tuple[DrawnSet, SetRecord]:
    """The questions of a set, and what is written down about them.

    Raises:
        DatasetError: The file is not the one that the bench means, or cannot be read.
    """
    from averment.evaluation.datasets import read_dataset
    from averment.evaluation.run_record import SetRecord
    from averment.evaluation.running import DrawnSet

    path = _data_file(folder, each.file)
    aliases = _data_file(folder, each.aliases) if each.aliases else None
    dataset = read_dataset(each.data, path, aliases=aliases)
    if each.sha256 and dataset.digest != each.sha256:
        raise DatasetError(
            f"{path} has SHA-256 {dataset.digest}; the bench means the file with {each.sha256}.",
            hint="Get that file, or change the bench.",
        )
    examples = each.drawn(dataset.examples)
    if dataset.skipped and not quiet:
        err().print(f"{n_of(len(dataset.skipped), 'record')} of {path.name} cannot be used:")
        for record in dataset.skipped[:_SHOWN_BAD_RECORDS]:
            err().print(f"  {record}", markup=False)
    told = SetRecord(
        name=each.name,
        data=each.data,
        file=each.file,
        digest=dataset.digest,
        n=len(examples),
        seed=each.seed,
        split=each.split,
        skipped=len(dataset.skipped),
        aliases_digest=dataset.aliases_digest,
    )
    return DrawnSet(each.name, examples, dataset.digest), told


def _data_file(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.is_file():
        raise UsageError(
            f"The data file {path} is not there.", hint="Name the folder of the data: --data DIR"
        )
    return path


def _index_place(bench: Bench, folder: Path, settings: Settings, *, quiet: bool) -> Path:
    """Where the index of the bench is; it is built where it is not there yet."""
    from averment.cli.progress import byte_progress
    from averment.wiring import cached_index

    if bench.corpus.index:
        return folder / bench.corpus.index
    if not bench.corpus.files:
        raise UsageError(f"The bench {bench.name} names no corpus.", hint="Name one: --index DIR")
    bad: list[object] = []
    with byte_progress("Indexing", quiet=quiet, then="Writing") as advance:
        files = [folder / file for file in bench.corpus.files]
        place = cached_index(files, settings, on_bytes=advance, on_bad=bad.append)
    if bad and not quiet:
        err().print(f"{n_of(len(bad), 'record')} of the corpus cannot be used; the first: {bad[0]}")
    return place


class _Teller:
    """Tells how far a run is: a line at the start and the end, and every half minute between."""

    def __init__(self) -> None:
        self._told = 0.0
        self._n_failed = 0

    def __call__(self, progress: Progress) -> None:
        """Tell of a row, if it is time."""
        self._n_failed += progress.row.error is not None
        now = time.monotonic()
        is_last = progress.n_done == progress.n_to_do
        if not is_last and now - self._told < (0.5 if err().is_terminal else _LINE_EVERY_S):
            return
        self._told = now
        failed = f", {self._n_failed} failed" if self._n_failed else ""
        left = "" if is_last else f", about {duration(progress.seconds_left)} left"
        line = f"{progress.n_done:,} of {progress.n_to_do:,} rows{failed}{left}"
        ending = "\n" if is_last or not err().is_terminal else "\r"
        err().print(f"{line:<60}", end=ending, markup=False)
