"""Edits that take the support away from a sentence, as replacements that can be made in two texts.

An `Edit` says what the source sentence and its rewritten form become, and what holds then: the
old source against the new claim, and the new source against the old claim. Making the edit in the
passage as well as in the claim gives pairs in which the claim alone tells nothing.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lexicon import Lexicon
from pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, UNSUPPORTED

NAME = re.compile(
    r"(?<![.!?] )(?<!^)\b[A-Z][\w’'-]+(?:(?: (?:of|the|de|van|von))? [A-Z][\w’'.-]*\w)*"
)
YEAR = re.compile(r"\b(1[0-9]{3}|20[0-2][0-9])\b")
NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\w])")
_MONTHS = (
    "January February March April May June July August September October November December"
).split()
_WHEN = frozenset([*_MONTHS, *"Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()])
_AUXILIARY = re.compile(
    r"\b(was|is|were|are|has been|had been|have been|has|had|can|could|will|would|may|did|does|do|"
    r"should|must) (not )?(?=\w)"
)
_SYMMETRIC = re.compile(r"\b(?:and|or|with|married|between|near|alongside|met|,)\b|,")
_ROLE_VERB = re.compile(
    r"\b(?:\w+ed|won|beat|wrote|by|from|to|over|of|after|before|than|sold|led|left|for)\b"
)


@dataclass(frozen=True, slots=True)
class Edit:
    """One change, made in the source sentence and in the claim.

    Args:
        kind: What was changed.
        source: The source sentence with the change.
        claim: The claim with the change.
        new_claim_label: What the old source does to the new claim.
        old_claim_label: What the new source does to the old claim.
    """

    kind: str
    source: str
    claim: str
    new_claim_label: int
    old_claim_label: int


Maker = Callable[[str, str, "Context", random.Random], Edit | None]


@dataclass(frozen=True, slots=True)
class Context:
    """What an edit may draw on.

    Args:
        names: Other names of the passage.
        foreign_names: Names of other passages.
        numbers: Other numbers of the passage.
        details: Adverbials of other passages, such as "in the summer of 1912".
        lexicon: Word relations.
    """

    names: Sequence[str]
    foreign_names: Sequence[str]
    numbers: Sequence[str]
    details: Sequence[str]
    lexicon: Lexicon


def replace_everywhere(text: str, old: str, new: str) -> str:
    """Whole-word replacement of every occurrence."""
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, text)


def _both(kind: str, source: str, claim: str, old: str, new: str, label: int) -> Edit | None:
    new_source = replace_everywhere(source, old, new)
    new_claim = replace_everywhere(claim, old, new)
    if new_source == source or new_claim == claim:
        return None
    return Edit(kind, new_source, new_claim, label, label)


def names_in(text: str) -> list[str]:
    """Capitalised runs that do not open a sentence, months and weekdays left out."""
    return [m.group() for m in NAME.finditer(text) if m.group() not in _WHEN and len(m.group()) > 2]


def change_name(source: str, claim: str, context: Context, rng: random.Random) -> Edit | None:
    """Another name for a name, mostly from the same passage."""
    names = [n for n in names_in(claim) if re.search(rf"\b{re.escape(n)}\b", source)]
    if not names:
        return None
    old = rng.choice(names)
    pool = context.names if rng.random() < 0.75 else context.foreign_names
    rivals = [
        n
        for n in pool or context.foreign_names
        if not _share_word(n, old)
        and n not in source
        and abs(len(n.split()) - len(old.split())) <= 1
    ]
    if not rivals:
        return None
    return _both("name", source, claim, old, rng.choice(rivals), UNSUPPORTED)


def change_number(source: str, claim: str, context: Context, rng: random.Random) -> Edit | None:
    """Another number or year, from the passage where it has one."""
    numbers = [n for n in NUMBER.findall(claim) if n in NUMBER.findall(source)]
    if not numbers:
        return None
    old = rng.choice(numbers)
    is_year = bool(YEAR.fullmatch(old))
    rivals = [
        n
        for n in context.numbers
        if n != old and n not in source and bool(YEAR.fullmatch(n)) == is_year
    ]
    new = rng.choice(rivals) if rivals and rng.random() < 0.6 else _near(old, rng)
    return _both("number", source, claim, old, new, CONTRADICTION) if new != old else None


def _near(number: str, rng: random.Random) -> str:
    plain = number.replace(",", "")
    if not plain.isdigit():
        return "".join(rng.choice("123456789") if c.isdigit() else c for c in number)
    value = int(plain)
    spread = max(2, value // 3) if value < 1000 or value > 2100 else 25
    new = max(1, value + rng.choice((-1, 1)) * rng.randint(1, spread))
    return f"{new:,}" if "," in number else str(new)


def change_date_word(source: str, claim: str, context: Context, rng: random.Random) -> Edit | None:
    """Another month."""
    months = [m for m in _MONTHS if m in claim and m in source]
    if not months:
        return None
    old = rng.choice(months)
    new = rng.choice([m for m in _MONTHS if m != old])
    return _both("date", source, claim, old, new, CONTRADICTION)


def negate(source: str, claim: str, context: Context, rng: random.Random) -> Edit | None:
    """Puts "not" after the claim's auxiliary, or takes it away."""
    found = _AUXILIARY.search(claim)
    if not found:
        return None
    auxiliary, negated = found.group(1), found.group(2)
    head, _, tail = auxiliary.partition(" ")
    affirmed = f"{auxiliary} "
    denied = rng.choice((f"{head} not {tail} ", f"{head} never {tail} ")).replace("  ", " ")
    old, new = (f"{auxiliary} not ", affirmed) if negated else (affirmed, denied)
    if old not in source:
        return None
    new_source, new_claim = source.replace(old, new, 1), claim.replace(old, new, 1)
    return Edit("negation", new_source, new_claim, CONTRADICTION, CONTRADICTION)


