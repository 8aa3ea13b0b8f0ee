"""`averment drift` as it is typed: answers of another kind are noticed, and nothing is made up."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from averment.cli.app import run
from averment.labels import LabelledClaim
from contracts.disk import disk_without_fsync  # noqa: F401
from e2e.strict_json import read_strictly
from labels_by_hand import a_file_of_labels, some_labels

Drift = Callable[..., tuple[int, str, str]]


def as_answers(path: Path, rows: list[LabelledClaim], **changed: float) -> None:
    """The claims of labels as `check --json` prints them, some scores changed."""
    answers: dict[str, list[LabelledClaim]] = {}
    for row in rows:
        answers.setdefault(row.question_id, []).append(row)
    told = [
        {
            "question": f"{name}?",
            "answer": name,
            "claims": [{"text": row.claim, **row.scores, **changed} for row in of],
            **of[0].made_by,
        }
        for name, of in answers.items()
    ]
    path.write_text("".join(json.dumps(answer) + "\n" for answer in told), encoding="utf-8")


@pytest.fixture
def drift(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Drift:
    """Runs the command beside a calibrator with held-out questions."""
    a_file_of_labels(tmp_path / "labels.jsonl", some_labels(300))
    assert run(["calibrate", "labels.jsonl", "--hold-out", "0.5"]) == 0

    def drift(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(["drift", "answers.jsonl", *arguments])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return code, said.out, said.err

    return drift


def test_answers_of_the_same_kind_pass(tmp_path: Path, drift: Drift) -> None:
    as_answers(tmp_path / "answers.jsonl", some_labels(100, seed=6))

    code, out, _ = drift()
    assert code == 0
    assert out.startswith("100 claims of 50 questions: no sign that they are of another kind")

    told = read_strictly(drift("--json")[1])
    assert (told["n_claims"], told["n_questions"], told["warning"]) == (100, 50, None)
    assert 0.01 < told["p_value"] <= 1


def test_answers_of_another_kind_are_noticed(tmp_path: Path, drift: Drift) -> None:
    as_answers(tmp_path / "answers.jsonl", some_labels(100, seed=5), p_faithful=0.02)

    code, out, err = drift()
    assert (code, out) == (1, "")
    assert err.startswith("These 50 questions are not like the held-out ones (p = 0.001)")


def test_answers_scored_by_others_are_refused(tmp_path: Path, drift: Drift) -> None:
    rows = some_labels(10)
    as_answers(tmp_path / "answers.jsonl", rows)
    text = (tmp_path / "answers.jsonl").read_text(encoding="utf-8")
    (tmp_path / "answers.jsonl").write_text(text.replace("lexical-alignment", "another"))

    code, _, err = drift()
    assert code == 2
    assert "faithfulness by 'lexical-alignment', but here it is 'another'" in err


def test_without_scores_or_held_out_questions_it_says_what_is_missing(
    tmp_path: Path, drift: Drift
) -> None:
    rows = some_labels(10)
    as_answers(tmp_path / "answers.jsonl", rows)
    text = (tmp_path / "answers.jsonl").read_text(encoding="utf-8")
    (tmp_path / "answers.jsonl").write_text(text.replace('"p_faithful": 0.', '"p_unknown": 0.'))

    code, _, err = drift()
    assert code == 2
    assert "No claim of answers.jsonl has a score" in err

    assert run(["calibrate", "labels.jsonl", "-o", "plain.json"]) == 0
    code, _, err = drift("--calibrator", "plain.json")
    assert code == 2
    assert "without held-out questions" in err
