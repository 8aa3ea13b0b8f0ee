"""A model of a few hundred random weights with the interface of a real one, as ONNX."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

WORDS = "the a dog cat ran sat not fast slow mill stands leaves at noon".split()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
MAX_TOKENS = 24
LABELS = ("entailment", "neutral", "contradiction")


def write_tiny_nli(
    directory: Path,
    *,
    labels: Sequence[str] = LABELS,
    n_logits: int | None = None,
    with_types: bool = True,
) -> Path:
    """Model, tokenizer and card; the logits are a random function of both texts and their order."""
    directory.mkdir(parents=True, exist_ok=True)
    tiny_tokenizer(WORDS).save(str(directory / "tokenizer.json"))
    _write_model(directory / "model.onnx", n_logits or len(labels), with_types)
    write_card(directory, labels=labels)
    return directory


def write_card(directory: Path, *, labels: Sequence[str] = LABELS, **changed: object) -> None:
    """The card of what lies in the directory, with some fields changed."""
    digests = {
        name: hashlib.sha256((directory / name).read_bytes()).hexdigest()
        for name in ("model.onnx", "tokenizer.json")
    }
    card = {"name": "tiny", "classes": labels, "max_tokens": MAX_TOKENS, "sha256": digests}
    (directory / "card.json").write_text(json.dumps({**card, **changed}), encoding="utf-8")


def tiny_tokenizer(words: Sequence[str]) -> Any:
    """A tokenizer of these words and the special ones, in lower case."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    vocabulary = {word: at for at, word in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return tokenizer


def _write_model(path: Path, n_logits: int, with_types: bool) -> None:
    from onnx import TensorProto, checker, helper, numpy_helper, save

    random = np.random.default_rng(1)
    width = 8
    n_words = len(SPECIAL) + len(WORDS)

    def constant(name: str, *shape: int) -> Any:
        values = random.normal(size=shape).astype(np.float32)
        return numpy_helper.from_array(values, name)

    names = ["input_ids", "attention_mask", *(["token_type_ids"] if with_types else [])]
    nodes = [helper.make_node("Gather", ["words", "input_ids"], ["of_words"])]
    if with_types:
        nodes.append(helper.make_node("Gather", ["types", "token_type_ids"], ["of_types"]))
        nodes.append(helper.make_node("Mul", ["of_words", "of_types"], ["tokens"]))
    else:
        nodes.append(helper.make_node("Identity", ["of_words"], ["tokens"]))
    nodes += [
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["wide_mask"]),
        helper.make_node("Mul", ["tokens", "wide_mask"], ["read"]),
        helper.make_node("ReduceSum", ["read", "middle"], ["sum"], keepdims=0),
        helper.make_node("MatMul", ["sum", "head"], ["logits"]),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["pairs", "tokens"]) for n in names],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", n_logits])],
        [
            constant("words", n_words, width),
            constant("types", 2, width),
            constant("head", width, n_logits),
            numpy_helper.from_array(np.array([2], dtype=np.int64), "last"),
            numpy_helper.from_array(np.array([1], dtype=np.int64), "middle"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(model)
    save(model, str(path))
