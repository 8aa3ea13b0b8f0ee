r"""The paper's recipe: a small language model, tuned whole to write triplets; needs a GPU.

    PYTHONPATH=.:../../bench python sft_generator.py --init MODEL --data DATA --labels LABELS \
        --out DIR

QuCo-RAG distils its extractor into a generator of 0.5 billion parameters by full supervised
fine-tuning, and asks it with the worked examples in front all the same. So here: the prompt is that
of `averment.claims.prompted`, the answer the teacher's line of JSON, the loss is on the line alone,
and `DIR` is a checkpoint that averment opens (`--runtime transformers --model DIR --extractor
model`). The paper does not publish its optimiser, rate, batch and length; those here are our guess.
Sentences of validation pages (`examples.is_validation`) stay out.

Source: "QuCo-RAG" (arXiv 2512.19134), the lightweight extractor.

What this module does not do: adapters, several GPUs, evaluation (`bench/extraction.py` does).
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel
from transformers.optimization import get_cosine_schedule_with_warmup

from averment import prompts
from examples import Example, is_validation, taught

_IGNORED = -100


def line_of(example: Example) -> str:
    """What the teacher wrote, as far as the span rule kept it."""
    triplets = []
    for (head, tail), said in example.links.items():
        relation = said if isinstance(said, str) else example.text[slice(*(said or (0, 0)))]
        triplets.append([example.text[slice(*head)], relation, example.text[slice(*tail)]])
    return " " + json.dumps(triplets, ensure_ascii=False)


def encode(example: Example, tokenizer: AutoTokenizer, most_tokens: int) -> list[list[int]]:
    """Token ids, and the same with the prompt left out of the loss."""
    sentence = " ".join(example.text.split())
    prompt = tokenizer(prompts.load("triplets").fill(sentence=sentence).rstrip("\n"))["input_ids"]
    line = tokenizer(line_of(example) + "\n", add_special_tokens=False)["input_ids"]
    line += [tokenizer.eos_token_id]
    ids, labels = prompt + line, [_IGNORED] * len(prompt) + line
    return [ids[:most_tokens], labels[:most_tokens]]


def batches(
    rows: Sequence[list[list[int]]], size: int, rng: random.Random
) -> Iterator[dict[str, torch.Tensor]]:
    """Batches without end, each row once in a pass, padded to the longest."""
    while True:
        order = rng.sample(range(len(rows)), len(rows))
        for at in range(0, len(rows), size):
            part = [rows[i] for i in order[at : at + size]]
            longest = max(len(ids) for ids, _ in part)

            def padded(which: int, fill: int, part=part, longest=longest) -> torch.Tensor:  # type: ignore[no-untyped-def]
                return torch.tensor([r[which] + [fill] * (longest - len(r[which])) for r in part])

            mask = torch.tensor([[1] * len(r[0]) + [0] * (longest - len(r[0])) for r in part])
            yield {"input_ids": padded(0, 0), "attention_mask": mask, "labels": padded(1, _IGNORED)}


def tune(
    model: PreTrainedModel, stream: Iterator[dict[str, torch.Tensor]], given: argparse.Namespace
) -> list[float]:
    """All weights, AdamW, cosine schedule; the losses."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=given.rate, weight_decay=0.01)
    schedule = get_cosine_schedule_with_warmup(optimizer, given.steps // 20, given.steps)
    losses = []
    model.train()
    for step in range(given.steps):
        batch = {name: each.to(given.device) for name, each in next(stream).items()}
        with torch.autocast(given.device, dtype=torch.bfloat16):
            loss = model(**batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.item())
        if (step + 1) % 50 == 0:
            print(f"step {step + 1} loss {sum(losses[-50:]) / 50:.3f}", flush=True)
    return losses


def main(arguments: Sequence[str] | None = None) -> list[float]:
    """Read the arguments, tune and save."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--init", required=True, help="Qwen/Qwen2.5-0.5B-Instruct, or a folder")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--labels", type=Path, required=True, help="the teacher's rows")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--steps", type=int, default=1_500)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rate", type=float, default=1e-5)
    parser.add_argument("--max-tokens", type=int, default=1_024)
    parser.add_argument("--seed", type=int, default=31)
    given = parser.parse_args(arguments)
    torch.manual_seed(given.seed)
    tokenizer = AutoTokenizer.from_pretrained(given.init)
    examples = [
        each for each in taught(given.data, given.labels) if not is_validation(each.document)
    ]
    rows = [encode(each, tokenizer, given.max_tokens) for each in examples]
    model = AutoModelForCausalLM.from_pretrained(given.init).to(given.device)
    losses = tune(model, batches(rows, given.batch, random.Random(given.seed)), given)
    model.save_pretrained(given.out)
    tokenizer.save_pretrained(given.out)
    print(f"{len(rows)} sentences, loss {losses[0]:.3f} to {losses[-1]:.3f}; saved in {given.out}")
    return losses


if __name__ == "__main__":
    main()
