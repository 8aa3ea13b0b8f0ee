"""Claims with a passage that states them, and with passages that only mention both their ends.

Well-known facts in sentences of our own, made from templates, for AT-4.
"""

from __future__ import annotations

from typing import NamedTuple


class Pair(NamedTuple):
    """A claim, and a passage that either states it or only mentions its two ends."""

    claim: str
    passage: str


class _Relation(NamedTuple):
    claim: str
    stated: tuple[str, ...]
    mentioned: tuple[str, ...]
    ends: str


_RELATIONS = (
    _Relation(
        "{a} is the capital of {b}.",
        ("{a}, the capital of {b}, is a large city.", "The capital of {b} is {a}."),
        (
            "I had a great day in {a} last week before we drove on through {b}.",
            "Two teams from {b} met for a friendly match in {a} on Sunday.",
            "A gallery in {a} shows photographs of mountains in {b}.",
        ),
        "Paris France; Madrid Spain; Rome Italy; Vienna Austria; Oslo Norway; Lisbon Portugal; "
        "Athens Greece; Dublin Ireland",
    ),
    _Relation(
        "{a} wrote {b}.",
        ("{b} is a work that {a} wrote.", "{a} wrote {b} and other books."),
        (
            "A statue of {a} stands beside the theatre where {b} was shown yesterday.",
            "She owns a portrait of {a} and an old poster of {b}.",
            "{a} is said to have disliked a concert that was later compared to {b}.",
        ),
        "Shakespeare Hamlet; Goethe Faust; Melville Moby-Dick; Tolstoy Resurrection; "
        "Kafka Amerika; Austen Emma; Stoker Dracula",
    ),
    _Relation(
        "{a} was born in {b}.",
        ("{a} was born in {b} to a family of modest means.", "Born in {b}, {a} later moved away."),
        (
            "A street in {b} was named after {a}.",
            "Letters by {a} were sold at an auction in {b}.",
            "{a} gave two lectures in {b} and left by train.",
        ),
        "Chopin Poland; Einstein Ulm; Kepler Weil; Mozart Salzburg; Gauss Brunswick; "
        "Bohr Copenhagen; Curie Warsaw",
    ),
    _Relation(
        "{a} flows through {b}.",
        ("{a} flows through {b} on its way to the sea.", "The river {a} flows through {b}."),
        (
            "Paintings of {a} were lent to a museum in {b}.",
            "Engineers from {b} published a report about fish in {a}.",
            "{b} and the shipping company on {a} signed a contract.",
        ),
        "Danube Budapest; Seine Paris; Thames London; Tiber Rome; Vistula Warsaw; Elbe Dresden; "
        "Neva Petersburg",
    ),
    _Relation(
        "{a} discovered {b}.",
        ("{a} discovered {b} after years of work.", "It was {a} who discovered {b}."),
        (
            "A lecture on {b} was held in the hall that carries the name of {a}.",
            "The stamp shows {a} next to a drawing of {b}.",
            "Students read a biography of {a} and then an article about {b}.",
        ),
        "Fleming Penicillin; Herschel Uranus; Curie Polonium; Priestley Oxygen; Tombaugh Pluto; "
        "Röntgen X-rays; Davy Potassium",
    ),
)


def stated_pairs() -> list[Pair]:
    """Claims with a passage that states them."""
    return _pairs("stated")


def mentioned_pairs() -> list[Pair]:
    """Claims with a passage that mentions both ends and not the relation."""
    return _pairs("mentioned")


def _pairs(kind: str) -> list[Pair]:
    return [
        Pair(relation.claim.format(a=a, b=b), template.format(a=a, b=b))
        for relation in _RELATIONS
        for a, b in (ends.split() for ends in relation.ends.split(";"))
        for template in getattr(relation, kind)
    ]
