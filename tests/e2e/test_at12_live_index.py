"""AT-12, the half of the index: killed and resumed is as good as never killed; changes are exact.

The writer is a process of its own and is killed with SIGKILL: before any of the steps in which it
changes the disk, again and again on what the one before left, and at any moment.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import averment
from averment.errors import NotAnIndexError
from averment.index.embedded import open_embedded
from averment.types import Document
from averment.wiring import delete_documents

WRITER = """
import os, signal, sys
from pathlib import Path
from averment.corpus.passages import cut_passages
from averment.index.build import IndexWriter
from averment.types import Document

path, n_documents, kill_at, add = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
CHANGES = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree"}
steps = publishing = 0

def hook(event, arguments):
    global steps, publishing
    if event in CHANGES and str(arguments[0]).startswith(str(path)):
        steps += 1
        if event == "os.rename" and Path(arguments[1]).name == "MANIFEST.json":
            publishing = steps
        if steps == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

os.fsync = lambda descriptor: None  # the power does not fail here
print("ready", flush=True)
sys.stdin.readline()
sys.addaudithook(hook)
with IndexWriter(path, add=add == "add", resume_key="k", words_per_segment=60) as writer:
    for number in range(n_documents):
        text = f"Document {number} speaks of Hardy and of town {number % 7}. " * 3
        document = Document(f"{add}{number}", text)
        writer.add(document, cut_passages(document) if writer.wants_passages else ())
    writer.publish()
print(publishing)
"""
N_DOCUMENTS = 30


def start(path: Path, *, kill_at: int = 0, add: str = "new") -> subprocess.Popen[str]:
    arguments = [str(path), str(N_DOCUMENTS), str(kill_at), add]
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def finish(process: subprocess.Popen[str]) -> str:
    """Let it go on to its end; what it prints there."""
    return process.communicate("\n")[0]


def write(path: Path, *, add: str = "new") -> int:
    """Write without being killed; which step makes the new generation the current one."""
    process = start(path, add=add)
    told = finish(process)
    assert process.returncode == 0
    return int(told)


def manifest(path: Path) -> dict[str, object]:
    """What does not tell when and how often it was written."""
    plain = json.loads((path / "MANIFEST.json").read_text())
    return {n: value for n, value in plain.items() if n not in ("built_at", "generation")}


def files(path: Path) -> dict[str, bytes]:
    listed = [file["path"] for segment in manifest(path)["segments"] for file in segment["files"]]  # type: ignore[attr-defined]
    return {name: (path / name).read_bytes() for name in listed}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    path = tmp_path_factory.mktemp("uninterrupted") / "i"
    return path, write(path)


def assert_resumed(path: Path, uninterrupted: Path, *, add: str = "new") -> None:
    """Writing again makes what was never interrupted, byte for byte."""
    write(path, add=add)
    assert manifest(path) == manifest(uninterrupted)
    assert files(path) == files(uninterrupted)
    assert open_embedded(path).verify() == []


@pytest.mark.parametrize("seed", range(4))
def test_killed_before_any_steps_and_resumed(
    tmp_path: Path, uninterrupted: tuple[Path, int], seed: int
) -> None:
    whole, publishing = uninterrupted
    chance = random.Random(seed)
    n_killed = 0
    for _ in range(5):  # each on what the one before left
        process = start(tmp_path / "i", kill_at=chance.randrange(1, publishing + 9))
        finish(process)
        n_killed += process.returncode == -signal.SIGKILL

    assert n_killed
    assert_resumed(tmp_path / "i", whole)


def test_killed_when_all_but_the_manifest_is_in_place(
    tmp_path: Path, uninterrupted: tuple[Path, int]
) -> None:
    whole, publishing = uninterrupted
    process = start(tmp_path / "i", kill_at=publishing)
    finish(process)

    assert process.returncode == -signal.SIGKILL
    with pytest.raises(NotAnIndexError):
        open_embedded(tmp_path / "i")
    assert_resumed(tmp_path / "i", whole)


def test_killed_at_any_moment_and_resumed(tmp_path: Path, uninterrupted: tuple[Path, int]) -> None:
    whole, _ = uninterrupted
    chance = random.Random(int.from_bytes(b"AT-12"))
    path = tmp_path / "i"
    for _ in range(5):  # again and again, on what the one before left
        process = start(path)
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        time.sleep(chance.uniform(0, 0.15))
        process.kill()
        process.communicate()

    assert_resumed(path, whole)


def test_adding_that_is_killed_leaves_the_generation_before(
    tmp_path: Path, uninterrupted: tuple[Path, int]
) -> None:
    write(tmp_path / "whole")
    publishing = write(tmp_path / "whole", add="add")
    chance = random.Random(13)
    for kill_at in sorted(chance.sample(range(1, publishing + 1), 4)):
        path = tmp_path / f"at{kill_at}"
        write(path)
        before = open_embedded(path)

        process = start(path, kill_at=kill_at, add="add")
        finish(process)

        after = open_embedded(path)
        assert process.returncode == -signal.SIGKILL
        assert after.info == before.info
        assert after.verify() == []
        assert after.count(["Hardy", "town 3"]) == before.count(["Hardy", "town 3"])
        assert_resumed(path, tmp_path / "whole", add="add")


# --- add 1 %, delete 1 % --------------------------------------------------------------------------


def corpus(numbers: Sequence[int]) -> list[Document]:
    towns = ["Reno", "Wells", "Elko", "Ely"]
    return [
        Document(
            f"d{n}", f"Person {n} lived in {towns[n % 4]} near {towns[n % 3]}. Year {1800 + n}."
        )
        for n in numbers
    ]


def test_one_per_cent_more_and_one_less_counts_as_a_fresh_build(tmp_path: Path) -> None:
    averment.build_index(corpus(range(1000)), tmp_path / "live")
    large = max((tmp_path / "live" / "counts").rglob("segment.bin"), default=None)
    inode = large.stat().st_ino if large else None
    gone = [f"d{n}" for n in range(0, 1000, 100)]

    averment.build_index(corpus(range(1000, 1010)), tmp_path / "live", add=True)
    delete_documents(tmp_path / "live", gone)

    kept = [n for n in range(1010) if f"d{n}" not in gone]
    averment.build_index(corpus(kept), tmp_path / "fresh")
    live, fresh = averment.open_index(tmp_path / "live"), averment.open_index(tmp_path / "fresh")
    phrases = ["Reno", "lived in Wells", "Person 100", "Person 1003", "Year", "near Elko Year"]
    pairs = [(a, b) for a in phrases for b in phrases]
    assert live.count(phrases) == fresh.count(phrases)
    assert live.cooccurrence(pairs, window_words=5) == fresh.cooccurrence(pairs, window_words=5)
    assert live.info.digest == fresh.info.digest
    if large:  # what was there was not written again
        assert large.stat().st_ino == inode


def test_deleted_documents_are_not_retrieved(tmp_path: Path) -> None:
    averment.build_index(corpus(range(20)), tmp_path / "i")
    from averment.wiring import open_retriever

    delete_documents(tmp_path / "i", ["d7"])

    (found,) = open_retriever(averment.open_index(tmp_path / "i")).search(["Person 7"], k=30)
    assert found.hits
    assert "d7" not in {hit.passage.document_id for hit in found.hits}
