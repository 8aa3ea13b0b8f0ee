"""Fine-tune a BERT-like encoder as a cross-encoder of premise and hypothesis, on a CPU.

    python train.py --init BACKBONE --data OUT --stage synthetic --run RUN
    python train.py --init RUN/best --data OUT --stage mixture --run RUN2

Batches hold pairs of like length and are padded to their longest. Where a label says only "not
supported" the loss is -log(1 - P(entailment)). The weights kept are an exponential moving average.
Training stops at `--minutes` whatever is left; the learning rate falls to zero by then.

With `--workers 2 --worker K --port P` two processes share the work: each walks its own pairs, and
once a minute their weights are averaged.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Encoding, Tokenizer
from transformers import PreTrainedModel

from averment.metrics.ranking import roc_auc
from model import load_model
from pairs import ENTAILMENT, UNSUPPORTED, Pair, read_pairs

_SHORT_WORDS = 60  # of made-up pairs; time goes by the token
_LONG_WORDS = 100
_WORTH_THEIR_LENGTH = ("relation/", "question/", "joined/")
_FROZEN_LAYERS = 2
_WORD_WEIGHT = 1.0
_HEAD_RATE = 5.0  # fresh heads learn faster than the encoder
_MEETING_S = 60.0
_LABELLED_WEIGHT = {"fever_pages": 0.6, "begin_cmu": 1.0, "begin_tc": 1.0}


@dataclass(frozen=True, slots=True)
class Encoded:
    """A pair in token ids; `marks` are 1 for unsupported tokens, 0 for others, -1 unknown."""

    ids: list[int]
    types: list[int]
    marks: list[int]
    label: int
    weight: float
    kind: str


def encode(pairs: Sequence[Pair], tokenizer: Tokenizer, weights: Sequence[float]) -> list[Encoded]:
    """Token ids of `[CLS] premise [SEP] hypothesis [SEP]`, the premise cut where it is too long."""
    made = tokenizer.encode_batch([(p.premise, p.hypothesis) for p in pairs])
    return [
        Encoded(e.ids, e.type_ids, _marks(e, p), p.label, w, p.kind)
        for e, p, w in zip(made, pairs, weights, strict=True)
    ]


def _marks(encoding: Encoding, pair: Pair) -> list[int]:
    if pair.unsupported is None:
        return [-1] * len(encoding.ids)
    return [
        -1 if sequence != 1 else int(any(a < end and start < b for a, b in pair.unsupported))
        for sequence, (start, end) in zip(encoding.sequence_ids, encoding.offsets, strict=True)
    ]


def load_tokenizer(folder: Path, max_tokens: int) -> Tokenizer:
    """The folder's tokenizer; of a pair that is too long the premise is cut."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens, strategy="only_first")
    return tokenizer


def batches(
    rows: Sequence[Encoded], budget: int, rng: random.Random | None
) -> Iterator[list[Encoded]]:
    """Batches of at most `budget` tokens, padding included; in random order where rng is given."""
    noise = rng.random if rng else lambda: 0.0
    order = sorted(rows, key=lambda row: len(row.ids) + 6 * noise())
    made: list[list[Encoded]] = [[]]
    for row in order:
        if (len(made[-1]) + 1) * len(row.ids) > budget and made[-1]:
            made.append([])
        made[-1].append(row)
    if rng:
        rng.shuffle(made)
    yield from made


def tensors(batch: Sequence[Encoded]) -> dict[str, torch.Tensor]:
    """The model's inputs, padded to the longest."""
    longest = max(len(row.ids) for row in batch)

    def padded(rows: list[list[int]]) -> torch.Tensor:
        return torch.tensor([row + [0] * (longest - len(row)) for row in rows])

    return {
        "input_ids": padded([row.ids for row in batch]),
        "attention_mask": padded([[1] * len(row.ids) for row in batch]),
        "token_type_ids": padded([row.types for row in batch]),
    }


def loss_of(logits: torch.Tensor, tokens: torch.Tensor, batch: Sequence[Encoded]) -> torch.Tensor:
    """Loss of the classes plus loss of the words, each a weighted mean."""
    logs = torch.log_softmax(logits, dim=-1)
    labels = torch.tensor([row.label for row in batch])
    weights = torch.tensor([row.weight for row in batch])
    known = logs.gather(1, labels.clamp(max=2)[:, None])[:, 0]
    unsupported = torch.logsumexp(logs[:, 1:], dim=-1)
    chosen = torch.where(labels == UNSUPPORTED, unsupported, known)
    return -(chosen * weights).sum() / weights.sum() + _WORD_WEIGHT * word_loss(tokens, batch)


