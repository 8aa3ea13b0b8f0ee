"""Trains the student on a CPU: gold, the teacher's rows, and the rules where neither has anything.

    PYTHONPATH=.:../../bench python train.py --init BACKBONE --data DATA --labels LABELS --run RUN

`--sentences` fixes how much is learned, so that one seed on one thread gives the same weights.
Batches hold sentences of like length. The learning rate falls to zero; the weights kept are an
exponential moving average. Word vectors and the first two layers stay as they are. `RUN` gets
`student.pt` and `layout.json`.

What this module does not do: choose the threshold (`export.py` does, on validation pages), or
look at a test set.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import torch
from tokenizers import Tokenizer

from averment.claims.distilled import Layout
from averment.models.onnx_texts import file_digest
from examples import KINDS, Example, training
from student import Encoded, Student, encode, load_encoder, loss_of

RELATIONS = (
    *("", "born", "died", "born in", "died in", "born on", "died on"),
    *("dated", "is from", "located in", "died of", "also known as"),
)
N_DIMS = 64
WEIGHTS = {"redocred": 1.0, "2wiki": 2.0, "question": 1.0, "teacher": 1.0, "rules": 0.6}
"""How much a link of a source counts."""
TIMES = {"redocred": 1.0, "2wiki": 2.0, "question": 0.5, "teacher": 2.0, "rules": 1.0}
"""How often a sentence of a source is seen in one pass."""
_MOST_TOKENS = 96
_FROZEN_LAYERS = 2
_HEAD_RATE = 10.0  # fresh heads learn faster than the encoder
_WARMUP_STEPS = 40


def passes(examples: Sequence[Example], rng: random.Random) -> Iterator[list[Example]]:
    """One pass after another over all examples, each source as often as `TIMES` says."""
    while True:
        drawn = []
        for each in examples:
            times = TIMES[each.source]
            drawn += [each] * (int(times) + (rng.random() < times % 1))
        rng.shuffle(drawn)
        yield drawn


def batches(
    examples: Sequence[Example], rng: random.Random, tokenizer: Tokenizer, layout: Layout, size: int
) -> Iterator[list[Encoded]]:
    """Batches of like length without end."""
    for drawn in passes(examples, rng):
        for at in range(0, len(drawn), 16 * size):
            part = drawn[at : at + 16 * size]
            made = tokenizer.encode_batch([each.text for each in part])
            rows = [encode(e, coded, layout) for e, coded in zip(part, made, strict=True)]
            rows.sort(key=lambda row: len(row.ids))
            groups = [rows[start : start + size] for start in range(0, len(rows), size)]
            rng.shuffle(groups)
            yield from groups


def inputs(batch: Sequence[Encoded]) -> tuple[torch.Tensor, torch.Tensor]:
    """Token ids and mask, padded to the longest."""
    longest = max(len(row.ids) for row in batch)
    ids = torch.tensor([row.ids + [0] * (longest - len(row.ids)) for row in batch])
    return ids, (torch.arange(longest) < torch.tensor([[len(row.ids)] for row in batch])).long()


def fit(
    model: Student, stream: Iterator[list[Encoded]], layout: Layout, n: int, rate: float
) -> Student:
    """Train on `n` sentences; the averaged weights."""
    groups = []
    for name, weight in model.named_parameters():
        frozen = [f"encoder.encoder.layer.{i}." for i in range(_FROZEN_LAYERS)]
        if name.startswith(("encoder.embeddings.", *frozen)):
            weight.requires_grad_(False)
        else:
            times = 1.0 if name.startswith("encoder.") else _HEAD_RATE
            groups.append(
                {"params": [weight], "times": times, "weight_decay": 0.01 * (weight.ndim > 1)}
            )
    optimizer = torch.optim.AdamW(groups, lr=rate)
    average, seen, step, began = copy.deepcopy(model), 0, 0, time.process_time()
    model.train()
    losses: list[float] = []
    for batch in stream:
        if seen >= n:
            break
        for group in optimizer.param_groups:
            fallen = max(0.02, 1 - seen / n)
            group["lr"] = group["times"] * rate * min(1.0, (step + 1) / _WARMUP_STEPS) * fallen
        with torch.autocast("cpu", dtype=torch.bfloat16):
            found = model(*inputs(batch))
        loss = loss_of(found.float(), batch, layout, WEIGHTS)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        seen, step = seen + len(batch), step + 1
        losses.append(loss.item())
        keep = min(0.99, step / (step + 20))
        with torch.no_grad():
            for mine, theirs in zip(average.parameters(), model.parameters(), strict=True):
                mine.lerp_(theirs, 1 - keep)
        if step % 20 == 0:
            speed = seen / (time.process_time() - began)
            print(f"{seen} loss {sum(losses[-20:]) / 20:.3f}, {speed:.1f} a CPU s", flush=True)
    return average.eval()


def main() -> None:
    """Read the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--init", type=Path, required=True, help="folder of the encoder")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--labels", type=Path, help="the teacher's rows")
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=12_000)
    parser.add_argument("--drawn", type=int, default=3_000, help="sentences for teacher and rules")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--seed", type=int, default=31)
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    torch.set_num_threads(1)
    examples = training(given.data, given.labels, given.drawn, seed=31)
    facts = {
        "sentences": dict(Counter(each.source for each in examples)),
        "seen": given.sentences,
        "teacher_rows_sha256": file_digest(given.labels) if given.labels else None,
    }
    print(json.dumps(facts), flush=True)
    layout = Layout(KINDS, RELATIONS, N_DIMS)
    tokenizer = Tokenizer.from_file(str(given.init / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MOST_TOKENS)
    stream = batches(examples, random.Random(given.seed), tokenizer, layout, given.batch)
    model = fit(
        Student(load_encoder(given.init), layout), stream, layout, given.sentences, given.rate
    )
    given.run.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), given.run / "student.pt")
    (given.run / "layout.json").write_text(json.dumps({"layout": asdict(layout), **facts}))


if __name__ == "__main__":
    main()
