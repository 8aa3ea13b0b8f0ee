"""A data set as a whole: names, skipped records, further spellings, what there is to know of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from averment.errors import DatasetError, UnknownNameError, UsageError
from averment.evaluation.datasets import DATASETS, Holds, read_dataset
from averment.evaluation.examples import SkippedRecord
from conftest import REPOSITORY
from evaluation.dataset_records import HOTPOT, NQ, ONE_OF_EACH, TIME_PAGE, lines, write

NAMED = (
    "2wiki hotpotqa musique bamboogle strategyqa pubmedqa popqa triviaqa nq simpleqa clapnq timeqa "
    "ragtruth beir"
).split()


def test_the_data_sets_are_listed_by_name() -> None:
    assert list(DATASETS) == NAMED
    assert all(spec.name == name for name, spec in DATASETS.items())
    assert all(spec.title and spec.expects and spec.source for spec in DATASETS.values())


@pytest.mark.parametrize("name", NAMED)
def test_what_holds_questions_can_be_read_as_such_and_nothing_else_can(name: str) -> None:
    spec = DATASETS[name]

    assert (spec.read is not None) == (spec.holds is Holds.QUESTIONS)


@pytest.mark.parametrize("name", sorted(ONE_OF_EACH))
def test_a_file_becomes_its_examples(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "set.jsonl.gz", lines([ONE_OF_EACH[name]]))

    found = read_dataset(name, path)

    assert (found.name, len(found.examples), found.skipped) == (name, 1, ())
    assert found.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.aliases_digest == ""


def test_what_cannot_be_used_is_told_with_its_line_and_left_out(tmp_path: Path) -> None:
    unanswered = {"_id": "h2", "question": "Who?"}
    text = lines([HOTPOT, unanswered]) + "{\n" + lines([{**HOTPOT, "_id": "h3"}])

    found = read_dataset("hotpotqa", write(tmp_path / "dev.jsonl", text))

    assert [example.id for example in found.examples] == ["h1", "h3"]
    assert [str(skipped) for skipped in found.skipped] == [
        "dev.jsonl:2: no field 'golden_answers' or 'answers' or 'answer' or 'Answer' "
        "(found: _id, question)",
        "dev.jsonl:3: invalid JSON: Expecting property name enclosed in double quotes "
        "at line 1, column 2",
    ]


def test_of_two_records_with_one_id_the_first_counts(tmp_path: Path) -> None:
    again = {**HOTPOT, "answer": "Ulve"}

    found = read_dataset("hotpotqa", write(tmp_path / "dev.json", json.dumps([HOTPOT, again])))

    assert [example.answers for example in found.examples] == [("Tarn",)]
    assert found.skipped == (SkippedRecord("dev.json", 2, "the id 'h1' was there before"),)


def test_a_question_that_comes_twice_without_an_id_counts_once(tmp_path: Path) -> None:
    found = read_dataset("nq", write(tmp_path / "nq.jsonl", lines([NQ, NQ])))

    assert (len(found.examples), len(found.skipped)) == (1, 1)


def test_a_page_with_several_questions_loses_only_those_that_cannot_be_used(
    tmp_path: Path,
) -> None:
    questions = [*TIME_PAGE["questions"], "who?"]  # type: ignore[misc]
    page = {**TIME_PAGE, "questions": questions}

    found = read_dataset("timeqa", write(tmp_path / "pages.jsonl", lines([page])))

    assert [example.id[-2:] for example in found.examples] == ["#0", "#1"]
    assert [(skipped.line, skipped.reason[:19]) for skipped in found.skipped] == [
        (1, "no field 'question'")
    ]


def test_a_file_of_which_nothing_can_be_used_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "test.jsonl", lines([{"_id": "h1", "question": "Who?"}]))

    with pytest.raises(DatasetError) as caught:
        read_dataset("hotpotqa", path)

    assert "none of 1 records can be read as HotpotQA. The first: line 1: no field" in str(
        caught.value
    )
    assert caught.value.hint.endswith("A test split may have no gold answers.")


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="none of 0 records"):
        read_dataset("nq", write(tmp_path / "nq.jsonl", "\n"))


def test_an_unknown_name_lists_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean hotpotqa"):
        read_dataset("hotpot", Path("dev.json"))


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        pytest.param("beir", "read_beir", id="beir"),
        pytest.param("ragtruth", "read_ragtruth", id="ragtruth"),
    ],
)
def test_a_set_without_gold_answers_names_its_own_reader(name: str, reader: str) -> None:
    with pytest.raises(UsageError, match=reader):
        read_dataset(name, Path("folder"))


# --- further spellings --------------------------------------------------------------------------


def alias_file(folder: Path, *records: Mapping[str, object]) -> Path:
    return write(folder / "id_aliases.json", lines(records))


def test_further_spellings_are_added_by_the_id_of_the_answer(tmp_path: Path) -> None:
    records = [{**HOTPOT, "answer_id": "Q1"}, {**HOTPOT, "_id": "h2", "answer_id": "Q2"}]
    path = write(tmp_path / "dev.json", json.dumps(records))
    aliases = alias_file(
        tmp_path, {"Q_id": "Q1", "aliases": ["Port of Tarn", "Tarn", ""], "demonyms": ["Tarner"]}
    )

    found = read_dataset("2wiki", path, aliases=aliases)

    assert [example.answers for example in found.examples] == [("Tarn", "Port of Tarn"), ("Tarn",)]
    assert found.aliases_digest == hashlib.sha256(aliases.read_bytes()).hexdigest()
    assert found.skipped == ()


def test_a_spelling_that_cannot_be_used_is_told_with_its_file(tmp_path: Path) -> None:
    path = write(tmp_path / "dev.jsonl", lines([{**HOTPOT, "answer_id": "Q1"}]))
    aliases = alias_file(tmp_path, {"aliases": ["Tarner"]}, {"Q_id": "Q1", "aliases": None})

    found = read_dataset("2wiki", path, aliases=aliases)

    assert [str(skipped) for skipped in found.skipped] == [
        "id_aliases.json:1: no field 'Q_id' (found: aliases)"
    ]
    assert found.examples[0].answers == ("Tarn",)


# --- what is said of them -----------------------------------------------------------------------


def test_the_page_of_data_sets_lists_them_all_and_their_files_on_the_hub() -> None:
    page = (REPOSITORY / "docs" / "reference" / "data-sets.md").read_text(encoding="utf-8")

    listed = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]

    assert listed[: len(NAMED)] == NAMED
    for name, spec in DATASETS.items():
        on_the_hub = f"| `{name}` | {spec.hub.repository}, {spec.hub.path} |" if spec.hub else ""
        assert on_the_hub in page
