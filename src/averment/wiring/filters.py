"""`averment.filter_rows`: rows of training or synthetic data, kept or rejected, with reasons."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from averment.claims.aliases.widened import WidenedIndex
from averment.engine import Edges, Missing
from averment.errors import UsageError
from averment.filtering import columns
from averment.filtering.claimed import Counting, RememberedForms
from averment.filtering.examples import RejectedRow, examples_of, read_back
from averment.filtering.fields import FieldChoice, RowTexts, choose_fields
from averment.filtering.judged import Judging
from averment.filtering.keep import parse_keep
from averment.filtering.output import COLUMNS, REJECTED, REPORT, open_output, write_synced
from averment.filtering.reading import ParquetSource, Source, open_source
from averment.filtering.report import FilterReport
from averment.filtering.rules import Rule
from averment.filtering.running import Filter, Finder, Pace, version
from averment.filtering.sampling import Estimate, estimate
from averment.index.embedded import EmbeddedIndex
from averment.index.infinigram.index import InfiniGramIndex
from averment.index.thresholds import LEAST_DOCUMENTS
from averment.policies.quco import QuCo
from averment.ports import CorpusIndex
from averment.settings import Settings, resolve_settings
from averment.types import CorpusInfo, Document, Report
from averment.wiring.checks import is_index_meant
from averment.wiring.corpus import open_index
from averment.wiring.foreign import AnyIndex
from averment.wiring.models import open_extractor
from averment.wiring.open_corpus import OpenCorpus
from averment.wiring.policies import make_policy

_OF_FULL = ("faithfulness", "calibrator", "target_error", "confidence")
_OF_COUNTS = ("as_of", "damaged_segments", "language", "undated")
_OF_JUDGING = ("costs", "embedder", "retriever", "unit", "withheld")
"""Settings that decide as well, and are no options of the command."""


@dataclass(frozen=True, slots=True)
class OpenFilter:
    """A filter over a file of rows, ready to run; made by `open_filter`.

    Args:
        filtering: How rows are filtered.
        source: The rows.
        settings: What makes a run this one, by name.
        full: Claims are judged.
        corpus: What is counted in; None: nothing is.
        finder: Makes what finds about rows, here or in another process.
    """

    filtering: Filter
    source: Source
    settings: Mapping[str, Any]
    full: bool
    corpus: CorpusInfo | None
    finder: Callable[[], Finder]

    @property
    def fields(self) -> FieldChoice:
        """The fields that are read."""
        return self.filtering.fields

    @property
    def rejected_in(self) -> str:
        """The file of the output in which rejected rows stand."""
        return columns.REJECTED if isinstance(self.source, ParquetSource) else REJECTED

    def run(
        self,
        output: Path,
        *,
        on_resume: Callable[[int], None] = lambda _: None,
        on_pace: Callable[[Pace], None] = lambda _: None,
    ) -> FilterReport:
        """Filter all rows; a run that was killed goes on.

        Args:
            output: The folder of what is kept and rejected.
            on_resume: Told how many rows are done, if some are.
            on_pace: Told after each batch.

        Raises:
            UsageError: The folder holds something else.
        """
        if output.resolve() == self.source.path.resolve():
            raise UsageError(f"{output} is the input.", hint="Name a folder: -o kept/")
        parquet = self.source if isinstance(self.source, ParquetSource) else None
        with open_output(output, self.settings, columns_only=parquet is not None) as files:
            if files.progress.tally.n_rows:
                on_resume(files.progress.tally.n_rows)
            tally = self.filtering.run(self.source, files, on_pace=on_pace)
            if parquet is not None:
                columns.write_parquet(parquet, output / COLUMNS, output)
            report = FilterReport(self.settings, self.fields, tally, self.filtering.rule.rare_below)
            told = json.dumps(report.to_json(), ensure_ascii=False, indent=2, allow_nan=False)
            write_synced(output / REPORT, told + "\n")
        return report

    def rejected(self, output: Path) -> dict[str, list[RejectedRow]]:
        """Some of the rows that a run to a folder has rejected, by reason."""
        path = output / self.rejected_in
        if not path.exists():  # Parquet of no rows
            return {}
        return examples_of(read_back(open_source(path), self.fields), self.fields)

    def estimate(self, n_rows: int) -> tuple[Estimate, FilterReport]:
        """What a run would do, from a sample; nothing is written."""
        made = estimate(self.filtering, self.source, n_rows)
        rare_below = self.filtering.rule.rare_below
        return made, FilterReport(self.settings, self.fields, made.tally, rare_below)


def filter_rows(
    data: str | Path,
    output: str | Path,
    *,
    index: AnyIndex | str | Path | None = None,
    field: str | None = None,
    question: str | None = None,
    context: str | None = None,
    labels: str | None = None,
    keep: str | None = None,
    full: bool = False,
    **settings: Any,
) -> FilterReport:
    """Filter a file of rows into a folder; a run that was killed goes on.

    Args:
        data: ``.jsonl``, also with ``.gz`` or ``.zst``, or ``.parquet``.
        output: The folder of ``kept``, ``rejected`` and ``report.json``.
        index: An open index or its directory; None: the one of the settings.
        field: What is checked; None: the one that is there of the usual names.
        question: The field with what it answers; None as well.
        context: The field with what it is held against, with `full`; None as well.
        labels: The field that says whether a row is right; the report then has precision and
            recall.
        keep: Which rows are kept; None: see `averment.filtering.rules`.
        full: Judge the claims; without it they are only counted.
        **settings: Any field of `Settings`.

    Raises:
        UsageError: A name, path or expression that cannot be used.
    """
    opened = open_filter(
        Path(data),
        index=index,
        field=field,
        question=question,
        context=context,
        labels=labels,
        keep=keep,
        full=full,
        **settings,
    )
    return opened.run(Path(output))


def open_filter(
    data: Path,
    *,
    index: AnyIndex | str | Path | None = None,
    field: str | None = None,
    question: str | None = None,
    context: str | None = None,
    labels: str | None = None,
    keep: str | None = None,
    full: bool = False,
    **settings: Any,
) -> OpenFilter:
    """A filter over a file of rows; see `filter_rows`."""
    named = None if isinstance(index, EmbeddedIndex | InfiniGramIndex) else index
    resolved = resolve_settings(index=named, **settings)
    _refuse(resolved, settings, full=full, context=context)
    calibrated = full and resolved.calibrator is not None
    expression = keep and parse_keep(keep, judged=full, calibrated=calibrated)
    source = open_source(data)
    fields = choose_fields(
        source.names(), text=field, question=question, context=context, labels=labels
    )
    if not full:  # a context is for a judge
        fields = FieldChoice(fields.text, fields.question, None, fields.labels)
    opened = index if isinstance(index, EmbeddedIndex | InfiniGramIndex) else None
    if opened is None and (not full or is_index_meant(resolved)):
        opened = open_index(
            resolved.index, damaged_segments=resolved.damaged_segments, settings=resolved
        )
    finder = partial(_make_finder, resolved, opened, full=full)
    info = None if opened is None else opened.info
    rare_below = (info and info.entity_threshold_documents) or LEAST_DOCUMENTS
    rule = Rule(expression or None, rare_below)
    digest = info.digest if info else ""
    return OpenFilter(
        Filter(fields, finder(), rule, digest),
        source,
        _identity(source, fields, resolved, keep=keep, full=full, index=digest),
        full,
        info,
        finder,
    )


def _make_finder(settings: Settings, index: AnyIndex | None, *, full: bool) -> Finder:
    corpus = OpenCorpus(settings, index=index)
    counting = None if index is None else _counting(corpus)
    find = Judging(partial(_report, corpus), counting) if full else counting
    assert find is not None
    return find


def _refuse(
    resolved: Settings, given: Mapping[str, Any], *, full: bool, context: str | None
) -> None:
    """Refuse what would have no effect: nobody is to believe that it had."""
    if full:
        return
    idle = [name for name in _OF_FULL if given.get(name) is not None]
    if context is not None:
        idle.append("context")
    if idle:
        raise UsageError(
            f"--{idle[0].replace('_', '-')} is for a run that judges; this one only counts.",
            hint="Add --full.",
        )
    if resolved.extractor == "model":
        raise UsageError(
            "A run that only counts has no language model to find claims with.",
            hint="Set extractor to rules, spacy or distilled.",
        )


def _counting(corpus: OpenCorpus) -> Counting:
    index, settings = corpus.index, corpus.settings
    counted: CorpusIndex = index
    if settings.aliases:
        counted = WidenedIndex(index, RememberedForms(corpus.aliases), form=index.form)
    model: Any = Missing("a language model", hint="Set extractor to rules, spacy or distilled.")
    extractor = open_extractor(settings, model, index_language=index.language)
    retriever: Any = Missing("passages", hint="")
    trigger = make_policy("quco", index.info).trigger
    assert isinstance(trigger, QuCo)
    edges = Edges(counted, retriever, model, extractor)
    return Counting(edges, window_words=trigger.window_words)


def _report(corpus: OpenCorpus, row: RowTexts) -> Report:
    contexts = [Document(f"context {at}", text) for at, text in enumerate(row.contexts, 1)]
    return corpus.check(row.text, row.question, contexts).report


def _identity(
    source: Source,
    fields: FieldChoice,
    settings: Settings,
    *,
    keep: str | None,
    full: bool,
    index: str,
) -> dict[str, Any]:
    """What makes a run this one: rows that are filtered otherwise do not go to the same folder."""
    judged: dict[str, Any] = {}
    if full:
        judged = {name: getattr(settings, name) for name in _OF_FULL}
        path = settings.calibrator
        judged["calibrator"] = path and hashlib.sha256(path.read_bytes()).hexdigest()
    names = (*_OF_COUNTS, *(_OF_JUDGING if full else ()))
    others = {name: getattr(settings, name) for name in names}
    return {
        "input": source.path.name,
        **{f"{name} field": value for name, value in asdict(fields).items()},
        "keep": keep,
        "full": full,
        **judged,
        "index": index,
        "aliases": settings.aliases,
        **{name: None if value is None else str(value) for name, value in others.items()},
        "extractor": settings.extractor,
        **({"extractor model": str(path)} if (path := settings.extractor_model) else {}),
        "averment": version(),
    }
