"""What the tasks for lm-evaluation-harness compute; the harness loads this file by its path.

Prompt, short answer and grades are those of averment's benches, so that a model alone in the
harness and the policy `none` of a bench are graded alike. Aggregations take what `graded` and
`chosen` return. Importing this module needs no extra; `documents` needs [lm-eval].
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from averment.errors import MissingExtraError, UsageError
from averment.evaluation.correctness import grade
from averment.evaluation.datasets import read_dataset
from averment.evaluation.examples import AnswerKind, Example
from averment.integrations import confidence
from averment.integrations.completions import question_prompt, short_answer

_LABELS = ("yes", "no")


def documents(*, dataset: str, **given: Any) -> dict[str, Any]:
    """The questions of a data set, as the split ``test``.

    Args:
        dataset: As averment names it.
        **given: What stands in ``--metadata``: the file of each data set under its name.

    Raises:
        UsageError: No file is given for the data set.
        DatasetError: The file cannot be read.
        MissingExtraError: The harness is not installed.
    """
    if dataset not in given:
        raise UsageError(
            f"No file is given for the data set {dataset!r}.",
            hint=f"""Type: lm_eval … --metadata '{{"{dataset}": "FILE"}}'""",
        )
    try:
        from datasets import Dataset
    except ImportError as error:
        raise MissingExtraError("Tasks of lm-evaluation-harness", "lm-eval") from error
    examples = read_dataset(dataset, Path(given[dataset])).examples
    rows = [
        {
            "id": each.id,
            "question": each.question,
            "answers": list(each.answers),
            "kind": each.kind.value,
        }
        for each in examples
    ]
    return {"test": Dataset.from_list(rows)}


def prompt(doc: Mapping[str, Any]) -> str:
    """What the model is given."""
    return question_prompt(doc["question"])


def gold(doc: Mapping[str, Any]) -> str:
    """The answer as the data set has it; empty where there is none."""
    return next(iter(doc["answers"]), "")


def graded(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """Exact match and F1 of a completion."""
    found = grade(short_answer(results[0]), _example(doc))
    return {"exact_match": found.exact_match, "f1": found.f1}


def chosen(doc: Mapping[str, Any], results: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """Accuracy of the more probable label, and the pairs that the other metrics are made of.

    Confidence is the probability of that label among the labels.
    """
    likelihoods = [float(loglikelihood) for loglikelihood, *_ in results]
    highest = max(likelihoods)
    sure = 1 / sum(math.exp(each - highest) for each in likelihoods)
    right = float(_LABELS[likelihoods.index(highest)] in doc["answers"])
    names = (
        "ece",
        "ece_band_high",
        "selective_accuracy",
        "selective_accuracy_low",
        "selective_accuracy_high",
    )
    return {"accuracy": right, **dict.fromkeys(names, (sure, right))}


def ece(pairs: Sequence[confidence.Pair]) -> float:
    """Expected calibration error; better when lower."""
    return confidence.calibration(pairs)["ece"]


def ece_band_high(pairs: Sequence[confidence.Pair]) -> float:
    """Up to where the ECE of perfectly calibrated confidence goes at so many questions."""
    return confidence.calibration(pairs)["ece_band_high"]


def selective_accuracy(pairs: Sequence[confidence.Pair]) -> float:
    """Accuracy on the surest 80 %."""
    return confidence.selective_accuracy(pairs)["selective_accuracy"]


def selective_accuracy_low(pairs: Sequence[confidence.Pair]) -> float:
    """The lower end of its interval."""
    return confidence.selective_accuracy(pairs)["selective_accuracy_low"]


def selective_accuracy_high(pairs: Sequence[confidence.Pair]) -> float:
    """The upper end of its interval."""
    return confidence.selective_accuracy(pairs)["selective_accuracy_high"]


def _example(doc: Mapping[str, Any]) -> Example:
    return Example(doc["id"], doc["question"], tuple(doc["answers"]), AnswerKind(doc["kind"]))
