"""Build the training and validation files.

    python build.py --data DATA --wordnet WORDNET --vocabulary vocab.txt --out OUT

OUT gets ``{labelled,synthetic}_{train,validation}.jsonl.gz``. Same seed, same files.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from facts import fact_pairs
from labelled import labelled_pairs
from lexicon import load_lexicon
from mentions import mention_pairs
from pairs import Pair, is_validation, write_pairs
from relations import relation_pairs, tuple_pairs
from sources import passages, questions
from synthetic import edit_pairs, joined_pairs, neighbour_pairs, question_pairs, unrelated_pairs


def synthetic_pairs(data: Path, wordnet: Path, vocabulary: Path, seed: int) -> list[Pair]:
    """Every kind of made-up pair, in the proportions the model was trained on."""
    rng = random.Random(seed)
    common = frozenset(vocabulary.read_text(encoding="utf-8").split())
    lexicon = load_lexicon(wordnet, common)
    texts = [p for p in passages(data) if p.sentences]
    rng.shuffle(texts)
    pairs = list(edit_pairs(texts, lexicon, rng, 50_000))
    pairs += neighbour_pairs(texts, lexicon, rng, 6_000)
    pairs += joined_pairs(texts, lexicon, rng, 3_000)
    pairs += fact_pairs(texts, rng, 16_000)
    pairs += relation_pairs(data, rng)
    pairs += tuple_pairs(data, rng)
    pairs += mention_pairs(data, random.Random(seed))
    pairs += question_pairs(questions(data), rng)
    pairs += list(unrelated_pairs(pairs, rng, 2_500))
    pairs = list(dict.fromkeys(pairs))
    rng.shuffle(pairs)
    return pairs


def _write(name: str, pairs: Sequence[Pair], out: Path) -> None:
    for part, wanted in (("train", False), ("validation", True)):
        chosen = [pair for pair in pairs if is_validation(pair.group) is wanted]
        write_pairs(out / f"{name}_{part}.jsonl.gz", chosen)
        counts = Counter((pair.kind, pair.label) for pair in chosen)
        print(name, part, len(chosen), sorted(counts.items()), file=sys.stderr)


def main() -> None:
    """Read the arguments and write the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "wordnet", "vocabulary", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=20)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    _write("labelled", list(labelled_pairs(given.data, random.Random(given.seed))), given.out)
    _write(
        "synthetic",
        synthetic_pairs(given.data, given.wordnet, given.vocabulary, given.seed),
        given.out,
    )


if __name__ == "__main__":
    main()
