"""Responses with marked spans."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from averment.errors import DatasetError
from averment.evaluation.dataset_ragtruth import (
    MarkedResponse,
    MarkedResponses,
    UnsupportedSpan,
    read_ragtruth,
)
from evaluation.dataset_records import Record, lines, write

SOURCES: list[Record] = [
    {
        "source_id": "1",
        "task_type": "QA",
        "source": "x",
        "source_info": {"question": "Who founded Tarn?", "passages": "passage 1:Ada did.\n\n"},
        "prompt": "p",
    },
    {"source_id": "2", "task_type": "Summary", "source": "x", "source_info": "Tarn is old."},
    {"source_id": "3", "task_type": "Data2txt", "source_info": {"name": "Tårn", "age": None}},
]
LABEL: Record = {
    "start": 8,
    "end": 12,
    "text": "1702",
    "label_type": "Evident Baseless Info",
    "implicit_true": True,
    "due_to_null": False,
}
RESPONSE: Record = {
    "id": "r1",
    "source_id": "1",
    "model": "m",
    "temperature": 0.7,
    "labels": [LABEL],
    "split": "test",
    "quality": "good",
    "response": "Ada, in 1702.\n",
}


def read(folder: Path, *responses: Mapping[str, object]) -> MarkedResponses:
    write(folder / "source_info.jsonl", lines(SOURCES))
    write(folder / "response.jsonl", lines(responses))
    return read_ragtruth(folder)


def test_a_response_has_its_source_its_question_and_its_spans(tmp_path: Path) -> None:
    (found,) = read(tmp_path, RESPONSE).responses

    assert found == MarkedResponse(
        id="r1",
        source_id="1",
        task="QA",
        question="Who founded Tarn?",
        source="passage 1:Ada did.",
        response="Ada, in 1702.\n",
        spans=(UnsupportedSpan(8, 12, "Evident Baseless Info", is_true_anyway=True),),
        model="m",
        split="test",
        quality="good",
    )
    assert found.response[8:12] == "1702"


@pytest.mark.parametrize(
    ("source_id", "task", "source"),
    [
        pytest.param("2", "Summary", "Tarn is old.", id="summary"),
        pytest.param("3", "Data2txt", '{"name": "Tårn", "age": null}', id="structured data"),
    ],
)
def test_a_source_is_a_text(tmp_path: Path, source_id: str, task: str, source: str) -> None:
    record = {**RESPONSE, "source_id": source_id, "labels": []}

    (found,) = read(tmp_path, record).responses

    assert (found.task, found.question, found.source, found.spans) == (task, "", source, ())


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param({"source_id": "9"}, "no source has the id '9'", id="source"),
        pytest.param({"labels": "none"}, "'labels' is no list but str", id="labels"),
        pytest.param({"labels": [1]}, "'labels' holds something else than objects", id="label"),
        pytest.param(
            {"labels": [{**LABEL, "end": 99}]},
            "a span from 8 to 99 in a response of 14 characters",
            id="outside",
        ),
        pytest.param(
            {"labels": [{**LABEL, "start": 9}]},
            "the span from 9 to 12 has another text than its label",
            id="shifted",
        ),
        pytest.param({"response": ""}, "'response' is empty", id="no response"),
        pytest.param({"id": "r1"}, "the id 'r1' was there before", id="twice"),
    ],
)
def test_what_cannot_be_used_is_told_and_left_out(
    tmp_path: Path, changes: Record, reason: str
) -> None:
    found = read(tmp_path, RESPONSE, {**RESPONSE, "id": "r2", **changes})

    assert [response.id for response in found.responses] == ["r1"]
    assert [str(skipped) for skipped in found.skipped] == [f"response.jsonl:2: {reason}"]


def test_a_source_that_cannot_be_used_is_told_and_its_responses_are_left_out(
    tmp_path: Path,
) -> None:
    listed = {"source_id": "4", "task_type": "Summary", "source_info": ["Tarn"]}
    write(tmp_path / "source_info.jsonl", lines([*SOURCES, listed]) + "{\n")
    write(tmp_path / "response.jsonl", lines([RESPONSE, {**RESPONSE, "source_id": "4"}]))

    found = read_ragtruth(tmp_path)

    assert [str(skipped).partition(" at ")[0] for skipped in found.skipped] == [
        "source_info.jsonl:4: 'source_info' is neither text nor object but list",
        "source_info.jsonl:5: invalid JSON: Expecting property name enclosed in double quotes",
        "response.jsonl:2: no source has the id '4'",
    ]


def test_files_of_which_nothing_can_be_used_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="none of 1 records can be read as RAGTruth"):
        read(tmp_path, {"id": "r1"})
