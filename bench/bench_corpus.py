"""A corpus with its truth, and the questions that the benches of the index ask of it.

What `make_corpus.py` (synthetic) and `real_corpus.py` (any text) write, in one layout:

    docs-NN.jsonl    {"id", "text"}, one document a line
    ids-NN.u32       the words of all documents as numbers, little-endian
    doclen-NN.u32    words of each document
    vocab.txt        line i spells word i
    truth.json       words, docs, W, entities, pairs

Nothing here knows an index. Words come from the files, never from averment.
"""

from __future__ import annotations

import collections
import json
import pathlib
import random
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from averment import Document

Pair = tuple[str, str]

RARE, FREQUENT = range(10, 101), range(100_000, 1_000_001)
# Of a pair, the planted (real text: the rounded) frequencies: the lower and the higher.
PAIR_CLASSES: dict[str, Callable[[int, int], bool]] = {
    "rare-rare": lambda low, high: low in RARE and high in RARE,
    "rare-frequent": lambda low, high: low in RARE and high in FREQUENT,
    "mid-mid": lambda low, high: low == high == 10_000,
    "mid-frequent": lambda low, high: low in (1_000, 10_000) and high in FREQUENT,
    "frequent-frequent": lambda low, high: low == high == 100_000,
    "top": lambda low, high: low >= 100_000 and high == 1_000_000,
}
MOST_PAIRED_WORDS = 50_000_000
MOST_ASKED = 30  # of each class are timed; all are checked
LONGEST_PHRASE_WORDS, FARTHEST_WORDS = 6, 1_500


class WindowedPair(NamedTuple):
    """A question for brute force: two phrases and the window."""

    a: str
    b: str
    window_words: int


