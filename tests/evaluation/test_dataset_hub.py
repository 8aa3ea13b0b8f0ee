"""Files of the hub: what is there is used, what is not there is not asked for when offline."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from averment.errors import DatasetError, MissingExtraError
from averment.evaluation.dataset_hub import HubFile, fetch
from averment.evaluation.datasets import DATASETS, read_dataset
from evaluation.dataset_records import write

FILE = HubFile("somebody/sets", "nq/test.jsonl")
COMMIT = "c" * 40


def downloaded(cache: Path, text: str) -> Path:
    """A file as the hub's own tools leave it."""
    folder = cache / "datasets--somebody--sets"
    write(folder / "refs" / "main", COMMIT)
    return write(folder / "snapshots" / COMMIT / FILE.path, text)


def test_a_file_that_is_there_is_read_without_a_connection(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    path = downloaded(tmp_path, '{"question": "Who?", "golden_answers": ["Ada"]}\n')

    found = fetch(FILE, cache=tmp_path, offline=True)

    assert found == path
    assert read_dataset("nq", found).examples[0].answers == ("Ada",)


def test_a_file_that_is_not_there_is_an_error_when_offline(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")

    with pytest.raises(DatasetError, match="no connection is allowed") as caught:
        fetch(FILE, cache=tmp_path, offline=True)

    assert str(caught.value).startswith("nq/test.jsonl of somebody/sets (main) is not in")


def test_a_name_that_no_repository_can_have_is_an_error(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")

    with pytest.raises(DatasetError, match="cannot be fetched from the hub"):
        fetch(HubFile("a/b/c", "x"), cache=tmp_path, offline=False)


def test_without_the_package_of_the_hub_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)

    with pytest.raises(MissingExtraError, match=r"pip install 'averment\[hub\]'"):
        fetch(FILE, cache=tmp_path, offline=True)


def test_files_of_the_hub_are_of_sets_that_are_read() -> None:
    known = {name for name, spec in DATASETS.items() if spec.hub is not None}

    assert {"2wiki", "hotpotqa", "musique", "nq", "pubmedqa"} <= known
    assert all(DATASETS[name].read is not None for name in known)
