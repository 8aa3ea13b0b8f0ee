"""What weighing drafts is worth: labels, what repairs mend, and policies beside each other.

    averment index build ../shared/data/corpus/wiki_passages.jsonl.gz -o IDX
    python bench/expected_cost.py label --index IDX --data ../shared/data --questions 80
    python bench/expected_cost.py repairs --index IDX --data ../shared/data --questions 80
    python bench/expected_cost.py compare --index IDX --data ../shared/data --questions 60

All with the same model, on 2WikiMultihopQA and HotpotQA questions that come with passages, drawn
in a seeded order. `label` answers training questions by `quco`, labels the claim that gives the
answer by its F1 with the gold answers (right: >= 0.5), and fits a calibrator. `repairs` lets every
training draft of an answer be searched for or drafted again once, whatever that costs, and counts
how many of those that were wrong became right. `compare` answers dev questions by `single`, `quco`
and `expected-cost`, and adds up what came of them, in the costs that are set: a wrong answer that
is given 1, a hedged one 0.1 and 0.5 more if it is wrong, none 0.35, a search 0.05.

One JSON row a question and policy is appended to `runs/`; what is there is skipped. The model's
calls are remembered in the home directory.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import averment
from averment.calibrating import calibrate
from averment.costs import Costs
from averment.engine import Answered, Engine
from averment.evaluation.correctness import grade
from averment.evaluation.datasets import read_dataset
from averment.evaluation.examples import Example
from averment.franq.calibrator import Mode
from averment.franq.calibrator_json import to_json
from averment.labels import LabelledClaim
from averment.policies.loop import final_answer
from averment.settings import resolve_settings
from averment.shapes import answer_object
from averment.types import Question, Verdict
from averment.wiring.benches import remembered
from averment.wiring.models import open_model

RUNS = Path(__file__).parent / "runs"
TRAIN = {
    "2wiki": "qa_multihop/2wiki_train_ctx_triples_migres.jsonl.gz",
    "hotpotqa": "qa_multihop/hotpotqa_train_ctx_hipporag.jsonl.gz",
}
DEV = {
    "2wiki": "qa_multihop/2wiki_dev_ctx_migres.jsonl.gz",
    "hotpotqa": "qa_multihop/hotpotqa_dev_ctx_migres.jsonl.gz",
}
RIGHT_F1 = 0.5
SEED = 20261130
ALWAYS_SEARCH = Costs(search=0.0, search_mends=1.0, draft_mends=0.0)
ALWAYS_DRAFT = Costs(search=1e6, draft=0.0, draft_mends=1.0)
RESAMPLES = 2000


def drawn(data: Path, files: dict[str, str], n: int) -> Iterator[tuple[str, Example]]:
    """The same questions of each set whatever n is, taken in turns."""
    sets = []
    for name, file in files.items():
        examples = read_dataset(name, data / file).examples
        order = np.random.default_rng(SEED).permutation(len(examples))
        sets.append([(name, examples[at]) for at in order[:n]])
    for together in zip(*sets, strict=False):
        yield from together


def say(line: object) -> None:
    """A line of the result."""
    sys.stdout.write(f"{line}\n")


def f1(text: str, example: Example) -> float:
    """Of a short answer."""
    return grade(text, example).f1


class Rows:
    """The rows of one step, kept in a file; what is there is not made again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.rows = [json.loads(line) for line in lines]

    def has(self, step: str, key: str) -> bool:
        """Whether a question was answered in this step."""
        return any((row["step"], row["key"]) == (step, key) for row in self.rows)

    def add(self, row: dict[str, Any]) -> None:
        """Keep a row."""
        self.rows.append(row)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def answered(
    engine: Engine,
    step: str,
    questions: Sequence[tuple[str, Example]],
    rows: Rows,
    told: Callable[[Answered, Example], dict[str, Any]],
) -> None:
    """Answer what has no row yet."""
    for at, (name, example) in enumerate(questions, start=1):
        key = f"{name}:{example.id}"
        if rows.has(step, key):
            continue
        start = time.perf_counter()
        result = engine.answer(Question(example.id, example.question))
        row = {"step": step, "key": key, **told(result, example)}
        rows.add({**row, "seconds": round(time.perf_counter() - start, 2)})
        sys.stderr.write(f"{step} {at}/{len(questions)} {key} {row.get('f1')}\n")


# --- the three steps ----------------------------------------------------------------------------


def of_answer(result: Answered, example: Example) -> dict[str, Any]:
    """What came of a question, and the scores of the claim that gives the answer."""
    answer, draft = result.answer, result.trace.draft
    said = draft.final_answer if draft else ""
    return {
        "verdict": answer.verdict.value,
        "reason": answer.reason,
        "draft": said,
        "f1": round(f1(said, example), 4),
        "p_true": answer.claims[-1].p_true if answer.claims else None,
        "searches": answer.cost.retrievals,
        "calls": answer.cost.model_calls,
        "claim": answer_object(answer)["claims"][-1] if answer.claims else None,
        "made_with": answer_object(answer)["made_with"],
        "weighed": [
            {"answer": final_answer(one.text), "action": one.action.value, "p_true": one.p_true}
            | {"f1": round(f1(final_answer(one.text), example), 4)}
            for one in (answer.claims[-1].weighed if answer.claims else ())
        ],
    }


