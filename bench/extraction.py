"""How well extractors find the (head, tail) pairs of sentences, with intervals by sentence.

    python bench/extraction.py --extractor rules --set 2wiki --split report --rows ROWS.jsonl
    python bench/extraction.py --extractor model --model qwen2.5-coder-1.5b --n 50 …  # resumable
    python bench/extraction.py --table ROWS.jsonl

A row a sentence is written as it comes, without the sentence; what a file has is not asked again.
`--n` takes a seeded sample. Where several runs are in one file, the table shows each.

- *recall*: the gold pairs that were found, head as head and tail as tail.
- *precision, gold ends*: of the found pairs whose two ends are both ends of gold pairs or known
  names of the sentence, those that are gold. The gold lists are not exhaustive, so that this is
  the precision of the goal and of F1.
- *precision, strict*: of all found pairs, those that are gold; a lower bound.
- *either way*: recall where head and tail may be swapped.

Tails that the span rule refuses on purpose (nationalities) are left out, but for `all`, recall with
them. The matching rule is that of `extraction_sets.py`.
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from extraction_sets import SETS, GoldSentence, is_generic, key, read_sentences

from averment.claims.prompted import PromptedExtractor
from averment.claims.rules import RulesExtractor
from averment.errors import ExtractionError
from averment.ports import ClaimExtractor
from averment.text import TextForm
from averment.types import Extraction, Triplet

DATA = pathlib.Path(__file__).parent.parent.parent / "shared" / "data"
RESAMPLES = 1000
LENGTHS = (10, 20, 30, 1000)
COUNTS = (
    "gold",
    "hit",
    "hit_either",
    "gold_all",
    "hit_all",
    "found",
    "right",
    "known",
    "known_right",
)
KINDS = ("person", "place", "date", "number", "other")
Row = dict[str, object]


def measured(sentence: GoldSentence, extraction: Extraction) -> dict[str, int]:
    """How many gold pairs were found, and how many found pairs are gold."""
    found = list({(each.head, each.tail): each for each in extraction.triplets}.values())
    specific = [pair for pair in sentence.pairs if not is_generic(pair)]
    known = [
        each
        for each in found
        if all(_is_known(sentence, end) for end in (each.head, each.tail))
        and key(each.head) != key(each.tail)  # "Shaneh (also written Shāneh)"
    ]
    return {
        "gold": len(specific),
        "hit": sum(_hits(sentence, pair, found) for pair in specific),
        "hit_either": sum(
            _hits(sentence, pair, found) or _hits(sentence, pair[::-1], found) for pair in specific
        ),
        "gold_all": len(sentence.pairs),
        "hit_all": sum(_hits(sentence, pair, found) for pair in sentence.pairs),
        "found": len(found),
        "right": sum(_is_gold(sentence, each) for each in found),
        "known": len(known),
        "known_right": sum(_is_gold(sentence, each) for each in known),
        **_typed(sentence, found),
    }


def _typed(sentence: GoldSentence, found: Sequence[Triplet]) -> dict[str, int]:
    """How the kinds of tails compare with those of the makers: "place as other", and so on."""
    compared: collections.Counter[str] = collections.Counter()
    for each in found:
        kind = next((k for end, k in sentence.kinds.items() if sentence.is_end(each.tail, end)), "")
        if kind:
            said = each.tail_kind if each.tail_kind in KINDS else "other"  # titles are MISC there
            compared[f"{kind} as {said}"] += 1
    return dict(compared)


def _pairs(sentence: GoldSentence, each: Triplet, pair: Sequence[tuple[str, ...]]) -> bool:
    return sentence.is_end(each.head, pair[0]) and sentence.is_end(each.tail, pair[1])


def _hits(
    sentence: GoldSentence, pair: Sequence[tuple[str, ...]], found: Iterable[Triplet]
) -> bool:
    return any(_pairs(sentence, each, pair) for each in found)


def _is_gold(sentence: GoldSentence, each: Triplet) -> bool:
    return any(_pairs(sentence, each, pair) for pair in sentence.pairs)


def _is_known(sentence: GoldSentence, name: str) -> bool:
    return any(sentence.is_end(name, end) for end in sentence.entities)


# --- running ------------------------------------------------------------------------------------


def run(arguments: argparse.Namespace) -> None:
    """Ask an extractor sentence by sentence and append a row for each."""
    sentences = read_sentences(arguments.data, arguments.set, arguments.split)
    if arguments.n:
        sentences = random.Random(arguments.seed).sample(
            sentences, min(arguments.n, len(sentences))
        )
    name, extractor = _open(arguments)
    run_id = {"set": arguments.set, "split": arguments.split, "extractor": name}
    done = {row["id"] for row in _read(arguments.rows) if run_id.items() <= row.items()}
    left = [each for each in sentences if each.sentence_id not in done]
    with arguments.rows.open("a", encoding="utf-8") as rows:
        for start in range(0, len(left), arguments.batch):
            for row in _asked(extractor, left[start : start + arguments.batch]):
                rows.write(json.dumps({**run_id, **row}) + "\n")
            rows.flush()
    sys.stdout.write(table([row for row in _read(arguments.rows) if run_id.items() <= row.items()]))


def _asked(extractor: ClaimExtractor, sentences: Sequence[GoldSentence]) -> Iterator[Row]:
    """The rows of some sentences that are asked at once; if that fails, of each alone."""
    started = time.perf_counter()
    failed = False
    try:
        extractions = extractor.triplets([each.text for each in sentences])
    except ExtractionError:
        if len(sentences) > 1:
            for each in sentences:
                yield from _asked(extractor, [each])
            return
        extractions, failed = [Extraction(())], True
    ms = (time.perf_counter() - started) * 1e3 / len(sentences)
    for sentence, extraction in zip(sentences, extractions, strict=True):
        yield {
            "id": sentence.sentence_id,
            "n_words": len(TextForm().words(sentence.text)),
            "ms": round(ms, 2),
            "failed": failed,
            **measured(sentence, extraction),
        }


def _open(arguments: argparse.Namespace) -> tuple[str, ClaimExtractor]:
    if arguments.extractor == "rules":
        return "rules", RulesExtractor()
    if arguments.extractor == "spacy":
        from averment.claims.parsed import open_spacy

        return "spacy", open_spacy()
    if arguments.extractor == "distilled":
        from averment.wiring.models import open_distilled

        return "distilled", open_distilled()
    from averment.models.llama_cpp import open_llama_cpp

    path = pathlib.Path(arguments.model)
    model = open_llama_cpp(path, name=path.stem, n_threads=1)
    return f"model {path.stem}", PromptedExtractor(model)


def _read(path: pathlib.Path) -> list[Row]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# --- figures ------------------------------------------------------------------------------------


def table(rows: Sequence[Row]) -> str:
    """A line for each set, split and extractor, and the share of empty extractions by length."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["set"], row["split"], row["extractor"]].append(row)
    lines = [
        "| set | split | extractor | sentences | pairs | recall | precision, gold ends "
        "| F1 | precision, strict | either way | all | failed | ms |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    empty = [
        "| set | split | extractor | "
        + " | ".join(f"up to {n}" for n in LENGTHS[:-1])
        + " | longer |",
        "| --- | --- | --- |" + " --- |" * len(LENGTHS),
    ]
    for group, members in groups.items():
        lines.append(f"| {' | '.join(map(str, group))} | {_figures(members)} |")
        empty.append(f"| {' | '.join(map(str, group))} | {_empty_shares(members)} |")
    return "\n".join([*lines, "", *empty, ""])


