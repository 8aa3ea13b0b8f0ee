from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from averment.errors import ModelUnavailable, UsageError
from averment.faithfulness.cache import CachedJudge
from averment.uq.records import Nli
from faithfulness.judges import OverlapJudge

PAIRS = [("A dog ran.", "A dog ran."), ("A dog ran.", "A cat ran."), ("A dog ran.", "A dog ran.")]


class FailingJudge(OverlapJudge):
    """Is not there."""

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Nli]:
        raise ModelUnavailable("away")


def test_it_answers_as_the_judge_does_and_asks_equal_pairs_once() -> None:
    judge = OverlapJudge()

    judged = CachedJudge(judge).judge(PAIRS)

    assert judged == OverlapJudge().judge(PAIRS)
    assert judge.calls == [PAIRS[:2]]


def test_what_was_judged_is_not_asked_again() -> None:
    judge = OverlapJudge()
    cached = CachedJudge(judge)
    first = cached.judge(PAIRS)

    again = cached.judge([*PAIRS, ("new", "new")])

    assert again[:3] == first
    assert judge.calls[1:] == [[("new", "new")]]


def test_memory_is_bounded_and_forgets_what_was_used_longest_ago() -> None:
    judge = OverlapJudge()
    cached = CachedJudge(judge, memory_pairs=2)
    cached.judge([("a", "a"), ("b", "b")])
    cached.judge([("a", "a")])
    cached.judge([("c", "c")])
    judge.calls.clear()

    cached.judge([("a", "a"), ("b", "b")])

    assert judge.calls == [[("b", "b")]]


def test_another_process_finds_what_is_in_the_directory(tmp_path: Path) -> None:
    first = CachedJudge(OverlapJudge(), directory=tmp_path / "new").judge(PAIRS)
    judge = OverlapJudge()

    again = CachedJudge(judge, directory=tmp_path / "new").judge(PAIRS)

    assert again == first
    assert judge.calls == []


def test_many_pairs_are_found_on_disk(tmp_path: Path) -> None:
    pairs = [(f"premise {at}", "claim") for at in range(1203)]
    first = CachedJudge(OverlapJudge(), directory=tmp_path).judge(pairs)
    judge = OverlapJudge()

    again = CachedJudge(judge, directory=tmp_path).judge(pairs)

    assert again == first
    assert judge.calls == []


def test_another_model_does_not_answer_for_this_one(tmp_path: Path) -> None:
    CachedJudge(OverlapJudge(), identity="model 1", directory=tmp_path).judge(PAIRS)
    judge = OverlapJudge()

    CachedJudge(judge, identity="model 2", directory=tmp_path).judge(PAIRS)

    assert judge.calls == [PAIRS[:2]]


def test_the_border_between_premise_and_claim_counts() -> None:
    judge = OverlapJudge()

    CachedJudge(judge).judge([("ab", "c"), ("a", "bc")])

    assert len(judge.calls[0]) == 2


def test_a_failure_is_raised_and_not_remembered(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable):
        CachedJudge(FailingJudge(), directory=tmp_path).judge(PAIRS)
    judge = OverlapJudge()

    CachedJudge(judge, directory=tmp_path).judge(PAIRS)

    assert judge.calls == [PAIRS[:2]]


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "judgements.sqlite3").write_bytes(b"this is no database at all" * 100)

    with pytest.raises(UsageError, match=r"judgements\.sqlite3"):
        CachedJudge(OverlapJudge(), directory=tmp_path)


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")

    with pytest.raises(UsageError, match="taken"):
        CachedJudge(OverlapJudge(), directory=tmp_path / "taken")


def test_a_memory_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="memory_pairs"):
        CachedJudge(OverlapJudge(), memory_pairs=0)
