"""The mean of the weights of checkpoints of one lineage, and how it does in validation.

python average.py --checkpoints RUN1/best RUN2/best --tokenizer BACKBONE --data OUT --out DIR
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch

from model import load_model
from pairs import read_pairs
from train import encode, load_tokenizer, validate


def main() -> None:
    """Read the arguments, average, validate, save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoints", type=Path, nargs="+", required=True)
    for name in ("tokenizer", "data", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    torch.set_num_threads(1)
    models = [load_model(folder) for folder in given.checkpoints]
    with torch.no_grad():
        for first, *others in zip(*(model.parameters() for model in models), strict=True):
            first.copy_(torch.stack([first, *others]).mean(dim=0))
    pairs = read_pairs(given.data / "labelled_validation.jsonl.gz")
    tokenizer = load_tokenizer(given.tokenizer, 224)
    found = validate(models[0], encode(pairs, tokenizer, [1.0] * len(pairs)))
    print(json.dumps({"mean": round(sum(found.values()) / len(found), 4), **found}))
    models[0].save_pretrained(given.out)


if __name__ == "__main__":
    main()
