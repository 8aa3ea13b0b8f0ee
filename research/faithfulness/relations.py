"""Relation triples over a passage, written as sentences, with rivals that do not hold.

A rival puts another entity of the same type from the same passage for one end of a triple, where
the annotation (which is nearly complete) holds no such triple.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pairs import ENTAILMENT, NEUTRAL, UNSUPPORTED, Pair, changed_spans, read_records
from sources import plain

TEMPLATES: dict[str, tuple[str, ...]] = {
    "P6": ("{t} heads the government of {h}.",),
    "P17": ("{h} is in {t}.", "{h} belongs to {t}."),
    "P19": ("{h} was born in {t}.", "The birthplace of {h} is {t}."),
    "P20": ("{h} died in {t}.",),
    "P22": ("{t} is the father of {h}.", "{h}'s father was {t}."),
    "P25": ("{t} is the mother of {h}.",),
    "P26": ("{h} was married to {t}.", "{t} was the spouse of {h}."),
    "P27": ("{h} is a citizen of {t}.", "{h} is from {t}."),
    "P30": ("{h} is a place in {t}.",),
    "P31": ("{h} is a {t}.",),
    "P35": ("{t} is the head of state of {h}.",),
    "P36": ("{t} is the capital of {h}.",),
    "P37": ("{t} is an official language of {h}.",),
    "P39": ("{h} held the office of {t}.",),
    "P40": ("{t} is a child of {h}.", "{h} is a parent of {t}."),
    "P50": ("{t} wrote {h}.", "The author of {h} is {t}."),
    "P54": ("{h} played for {t}.",),
    "P57": ("{t} directed {h}.", "{h} is a film by {t}."),
    "P58": ("{t} wrote the screenplay of {h}.",),
    "P69": ("{h} studied at {t}.", "{h} went to {t}."),
    "P86": ("{t} composed {h}.",),
    "P102": ("{h} is a member of the party {t}.",),
    "P108": ("{h} worked for {t}.",),
    "P112": ("{t} founded {h}.",),
    "P118": ("{h} plays in the {t}.",),
    "P123": ("{h} was published by {t}.", "{t} is the publisher of {h}."),
    "P127": ("{h} is owned by {t}.", "{t} owns {h}."),
    "P131": ("{h} is located in {t}.", "{h} lies in {t}."),
    "P136": ("The genre of {h} is {t}.",),
    "P137": ("{h} is operated by {t}.",),
    "P140": ("The religion of {h} is {t}.",),
    "P150": ("{t} is a part of {h}.", "{h} contains {t}."),
    "P155": ("{h} came after {t}.",),
    "P156": ("{h} was followed by {t}.",),
    "P159": ("{h} has its headquarters in {t}.",),
    "P161": ("{t} appeared in {h}.", "The cast of {h} includes {t}."),
    "P162": ("{t} produced {h}.",),
    "P166": ("{h} received the {t}.", "{h} won the {t}."),
    "P170": ("{t} created {h}.",),
    "P171": ("{h} belongs to the taxon {t}.",),
    "P172": ("{h} is of {t} descent.",),
    "P175": ("{h} is performed by {t}.", "{t} recorded {h}."),
    "P176": ("{h} is made by {t}.",),
    "P178": ("{t} developed {h}.", "{h} was developed by {t}."),
    "P179": ("{h} is part of the series {t}.",),
    "P194": ("{t} is the legislature of {h}.",),
    "P205": ("The basin of {h} lies partly in {t}.",),
    "P206": ("{h} lies on {t}.", "{h} is next to {t}."),
    "P241": ("{h} served in the {t}.",),
    "P264": ("{h} came out on the label {t}.", "{t} is the record label of {h}."),
    "P272": ("{h} was produced by the company {t}.",),
    "P276": ("{h} took place in {t}.",),
    "P355": ("{t} is a subsidiary of {h}.",),
    "P361": ("{h} is part of {t}.",),
    "P364": ("The original language of {h} is {t}.",),
    "P400": ("{h} runs on {t}.",),
    "P403": ("{h} flows into {t}.",),
    "P449": ("{h} was first shown on {t}.",),
    "P463": ("{h} is a member of {t}.", "{h} belonged to {t}."),
    "P488": ("{t} is the chairperson of {h}.",),
    "P495": ("{h} was made in {t}.", "{h} comes from {t}."),
    "P527": ("{h} includes {t}.", "{t} is part of {h}."),
    "P551": ("{h} lived in {t}.",),
    "P569": ("{h} was born on {t}.", "{h}'s date of birth is {t}."),
    "P570": ("{h} died on {t}.",),
    "P571": ("{h} was founded in {t}.", "{h} dates from {t}."),
    "P576": ("{h} was dissolved in {t}.",),
    "P577": ("{h} was released in {t}.", "{h} came out in {t}."),
    "P580": ("{h} began in {t}.",),
    "P582": ("{h} ended in {t}.",),
    "P585": ("{h} took place in {t}.",),
    "P607": ("{h} fought in the {t}.", "{h} took part in the {t}."),
    "P674": ("{t} is a character in {h}.",),
    "P676": ("{t} wrote the lyrics of {h}.",),
    "P706": ("{h} lies on {t}.",),
    "P710": ("{t} took part in {h}.",),
    "P740": ("{h} was formed in {t}.",),
    "P749": ("{t} is the parent company of {h}.",),
    "P800": ("{h} is known for {t}.", "{t} is a work of {h}."),
    "P937": ("{h} worked in {t}.",),
    "P1344": ("{h} took part in {t}.",),
    "P1376": ("{h} is the capital of {t}.",),
    "P1412": ("{h} speaks {t}.",),
    "P1441": ("{h} is a character in {t}.",),
    "P3373": ("{h} is a sibling of {t}.",),
}


_SENTENCES = 6  # of each document


def relation_pairs(data: Path, rng: random.Random, per_document: int = 16) -> Iterator[Pair]:
    """Half supported, half not, over the sentences of Re-DocRED dev that mention the entities."""
    for record in read_records(data / "triples/redocred_dev.jsonl.gz"):
        labels = [x for x in record["labels"] if x["r"] in TEMPLATES and _is_near(record, x)]
        rng.shuffle(labels)
        labels.sort(key=lambda x: x["r"] in ("P17", "P131"))  # places in places last: too many
        for label in labels[: per_document // 2]:
            yield from _pair_of_pairs(record, label, rng)


def _mentioning(record: dict[str, Any], ends: set[int]) -> str:
    """The first sentence and all that mention one of some entities."""
    kept = {0} | {mention["sent_id"] for end in ends for mention in record["vertexSet"][end]}
    chosen = [record["sents"][i] for i in sorted(kept) if i < _SENTENCES]
    return plain(" ".join(" ".join(words) for words in chosen))


def tuple_pairs(data: Path, rng: random.Random) -> Iterator[Pair]:
    """CaRB dev: crowd-made (argument, relation, argument) over their sentence.

    The wrong ones have their arguments swapped, or one of them put for another sentence's.
    """
    rows = [r for r in read_records(data / "triples/carb_dev.jsonl.gz") if r["args"]]
    for record in rows:
        first, second = record["arg1"], _first(record["args"])
        if len(first.split()) > 8 or not second or len(second.split()) > 10:
            continue
        other = rng.choice(rows)
        wrong = rng.choice(((second, first), (second, first), (first, _first(other["args"]))))
        premise, group = plain(record["sentence"]), f"carb:{record['sentence'][:60]}"
        for (a, b), label in (((first, second), ENTAILMENT), (wrong, UNSUPPORTED)):
            claim = plain(f"{a} {record['relation']} {b}") + "."
            yield Pair(premise, claim[0].upper() + claim[1:], label, "relation/tuple", group)


def _first(arguments: object) -> str:
    return str(arguments[0]) if isinstance(arguments, list) else str(arguments)


def _is_near(record: dict[str, Any], label: dict[str, Any]) -> bool:
    ends = (record["vertexSet"][label["h"]], record["vertexSet"][label["t"]])
    return all(any(mention["sent_id"] < _SENTENCES for mention in end) for end in ends)


def _pair_of_pairs(
    record: dict[str, Any], label: dict[str, Any], rng: random.Random
) -> Iterator[Pair]:
    entities = record["vertexSet"]
    names = [max((m["name"] for m in e), key=len) for e in entities]
    types = [e[0]["type"] for e in entities]
    held = defaultdict(set)
    for other in record["labels"]:
        held[other["h"], other["t"]].add(other["r"])
    template = rng.choice(TEMPLATES[label["r"]])
    head, tail, group = label["h"], label["t"], f"page:{record['title']}"
    true = template.format(h=plain(names[head]), t=plain(names[tail]))
    wrong = _rivals(label, types, names, held)
    if not wrong:
        return
    h, t = rng.choice(wrong)
    premise = _mentioning(record, {head, tail, h, t})
    false = template.format(h=plain(names[h]), t=plain(names[t]))
    # Without any annotated relation between its ends the rival is a mere mention: neutral.
    unlike = UNSUPPORTED if held[h, t] or held[t, h] else NEUTRAL
    yield Pair(premise, true, ENTAILMENT, "relation/true", group, ())
    yield Pair(premise, false, unlike, "relation/rival", group, changed_spans(false, true))


def _rivals(
    label: dict[str, Any],
    types: list[str],
    names: list[str],
    held: dict[tuple[int, int], set[str]],
) -> list[tuple[int, int]]:
    head, tail, relation = label["h"], label["t"], label["r"]
    found = [(head, t) for t in range(len(types)) if types[t] == types[tail] and t != tail]
    found += [(h, tail) for h in range(len(types)) if types[h] == types[head] and h != head]
    if types[head] == types[tail]:
        found += [(tail, head)] * 2
    loose = {"P17", "P131", "P150", "P361", "P527", "P30", "P27", "P206", "P495"}
    return [
        (h, t)
        for h, t in found
        if h != t
        and relation not in held[h, t]
        and names[h] != names[t]
        and not (relation in loose and (held[h, t] & loose or held[t, h] & loose) and h != tail)
        and not (relation == "P26" or relation == "P3373") | ((h, t) == (head, tail))
    ]