def word_loss(tokens: torch.Tensor, batch: Sequence[Encoded]) -> torch.Tensor:
    """Cross-entropy of the marked words and of the others, which are many more, half each."""
    longest = tokens.shape[1]
    marks = torch.tensor([row.marks + [-1] * (longest - len(row.marks)) for row in batch])
    each = torch.nn.functional.binary_cross_entropy_with_logits(
        tokens, marks.clamp(min=0).float(), reduction="none"
    )
    bad, good = marks == 1, marks == 0
    return (each * bad).sum() / (2 * bad.sum() + 1) + (each * good).sum() / (2 * good.sum() + 1)


def probabilities(
    model: PreTrainedModel, rows: Sequence[Encoded], budget: int = 8000
) -> np.ndarray:
    """P(entailment, neutral, contradiction) of each row, in the order given."""
    model.eval()
    found = np.zeros((len(rows), 3))
    at = {id(row): i for i, row in enumerate(rows)}
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        for batch in batches(rows, budget, None):
            part = torch.softmax(model(**tensors(batch))[0], dim=-1).numpy()
            found[[at[id(row)] for row in batch]] = part
    model.train()
    return found


def validate(model: PreTrainedModel, rows: Sequence[Encoded]) -> dict[str, float]:
    """ROC-AUC of P(entailment) by set and by kind of edit; each needs both sides."""
    scores = probabilities(model, rows)[:, 0]
    sides = defaultdict(list)
    for row, score in zip(rows, scores, strict=True):
        for name in {row.kind, row.kind.split("/")[0]}:
            sides[name].append((float(score), row.label == ENTAILMENT))
    areas = {}
    for name, found in sorted(sides.items()):
        is_true = np.array([side for _, side in found])
        area = roc_auc(np.array([1.0 - score for score, _ in found]), is_true).value
        if area is not None:  # one-sided sets have none
            areas[name] = round(area, 4)
    return areas


def balanced_weights(pairs: Sequence[Pair]) -> list[float]:
    """Weights by which, in each set, supported and not supported count the same."""
    counts: dict[tuple[str, bool], int] = defaultdict(int)
    for pair in pairs:
        counts[pair.kind.split("/")[0], pair.label == ENTAILMENT] += 1
    found = []
    for pair in pairs:
        kind = pair.kind.split("/")[0]
        both = counts[kind, True] + counts[kind, False]
        share = both / (2 * counts[kind, pair.label == ENTAILMENT])
        found.append(min(4.0, share) * _LABELLED_WEIGHT.get(kind, 1.0))
    return found


def epochs_of(
    data: Path, stage: str, share: int, repeats: float, rng: random.Random
) -> Iterator[list[Pair]]:
    """The pairs of one pass after another.

    Stage "synthetic" walks the made-up pairs in shards; "mixture" adds human-labelled pairs to
    each shard, a sixth of `repeats` times all of them at first, all of that from the sixth on.
    """
    made = [pair for pair in read_pairs(data / "synthetic_train.jsonl.gz") if _is_short(pair)]
    human = read_pairs(data / "labelled_train.jsonl.gz")
    rng.shuffle(made)
    at = 0
    while True:
        part = [made[(at + i) % len(made)] for i in range(share)]
        at += share
        if stage == "mixture":
            wanted = int(repeats * len(human) * min(1.0, at / (6 * share)))
            part += rng.choices(human, k=wanted)
        yield part


def _is_short(pair: Pair) -> bool:
    words = len(pair.premise.split()) + len(pair.hypothesis.split())
    return words <= (_LONG_WORDS if pair.kind.startswith(_WORTH_THEIR_LENGTH) else _SHORT_WORDS)


@dataclass(frozen=True, slots=True)
class Plan:
    """How long and how fast."""

    minutes: float
    rate: float
    budget: int
    every_minutes: float
    workers: int = 1
    worker: int = 0


def share_weights(weights: Sequence[torch.nn.Parameter], workers: int) -> None:
    """Every worker's weights become their mean."""
    with torch.no_grad():
        flat = torch.cat([weight.reshape(-1) for weight in weights])
        torch.distributed.all_reduce(flat)
        parts = (flat / workers).split([weight.numel() for weight in weights])
        for weight, part in zip(weights, parts, strict=True):
            weight.copy_(part.view_as(weight))


def _frozen() -> tuple[str, ...]:
    layers = (f"bert.encoder.layer.{i}." for i in range(_FROZEN_LAYERS))
    return ("bert.embeddings.", *layers)


