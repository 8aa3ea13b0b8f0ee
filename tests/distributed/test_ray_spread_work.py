"""Rows, texts and other work spread over a cluster: the results of one process, in its order."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import averment
from averment.cli.app import run
from averment.distributed.cluster import joined
from averment.distributed.filtering import on_ray
from averment.distributed.spreading import spread
from averment.errors import ClusterUnavailable, MissingExtraError, QueryError
from averment.evaluation.datasets import read_dataset
from averment.evaluation.rows import FILE_NAME, Row, open_rows, read_rows
from averment.evaluation.running import Asking, DrawnSet, Entrant, asked, run_bench
from averment.filtering.running import Pace
from averment.types import Document
from averment.wiring.filters import open_filter
from distributed.ray_nodes import Nodes
from evaluation.bench_world import documents, write_questions

FILES = ("kept.jsonl", "rejected.jsonl", "report.json", "filter.json")
TOWNS = ("Kristiansand", "Denmark", "Zanzibar")


@pytest.fixture
def index(tmp_path: Path) -> Path:
    texts = (
        "The ferry Sorlandia was built in Kristiansand and sails from Hirtshals.",
        "Hirtshals lies in Denmark. The port of Hirtshals is large.",
    )
    documents = [Document(f"d{at}", text) for at, text in enumerate(texts)]
    averment.build_index(documents, tmp_path / "idx")
    return tmp_path / "idx"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = [
        json.dumps({"answer": f"The ferry Sorlandia was built in {TOWNS[at % 3]} in {at}."})
        for at in range(1100)
    ]
    rows[700] = "no row"
    (tmp_path / "data.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path / "data.jsonl"


def made(folder: Path) -> Callable[[], Callable[[int], int]]:
    """Makes work that kills its worker once, at 5, and refuses numbers below zero."""

    def make() -> Callable[[int], int]:  # workers do not have this module: all goes with it
        def square(number: int) -> int:
            if number < 0:
                raise QueryError(f"{number} is below zero")
            if number == 5 and not (folder / "killed").exists():
                (folder / "killed").touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return number * number

        return square

    return make


@pytest.mark.ray
@pytest.mark.xdist_group("ray")
def test_results_come_in_order_and_what_is_lost_is_done_again(nodes: Nodes, tmp_path: Path) -> None:
    taken: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(30):
            taken.append(number)
            yield number

    results = spread(made(tmp_path), numbers(), doing="squaring")

    assert next(results) == 0
    assert len(taken) < 10  # it is not all read before the first result is there
    assert list(results) == [number * number for number in range(1, 30)]
    assert (tmp_path / "killed").exists()


@pytest.mark.ray
@pytest.mark.xdist_group("ray")
def test_what_ray_says_is_no_result(nodes: Nodes, capsys: pytest.CaptureFixture[str]) -> None:
    with joined():
        from ray._private import worker

        told = {"lines": ["a node is dead"], "pid": "raylet", "is_err": False}
        worker.print_to_stdstream(told, ignore_prefix=False)

    said = capsys.readouterr()
    assert "a node is dead" in said.err
    assert said.out == ""


@pytest.mark.ray
@pytest.mark.xdist_group("ray")
def test_what_the_work_raises_is_raised(nodes: Nodes, tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="-1 is below zero"):
        list(spread(made(tmp_path), [1, -1], doing="squaring"))


@pytest.mark.ray
@pytest.mark.xdist_group("ray")
def test_a_filter_on_ray_leaves_the_bytes_of_a_local_one(
    nodes: Nodes, index: Path, data: Path, tmp_path: Path
) -> None:
    open_filter(data, index=index).run(tmp_path / "here")

    def kill_one(pace: Pace) -> None:
        if pace.n_rows <= 256:
            nodes.kill_one()

    on_ray(open_filter(data, index=index)).run(tmp_path / "ray", on_pace=kill_one)

    for name in FILES:
        assert (tmp_path / "ray" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    assert len((tmp_path / "ray" / "rejected.jsonl").read_bytes().splitlines()) > 300


@pytest.mark.ray
@pytest.mark.xdist_group("ray")
def test_files_checked_on_ray_are_told_as_those_checked_here(
    nodes: Nodes, index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for at, town in enumerate(TOWNS):
        Path(f"{at}.txt").write_text(f"The ferry Sorlandia was built in {town}.", encoding="utf-8")
    asked = ["check", "0.txt", "1.txt", "2.txt", "--index", str(index), "--json"]
    asked += ["--faithfulness", "lexical"]

    assert run(asked) == 0
    here = capsys.readouterr().out
    assert run([*asked, "--engine", "ray"]) == 0
    on_ray = capsys.readouterr().out

    told = [json.loads(line) for line in here.splitlines()]
    assert [each["file"] for each in told] == ["0.txt", "1.txt", "2.txt"]
    assert [without_times(json.loads(line)) for line in on_ray.splitlines()] == [
        without_times(each) for each in told
    ]


def without_times(told: Any) -> Any:
    """What varies from run to run left out."""
    if isinstance(told, dict):
        return {name: without_times(v) for name, v in told.items() if "seconds" not in name}
    return [without_times(each) for each in told] if isinstance(told, list) else told


def test_what_several_files_cannot_have_is_refused(
    index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.txt", "b.txt"):
        Path(name).write_text("The ferry Sorlandia was built in Denmark.", encoding="utf-8")
    asked = ["check", "a.txt", "b.txt", "--index", str(index)]

    assert run([*asked, "--edited", "c.txt"]) == 2
    assert "--edited is one file" in capsys.readouterr().err
    assert run([*asked, "--audit", "ledger.sqlite", "--engine", "ray"]) == 2
    assert "written by one process" in capsys.readouterr().err


@pytest.mark.ray
@pytest.mark.xdist_group("ray")
def test_a_bench_on_ray_has_the_rows_of_one_run_here(nodes: Nodes, tmp_path: Path) -> None:
    write_questions(tmp_path / "questions.jsonl", 12)
    averment.build_index(documents(12), tmp_path / "towns")
    dataset = read_dataset("hotpotqa", tmp_path / "questions.jsonl")
    drawn = DrawnSet("towns", tuple(dataset.examples), dataset.digest)
    place, tests = tmp_path / "towns", Path(__file__).parents[1]

    def entrants() -> list[Entrant]:
        import sys

        sys.path.insert(0, str(tests))  # of a worker
        from averment.models.cache import Meter
        from averment.models.scripted import ScriptedModel
        from evaluation.bench_world import scripted

        model = ScriptedModel(scripted, name="tiny")
        opened = [
            averment.open_engine(index=place, model=model, policy=name, scores=False)
            for name in ("none", "single")
        ]
        names = ("none", "single")
        return [Entrant(n, each, Meter) for n, each in zip(names, opened, strict=True)]

    def make() -> Callable[[Asking], Row]:
        by_name = {each.policy: each for each in entrants()}
        return lambda asking: asked(asking, by_name[asking.policy])

    on_ray = partial(spread, make, doing="asking")
    for name, where in (("here", None), ("ray", on_ray)):
        with open_rows(tmp_path / name) as rows:
            assert run_bench([drawn], entrants(), rows, spread=where) == 24

    here, there = (
        [replace(row, timing=None) for row in read_rows(tmp_path / name / FILE_NAME)]
        for name in ("here", "ray")
    )
    assert there == here
    assert all(row.error is None for row in here)


def test_a_dry_run_is_refused_on_ray(
    index: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["filter", str(data), "--index", str(index), "--dry-run", "9", "--engine", "ray"]

    assert run(asked) == 2
    assert "Leave out --engine ray" in capsys.readouterr().err


def test_without_ray_it_is_said_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)

    with pytest.raises(MissingExtraError, match=r"pip install 'averment\[ray\]'"):
        list(spread(made(Path()), [1], doing="squaring"))


def test_an_address_where_nothing_is_ends_in_a_line_to_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_ADDRESS", "no address")

    with pytest.raises(ClusterUnavailable, match="ray start --head"):
        list(spread(made(Path()), [1], doing="squaring"))
