"""The rules against gold evidence of 2WikiMultihopQA (training split): floors, not records."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from averment.claims.rules import RulesExtractor
from averment.claims.vocabulary import says_nothing
from averment.text import TextForm, contains_words

pytestmark = pytest.mark.data

Gold = dict[str, set[tuple[str, str]]]
"""Sentence -> its (head, tail) pairs, nationalities left out: the span rule refuses them."""


@pytest.fixture(scope="module")
def records(shared_data: Path) -> list[dict[str, Any]]:
    path = shared_data / "qa_multihop" / "2wiki_train_ctx_triples_migres.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def one_fact_sentences(records: list[dict[str, Any]]) -> Gold:
    """Sentences such as a model writes that is told to put one fact into each."""
    gold: Gold = {}
    for record in records:
        for pair, (head, _, tail) in zip(record["qa_pairs"], record["evidences"], strict=False):
            sentence = pair["answer"].rstrip(".") + "."
            stated = all(part.casefold() in sentence.casefold() for part in (head, tail))
            if stated and not says_nothing(TextForm().words(tail)):
                gold.setdefault(sentence, set()).add((head, tail))
    return gold


def overlap(a: str, b: str) -> bool:
    """Whether one contains the other, as the corpus would see them."""
    first, second = TextForm().words(a), TextForm().words(b)
    return contains_words(first, second) or contains_words(second, first)


def test_most_stated_facts_are_found(one_fact_sentences: Gold) -> None:
    extractions = RulesExtractor().triplets(list(one_fact_sentences))

    found = [
        any(overlap(head, each.head) and overlap(tail, each.tail) for each in extraction.triplets)
        for pairs, extraction in zip(one_fact_sentences.values(), extractions, strict=True)
        for head, tail in pairs
    ]
    assert len(found) > 500
    assert sum(found) / len(found) > 0.93


def test_few_tails_are_not_of_the_fact(one_fact_sentences: Gold) -> None:
    extractions = RulesExtractor().triplets(list(one_fact_sentences))

    spurious = [
        not any(overlap(tail, each.tail) for _, tail in pairs)
        for pairs, extraction in zip(one_fact_sentences.values(), extractions, strict=True)
        for each in extraction.triplets
    ]
    assert sum(spurious) / len(one_fact_sentences) < 0.12


def test_questions_and_conclusions_have_no_triplets(records: list[dict[str, Any]]) -> None:
    questions = [record["question"] for record in records]
    conclusions = ["Therefore" + r["explanation"].partition("Therefore")[2] for r in records]

    extractions = RulesExtractor().triplets([*questions, *conclusions])

    assert len(extractions) > 600
    assert [each for each in extractions if each.triplets] == []
