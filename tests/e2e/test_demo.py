"""The demo: its corpus can play every role, whichever way the model answers."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

from averment.claims.rules import RulesExtractor
from averment.cli.app import run
from averment.cli.demo import ROLES, questions
from averment.corpus.readers import read_documents
from averment.index.embedded import EmbeddedIndex
from averment.text import TextForm
from averment.wiring import build_index, open_index

DEMO = resources.files("averment") / "demo"
ROWS = json.loads((DEMO / "questions.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> EmbeddedIndex:
    """The index of the bundled corpus."""
    bad: list[object] = []
    path = tmp_path_factory.mktemp("demo") / "idx"
    build_index(read_documents([Path(str(DEMO / "articles.jsonl"))], on_bad=bad.append), path)
    assert bad == []
    return open_index(path)


def _names(question: str) -> list[str]:
    (found,) = RulesExtractor().entities([question])
    return [entity.text for entity in found if entity.kind not in ("date", "number")]


def _rarest(index: EmbeddedIndex, question: str) -> int:
    return min(count.documents or 0 for count in index.count(_names(question)))


def _rows(role: str) -> list[pytest.param]:  # type: ignore[valid-type]
    return [pytest.param(row, id=row["question"]) for row in ROWS if row["role"] == role]


def test_every_role_has_a_question_and_at_least_three_spares() -> None:
    assert all(len(questions(role.name)) >= 4 for role in ROLES)


def test_the_corpus_has_about_150_short_articles() -> None:
    lines = (DEMO / "articles.jsonl").read_text(encoding="utf-8").splitlines()
    articles = [json.loads(line) for line in lines]
    words = [len(TextForm().words(article["text"])) for article in articles]

    assert 140 <= len(articles) <= 220
    assert min(words) >= 50
    assert max(words) <= 140


@pytest.mark.parametrize("row", _rows("common"))
def test_common_questions_need_no_retrieval_and_their_answer_is_there(
    index: EmbeddedIndex, row: dict[str, list[str]]
) -> None:
    threshold = index.info.entity_threshold_documents or 0
    (name, *_) = _names(str(row["question"]))
    (pair,) = index.cooccurrence([(name, row["answer"][0])], window_words=1000)

    assert _rarest(index, str(row["question"])) >= threshold
    assert pair.exists


@pytest.mark.parametrize("row", _rows("rare"))
def test_rare_questions_name_something_below_the_threshold(
    index: EmbeddedIndex, row: dict[str, list[str]]
) -> None:
    assert 0 < _rarest(index, str(row["question"])) < (index.info.entity_threshold_documents or 0)


@pytest.mark.parametrize("row", _rows("repair"))
def test_repair_questions_are_not_looked_up_first_and_their_answer_is_there(
    index: EmbeddedIndex, row: dict[str, list[str]]
) -> None:
    threshold = index.info.entity_threshold_documents or 0
    (name, *_) = _names(str(row["question"]))
    pairs = [(name, answer) for answer in row["answer"]]

    assert _rarest(index, str(row["question"])) >= threshold
    assert any(index.exists(pairs, window_words=1000))


def test_unknown_questions_have_no_answer() -> None:
    assert all(row["answer"] == [] for row in ROWS if row["role"] == "unknown")


@pytest.mark.model
def test_the_demo_runs_a_real_model_and_checks_what_it_repairs(
    model_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "demo.html"

    assert (
        run(["demo", "--model", str(model_path), "--offline", "--json", "--html", str(page)]) == 0
    )
    shown = json.loads(capsys.readouterr().out)["roles"]

    assert [row["role"] for row in shown] == [role.name for role in ROLES]
    assert all(row["usage"]["model_calls"] > 0 for row in shown)
    assert all(row["verdict"] in ("answered", "warned", "abstained") for row in shown)
    # A committed claim was checked: its pairs carry counts, whatever the model wrote.
    checked = [claim for row in shown for claim in row["claims"] if claim["triplets"]]
    assert checked
    assert all(claim["counts"]["pairs"] for claim in checked)
    assert page.read_text(encoding="utf-8").count("<article ") == len(ROLES)
