"""Facts read off encyclopaedia passages by patterns, as questions with right and wrong answers.

The wrong answer is another name (or year) of the passage where it has one, else the answer to the
same question about somebody else.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from edits import YEAR, names_in
from pairs import ENTAILMENT, UNSUPPORTED, Pair
from sources import Passage

_NAME = (
    r"((?:[A-Z][\w.'’-]+ ?){1,4}?)"
    r"(?=[,.;()]| (?:and|in|for|with|at|on|starring|which|who)\b|$)"
)
_YEAR = r"(1[5-9]\d\d|20[0-2]\d)"


@dataclass(frozen=True, slots=True)
class _Pattern:
    find: re.Pattern[str]
    questions: tuple[str, ...]
    statements: tuple[str, ...]


_PATTERNS = tuple(
    _Pattern(re.compile(find), questions, statements)
    for find, questions, statements in (
        (
            rf"directed by {_NAME}",
            ("Who directed {s}?", "Who is the director of {s}?"),
            ("{s} was directed by {a}.", "{a} directed {s}."),
        ),
        (
            rf"written by {_NAME}",
            ("Who wrote {s}?", "Who is the author of {s}?"),
            ("{s} was written by {a}.", "{a} wrote {s}."),
        ),
        (rf"starring {_NAME}", ("Who starred in {s}?",), ("{a} starred in {s}.",)),
        (rf"founded by {_NAME}", ("Who founded {s}?",), ("{a} founded {s}.",)),
        (rf"produced by {_NAME}", ("Who produced {s}?",), ("{a} produced {s}.",)),
        (rf"composed by {_NAME}", ("Who composed {s}?",), ("{a} composed {s}.",)),
        (rf"(?:recorded|performed) by {_NAME}", ("Who recorded {s}?",), ("{a} recorded {s}.",)),
        (
            rf"born in {_NAME}",
            ("Where was {s} born?", "In what place was {s} born?"),
            ("{s} was born in {a}.",),
        ),
        (rf"died in {_NAME}", ("Where did {s} die?",), ("{s} died in {a}.",)),
        (
            rf"\(born (?:[^)]*? )?{_YEAR}",
            ("When was {s} born?", "In what year was {s} born?"),
            ("{s} was born in {a}.",),
        ),
        (
            rf"\([^)]*{_YEAR} ?[–-] ?[^)]*\d{{4}}\)",
            ("When was {s} born?",),
            ("{s} was born in {a}.",),
        ),
        (rf"\([^)]*\d{{4}} ?[–-] ?[^)]*{_YEAR}\)", ("When did {s} die?",), ("{s} died in {a}.",)),
        (
            rf"is an? {_YEAR} [A-Za-z -]*(?:film|album|novel|song)",
            ("When did {s} come out?", "In what year was {s} released?"),
            ("{s} came out in {a}.", "{s} was released in {a}."),
        ),
        (
            rf"(?:founded|established) in {_YEAR}",
            ("When was {s} founded?",),
            ("{s} was founded in {a}.",),
        ),
        (
            r"is an? ((?:American|British|French|German|Italian|Spanish|Indian|Canadian|Australian|"
            r"English|Irish|Scottish|Polish|Swedish|Dutch|Russian|Japanese|Chinese|Norwegian|Danish|"
            r"Brazilian|Mexican|Turkish|Iranian|Korean))\b",
            ("What nationality is {s}?", "Which country is {s} from?"),
            ("{s} is {a}.",),
        ),
        (
            r"was an? (?:\w+ )?((?:novelist|poet|painter|politician|composer|singer|actress|actor|"
            r"footballer|lawyer|physician|journalist|architect|engineer|historian|painter|general|"
            r"bishop|philosopher|mathematician|photographer))\b",
            ("What was the profession of {s}?", "What did {s} do for a living?"),
            ("{s} worked as a {a}.", "{s} was a {a}."),
        ),
        (rf"located in {_NAME}", ("Where is {s}?", "Where is {s} located?"), ("{s} is in {a}.",)),
        (
            rf"the capital of {_NAME}",
            ("What is {s} the capital of?",),
            ("{s} is the capital of {a}.",),
        ),
        (
            rf"(?:son|daughter) of {_NAME}",
            ("Who is a parent of {s}?",),
            ("{s} is a child of {a}.",),
        ),
        (
            rf"married {_NAME}",
            ("Who did {s} marry?", "Who was the spouse of {s}?"),
            ("{s} was married to {a}.",),
        ),
        (
            rf"(?:educated at|graduated from|studied at|attended) (?:the )?{_NAME}",
            ("Where did {s} study?",),
            ("{s} studied at {a}.",),
        ),
        (rf"plays for {_NAME}", ("Which team does {s} play for?",), ("{s} plays for {a}.",)),
    )
)


@dataclass(frozen=True, slots=True)
class Fact:
    """An answer of one pattern, and where it was found."""

    subject: str
    answer: str
    pattern: int
    premise: str
    group: str
    rivals: tuple[str, ...]


def facts_of(passages: Sequence[Passage]) -> list[Fact]:
    """Every pattern that matches in the opening of a passage about its title."""
    return [
        fact for passage in passages if passage.source == "wiki" for fact in _facts_of_one(passage)
    ]


def _facts_of_one(passage: Passage) -> Iterator[Fact]:
    subject = re.sub(r"\s*\(.*\)$", "", passage.title)
    if len(subject) < 4 or not passage.sentences or subject not in passage.sentences[0]:
        return
    premise = " ".join(passage.sentences[:3])
    near = list(dict.fromkeys(names_in(premise) + YEAR.findall(premise)))
    for number, pattern in enumerate(_PATTERNS):
        found = pattern.find.search(" ".join(passage.sentences[:2]))
        if found and len(answer := found.group(1).strip()) > 2:
            like = [
                n
                for n in near
                if bool(YEAR.fullmatch(n)) == bool(YEAR.fullmatch(answer))
                and not set(n.split()) & set(answer.split())
                and n not in subject
            ]
            yield Fact(subject, answer, number, premise, passage.group, tuple(like))


def fact_pairs(passages: Sequence[Passage], rng: random.Random, count: int) -> Iterator[Pair]:
    """Half supported, half not; as `question answer` or as a sentence.

    Now and then a second passage stands beside the first.
    """
    facts = facts_of(passages)
    rng.shuffle(facts)
    answers = defaultdict(list)
    for fact in facts:
        answers[fact.pattern].append(fact.answer)
    for fact in facts[: count // 2]:
        pool = fact.rivals if fact.rivals and rng.random() < 0.75 else answers[fact.pattern]
        rival = rng.choice(pool)
        if set(rival.split()) & set(fact.answer.split()):
            continue
        premise = fact.premise
        if rng.random() < 0.35:
            both = [premise, rng.choice(facts).premise]
            rng.shuffle(both)
            premise = " ".join(both)
        form = _form(fact, rng)
        for answer, label in ((fact.answer, ENTAILMENT), (rival, UNSUPPORTED)):
            claim = form.format(s=fact.subject, a=answer)
            at = claim.rfind(answer)
            spans = () if label == ENTAILMENT else ((at, at + len(answer)),)
            yield Pair(premise, claim, label, "fact/pattern", fact.group, spans)


def _form(fact: Fact, rng: random.Random) -> str:
    pattern = _PATTERNS[fact.pattern]
    question, statement = rng.choice(pattern.questions), rng.choice(pattern.statements)
    return rng.choice(
        (f"{question} {{a}}", f"{question} {{a}}", statement, f"{question} {statement}")
    )
