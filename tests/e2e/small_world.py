"""A small world of towns, what a corpus knows of it, and answers that err as answers do: for AT-5.

Nothing here looks at a score. The world, the corpus and the answers are drawn first, from shares
that were set once and from a seed; truth is what the world says.

- *The world*: towns, each in one province, on one river, with one trade. Names are made of
  syllables and belong to nothing.
- *The corpus*: notes about towns, more about some than about others. It leaves facts out, and
  mentions towns beside provinces, rivers and trades that are not theirs. No passage is from it.
- *The passage* of an answer is right (clean), says something of another town (corrupted), or says
  nothing of what was asked (missing).
- *The model* knows some facts, rather those of towns that are written about. It repeats what the
  passage says, mostly; else it says what it knows, or guesses. What it says from memory can be
  true though the passage does not say it (`implicit_true`).
- *Its log-probabilities* are drawn with noise. With the passage before its eyes, what stands in it
  is likely, a little less so if the model knows otherwise; what does not stand there is unlikely,
  known or not. From memory, what it knows is likelier than what it guesses. That is the premise of
  FRANQ (arXiv 2505.21072) and what its paper finds of long answers: of claims that are not in the
  passages the first says little and the second more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

from averment.types import Document, Prompt, Token
from e2e.believable import BelievableModel

N_TOWNS = 300
SHARES = {"clean": 0.45, "corrupted": 0.25, "missing": 0.30}
COVERED, MISPLACED = 0.6, 0.25
"""Shares of facts that the corpus has, and of notes that mention what belongs elsewhere."""
OBEYS, OBEYS_AGAINST_KNOWLEDGE = 0.9, 0.7

_RELATIONS = {
    "province": ("In which province is {town}?", "{town} lies in {tail}.", "{town} is in {tail}."),
    "river": (
        "Which river flows through {town}?",
        "{town} lies on the {tail}.",
        "{town} was built on the {tail}.",
    ),
    "trade": (
        "Which guild is at home in {town}?",
        "{town} is the home of the {tail}.",
        "{town} houses the {tail}.",
    ),
}
Facts: TypeAlias = dict[tuple[str, str], str]
Tails: TypeAlias = dict[str, list[str]]
_ENDS = {"province": "land", "river": " River", "trade": " Guild"}
_N_TAILS = {"province": 15, "river": 25, "trade": 20}


@dataclass(frozen=True, slots=True)
class Told:
    """A claim of an answer to a question about a town, and what is the case."""

    town: str
    question: str
    claim: str
    passage: str
    condition: str
    is_true: bool
    in_passage: bool
    """Whether the passage says it."""
    logprob: float
    """Of the claim with the passage before the model's eyes, in nats."""
    logprob_without: float
    """Of the same words without it."""


@dataclass(frozen=True, slots=True)
class World:
    """The corpus and the answers."""

    documents: tuple[Document, ...]
    told: tuple[Told, ...]


def small_world(seed: int) -> World:
    """A world, drawn from a seed."""
    random = np.random.default_rng(seed)
    names = _names(random)
    towns = [next(names) for _ in range(N_TOWNS)]
    tails = {
        kind: [f"{next(names)}{_ENDS[kind]}" for _ in range(n)] for kind, n in _N_TAILS.items()
    }
    facts = {(town, kind): str(random.choice(tails[kind])) for town in towns for kind in tails}
    fame = {town: int(random.geometric(0.35)) for town in towns}
    documents = [d for town in towns for d in _notes(random, town, fame[town], facts, tails)]
    told = [_told(random, town, kind, fame[town], facts, tails) for town in towns for kind in tails]
    return World(tuple(documents), tuple(told))