class BenchCorpus:
    """A folder of text, words and truth."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.facts: dict[str, Any] = json.loads((path / "truth.json").read_text("utf-8"))
        self.n_words, self.window_words = int(self.facts["words"]), int(self.facts["W"])
        self.entities: list[dict[str, Any]] = self.facts["entities"]
        self.phrases = [str(entity["text"]) for entity in self.entities]
        self.pairs = [(self.phrases[p["a"]], self.phrases[p["b"]]) for p in self.facts["pairs"]]

    def __reduce__(self) -> tuple[object, ...]:
        return BenchCorpus, (self.path,)  # to a child goes the path, not what was read

    @property
    def is_plain(self) -> bool:
        """Whether words are lower-case ASCII between single spaces, as the generator writes."""
        return bool(self.facts.get("plain", True))

    def documents(self, prefix: str = "") -> Iterator[Document]:
        """The documents in order."""
        for shard in sorted(self.path.glob("docs-*.jsonl")):
            with shard.open(encoding="utf-8") as lines:
                for row in map(json.loads, lines):
                    yield Document(f"{prefix}{row['id']}", row["text"])

    def _numbers(self, kind: str) -> np.ndarray:
        files = sorted(self.path.glob(f"{kind}-*.u32"))
        return np.concatenate([np.fromfile(file, "<u4") for file in files])

    @cached_property
    def ids(self) -> np.ndarray:
        """The words of all documents, one after the other."""
        return self._numbers("ids")

    @cached_property
    def lengths(self) -> np.ndarray:
        """Words of each document."""
        return self._numbers("doclen")

    @cached_property
    def vocabulary(self) -> list[str]:
        """The spelling of each word number."""
        return (self.path / "vocab.txt").read_text("utf-8").splitlines()

    @cached_property
    def number_of(self) -> dict[str, int]:
        """The number of each spelling."""
        return {word: number for number, word in enumerate(self.vocabulary)}

    @cached_property
    def frequencies(self) -> np.ndarray:
        """Occurrences of each word."""
        return np.bincount(self.ids, minlength=len(self.vocabulary))

    def numbers(self, phrase: str) -> tuple[int, ...]:
        """A phrase as word numbers."""
        return tuple(self.number_of[word] for word in phrase.split())

    @cached_property
    def text_bytes(self) -> int:
        """Of the texts alone, in UTF-8."""
        return sum(len(document.text.encode()) for document in self.documents())

    def near(self, fact: dict[str, Any]) -> set[int]:
        """Of a pair, the occurrences of the rarer phrase that are near the other: see `Meeting`."""
        if "near" in fact:
            return set(fact["near"])
        a, b = (int(self.entities[fact[side]]["count"]) for side in "ab")
        sides = [fact["a_near_b"]] * (a <= b) + [fact["b_near_a"]] * (b <= a)
        return set(map(int, sides))

    # --- classes of questions from the truth ----------------------------------------------------

    def phrase_classes(self) -> dict[str, list[str]]:
        """Phrases by how often they occur (planted in 50 million words; in fewer, less often)."""
        classes = collections.defaultdict(list)
        for entity in self.entities:
            if entity["kind"] != "exclusive":
                classes[f"{entity['cls']:,}"].append(str(entity["text"]))
        return {name: phrases[:MOST_ASKED] for name, phrases in classes.items()}

    def pair_classes(self) -> dict[str, list[Pair]]:
        """Pairs by the frequencies of both, and frequent ones that meet in few documents or none.

        Classes without a pair are left out.
        """
        classes = collections.defaultdict(list)
        for fact, pair in zip(self.facts["pairs"], self.pairs, strict=True):
            low, high = sorted(int(self.entities[fact[side]]["cls"]) for side in "ab")
            if fact["type"] == "exclusive":
                classes["never meet" if fact["docs"] == 0 else "hardly ever meet"].append(pair)
            for name, holds in PAIR_CLASSES.items():
                if fact["type"] == "natural" and holds(low, high):
                    classes[name].append(pair)
        ordered = [*PAIR_CLASSES, "hardly ever meet", "never meet"]
        return {name: classes[name][:MOST_ASKED] for name in ordered if name in classes}

    def mixed_pairs(self, n: int) -> list[Pair]:
        """Random pairs of all phrases up to a frequency of 10,000; most never meet."""
        drawn = random.Random(1)
        known = [str(entity["text"]) for entity in self.entities if entity["cls"] <= 10_000]
        return [(drawn.choice(known), drawn.choice(known)) for _ in range(n)]

    # --- questions drawn from the text ----------------------------------------------------------

    def n_frequent_words(self) -> int:
        """How many words occur 4,096 times and once in 10,000 words: an index lists their pairs."""
        return int((self.frequencies >= max(4_096, self.n_words / 10_000)).sum())

    def bigrams(self, n_words: int, n: int) -> list[str]:
        """Two of so many most frequent words: half stand together in the text, half need not.

        Those of the text are drawn from the different pairs, not from their occurrences, and from
        the first 50 million words: all of a larger text would not fit into memory as pairs.
        """
        drawn = np.random.default_rng(2)
        frequent = np.argsort(-self.frequencies, kind="stable")[:n_words]
        rank = np.full(len(self.vocabulary), -1, np.int64)
        rank[frequent] = np.arange(len(frequent))
        ids = self.ids[:MOST_PAIRED_WORDS]
        first, second = rank[ids[:-1]], rank[ids[1:]]
        first[self._ends[self._ends < len(ids)] - 1] = -1  # the next word is another document's
        together = first * len(frequent) + second
        seen = np.unique(together[(first >= 0) & (second >= 0)])
        any_two = drawn.integers(0, len(frequent) ** 2, n - n // 2)
        some = np.concatenate((drawn.choice(seen, min(n // 2, len(seen)), replace=False), any_two))
        spelled = [self.vocabulary[number] for number in frequent]
        return [f"{spelled[s // len(spelled)]} {spelled[s % len(spelled)]}" for s in some.tolist()]

    def text_phrases(self, n: int, shortest: int, longest: int, seed: int = 3) -> list[str]:
        """Phrases as they stand at random places of the text."""
        drawn, found = random.Random(seed), list[str]()
        while len(found) < n:
            start = drawn.randrange(self.n_words)
            found += self._phrase(start, drawn.randint(shortest, longest))
        return found

    def unlike_phrases(self, n: int) -> list[str]:
        """Phrases for brute force: of the text, a quarter with a word of elsewhere in them."""
        drawn, found = random.Random(4), self.text_phrases(n, 1, LONGEST_PHRASE_WORDS, seed=4)
        for place in range(0, n, 4):
            words = found[place].split()
            words[drawn.randrange(len(words))] = self._spelled(drawn.randrange(self.n_words), 1)
            found[place] = " ".join(words)
        return found

    def unlike_pairs(self, n: int, windows: tuple[int, ...]) -> list[WindowedPair]:
        """Pairs for brute force: half of one neighbourhood, a quarter random, a quarter entities.

        Of one phrase that is given twice no pair is made.
        """
        drawn, found = random.Random(5), list[WindowedPair]()
        while len(found) < n:
            window, way = drawn.choice(windows), len(found) % 4
            if way == 3:
                a, b = drawn.choice(self.phrases), drawn.choice(self.phrases)
            else:
                start = drawn.randrange(self.n_words)
                farthest = FARTHEST_WORDS if way < 2 else self.n_words
                other = start + drawn.randint(-farthest, farthest)
                both = [self._phrase(at, drawn.randint(1, 4)) for at in (start, other)]
                if not all(both):
                    continue
                a, b = both[0][0], both[1][0]
            if a != b:
                found.append(WindowedPair(a, b, window))
        return found

    def _phrase(self, start: int, n_words: int) -> list[str]:
        """[The phrase], or [] where it would leave its document or the corpus."""
        if start < 0 or start + n_words > self.n_words:
            return []
        document, last = np.searchsorted(self._ends, (start, start + n_words - 1), "right")
        return [self._spelled(start, n_words)] if document == last else []

    def _spelled(self, start: int, n_words: int) -> str:
        return " ".join(self.vocabulary[number] for number in self.ids[start : start + n_words])

    @cached_property
    def _ends(self) -> np.ndarray:
        return np.cumsum(self.lengths, dtype=np.int64)

    # --- bounds ---------------------------------------------------------------------------------

    def entropy_bytes(self) -> dict[str, float]:
        """Bytes a word that an index of all positions needs at least, knowing only frequencies.

        `text`: the order-0 entropy of the words, i.e. log2 of the number of texts with these
        frequencies, as if all lists were coded together. `lists`: each list for itself, the sum of
        log2 C(N, n_t) over the terms. Neither uses that words come in bursts.
        """
        counts = self.frequencies[self.frequencies > 0].astype(float)
        n = counts.sum()
        text = float((counts * np.log2(n / counts)).sum())
        rest = n - counts
        others = np.where(rest > 0, rest * np.log2(n / np.maximum(rest, 1)), 0.0)
        return {"text": text / n / 8, "lists": (text + float(others.sum())) / n / 8}
