from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from averment.errors import MissingExtraError, ModelError, ModelFileError, UsageError
from averment.models.token_numbers import TokenNumbers, TokenWord, open_token_numbers
from models.tiny_nli import MAX_TOKENS, WORDS, tiny_tokenizer, write_card

pytest.importorskip("onnxruntime", reason="the extra [local] is not installed")
LAYOUT = {"some": "layout"}


def write_tiny(directory: Path, *, fill: float | None = None) -> Path:
    """Each token's numbers are a row of a table; `fill` puts another number everywhere."""
    from onnx import TensorProto, helper, numpy_helper, save

    directory.mkdir()
    tiny_tokenizer(WORDS).save(str(directory / "tokenizer.json"))
    table = np.random.default_rng(3).normal(size=(40, 5)).astype(np.float32)
    if fill is not None:
        table[:] = fill
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["wide"]),
        helper.make_node("Mul", ["rows", "wide"], ["numbers"]),
    ]
    shape = ["text", "token"]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, shape)
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("numbers", TensorProto.FLOAT, [*shape, 5])],
        [
            numpy_helper.from_array(table, "table"),
            numpy_helper.from_array(np.array([-1]), "last"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    save(model, str(directory / "model.onnx"))
    write_card(directory, layout=LAYOUT)
    return directory


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_tiny(tmp_path / "tiny")


def opened(directory: Path) -> TokenNumbers:
    return open_token_numbers(directory, purpose="Distilled extractors")


def test_every_token_has_its_numbers_and_every_word_its_tokens(directory: Path) -> None:
    words, numbers = opened(directory).read("The dog ran.")

    assert words[:3] == [TokenWord(0, 3, 1, 1), TokenWord(4, 7, 2, 2), TokenWord(8, 11, 3, 3)]
    assert numbers.shape == (6, 5)  # two marks, three words, a full stop
    assert (opened(directory).read("dog dog")[1][1] == numbers[2]).all()


def test_what_the_card_says_is_passed_on(directory: Path) -> None:
    model = opened(directory)

    assert (model.name, model.layout) == ("tiny", LAYOUT)


def test_what_is_behind_the_window_has_no_words(directory: Path) -> None:
    words, numbers = opened(directory).read("dog " * 100)

    assert len(numbers) == MAX_TOKENS
    assert len(words) == MAX_TOKENS - 2


def test_nothing_has_no_words(directory: Path) -> None:
    assert opened(directory).read("")[0] == []


def test_a_vocabulary_can_be_that_of_another_model(directory: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "tokenizer.json"
    alone = opened(directory).read("The dog ran.")
    shutil.move(directory / "tokenizer.json", elsewhere)

    model = open_token_numbers(directory, tokenizer=elsewhere, purpose="Distilled extractors")

    assert model.read("The dog ran.")[0] == alone[0]
    with pytest.raises(UsageError, match=r"no tokenizer\.json"):
        opened(directory)


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
def test_a_file_that_is_not_what_the_card_says_is_refused(directory: Path, file: str) -> None:
    with (directory / file).open("ab") as stream:
        stream.write(b" ")

    with pytest.raises(ModelFileError, match=f"{file}"):
        opened(directory)


@pytest.mark.parametrize(
    "card",
    [
        "no JSON",
        json.dumps([1]),
        json.dumps({"name": "x", "max_tokens": "many", "layout": {}, "sha256": {}}),
        json.dumps(
            {"name": "x", "max_tokens": 3, "sha256": {"model.onnx": "", "tokenizer.json": ""}}
        ),
    ],
    ids=["no JSON", "a list", "no number", "no layout"],
)
def test_a_card_that_lacks_something_is_refused(directory: Path, card: str) -> None:
    (directory / "card.json").write_text(card, encoding="utf-8")

    with pytest.raises(ModelFileError, match="expected name, max_tokens, layout and sha256"):
        opened(directory)


def test_numbers_that_are_none_are_an_error(tmp_path: Path) -> None:
    damaged = opened(write_tiny(tmp_path / "damaged", fill=float("nan")))

    with pytest.raises(ModelError, match="may be damaged"):
        damaged.read("The dog ran.")


def test_without_the_runtime_the_extra_is_named(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)

    with pytest.raises(MissingExtraError, match=r"Distilled extractors need the extra \[local\]"):
        opened(directory)
