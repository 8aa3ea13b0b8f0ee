"""What everything but the language model costs: extraction, counts, retrieval, driver.

    python bench/policy_overhead.py

Asks the questions of the bundled encyclopaedia with the local 0.5B model and sums the times of
the steps in the traces by kind. Prints one JSON row. Target: at most 5 % of the time of an answer
and 20 ms a sentence.
"""

from __future__ import annotations

import collections
import json
import sys
import time

from averment.cli.demo import ROLES, open_demo, questions


def main() -> None:
    """Run once over all questions of all roles."""
    engine = open_demo(None, offline=None, quiet=True)
    spent: collections.Counter[str] = collections.Counter()
    n_sentences = 0
    wall = 0.0
    asked = [question for role in ROLES for question in questions(role.name)]
    for question in asked:
        started = time.perf_counter()
        result = engine.ask(question)
        wall += (time.perf_counter() - started) * 1000
        n_sentences += len(result.claims)
        for record in result.trace.records:
            spent[type(record.step).__name__] += record.ms
    model_ms = spent.pop("Generate")
    row = {
        "bench": "policy_overhead",
        "model": engine.edges.model.info.name,
        "questions": len(asked),
        "sentences": n_sentences,
        "wall_ms": round(wall),
        "model_ms": round(model_ms),
        "steps_ms": {kind: round(ms, 1) for kind, ms in spent.items()},
        "driver_ms": round(wall - model_ms - sum(spent.values()), 1),
        "overhead_share": round(1 - model_ms / wall, 4),
        "overhead_ms_a_sentence": round((wall - model_ms) / max(n_sentences, 1), 2),
    }
    sys.stdout.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
