from __future__ import annotations

import math
from dataclasses import replace

import pytest

from averment.faithfulness.lexical import LexicalAlignment
from averment.types import Faithfulness

BRIDGE = (
    "The bridge over the fjord is 5 km long. It was opened on 7 November 1967 by Anna Berg. "
    "About 1,000 cars cross it every day. The bridge was not damaged in the storm of 1990."
)


def score(claim: str, *passages: str) -> Faithfulness:
    [found] = LexicalAlignment().score([(claim, passages or (BRIDGE,))])
    return found


@pytest.mark.parametrize(
    "claim",
    [
        "The bridge over the fjord is 5 km long.",
        "The bridge over the fjord is 5000 m long.",
        "The bridge was opened on November 7, 1967.",
        "The bridge was opened in 1967.",
        "One thousand cars cross the bridge every day.",
        "The bridge was not damaged in the storm.",
    ],
)
def test_what_is_stated_scores_high_without_a_reason(claim: str) -> None:
    found = score(claim)

    assert found.score > 0.75
    assert found.reason is None
    assert found.contradiction is None


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("The bridge over the fjord is 6 km long.", "number_differs"),
        ("The bridge over the fjord is 5 miles long.", "number_differs"),
        ("About 2,000 cars cross the bridge every day.", "number_differs"),
        ("The bridge was opened on 8 November 1967.", "date_differs"),
        ("The bridge was opened in 1868.", "date_differs"),
        ("The bridge was damaged in the storm.", "negation_differs"),
    ],
)
def test_what_is_altered_is_contradicted_by_a_named_rule(claim: str, reason: str) -> None:
    found = score(claim)

    assert found.reason == reason
    assert found.score <= 0.5
    assert found.contradiction is not None
    assert found.contradiction >= found.score


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Kota never won the cup.", "Kota won the cup."),
        ("Kota won the cup.", "Kota has not won the cup."),
        ("Kota can't be reached by train.", "Kota can be reached by train."),
        ("Kota won’t join the league.", "Kota will join the league."),
        ("They do n't live in Kota.", "They live in Kota."),
    ],
)
def test_a_denial_is_no_support(claim: str, passage: str) -> None:
    assert score(claim, passage).reason == "negation_differs"
    assert score(passage, claim).reason == "negation_differs"


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Kota won the cup twice.", "The cup, which Kota has won, was handed over twice."),
        ("Guns N' Roses is a rock band.", "Guns N' Roses is a band of hard rock."),
    ],
)
def test_what_looks_like_a_contracted_not_denies_nothing(claim: str, passage: str) -> None:
    assert score(claim, passage).reason is None


@pytest.mark.parametrize("marks", ["[1][3]", "[2, 4]", "[7–9]"])
def test_the_number_of_a_source_is_no_number_of_the_claim(marks: str) -> None:
    plain = score("Therapy helps against fear.", "Therapy helps against fear.")

    assert score(f"Therapy helps against fear {marks}.", "Therapy helps against fear [23].") == (
        replace(plain, end=plain.end + len(" [23]"))
    )
    assert score("[3]").reason == "empty_claim"


def test_a_word_of_opposite_meaning_contradicts() -> None:
    found = score("The eastern shore is steep.", "The western shore is steep.")

    assert found.reason == "opposite_stated"


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("Maria Berg opened the bridge.", "name_missing"),
        ("The bridge over the fjord has 12 pillars.", "number_missing"),
        ("Yesterday Anna Berg divorced.", "relation_missing"),
    ],
)
def test_what_is_missing_caps_the_score_and_contradicts_nothing(claim: str, reason: str) -> None:
    found = score(claim)

    assert found.reason == reason
    assert found.score <= 0.7
    assert found.contradiction is None


def test_the_evidence_is_the_sentence_that_states_it() -> None:
    passages = ("Nothing of that is here.", BRIDGE)

    found = score("About 1,000 cars cross the bridge every day.", *passages)

    assert found.passage == 1
    assert found.start is not None
    assert BRIDGE[found.start : found.end].startswith("About 1,000 cars")


def test_evidence_may_span_sentences() -> None:
    found = score("Anna Berg opened the bridge over the fjord.")

    assert found.start == 0
    assert found.end is not None
    assert BRIDGE[: found.end].endswith("Anna Berg.")


def test_a_claim_of_two_sentences_scores_their_mean_or_minimum() -> None:
    claim = ("The bridge over the fjord is 5 km long. Bananas are yellow.", [BRIDGE])

    [mean] = LexicalAlignment().score([claim])
    [least] = LexicalAlignment(pooling="min").score([claim])

    assert mean.score == pytest.approx(0.5)
    assert least.score == 0.0


@pytest.mark.parametrize(
    ("claim", "passages", "reason"),
    [
        ("", [BRIDGE], "empty_claim"),
        (" \n", [], "empty_claim"),
        ("?!", [BRIDGE], "empty_claim"),
        ("It is so.", [BRIDGE], "no_content"),
        ("The moon is made of cheese.", [], "no_evidence"),
        ("The moon is made of cheese.", ["", " \n"], "no_evidence"),
        ("The moon is made of cheese.", ["…"], "no_evidence"),
    ],
)
def test_where_there_is_nothing_to_compare_the_score_is_0_with_a_reason(
    claim: str, passages: list[str], reason: str
) -> None:
    assert LexicalAlignment().score([(claim, passages)]) == [Faithfulness(0.0, reason=reason)]


@pytest.mark.parametrize(
    "claim",
    ["x" * 10_000, "東" * 500, "def f(x):\n    return x", "Hello!", "5", "not", "🙂"],
    ids=["long", "han", "code", "greeting", "number", "negator", "emoji"],
)
def test_any_claim_has_a_finite_score(claim: str) -> None:
    found = score(claim)

    assert math.isfinite(found.score)
    assert 0.0 <= found.score <= 1.0


def test_a_context_of_100_000_words_is_read() -> None:
    filler = " ".join(f"Item {at} of the list is an entry of no interest." for at in range(10_000))

    found = score("The bridge over the fjord is 5 km long.", filler + " " + BRIDGE)

    assert found.score == 1.0
    assert found.start == len(filler) + 1


def test_a_judgement_is_a_distribution_with_what_a_rule_contradicts() -> None:
    pairs = [(BRIDGE, "The bridge over the fjord is 6 km long."), (BRIDGE, "Bananas are yellow.")]

    altered, silent = LexicalAlignment().judge(pairs)

    assert altered.contradiction > altered.entailment > 0
    assert (silent.entailment, silent.neutral, silent.contradiction) == (0.0, 1.0, 0.0)
