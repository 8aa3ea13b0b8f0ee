"""Export a fine-tuned checkpoint to int8 ONNX with its tokenizer and card.

    python export.py --checkpoint RUN/best --tokenizer BACKBONE --data OUT --card FACTS --out DIR

The files of DIR are replaced one by one by renaming, the card last. Besides, the loss of AUC by
quantisation on the validation pairs and the speed on one core are measured and put on the card.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers import optimizer

from averment.metrics.ranking import roc_auc
from model import load_model
from pairs import CLASSES, ENTAILMENT, Pair, read_pairs
from scorers import OnnxJudge

_OPSET = 17
# The second half of the first feed-forward layers has outliers that int8 loses: 0.007 of AUC.
_KEPT_FLOAT = re.compile(r"layer\.[0-2]/output/dense")
NAME = "averment-minilm-nli-1"


class _ClassesOnly(torch.nn.Module):
    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        logits: torch.Tensor = self.model(input_ids, attention_mask, token_type_ids)[0]
        return logits


def to_onnx(checkpoint: Path, path: Path) -> None:
    """The float graph: token ids in, `logits[n, 3]` out, both axes of the inputs free."""
    model = _ClassesOnly(load_model(checkpoint, dropout=0.0)).eval()
    sample = torch.ones((2, 16), dtype=torch.long)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "pair", 1: "token"} for name in names} | {"logits": {0: "pair"}}
    torch.onnx.export(
        model,
        (sample, sample, torch.zeros_like(sample)),
        str(path),
        input_names=names,
        output_names=["logits"],
        dynamic_axes=axes,
        opset_version=_OPSET,
        dynamo=False,
    )


def quantise(float_path: Path, path: Path) -> None:
    """Fused, then int8 by dynamic quantisation, the embeddings too."""
    fused = float_path.with_suffix(".fused.onnx")
    config = onnx.load(str(float_path))
    hidden = next(t.dims[1] for t in config.graph.initializer if "word_embeddings" in t.name)
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
        nodes_to_exclude=[name for name in nodes if _KEPT_FLOAT.search(name)],
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},  # fused nodes have no type
    )


def area(judge: OnnxJudge, pairs: Sequence[Pair]) -> float:
    """ROC-AUC of P(entailment)."""
    scores = judge.entailment([(pair.premise, pair.hypothesis) for pair in pairs])
    truth = np.array([pair.label == ENTAILMENT for pair in pairs])
    found = roc_auc(1.0 - scores, truth).value
    if found is None:
        raise ValueError("The validation pairs are all of one side; both are needed.")
    return float(found)


def pairs_per_second(judge: OnnxJudge, batch: int, words: int = 160) -> float:
    """Speed on windows of `words` words and a claim of 15, made of a fixed English text."""
    text = (
        "The committee met in the old town hall in March 1921 and decided, after a long "
        "debate about costs, to rebuild the stone bridge over the river. "
    ) * 8
    pair = (" ".join(text.split()[:words]), " ".join(text.split()[:15]))
    judge.probabilities([pair] * batch, batch_size=batch)
    began, done = time.process_time(), 0
    while time.process_time() - began < 3.0:
        judge.probabilities([pair] * batch, batch_size=batch)
        done += batch
    return done / (time.process_time() - began)


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def measure(out: Path, float_model: Path, pairs: Sequence[Pair]) -> dict[str, Any]:
    """What the card says of loss by quantisation, size and speed."""
    quantised = OnnxJudge(out / "model.onnx", out / "tokenizer.json")
    whole = OnnxJudge(float_model, out / "tokenizer.json")
    return {
        "validation_pairs": len(pairs),
        "validation_auc_float32": round(area(whole, pairs), 4),
        "validation_auc_int8": round(area(quantised, pairs), 4),
        "bytes": {f.name: f.stat().st_size for f in sorted(out.iterdir())},
        "pairs_per_cpu_second_160_words": {
            str(batch): round(pairs_per_second(quantised, batch), 1) for batch in (1, 8, 32)
        },
    }


def main() -> None:
    """Read the arguments and export."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("checkpoint", "tokenizer", "data", "card", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    validation = read_pairs(given.data / "labelled_validation.jsonl.gz")
    made = read_pairs(given.data / "synthetic_validation.jsonl.gz")
    validation += random.Random(0).sample(made, min(400, len(made)))
    with tempfile.TemporaryDirectory(dir=given.out.parent) as scratch:
        work = Path(scratch)
        new = work / "new"
        new.mkdir()
        to_onnx(given.checkpoint, work / "float.onnx")
        quantise(work / "float.onnx", new / "model.onnx")
        shutil.copy(given.tokenizer / "tokenizer.json", new / "tokenizer.json")
        _lift_tokenizer_limits(new / "tokenizer.json")
        facts = measure(new, work / "float.onnx", validation)
        card = {
            "name": NAME,
            "classes": list(CLASSES),
            **json.loads(given.card.read_text(encoding="utf-8")),
            **facts,
            "sha256": {f.name: digest(f) for f in sorted(new.iterdir())},
        }
        (new / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
        for file in ("tokenizer.json", "model.onnx", "card.json"):
            (new / file).replace(given.out / file)
    print(json.dumps(card, indent=1))


def _lift_tokenizer_limits(path: Path) -> None:
    # The backbone's file pads and cuts to 128 tokens; who loads it must decide that.
    settings = json.loads(path.read_text(encoding="utf-8"))
    settings["padding"] = settings["truncation"] = None
    path.write_text(json.dumps(settings, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
