from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from averment.errors import ContextOverflow, MissingExtraError, ModelFileError, UsageError
from averment.models.llama_cpp import LlamaCpp, open_llama_cpp
from averment.ports import ScoringModel
from averment.types import Capability, GenerationOptions, Prompt
from contracts.model_contract import assert_best_others

QUESTION = Prompt("Question: What is the capital of France?\nAnswer:")
TOO_LONG = Prompt("word " * 600)


@pytest.fixture(scope="module")
def model(model_path: Path) -> Iterator[LlamaCpp]:
    with open_llama_cpp(model_path, name="0.5b", n_ctx=512, n_threads=1, n_parallel=2) as opened:
        yield opened


def total(model: LlamaCpp, text: str) -> float:
    (tokens,) = model.score([(QUESTION, text)])
    return sum(token.logprob or 0.0 for token in tokens)


def test_without_the_runtime_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)

    with pytest.raises(MissingExtraError, match="local"):
        open_llama_cpp(tmp_path / "any.gguf", name="any")


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot be read"), (b"<html>", "starts with b'<htm'"), (b"", "starts with b''")],
    ids=["no file", "another format", "empty"],
)
def test_what_is_no_model_file_is_refused(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "some.gguf"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(ModelFileError, match=message):
        open_llama_cpp(path, name="some")


@pytest.mark.model
@pytest.mark.parametrize("n_bytes", [2_000, 20_000_000], ids=["in its header", "in its weights"])
def test_a_truncated_file_cannot_be_loaded(model_path: Path, tmp_path: Path, n_bytes: int) -> None:
    path = tmp_path / "truncated.gguf"
    with model_path.open("rb") as whole:
        path.write_bytes(whole.read(n_bytes))

    with pytest.raises(ModelFileError, match="cannot be loaded"):
        open_llama_cpp(path, name="truncated")


@pytest.mark.model
def test_info_names_the_file_and_what_can_be_asked(model: LlamaCpp, model_path: Path) -> None:
    assert model.info.source == str(model_path)
    assert model.info.capabilities == frozenset(
        map(Capability, ("logprobs", "samples", "grammar", "scoring"))
    )
    assert isinstance(model, ScoringModel)


@pytest.mark.model
def test_the_beginning_that_was_read_before_is_not_read_again(model: LlamaCpp) -> None:
    shots = "Line: a.\nCopy: a.\n" * 20
    options = GenerationOptions(max_tokens=1)

    prompts = [Prompt(shots + f"Line: {letter}.\nCopy:") for letter in "xyz"]
    first, _, last = (model.generate([prompt], options)[0].usage for prompt in prompts)

    assert first.prompt_tokens == last.prompt_tokens
    assert last.prompt_tokens - last.cached_tokens <= 8


@pytest.mark.model
def test_a_character_of_several_tokens_stays_whole(model: LlamaCpp) -> None:
    prompt = Prompt("Line: a 🦄 b.\nCopy: a 🦄 b.\nLine: c 🐙 d.\nCopy: c")

    (written,) = model.generate([prompt], GenerationOptions(max_tokens=12, stop=("\n",)))

    assert written.text == " 🐙 d."
    assert "".join(token.text for token in written.tokens) == written.text
    assert all(token.logprob is not None for token in written.tokens)


@pytest.mark.model
def test_alternatives_are_the_best_other_tokens(model: LlamaCpp) -> None:
    options = GenerationOptions(max_tokens=3, n_alternatives=3)

    (written,) = model.generate([QUESTION], options)

    assert_best_others(written, 3)


@pytest.mark.model
def test_a_grammar_is_obeyed(model: LlamaCpp) -> None:
    options = GenerationOptions(max_tokens=8, grammar='root ::= " [" [a-z]+ "]"')

    (written,) = model.generate([QUESTION], options)

    assert written.text.startswith(" [")


@pytest.mark.model
def test_a_grammar_that_cannot_be_parsed_is_refused(model: LlamaCpp) -> None:
    with pytest.raises(UsageError, match="grammar"):
        model.generate([QUESTION], GenerationOptions(grammar='root ::= "'))


@pytest.mark.model
def test_a_prompt_longer_than_the_context_overflows(model: LlamaCpp) -> None:
    with pytest.raises(ContextOverflow, match="601 tokens"):
        model.generate([TOO_LONG], GenerationOptions())


@pytest.mark.model
def test_prompts_that_fit_alone_fit_together(model: LlamaCpp) -> None:
    prompts = [Prompt(f"{letter} " * 300) for letter in "ab"]

    written = model.generate(prompts, GenerationOptions(max_tokens=1))

    assert [each.usage.prompt_tokens for each in written] == [301, 301]


@pytest.mark.model
def test_samples_are_the_same_after_other_calls(model: LlamaCpp) -> None:
    options = GenerationOptions(max_tokens=6, temperature=1.0, seed=3)
    first = model.sample([QUESTION], 3, options)

    model.generate([Prompt(QUESTION.text + " Paris is")], GenerationOptions(max_tokens=2))
    second = model.sample([QUESTION], 3, options)

    assert [each.text for each in first[0]] == [each.text for each in second[0]]
    assert len({each.text for each in first[0]}) > 1


@pytest.mark.model
def test_likely_text_scores_above_unlikely_text(model: LlamaCpp) -> None:
    assert total(model, " Paris") > total(model, " Tulip") + 5


@pytest.mark.model
def test_generated_text_is_scored_as_it_was_generated(model: LlamaCpp) -> None:
    (written,) = model.generate([QUESTION], GenerationOptions(max_tokens=6))

    (scored,) = model.score([(QUESTION, written.text)])

    assert [token.text for token in scored] == [token.text for token in written.tokens]
    assert [token.logprob for token in scored] == pytest.approx(
        [token.logprob for token in written.tokens], abs=0.1
    )


@pytest.mark.model
def test_scored_tokens_join_to_the_continuation(model: LlamaCpp) -> None:
    (scored,) = model.score([(QUESTION, " Żółw 🦄.")])

    assert "".join(token.text for token in scored) == " Żółw 🦄."


@pytest.mark.model
def test_a_continuation_that_does_not_fit_overflows(model: LlamaCpp) -> None:
    with pytest.raises(ContextOverflow):
        model.score([(TOO_LONG, " a")])


def interrupt_after(seconds: float) -> threading.Timer:
    """Ctrl-C for the main thread, at another moment than it is waited for."""
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(seconds, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    return timer


@pytest.mark.model
def test_an_interrupt_ends_what_is_being_written(model: LlamaCpp) -> None:
    (before,) = model.generate([QUESTION], GenerationOptions(max_tokens=2))
    timer = interrupt_after(0.3)

    with pytest.raises(KeyboardInterrupt):
        model.generate([QUESTION], GenerationOptions(max_tokens=400))

    timer.join()
    assert model.generate([QUESTION], GenerationOptions(max_tokens=2))[0].text == before.text


@pytest.mark.model
def test_an_interrupted_load_closes_the_runtime_once_it_has_answered(
    model_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    xllamacpp = pytest.importorskip("xllamacpp")
    real = xllamacpp.Server
    answered = []

    class Interrupted:
        """The runtime, with a Ctrl-C as soon as it is made: closed now, it may wait for ever."""

        def __init__(self, parameters: object) -> None:
            self._server = real(parameters)
            interrupt_after(0).join()

        def handle_completions(self, request: object) -> object:
            reply = self._server.handle_completions(request)
            answered.append(reply)
            return reply

    monkeypatch.setattr(xllamacpp, "Server", Interrupted)

    with pytest.raises(KeyboardInterrupt):
        open_llama_cpp(model_path, name="0.5b", n_ctx=64, n_threads=1, n_parallel=1)

    assert len(answered) == 1


@pytest.mark.model
def test_a_closed_model_says_so(model_path: Path) -> None:
    opened = open_llama_cpp(model_path, name="0.5b", n_ctx=64, n_parallel=1)
    opened.close()

    with pytest.raises(ValueError, match="closed"):
        opened.generate([QUESTION], GenerationOptions())
