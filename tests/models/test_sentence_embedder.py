from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from averment.errors import MissingExtraError, ModelFileError, UsageError
from averment.models.sentence_embedder import MOST_TOKENS, open_sentence_embedder
from models.tiny_embedder import SPECIAL_LENGTH, write_tiny_embedder
from models.tiny_nli import SPECIAL

WORDS = "dog cat mill".split()
DOG, CAT, MILL = range(len(SPECIAL), len(SPECIAL) + 3)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_tiny_embedder(tmp_path / "tiny", WORDS)


# --- embedding ----------------------------------------------------------------------------------


def test_a_text_is_the_mean_of_its_states_at_length_one(directory: Path) -> None:
    [vector] = open_sentence_embedder(directory).embed(["Dog cat dog"])

    expected = np.zeros(len(SPECIAL) + 3)
    expected[[DOG, CAT]] = 2, 1
    expected[[SPECIAL.index("[CLS]"), SPECIAL.index("[SEP]")]] = SPECIAL_LENGTH
    assert vector == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)


def test_vectors_come_in_the_order_of_the_texts(directory: Path) -> None:
    embedder = open_sentence_embedder(directory)

    vectors = embedder.embed(["mill", "dog dog cat", "cat"])

    assert vectors.dtype == np.float32
    assert vectors.argmax(axis=1).tolist() == [MILL, DOG, CAT]


def test_a_text_has_the_same_vector_alone_and_in_company(tmp_path: Path) -> None:
    embedder = open_sentence_embedder(write_tiny_embedder(tmp_path, WORDS, minds_company=True))

    together = embedder.embed(["dog", "a cat and a mill and a dog", "cat"])

    assert np.array_equal(together[[0]], embedder.embed(["dog"]))


def test_what_comes_after_the_last_token_that_is_read_changes_nothing(directory: Path) -> None:
    embedder = open_sentence_embedder(directory)
    fitting = "dog " * (MOST_TOKENS - 2)

    long, cut = embedder.embed([fitting + "mill " * 50, fitting])

    assert np.array_equal(long, cut)


def test_padding_and_truncation_that_the_file_asks_for_are_not_done(directory: Path) -> None:
    from tokenizers import Tokenizer

    path = str(directory / "tokenizer.json")
    plain = open_sentence_embedder(directory).embed(["dog cat dog mill"])
    tokenizer = Tokenizer.from_file(path)
    tokenizer.enable_padding(length=12)
    tokenizer.enable_truncation(4)
    tokenizer.save(path)

    assert np.array_equal(open_sentence_embedder(directory).embed(["dog cat dog mill"]), plain)


def test_no_text_has_no_vector(directory: Path) -> None:
    assert len(open_sentence_embedder(directory).embed([])) == 0


def test_a_model_without_token_types_is_not_given_any(tmp_path: Path) -> None:
    embedder = open_sentence_embedder(write_tiny_embedder(tmp_path, WORDS, with_types=False))

    assert embedder.embed(["cat"]).argmax() == CAT


def test_threads_change_nothing(directory: Path) -> None:
    one, two = (open_sentence_embedder(directory, n_threads=n) for n in (1, 2))

    assert np.array_equal(one.embed(["dog cat"]), two.embed(["dog cat"]))


# --- what it is ---------------------------------------------------------------------------------


def test_a_copy_has_the_digest_of_the_original(directory: Path, tmp_path: Path) -> None:
    shutil.copytree(directory, tmp_path / "copy")

    digests = {open_sentence_embedder(each).digest for each in (directory, tmp_path / "copy")}

    assert len(digests) == 1


@pytest.mark.parametrize("words", [[*WORDS, "owl"], ["cat", "dog", "mill"]], ids=["more", "other"])
def test_another_model_has_another_digest(
    directory: Path, tmp_path: Path, words: list[str]
) -> None:
    other = open_sentence_embedder(write_tiny_embedder(tmp_path / "other", words))

    assert other.digest != open_sentence_embedder(directory).digest


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_directory_without_a_model_is_refused_with_what_belongs_in_it(
    directory: Path, name: str
) -> None:
    (directory / name).unlink()

    with pytest.raises(UsageError, match=f"There is no {name} in ") as refused:
        open_sentence_embedder(directory)

    assert "model.onnx with its tokenizer.json" in refused.value.hint


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("content", [b"", b"{}"], ids=["empty", "foreign"])
def test_a_file_that_cannot_be_loaded_is_named_by_its_directory(
    directory: Path, name: str, content: bytes
) -> None:
    (directory / name).write_bytes(content)

    with pytest.raises(ModelFileError) as refused:
        open_sentence_embedder(directory)

    assert str(directory) in refused.value.message


def test_a_model_that_gives_one_vector_a_text_is_no_sentence_model(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="the last state of every token"):
        open_sentence_embedder(write_tiny_embedder(tmp_path, WORDS, is_pooled=True))


@pytest.mark.parametrize("length", [0.0, float("nan"), float("inf")])
def test_a_vector_without_a_direction_is_refused(tmp_path: Path, length: float) -> None:
    with np.errstate(invalid="ignore"):
        directory = write_tiny_embedder(tmp_path, WORDS, word_length=length)

    with pytest.raises(ModelFileError, match="may be damaged"):
        open_sentence_embedder(directory)


@pytest.mark.parametrize("module", ["onnxruntime", "tokenizers"])
def test_without_the_runtime_the_extra_is_named(
    directory: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(MissingExtraError, match=r"pip install 'averment\[local\]'"):
        open_sentence_embedder(directory)
