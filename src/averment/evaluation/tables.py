"""Tables over the rows of runs: a line for each question set and contestant, by DuckDB.

A contestant is a policy of a run. Grades are means over the questions that were answered without an
error, abstentions among them; failed questions are counted beside, as unknown is never zero.
Intervals are bootstraps over questions. Compares nothing: `averment.evaluation.comparing` does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from averment.errors import DatasetError, MissingExtraError, UsageError
from averment.evaluation import rows as row_file
from averment.metrics.resampling import bootstrap_mean_difference
from averment.trace import to_plain

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

METRICS = ("exact_match", "f1", "draft_f1", "accuracy", "rouge_l")
_DIGITS = 6
_UNCONDITIONAL = {"always", "every_sentence", "every_n_tokens"}
"""Triggers that fire whatever is asked and written."""
_UNDECIDING = {"none", "single", "fixed", "fixed-length"}
"""Policies that look at nothing before they retrieve, or before they do not."""
_COLUMNS = {
    "set": "VARCHAR",
    "id": "VARCHAR",
    "question": "VARCHAR",
    "gold": "VARCHAR[]",
    "policy": "VARCHAR",
    "settings": "VARCHAR",
    "model": "VARCHAR",
    "prediction": "VARCHAR",
    "draft": "VARCHAR",
    "verdict": "VARCHAR",
    "reason": "VARCHAR",
    "grades": f"STRUCT({', '.join(f'{metric} DOUBLE' for metric in METRICS)})",
    "retrievals": "INTEGER",
    "triggers": "MAP(VARCHAR, INTEGER)",
    "gold_retrieved": "DOUBLE",
    "model_calls": "INTEGER",
    "prompt_tokens": "BIGINT",
    "generated_tokens": "BIGINT",
    "extractor_tokens": "BIGINT",
    "counts": "INTEGER",
    "unknown_counts": "INTEGER",
    "confidences": "MAP(VARCHAR, DOUBLE)",
    "averment": "VARCHAR",
    "index": "VARCHAR",
    "data": "VARCHAR",
    "error": "STRUCT(kind VARCHAR, message VARCHAR, hint VARCHAR)",
    "timing": "STRUCT(seconds DOUBLE, cached_calls INTEGER)",
}


@dataclass(frozen=True, slots=True)
class Run:
    """The rows of one run.

    Args:
        label: How it is called where several runs stand together; empty where it stands alone.
        directory: Where its rows are.
        max_unknown: Share of unknown counts above which a policy's rows are invalid.
    """

    label: str
    directory: Path
    max_unknown: float


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over questions with its 95 % bootstrap interval; None where it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A contestant on one question set. What nobody knows, as of a system elsewhere, is None.

    Args:
        set: The question set.
        contestant: The policy; ``policy@run`` where several runs have it.
        settings: The policy with every parameter, one text for each that occurs.
        model: Who wrote.
        n: Questions asked.
        failed: Questions that ended in an error.
        grades: The mean of each metric, over the questions that did not fail.
        answered: How many were answered, neither warned of nor abstained from.
        warned: How many were answered with a warning.
        abstained: How many were not answered.
        f1_given: F1 of the answers that were given; 1 − this is the error of what is given.
        f1_withheld: F1 that the drafts of the others have: what abstaining lost. None without any.
        wrong_abstention_rate: Share of those others whose draft was right (F1 >= 0.5): it should
            have been given. None without any.
        retrievals: Searches a question.
        trigger_rate: Share of questions with a search that the policy decided on, in [0, 1].
        triggers: Searches a question by trigger.
        gold_retrieved: Share of the gold passages found, where the data set names them.
        model_calls: Calls a question.
        prompt_tokens: A question.
        generated_tokens: A question.
        extractor_tokens: A question.
        unknown: Share of the counts that nobody could give; None where none was asked for.
        valid: Whether so many counts are known that the rows mean anything.
        seconds: A question; varies from run to run.
    """

    set: str
    contestant: str
    settings: tuple[str, ...]
    model: str
    n: int
    failed: int
    grades: Mapping[str, Mean]
    answered: int
    warned: int
    abstained: int
    f1_given: float | None
    f1_withheld: float | None
    wrong_abstention_rate: float | None
    retrievals: Mean
    trigger_rate: float | None
    triggers: Mapping[str, float]
    gold_retrieved: float | None
    model_calls: float | None
    prompt_tokens: float | None
    generated_tokens: float | None
    extractor_tokens: float | None
    unknown: float | None
    valid: bool
    seconds: float | None

    @property
    def tokens(self) -> float | None:
        """All tokens a question: prompts, what was generated, and those of other calls."""
        if self.prompt_tokens is None:
            return None
        return self.prompt_tokens + (self.generated_tokens or 0) + (self.extractor_tokens or 0)


