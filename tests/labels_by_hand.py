"""Labelled claims as `averment label` writes them, with scores whose quality is known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from averment.calibrating import calibrate
from averment.franq.calibrator import Mode
from averment.franq.calibrator_json import to_json
from averment.labels import LabelledClaim

MADE_WITH = {"uf": "constant", "uu": "constant", "faithfulness": "lexical-alignment", "model": ""}


def labelled(
    number: int,
    label: bool | None,
    *,
    question: int | None = None,
    faithful: bool | None = None,
    made_with: Mapping[str, Any] | None = None,
    **scores: object,
) -> LabelledClaim:
    """One row; its own question unless said otherwise."""
    group = number if question is None else question
    return LabelledClaim(
        claim_id=f"c{number}",
        question_id=f"q{group}",
        question=f"Question {group}?",
        claim=f"Claim {number}.",
        label=label,
        faithful=faithful,
        scores=scores,
        made_by={"made_with": dict(MADE_WITH if made_with is None else made_with)},
    )


def a_file_of_labels(path: Path, rows: list[LabelledClaim]) -> Path:
    """The rows, one a line."""
    path.write_text("".join(f"{row.line()}\n" for row in rows), encoding="utf-8")
    return path


def a_calibrator(path: Path) -> Path:
    """Made of labels that scores tell a lot about, half of them held out; written to a file."""
    made = calibrate(some_labels(1500), mode=Mode.CONDITION, created_by="test", hold_out=0.5)
    path.write_text(to_json(made.calibrator) + "\n", encoding="utf-8")
    return path


def some_labels(
    n: int = 120, *, seed: int = 0, claims_a_question: int = 2, with_features: bool = False
) -> list[LabelledClaim]:
    """Claims of which 9 in 10 are true if they are faithful, else 3 in 10.

    With features, association with the corpus says much of those that are not faithful.
    """
    random = np.random.default_rng(seed)
    rows = []
    for number in range(n):
        p_faithful = float(random.beta(5, 2) if random.random() < 0.5 else random.beta(2, 5))
        is_faithful = bool(random.random() < p_faithful)
        is_true = bool(random.random() < (0.9 if is_faithful else 0.3))
        npmi = float(np.clip(random.normal(0.5 if is_true else -0.4, 0.3), -1, 1))
        rows.append(
            labelled(
                number,
                is_true,
                question=number // claims_a_question,
                faithful=is_faithful,
                p_faithful=p_faithful,
                uf=None,
                uu=None,
                features={"npmi_weakest": npmi} if with_features else {},
            )
        )
    return rows
