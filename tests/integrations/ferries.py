"""A small index and a calibrator for the adapters of frameworks, for tests to import."""

from __future__ import annotations

from pathlib import Path

import pytest

import averment
from averment.calibrating import calibrate
from averment.franq.calibrator import Mode
from averment.franq.calibrator_json import to_json
from labels_by_hand import some_labels

FERRY = "The ferry Sørlandia sails from Hirtshals to Kristiansand."
PORT = "The port of Hirtshals lies in Denmark."
TRUE = "The ferry Sørlandia sails from Hirtshals to Kristiansand."
WRONG = "Ludwig van Beethoven was born in Bonn."


@pytest.fixture(scope="session")
def ferries(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The directory of an index of two documents, one with an address for its id."""
    path = tmp_path_factory.mktemp("ferries") / "idx"
    averment.build_index(
        [
            averment.Document("https://ferries.example/sorlandia", FERRY, title="Sørlandia"),
            averment.Document("port", PORT),
        ],
        path,
    )
    return str(path)


@pytest.fixture
def calibrator(tmp_path: Path) -> str:
    """A calibrator of the lexical judge."""
    made = calibrate(some_labels(), mode=Mode.CONDITION, created_by="test").calibrator
    path = tmp_path / "calibrator.json"
    path.write_text(to_json(made), encoding="utf-8")
    return str(path)