def calibrator_of(rows: Rows, path: Path) -> None:
    """Fit a calibrator on the labelled answers, a quarter of the questions held out."""
    labels = [
        LabelledClaim(
            row["key"],
            row["key"],
            "",
            row["draft"],
            row["f1"] >= RIGHT_F1,
            None,
            {name: row["claim"][name] for name in ("p_faithful", "uf", "uu", "features")},
            {"made_with": row["made_with"]},
        )
        for row in rows.rows
        if row["step"] == "label" and row["draft"] and row["claim"]["p_faithful"] is not None
    ]
    made = calibrate(labels, mode=Mode.CONDITION, created_by="bench", hold_out=0.25)
    path.write_text(to_json(made.calibrator) + "\n", encoding="utf-8")
    say(f"{len(labels)} labels, {sum(bool(each.label) for each in labels)} right → {path}")
    for each in made.before, made.after:
        say(f"{each.name}: ECE {each.ece:.3f}, ROC-AUC {each.roc_auc:.3f}, PRR {each.prr:.3f}")


def mended(rows: Rows, step: str) -> None:
    """The share of wrong answers that the first repair made right, and of right ones it broke."""
    repaired = [row["weighed"] for row in rows.rows if row["step"] == step]
    repaired = [drafts for drafts in repaired if len(drafts) > 1]
    first = np.array([drafts[0]["f1"] >= RIGHT_F1 for drafts in repaired])
    second = np.array([drafts[1]["f1"] >= RIGHT_F1 for drafts in repaired])
    wrong = int((~first).sum())
    say(
        f"{step}: {len(repaired)} answers were drafted again; of {wrong} wrong ones "
        f"{int((second & ~first).sum())} became right, of {len(first) - wrong} right ones "
        f"{int((first & ~second).sum())} wrong"
    )


def cost_of(row: dict[str, Any], costs: Costs) -> float:
    """What an answer and the searches for it cost."""
    searches = row["searches"] * costs.search
    wrong = row["f1"] < RIGHT_F1
    if row["verdict"] == Verdict.ABSTAINED.value:
        return costs.abstained + searches
    if row["reason"] == "claims_hedged":
        return costs.hedged + wrong * costs.false_hedged + searches
    return wrong * costs.false + searches


def compared(rows: Rows) -> None:
    """What each policy costs, gives and finds, with intervals over questions."""
    costs = Costs()
    by_step = {
        step: {row["key"]: row for row in rows.rows if row["step"] == step}
        for step in ("single", "quco", "expected-cost")
    }
    keys = sorted(set.intersection(*(set(of) for of in by_step.values())))
    say(f"{len(keys)} questions")
    total = {step: np.array([cost_of(of[k], costs) for k in keys]) for step, of in by_step.items()}
    for step, of in by_step.items():
        found = [of[key] for key in keys]
        given = [row for row in found if row["verdict"] != Verdict.ABSTAINED.value]
        right = sum(row["f1"] >= RIGHT_F1 for row in given)
        say(
            f"{step}: cost {interval(total[step])}, given {len(given)}, right {right}, "
            f"F1 of drafts {np.mean([row['f1'] for row in found]):.3f}, searches "
            f"{np.mean([row['searches'] for row in found]):.2f}, calls "
            f"{np.mean([row['calls'] for row in found]):.1f}"
        )
    for other in ("single", "quco"):
        say(f"expected-cost - {other}: {interval(total['expected-cost'] - total[other])}")


def interval(values: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    """The mean with its interval over resamples."""
    random = np.random.default_rng(SEED)
    means = values[random.integers(0, len(values), (RESAMPLES, len(values)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return f"{values.mean():.3f} [{low:.3f}, {high:.3f}]"


def main() -> None:
    """One of the steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["label", "repairs", "compare"])
    parser.add_argument("--index", required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", default="qwen2.5-coder-0.5b")
    parser.add_argument("--questions", type=int, default=60, help="of each set")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    stem = RUNS / f"expected-cost-{arguments.model}"
    rows = Rows(Path(f"{stem}.jsonl"))
    calibrator = Path(f"{stem}-calibrator.json")
    files = DEV if arguments.step == "compare" else TRAIN
    questions = list(drawn(arguments.data, files, arguments.questions))
    settings = resolve_settings(model=arguments.model, threads=arguments.threads)
    weighing = {"policy": "expected-cost", "calibrator": calibrator}
    ways: dict[str, dict[str, Any]] = {
        "label": {"label": {"policy": "quco"}},
        "repairs": {
            "search": {**weighing, "costs": ALWAYS_SEARCH, "policy_parameters": {"max_repairs": 1}},
            "draft": {**weighing, "costs": ALWAYS_DRAFT, "policy_parameters": {"max_repairs": 1}},
        },
        "compare": {
            "single": {"policy": "single", "calibrator": calibrator},
            "quco": {"policy": "quco", "calibrator": calibrator},
            "expected-cost": weighing,
        },
    }[arguments.step]
    with open_model(settings) as own:
        model = remembered(own, settings, seed=0)
        for step, way in ways.items():
            with averment.open_engine(arguments.index, model, **way) as engine:
                answered(engine, step, questions, rows, of_answer)
    if arguments.step == "label":
        calibrator_of(rows, calibrator)
    elif arguments.step == "repairs":
        mended(rows, "search")
        mended(rows, "draft")
    else:
        compared(rows)


if __name__ == "__main__":
    main()