class BelievingModel(BelievableModel):
    """Gives each claim the log-probability that was drawn for it, spread over its words."""

    def __init__(self, told: Sequence[Told]) -> None:
        super().__init__(lambda prompt: " cats, dogs", name="believing")
        self._by_claim = {f" {each.claim}": each for each in told}

    def scored(self, prompt: Prompt, text: str) -> list[Token]:
        told = self._by_claim[text]
        *_, before, _ = prompt.text.split("\n\n")
        total = told.logprob if before.startswith("Context:\n") else told.logprob_without
        words = [f" {word}" for word in text.split()]
        return [Token(word, total / len(words)) for word in words]


# --- drawing ------------------------------------------------------------------------------------


def _names(random: Generator) -> Iterator[str]:
    first = "bel dor fen gal hul jor kar lum mor nes por quin ral sol tum vel wes yar".split()
    last = "ando eby illen ora umar ystra ovik ansk etto urne".split()
    longer = ["".join(pair) for pair in product(first, "aei")]
    every = {f"{a}{b}".capitalize() for a, b in product([*first, *longer], last)}
    return iter(random.permutation(sorted(every)).tolist())


def _notes(random: Generator, town: str, fame: int, facts: Facts, tails: Tails) -> list[Document]:
    """As many notes as the town is famous, each with some of what the corpus has of it."""
    covered = [kind for kind in tails if random.random() < COVERED]
    notes = []
    for number in range(fame):
        said = [f"{town} has a market."]
        said += [
            _RELATIONS[kind][1].format(town=town, tail=facts[town, kind])
            for kind in covered
            if random.random() < 0.7
        ]
        said += [
            f"People from {town} met others from {random.choice(tails[kind])}."
            for kind in tails
            if random.random() < MISPLACED
        ]
        notes.append(Document(f"{town}-{number}", " ".join(said)))
    return notes


def _told(random: Generator, town: str, kind: str, fame: int, facts: Facts, tails: Tails) -> Told:
    question, *wordings = _RELATIONS[kind]
    truth = facts[town, kind]
    others = [tail for tail in tails[kind] if tail != truth]
    condition = str(random.choice(list(SHARES), p=list(SHARES.values())))
    stated = {"clean": truth, "corrupted": str(random.choice(others))}.get(condition)
    knows = bool(random.random() < 1 - 0.8 ** (0.5 + fame / 2))
    obeys = OBEYS_AGAINST_KNOWLEDGE if knows and stated != truth else OBEYS
    if stated is not None and random.random() < obeys:
        tail = stated
    else:
        tail = truth if knows else str(random.choice(tails[kind]))
    is_true, in_passage = tail == truth, tail == stated
    without = _from_memory(random, knows, is_true)
    return Told(
        town=town,
        question=question.format(town=town),
        claim=str(random.choice(wordings)).format(town=town, tail=tail),
        passage=_passage(town, kind, stated),
        condition=condition,
        is_true=is_true,
        in_passage=in_passage,
        logprob=_reading(random, in_passage, knows and not is_true, without),
        logprob_without=without,
    )


def _passage(town: str, kind: str, stated: str | None) -> str:
    about = f"{town} has a market hall and a small museum near the old gate."
    if stated is None:
        return about
    return f"{about} {_RELATIONS[kind][1].format(town=town, tail=stated)}"


def _from_memory(random: Generator, knows: bool, is_true: bool) -> float:
    """The log-probability of what the model knows, knows to be otherwise, or guesses."""
    mean, spread = (-3.0, 1.2)
    if knows:
        mean, spread = (-1.5, 1.0) if is_true else (-4.0, 1.2)
    return min(float(random.normal(mean, spread)), -0.01)


def _reading(random: Generator, in_passage: bool, knows_otherwise: bool, without: float) -> float:
    """The same with the passage there: what it does not say is unlikely, known or not."""
    if not in_passage:
        return min(float(0.15 * without + random.normal(-3.0, 1.0)), -0.01)
    mean, spread = (-1.0, 0.6) if knows_otherwise else (-0.5, 0.4)
    return min(float(random.normal(mean, spread)), -0.01)