_LINES = """
SELECT "set", contestant,
    list_sort(list_distinct(list(settings))) AS settings,
    any_value(model ORDER BY place) AS model,
    count(*) AS n,
    count(*) FILTER (error IS NOT NULL) AS failed,
    list(grades ORDER BY place) FILTER (error IS NULL) AS grades,
    list(id ORDER BY place) FILTER (error IS NULL) AS ids,
    count(*) FILTER (verdict = 'answered') AS answered,
    count(*) FILTER (verdict = 'warned') AS warned,
    count(*) FILTER (verdict = 'abstained') AS abstained,
    avg(grades.f1) FILTER (verdict <> 'abstained') AS f1_given,
    avg(grades.draft_f1) FILTER (verdict = 'abstained') AS f1_withheld,
    avg(CAST(grades.draft_f1 >= 0.5 AS DOUBLE)) FILTER (verdict = 'abstained')
        AS wrong_abstention_rate,
    list(retrievals ORDER BY place) FILTER (error IS NULL) AS retrievals,
    list(triggers ORDER BY place) FILTER (error IS NULL AND triggers IS NOT NULL) AS triggers,
    avg(gold_retrieved) AS gold_retrieved,
    avg(model_calls) AS model_calls,
    avg(prompt_tokens) AS prompt_tokens,
    avg(generated_tokens) AS generated_tokens,
    avg(extractor_tokens) AS extractor_tokens,
    sum(counts) AS counts,
    sum(unknown_counts) AS unknown_counts,
    avg(timing.seconds) AS seconds,
    max(max_unknown) AS max_unknown
FROM rows GROUP BY "set", contestant ORDER BY min(place)
"""

_TOLD_APART = """
UPDATE rows SET contestant = policy || '@' || run WHERE policy IN
    (SELECT policy FROM rows GROUP BY policy HAVING count(DISTINCT run) > 1)
"""


def read_table(rows: DuckDBPyConnection) -> list[Line]:
    """A line for each set and contestant of `open_tables`, in the order of the rows."""
    return [_line(found) for found in fetched(rows, _LINES)]


def table_lines(table: Iterable[Line]) -> str:
    """The table as JSON lines, without seconds: the same rows give the same bytes."""
    lines = []
    for line in table:
        plain = to_plain(line)
        del plain["seconds"]
        lines.append(json.dumps(plain, ensure_ascii=False, allow_nan=False) + "\n")
    return "".join(lines)


def write_parquet(rows: DuckDBPyConnection, path: Path) -> None:
    """Write the rows of `open_tables` as one Parquet file."""
    target = str(path).replace("'", "''")
    rows.execute(f"COPY (SELECT * EXCLUDE (place) FROM rows) TO '{target}' (FORMAT parquet)")


def require_duckdb() -> None:
    """Refuse early what needs tables.

    Raises:
        MissingExtraError: DuckDB is not installed.
    """
    try:
        import duckdb  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("Tables of benches", "bench") from error


