"""AT-12 on Ray: the bytes of a local build, whoever is killed on the way.

The cluster has several nodes. Nodes are killed with what runs on them, the driver with SIGKILL.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from averment.corpus.files import list_files
from averment.distributed import building
from averment.distributed.building import build_on_ray
from averment.distributed.pieces import cut_into_pieces
from averment.errors import ClusterUnavailable, DatasetError
from averment.index.embedded import open_embedded
from averment.types import Document
from distributed.built_by_hand import PIECE_BYTES, build_here, manifest, write_corpus
from distributed.ray_nodes import Nodes

pytestmark = [pytest.mark.ray, pytest.mark.xdist_group("ray")]

DRIVER = """
import os, signal, sys
from pathlib import Path
from averment.corpus.files import list_files
from averment.distributed.building import build_on_ray

corpus, path = map(Path, sys.argv[1:3])
kill_after, piece_bytes = map(int, sys.argv[3:])
told = 0

def on_bytes(done, total):
    global told
    told += 1
    if told > kill_after:
        os.kill(os.getpid(), signal.SIGKILL)

files = list_files([corpus])
build_on_ray(files, path, on_bytes=on_bytes, piece_bytes=piece_bytes, words_per_segment=1500)
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "files")


def build(corpus: Path, path: Path, **options: Any) -> list[str]:
    """Build on the cluster; what was left out."""
    bad: list[str] = []
    options.setdefault("words_per_segment", 1500)
    build_on_ray(
        list_files([corpus]),
        path,
        on_bad=lambda record: bad.append(str(record)),
        piece_bytes=PIECE_BYTES,
        **options,
    )
    return bad


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"words_per_segment": None}, id="one segment"),
        pytest.param({"words_per_segment": 1500}, id="segments that end inside of blocks"),
        pytest.param({"language": "auto"}, id="several languages"),
        pytest.param({"counts_only": True, "keep_tokens": True}, id="counts only"),
    ],
)
def test_the_bytes_are_those_of_a_local_build(
    nodes: Nodes, corpus: Path, tmp_path: Path, options: dict[str, Any]
) -> None:
    options = {"words_per_segment": 1500, **options}
    bad_here = build_here(corpus, tmp_path / "here", **options)

    told: list[Document] = []
    bad = build(corpus, tmp_path / "ray", on_document=told.append, **options)

    shorter = [each.document_id for each in told if each.layout and each.layout.lacks_references]
    assert shorter == ["paper.md"]
    assert len(told) == open_embedded(tmp_path / "here").info.n_documents
    assert len(cut_into_pieces(list_files([corpus]), piece_bytes=PIECE_BYTES)) > 5
    assert manifest(tmp_path / "ray") == manifest(tmp_path / "here")
    assert open_embedded(tmp_path / "ray").verify() == []
    assert bad == bad_here
    assert any("duplicate id" in each for each in bad)


@pytest.fixture
def tasks_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a line for each task that was begun, by whichever worker."""
    made, told = building.make_blocks, tmp_path / "tasks"
    told.touch()

    def counted(piece: Any, options: Any) -> Any:
        with told.open("a") as file:
            file.write(f"{piece}\n")
        yield from made(piece, options)

    monkeypatch.setattr(building, "make_blocks", counted)
    return told


def test_a_node_that_dies_costs_its_own_unfinished_tasks(
    nodes: Nodes, corpus: Path, tmp_path: Path, tasks_begun: Path
) -> None:
    build_here(corpus, tmp_path / "here", words_per_segment=1500)
    n_told = 0

    def kill_one(done: int, total: int) -> None:
        nonlocal n_told
        n_told += 1
        if n_told == 4:  # three pieces are done
            nodes.kill_one()

    build(corpus, tmp_path / "ray", on_bytes=kill_one)

    begun = tasks_begun.read_text().splitlines()
    n_pieces = len(cut_into_pieces(list_files([corpus]), piece_bytes=PIECE_BYTES))
    assert manifest(tmp_path / "ray") == manifest(tmp_path / "here")
    again = {piece for piece in begun if begun.count(piece) > 1}
    assert len(again) <= n_pieces - 3
    assert n_pieces <= len(begun) <= n_pieces + building._QUEUED * nodes.n_processors
    assert set(begun) == {
        str(piece) for piece in cut_into_pieces(list_files([corpus]), piece_bytes=PIECE_BYTES)
    }


@pytest.mark.parametrize("resumed", ["on Ray", "locally"])
def test_a_driver_that_is_killed_goes_on_where_it_was(
    nodes: Nodes, corpus: Path, tmp_path: Path, tasks_begun: Path, resumed: str
) -> None:
    build_here(corpus, tmp_path / "here", words_per_segment=1500)
    n_done = 4

    killed = subprocess.run(
        [sys.executable, "-c", DRIVER, corpus, tmp_path / "ray", str(n_done), str(PIECE_BYTES)],
        env=os.environ,
        capture_output=True,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    if resumed == "on Ray":
        told: list[tuple[int, int]] = []
        build(corpus, tmp_path / "ray", on_resume=lambda *there: told.append(there))
        ((n_there, n_pieces),) = told
        assert n_there == n_done
        assert len(tasks_begun.read_text().splitlines()) == n_pieces - n_there
    else:
        build_here(corpus, tmp_path / "ray", words_per_segment=1500)

    assert manifest(tmp_path / "ray") == manifest(tmp_path / "here")
    assert not (tmp_path / "ray" / ".averment-staging").exists()


def test_a_piece_that_kills_its_workers_ends_the_build(
    nodes: Nodes, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deadly(piece: Any, options: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)
        yield

    monkeypatch.setattr(building, "make_blocks", deadly)
    with pytest.raises(ClusterUnavailable, match="its worker died 4 times"):
        build(corpus / "t0.txt", tmp_path / "ray")


def test_what_a_task_raises_is_raised_as_it_was(nodes: Nodes, corpus: Path, tmp_path: Path) -> None:
    def strict(record: Any) -> None:
        raise DatasetError(str(record))

    with pytest.raises(DatasetError, match="invalid JSON"):
        build_on_ray(list_files([corpus]), tmp_path / "ray", on_bad=strict)
    assert not (tmp_path / "ray" / "MANIFEST.json").exists()
