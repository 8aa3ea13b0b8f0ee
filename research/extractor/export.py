"""Exports a student to int8 ONNX with its card; chooses the threshold on validation pages.

    PYTHONPATH=.:../../bench python export.py --run RUN --init BACKBONE --data DATA --out DIR

The threshold is the one with the best mean over 2Wiki and Re-DocRED of the F1 of recall and strict
precision (as `bench/extraction.py` counts them): precision between gold ends, where every pair of
a sentence with two known names is right, would be best with no threshold at all. The card gets the
figures of the float graph as well, so that what int8 costs is known, and the speed on one core.
The tokenizer is not copied: it is that of the faithfulness model, whose vocabulary is the same.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from extraction import COUNTS, measured, metrics
from extraction_sets import GoldSentence
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers import optimizer
from tokenizers import Tokenizer

import averment
from averment.claims.distilled import DistilledExtractor, Layout
from averment.models.onnx_texts import MODEL, TOKENIZER, file_digest
from averment.models.token_numbers import TokenNumbers, TokenWord, open_token_numbers
from examples import validation
from student import Student, load_encoder

NAME = "averment-minilm-extractor-1"
MAX_TOKENS = 256
SETS = ("2wiki", "redocred")
_OPSET = 17
SHARED = Path(averment.__file__).parent / "faithfulness" / "model" / TOKENIZER


def to_onnx(model: Student, path: Path) -> None:
    """The float graph: token ids and mask in, `numbers[text, token, width]` out."""
    sample = torch.ones((2, 16), dtype=torch.long)
    names = ["input_ids", "attention_mask"]
    axes = {name: {0: "text", 1: "token"} for name in [*names, "numbers"]}
    torch.onnx.export(
        model,
        (sample, sample),
        str(path),
        input_names=names,
        output_names=["numbers"],
        dynamic_axes=axes,
        opset_version=_OPSET,
        dynamo=False,
    )


def quantise(float_path: Path, path: Path, hidden: int) -> None:
    """Fused, then int8 by dynamic quantisation, the embeddings too; the head stays float."""
    fused = float_path.with_suffix(".fused.onnx")
    optimizer.optimize_model(
        str(float_path), model_type="bert", num_heads=12, hidden_size=hidden, opt_level=0
    ).save_model_to_file(str(fused))
    nodes = [node.name for node in onnx.load(str(fused)).graph.node if node.op_type == "MatMul"]
    quantize_dynamic(
        str(fused),
        str(path),
        per_channel=True,
        weight_type=QuantType.QInt8,
        op_types_to_quantize=["MatMul", "Attention", "Gather", "EmbedLayerNormalization"],
        nodes_to_exclude=[name for name in nodes if name.startswith("/head")],
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},  # fused nodes have no type
    )


class Remembering:
    """A reader that reads each text once, for thresholds that are tried one after another."""

    def __init__(self, reader: TokenNumbers) -> None:
        self._reader = reader
        self._read: dict[str, tuple[list[TokenWord], np.ndarray]] = {}
        self.layout: dict[str, Any] = dict(reader.layout)

    def read(self, text: str) -> tuple[list[TokenWord], np.ndarray]:
        """As the reader does."""
        if text not in self._read:
            self._read[text] = self._reader.read(text)
        return self._read[text]


def f1_of(reader: Remembering, sentences: Sequence[GoldSentence]) -> dict[str, float]:
    """Recall, precision between gold ends, their F1, strict precision, and F1 with that."""
    found = DistilledExtractor(reader).triplets([each.text for each in sentences])
    rows = [measured(each, one) for each, one in zip(sentences, found, strict=True)]
    sums = np.array([sum(row[name] for row in rows) for name in COUNTS], dtype=float)
    recall, precision, f1, strict = map(float, metrics(sums)[:4])
    f1_strict = 2 * recall * strict / (recall + strict) if recall + strict else 0.0
    return {
        "recall": recall,
        "precision": precision,
        "f1": f1,
        "strict": strict,
        "f1_strict": f1_strict,
    }


def choose(
    reader: Remembering, sets: dict[str, list[GoldSentence]]
) -> tuple[float, dict[str, Any]]:
    """The threshold with the best mean F1 by strict precision, and the figures at it."""
    best: tuple[float, float, dict[str, Any]] = (-1.0, 0.0, {})
    for threshold in np.arange(-2.0, 3.01, 0.5):
        reader.layout["threshold"] = float(threshold)
        figures = {name: f1_of(reader, sentences) for name, sentences in sets.items()}
        mean = sum(each["f1_strict"] for each in figures.values()) / len(figures)
        print(f"threshold {threshold:.1f}: mean F1 {mean:.4f} {json.dumps(figures)}", flush=True)
        best = max(best, (mean, float(threshold), figures), key=lambda each: each[0])
    return best[1], best[2]


def sentences_per_second(reader: TokenNumbers, sentences: Sequence[str]) -> float:
    """Whole extraction, one thread, by CPU time."""
    extractor = DistilledExtractor(reader)
    extractor.triplets(sentences[:10])
    began = time.process_time()
    extractor.triplets(sentences)
    return len(sentences) / (time.process_time() - began)


def main() -> None:
    """Read the arguments and export."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("run", "init", "data", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    of_backbone = Tokenizer.from_file(str(given.init / TOKENIZER))
    if of_backbone.get_vocab() != Tokenizer.from_file(str(SHARED)).get_vocab():
        raise SystemExit(f"The vocabulary of {given.init} is not that of {SHARED}.")
    made = json.loads((given.run / "layout.json").read_text(encoding="utf-8"))
    layout = made["layout"]
    model = Student(load_encoder(given.init), Layout.of_card(layout))
    model.load_state_dict(torch.load(given.run / "student.pt"))
    model.eval()
    sets = {name: validation(given.data, name) for name in SETS}
    with tempfile.TemporaryDirectory() as scratch:
        whole, small = Path(scratch) / "float", Path(scratch) / "int8"
        card: dict[str, Any] = {"name": NAME, "max_tokens": MAX_TOKENS, "layout": layout}
        for folder in (whole, small):
            folder.mkdir()
        to_onnx(model, whole / MODEL)
        quantise(whole / MODEL, small / MODEL, model.encoder.config.hidden_size)
        opened = {}
        for folder in (whole, small):
            card["sha256"] = {MODEL: file_digest(folder / MODEL), TOKENIZER: file_digest(SHARED)}
            (folder / "card.json").write_text(json.dumps(card), encoding="utf-8")
            opened[folder] = open_token_numbers(
                folder, tokenizer=SHARED, purpose="Extraction models"
            )
        layout["threshold"], figures = choose(Remembering(opened[small]), sets)
        of_float = Remembering(opened[whole])
        of_float.layout["threshold"] = layout["threshold"]
        card |= {
            "version": "1",
            "licence": "Apache-2.0",
            "backbone": "all-MiniLM-L6-v2 (Apache-2.0)",
            "inputs": ["input_ids", "attention_mask"],
            "outputs": ["numbers"],
            "training_sentences": made["sentences"],
            "sentences_seen": made["seen"],
            "teacher_rows_sha256": made["teacher_rows_sha256"],
            "commands": "research/extractor/README.md",
            "validation": figures,
            "validation_float32": {name: f1_of(of_float, sets[name]) for name in SETS},
            "bytes": {MODEL: (small / MODEL).stat().st_size},
            "sentences_per_cpu_second": round(
                sentences_per_second(opened[small], [each.text for each in sets["2wiki"]]), 1
            ),
        }
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / MODEL).write_bytes((small / MODEL).read_bytes())
    text = json.dumps(
        json.loads(json.dumps(card), parse_float=lambda x: round(float(x), 4)), indent=1
    )
    (given.out / "card.json").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
