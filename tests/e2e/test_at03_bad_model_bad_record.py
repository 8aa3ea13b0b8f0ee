"""AT-3: a model that replies garbage and a record that is none cost their own questions only."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from averment.cli.app import run
from contracts.model_server import ModelServer
from evaluation.bench_world import said, towns, write_bench

N_QUESTIONS = 50


class World:
    """A bench of 50 questions in a folder of its own, asked of a server that may send garbage."""

    def __init__(self, folder: Path, server: ModelServer) -> None:
        self.server = server
        self.run_folder = folder / "run"
        self.bench = write_bench(folder, N_QUESTIONS, policies='"single"')
        with (folder / "towns.jsonl").open("a") as file:
            file.write('{"_id": "q50", "question": "Which river flo\n')

    def run(self, garbled: list[str]) -> int:
        """Run the bench while what follows questions about these towns is garbage."""
        self.server.garbles = about(garbled)
        self.server.requests.clear()
        named = ["--base-url", self.server.url, "--model", "tiny", "--timeout", "5"]
        to = ["-o", str(self.run_folder), "--json"]
        return run(["bench", "run", str(self.bench), *named, *to])

    def asked(self) -> list[str]:
        """The prompts with a question that the server got in the last run."""
        prompts = [body.get("prompt", "") for _, body in self.server.requests]
        return [prompt for prompt in prompts if about(towns(50))(prompt)]

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the run."""
        lines = (self.run_folder / "rows.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture
def worlds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[World, World]]:
    """Two worlds alike, each with a server and a home of its own."""
    with ModelServer(said) as one, ModelServer(said) as other:
        made = []
        for name, server in (("one", one), ("other", other)):
            (tmp_path / name).mkdir()
            made.append(World(tmp_path / name, server))
        yield made[0], made[1]


def about(names: list[str]) -> Callable[[str], bool]:
    """Whether the question of a prompt is about one of these towns."""
    return lambda before: any(name in before.rpartition("Question:")[2] for name in names)


def settled(rows: list[dict[str, Any]]) -> list[str]:
    """The rows as they are written, without what varies from run to run."""
    return [json.dumps({**row, "timing": None}) for row in rows]


EARLY, LATE = towns(50)[3:13], towns(50)[30:40]


def test_a_run_with_a_fifth_of_garbage_exits_0_with_a_row_a_question(
    worlds: tuple[World, World], capsys: pytest.CaptureFixture[str]
) -> None:
    world, _ = worlds

    code = world.run(EARLY)

    rows = world.rows()
    told = json.loads(capsys.readouterr().out)
    failed = [row for row in rows if row["error"]]
    assert code == 0
    assert len(rows) == N_QUESTIONS
    assert sorted(row["question"].split()[-1][:-1] for row in failed) == sorted(EARLY)
    assert {row["error"]["kind"] for row in failed} == {"MalformedReply"}
    assert all(row["grades"] is None for row in failed)
    assert (told["table"][0]["n"], told["table"][0]["failed"]) == (50, 10)
    assert any("10 of 50 questions failed" in warning for warning in told["warnings"])


def test_a_record_that_cannot_be_read_is_counted_and_costs_no_other(
    worlds: tuple[World, World],
) -> None:
    world, _ = worlds

    world.run([])

    record = json.loads((world.run_folder / "run.json").read_text())
    assert record["sets"][0]["skipped"] == 1
    assert len(world.rows()) == N_QUESTIONS


def test_running_again_asks_what_failed_and_nothing_else(worlds: tuple[World, World]) -> None:
    world, _ = worlds
    world.run(EARLY)

    code = world.run([])

    assert code == 0
    assert world.asked()
    assert all(map(about(EARLY), world.asked()))
    assert not any(row["error"] for row in world.rows())


def test_runs_that_failed_at_different_points_end_with_the_same_bytes(
    worlds: tuple[World, World], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    one, other = worlds

    for world, garbled in ((one, EARLY), (other, LATE)):
        monkeypatch.setenv("AVERMENT_HOME", str(world.run_folder.parent / "home"))
        world.run(garbled)
        world.run([])

    assert settled(one.rows()) == settled(other.rows())
    tables = [(world.run_folder / "table.jsonl").read_bytes() for world in worlds]
    assert tables[0] == tables[1]
