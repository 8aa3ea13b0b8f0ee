"""Whether the answers are right: the corpus's truth, and random questions against brute force.

Each row says who answered, how many answers were right and how many were asked. What a rival
cannot answer it is not asked; where it answers something else (see `index_rivals.py`) it is held
against the question all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from bench_corpus import BenchCorpus, Pair, WindowedPair
from brute_force import Meeting, answers
from index_rivals import InfiniGram
from measuring import Row, in_child, progress

from averment.index import _native

N_RANDOM, N_RANDOM_RIVALS, RANDOM_WINDOWS = 10_000, 1_000, (5, 60, 1_000)


class Asked(NamedTuple):
    """All that is open."""

    corpus: BenchCorpus
    index: Any
    segment: _native.Segment
    rivals: dict[str, Any]


def checked(name: str, who: str, answers: Sequence[Any], expected: Sequence[Any]) -> Row:
    """How many of all answers are the truth's; an expected set holds all that are."""
    both = list(zip(answers, expected, strict=True))
    right = sum(one in other if isinstance(other, set) else one == other for one, other in both)
    return {"case": "exactness", "class": name, "who": who, "right": right, "n": len(both)}


def index_truth_rows(corpus: BenchCorpus, index: Any) -> list[Row]:
    """The counts and pairs of the corpus's truth, asked of an open index."""
    pairs, facts, window = corpus.pairs, corpus.facts["pairs"], corpus.window_words
    counts = [(entity["count"], entity["docs"]) for entity in corpus.entities]
    meetings = [(fact["docs"], fact["pairs"]) for fact in facts]
    counted = [(each.value, each.documents) for each in index.count(corpus.phrases)]
    exist = [n > 0 for n, _ in meetings]
    full = index.cooccurrence(pairs, window_words=window)
    met = [(each.documents, each.pairs) for each in full]
    return [
        checked("counts", "averment", counted, counts),
        checked("pairs exist", "averment", index.exists(pairs, window_words=window), exist),
        checked("pairs", "averment", met, meetings),
    ]


def truth_rows(asked: Asked) -> list[Row]:
    """The counts and pairs of the corpus's truth."""
    corpus, index, segment, rivals = asked
    pairs, facts, window = corpus.pairs, corpus.facts["pairs"], corpus.window_words
    counts = [(entity["count"], entity["docs"]) for entity in corpus.entities]
    documents = [int(fact["docs"]) for fact in facts]
    exist = [n > 0 for n in documents]
    rows = [
        *index_truth_rows(corpus, index),
        checked("pairs", "core, documents", segment.documents(pairs, window), documents),
    ]
    for name, rival in rivals.items():
        unit = 0 if isinstance(rival, InfiniGram) else 1
        answers = rival.count(corpus.phrases)
        rows.append(checked("counts", name, answers, [count[unit] for count in counts]))
        rows.append(checked("pairs exist", name, rival.exists(pairs), exist))
        if not isinstance(rival, InfiniGram):
            rows.append(checked("pairs", name, rival.documents(pairs), documents))
            continue
        timed = {pair for each in corpus.pair_classes().values() for pair in each}
        some = [(fact, pair) for fact, pair in zip(facts, pairs, strict=True) if pair in timed]
        for cap in InfiniGram.CAPS:
            for which, known in (
                ("pairs", list(zip(facts, pairs, strict=True))),
                ("timed pairs", some),
            ):
                near = rival.near([pair for _, pair in known], cap=cap)
                right = [corpus.near(fact) for fact, _ in known]
                rows.append(checked(which, f"{name}, cap {cap:,}", near, right))
    return rows


def random_rows(asked: Asked) -> list[Row]:
    """Random phrases and pairs against brute force; rivals get the first of them."""
    corpus, index, segment, rivals = asked
    phrases = corpus.unlike_phrases(N_RANDOM)
    pairs = sorted(corpus.unlike_pairs(N_RANDOM, RANDOM_WINDOWS), key=lambda p: p.window_words)
    progress("brute force")
    # The truth is asked too, so that brute force does not go unchecked.
    counts, meetings = in_child(brute_answers, corpus, [*phrases, *corpus.phrases], pairs)
    of_truth, counts = counts[len(phrases) :], counts[: len(phrases)]
    truth = [(entity["count"], entity["docs"]) for entity in corpus.entities]
    progress("random phrases and pairs")
    full = by_window(lambda some, w: index.cooccurrence(some, window_words=w), pairs)
    exist = by_window(lambda some, w: segment.exists(some, w), pairs)
    documents = by_window(lambda some, w: segment.documents(some, w), pairs)
    found = [(each.value, each.documents) for each in index.count(phrases)]
    met = [(each.documents, each.pairs, each.nearest_words) for each in full]
    expected = [(each.documents, each.pairs, each.distance_words) for each in meetings]
    rows = [
        checked("counts", "brute force", of_truth, truth),
        checked("random phrases", "averment", found, counts),
        checked("random pairs", "averment", met, expected),
        checked("random pairs", "core, exists", exist, [m.documents > 0 for m in meetings]),
        checked("random pairs", "core, documents", documents, [m.documents for m in meetings]),
    ]
    every = N_RANDOM // N_RANDOM_RIVALS
    for name, rival in rivals.items():
        progress(f"random phrases and pairs: {name}")
        knows = rival.knows if isinstance(rival, InfiniGram) else lambda *_: True
        some = [(p, c) for p, c in zip(phrases, counts, strict=True) if knows(p)][::every]
        unit = 0 if isinstance(rival, InfiniGram) else 1
        answers = rival.count([phrase for phrase, _ in some])
        rows.append(checked("random phrases", name, answers, [c[unit] for _, c in some]))
        shared = [(p, m) for p, m in zip(pairs, meetings, strict=True) if knows(p.a, p.b)][::every]
        ask = rival.near if isinstance(rival, InfiniGram) else rival.documents
        right = [set(m.near) if isinstance(rival, InfiniGram) else m.documents for _, m in shared]
        rows.append(checked("random pairs", name, by_window(ask, [p for p, _ in shared]), right))
    return rows


def brute_answers(
    corpus: BenchCorpus, phrases: Sequence[str], pairs: Sequence[WindowedPair]
) -> tuple[list[tuple[int, int]], list[Meeting]]:
    """Counts of phrases and meetings of pairs."""
    numbers = [(corpus.numbers(p.a), corpus.numbers(p.b), p.window_words) for p in pairs]
    phrase_numbers = [corpus.numbers(phrase) for phrase in phrases]
    return answers(corpus.ids, corpus.lengths, phrase_numbers, numbers)


def by_window(
    ask: Callable[[list[Pair], int], Sequence[Any]], pairs: Sequence[WindowedPair]
) -> list[Any]:
    """Ask pairs that are sorted by window, a batch a window."""
    answers: list[Any] = []
    for window, some in groupby(pairs, key=lambda pair: pair.window_words):
        answers += ask([(pair.a, pair.b) for pair in some], window)
    return answers
