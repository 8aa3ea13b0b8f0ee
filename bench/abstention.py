"""Whether to speak: corpus statistics alone, FRANQ alone, and both, for rare and common names.

    python bench/abstention.py

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
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from averment.franq.calibration import fit
from averment.franq.calibrator import MadeWith, Mode
from averment.franq.corpus_stack import CORPUS, PLAIN
from averment.franq.cross_fitting import cross_fitted_scores
from averment.franq.rows import Row
from averment.franq.score import Score
from averment.metrics.rejection import aurc, prediction_rejection_ratio
from averment.metrics.resampling import Metric, bootstrap_interval
from averment.metrics.rows import BoolArray, FloatArray

RUNS = pathlib.Path(__file__).parent / "runs"
SCORES = RUNS / "franq-short-qwen2.5-coder-0.5b-scores.jsonl"
MADE_WITH = MadeWith("max_probability", "sum_of_eigenvalues", "minilm", "qwen 0.5b")
RESAMPLES = 1000


def confidence(line: dict[str, Any], name: str) -> float | None:
    """The negated uncertainty; None where there is none."""
    found = line["uncertainty"].get(name)
    return None if found is None else -found


def row_of(line: dict[str, Any], *, statistics: bool, franq: bool) -> Row:
    """A claim with what this way to score may see."""
    return Row(
        line["p_faithful"] if franq else 0.5,
        confidence(line, MADE_WITH.uf) if franq else None,
        confidence(line, MADE_WITH.uu) if franq else None,
        is_true=line["is_true"],
        group=line["question"],
        evidence=(line["evidence"] or {}) if statistics else {},
    )


def uncertainty_of(lines: Sequence[dict[str, Any]], *, statistics: bool, franq: bool) -> FloatArray:
    """1 − P(true) of each claim, cross-fitted."""
    rows = [row_of(line, statistics=statistics, franq=franq) for line in lines]
    fitted = partial(
        fit,
        mode=Mode.CONDITION if franq else Mode.SHARED,
        made_with=MADE_WITH if franq else MadeWith("constant", "constant", "none", ""),
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


def main() -> None:
    """Score, print, write."""
    lines = [json.loads(line) for line in SCORES.read_text(encoding="utf-8").splitlines()[1:]]
    ways = {
        "statistics": {"statistics": True, "franq": False},
        "FRANQ": {"statistics": False, "franq": True},
        "both": {"statistics": True, "franq": True},
    }
    scores = {name: uncertainty_of(lines, **how) for name, how in ways.items()}
    head = np.array([(line["counts"] or {}).get("head") or 0 for line in lines])
    popqa = np.array([line["part"] == "popqa" for line in lines])
    middle = float(np.median(head[popqa]))
    kinds = {
        "all": np.ones(len(lines), dtype=bool),
        "PopQA": popqa,
        "PopQA, rare": popqa & (head <= middle),
        "PopQA, common": popqa & (head > middle),
    }
    is_true = np.array([line["is_true"] for line in lines], dtype=bool)
    with (RUNS / "abstention-qwen2.5-coder-0.5b.jsonl").open("w", encoding="utf-8") as file:
        for kind, chosen in kinds.items():
            questions = [
                line["question"] for line, is_in in zip(lines, chosen, strict=True) if is_in
            ]
            for name, uncertainty in scores.items():
                record = {
                    "claims": kind,
                    "n": int(chosen.sum()),
                    "true": round(float(is_true[chosen].mean()), 3),
                    "scored_by": name,
                    "aurc": told(aurc, uncertainty[chosen], is_true[chosen], questions),
                    "prr": told(
                        prediction_rejection_ratio, uncertainty[chosen], is_true[chosen], questions
                    ),
                }
                file.write(json.dumps(record) + "\n")
                sys.stdout.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
