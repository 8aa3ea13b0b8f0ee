"""The teacher: a language model labels sentences under the grammar; rows hold places, no text.

    python label.py --data DATA --model FILE.gguf --rows labels.jsonl --n 12000

Any `LanguageModel` can be the teacher; here it is one in a GGUF file. A row is written when its
batch is done, and what a file has is not asked again, so that the same command goes on where it
was stopped. `--part 1/2` and `--part 2/2` share the work between two processes, each with a copy of
the rows that there are; `sort -u` makes one file of both. Only triplets that passed the span rule
(`averment.claims.spans`) are kept. A row:

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
from pathlib import Path
from typing import Any

from averment.claims.prompted import PromptedExtractor
from averment.errors import ExtractionError
from averment.models.llama_cpp import open_llama_cpp
from averment.ports import ClaimExtractor
from averment.text import TextForm
from averment.types import Extraction, Triplet
from sentences import Drawn, drawn

_FORM = TextForm()


def label(sentences: Sequence[Drawn], teacher: ClaimExtractor) -> Iterator[dict[str, Any]]:
    """The rows of some sentences, asked at once; if a reply cannot be read, of each alone."""
    try:
        extractions: list[Extraction | None] = [
            *teacher.triplets([each.text for each in sentences])
        ]
    except ExtractionError:
        if len(sentences) > 1:
            for each in sentences:
                yield from label([each], teacher)
            return
        extractions = [None]
    for each, extraction in zip(sentences, extractions, strict=True):
        kept = extraction.triplets if extraction else ()
        found = [placed(each.text, triplet) for triplet in kept]
        row = {"corpus": each.corpus, "id": each.document, "start": each.start, "end": each.end}
        row |= {"digest": each.digest, "triplets": found}
        yield row | ({"failed": True} if extraction is None else {})


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
    parser.add_argument("--parallel", type=int, default=4, help="sentences decoded at once")
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
    batch = 4 * arguments.parallel
    with model, arguments.rows.open("a", encoding="utf-8") as rows:
        teacher, started = PromptedExtractor(model), time.monotonic()
        for at in range(0, len(left), batch):
            for row in label(left[at : at + batch], teacher):
                rows.write(json.dumps(row) + "\n")
            rows.flush()
            n, passed = min(at + batch, len(left)), time.monotonic() - started
            sys.stdout.write(f"{n} in {passed:.0f} s, {n / passed:.3f} a second\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