def open_tables(runs: Sequence[Run]) -> DuckDBPyConnection:
    """A connection with the table ``rows``: the last row of each key, with its ``contestant``.

    A run that was not finished may have an older one, of a question that was asked again.

    Raises:
        UsageError: A run has no rows.
        MissingExtraError: DuckDB is not installed.
        DatasetError: A line of a file is no row.
    """
    require_duckdb()
    import duckdb

    # One thread, so that sums come in one order; nothing is ever fetched.
    connection = duckdb.connect(
        config={
            "threads": "1",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
    )
    try:
        for number, run in enumerate(runs):
            _load(connection, run, is_first=number == 0)
        connection.execute(_TOLD_APART)
    except duckdb.Error as error:
        connection.close()
        raise DatasetError(
            f"The rows cannot be read: {str(error).rstrip('.')}.",
            hint="Correct or delete the rows that it names.",
        ) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _load(connection: DuckDBPyConnection, run: Run, *, is_first: bool) -> None:
    path = run.directory / row_file.FILE_NAME
    if not path.is_file() or not path.stat().st_size:
        raise UsageError(
            f"There are no rows at {run.directory}.", hint="Make some: averment bench run NAME"
        )
    row_file.read_rows(path)  # DuckDB makes NULL of what a row lacks; this names its line
    into, n_before = "CREATE TABLE rows AS", 0
    if not is_first:
        into = "INSERT INTO rows"
        [(n_before,)] = connection.execute("SELECT coalesce(max(place), 0) FROM rows").fetchall()
    connection.execute(
        f"""{into} SELECT * FROM (
            SELECT *, ?::DOUBLE AS max_unknown, ? AS run,
            policy AS contestant, ?::BIGINT + row_number() OVER () AS place
            FROM read_json(?, columns=?, format='newline_delimited')
        ) QUALIFY place = max(place) OVER (PARTITION BY "set", id, policy)""",
        [run.max_unknown, run.label, n_before, str(path), _COLUMNS],
    )


def shown_metrics(lines: Sequence[Line]) -> list[str]:
    """The metrics that somebody knows; that of drafts only where it says more than F1."""
    known = [m for m in METRICS if any(line.grades[m].value is not None for line in lines)]
    if all(line.grades["draft_f1"] == line.grades["f1"] for line in lines):
        known = [metric for metric in known if metric != "draft_f1"]
    return known


def fetched(rows: DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    """What a query finds, a dictionary for each row."""
    found = rows.execute(query)
    names = [column[0] for column in found.description or ()]
    return [dict(zip(names, values, strict=True)) for values in found.fetchall()]


def _line(found: dict[str, Any]) -> Line:
    ids = found["ids"] or []
    counts, n_unknown = found["counts"], found["unknown_counts"]
    unknown = n_unknown / counts if counts else None
    kept = ("set", "contestant", "model", "n", "failed", "answered", "warned", "abstained")
    means = (
        *("f1_given", "f1_withheld", "wrong_abstention_rate", "gold_retrieved"),
        *("model_calls", "prompt_tokens", "generated_tokens", "extractor_tokens", "seconds"),
    )
    averages: dict[str, Any] = {name: rounded(found[name]) for name in means}
    return Line(
        **{name: found[name] for name in kept},
        **averages,
        settings=tuple(found["settings"]),
        grades={
            metric: mean_of([each[metric] for each in found["grades"] or ()], ids)
            for metric in METRICS
        },
        retrievals=mean_of(found["retrievals"] or [], ids),
        trigger_rate=_trigger_rate(found["triggers"] or []),
        triggers=_rates(found["triggers"] or []),
        unknown=rounded(unknown),
        valid=unknown is None or unknown <= found["max_unknown"],
    )


def mean_of(values: Sequence[float | None], ids: Sequence[str]) -> Mean:
    """The mean of what is known, and its interval over questions."""
    known = [(value, each) for value, each in zip(values, ids, strict=True) if value is not None]
    numbers = np.array([value for value, _ in known], dtype=float)
    found = bootstrap_mean_difference(
        numbers, baseline=np.zeros(len(known)), question_ids=[each for _, each in known]
    )
    return Mean(rounded(found.value), rounded(found.low), rounded(found.high))


def _trigger_rate(triggers: Sequence[Mapping[str, int]]) -> float | None:
    """The share of questions with a search that had to be decided on; None without questions."""
    if not triggers:
        return None
    return rounded(sum(bool(set(each) - _UNCONDITIONAL) for each in triggers) / len(triggers))


def _rates(triggers: Sequence[Mapping[str, int]]) -> Mapping[str, float]:
    names = sorted({name for each in triggers for name in each})
    return {
        name: rounded(sum(each.get(name, 0) for each in triggers) / len(triggers)) or 0.0
        for name in names
    }


def rounded(value: float | None) -> float | None:
    """A number as it stands in tables; what is unknown stays so."""
    return None if value is None else round(float(value), _DIGITS)


def warnings_of(table: Iterable[Line]) -> list[str]:
    """What a reader of the table has to know first.

    Counts that nobody could give, questions that failed, and policies that looked something up for
    every question or for none, though they decide it.
    """
    told = []
    for line in table:
        where = f"{line.set}, {line.contestant}"
        if not line.valid:
            told.append(f"{where}: invalid, {line.unknown:.0%} of the counts are unknown")
        if line.failed:
            told.append(f"{where}: {line.failed} of {line.n} questions failed; run again for them")
        if line.trigger_rate in (0.0, 1.0) and line.contestant.partition("@")[0] not in _UNDECIDING:
            told.append(
                f"{where}: retrieval was triggered for {line.trigger_rate:.0%} of the questions"
            )
    return told
