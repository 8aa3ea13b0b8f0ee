"""Give any JSON lines of text what the benches need: word numbers, questions and their truth.

    python ../shared/bench/make_real.py /tmp/real-text
    python bench/real_corpus.py /tmp/real-text /tmp/real

The words are cut here by a pattern of its own (runs of letters, marks and numbers of NFC text, case
folded), and counted by brute force, so that nothing of averment decides what is right. Documents
with scripts that write no spaces are left out (translations, where rivals see other words).

Phrases are drawn from the text and put into the class of the power of ten that is nearest to their
frequency. "Exclusive" pairs are the frequent words that meet in the fewest documents.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import itertools
import json
import pathlib
import random
import re
import sys
import unicodedata
from collections.abc import Iterator
from typing import Any

import numpy as np
from brute_force import BruteForce

Row = dict[str, Any]

WINDOW_WORDS = 1_000
A_CLASS, A_PAIR_CLASS, N_EXCLUSIVE = 150, 24, 14
MIN_EXCLUSIVE = 2_000  # occurrences of a word that may be of an exclusive pair
_MARKS = "".join(
    c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c).startswith("M")
)
_WORD = re.compile(rf"(?:[^\W_]|[{re.escape(_MARKS)}])+")
_WITHOUT_SPACES = re.compile(
    "[\u0e00-\u0eff\u1780-\u17ff\u3000-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U0003fffd]"
)


def documents(source: pathlib.Path) -> Iterator[Row]:
    """Those that are written with spaces, not empty."""
    for file in sorted(source.glob("docs-*.jsonl")):
        with file.open(encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if not _WITHOUT_SPACES.search(row["text"]) and _WORD.search(row["text"]):
                    yield row


def words(text: str) -> list[str]:
    """The words of a text in their folded form."""
    runs = _WORD.findall(unicodedata.normalize("NFC", text))
    return [unicodedata.normalize("NFC", run.casefold()) for run in runs]


def write_numbers(source: pathlib.Path, target: pathlib.Path) -> tuple[list[str], Row]:
    """Copy the documents and write their words; returns the spellings and what to tell."""
    number_of: dict[str, int] = collections.defaultdict(lambda: len(number_of))
    ids: list[np.ndarray] = []
    with (target / "docs-00.jsonl").open("w", encoding="utf-8") as kept:
        for row in documents(source):
            cut = words(row["text"])
            ids.append(np.array([number_of[word] for word in cut], "<u4"))
            kept.write(json.dumps(row) + "\n")
    everything = np.concatenate(ids)
    everything.tofile(target / "ids-00.u32")
    np.array([len(each) for each in ids], "<u4").tofile(target / "doclen-00.u32")
    spelled = list(number_of)
    (target / "vocab.txt").write_text("".join(f"{word}\n" for word in spelled), "utf-8")
    digest = hashlib.sha256(everything.tobytes()).hexdigest()
    return spelled, {"words": len(everything), "docs": len(ids), "sha256_ids": digest}


def frequent_phrases(ids: np.ndarray, n_words: int) -> Iterator[tuple[int, ...]]:
    """A phrase of each number of words and class: hashes of all places, sorted."""
    places = len(ids) - n_words + 1
    mixed = np.zeros(places, np.uint64)
    for offset in range(n_words):
        mixed = (mixed ^ ids[offset : offset + places]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    _, first, counts = np.unique(mixed, return_index=True, return_counts=True)
    drawn = np.random.default_rng(n_words)
    classes = np.rint(np.log10(counts)).astype(int)
    for power in range(classes.max() + 1):
        among = first[classes == power]
        for place in drawn.choice(among, min(A_CLASS, len(among)), replace=False):
            yield tuple(ids[place : place + n_words].tolist())


def entities(ids: np.ndarray, lengths: np.ndarray, spelled: list[str]) -> list[Row]:
    """Phrases of 1 to 4 ASCII words with their counts, by class, the lengths taking turns."""
    found = [list(frequent_phrases(ids, n_words)) for n_words in range(1, 5)]
    turns = itertools.chain.from_iterable(itertools.zip_longest(*found))
    phrases = [p for p in turns if p and all(spelled[word].isascii() for word in p)]
    slow = BruteForce(ids, lengths, phrases)
    by_class: dict[int, list[Row]] = collections.defaultdict(list)
    for phrase in phrases:
        occurrences, n_documents = slow.count(phrase)
        if occurrences:  # 0: seen across the end of a document only
            nearest = 10 ** round(float(np.log10(occurrences)))
            by_class[nearest].append(entity(phrase, spelled, nearest, occurrences, n_documents))
    return [row for _, rows in sorted(by_class.items()) for row in rows[:A_CLASS]]


def entity(phrase: tuple[int, ...], spelled: list[str], cls: int, count: int, docs: int) -> Row:
    """One of `truth.json`."""
    text = " ".join(spelled[word] for word in phrase)
    facts = {"text": text, "words": phrase, "cls": cls, "kind": "text"}
    return {**facts, "count": count, "docs": docs}


def exclusive(ids: np.ndarray, lengths: np.ndarray, spelled: list[str]) -> list[tuple[Row, Row]]:
    """Pairs of frequent words of which the fewest documents hold both, no word twice."""
    document_of = np.repeat(np.arange(len(lengths)), lengths)
    frequencies = np.bincount(ids)
    frequent = [
        int(w) for w in np.flatnonzero(frequencies >= MIN_EXCLUSIVE) if spelled[w].isascii()
    ]
    column = np.full(len(frequencies), -1)
    column[frequent] = np.arange(len(frequent))
    holds = np.zeros((len(lengths), len(frequent)), np.float32)
    kept = column[ids] >= 0
    holds[document_of[kept], column[ids][kept]] = 1
    in_documents, both = holds.sum(0), holds.T @ holds
    # The share of the rarer one's documents, so that pairs of dense lists come first.
    smaller = np.minimum(in_documents[:, None], in_documents[None, :])
    ranked = np.argsort((both + 1) / smaller**2, axis=None)
    pairs: list[tuple[int, int]] = []
    used: set[int] = set()
    for place in ranked.tolist():
        one, other = divmod(place, len(frequent))
        if one == other or {one, other} & used:
            continue
        used |= {one, other}
        pairs.append((frequent[one], frequent[other]))
        if len(pairs) == N_EXCLUSIVE:
            break
    docs = dict(zip(frequent, in_documents.astype(int).tolist(), strict=True))

    def row(word: int) -> Row:
        count = int(frequencies[word])
        return {**entity((word,), spelled, count, count, docs[word]), "kind": "exclusive"}

    return [(row(a), row(b)) for a, b in pairs]


def pair_indexes(found: list[Row]) -> list[tuple[int, int]]:
    """Some pairs of each two classes."""
    drawn = random.Random(6)
    by_class = collections.defaultdict(list)
    for number, each in enumerate(found):
        by_class[each["cls"]].append(number)
    pairs: dict[tuple[int, int], None] = {}
    for low, high in itertools.combinations_with_replacement(sorted(by_class), 2):
        for _ in range(A_PAIR_CLASS):
            a, b = drawn.choice(by_class[low]), drawn.choice(by_class[high])
            if a != b and (b, a) not in pairs:
                pairs[a, b] = None
    return list(pairs)


def truth(ids: np.ndarray, lengths: np.ndarray, spelled: list[str]) -> Row:
    """Entities and pairs, all counted by brute force."""
    found = entities(ids, lengths, spelled)
    indexes = [(*pair, "natural") for pair in pair_indexes(found)]
    for pair in exclusive(ids, lengths, spelled):
        indexes.append((len(found), len(found) + 1, "exclusive"))
        found += pair
    slow = BruteForce(ids, lengths, [tuple(each["words"]) for each in found])
    pairs = []
    for a, b, kind in indexes:
        met = slow.meeting(tuple(found[a]["words"]), tuple(found[b]["words"]), WINDOW_WORDS)
        facts = {"a": a, "b": b, "type": kind, "docs": met.documents, "pairs": met.pairs}
        pairs.append({**facts, "near": sorted(met.near)})
    return {"entities": found, "pairs": pairs}


def main() -> None:
    """Write the corpus with its truth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=pathlib.Path, help="folder with docs-*.jsonl")
    parser.add_argument("target", type=pathlib.Path, help="another folder, made if need be")
    arguments = parser.parse_args()
    arguments.target.mkdir(parents=True, exist_ok=True)
    spelled, told = write_numbers(arguments.source, arguments.target)
    ids, lengths = (np.fromfile(arguments.target / f"{k}-00.u32", "<u4") for k in ("ids", "doclen"))
    facts = {**told, "W": WINDOW_WORDS, "plain": False, "args": {"seed": "none"}}
    facts |= truth(ids, lengths, spelled)
    (arguments.target / "truth.json").write_text(json.dumps(facts), "utf-8")
    classes = collections.Counter(
        each["cls"] for each in facts["entities"] if each["kind"] == "text"
    )
    sys.stderr.write(
        f"{told}, {len(spelled)} types, phrases by class {dict(classes)}, "
        f"{len(facts['pairs'])} pairs\n"
    )


if __name__ == "__main__":
    main()
