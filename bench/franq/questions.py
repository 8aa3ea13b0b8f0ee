"""Short-form questions with their passages under three conditions: clean, shuffled, corrupted.

Where they come from, all below `../shared/data`:

- popqa: `qa_short/popqa_retrieved5`, the first three retrieved passages;
- nq: `qa_short/nq_open_oracle_passages`, the gold passage and the best passage of the corpus;
- triviaqa: `qa_short/triviaqa_test1000`, the three best passages of the corpus (BM25).

Clean: as they are. Shuffled: the passages of another question of the set (a rotation, so nobody
keeps their own). Corrupted: every form of the gold answer in the passages becomes an answer of
another question of the same kind, which occurs neither in the passages nor in the question nor
among the gold forms; questions whose passages hold no form of the answer have no such condition.

The choice of questions is seeded. Nothing of the sets is written: rows name set and row.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import pathlib
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import averment
from averment.text import TextForm, contains_words, one_holds_other
from averment.wiring import open_retriever

DATA = pathlib.Path(__file__).parents[3] / "shared" / "data"
CONDITIONS = ("clean", "shuffled", "corrupted")
SEED = 20261130
N_WORDS = 90  # of a passage
# How many questions of each set, and how many of them must have the answer in their passages.
SIZES = {"popqa": (270, 240), "nq": (240, 240), "triviaqa": (130, 100)}

_WORDS = TextForm().words
_NUMBER = re.compile(r"\d")
_ASKED = re.compile(r"\b(who|whose|where|when|how \w+|(?:what|which) (?:\w+ )?\w+)\b")


@dataclass(frozen=True)
class Item:
    """A question under a condition. `replaced` is what took the place of the gold answer."""

    set_name: str
    row: str
    question: str
    gold: tuple[str, ...]
    condition: str
    passages: tuple[tuple[str, str], ...]
    replaced: str | None = None

    @property
    def key(self) -> str:
        """Names the item in the rows."""
        return f"{self.set_name}:{self.row}:{self.condition}"

    @property
    def digest(self) -> str:
        """SHA-256 of question and passages: what the model was shown."""
        return hashlib.sha256(json.dumps([self.question, self.passages]).encode()).hexdigest()[:16]


def correct(answer: str, gold: Sequence[str]) -> bool:
    """Whether an answer has a form of the gold answer in it, word for word, up to case."""
    return any(contains_words(_WORDS(answer), _WORDS(form)) for form in gold if _WORDS(form))


def items(index_path: str) -> list[Item]:
    """All items, in an order in which every beginning has all sets and whole questions."""
    retriever = open_retriever(averment.open_index(index_path))
    rng = random.Random(SEED)
    made: list[list[Item]] = []
    for name, (n_all, n_with_answer) in SIZES.items():
        found = list(_clean(name, retriever))
        clean = _chosen(found, n_all, n_with_answer, rng)
        for at, item in enumerate(clean):
            other = clean[(at + len(clean) // 2) % len(clean)]
            shuffled = _but(item, condition="shuffled", passages=other.passages)
            corrupted = _corrupted(item, found, rng)
            made.append([item, shuffled, *([corrupted] if corrupted else [])])
    rng.shuffle(made)
    return [item for group in made for item in group]


def _clean(name: str, retriever: Any) -> Iterator[Item]:
    if name == "popqa":
        for row in _rows("qa_short/popqa_retrieved5"):
            passages = [_titled(text) for text in row["retrieved"][:3]]
            yield _item(name, str(row["id"]), row["question"], row["possible_answers"], passages)
        return
    if name == "nq":
        rows = [
            (r["question"], r["answers"], r["ctxs"][0])
            for r in _rows("qa_short/nq_open_oracle_passages")
        ]
        rows = rows[:600]
    else:
        rows = [
            (r["question"], r["golden_answers"], None) for r in _rows("qa_short/triviaqa_test1000")
        ]
    found = retriever.search([question for question, _, _ in rows], k=3)
    for at, ((question, gold, context), retrieval) in enumerate(zip(rows, found, strict=True)):
        passages = [(hit.passage.title, hit.passage.text) for hit in retrieval.hits]
        if context is not None:
            passages = [(context["title"], context["text"]), *passages[:1]]
        yield _item(name, str(at), question, gold, passages)


def _item(
    name: str, row: str, question: str, gold: Any, passages: Sequence[tuple[str, str]]
) -> Item:
    forms = tuple(json.loads(gold) if isinstance(gold, str) else gold)
    cut = tuple((title, " ".join(text.split()[:N_WORDS])) for title, text in passages)
    return Item(name, row, question, forms, "clean", cut)


def _titled(text: str) -> tuple[str, str]:
    title, _, rest = text.partition("\n")
    return (title.strip(" -"), rest.strip()) if rest.strip() else ("", text)


def _chosen(found: list[Item], n_all: int, n_with: int, rng: random.Random) -> list[Item]:
    rng.shuffle(found)
    has = [item for item in found if _holds(item)]
    has_not = [item for item in found if not _holds(item)]
    return has[:n_with] + has_not[: n_all - n_with]


def _holds(item: Item) -> bool:
    return correct(_text(item), item.gold)


def _text(item: Item) -> str:
    return " ".join(f"{title} {text}" for title, text in item.passages)


def _corrupted(item: Item, others: Sequence[Item], rng: random.Random) -> Item | None:
    if not _holds(item):
        return None
    shown = f"{item.question} {_text(item)}"
    candidates = [other.gold[0] for other in others if _kind(other) == _kind(item)]
    rng.shuffle(candidates)
    for false in candidates:
        words = _WORDS(false)
        if contains_words(_WORDS(shown), words) or any(
            one_holds_other(words, _WORDS(form)) for form in item.gold
        ):
            continue
        passages = tuple(
            (_swap(title, item.gold, false), _swap(text, item.gold, false))
            for title, text in item.passages
        )
        made = _but(item, condition="corrupted", passages=passages, replaced=false)
        return None if _holds(made) else made
    return None


def _kind(item: Item) -> str:
    """What is asked for and what its answer looks like: only like is swapped for like."""
    if item.set_name == "popqa":
        return "occupation" if "occupation" in item.question else "place"
    asked = _ASKED.search(item.question.lower())
    wanted = asked.group().removeprefix("what ").removeprefix("which ") if asked else ""
    form = item.gold[0]
    if _NUMBER.search(form):
        return f"{wanted}: {re.sub('[0-9]+', '9', form)}"
    length = "one word" if len(_WORDS(form)) == 1 else "few words"
    if len(_WORDS(form)) > 3:
        length = "many words"
    look = "name" if form[:1].isupper() else "words"
    article = "article" if _WORDS(form)[:1] in (["the"], ["a"], ["an"]) else ""
    return f"{wanted}: {look} {length} {article}"


def _swap(text: str, gold: Sequence[str], false: str) -> str:
    for form in sorted(gold, key=len, reverse=True):
        pattern = r"(?<!\w)" + r"\W+".join(map(re.escape, _WORDS(form))) + r"(?!\w)"
        if _WORDS(form):
            text = re.sub(pattern, lambda _: false, text, flags=re.IGNORECASE)
    return text


def _but(item: Item, **changes: Any) -> Item:
    return Item(**{**{f: getattr(item, f) for f in Item.__dataclass_fields__}, **changes})


def _rows(name: str) -> Iterator[dict[str, Any]]:
    path = DATA / f"{name}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


if __name__ == "__main__":
    counts: dict[tuple[str, str], int] = {}
    for one in items(sys.argv[1]):
        at = (one.set_name, one.condition)
        counts[at] = counts.get(at, 0) + 1
    sys.stdout.write("".join(f"{a:<9} {b:<10} {n}\n" for (a, b), n in sorted(counts.items())))
