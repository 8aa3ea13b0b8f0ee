from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from averment.errors import ContextOverflow, MissingExtraError, ModelFileError
from averment.models.llama_cpp import open_llama_cpp
from averment.models.llama_cpp_python import LlamaCppPython, open_llama_cpp_python
from averment.types import Capability, GenerationOptions, Prompt
from contracts.scoring_contract import ScoringModelContract

QUESTION = Prompt("Question: What is the capital of France?\nAnswer:")
MISSING = "the extra [rescore] is not installed"


@pytest.fixture(scope="module")
def model(model_path: Path) -> Iterator[LlamaCppPython]:
    pytest.importorskip("llama_cpp", reason=MISSING)
    with open_llama_cpp_python(model_path, name="0.5b", n_ctx=1024, n_threads=1) as opened:
        yield opened


@pytest.mark.model
class TestScoringInOnePass(ScoringModelContract):
    pass


def test_without_the_runtime_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)

    with pytest.raises(MissingExtraError, match="rescore"):
        open_llama_cpp_python(tmp_path / "any.gguf", name="any")


@pytest.mark.parametrize("content", [None, b"<html>"], ids=["no file", "another format"])
def test_what_is_no_model_file_is_refused(tmp_path: Path, content: bytes | None) -> None:
    pytest.importorskip("llama_cpp", reason=MISSING)
    path = tmp_path / "some.gguf"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(ModelFileError, match="cannot be loaded"):
        open_llama_cpp_python(path, name="some")


@pytest.mark.model
def test_it_scores_and_does_nothing_else(model: LlamaCppPython, model_path: Path) -> None:
    assert model.info.source == str(model_path)
    assert model.info.capabilities == {Capability.SCORING}


@pytest.mark.model
def test_scores_do_not_depend_on_what_was_scored_before(model: LlamaCppPython) -> None:
    first = model.score([(QUESTION, " Paris is.")])

    model.score([(Prompt("Some words:"), " a b c")])

    assert model.score([(QUESTION, " Paris is.")]) == first


@pytest.mark.model
def test_a_text_of_several_steps_is_scored_as_one(model: LlamaCppPython) -> None:
    long = Prompt("word " * 520)

    (scored,) = model.score([(long, " word" * 300)])

    assert len(scored) == 300
    assert all(token.logprob is not None and token.logprob > -9 for token in scored)


@pytest.mark.model
def test_what_does_not_fit_overflows(model: LlamaCppPython) -> None:
    with pytest.raises(ContextOverflow, match="holds 1024"):
        model.score([(Prompt("word " * 1100), " a")])


@pytest.mark.model
def test_a_closed_model_says_so(model_path: Path) -> None:
    pytest.importorskip("llama_cpp", reason=MISSING)
    opened = open_llama_cpp_python(model_path, name="0.5b", n_ctx=64)
    opened.close()

    opened.close()
    with pytest.raises(ValueError, match="closed"):
        opened.score([(QUESTION, " a")])


@pytest.mark.model
def test_what_the_default_runtime_wrote_is_scored_as_it_was_written(
    model: LlamaCppPython, model_path: Path
) -> None:
    with open_llama_cpp(model_path, name="0.5b", n_ctx=256, n_threads=1, n_parallel=1) as runtime:
        (written,) = runtime.generate([QUESTION], GenerationOptions(max_tokens=12))

    (scored,) = model.score([(QUESTION, written.text)])

    assert [token.text for token in scored] == [token.text for token in written.tokens]
    assert [token.logprob for token in scored] == pytest.approx(
        [token.logprob for token in written.tokens], abs=0.3
    )
