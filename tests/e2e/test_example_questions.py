"""The example questions get the same answers, whichever engine counts."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

import averment
from averment.cli.demo import ROLES, questions
from averment.corpus.passages import cut_passages
from averment.corpus.readers import read_documents
from averment.index.build import IndexWriter
from averment.index.engines import COMPILED, REFERENCE
from averment.models.cache import cached
from averment.models.llama_cpp import open_llama_cpp
from averment.ports import LanguageModel
from averment.retrieval.bm25 import build_bm25
from contracts.disk import disk_without_fsync  # noqa: F401
from contracts.index_engines import WITHOUT_CORE

ARTICLES = Path(str(resources.files("averment") / "demo" / "articles.jsonl"))


def answers(path: Path, engine: str, model: LanguageModel) -> list[tuple[object, ...]]:
    """Of the first question of every role, over the bundled corpus."""
    with IndexWriter(path, engine=engine) as writer:
        for document in read_documents([ARTICLES], on_bad=lambda bad: pytest.fail(str(bad))):
            writer.add(document, cut_passages(document))
        build_bm25(writer.passages(), writer.extra_directory("bm25"))
        writer.publish()
    with averment.open_engine(index=path, model=model) as opened:
        found = [opened.ask(questions(role.name)[0]) for role in ROLES]
    return [(answer.text, answer.verdict, answer.reason, answer.claims) for answer in found]


@pytest.mark.model
@WITHOUT_CORE
def test_both_engines_lead_to_the_same_answers(tmp_path: Path, model_path: Path) -> None:
    # A prompt that both engines lead to is completed once: what differs is then the engines' doing.
    with open_llama_cpp(model_path, name="small") as opened:
        model = cached(opened, identity="small", directory=tmp_path / "calls")
        compiled = answers(tmp_path / "compiled", COMPILED, model)
        reference = answers(tmp_path / "reference", REFERENCE, model)

    assert compiled == reference
    assert len(compiled) == len(ROLES)
