"""The tasks for lm-evaluation-harness: what they compute, and the harness itself where it is."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from averment.errors import MissingExtraError, UsageError
from averment.integrations.lm_eval_tasks import tasks
from averment.prompts import load
from evaluation.bench_world import river, said, towns, write_questions

TOWN = {"id": "q", "question": "Which river?", "answers": ["the Vell", "Vell"], "kind": "span"}
YES = {"id": "q", "question": "Is it?", "answers": ["yes"], "kind": "yes_no"}
N_QUESTIONS = 10


def test_a_completion_is_graded_by_its_short_answer() -> None:
    grades = tasks.graded(TOWN, ["The Vell flows there. So the answer is Vell."])

    assert grades == {"exact_match": 1.0, "f1": 1.0}


def test_a_completion_without_a_short_answer_is_graded_whole() -> None:
    assert tasks.graded(TOWN, [" Vell\n"])["exact_match"] == 1.0


def test_the_prompt_is_that_of_the_benches() -> None:
    assert tasks.prompt(TOWN) == load("answer").fill(context="", question="Which river?")


def test_the_confidence_in_a_label_is_its_share_of_the_probability() -> None:
    found = tasks.chosen(YES, [(math.log(0.3), True), (math.log(0.1), False)])

    assert found["accuracy"] == 1.0
    assert found["ece"] == (pytest.approx(0.75), 1.0)


def test_the_less_probable_label_is_not_chosen() -> None:
    assert tasks.chosen(YES, [(-9.0, False), (-1.0, True)])["accuracy"] == 0.0


def test_labels_that_are_both_next_to_impossible_still_have_a_confidence() -> None:
    assert tasks.chosen(YES, [(-9000.0, False), (-9001.0, True)])["ece"][0] > 0.7


def test_the_pairs_of_all_questions_become_numbers() -> None:
    pairs = [(0.9, 1.0)] * 9 + [(0.9, 0.0)]

    assert tasks.ece(pairs) == pytest.approx(0.0)
    assert 0 < tasks.ece_band_high(pairs) < 1
    low, high = tasks.selective_accuracy_low(pairs), tasks.selective_accuracy_high(pairs)
    assert low <= tasks.selective_accuracy(pairs) <= high


def test_a_data_set_without_a_file_is_refused_with_the_line_to_type() -> None:
    with pytest.raises(UsageError) as refused:
        tasks.documents(dataset="2wiki", hotpotqa="elsewhere")

    assert """--metadata '{"2wiki": "FILE"}'""" in refused.value.hint


def test_without_the_harness_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)

    with pytest.raises(MissingExtraError, match="lm-eval"):
        tasks.documents(dataset="hotpotqa", hotpotqa=str(tmp_path / "towns.jsonl"))


def test_the_folder_of_the_tasks_is_printed() -> None:
    module = "averment.integrations.lm_eval_tasks"

    told = subprocess.run(
        [sys.executable, "-m", module], capture_output=True, text=True, check=True
    ).stdout

    assert (Path(told.strip()) / "averment_2wiki.yaml").is_file()


# --- in the harness -----------------------------------------------------------------------------


def evaluated(task: str, metadata: dict[str, Any]) -> dict[str, Any]:
    """What the harness makes of a task with a model of ours."""
    reason = "lm-evaluation-harness is absent; type: pip install 'averment[lm-eval]'"
    lm_eval = pytest.importorskip("lm_eval", reason=reason)
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Townsman(LM):  # type: ignore[misc]
        def generate_until(self, requests: list[Any], **_: Any) -> list[str]:
            return [said(request.args[0]) for request in requests]

        def loglikelihood(self, requests: list[Any], **_: Any) -> list[tuple[float, bool]]:
            return [(-0.1 if "yes" in request.args[1] else -3.0, True) for request in requests]

        def loglikelihood_rolling(self, requests: list[Any], **_: Any) -> list[float]:
            raise NotImplementedError

    folder = Path(tasks.__file__).parent
    manager = TaskManager(include_path=str(folder), include_defaults=False, metadata=metadata)
    found = lm_eval.simple_evaluate(
        model=Townsman(), tasks=[task], task_manager=manager, metadata=metadata, bootstrap_iters=0
    )
    results: dict[str, Any] = found["results"][task]
    return results


@pytest.mark.filterwarnings("ignore")
def test_the_harness_asks_and_grades_the_questions_of_a_file(tmp_path: Path) -> None:
    write_questions(tmp_path / "towns.jsonl", N_QUESTIONS)

    results = evaluated("averment_hotpotqa", {"hotpotqa": str(tmp_path / "towns.jsonl")})

    known = [at for at, town in enumerate(towns(N_QUESTIONS)) if knows(at, town)]
    assert results["exact_match,none"] == len(known) / N_QUESTIONS
    assert 0 < len(known) < N_QUESTIONS


def knows(at: int, town: str) -> bool:
    """Whether the model says the right river without a passage."""
    return f"the answer is {river(at)}." in said(f"Question: Which river flows through {town}?")


@pytest.mark.filterwarnings("ignore")
def test_the_harness_tells_how_good_confidence_is(tmp_path: Path) -> None:
    lines = [{"qid": f"q{n}", "question": "Is it?", "answer": n < 9} for n in range(10)]
    path = tmp_path / "strategyqa.json"
    path.write_text(json.dumps(lines), encoding="utf-8")

    results = evaluated("averment_strategyqa", {"strategyqa": str(path)})

    assert results["accuracy,none"] == 0.9
    assert results["ece,none"] == pytest.approx(abs(0.9 - 1 / (1 + math.exp(-2.9))))
    assert results["selective_accuracy,none"] == pytest.approx(0.9)
