from __future__ import annotations

import sys
from pathlib import Path

import pytest

from averment.errors import CapabilityError, ContextOverflow, MissingExtraError, ModelFileError
from averment.models.llama_cpp import open_llama_cpp
from averment.models.transformers_lm import TransformersLM, open_transformers
from averment.types import Capability, GenerationOptions, Prompt, Token
from contracts.model_contract import LanguageModelContract, assert_best_others
from contracts.scoring_contract import ScoringModelContract

QUESTION = Prompt("Question: What is the capital of France?\nAnswer:")


@pytest.fixture(scope="module")
def model(model_path: Path) -> TransformersLM:
    """Loaded once: expanding the weights takes most of a minute."""
    for module in ("accelerate", "gguf", "torch", "transformers"):
        pytest.importorskip(module, reason="the extra [transformers] is not installed")
    return open_transformers(model_path, name="0.5b", n_ctx=256, n_threads=1)


@pytest.mark.model
class TestScoringByTransformers(ScoringModelContract):
    pass


@pytest.mark.model
class TestWritingByTransformers(LanguageModelContract):
    pass


def test_without_torch_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)

    with pytest.raises(MissingExtraError, match="transformers"):
        open_transformers(tmp_path, name="any")


def test_a_model_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="no model"):
        open_transformers(tmp_path / "absent.gguf", name="absent")


@pytest.mark.parametrize("name", ["some.gguf", "folder"])
def test_what_is_no_model_is_refused(tmp_path: Path, name: str) -> None:
    for module in ("accelerate", "gguf", "torch", "transformers"):
        pytest.importorskip(module, reason="the extra [transformers] is not installed")
    path = tmp_path / name
    if path.suffix:
        path.write_bytes(b"<html>")
    else:
        path.mkdir()

    with pytest.raises(ModelFileError, match="cannot be loaded"):
        open_transformers(path, name="some")


@pytest.mark.model
def test_info_says_what_can_be_asked(model: TransformersLM) -> None:
    assert model.info.capabilities == frozenset(Capability) - {Capability.GRAMMAR}


@pytest.mark.model
def test_a_grammar_is_refused_rather_than_ignored(model: TransformersLM) -> None:
    with pytest.raises(CapabilityError, match="grammar"):
        model.generate([QUESTION], GenerationOptions(grammar='root ::= "a"'))


@pytest.mark.model
def test_generated_text_is_scored_as_it_was_generated(model: TransformersLM) -> None:
    (written,) = model.generate([QUESTION], GenerationOptions(max_tokens=6))

    (scored,) = model.score([(QUESTION, written.text)])

    assert [token.text for token in scored] == [token.text for token in written.tokens]
    assert [token.logprob for token in scored] == pytest.approx(
        [token.logprob for token in written.tokens], abs=1e-3
    )


@pytest.mark.model
def test_alternatives_are_the_best_other_tokens(model: TransformersLM) -> None:
    options = GenerationOptions(max_tokens=2, n_alternatives=3)

    (written,) = model.generate([QUESTION], options)

    assert_best_others(written, 3)


@pytest.mark.model
def test_samples_are_repeatable_and_differ(model: TransformersLM) -> None:
    options = GenerationOptions(max_tokens=4, temperature=1.5, seed=3)

    (first,), (second,) = (model.sample([QUESTION], 3, options) for _ in range(2))

    assert first == second
    assert len({sample.text for sample in first}) > 1


@pytest.mark.model
def test_a_character_of_several_tokens_stays_whole(model: TransformersLM) -> None:
    prompt = Prompt("Line: a 🦄 b.\nCopy: a 🦄 b.\nLine: c 🐙 d.\nCopy: c")

    (written,) = model.generate([prompt], GenerationOptions(max_tokens=12, stop=("\n",)))

    assert written.text == " 🐙 d."
    assert "".join(token.text for token in written.tokens) == written.text


@pytest.mark.model
def test_what_does_not_fit_overflows(model: TransformersLM) -> None:
    too_long = Prompt("word " * 300)

    with pytest.raises(ContextOverflow, match="holds 256"):
        model.score([(too_long, " a")])
    with pytest.raises(ContextOverflow, match="holds 256"):
        model.generate([too_long], GenerationOptions())


@pytest.mark.model
def test_torch_and_llama_cpp_agree_on_tokens_and_nearly_on_numbers(
    model: TransformersLM, model_path: Path
) -> None:
    pair = (QUESTION, " The capital of France is Paris, on the river Seine.")

    (ours,) = model.score([pair])
    with open_llama_cpp(model_path, name="0.5b", n_ctx=256, n_threads=1, n_parallel=1) as runtime:
        (theirs,) = runtime.score([pair])

    assert texts(ours) == texts(theirs)
    assert [token.logprob for token in ours] == pytest.approx(
        [token.logprob for token in theirs], abs=0.3
    )


def texts(tokens: list[Token]) -> list[str]:
    return [token.text for token in tokens]
