"""Ten multi-hop questions under none, single and quco: answers, retrievals, tokens, seconds.

    averment index build ../shared/data/corpus/wiki_passages.jsonl.gz -o /tmp/wiki
    python bench/multihop_table.py --index /tmp/wiki --model qwen2.5-coder-0.5b

The first five questions with context of 2WikiMultihopQA and of HotpotQA (dev). Ten questions show
that the machine works; they say nothing about which policy is better. One JSON row a question and
policy goes to `bench/runs/`, a table to the screen.
"""

from __future__ import annotations

import argparse
import collections
import datetime
import gzip
import json
import pathlib
import platform
import re
import string
import sys

import averment

HERE = pathlib.Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data" / "qa_multihop"
SETS = {"2wiki": "2wiki_dev_ctx_migres", "hotpotqa": "hotpotqa_dev_ctx_migres"}
POLICIES = ("none", "single", "quco")


def questions(n_each: int) -> list[tuple[str, str, str]]:
    """(set, question, gold answer) of the first rows that have a context."""
    found = []
    for name, file in SETS.items():
        with gzip.open(DATA / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = [row for row in map(json.loads, lines) if row.get("context")]
        found += [(name, row["question"], row["answer"]) for row in rows[:n_each]]
    return found


def normalise(answer: str) -> list[str]:
    """The words of an answer as SQuAD compares them: no case, punctuation or articles."""
    bare = "".join(c for c in answer.lower() if c not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def token_f1(predicted: str, gold: str) -> float:
    """Multiset F1 of the words; 0 for a wrong yes or no."""
    a, b = normalise(predicted), normalise(gold)
    common = sum((collections.Counter(a) & collections.Counter(b)).values())
    if a != b and ({"yes", "no"} & {*a[:1], *b[:1]}):
        return 0.0
    return 2 * common / (len(a) + len(b)) if common else 0.0


def main() -> None:
    """Run, write the rows, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--each", type=int, default=5)
    arguments = parser.parse_args()
    rows = []
    for policy in POLICIES:
        engine = averment.open_engine(index=arguments.index, model=arguments.model, policy=policy)
        for name, question, gold in questions(arguments.each):
            result = engine.ask(question)
            answer = result.answer
            short = answer.final_answer
            rows.append(
                {
                    "set": name,
                    "question": question,
                    "gold": gold,
                    "policy": policy,
                    "settings": answer.policy,
                    "model": answer.model,
                    "answer": short,
                    "draft": answer.draft,
                    "verdict": answer.verdict,
                    "reason": answer.reason,
                    "em": normalise(short) == normalise(gold),
                    "f1": round(token_f1(short, gold), 3),
                    "retrievals": answer.cost.retrievals,
                    "model_calls": answer.cost.model_calls,
                    "prompt_tokens": answer.cost.prompt_tokens,
                    "generated_tokens": answer.cost.generated_tokens,
                    "seconds": round(answer.cost.seconds, 1),
                    "averment": result.trace.versions["averment"],
                    "index": engine.edges.index.info.digest,
                    "machine": f"{platform.machine()}, Python {platform.python_version()}",
                }
            )
            row = rows[-1]
            told = f"{row['policy']:<7} {row['verdict']:<9} {row['seconds']:>6} s  {question}"
            sys.stderr.write(f"{told}  → {short or '-'}  (gold: {gold})\n")
        engine.close()
    day = datetime.date.today().isoformat()
    target = HERE / "runs" / f"{day}-multihop-{arguments.model}.jsonl"
    target.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    print_summary(rows)


def print_summary(rows: list[dict[str, object]]) -> None:
    """One line a policy."""
    sys.stdout.write("policy   EM  F1     answered/warned/abstained  retrievals tokens seconds\n")
    for policy in POLICIES:
        mine = [row for row in rows if row["policy"] == policy]
        verdicts = collections.Counter(str(row["verdict"]) for row in mine)
        counts = "/".join(str(verdicts[v]) for v in ("answered", "warned", "abstained"))
        total = {
            name: sum(float(str(row[name])) for row in mine)
            for name in ("f1", "retrievals", "prompt_tokens", "generated_tokens", "seconds")
        }
        tokens = int(total["prompt_tokens"] + total["generated_tokens"])
        sys.stdout.write(
            f"{policy:<7} {sum(bool(row['em']) for row in mine):>3}  {total['f1'] / len(mine):.2f}"
            f"   {counts:>25}  {total['retrievals']:>10.0f} {tokens:>6} {total['seconds']:>7.1f}\n"
        )


if __name__ == "__main__":
    main()
