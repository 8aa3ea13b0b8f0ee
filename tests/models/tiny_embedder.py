"""A sentence model in which every word has a direction of its own, as ONNX: cosines by words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from models.tiny_nli import SPECIAL, tiny_tokenizer

SPECIAL_LENGTH = 0.01


def write_tiny_embedder(
    directory: Path,
    words: Sequence[str],
    *,
    with_types: bool = True,
    is_pooled: bool = False,
    minds_company: bool = False,
    word_length: float = 1.0,
) -> Path:
    """Model and tokenizer: the state of a word is `word_length` in its own dimension.

    Args:
        directory: Made if it is not there.
        words: In lower case; any other is the special word [UNK].
        with_types: It asks for token types, and does not read them.
        is_pooled: It gives one vector a text instead of one a token.
        minds_company: Texts change each other, as those of a batch do for quantised weights.
        word_length: Of every state.
    """
    directory.mkdir(parents=True, exist_ok=True)
    tiny_tokenizer(words).save(str(directory / "tokenizer.json"))
    states = np.eye(len(SPECIAL) + len(words), dtype=np.float32) * word_length
    states[: len(SPECIAL)] *= SPECIAL_LENGTH
    _write_model(directory / "model.onnx", states, with_types, is_pooled, minds_company)
    return directory


def _write_model(
    path: Path, states: Any, with_types: bool, is_pooled: bool, minds_company: bool
) -> None:
    from onnx import TensorProto, checker, helper, numpy_helper, save

    nodes = [helper.make_node("Gather", ["states", "input_ids"], ["of_words"])]
    last = "of_words"
    if minds_company:
        nodes += [
            helper.make_node("Cast", ["input_ids"], ["numbers"], to=TensorProto.FLOAT),
            helper.make_node("ReduceSum", ["numbers"], ["company"], keepdims=0),
            helper.make_node("Add", [last, "company"], ["in_company"]),
        ]
        last = "in_company"
    if is_pooled:
        nodes.append(helper.make_node("ReduceSum", [last, "middle"], ["pooled"], keepdims=0))
        last = "pooled"
    nodes.append(helper.make_node("Identity", [last], ["output"]))
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if with_types else [])]
    shape = ["texts", states.shape[1]] if is_pooled else ["texts", "tokens", states.shape[1]]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["texts", "tokens"]) for n in names],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, shape)],
        [
            numpy_helper.from_array(states, "states"),
            numpy_helper.from_array(np.array([1], dtype=np.int64), "middle"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(model)
    save(model, str(path))
