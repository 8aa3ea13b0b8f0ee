"""A bench of 20 questions gives the same table whenever and however it is run.

`PYTHONPATH=tests python tests/evaluation/bench_program.py FOLDER --golden` writes the golden table
anew; what changed in it belongs into the changelog.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from conftest import REPOSITORY
from evaluation import bench_program
from evaluation.bench_program import GOLDEN, N_QUESTIONS, run_towns

N_ROWS = 3 * N_QUESTIONS


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nothing happened to."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    (folder / "table.jsonl").write_text(run_towns(folder), encoding="utf-8")
    return folder


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """The rows of a run without what varies."""
    rows = [json.loads(line) for line in (folder / "run" / "rows.jsonl").read_text().splitlines()]
    return [{name: value for name, value in row.items() if name != "timing"} for row in rows]


def started(folder: Path, *, seconds: float) -> subprocess.Popen[bytes]:
    program = [sys.executable, bench_program.__file__, str(folder), str(seconds)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "tests")}
    return subprocess.Popen(program, env=environment)


def n_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_the_table_is_the_golden_one_byte_for_byte(uninterrupted: Path) -> None:
    assert (uninterrupted / "table.jsonl").read_bytes() == GOLDEN.read_bytes()


def test_a_run_that_was_killed_goes_on_to_the_same_rows_and_table(
    uninterrupted: Path, tmp_path: Path
) -> None:
    rows = tmp_path / "run" / "rows.jsonl"
    running = started(tmp_path, seconds=0.05)
    while n_lines(rows) < 7:
        assert running.poll() is None, "it ended by itself"
        time.sleep(0.005)

    running.send_signal(signal.SIGKILL)
    running.wait()
    n_kept = n_lines(rows)
    (again := started(tmp_path, seconds=0.0)).wait()

    assert 7 <= n_kept < N_ROWS
    assert again.returncode == 0
    assert rows_of(tmp_path) == rows_of(uninterrupted)
    assert (tmp_path / "table.jsonl").read_bytes() == GOLDEN.read_bytes()


def test_a_finished_run_asks_nothing_again(
    uninterrupted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(prompt: object) -> str:
        raise AssertionError("the model was asked")

    before = (uninterrupted / "run" / "rows.jsonl").read_bytes()
    monkeypatch.setattr(bench_program, "scripted", refuse)

    run_towns(uninterrupted)

    assert (uninterrupted / "run" / "rows.jsonl").read_bytes() == before
