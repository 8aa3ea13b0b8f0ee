"""Whether to speak: corpus statistics alone, FRANQ alone, and both, for rare and common names.

    python bench/abstention.py

Two questions. Of short answers: which are true? Of CLAP NQ (`franq/answerable.py`): was the
question one that its passage answers?

The scored short answers of `runs/franq-short-*-scores.jsonl`, all conditions of their passages.
Each claim is scored by a calibrator fitted on the folds of other questions. *Statistics*: corpus
features alone, faithfulness and confidences withheld; *FRANQ*: faithfulness and confidences alone.
AURC is the mean error over all coverages, better when lower; intervals are 95 % over resamples of
questions. Rare and common are halves by the documents that hold the head of the claim.
"""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from averment.franq.calibration import fit
from averment.franq.calibrator import MadeWith, Mode
from averment.franq.corpus_stack import CORPUS, PLAIN
from averment.franq.cross_fitting import cross_fitted_scores
from averment.franq.rows import Row
from averment.franq.score import Score
from averment.metrics.ranking import roc_auc
from averment.metrics.rejection import aurc, prediction_rejection_ratio
from averment.metrics.resampling import Metric, bootstrap_interval
from averment.metrics.rows import BoolArray, FloatArray

RUNS = pathlib.Path(__file__).parent / "runs"
MODEL = "qwen2.5-coder-0.5b"
SHORT = MadeWith("max_probability", "sum_of_eigenvalues", "minilm", MODEL)
ANSWERABLE = MadeWith("max_probability", "parametric_knowledge", "minilm", MODEL)  # no samples
RESAMPLES = 1000


def confidence(line: dict[str, Any], name: str) -> float | None:
    """The negated uncertainty; None where there is none."""
    found = line["uncertainty"].get(name)
    return None if found is None else -found


def row_of(line: dict[str, Any], made_with: MadeWith, *, statistics: bool, franq: bool) -> Row:
    """A claim with what this way to score may see."""
    return Row(
        line["p_faithful"] if franq else 0.5,
        confidence(line, made_with.uf) if franq else None,
        confidence(line, made_with.uu) if franq else None,
        is_true=line["is_true"],
        group=line["question"],
        evidence=(line["evidence"] or {}) if statistics else {},
    )


def uncertainty_of(
    lines: Sequence[dict[str, Any]], made_with: MadeWith, *, statistics: bool, franq: bool
) -> FloatArray:
    """1 − P(true) of each claim, cross-fitted."""
    rows = [row_of(line, made_with, statistics=statistics, franq=franq) for line in lines]
    fitted = partial(
        fit,
        mode=Mode.CONDITION if franq else Mode.SHARED,
        made_with=made_with if franq else MadeWith("constant", "constant", "none", ""),
        created_by="bench",
        features=CORPUS if statistics else PLAIN,
    )
    found = cross_fitted_scores(rows, fitted, n_folds=5, seed=0)
    return np.array([1 - each.p_true if isinstance(each, Score) else 1.0 for each in found])


def told(
    metric: Metric, uncertainty: FloatArray, is_true: BoolArray, questions: Sequence[str]
) -> dict[str, float | None]:
    """A metric with its interval."""
    found = bootstrap_interval(
        metric, uncertainty, is_true=is_true, question_ids=questions, n_resamples=RESAMPLES
    )
    numbers = {"value": metric(uncertainty, is_true).value, "low": found.low, "high": found.high}
    return {name: None if v is None else round(v, 3) for name, v in numbers.items()}


def lines_of(name: str) -> list[dict[str, Any]]:
    """The scored claims of a run; none where it was not made."""
    path = RUNS / f"franq-{name}-{MODEL}-scores.jsonl"
    if not path.exists():
        sys.stderr.write(f"{path.name} is not there\n")
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def records_of(
    lines: Sequence[dict[str, Any]], made_with: MadeWith, kinds: dict[str, BoolArray]
) -> Iterator[dict[str, Any]]:
    """How well each way to score knows, over each kind of claims."""
    ways = {
        "statistics": {"statistics": True, "franq": False},
        "FRANQ": {"statistics": False, "franq": True},
        "both": {"statistics": True, "franq": True},
    }
    scores = {name: uncertainty_of(lines, made_with, **how) for name, how in ways.items()}
    is_true = np.array([line["is_true"] for line in lines], dtype=bool)
    for kind, chosen in kinds.items():
        questions = [line["question"] for line, is_in in zip(lines, chosen, strict=True) if is_in]
        for name, uncertainty in scores.items():
            pair = uncertainty[chosen], is_true[chosen], questions
            yield {
                "claims": kind,
                "n": int(chosen.sum()),
                "true": round(float(is_true[chosen].mean()), 3),
                "scored_by": name,
                "aurc": told(aurc, *pair),
                "prr": told(prediction_rejection_ratio, *pair),
                "roc_auc": told(roc_auc, *pair),
            }


def main() -> None:
    """Score, print, write."""
    short, clapnq = lines_of("short"), lines_of("clapnq")
    head = np.array([(line["counts"] or {}).get("head") or 0 for line in short])
    popqa = np.array([line["part"] == "popqa" for line in short])
    middle = float(np.median(head[popqa]))
    kinds = {
        "all": np.ones(len(short), dtype=bool),
        "PopQA": popqa,
        "PopQA, rare": popqa & (head <= middle),
        "PopQA, common": popqa & (head > middle),
    }
    records = list(records_of(short, SHORT, kinds))
    if clapnq:
        every = {"CLAP NQ": np.ones(len(clapnq), dtype=bool)}
        records += records_of(clapnq, ANSWERABLE, every)
    with (RUNS / f"abstention-{MODEL}.jsonl").open("w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record) + "\n")
            sys.stdout.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
