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
from typing import Any

from questions import Item, correct, items

from averment.models.llama_cpp import LlamaCpp, open_llama_cpp
from averment.models.registry import Registry
from averment.prompts import Template
from averment.settings import resolve_settings
from averment.types import GenerationOptions, Prompt, Token

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


def row_of(item: Item, model: LlamaCpp) -> dict[str, Any]:
    """Everything that the estimators need, of one item."""
    start = time.perf_counter()
    prompt = prompt_of(item, with_passages=True)
    sampling = GenerationOptions(MAX_TOKENS, stop=("\n",), temperature=1.0, seed=1)
    (samples,) = model.sample([prompt], N_SAMPLES, sampling)  # reads the prompt; the rest reuses it
    tokens, tops = _greedy(prompt, model)
    answer = "".join(token.text for token in tokens)
    made: dict[str, Any] = {
        "key": item.key,
        "shown": item.digest,
        "replaced": item.replaced,
        "answer": answer,
        "correct": correct(answer, item.gold),
        "repeats_replaced": bool(item.replaced) and correct(answer, (item.replaced or "",)),
        "tokens": _plain(tokens),
        "top": tops,
        "samples": [{"text": s.text, "logprob": _total(s.tokens)} for s in samples],
    }
    if answer.strip():
        bare, nothing = prompt_of(item, with_passages=False), Prompt("\n")
        with_context, without, unprompted = model.score(
            [(prompt, answer), (bare, answer), (nothing, answer)]
        )
        asked = Prompt(TRUTH.fill(question=item.question, answer=answer.strip()))
        true, false = model.score([(asked, " True"), (asked, " False")])
        made |= {
            "rescored": _plain(with_context),
            "without_context": _plain(without),
            "without_prompt": _plain(unprompted),
            "p_true": [_total(true), _total(false)],
        }
    made["seconds"] = round(time.perf_counter() - start, 2)
    return made


def _greedy(prompt: Prompt, model: LlamaCpp) -> tuple[list[Token], list[list[Any]]]:
    """The greedy answer up to the end of its line, with alternatives."""
    request = {
        "prompt": prompt.text,
        "max_tokens": MAX_TOKENS,
        "temperature": 0,
        "logprobs": N_TOP,
        "cache_prompt": True,
    }
    reply = model._open_server().handle_completions(request)
    tokens, tops = [], []
    for entry in (reply["choices"][0]["logprobs"] or {}).get("content", ()):
        if "\n" in entry["token"]:
            break
        tokens.append(Token(entry["token"], entry["logprob"]))
        others = [t for t in entry["top_logprobs"] if t["id"] != entry["id"]]
        tops.append([[t["token"], round(t["logprob"], 4)] for t in others])
    return tokens, tops


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
            n_parallel=N_SAMPLES,
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
