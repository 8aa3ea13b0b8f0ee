"""Made-up pairs: edits of passages and claims, questions with right and wrong answers, neighbours.

Each edit gives two pairs, one supported and one not, drawn so that passages are edited as often
as claims are: the claim alone then tells nothing.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from edits import NUMBER, Context, Edit, draw_edit, names_in
from lexicon import Lexicon
from pairs import ENTAILMENT, NEUTRAL, UNSUPPORTED, Pair, changed_spans
from rewrites import rewrite
from sources import Passage, Question

_TOKEN = re.compile(r"[\w'’-]{3,}|\d+")
_DETAIL = re.compile(
    r"\b(?:in|on|at|with|for|from|during|after|by|because of|under) "
    r"(?:the |his |her |a |its )?[\w'’]+(?: [\w'’]+){0,4}(?=\.$)"
)


def window_of(
    passage: Passage, centre: int, rng: random.Random, max_words: int = 75
) -> tuple[int, int]:
    """The range of sentences around one of them, up to a number of words."""
    start, end = centre, centre + 1
    total = len(passage.sentences[centre].split())
    limit = rng.choice((12, 25, 35, 45, max_words))
    while True:
        grow = [i for i in (start - 1, end) if 0 <= i < len(passage.sentences)]
        rng.shuffle(grow)
        fits = [i for i in grow if total + len(passage.sentences[i].split()) <= limit]
        if not fits:
            return start, end
        total += len(passage.sentences[fits[0]].split())
        start, end = min(start, fits[0]), max(end, fits[0] + 1)


def edit_pairs(
    passages: Sequence[Passage], lexicon: Lexicon, rng: random.Random, count: int
) -> Iterator[Pair]:
    """Two pairs an edit, until there are `count` of them or the passages are used up."""
    mentions = _mentions(passages)
    details = [
        m.group()
        for p in rng.sample(passages, min(4000, len(passages)))
        for s in p.sentences
        for m in _DETAIL.finditer(s)
    ]
    made = 0
    for passage in passages:
        if made >= count or not passage.sentences:
            continue
        other = rng.choice(passages)
        for pair in _edit_one(passage, other, lexicon, details, mentions, rng):
            made += 1
            yield pair


def _mentions(passages: Sequence[Passage]) -> dict[str, str]:
    """A sentence for each word or number that occurs anywhere."""
    return {
        word: sentence
        for passage in passages
        for sentence in passage.sentences
        if len(sentence.split()) < 22
        for word in _TOKEN.findall(sentence)
    }


def _edit_one(
    passage: Passage,
    other: Passage,
    lexicon: Lexicon,
    details: Sequence[str],
    mentions: dict[str, str],
    rng: random.Random,
) -> Iterator[Pair]:
    centre = rng.randrange(len(passage.sentences))
    source = passage.sentences[centre]
    start, end = window_of(passage, centre, rng)
    claim = rewrite(source, passage.title, lexicon, rng)
    shown = passage.sentences[start:end]
    text = " ".join(shown)
    context = Context(
        names_in(text),
        names_in(" ".join(other.sentences)),
        NUMBER.findall(text),
        rng.sample(details, min(1, len(details))),
        lexicon,
    )
    edit = draw_edit(source, claim, context, rng)
    if edit is None:
        return
    title = f"{passage.title}. " if passage.source == "wiki" and rng.random() < 0.5 else ""
    before, after = [*shown[: centre - start]], [*shown[centre - start + 1 :]]
    stray = _stray(edit, " ".join([*before, source, edit.source, *after]), mentions, rng)
    (before if rng.random() < 0.5 else after).extend(stray)
    old = title + " ".join([*before, source, *after])
    new = title + " ".join([*before, edit.source, *after])
    claims = _in_company(claim, edit.claim, passage, range(start, end), centre, lexicon, rng)
    yield from _corners(edit, (old, new), claims, passage.group, rng)


def _stray(edit: Edit, text: str, mentions: dict[str, str], rng: random.Random) -> list[str]:
    """A sentence of elsewhere that mentions what the edit put in, so that words tell nothing."""
    put_in = [word for word in _TOKEN.findall(edit.claim) if word not in text and word in mentions]
    return [mentions[rng.choice(put_in)]] if put_in and rng.random() < 0.5 else []


def _in_company(
    claim: str,
    edited: str,
    passage: Passage,
    shown: range,
    centre: int,
    lexicon: Lexicon,
    rng: random.Random,
) -> tuple[str, str]:
    """Both claims joined with a supported one from the same window, now and then."""
    others = [i for i in shown if i != centre]
    if not others or rng.random() > 0.25:
        return claim, edited
    friend = rewrite(passage.sentences[rng.choice(others)], passage.title, lexicon, rng)
    if rng.random() < 0.5:
        return f"{claim} {friend}", f"{edited} {friend}"
    return f"{friend} {claim}", f"{friend} {edited}"


def _corners(
    edit: Edit, premises: tuple[str, str], claims: tuple[str, str], group: str, rng: random.Random
) -> Iterator[Pair]:
    """A supported and an unsupported pair of the four that two premises and two claims make."""
    (old, new), (claim, edited), kind = premises, claims, f"edit/{edit.kind}"
    kept = Pair(old, claim, ENTAILMENT, kind, group, ())
    moved = Pair(new, edited, ENTAILMENT, kind, group, ())
    there, here = changed_spans(edited, claim), changed_spans(claim, edited)
    forth = Pair(
        old,
        edited,
        edit.new_claim_label,
        kind,
        group,
        () if edit.new_claim_label == ENTAILMENT else there,
    )
    back = Pair(
        new,
        claim,
        edit.old_claim_label,
        kind,
        group,
        () if edit.old_claim_label == ENTAILMENT else here,
    )
    if forth.label == ENTAILMENT or back.label == ENTAILMENT:
        # One way only: the supported pair has the same claim, so that the claim tells nothing.
        right, wrong = (kept, back) if forth.label == ENTAILMENT else (moved, forth)
        yield right
        yield wrong
        if rng.random() < 0.3:
            yield forth if forth.label == ENTAILMENT else back
        return
    yield rng.choice((kept, moved))
    yield rng.choice((forth, back))


def question_pairs(asked: Iterable[Question], rng: random.Random) -> Iterator[Pair]:
    """`question answer` strings and, where the question allows, statements; right and wrong."""
    for question in (q for q in asked if q.rivals for _ in range(3)):
        rival = rng.choice(question.rivals)
        form = rng.choice(("joined", "joined", "stated", "sentence"))
        kind = f"question/{question.source}"
        right = _claim(question.question, question.answer, form)
        wrong = _claim(question.question, rival, form)
        premise = question.premise
        if len(premise.split()) > 110:
            premise = _cut_around(premise, question.answer, rng.choice((40, 60, 90)))
        yield Pair(premise, right, ENTAILMENT, kind, question.group, ())
        at = wrong.rfind(rival)
        yield Pair(premise, wrong, UNSUPPORTED, kind, question.group, ((at, at + len(rival)),))


def _claim(question: str, answer: str, form: str) -> str:
    stated = re.sub(
        r"^(?:Who|Which \w+|What \w+)\b(?= (?!did|does|do|is the|was the)\w+)",
        lambda _: answer,
        question,
    )
    if form == "stated" and stated != question:
        return stated.rstrip("? ") + "."
    if form == "sentence":
        return f"{question} The answer is {answer}."
    return f"{question} {answer}"


def _cut_around(text: str, answer: str, words: int) -> str:
    at = max(0, text.find(answer))
    before = text[:at].split()
    start = max(0, len(before) - words // 2)
    return " ".join(text.split()[start : start + words])


def neighbour_pairs(
    passages: Sequence[Passage], lexicon: Lexicon, rng: random.Random, count: int
) -> Iterator[Pair]:
    """Claims over another part of their page, and as many over the part they are from.

    The other part mentions the same things and says something else.
    """
    by_title = defaultdict(list)
    for passage in passages:
        if passage.sentences:
            by_title[passage.title].append(passage)
    pool = [
        p for p in passages if len(p.sentences) >= 4 or (len(by_title[p.title]) > 1 and p.sentences)
    ]
    rng.shuffle(pool)
    for passage in pool[: count // 2]:
        others = [p for p in by_title[passage.title] if p is not passage]
        centre = rng.randrange(len(passage.sentences))
        claim = rewrite(passage.sentences[centre], passage.title, lexicon, rng)
        start, end = window_of(passage, centre, rng)
        yield Pair(_titled(passage, start, end), claim, ENTAILMENT, "page/own", passage.group, ())
        if others and rng.random() < 0.6:
            other = rng.choice(others)
            at = rng.randrange(len(other.sentences))
            premise = _titled(other, *window_of(other, at, rng))
        else:
            left = [i for i in range(len(passage.sentences)) if i != centre]
            if not left:
                continue
            # The passage itself with the decisive sentence taken out.
            keep = sorted(rng.sample(left, min(3, len(left))))
            premise = f"{passage.title}. " + " ".join(passage.sentences[i] for i in keep)
        yield Pair(premise, claim, NEUTRAL, "page/other", passage.group)


def _titled(passage: Passage, start: int, end: int) -> str:
    return f"{passage.title}. " + " ".join(passage.sentences[start:end])


def joined_pairs(
    passages: Sequence[Passage], lexicon: Lexicon, rng: random.Random, count: int
) -> Iterator[Pair]:
    """Claims of two facts: both from the window, or one from elsewhere on the page."""
    pool = [p for p in passages if len(p.sentences) >= 4]
    for passage in rng.sample(pool, min(count // 2, len(pool))):
        at = rng.randrange(len(passage.sentences) - 2)
        two = passage.sentences[at : at + 2]
        first, second = (rewrite(s, passage.title, lexicon, rng).rstrip(".") for s in two)
        claim = f"{first}, and {second[0].lower()}{second[1:]}."
        if rng.random() < 0.5:
            claim = f"{first}. {second}."
        full = " ".join(passage.sentences[max(0, at - 1) : at + 3])
        drop = rng.choice(two)
        rest = [s for s in passage.sentences[max(0, at - 1) : at + 4] if s != drop]
        yield Pair(f"{passage.title}. {full}", claim, ENTAILMENT, "joined/both", passage.group, ())
        yield Pair(
            f"{passage.title}. " + " ".join(rest), claim, UNSUPPORTED, "joined/one", passage.group
        )


def unrelated_pairs(pairs: Sequence[Pair], rng: random.Random, count: int) -> Iterator[Pair]:
    """Claims over somebody else's premise."""
    for pair in rng.sample(pairs, min(count, len(pairs))):
        other = rng.choice(pairs)
        if other.group != pair.group:
            yield Pair(other.premise, pair.hypothesis, NEUTRAL, "unrelated", pair.group)
