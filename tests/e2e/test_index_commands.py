"""The commands that change an index and that ask about some of its documents, as a person types."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from averment.cli.app import run
from contracts.disk import disk_without_fsync  # noqa: F401

RECORDS = [
    {"id": "a", "text": "Silas Hardy came to Reno.", "source": "diary", "date": "1867-05-01"},
    {
        "id": "b",
        "text": "Reno lies in Nevada.",
        "source": "atlas",
        "date": "1999",
        "language": "en",
    },
    {"id": "c", "text": "Hardy left Reno for Elko.", "source": "diary"},
]
Told = Callable[..., tuple[int, str, str]]


@pytest.fixture
def told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Told:
    """Runs a command on an index of the records: (exit code, stdout, stderr)."""
    monkeypatch.setenv("AVERMENT_INDEX", str(tmp_path / "idx"))
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(map(json.dumps, RECORDS)))
    assert run(["index", "build", str(corpus)]) == 0
    capsys.readouterr()

    def tell(*arguments: str) -> tuple[int, str, str]:
        code = run(["index", *arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return tell


def test_deleted_documents_are_gone_and_merging_lets_go_of_them(told: Told) -> None:
    code, out, _ = told("delete", "a", "b")
    assert (code, out.splitlines()[0]) == (0, "2 documents deleted, 1 left.")
    assert "averment index merge" in out

    _, counted, _ = told("count", "Reno", "Hardy", "--show", "0")
    assert counted.splitlines() == [
        "Reno: 1 time in 1 document (exact)",
        "Hardy: 1 time in 1 document (exact)",
    ]

    _, info, _ = told("info")
    assert "1 (and 2 deleted, until: averment index merge)" in info

    _, merged, _ = told("merge")
    assert merged.startswith("1 segment became 1, and 2 deleted documents went")
    _, again, _ = told("merge")
    assert again == "There is nothing to merge: 1 segment.\n"
    assert told("verify")[0] == 0


def test_deleting_an_unknown_document_deletes_nothing(told: Told) -> None:
    code, _, err = told("delete", "a", "nobody")

    assert code == 2
    assert "no document 'nobody'; nothing was deleted" in err
    assert json.loads(told("info", "--json")[1])["n_documents"] == 3


def test_unknown_documents_can_be_passed_over(told: Told) -> None:
    code, out, _ = told("delete", "a", "nobody", "--missing-ok", "--json")

    assert (code, json.loads(out)["deleted"]) == (0, 1)


def test_ids_can_come_from_a_file(told: Told, tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("a\n\nc\n")

    code, out, _ = told("delete", "--ids-from", str(tmp_path / "ids.txt"), "--json")

    assert (code, json.loads(out)["deleted"]) == (0, 2)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        pytest.param(["delete"], "No document is named", id="no id"),
        pytest.param(["delete", "--ids-from", "none.txt"], "none.txt cannot be read", id="no file"),
        pytest.param(["delete", "a", "b", "c"], "Every document", id="all"),
        pytest.param(
            ["count", "Reno", "--before", "soon"], "'soon', which is not a date", id="date"
        ),
    ],
)
def test_what_cannot_be_done_is_said(told: Told, arguments: list[str], named: str) -> None:
    code, _, err = told(*arguments)

    assert code == 2
    assert named in " ".join(err.split())


def test_replacing_adds_what_changed(told: Told, tmp_path: Path) -> None:
    (tmp_path / "new.jsonl").write_text(json.dumps({"id": "a", "text": "Silas Hardy went to Ely."}))

    kept, _, skipped = told("add", str(tmp_path / "new.jsonl"))
    code, _, _ = told("add", str(tmp_path / "new.jsonl"), "--replace")
    again, _, nothing = told("add", str(tmp_path / "new.jsonl"), "--replace")

    assert (kept, code, again, nothing) == (0, 0, 0, "")
    assert "this id is there already" in skipped
    _, out, _ = told("cooccur", "Hardy", "Ely")
    assert out.startswith("Hardy and Ely: in 1 document")


@pytest.mark.parametrize(
    ("restriction", "times"),
    [
        (["--source", "diary"], "2 times in 2 documents"),
        (["--language", "en"], "1 time in 1 document"),
        (["--before", "1900"], "1 time in 1 document"),
        (["--after", "1900-01"], "1 time in 1 document"),
        (["--source", "atlas", "--before", "1900"], "0 times in 0 documents"),
    ],
)
def test_counts_of_some_documents(told: Told, restriction: list[str], times: str) -> None:
    code, out, err = told("count", "Reno", "--show", "0", *restriction)

    assert (code, out) == (0, f"Reno: {times} (exact)\n")
    assert ("No document of the index" in err) == times.startswith("0")


def test_pairs_of_some_documents(told: Told) -> None:
    _, out, _ = told("cooccur", "Hardy", "Reno", "--before", "1900", "--json")

    found = json.loads(out)
    assert (found["pairs"], [o["document_id"] for o in found["occurrences"]]) == (1, ["a"])


def test_kept_tokens_are_shown(told: Told, tmp_path: Path) -> None:
    target = ["--index", str(tmp_path / "counts")]
    corpus = str(tmp_path / "corpus.jsonl")

    told("build", corpus, "--counts-only", "--keep-tokens", *target)
    _, out, _ = told("count", "Hardy", *target)

    assert "  a  silas hardy came to reno" in out


def test_verify_lists_every_damaged_file(told: Told, tmp_path: Path) -> None:
    for name in ("segment.bin", "words.npy", "documents.jsonl"):
        for file in (tmp_path / "idx").rglob(name):
            os.truncate(file, 9)

    code, out, _ = told("verify")

    assert code == 1
    assert len(out.splitlines()) == 2
    assert all("shorter" in line for line in out.splitlines())
