"""An index on several actors answers as on one machine, and says so when some of it is lost."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from averment.distributed.shards import ShardedIndex, open_shards
from averment.errors import CapabilityError, IndexUnavailable, NotAnIndexError, QueryError
from averment.index.build import IndexWriter
from averment.index.embedded import EmbeddedIndex, open_embedded
from averment.ports import CorpusIndex
from averment.types import Count, CountKind, Document
from distributed.ray_nodes import Nodes

pytestmark = [pytest.mark.ray, pytest.mark.xdist_group("ray")]

PHRASES = ["Hardy", "Silas Hardy", "Reno", "born in 1842", "Forth", "nobody at all"]
PAIRS = [(a, b) for a in PHRASES for b in PHRASES]
QUESTIONS: dict[str, Callable[[CorpusIndex], Any]] = {
    "count": lambda index: index.count(PHRASES),
    "count nothing": lambda index: index.count([]),
    "exists": lambda index: index.exists(PAIRS, window_words=5),
    "cooccurrence": lambda index: index.cooccurrence(PAIRS, window_words=5),
    "by window": lambda index: index.cooccurrence_by_window(PAIRS, windows_words=[0, 3, 99]),
    "locate": lambda index: [index.locate(phrase, limit=4) for phrase in PHRASES],
    "locate a pair": lambda index: index.locate_pair("Hardy", "Reno", window_words=9, limit=5),
    "windows": lambda index: index.nearest_windows(
        PAIRS, window_words=20, context_words=3, limit=4
    ),
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six segments; Hardy is in all of them, Forth in the last alone."""
    folder = tmp_path_factory.mktemp("shards") / "idx"
    with IndexWriter(folder, words_per_segment=0) as writer:
        for at in range(6):
            gap = "and so on " * (5 - at)
            told = f"Silas Hardy was born in 1842. {gap}In Reno Hardy met Reno."
            writer.add(Document(f"d{at}", told + (" The Forth." if at == 5 else "")))
        writer.publish()
    return folder


@pytest.fixture
def sharded(nodes: Nodes, path: Path) -> Iterator[ShardedIndex]:
    with open_shards(path, n_shards=3) as index:
        yield index


def kill(shard: Any) -> None:
    import ray

    pid = ray.get(shard.__ray_call__.remote(lambda self: os.getpid()))
    os.kill(pid, signal.SIGKILL)


def test_every_question_is_answered_as_by_one_machine(sharded: ShardedIndex, path: Path) -> None:
    local = open_embedded(path)

    assert sharded.n_shards == 3
    assert sharded.info == local.info
    assert {name: ask(sharded) for name, ask in QUESTIONS.items()} == {
        name: ask(local) for name, ask in QUESTIONS.items()
    }
    with pytest.raises(QueryError, match="!!!"):
        sharded.count(["!!!"])


def test_what_is_lost_makes_lower_bounds_until_it_is_back(
    sharded: ShardedIndex, path: Path
) -> None:
    whole = open_embedded(path).count(["Hardy"])
    kill(sharded._shards[-1])

    (hardy, forth) = sharded.count(["Hardy", "Forth"])
    assert hardy == Count(8, 4, CountKind.LOWER_BOUND)
    assert forth == Count(0, 0, CountKind.LOWER_BOUND)

    wait_until_back(sharded, whole)


def wait_until_back(sharded: ShardedIndex, whole: list[Count]) -> None:
    """Ray starts it again; whatever is asked meanwhile is answered by the others."""
    deadline = time.monotonic() + 60
    while sharded.count(["Hardy"]) != whole:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_what_a_lost_shard_may_hold_is_unknown(sharded: ShardedIndex, path: Path) -> None:
    pairs = [("Hardy", "Reno"), ("Hardy", "Forth")]
    kill(sharded._shards[-1])
    assert sharded.exists(pairs, window_words=99) == [True, None]

    wait_until_back(sharded, open_embedded(path).count(["Hardy"]))
    kill(sharded._shards[-1])
    (here, there) = sharded.cooccurrence(pairs, window_words=99)
    assert (here.exists, here.kind) == (True, CountKind.LOWER_BOUND)
    assert (there.exists, there.documents) == (None, 0)


def test_when_all_are_lost_nothing_is_said(sharded: ShardedIndex) -> None:
    for shard in sharded._shards:
        kill(shard)

    with pytest.raises(IndexUnavailable, match="None of 3 shards"):
        sharded.count(["Hardy"])


def test_an_index_of_counts_only_has_no_windows(nodes: Nodes, tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "i", counts_only=True) as writer:
        writer.add(Document("d", "Hardy"))
        writer.publish()

    with open_shards(tmp_path / "i") as index:
        assert index.n_shards == 1  # no more than segments
        assert isinstance(open_embedded(tmp_path / "i"), EmbeddedIndex)
        with pytest.raises(CapabilityError):
            index.nearest_windows([("a", "b")], window_words=1, context_words=1)


def test_what_is_no_index_is_refused_before_there_is_a_cluster(tmp_path: Path) -> None:
    with pytest.raises(NotAnIndexError), open_shards(tmp_path):
        raise AssertionError("it is no index")
