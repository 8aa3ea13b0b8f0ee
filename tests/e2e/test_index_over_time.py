"""`index count --by`, `index cooccur --by` and `index first-seen`, as a person types them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from averment.cli.app import run
from contracts.disk import disk_without_fsync  # noqa: F401
from mayors_by_hand import build_elmstead

Told = Callable[..., tuple[int, str, str]]


@pytest.fixture
def told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Told:
    """Runs a command on the index of Elmstead: (exit code, stdout, stderr)."""
    monkeypatch.setenv("AVERMENT_INDEX", str(tmp_path / "idx"))
    build_elmstead(tmp_path / "idx")

    def tell(*arguments: str) -> tuple[int, str, str]:
        code = run(["index", *arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return tell


def test_counts_by_year_have_a_bar_a_period(told: Told) -> None:
    code, out, _ = told("count", "Bruno Vale", "--by", "year")

    lines = out.splitlines()
    assert (code, lines[0]) == (0, "Bruno Vale:")
    assert lines[1].split() == ["2015", "0", "of", "1", "document"]
    assert lines[3].split() == ["2021", "█" * 30, "2", "of", "2", "documents"]
    assert len(lines) == 5


def test_what_has_no_place_in_time_is_told(told: Told) -> None:
    _, thorn, _ = told("count", "Ada Thorn", "--by", "year")
    _, vale, _ = told("count", "Bruno Vale", "--by", "month")

    assert "and 1 document without a date" in thorn
    assert "and 1 document whose date is longer than a period" in vale


def test_counts_by_year_as_json(told: Told) -> None:
    _, out, _ = told("count", "Ada Thorn", "--by", "year", "--between", "2018", "2021", "--json")

    made = json.loads(out)
    (row,) = made["counts"]
    assert (made["by"], row["phrase"], row["vague_documents"]) == ("year", "Ada Thorn", 0)
    assert row["periods"] == [
        {"period": "2018", "of_documents": 1, "count": 1, "documents": 1, "kind": "exact"},
        {"period": "2021", "of_documents": 2, "count": 1, "documents": 1, "kind": "exact"},
    ]
    assert row["undated"] == {"count": 0, "documents": 0, "kind": "exact"}


def test_undated_documents_are_taken_along_where_that_is_asked(told: Told) -> None:
    dates = ["--between", "2018", "2021"]
    left_out = json.loads(told("count", "Ada Thorn", *dates, "--json")[1])
    taken = json.loads(told("count", "Ada Thorn", *dates, "--undated", "include", "--json")[1])

    assert left_out["counts"][0]["documents"] == 2
    assert taken["counts"][0]["documents"] == 3


def test_pairs_by_year(told: Told) -> None:
    code, out, _ = told("cooccur", "mayor", "Bruno Vale", "--by", "year")
    made = json.loads(told("cooccur", "mayor", "Bruno Vale", "--by", "year", "--json")[1])

    assert code == 0
    assert out.startswith("mayor and Bruno Vale within 1,000 words:\n")
    assert [(row["period"], row["documents"]) for row in made["periods"]] == [
        ("2015", 0),
        ("2018", 0),
        ("2021", 1),
        ("2024", 1),
    ]


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        pytest.param(
            ["Bruno Vale"],
            [
                "Bruno Vale: first 2021-03-14 (gazette-2021), last 2024-11-02 (gazette-2024), "
                "in 3 dated documents (exact)",
                "  1 document of vaguer date may be earlier",
            ],
            id="a vague date",
        ),
        pytest.param(
            ["Ada Thorn", "bridge"],
            [
                "Ada Thorn and bridge within 1,000 words: first 2015-05-07 (gazette-2015), "
                "last 2018-09 (gazette-2018), in 2 dated documents (exact)"
            ],
            id="a pair",
        ),
        pytest.param(
            ["Old Quay"],
            [
                "Old Quay: found only in documents without a date, so nobody knows when",
                "  and 1 document without a date",
            ],
            id="undated only",
        ),
        pytest.param(["Dora Quill"], ["Dora Quill: not found"], id="never"),
    ],
)
def test_first_seen(told: Told, arguments: list[str], lines: list[str]) -> None:
    code, out, _ = told("first-seen", *arguments)

    assert (code, out.splitlines()) == (0, lines)


def test_first_seen_as_json(told: Told) -> None:
    made = json.loads(told("first-seen", "Old Quay", "--json")[1])

    assert (made["first"], made["reason"], made["undated_documents"]) == (None, "only_undated", 1)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        pytest.param(["first-seen", "!"], "has no word", id="no word"),
        pytest.param(["first-seen", "a", "b", "--window", "-1"], "--window is -1", id="window"),
        pytest.param(["count", "a", "--between", "2021", "2020"], "No day lies", id="reversed"),
    ],
)
def test_what_cannot_be_answered_is_said(told: Told, arguments: list[str], named: str) -> None:
    code, _, err = told(*arguments)

    assert code == 2
    assert named in " ".join(err.split())
