"""A claim with every number that the evaluation reads, and the file that keeps them.

The file has one JSON object a line: first who made the numbers, then a claim a line. It has
numbers, names of estimators and ids of rows, and no text of any data set, so that tables can be
made again from it without data, index or model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class MadeBy:
    """Who made the numbers, by the names under which they are reported."""

    language_model: str
    faithfulness: str
    nli: str
    similarity: str = ""
    """Empty where nothing was compared."""
    corpus: str = ""
    """Documents and words of the index, and its digest; empty where there was none."""
    notes: str = ""
    """What became of the rows, in words."""


@dataclass(frozen=True, slots=True)
class ScoredClaim:
    """One claim; the whole answer, for short answers.

    `question` names what must never be parted by a fold; `part` is the set, `condition` what was
    done to the passages. `uncertainty` is worse when higher; what has none is in `absent` with its
    reason. `counts` are what features are made of, for plots.
    """

    key: str
    question: str
    part: str
    condition: str
    is_true: bool
    p_faithful: float
    uncertainty: Mapping[str, float]
    absent: Mapping[str, str] = field(default_factory=dict)
    evidence: Mapping[str, float | None] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    is_faithful: bool | None = None
    repeats_replaced: bool = False
    """Whether the answer is the false one that the corrupted passages hold."""


def write_scored(path: Path, made_by: MadeBy, claims: Sequence[ScoredClaim]) -> None:
    """Write the file anew."""
    lines = [asdict(made_by), *map(asdict, claims)]
    text = "".join(json.dumps(_short(line)) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")


def read_scored(path: Path) -> tuple[MadeBy, list[ScoredClaim]]:
    """What `write_scored` wrote."""
    made_by, *claims = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return MadeBy(**made_by), [ScoredClaim(**claim) for claim in claims]


def _short(value: object) -> object:
    """Six significant digits: more are noise of the runtime."""
    if isinstance(value, dict):
        return {name: _short(each) for name, each in value.items()}
    return float(f"{value:.6g}") if isinstance(value, float) else value
