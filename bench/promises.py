"""Whether promises of an error rate are kept on real claims, and at what coverage.

    python bench/promises.py

Claims of six test sets of shared/data/faithfulness against their passages, scored by the model that
ships ("true" is what people found supported), and the scored short answers with their own passages
of `runs/franq-short-*-scores.jsonl`.

Each of 500 splits fits a calibrator on a quarter of the questions, tests thresholds on a quarter
and is held against the other half. A promise is broken where more of what is kept there is false
than was promised; as that half is finite, some of these are chance. Beside it: a fixed threshold of
0.5 on P(true), and on the confidence as it came. Then the drift check, on claims of the same kind
and on claims whose passages were exchanged.
"""

from __future__ import annotations

import argparse
import datetime
import json
import pathlib
import platform
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from faithfulness_sets import read_rows

from averment.errors import CalibrationError
from averment.franq.calibration import fit
from averment.franq.calibrator import Calibrator, MadeWith, Mode
from averment.franq.corpus_stack import CORPUS, PLAIN, Features
from averment.franq.holding_out import held_out_rows, with_held_out
from averment.franq.rows import Row
from averment.franq.score import Score
from averment.franq.selective import HeldOut, drift, promise
from averment.metrics.rows import BoolArray, FloatArray
from averment.promises import NotAttainable

HERE = pathlib.Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data" / "faithfulness"
ANSWERS = HERE / "runs" / "franq-short-qwen2.5-coder-0.5b-scores.jsonl"
SETS = {
    "FEVER Symmetric": ("fever_symmetric_test",),
    "HaluEval": ("halueval_qa_one_turn500/b",),
    "Factcheck-GPT": ("factcheckgpt_claim_evidence_stance",),
    "BEGIN": ("begin_test_wow",),
    "FM2": ("fm2_test",),
    "WiCE": ("wice_claim_test",),
}
SPLITS, DRIFT_SPLITS = 500, 100
TARGETS = (0.05, 0.1, 0.2, 0.3)
CONFIDENCE = 0.9


@dataclass(frozen=True)
class Claims:
    """Scored claims of one kind, and the same with other passages."""

    name: str
    rows: list[Row]
    shifted: list[Row]
    made_with: MadeWith
    features: Features
    raw: list[float]
    """The confidence as it came, in [0, 1], of each row."""

    def fitted(self, rows: Sequence[Row]) -> Calibrator:
        """A calibrator of some of them."""
        return fit(
            rows,
            mode=Mode.CONDITION,
            made_with=self.made_with,
            created_by="bench",
            features=self.features,
        )


def labelled_claims(name: str) -> Claims:
    """Claims of a data set, scored by the model that ships."""
    from averment.faithfulness.cache import CachedJudge
    from averment.models.nli import open_shipped_nli
    from averment.wiring.scores import scorer_of

    nli = open_shipped_nli()
    scorer = scorer_of(nli, CachedJudge(nli, memory_pairs=1_000_000))
    found = read_rows(DATA, SETS[name])
    others = [row.passages for row in found]
    random.Random(0).shuffle(others)
    told = [
        [each.score for each in scorer.score(list(zip([r.claim for r in found], of, strict=True)))]
        for of in ([row.passages for row in found], others)
    ]
    rows, shifted = (
        [
            Row(score, None, None, is_true=row.is_supported, group=row.document)
            for row, score in zip(found, scores, strict=True)
        ]
        for scores in told
    )
    made_with = MadeWith("constant", "constant", scorer.name, "")
    return Claims(name, rows, shifted, made_with, PLAIN, told[0])


def answers() -> Claims:
    """Short answers, each with the passages of one condition; shifted: those of another."""
    lines = [json.loads(line) for line in ANSWERS.read_text(encoding="utf-8").splitlines()[1:]]
    by_question: dict[str, dict[str, dict[str, object]]] = {}
    for line in lines:
        by_question.setdefault(line["question"], {})[line["condition"]] = line
    clean = [of["clean"] for of in by_question.values() if "clean" in of]
    other = [of[c] for of in by_question.values() for c in ("shuffled", "corrupted") if c in of]
    rows, shifted = ([_answer(line) for line in part] for part in (clean, other))
    raw = [float(np.exp(-line["uncertainty"]["max_probability"])) for line in clean]  # type: ignore[index]
    made_with = MadeWith("max_probability", "parametric_knowledge", "minilm", "qwen 0.5b")
    return Claims("short answers", rows, shifted, made_with, CORPUS, raw)


def _answer(line: dict[str, object]) -> Row:
    uncertainty = line["uncertainty"]
    assert isinstance(uncertainty, dict)
    return Row(
        line["p_faithful"],  # type: ignore[arg-type]
        _confidence(uncertainty, "max_probability"),
        _confidence(uncertainty, "parametric_knowledge"),
        is_true=bool(line["is_true"]),
        group=str(line["question"]),
        evidence=line.get("evidence") or {},  # type: ignore[arg-type]
    )


def _confidence(uncertainty: dict[str, float], name: str) -> float | None:
    found = uncertainty.get(name)
    return None if found is None else -found


def p_true(calibrator: Calibrator, rows: Sequence[Row]) -> FloatArray:
    """P(true) of each row; -1 where it has none, which no threshold keeps."""
    found = calibrator.scores(rows)
    return np.array([score.p_true if isinstance(score, Score) else -1.0 for score in found])