def _figures(rows: Sequence[Row]) -> str:
    counts = np.array([[row[name] for name in COUNTS] for row in rows], dtype=float)
    draws = np.random.default_rng(0).integers(0, len(rows), (RESAMPLES, len(rows)))
    resampled = np.array([metrics(counts[draw].sum(axis=0)) for draw in draws])
    low, high = np.nanpercentile(resampled, [2.5, 97.5], axis=0)
    point = metrics(counts.sum(axis=0))
    shown = [f"{point[at]:.3f} [{low[at]:.3f}, {high[at]:.3f}]" for at in range(3)]
    shown += [f"{value:.3f}" for value in point[3:]]
    failed = sum(bool(row["failed"]) for row in rows)
    ms = sorted(float(str(row["ms"])) for row in rows)[len(rows) // 2]
    cells = [len(rows), int(counts[:, 0].sum()), *shown, failed, f"{ms:.1f}"]
    return " | ".join(map(str, cells))


def metrics(sums: np.ndarray) -> list[float]:
    """The columns of the table from the sums of `COUNTS`."""
    of = dict(zip(COUNTS, sums, strict=True))
    recall, precision = _ratio(of["hit"], of["gold"]), _ratio(of["known_right"], of["known"])
    f1 = _ratio(2 * recall * precision, recall + precision)
    strict, either = _ratio(of["right"], of["found"]), _ratio(of["hit_either"], of["gold"])
    return [recall, precision, f1, strict, either, _ratio(of["hit_all"], of["gold_all"])]


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _empty_shares(rows: Sequence[Row]) -> str:
    shares, least = [], 0
    for most in LENGTHS:
        inside = [row for row in rows if least < int(str(row["n_words"])) <= most]
        n_empty = sum(row["found"] == 0 for row in inside)
        shares.append(f"{n_empty} of {len(inside)}" if inside else "")
        least = most
    return " | ".join(shares)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=pathlib.Path, default=DATA)
    parser.add_argument("--set", choices=SETS, default="2wiki")
    parser.add_argument("--split", choices=("choose", "report"), default="choose")
    parser.add_argument(
        "--extractor", choices=("rules", "spacy", "distilled", "model"), default="rules"
    )
    parser.add_argument("--model", help="a GGUF file, for --extractor model")
    parser.add_argument("--n", type=int, default=0, help="size of a sample; 0: all")
    parser.add_argument("--batch", type=int, default=1, help="sentences that are asked at once")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=pathlib.Path, default=pathlib.Path("extraction.jsonl"))
    parser.add_argument("--table", type=pathlib.Path, help="only show the figures of these rows")
    arguments = parser.parse_args()
    if arguments.table:
        sys.stdout.write(table(_read(arguments.table)))
    else:
        run(arguments)


if __name__ == "__main__":
    main()
