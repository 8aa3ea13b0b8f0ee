"""Answers that another system gave, as rows: graded like ours, with nothing made up beside.

A file holds one JSON object a line with ``id`` and ``answer``. An answer that is null is an
abstention. Questions without an answer have no row, so that two systems are compared on what both
answered. This module refuses a file of which a line cannot be read: who gave the answers can mend
it, and a line that was passed over would change a grade.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import metadata

from averment.errors import DatasetError
from averment.evaluation.correctness import grade
from averment.evaluation.examples import Dataset, Example
from averment.evaluation.rows import Row

_EXPECTED = 'Each line is an object: {"id": "…", "answer": "…"}, or null for an abstention.'


def read_answers(lines: Sequence[str], *, source: str) -> Mapping[str, str | None]:
    """The answers by question id.

    Args:
        lines: Of the file; blank ones are passed over.
        source: Its name, for messages.

    Raises:
        DatasetError: A line is something else, an id comes twice, or there is no answer.
    """
    answers: dict[str, str | None] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{source}:{number}"
        name, answer = _answer(line, where)
        if name in answers:
            raise DatasetError(f"{where}: the id {name!r} was there before.", hint=_EXPECTED)
        answers[name] = answer
    if not answers:
        raise DatasetError(f"{source} holds no answer.", hint=_EXPECTED)
    return answers


def graded_rows(
    answers: Mapping[str, str | None], dataset: Dataset, *, system: str
) -> tuple[list[Row], list[str]]:
    """The rows of the answers in the order of the questions, and the ids that no question has.

    Raises:
        DatasetError: No question has one of the ids.
    """
    rows = [
        _row(answers[example.id], example, dataset, system)
        for example in dataset.examples
        if example.id in answers
    ]
    if not rows:
        raise DatasetError(
            f"None of {len(answers)} answers is to a question of the file.",
            hint=f"Its ids are like {dataset.examples[0].id!r}.",
        )
    known = {example.id for example in dataset.examples}
    return rows, [name for name in answers if name not in known]


def _answer(line: str, where: str) -> tuple[str, str | None]:
    try:
        found = json.loads(line)
        name, answer = found["id"], found["answer"]
    except (KeyError, TypeError, ValueError) as error:
        raise DatasetError(f"{where} is no answer: {error!r}.", hint=_EXPECTED) from error
    if not isinstance(answer, str | None) or isinstance(name, bool | None):
        raise DatasetError(f"{where}: found id {name!r}, answer {answer!r}.", hint=_EXPECTED)
    return str(name), answer


def _row(answer: str | None, example: Example, dataset: Dataset, system: str) -> Row:
    return Row(
        set=dataset.name,
        id=example.id,
        question=example.question,
        gold=example.answers,
        policy=system,
        settings=system,
        model=system,
        prediction=answer or "",
        draft=answer or "",
        verdict="abstained" if answer is None else "answered",
        grades=grade(answer or "", example),
        averment=metadata.version("averment"),
        data=dataset.digest,
    )
