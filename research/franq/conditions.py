"""Reads the conditions of FRANQ's tables: `long-form.toml` and `short-form.toml`, and `paper.csv`.

A condition says what a table was made with; `paper.csv` what the paper (arXiv 2505.21072, version
2) says came out. What this module does not do: run anything. `bench/franq` runs what can be run
with the models that are at hand.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from averment.trace import from_plain

FOLDER = Path(__file__).parent
FILES = ("long-form.toml", "short-form.toml")


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions of one set: how many teach the curves, how many are tested."""

    data: str
    n_train: int
    n_test: int
    unit: str


@dataclass(frozen=True, slots=True)
class Generation:
    """How answers and samples were made; what the paper leaves open is said in words."""

    decoding: str
    n_passages: int
    retriever: str
    samples: str


@dataclass(frozen=True, slots=True)
class Branches:
    """Whose confidence enters FRANQ: where a claim is faithful, and where it is not."""

    faithfulness: str
    faithful: str
    unfaithful: str
    split: str


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its rows in `paper.csv`, what it is of, and whether anybody ran it here."""

    name: str
    about: str
    target: str
    claims: tuple[str, ...]
    models: tuple[str, ...]
    metrics: tuple[str, ...]
    methods: tuple[str, ...]
    status: str
    twin: str


@dataclass(frozen=True, slots=True)
class Condition:
    """What the tables of one form of answers share, and the tables."""

    source: str
    questions: tuple[Questions, ...]
    labels: str
    generation: Generation
    branches: Branches
    missing: Mapping[str, str]
    tables: tuple[Table, ...]


def read_conditions(file: str) -> Condition:
    """The conditions of a file of this folder.

    Raises:
        TypeError, ValueError, KeyError: It says something else than a condition does.
    """
    text = (FOLDER / file).read_text(encoding="utf-8")
    condition: Condition = from_plain(Condition, tomllib.loads(text))
    return condition


def paper_rows() -> list[dict[str, str]]:
    """What the paper reports, a row a method; empty fields are not reported."""
    with (FOLDER / "paper.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