def fit(
    model: PreTrainedModel,
    stream: Iterator[list[Encoded]],
    validation: list[Encoded],
    plan: Plan,
    run: Path,
    rng: random.Random,
) -> None:
    """Train until the time is over; the averaged weights go to ``RUN/best`` at each validation."""
    decay: list[torch.nn.Parameter] = []
    plain: list[torch.nn.Parameter] = []
    heads: list[torch.nn.Parameter] = []
    for name, weight in model.named_parameters():
        if name.startswith(_frozen()):
            weight.requires_grad_(False)  # general language; and it saves a quarter of the time
        elif name.startswith("bert."):
            (plain if weight.ndim < 2 else decay).append(weight)
        else:
            heads.append(weight)
    optimizer = torch.optim.AdamW(
        [
            {"params": decay, "weight_decay": 0.01, "times": 1.0},
            {"params": plain, "weight_decay": 0.0, "times": 1.0},
            {"params": heads, "weight_decay": 0.0, "times": _HEAD_RATE},
        ],
        lr=plan.rate,
        fused=True,
    )
    average = copy.deepcopy(model)
    began = last = time.monotonic()
    seen = step = met = 0
    over = False
    for rows in stream:
        for batch in batches(rows, plan.budget, rng):
            spent = (time.monotonic() - began) / (60 * plan.minutes)
            if over := spent >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = (
                    group["times"] * plan.rate * min(1.0, (step + 1) / 60) * max(0.02, 1 - spent)
                )
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits, tokens = model(**tensors(batch))
            loss = loss_of(logits, tokens, batch)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step, seen = step + 1, seen + len(batch)
            # By the clock, so that nobody waits: at most one step a meeting.
            if plan.workers > 1 and (time.monotonic() - began) / _MEETING_S > met + 1:
                share_weights(decay + plain + heads, plan.workers)
                met += 1
            keep = min(0.995, step / (step + 20))
            with torch.no_grad():
                for mine, theirs in zip(average.parameters(), model.parameters(), strict=True):
                    if theirs.requires_grad:
                        mine.lerp_(theirs, 1 - keep)
            if step % 20 == 0 and plan.worker == 0:
                rate = seen * plan.workers / (time.monotonic() - began)
                print(
                    f"step {step} seen {seen} loss {loss.item():.3f} {rate:.1f} pairs/s", flush=True
                )
            if plan.worker == 0 and time.monotonic() - last > 60 * plan.every_minutes:
                _keep(average, validation, run, seen * plan.workers, spent)
                last = time.monotonic()
        if over:
            break
    while plan.workers > 1 and met < 60 * plan.minutes / _MEETING_S:
        share_weights(decay + plain + heads, plan.workers)
        met += 1
    if plan.worker == 0:
        _keep(average, validation, run, seen * plan.workers, 1.0)


def _keep(model: PreTrainedModel, rows: list[Encoded], run: Path, seen: int, spent: float) -> None:
    found = validate(model, rows)
    model.save_pretrained(run / "best")
    line = {"seen": seen, "spent": round(spent, 3), **found}
    print(json.dumps(line), flush=True)
    with (run / "validation.jsonl").open("a", encoding="utf-8") as log:
        log.write(json.dumps(line) + "\n")


def main() -> None:
    """Read the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--init", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True, help="folder of tokenizer.json")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--stage", choices=("synthetic", "mixture"), required=True)
    parser.add_argument("--share", type=int, default=8000, help="made-up pairs a pass")
    parser.add_argument("--repeats", type=float, default=1.0, help="of the labelled pairs a pass")
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--budget", type=int, default=2600, help="tokens a batch")
    parser.add_argument("--every-minutes", type=float, default=6.0)
    parser.add_argument("--max-tokens", type=int, default=224)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--worker", type=int, default=0)
    parser.add_argument("--port", type=int, default=29511)
    given = parser.parse_args()
    rng = random.Random(given.seed * 100 + given.worker)
    torch.manual_seed(given.seed)
    torch.set_num_threads(1)
    if given.workers > 1:
        torch.distributed.init_process_group(
            "gloo",
            init_method=f"tcp://127.0.0.1:{given.port}",
            rank=given.worker,
            world_size=given.workers,
        )
    given.run.mkdir(parents=True, exist_ok=True)
    tokenizer = load_tokenizer(given.tokenizer, given.max_tokens)
    made = read_pairs(given.data / "synthetic_validation.jsonl.gz")
    chosen = random.Random(0).sample(made, min(600, len(made)))
    chosen += read_pairs(given.data / "labelled_validation.jsonl.gz")
    validation = encode(chosen, tokenizer, [1.0] * len(chosen))
    passes = epochs_of(given.data, given.stage, given.share, given.repeats, rng)
    stream = (encode(part, tokenizer, balanced_weights(part)) for part in passes)
    plan = Plan(
        given.minutes, given.rate, given.budget, given.every_minutes, given.workers, given.worker
    )
    fit(load_model(given.init), stream, validation, plan, given.run, rng)


if __name__ == "__main__":
    main()
