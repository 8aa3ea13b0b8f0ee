"""Tables and comparisons of runs: what is counted, what is compared, what is marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from averment.errors import UnknownNameError, UsageError
from averment.evaluation.bench_file import Expectation
from averment.evaluation.comparing import differences, hold_expectations, read_grades
from averment.evaluation.tables import (
    open_tables,
    read_table,
    shown_metrics,
    warnings_of,
    write_parquet,
)
from evaluation.rows_by_hand import failed, graded, run_of


def test_a_failed_question_is_counted_and_not_graded(tmp_path: Path) -> None:
    run = run_of(tmp_path, [graded("a", 1, 1.0), graded("a", 2, 0.5), failed("a", 3)])

    (line,) = read_table(open_tables([run]))

    assert (line.n, line.failed) == (3, 1)
    assert line.grades["f1"].value == 0.75
    assert line.grades["exact_match"].value == 0.5


def test_of_a_question_that_was_asked_again_the_last_row_counts(tmp_path: Path) -> None:
    run = run_of(tmp_path, [graded("a", 1, 1.0), failed("a", 2), graded("a", 1, 0.5)])

    (line,) = read_table(open_tables([run]))

    assert (line.n, line.grades["f1"].value) == (2, 0.5)


def test_what_no_question_asks_for_has_no_grade(tmp_path: Path) -> None:
    run = run_of(tmp_path, [graded("a", 1, 1.0)])

    (line,) = read_table(open_tables([run]))

    assert line.grades["accuracy"].value is None


def test_costs_that_nobody_knows_are_not_zero(tmp_path: Path) -> None:
    run = run_of(tmp_path, [graded("theirs", 1, 1.0, retrievals=None, triggers=None)])

    (line,) = read_table(open_tables([run]))

    assert line.retrievals.value is None
    assert line.trigger_rate is None
    assert line.tokens is None


def test_rows_with_too_many_unknown_counts_are_invalid(tmp_path: Path) -> None:
    rows = [graded("a", n, 1.0, unknown_counts=int(n < 6)) for n in range(10)]

    (strict,) = read_table(open_tables([run_of(tmp_path, rows, max_unknown=0.04)]))
    (lax,) = read_table(open_tables([run_of(tmp_path, rows, max_unknown=0.06)]))

    assert strict.unknown == pytest.approx(0.06)
    assert (strict.valid, lax.valid) == (False, True)
    assert any("invalid, 6% of the counts" in warning for warning in warnings_of([strict]))


@pytest.mark.parametrize(
    ("policy", "retrievals", "triggers", "warned"),
    [
        ("quco", 0, {}, True),
        ("flare", 1, {"always": 1}, True),
        ("quco", 1, {"rare_entity": 1}, True),
        ("single", 1, {"always": 1}, False),
        ("none", 0, {}, False),
    ],
    ids=["never", "never by its own trigger", "always", "always, by design", "never, by design"],
)
def test_a_policy_that_decides_nothing_is_warned_of(
    policy: str, retrievals: int, triggers: dict[str, int], warned: bool, tmp_path: Path
) -> None:
    rows = [graded(policy, n, 1.0, retrievals=retrievals, triggers=triggers) for n in range(3)]

    found = warnings_of(read_table(open_tables([run_of(tmp_path, rows)])))

    assert bool(found) == warned


def test_a_policy_that_looks_up_some_questions_is_not_warned_of(tmp_path: Path) -> None:
    rows = [graded("quco", n, 1.0, triggers={"rare_entity": 1} if n else {}) for n in range(4)]

    assert warnings_of(read_table(open_tables([run_of(tmp_path, rows)]))) == []


def test_only_questions_that_both_answered_are_compared(tmp_path: Path) -> None:
    rows = [
        *(graded("a", n, 0.0) for n in range(4)),
        *(graded("b", n, 0.5) for n in range(3)),
        failed("b", 3),
    ]

    (found,) = differences(read_grades(open_tables([run_of(tmp_path, rows)])), metrics=["f1"])

    assert (found.contestant, found.baseline, found.n) == ("b", "a", 3)
    assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)


def test_a_policy_of_several_runs_is_told_apart_and_runs_keep_their_order(tmp_path: Path) -> None:
    rows = [graded("a", 1, 0.0), graded("a", 2, 0.0), graded("b", 1, 0.0)]
    small = run_of(tmp_path / "small", rows, label="small")
    large = run_of(tmp_path / "large", [graded("a", 1, 1.0), graded("c", 1, 1.0)], label="large")

    contestants = [line.contestant for line in read_table(open_tables([small, large]))]

    assert contestants == ["a@small", "b", "a@large", "c"]


def test_a_policy_of_two_runs_is_compared_with_itself(tmp_path: Path) -> None:
    small = run_of(tmp_path / "small", [graded("a", 1, 0.0), graded("a", 2, 0.0)], label="small")
    large = run_of(tmp_path / "large", [graded("a", 1, 1.0), graded("a", 2, 0.0)], label="large")

    (found,) = differences(read_grades(open_tables([small, large])), metrics=["f1"])

    assert (found.contestant, found.baseline, found.value) == ("a@large", "a@small", 0.5)


def test_a_baseline_is_compared_with_everybody_and_nobody_else_is(tmp_path: Path) -> None:
    rows = [graded(policy, n, 1.0) for policy in "abc" for n in range(2)]

    found = differences(
        read_grades(open_tables([run_of(tmp_path, rows)])), metrics=["f1"], baseline="b"
    )

    assert [(each.contestant, each.baseline) for each in found] == [("a", "b"), ("c", "b")]


@pytest.mark.parametrize(
    ("better", "worse", "met"),
    [("b", "a", True), ("a", "b", False), ("c", "a", False)],
    ids=["it is better", "it is worse", "the interval has 0"],
)
def test_an_expectation_is_met_where_the_interval_lies_above_zero(
    better: str, worse: str, met: bool, tmp_path: Path
) -> None:
    rows = [
        *(graded("a", n, 0.2) for n in range(20)),
        *(graded("b", n, 0.6) for n in range(20)),
        *(graded("c", n, 0.4 * (n % 2)) for n in range(20)),
    ]
    opened = open_tables([run_of(tmp_path, rows)])

    (held,) = hold_expectations(
        read_grades(opened),
        read_table(opened),
        [Expectation(better, worse)],
    )

    assert held.met == met


def test_invalid_rows_meet_no_expectation(tmp_path: Path) -> None:
    rows = [
        *(graded("a", n, 0.2) for n in range(20)),
        *(graded("b", n, 0.6, unknown_counts=9) for n in range(20)),
    ]
    opened = open_tables([run_of(tmp_path, rows)])

    (held,) = hold_expectations(read_grades(opened), read_table(opened), [Expectation("b", "a")])

    assert held.difference.is_better
    assert not held.met


def test_an_expectation_of_nobody_is_refused(tmp_path: Path) -> None:
    opened = open_tables([run_of(tmp_path, [graded("single", 1, 1.0)])])

    with pytest.raises(UnknownNameError, match="contestant named 'singel'"):
        hold_expectations(
            read_grades(opened),
            read_table(opened),
            [Expectation("singel", "single")],
        )


def test_a_run_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There are no rows"):
        read_table(open_tables([run_of(tmp_path, [])]))


def test_rows_are_written_as_parquet(tmp_path: Path) -> None:
    import duckdb

    run = run_of(tmp_path, [graded("a", 1, 0.5), graded("a", 2, 1.0)])
    target = tmp_path / "it's.parquet"

    write_parquet(open_tables([run]), target)

    found = duckdb.execute("SELECT id, grades.f1 FROM read_parquet(?)", [str(target)]).fetchall()
    assert found == [("q001", 0.5), ("q002", 1.0)]


@pytest.mark.parametrize(
    ("draft_f1", "metrics"),
    [
        pytest.param(None, ["exact_match", "f1"], id="nobody knows"),
        pytest.param(0.0, ["exact_match", "f1"], id="all were given"),
        pytest.param(1.0, ["exact_match", "f1", "draft_f1"], id="one was held back"),
    ],
)
def test_drafts_are_shown_and_compared_where_some_were_held_back(
    tmp_path: Path, draft_f1: float | None, metrics: list[str]
) -> None:
    rows = [graded(policy, n, 0.0, draft_f1=draft_f1) for policy in "ab" for n in range(2)]
    opened = open_tables([run_of(tmp_path, rows)])

    assert shown_metrics(read_table(opened)) == metrics
    assert [each.metric for each in differences(read_grades(opened))] == metrics


def test_an_abstention_from_a_right_draft_is_a_wrong_one(tmp_path: Path) -> None:
    held = {"verdict": "abstained"}
    drafts = (1.0, 0.5, 0.49, 0.0)
    rows = [graded("a", n, 0.0, draft_f1=f1, **held) for n, f1 in enumerate(drafts)]
    rows += [graded("a", 9, 1.0, draft_f1=1.0), graded("b", 9, 1.0, draft_f1=1.0)]

    withheld, given = read_table(open_tables([run_of(tmp_path, rows)]))

    assert withheld.wrong_abstention_rate == 0.5
    assert (withheld.f1_given, withheld.f1_withheld) == (1.0, 0.4975)
    assert given.wrong_abstention_rate is None
