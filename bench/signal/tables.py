"""Tables of what `measure.py` wrote: ROC-AUC, recall, precision and false alarms, with intervals.

    python bench/signal/tables.py rows.jsonl.gz [rows.jsonl.gz …]

An alarm is a triple that is held to be unsupported. False alarms are alarms on true triples, recall
is the share of false triples with one; precision is that of as many false triples as true ones.
"N/C apart" raises none where the check says that the corpus hardly knows the head.
Intervals are the middle 95 % of 1,000 samples of questions (seed 0).
ROC-AUC reads the graded score.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from averment.metrics.ranking import roc_auc

Row = Mapping[str, Any]
Values = npt.NDArray[np.float64]
_SAMPLES = 1000
_FALSE = ("random", "co-occurring", "swap", "counterpart")


def counts_alone(row: Row) -> float:
    """(a): co-occurrence, more is better; 0 is an alarm."""
    return float(row["features"]["log_cooccurrence"] or 0.0)


def with_relation(row: Row) -> float:
    """(b) besides: what the windows say, in [0, 1]; below 0.5 is an alarm."""
    if row["support"] in ("absent", "not_covered"):
        return 0.25 if is_uncovered(row) else 0.0
    if row["relation"] == "supported" or row["reason"] == "rival_stronger":
        return 1.0
    return _LEVELS.get(row["reason"], 0.5)


_LEVELS = {
    "other_kind": 0.05,
    "states_another": 0.1,
    "judged_contradicted": 0.1,
    "states_others": 0.2,
    "not_stated": 0.3,
    "head_not_covered": 0.35,
    "words_nearby": 0.6,
}


def with_contrast(row: Row) -> float:
    """(c) besides: less where rivals are as frequent, and an alarm where one is stronger."""
    level = with_relation(row)
    if row["reason"] == "rival_stronger":
        return 0.15
    contrast = row["features"]["contrast"]
    return level if contrast is None else level - 0.04 * (1.0 - contrast)


def is_uncovered(row: Row) -> bool:
    """Whether a check says that the corpus hardly knows the head."""
    if row["relation"] == "contradicted":
        return False
    return row["support"] == "not_covered" or row["reason"] == "head_not_covered"


def _is_alarm(score: Callable[[Row], float], *, apart: bool) -> Callable[[Row], bool]:
    threshold = 1e-9 if score is counts_alone else 0.5
    return lambda row: score(row) < threshold and not (apart and is_uncovered(row))


METHODS = {
    "(a)": (counts_alone, False),
    "(a)+(b)": (with_relation, False),
    "(a)+(b), N/C apart": (with_relation, True),
    "(a)+(b)+(c)": (with_contrast, False),
    "(a)+(b)+(c), N/C apart": (with_contrast, True),
}


def table(rows: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: a row a method and kind of corruption."""
    lines = [
        "| signal | false triples | n | ROC-AUC | recall | false alarms | precision | balanced |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    samples = _samples(rows)
    for name, (score, apart) in METHODS.items():
        scores = np.array([score(row) for row in rows])
        alarms = np.array([_is_alarm(score, apart=apart)(row) for row in rows])
        for kind in _FALSE:
            chosen = np.array([row["kind"] in ("true", kind) for row in rows])
            false = np.array([row["kind"] == kind for row in rows])
            n = int(false.sum())
            if n:
                told = _told(scores, alarms, chosen, false, samples)
                lines.append(f"| {name} | {kind} | {n} | {' | '.join(told)} |")
    return lines


def _told(
    scores: Values, alarms: Values, chosen: Values, false: Values, samples: Sequence[Values]
) -> list[str]:
    figures = np.array([_figures(scores, alarms, chosen, false, weights) for weights in samples])
    low, high = np.nanpercentile(figures[1:], (2.5, 97.5), axis=0)
    return [f"{at:.3f} [{a:.3f}, {b:.3f}]" for at, a, b in zip(figures[0], low, high, strict=True)]


def _figures(
    scores: Values, alarms: Values, chosen: Values, false: Values, times: Values
) -> tuple[float, ...]:
    at = np.repeat(np.flatnonzero(chosen), times[np.flatnonzero(chosen)].astype(int))
    is_false, alarm = false[at].astype(bool), alarms[at]
    recall, false_alarms = alarm[is_false].mean(), alarm[~is_false].mean()
    precision = recall / (recall + false_alarms) if recall + false_alarms else np.nan
    auc = roc_auc(-scores[at], ~is_false).value
    return (
        np.nan if auc is None else auc,
        recall,
        false_alarms,
        precision,
        (recall + 1 - false_alarms) / 2,
    )


def _samples(rows: Sequence[Row]) -> list[Values]:
    """How often each row is drawn: first once each, then with questions drawn again."""
    names = sorted({row["question"] for row in rows})
    number = {name: at for at, name in enumerate(names)}
    of_row = np.array([number[row["question"]] for row in rows])
    drawn = np.random.default_rng(0)
    found = [np.ones(len(rows))]
    for _ in range(_SAMPLES):
        times = np.bincount(drawn.integers(0, len(names), len(names)), minlength=len(names))
        found.append(times[of_row].astype(float))
    return found


def types(rows: Sequence[Row]) -> list[str]:
    """Lines of a table: what alarms are called, by kind of triple."""
    lines = [
        "| triples | n | alarms | typed not covered | absent or not found | contradicted |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    by_kind: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_kind[row["kind"]].append(row)
    for kind in ("true", *_FALSE):
        alarms = [row for row in by_kind[kind] if _is_alarm(with_contrast, apart=False)(row)]
        uncovered = sum(map(is_uncovered, alarms))
        against = sum(row["relation"] == "contradicted" for row in alarms)
        others = len(alarms) - uncovered - against
        of = max(len(alarms), 1)
        lines.append(
            f"| {kind} | {len(by_kind[kind])} | {len(alarms)} | {uncovered / of:.1%} | "
            f"{others / of:.1%} | {against / of:.1%} |"
        )
    return lines


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=Path, nargs="+")
    for path in parser.parse_args().rows:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        print(f"\n### {path.name.partition('.')[0]}\n", *table(rows), "", *types(rows), sep="\n")  # noqa: T201
        with_article = [row for row in rows if row["has_article"]]
        print(f"\n### {path.name.partition('.')[0]}, heads with an article in the whole corpus\n")  # noqa: T201
        print(*table(with_article), "", *types(with_article), sep="\n")  # noqa: T201


if __name__ == "__main__":
    main()