def _change_word(kind: str, label: int) -> Maker:
    def change(source: str, claim: str, context: Context, rng: random.Random) -> Edit | None:
        table = context.lexicon.opposites if kind == "opposite" else context.lexicon.rivals
        words = [
            w
            for w in re.findall(r"[A-Za-z][a-z-]+", claim)
            if table.get(w.lower()) and re.search(rf"\b{re.escape(w)}\b", source)
        ]
        if not words:
            return None
        old = rng.choice(words)
        new = rng.choice(table[old.lower()])
        if re.search(rf"\b{re.escape(new)}\b", source, re.IGNORECASE):
            return None
        new = new.capitalize() if old[0].isupper() else new
        return _both(kind, source, claim, old, new, label)

    return change


def swap_roles(source: str, claim: str, context: Context, rng: random.Random) -> Edit | None:
    """Two names in each other's place, with a directed relation between them."""
    spots = [
        m
        for m in re.finditer(r"[A-Z][\w’'-]+(?: [A-Z][\w’'.-]*\w)*", claim)
        if m.group() not in _WHEN and m.group() in source and len(m.group()) > 3
    ]
    for first, second in itertools.pairwise(spots):
        between = claim[first.end() : second.start()]
        if _SYMMETRIC.search(between) or not _ROLE_VERB.search(between) or len(between) > 60:
            continue
        a, b = first.group(), second.group()
        if _share_word(a, b) or a in ("The", "This", "That", "They"):
            continue
        return Edit(
            "roles", _exchange(source, a, b), _exchange(claim, a, b), UNSUPPORTED, UNSUPPORTED
        )
    return None


def _exchange(text: str, a: str, b: str) -> str:
    held = replace_everywhere(text, a, "\0")
    return replace_everywhere(held, b, a).replace("\0", b)


def add_detail(source: str, claim: str, context: Context, rng: random.Random) -> Edit | None:
    """An adverbial that the passage does not have."""
    if not context.details or not claim.endswith(".") or not source.endswith("."):
        return None
    detail = rng.choice(context.details)
    return Edit(
        "detail", f"{source[:-1]} {detail}.", f"{claim[:-1]} {detail}.", NEUTRAL, ENTAILMENT
    )


def restrict(source: str, claim: str, context: Context, rng: random.Random) -> Edit | None:
    """Puts "only" after the auxiliary: more than the passage says."""
    found = re.search(r"\b(was|is|were|are) (?=\w)", claim)
    word = rng.choice(("only", "exclusively", "solely", "always", "never"))
    if not found or found.group() not in source or word in claim:
        return None
    old, new = found.group(), f"{found.group()}{word} "
    forth, back = (CONTRADICTION,) * 2 if word == "never" else (UNSUPPORTED, ENTAILMENT)
    return Edit("restriction", source.replace(old, new, 1), claim.replace(old, new, 1), forth, back)


def narrow(source: str, claim: str, context: Context, rng: random.Random) -> Edit | None:
    """A broader word in the source than in the claim: the claim says more."""
    words = [
        w
        for w in re.findall(r"\b[a-z-]{4,}\b", claim)
        if context.lexicon.broader.get(w) and re.search(rf"\b{w}\b", source)
    ]
    if not words:
        return None
    old = rng.choice(words)
    new = rng.choice(context.lexicon.broader[old])
    both = _both("narrower", source, claim, old, new, ENTAILMENT)
    return both and Edit("narrower", both.source, both.claim, ENTAILMENT, UNSUPPORTED)


MAKERS: tuple[tuple[Maker, float], ...] = (
    (change_name, 4.0),
    (change_number, 3.0),
    (change_date_word, 1.0),
    (negate, 2.0),
    (_change_word("opposite", CONTRADICTION), 3.0),
    (_change_word("rival", UNSUPPORTED), 3.0),
    (swap_roles, 2.0),
    (add_detail, 0.7),
    (restrict, 0.5),
    (narrow, 1.0),
)
"""The edits with the weights by which they are drawn."""


def draw_edit(source: str, claim: str, context: Context, rng: random.Random) -> Edit | None:
    """An edit that applies, drawn by weight; None where none does."""
    order = sorted(MAKERS, key=lambda entry: rng.random() ** (1 / entry[1]), reverse=True)
    for maker, _ in order:
        edit = maker(source, claim, context, rng)
        if edit and edit.claim != claim and edit.source != source:
            return edit
    return None


def _share_word(left: str, right: str) -> bool:
    return bool(set(left.casefold().split()) & set(right.casefold().split()))
