"""Meanings of samples, by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from answers_by_hand import CONTRADICTS, ENTAILS, OPEN, nli_of_meanings, samples

from averment.uq.estimator import Absence, Absent
from averment.uq.meaning import semantic_entropy
from averment.uq.records import WHOLE, ClaimSpan, Nli, Record
from averment.uq.registry import estimator

ENTROPY = estimator("semantic_entropy")


def drawn(texts: list[str], probabilities: list[float], meanings: list[int]) -> Record:
    return Record(
        "q",
        "a",
        samples=samples(*texts, logprobs=[math.log(p) for p in probabilities]),
        sample_nli=nli_of_meanings(meanings),
        nli_model="by hand",
    )


def test_semantic_entropy_by_hand() -> None:
    # "Paris" and "in Paris" are one meaning of probability .5, "Rome" another of .25.
    record = drawn(["Paris", "in Paris", "Rome"], [0.3, 0.2, 0.25], [0, 0, 1])

    expected = -(2 * math.log(0.5) + math.log(0.25)) / 3
    assert ENTROPY.score(record) == pytest.approx(expected)


def test_unrelated_samples_of_equal_probability_have_log_n() -> None:
    record = drawn(list("abcd"), [0.25] * 4, [0, 1, 2, 3])

    assert ENTROPY.score(record) == pytest.approx(math.log(4))


def test_a_text_drawn_again_is_no_new_probability() -> None:
    once = drawn(["Paris", "Rome"], [0.8, 0.1], [0, 1])
    twice = drawn(["Paris", "Rome", "Paris", "Rome"], [0.8, 0.1, 0.8, 0.1], [0, 1, 0, 1])

    assert ENTROPY.score(twice) == pytest.approx(ENTROPY.score(once))


def test_equal_certain_samples_score_zero_and_not_below() -> None:
    # Added each time, as lm-polygraph does by default, three samples of probability 1 are log 3.
    record = drawn(["Paris"] * 3, [1.0] * 3, [0, 0, 0])

    assert ENTROPY.score(record) == 0
    assert semantic_entropy(record, repeats_add=True) == pytest.approx(-math.log(3))


def test_discrete_semantic_entropy_needs_no_probabilities() -> None:
    record = Record(
        "q",
        "a",
        samples=samples("a", "b", "c", "d"),
        sample_nli=nli_of_meanings([0, 0, 0, 1]),
        nli_model="by hand",
    )

    expected = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert estimator("semantic_entropy_discrete").score(record) == pytest.approx(expected)


def test_a_meaning_needs_entailment_both_ways() -> None:
    matrix = ((ENTAILS, ENTAILS), (OPEN, ENTAILS))
    record = Record("q", "a", samples=samples("x", "y"), sample_nli=matrix, nli_model="by hand")

    assert estimator("semantic_entropy_discrete").score(record) == pytest.approx(math.log(2))


def test_a_sample_is_held_against_the_first_of_a_meaning() -> None:
    # 0 and 1 agree, 1 and 2 agree, 0 and 2 do not: 2 opens a meaning of its own.
    yes, no = ENTAILS, OPEN
    matrix = ((yes, yes, no), (yes, yes, yes), (no, yes, yes))
    record = Record("q", "a", samples=samples(*"xyz"), sample_nli=matrix, nli_model="by hand")

    expected = -(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3))
    assert estimator("semantic_entropy_discrete").score(record) == pytest.approx(expected)


def test_luq_by_hand() -> None:
    matrix = ((OPEN, Nli(0.6, 0.2, 0.2)), (Nli(0.1, 0.6, 0.3), OPEN))
    record = Record("q", "a", samples=samples("x", "y"), sample_nli=matrix, nli_model="by hand")

    assert estimator("luq").score(record) == pytest.approx(1 - (0.75 + 0.25) / 2)


def test_luq_of_a_purely_neutral_pair_is_undefined() -> None:
    record = drawn(["x", "y"], [0.5, 0.5], [0, 1])
    neutral = replace(record, sample_nli=((OPEN, OPEN), (OPEN, OPEN)))

    absent = estimator("luq").score(neutral)

    assert isinstance(absent, Absent)
    assert absent.reason is Absence.UNDEFINED


@pytest.mark.parametrize(
    ("judgements", "expected"),
    [
        pytest.param([CONTRADICTS, CONTRADICTS, ENTAILS, OPEN], 1, id="two against one"),
        pytest.param([ENTAILS] * 4, -4, id="all support"),
        pytest.param([OPEN] * 4, 0, id="nobody says"),
        pytest.param([Nli(0.5, 0.0, 0.5)] * 4, 0, id="a tie is neutral"),
    ],
)
def test_frequency_scoring_by_hand(judgements: list[Nli], expected: float) -> None:
    claim = ClaimSpan((), "Oslo is cold.", nli=tuple(judgements))
    record = Record("q", "a", samples=samples(*"abcd"), nli=tuple(judgements), nli_model="by hand")

    assert estimator("frequency_scoring").score(record, claim) == expected
    assert estimator("frequency_scoring").score(record, WHOLE) == expected
