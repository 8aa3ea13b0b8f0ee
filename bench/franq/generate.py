"""Answers, samples and re-scorings of a local model for the short-form FRANQ bench; resumable.

    cd ../shared/data/corpus
    averment index build wiki_passages.jsonl.gz timeqa_pages.jsonl.gz world_factbook.jsonl.gz -o IDX
    python bench/franq/generate.py --index IDX --model qwen2.5-coder-0.5b

For every item of `questions.py`: the greedy answer with the ten most probable tokens at each
position, ten samples at temperature 1, the answer's tokens re-scored without the passages and
after nothing at all, and what the model says when asked whether its answer is true. One JSON row
an item is appended to `bench/runs/franq-short-MODEL.jsonl` as it comes; items that are there are
skipped, so the run can be stopped at any time and goes on where it was. Scores are computed from
the rows by `evaluate.py`.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
import time
from dataclasses import dataclass
from typing import Any

from questions import Item, correct, items

from averment.models.llama_cpp import LlamaCpp, open_llama_cpp
from averment.models.registry import Registry
from averment.prompts import Template
from averment.settings import resolve_settings
from averment.types import Prompt, Token

RUNS = pathlib.Path(__file__).parents[1] / "runs"
N_SAMPLES = 10
MAX_TOKENS = 24
N_TOP = 10

# Passages may or may not hold the answer, and the model is told so; the answer is one line.
ANSWER = Template(
    "bench_short_answer",
    """\
Answer the question with a name, a date or a few words, on one line. The passages may or may not \
help.

Question: Which sea lies between Sweden and Finland?
Answer: the Gulf of Bothnia

Passages:
- Ada Lovelace: Ada Lovelace wrote notes on the Analytical Engine, which were printed in 1843.

Question: When were Ada Lovelace's notes printed?
Answer: 1843

{passages}Question: {question}
Answer:""",
)
TRUTH = Template(
    "bench_is_it_true",
    """\
Question: {question}
Proposed answer: {answer}
Is the proposed answer true? Reply True or False.
Reply:""",
)


def prompt_of(item: Item, *, with_passages: bool) -> Prompt:
    """What the model is asked."""
    lines = [f"- {title}: {text}" if title else f"- {text}" for title, text in item.passages]
    shown = "Passages:\n" + "\n".join(lines) + "\n\n" if with_passages else ""
    return Prompt(ANSWER.fill(passages=shown, question=item.question))


def row_of(item: Item, model: LlamaCpp, *, n_samples: int = N_SAMPLES) -> dict[str, Any]:
    """Everything that the estimators need, of one item."""
    start = time.perf_counter()
    prompt = prompt_of(item, with_passages=True)
    greedy = _line(prompt, model, n_top=N_TOP)
    # Not one seed for all: the same draw would land in the same tail for every question.
    seed = int(item.digest[:8], 16) % 2**31
    drawn = [_line(prompt, model, temperature=1.0, seed=seed + at) for at in range(n_samples)]
    tokens = greedy.tokens
    answer = "".join(token.text for token in tokens)
    made: dict[str, Any] = {
        "key": item.key,
        "shown": item.digest,
        "replaced": item.replaced,
        "answer": answer,
        "correct": correct(answer, item.gold),
        "repeats_replaced": bool(item.replaced) and correct(answer, (item.replaced or "",)),
        "tokens": _plain(tokens),
        "end": greedy.end,
        "top": greedy.tops,
        "samples": [
            {
                "text": "".join(token.text for token in sample.tokens),
                # The end of the line is a token of its own, without text.
                "tokens": [*_plain(sample.tokens), *([["", sample.end]] if sample.end else [])],
            }
            for sample in drawn
        ],
    }
    if answer.strip():
        bare, nothing = prompt_of(item, with_passages=False), Prompt("\n")
        (with_context,) = model.score([(prompt, answer)])
        (without,) = model.score([(bare, answer)])
        (unprompted,) = model.score([(nothing, answer)])
        asked = Prompt(TRUTH.fill(question=item.question, answer=answer.strip()))
        true, false = (model.score([(asked, reply)])[0] for reply in (" True", " False"))
        made |= {
            "rescored": _plain(with_context),
            "without_context": _plain(without),
            "without_prompt": _plain(unprompted),
            "p_true": [_total(true), _total(false)],
        }
    made["seconds"] = round(time.perf_counter() - start, 2)
    return made


@dataclass
class Line:
    """A line as it was written; `end` is the log-probability of its end, None if it was cut."""

    tokens: list[Token]
    tops: list[list[Any]]
    end: float | None = None


def _line(
    prompt: Prompt, model: LlamaCpp, *, temperature: float = 0.0, seed: int = 0, n_top: int = 1
) -> Line:
    """One line after a prompt; the prompt is read once for all lines that follow each other.

    The public `generate` ends before the stop string and drops the token that is it, whose
    log-probability a sample needs: without it a short answer is as likely as all that begin so.
    """
    line = Line([], [])

    def take(chunk: Any) -> bool:
        for entry in (chunk["choices"][0]["logprobs"] or {}).get("content", ()):
            logprob = round(entry["logprob"], 4)
            if "\n" in entry["token"]:
                line.end = logprob
                return True
            line.tokens.append(Token(entry["token"], logprob))
            others = [t for t in entry["top_logprobs"] if t["id"] != entry["id"]]
            line.tops.append([[t["token"], round(t["logprob"], 4)] for t in others])
        return False

    request = {
        "prompt": prompt.text,
        "max_tokens": MAX_TOKENS,
        "temperature": temperature,
        "seed": seed,
        "top_k": 0,
        "top_p": 1.0,
        "min_p": 0.0,
        "logprobs": n_top,
        "cache_prompt": True,
        "stream": True,
    }
    model._open_server().handle_completions(request, take)
    return line


def _plain(tokens: list[Token]) -> list[list[Any]]:
    return [[t.text, None if t.logprob is None else round(t.logprob, 4)] for t in tokens]


def _total(tokens: Any) -> float | None:
    values = [token.logprob for token in tokens]
    return None if None in values else round(sum(values), 4)


def main() -> None:
    """Go on with the run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--condition", help="only this one")
    parser.add_argument("--limit", type=int, help="items to add at most")
    arguments = parser.parse_args()
    target = RUNS / f"franq-short-{arguments.model}.jsonl"
    done = set()
    if target.exists():
        done = {json.loads(line)["key"] for line in target.open(encoding="utf-8")}
    left = [
        item
        for item in items(arguments.index)
        if item.key not in done and arguments.condition in (None, item.condition)
    ][: arguments.limit]
    path = Registry(resolve_settings().home).resolve(arguments.model)
    with (
        open_llama_cpp(
            path,
            name=arguments.model,
            n_ctx=1024,
            n_threads=arguments.threads,
            n_parallel=1,  # one slot, so that lines after one prompt share its reading
        ) as model,
        target.open("a", encoding="utf-8") as rows,
    ):
        for at, item in enumerate(left, 1):
            row = row_of(item, model)
            rows.write(json.dumps(row, ensure_ascii=False) + "\n")
            rows.flush()
            told = f"{row['seconds']} s  {item.key}  {row['answer']!r} {row['correct']}"
            sys.stderr.write(f"{at}/{len(left)} {told}\n")


if __name__ == "__main__":
    main()
