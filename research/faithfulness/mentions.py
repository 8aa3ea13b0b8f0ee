"""Pairs in which a passage names both ends of a claimed relation and says nothing of the relation.

That two names stand together is no support (AT-4). The ends are those of Re-DocRED triples, the
claims those of `relations.TEMPLATES`, the mentions are sentences of our own. Beside each mention
stand passages that do state the relation, in the corpus' words where one sentence is its evidence
and in another wording of ours else, with and without mentions around, so that neither the claim
nor the style of the passage gives the label away.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pairs import ENTAILMENT, NEUTRAL, Pair, read_records
from relations import TEMPLATES
from sources import plain

_ANY = (
    "The report mentions {a} on one page and {b} on another.",
    "After the talk about {a}, somebody asked a question about {b}.",
    "{a} and {b} both stand in the list of contents.",
    "Readers who opened the article on {a} also opened the one on {b}.",
    "The crossword asked for {a} and for {b}.",
    "Nobody who spoke about {b} had anything to say about {a}.",
    "In the newspaper a story on {a} was printed beside one on {b}.",
    "They talked about {a} over dinner, and then about {b}.",
    "A quiz had one question about {a} and two about {b}.",
)
_MENTIONS: dict[tuple[str, str], tuple[str, ...]] = {
    ("PER", "LOC"): (
        "{a} visited {b} in spring.",
        "{a} spoke to reporters in {b} on Monday.",
        "{a} passed through {b} on the way north.",
        "{a} answered a letter from friends in {b}.",
        "{a} criticised the mayor of {b}.",
        "A film about {a} had its first showing in {b}.",
        "A choir from {b} sang for {a}.",
        "{a} missed the last bus to {b}.",
    ),
    ("LOC", "LOC"): (
        "The road from {a} to {b} was closed for a week.",
        "A firm from {a} repaired a bridge in {b}.",
        "A baker from {b} opened a shop in {a}.",
        "The visitors from {a} lost the game in {b}.",
        "Trains between {a} and {b} were late.",
        "A storm hit {a} a day after {b}.",
    ),
    ("PER", "PER"): (
        "{a} and {b} were seen at the same conference.",
        "{a} reviewed a book about {b}.",
        "{b} refused to comment on {a}.",
        "A journalist compared {a} with {b}.",
        "{a} sat two rows behind {b}.",
    ),
    ("PER", "ORG"): (
        "{a} criticised {b} in an interview.",
        "{b} thanked {a} for a letter.",
        "{a} gave a speech at a dinner that {b} paid for.",
        "A spokesman of {b} quoted {a}.",
    ),
    ("PER", "MISC"): (
        "{a} was asked about {b} and smiled.",
        "{b} was on television while {a} gave an interview.",
        "A critic liked {b} better than anything about {a}.",
        "{a} once quoted a line from {b}.",
        "{a} fell asleep during {b}.",
    ),
    ("ORG", "LOC"): (
        "{a} sent a delegation to {b}.",
        "{a} held a meeting in {b}.",
        "{a} had a stall at a fair in {b}.",
        "Protesters in {b} carried signs against {a}.",
    ),
    ("*", "TIME"): (
        "{a} was mentioned in a letter of {b}.",
        "A book about {a} was printed in {b}.",
        "In {b} a newspaper carried a piece about {a}.",
        "A long article about {a} dates from {b}.",
    ),
}
_BESIDE = (
    "It rained for most of the week.",
    "The rest of the page is about the weather.",
    "Admission was free.",
    "The editors thanked their readers.",
)
_SAYS_NOTHING = frozenset("that with from this were have been part place comes belongs".split())
_LEAST_LETTERS = 4


def mention_pairs(data: Path, rng: random.Random, per_document: int = 7) -> Iterator[Pair]:
    """Two that state and three that do not, for some triples of each Re-DocRED document."""
    previous: dict[tuple[str, str, str], tuple[str, str]] = {}
    for record in read_records(data / "triples/redocred_dev.jsonl.gz"):
        labels = [label for label in record["labels"] if label["r"] in TEMPLATES]
        rng.shuffle(labels)
        n_done = 0
        for label in labels:
            if n_done == per_document:
                break
            made = list(_pairs(record, label, previous, rng))
            n_done += bool(made)
            yield from made


def _pairs(
    record: dict[str, Any],
    label: dict[str, Any],
    previous: dict[tuple[str, str, str], tuple[str, str]],
    rng: random.Random,
) -> Iterator[Pair]:
    ends = [record["vertexSet"][label[end]] for end in ("h", "t")]
    h, t = (plain(max((m["name"] for m in end), key=len)) for end in ends)
    kinds = (ends[0][0]["type"], ends[1][0]["type"])
    templates = TEMPLATES[label["r"]]
    template = rng.choice(templates)
    claim = template.format(h=h, t=t)
    marks = said_words(claim, (h, t))
    mentions = _mentions(kinds)
    if not mentions or not marks or h.lower() in t.lower() or t.lower() in h.lower():
        return
    a, b = (h, t) if kinds[::-1] not in _MENTIONS or kinds in _MENTIONS else (t, h)
    mention, other = (rng.choice(mentions).format(a=a, b=b) for _ in range(2))
    stated = _stating(record, label, (h, t), rng)
    group = f"page:{record['title']}"

    def mixed(*texts: str) -> str:
        chosen = [text for text in texts if text]
        rng.shuffle(chosen)
        return " ".join(chosen)

    beside = rng.choice((*_BESIDE, "", ""))
    yield Pair(mixed(stated, beside), claim, ENTAILMENT, "mention/stated", group, ())
    yield Pair(mixed(stated, mention), claim, ENTAILMENT, "mention/both", group, ())
    yield Pair(mixed(mention, beside), claim, NEUTRAL, "mention/only", group, marks)
    yield Pair(mixed(mention, other), claim, NEUTRAL, "mention/only", group, marks)
    key = (label["r"], *kinds)
    if key in previous and set(previous[key]).isdisjoint((h, t)):
        # The relation is stated, of two others.
        others = rng.choice(templates).format(h=previous[key][0], t=previous[key][1])
        yield Pair(mixed(mention, others), claim, NEUTRAL, "mention/others", group, marks)
    previous[key] = (h, t)


def _mentions(kinds: tuple[str, str]) -> tuple[str, ...]:
    if kinds[1] == "TIME":
        return _MENTIONS["*", "TIME"]
    if "NUM" in kinds or "TIME" in kinds:
        return ()
    return (*_ANY, *_MENTIONS.get(kinds, _MENTIONS.get(kinds[::-1], ())))


def _stating(
    record: dict[str, Any], label: dict[str, Any], names: tuple[str, str], rng: random.Random
) -> str:
    """The one sentence that is the evidence and names both, or a wording of ours."""
    evidence = label.get("evidence") or []
    if len(evidence) == 1:
        sentence = plain(" ".join(record["sents"][evidence[0]]))
        if all(name.lower() in sentence.lower() for name in names):
            return sentence
    return rng.choice(TEMPLATES[label["r"]]).format(h=names[0], t=names[1])


def said_words(claim: str, names: tuple[str, str]) -> tuple[tuple[int, int], ...]:
    """Where the words of a relation stand in a claim: neither of its ends nor mere links."""
    taken = [m.span() for name in names for m in re.finditer(re.escape(name), claim)]
    return tuple(
        word.span()
        for word in re.finditer(r"\w+", claim)
        if len(word.group()) >= _LEAST_LETTERS
        and word.group().lower() not in _SAYS_NOTHING
        and not any(start <= word.start() < end for start, end in taken)
    )
