"""AT-8: a target error instead of a threshold, kept as often as it says, or refused with reasons.

The validity of the test itself, and how it agrees with others, is in `tests/franq/test_selective`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from averment.calibrating import calibrate, row_of
from averment.cli.app import run
from averment.franq.calibrator import Mode
from averment.franq.score import Score
from averment.franq.selective import promise
from averment.labels import LabelledClaim
from averment.promises import Promise
from contracts.disk import disk_without_fsync  # noqa: F401
from e2e.checked import Check, checking
from e2e.strict_json import read_strictly
from labels_by_hand import a_file_of_labels, some_labels

SUPPORTED = "Paris is the capital of France."
FALSE = "Berlin lies on the moon of Jupiter."


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Check:
    """Runs `check` on two sentences of which the context says one."""
    source = f"{SUPPORTED} It has two million people."
    return checking(tmp_path, capsys, answer=f"{SUPPORTED} {FALSE}", source=source)


def calibrator(tmp_path: Path, *, n: int, hold_out: str = "0.5") -> str:
    """Made by the command, of labels whose scores tell a lot."""
    a_file_of_labels(tmp_path / "labels.jsonl", some_labels(n))
    assert run(["calibrate", "labels.jsonl", "--hold-out", hold_out]) == 0
    return "calibrator.json"


def test_what_is_not_probable_enough_is_withheld_and_the_exit_code_says_so(
    tmp_path: Path, check: Check
) -> None:
    made = calibrator(tmp_path, n=1500)

    code, out, err = check("--calibrator", made, "--target-error", "0.3", "--json")

    told = read_strictly(out)
    assert code == 1
    assert [claim["withheld"] for claim in told["claims"]] == [False, True]
    assert told["claims"][1]["reasons"]["withheld"] == "below_threshold"
    assert told["promise"]["target_error"] == 0.3
    assert told["promise"]["n_questions"] == 375
    assert told["claims"][0]["p_true"] >= told["promise"]["p_true_at_least"]
    assert "exchangeable" in told["promise"]["assumptions"]

    code, out, err = check("--calibrator", made, "--target-error", "0.3")
    assert code == 1
    assert "withheld: below threshold" in out
    assert "Promised with confidence 0.9: of the claims that are given at most 0.3 is false" in err
    assert "1 claim withheld." in err


def test_the_text_is_written_without_what_is_withheld_or_with_it_hedged(
    tmp_path: Path, check: Check
) -> None:
    made = ("--calibrator", calibrator(tmp_path, n=1500), "--target-error", "0.3")

    assert check(*made, "--edited", "dropped.txt")[0] == 1
    assert check(*made, "--edited", "hedged.txt", "--withheld", "hedge")[0] == 1

    assert (tmp_path / "dropped.txt").read_text() == SUPPORTED
    hedged = (tmp_path / "hedged.txt").read_text()
    assert hedged == f"{SUPPORTED} It may be that {FALSE}"


def test_a_target_that_is_out_of_reach_is_refused_without_a_threshold(
    tmp_path: Path, check: Check
) -> None:
    made = calibrator(tmp_path, n=120)

    code, out, err = check("--calibrator", made, "--target-error", "0.01", "--json")

    error = json.loads(err)["error"]
    assert (code, out) == (2, "")
    assert "cannot be promised with confidence 0.9: 30 questions were held out" in error["message"]
    assert "At best 0." in error["message"]
    assert "--target-error" in error["hint"]


def test_a_promise_needs_a_calibrator_with_held_out_questions(tmp_path: Path, check: Check) -> None:
    code, _, err = check("--target-error", "0.1")
    assert code == 2
    assert "can only be promised by a calibrator" in err
    assert "--hold-out 0.5" in err

    made = calibrator(tmp_path, n=120, hold_out="0")
    code, _, err = check("--calibrator", made, "--target-error", "0.1")
    assert code == 2
    assert "made without held-out questions" in err


@pytest.mark.parametrize(
    "option", [("--target-error", "0"), ("--target-error", "1.5"), ("--confidence", "1")]
)
def test_a_rate_that_is_none_is_refused_by_name(option: tuple[str, str], check: Check) -> None:
    code, _, err = check(*option)

    assert code == 2
    assert f"flag {option[0]} cannot be used" in err


def test_over_splits_of_an_exchangeable_set_the_promise_is_broken_no_more_often_than_it_says() -> (
    None
):
    """50 splits: fitted and held out by `calibrate`, the rest told whether it was kept.

    The 500 splits of real claims are in `bench/`; here the labels are made up.
    """
    pool = some_labels(3000, claims_a_question=1)
    random = np.random.default_rng(0)
    n_broken = n_made = 0
    for _ in range(50):
        order = random.permutation(len(pool)).tolist()
        known, rest = ([pool[at] for at in part] for part in (order[:600], order[600:]))
        made = calibrate(known, mode=Mode.CONDITION, created_by="t", hold_out=0.5, n_folds=2)
        assert made.calibrator.held_out is not None
        found = promise(made.calibrator.held_out, target_error=0.3, confidence=0.9)
        if not isinstance(found, Promise):
            continue
        n_made += 1
        scores = made.calibrator.scores([row_of(label) for label in rest])
        kept = [
            label
            for label, score in zip(rest, scores, strict=True)
            if isinstance(score, Score) and score.p_true >= found.p_true_at_least
        ]
        n_broken += np.mean([not label.label for label in kept]) > 0.3
    assert n_made > 25
    assert n_broken / 50 <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / 50)


def test_held_out_labels_that_say_nothing_are_refused(tmp_path: Path) -> None:
    labels: list[LabelledClaim] = [replace(row, label=None) for row in some_labels(40)]
    a_file_of_labels(tmp_path / "labels.jsonl", labels)

    assert run(["calibrate", "labels.jsonl", "--hold-out", "0.5"]) == 2
