"""Claims scored with an ONNX model as its card has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from averment.errors import ModelFileError
from averment.models.nli import open_nli
from averment.types import Faithfulness
from averment.wiring.scores import scorer_of
from models.tiny_nli import write_card, write_tiny_nli

CLAIM = ("The mill stands.", ["The mill stands at noon. The dog ran fast."])
UNRELATED = ("The mill stands.", ["A cat sat."])
WEIGHTS = {"model": 0.0, "lexical": 9.0, "against": 1.0, "intercept": -4.0}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_tiny_nli(tmp_path / "tiny")


def scored(directory: Path) -> list[Faithfulness]:
    nli = open_nli(directory)
    return scorer_of(nli, nli).score([CLAIM, UNRELATED])


@pytest.mark.parametrize("window_words", [None, 8], ids=["by its tokens", "by its card"])
def test_a_card_without_weights_leaves_the_model_alone(
    directory: Path, window_words: int | None
) -> None:
    if window_words is not None:
        write_card(directory, window_words=window_words)

    stated, unrelated = scored(directory)

    assert 0.0 < unrelated.score < 1.0
    assert stated.score != unrelated.score


def test_a_card_with_weights_gives_words_their_say(directory: Path) -> None:
    write_card(directory, joint=WEIGHTS)

    stated, unrelated = scored(directory)

    assert stated.score > 0.9
    assert (unrelated.score, unrelated.contradiction) == (0.0, None)


def test_the_scorer_is_named_for_both(directory: Path) -> None:
    write_card(directory, joint=WEIGHTS)
    nli = open_nli(directory)

    assert scorer_of(nli, nli).name == "tiny + lexical-alignment"


def test_weights_of_something_else_are_refused_with_what_was_expected(directory: Path) -> None:
    write_card(directory, joint={"model": 1.0, "cosine": 1.0})
    nli = open_nli(directory)

    with pytest.raises(ModelFileError, match="expected model, lexical, against, intercept"):
        scorer_of(nli, nli)