def error_of(kept: BoolArray, is_false: BoolArray, question: Sequence[str]) -> float | None:
    """The error that is promised: by question; None where nothing is kept."""
    if not kept.any():
        return None
    numbers = np.unique(question, return_inverse=True)[1]
    n_kept = np.bincount(numbers[kept], minlength=numbers.max() + 1)
    n_false = np.bincount(numbers[kept & is_false], minlength=numbers.max() + 1)
    return float((n_false[n_kept > 0] / n_kept[n_kept > 0]).mean())


@dataclass
class Tally:
    """How a way to choose did over the splits."""

    n_made: int = 0
    n_broken: int = 0
    coverage: float = 0.0
    error: float = 0.0

    def take(
        self, kept: BoolArray, is_false: BoolArray, question: list[str], target: float
    ) -> None:
        """One split."""
        found = error_of(kept, is_false, question)
        self.n_made += 1
        self.n_broken += found is not None and found > target
        self.coverage += float(kept.mean())
        self.error += found or 0.0

    def told(self, n_splits: int) -> dict[str, object]:
        """Shares of all splits, means of those where there was a threshold."""
        made = max(1, self.n_made)
        return {
            "attained": round(self.n_made / n_splits, 3),
            "broken": round(self.n_broken / n_splits, 3),
            "coverage": round(self.coverage / made, 3) if self.n_made else None,
            "error": round(self.error / made, 4) if self.n_made else None,
        }


def splits(
    claims: Claims, n: int, *, known_share: float
) -> Iterator[tuple[int, Calibrator, HeldOut, Sequence[Row]]]:
    """Each split that can be fitted: its seed, a calibrator, its held-out claims, and the rest."""
    for seed in range(n):
        rest, known = held_out_rows(claims.rows, share=known_share, seed=seed)
        fitting, held = held_out_rows([row for _, row in known], share=0.5, seed=seed)
        try:
            calibrator = with_held_out(claims.fitted(fitting), held, fitted_on=fitting)
        except CalibrationError:
            continue
        assert calibrator.held_out is not None
        yield seed, calibrator, calibrator.held_out, rest


def guarantee(claims: Claims) -> list[dict[str, object]]:
    """Broken promises, coverage and error over the splits."""
    tallies: dict[tuple[float, str], Tally] = {}
    raw_of = {id(row): value for row, value in zip(claims.rows, claims.raw, strict=True)}
    n_splits = 0
    for _, calibrator, held_out, rest in splits(claims, SPLITS, known_share=0.5):
        n_splits += 1
        scores = p_true(calibrator, rest)
        is_false = np.array([not row.is_true for row in rest])
        question = [str(row.group) for row in rest]
        raw = np.array([raw_of[id(row)] for row in rest])
        for target in TARGETS:
            ways = {"P(true) >= 0.5": scores >= 0.5, "raw >= 0.5": raw >= 0.5}
            made = promise(held_out, target_error=target, confidence=CONFIDENCE)
            if not isinstance(made, NotAttainable):
                ways["promise"] = scores >= made.p_true_at_least
            for way, kept in ways.items():
                tally = tallies.setdefault((target, way), Tally())
                tally.take(kept, is_false, question, target)
            tallies.setdefault((target, "promise"), Tally())
    return [
        {
            "claims": claims.name,
            "target": target,
            "way": way,
            "splits": n_splits,
            **tally.told(n_splits),
        }
        for (target, way), tally in sorted(tallies.items())
    ]


def drifts(claims: Claims, n_questions: int) -> list[dict[str, object]]:
    """How often the drift check fires at p <= 0.01, on so many questions of either kind."""
    fired = {"same": 0, "shifted": 0}
    n_splits = 0
    for seed, calibrator, held_out, rest in splits(claims, DRIFT_SPLITS, known_share=0.6):
        n_splits += 1
        unseen = {row.group for row in rest}
        kinds = {"same": rest, "shifted": [row for row in claims.shifted if row.group in unseen]}
        for kind, rows in kinds.items():
            names = sorted({str(row.group) for row in rows})
            chosen = set(random.Random(seed).sample(names, min(n_questions, len(names))))
            taken = [row for row in rows if row.group in chosen]
            found = drift(
                held_out,
                p_true=p_true(calibrator, taken).tolist(),
                p_faithful=[row.p_faithful or 0.0 for row in taken],
                question=[names.index(str(row.group)) for row in taken],
                seed=seed,
            )
            fired[kind] += found is not None and found.warning() is not None
    return [
        {
            "claims": claims.name,
            "drift": kind,
            "questions": n_questions,
            "splits": n_splits,
            "fired": round(n / max(1, n_splits), 3),
        }
        for kind, n in fired.items()
    ]


def main() -> None:
    """Run, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path)
    given = parser.parse_args()
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    facts = {
        "bench": "promises",
        "date": today,
        "machine": f"{platform.system()} {platform.machine()}",
    }
    out = given.out or HERE / "runs" / f"{today}-promises.jsonl"
    makers: dict[str, Callable[[], Claims]] = {
        name: partial(labelled_claims, name) for name in SETS
    }
    makers["short answers"] = answers
    with out.open("w", encoding="utf-8") as file:
        for make in makers.values():
            claims = make()
            n_true = sum(bool(row.is_true) for row in claims.rows)
            n_groups = len({row.group for row in claims.rows})
            about = {"rows": len(claims.rows), "n_questions": n_groups, "true": n_true}
            for record in [*guarantee(claims), *drifts(claims, 30), *drifts(claims, 100)]:
                line = {**record, **about}
                file.write(json.dumps({**facts, **line}) + "\n")
                file.flush()
                sys.stdout.write(" | ".join(f"{k} {v}" for k, v in line.items()) + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
