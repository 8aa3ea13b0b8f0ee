"""The teacher: a language model labels sentences under the grammar; rows hold places, no text.

    python label.py --data DATA --model FILE.gguf --rows labels.jsonl --n 12000

Any `LanguageModel` can be the teacher; here it is one in a GGUF file. Rows are written as they
come, in the order of the sentences, and what a file has is not asked again, so that the same
command goes on where it was stopped. `--part 1/2` and `--part 2/2` share the work between two
processes, each with a copy of the rows that there are; `sort -u` makes one file of both. Only
triplets that passed the span rule (`averment.claims.spans`) are kept. A row:

    {"corpus": "wiki_passages", "id": "wiki:000012", "start": 0, "end": 58, "digest": "…",
     "triplets": [[[0, 9], [23, 30], [31, 37], "other"], [[0, 9], "died on", [40, 57], "date"]]}

that is head, relation, tail as code points of the sentence, and the kind of the tail. The relation
stands in the teacher's words where these are not words of the sentence. A reply that could not be
read is a row with ``"failed": true`` and no triplets: it is not an empty label.

What this module does not do: repair replies, or keep the texts.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from averment.claims.prompted import PromptedExtractor
from averment.errors import ExtractionError
from averment.models.llama_cpp import open_llama_cpp
from averment.ports import ClaimExtractor
from averment.text import TextForm
from averment.types import Triplet
from sentences import Drawn, drawn

_FORM = TextForm()


def label(
    sentences: Sequence[Drawn], teacher: ClaimExtractor, n_at_a_time: int = 1
) -> Iterator[dict[str, Any]]:
    """The rows of sentences, in their order; each is asked alone, so that it fails alone."""
    with ThreadPoolExecutor(n_at_a_time) as pool:
        yield from pool.map(lambda each: _row(each, teacher), sentences)


def _row(sentence: Drawn, teacher: ClaimExtractor) -> dict[str, Any]:
    try:
        [extraction] = teacher.triplets([sentence.text])
    except ExtractionError:
        extraction = None
    triplets = extraction.triplets if extraction else ()
    row = {"corpus": sentence.corpus, "id": sentence.document}
    row |= {"start": sentence.start, "end": sentence.end, "digest": sentence.digest}
    row |= {"triplets": [placed(sentence.text, triplet) for triplet in triplets]}
    return row | ({"failed": True} if extraction is None else {})


def placed(sentence: str, triplet: Triplet) -> list[Any]:
    """Head, relation, tail and kind of the tail, by code points.

    Of several places the relation takes the first, head and tail the nearest to it (to each other
    where the relation is not in the sentence).
    """
    heads, tails = places(sentence, triplet.head), places(sentence, triplet.tail)
    relations = places(sentence, triplet.relation)
    if relations:
        near = relations[0]
        head, tail = (min(each, key=lambda span: _gap(span, near)) for each in (heads, tails))
        return [head, near, tail, triplet.tail_kind]
    head, tail = min(((h, t) for h in heads for t in tails), key=lambda pair: _gap(*pair))
    return [head, triplet.relation, tail, triplet.tail_kind]


def places(sentence: str, phrase: str) -> list[list[int]]:
    """Where the words of a phrase stand in a sentence, as code points."""
    words = _FORM.words_with_spans(sentence)
    wanted = _FORM.words(phrase)
    forms = [word.form for word in words]
    return [
        [words[at].start, words[at + len(wanted) - 1].end]
        for at in range(len(forms) - len(wanted) + 1)
        if wanted and forms[at : at + len(wanted)] == wanted
    ]


def _gap(a: Sequence[int], b: Sequence[int]) -> int:
    return max(a[0], b[0]) - min(a[1], b[1])


def main() -> None:
    """Read the arguments and label what is left."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="a GGUF file")
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--n", type=int, default=12_000, help="sentences in all")
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--part", default="1/1", help="K/N: every Nth sentence from the Kth on")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--parallel", type=int, default=16, help="sentences decoded at once")
    arguments = parser.parse_args()
    part, _, n_parts = arguments.part.partition("/")
    if not (part.isdecimal() and n_parts.isdecimal() and 1 <= int(part) <= int(n_parts)):
        parser.error(f"--part is K/N with K from 1 to N, such as 1/2, not {arguments.part!r}")
    lines = (
        arguments.rows.read_text(encoding="utf-8").splitlines() if arguments.rows.exists() else []
    )
    done = {(row["corpus"], row["id"], row["start"]) for row in map(json.loads, lines)}
    every = drawn(arguments.data, arguments.seed, arguments.n)
    every = every[int(part) - 1 :: int(n_parts)]
    left = [each for each in every if (each.corpus, each.document, each.start) not in done]
    sys.stdout.write(f"{len(every)} sentences, {len(left)} left\n")
    model = open_llama_cpp(
        arguments.model,
        name=arguments.model.stem,
        n_ctx=1024,
        n_threads=arguments.threads,
        n_parallel=arguments.parallel,
    )
    with model, arguments.rows.open("a", encoding="utf-8") as rows:
        teacher, started = PromptedExtractor(model), time.monotonic()
        for n, row in enumerate(label(left, teacher, arguments.parallel), start=1):
            rows.write(json.dumps(row) + "\n")
            rows.flush()
            if n % 16 == 0 or n == len(left):
                passed = time.monotonic() - started
                sys.stdout.write(f"{n} in {passed:.0f} s, {n / passed:.3f} a second\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
