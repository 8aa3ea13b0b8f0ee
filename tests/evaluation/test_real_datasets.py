"""The real files: every row is an example, and their digests are those that are published."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from averment.evaluation.datasets import read_dataset
from averment.evaluation.examples import AnswerKind

FILES = {
    "qa_multihop/2wiki_dev_ctx_migres": "2wiki",
    "qa_multihop/2wiki_train_ctx_triples_migres": "2wiki",
    "qa_multihop/2wiki_qa_sds": "2wiki",
    "qa_multihop/hotpotqa_dev_ctx_migres": "hotpotqa",
    "qa_multihop/hotpotqa_train_ctx_hipporag": "hotpotqa",
    "qa_multihop/hotpotqa_ctx_meve": "hotpotqa",
    "qa_multihop/hotpotqa_dev_qa_react": "hotpotqa",
    "qa_multihop/musique_dev_ctx_migres": "musique",
    "qa_multihop/musique_train_ctx_hipporag": "musique",
    "qa_multihop/musique_qa_sds": "musique",
    "qa_multihop/bamboogle": "bamboogle",
    "qa_multihop/strategyqa_train": "strategyqa",
    "qa_multihop/strategyqa_dev": "strategyqa",
    "pubmedqa/pqal": "pubmedqa",
    "qa_short/popqa_gold_passages": "popqa",
    "qa_short/popqa_retrieved5": "popqa",
    "qa_short/popqa_test1000": "popqa",
    "qa_short/triviaqa_test1000": "triviaqa",
    "qa_short/nq_open.dev": "nq",
    "qa_short/nq_open.efficientqa.dev.1.1": "nq",
    "qa_short/nq_open_oracle_passages": "nq",
    "qa_short/simpleqa": "simpleqa",
    "qa_longform/clapnq_dev_answerable": "clapnq",
    "qa_longform/clapnq_dev_unanswerable": "clapnq",
    "qa_longform/clapnq_train_qa": "clapnq",
    "temporal/timeqa_human_train_easy": "timeqa",
    "temporal/timeqa_human_train_hard": "timeqa",
}

pytestmark = pytest.mark.data


def stated(shared_data: Path, file: str) -> tuple[int, str]:
    """Rows and SHA-256 as the list of the files says."""
    listing = (shared_data / "README.md").read_text(encoding="utf-8")
    section = listing.partition(f"### {file}.jsonl.gz\n")[2].partition("\n### ")[0]
    rows, digest = re.search(r"- rows: (\d+)", section), re.search(r"sha256: (\w+)", section)
    assert rows is not None
    assert digest is not None
    return int(rows[1]), digest[1]


@pytest.mark.parametrize(("file", "name"), FILES.items(), ids=FILES)
def test_every_row_of_a_file_is_an_example(shared_data: Path, file: str, name: str) -> None:
    found = read_dataset(name, shared_data / f"{file}.jsonl.gz")

    assert found.skipped == ()
    assert (len(found.examples), found.digest) == stated(shared_data, file)


@pytest.mark.parametrize(
    ("file", "n_pages", "n_questions"),
    [
        pytest.param("timeqa_human_annotated_train", 320, 1171, id="train"),
        pytest.param("timeqa_human_annotated_test", 257, 989, id="test"),
    ],
)
def test_every_question_of_an_annotated_page_is_an_example(
    shared_data: Path, file: str, n_pages: int, n_questions: int
) -> None:
    found = read_dataset("timeqa", shared_data / f"temporal/{file}.jsonl.gz")

    assert found.skipped == ()
    assert len(found.examples) == n_questions
    assert len({example.id.rpartition("#")[0] for example in found.examples}) == n_pages
    assert stated(shared_data, f"temporal/{file}") == (n_pages, found.digest)


@pytest.mark.parametrize(
    ("file", "name", "n_with_context"),
    [
        pytest.param("qa_multihop/2wiki_dev_ctx_migres", "2wiki", 110, id="2wiki"),
        pytest.param("qa_multihop/hotpotqa_dev_ctx_migres", "hotpotqa", 141, id="hotpotqa"),
        pytest.param("qa_multihop/hotpotqa_ctx_meve", "hotpotqa", 71, id="hotpotqa, columns"),
        pytest.param("qa_multihop/musique_dev_ctx_migres", "musique", 122, id="musique"),
    ],
)
def test_gold_passages_are_among_the_context(
    shared_data: Path, file: str, name: str, n_with_context: int
) -> None:
    examples = read_dataset(name, shared_data / f"{file}.jsonl.gz").examples

    with_context = [example for example in examples if example.context]

    assert len(with_context) == n_with_context
    assert all(
        example.gold_passages and set(example.gold_passages) <= set(example.context)
        for example in with_context
    )


@pytest.mark.parametrize(
    ("file", "name", "n_without_answer"),
    [
        pytest.param("qa_longform/clapnq_dev_unanswerable", "clapnq", 209, id="clapnq"),
        pytest.param("qa_longform/clapnq_dev_answerable", "clapnq", 0, id="clapnq, answerable"),
        pytest.param("temporal/timeqa_human_train_hard", "timeqa", 189, id="timeqa"),
    ],
)
def test_questions_without_an_answer_are_told_from_others(
    shared_data: Path, file: str, name: str, n_without_answer: int
) -> None:
    examples = read_dataset(name, shared_data / f"{file}.jsonl.gz").examples

    assert sum(not example.is_answerable for example in examples) == n_without_answer


def test_pubmedqa_has_three_answers(shared_data: Path) -> None:
    examples = read_dataset("pubmedqa", shared_data / "pubmedqa/pqal.jsonl.gz").examples

    answers = [example.answers for example in examples]

    assert {answer: answers.count(answer) for answer in answers} == {
        ("yes",): 552,
        ("no",): 338,
        ("maybe",): 110,
    }
    assert {example.kind for example in examples} == {AnswerKind.YES_NO_MAYBE}
