"""Claim-conditioned probability, by hand."""

from __future__ import annotations

import math

import pytest
from answers_by_hand import CONTRADICTS, ENTAILS, OPEN

from averment.types import Token
from averment.uq.estimator import Absence, Absent, Need
from averment.uq.records import Alternative, ClaimSpan, Nli, Record
from averment.uq.registry import estimator

CCP = estimator("ccp")


def answer(*words: tuple[str, float, list[tuple[float, Nli, Nli]]]) -> Record:
    return Record(
        "q",
        "a",
        tokens=tuple(Token(text, math.log(p)) for text, p, _ in words),
        alternatives=tuple(
            tuple(Alternative("?", math.log(p), forward, back) for p, forward, back in others)
            for _, _, others in words
        ),
        nli_model="by hand",
    )


def test_neutral_alternatives_do_not_count() -> None:
    record = answer(
        (
            " Paris",
            0.4,
            [(0.2, ENTAILS, ENTAILS), (0.1, CONTRADICTS, CONTRADICTS), (0.3, OPEN, OPEN)],
        )
    )

    assert CCP.score(record) == pytest.approx(-math.log(0.6 / 0.7))


@pytest.mark.parametrize(
    ("forward", "backward", "probability"),
    [
        pytest.param(ENTAILS, OPEN, 1.0, id="entailment one way entails"),
        pytest.param(OPEN, CONTRADICTS, 0.75, id="contradiction one way contradicts"),
        pytest.param(ENTAILS, CONTRADICTS, 1.0, id="both are neutral"),
        pytest.param(CONTRADICTS, CONTRADICTS, 0.75, id="contradiction both ways"),
    ],
)
def test_two_directions_make_one_class(forward: Nli, backward: Nli, probability: float) -> None:
    record = answer((" Paris", 0.6, [(0.2, forward, backward)]))

    assert CCP.score(record) == pytest.approx(-math.log(probability))


def test_tokens_of_the_claim_add_up() -> None:
    half = (" Paris", 0.25, [(0.25, CONTRADICTS, CONTRADICTS)])

    assert CCP.score(answer(half, half, half), ClaimSpan((0, 2))) == pytest.approx(2 * math.log(2))


def test_its_exponential_is_what_lm_polygraph_negates() -> None:
    quarter = (" Paris", 0.25, [(0.75, CONTRADICTS, CONTRADICTS)])

    uncertainty = CCP.score(answer(quarter, quarter))

    assert isinstance(uncertainty, float)
    assert -math.exp(-uncertainty) == pytest.approx(-1 / 16)


def test_long_claims_do_not_saturate() -> None:
    # A product of a thousand quarters is 0 in floating point, and so is one of two thousand.
    quarter = (" Paris", 0.25, [(0.75, CONTRADICTS, CONTRADICTS)])

    shorter, longer = (CCP.score(answer(*[quarter] * n)) for n in (1000, 2000))

    assert isinstance(shorter, float)
    assert isinstance(longer, float)
    assert shorter < longer


@pytest.mark.parametrize("word", [" the", "The", " of", " is"])
def test_function_words_carry_no_claim_however_they_are_written(word: str) -> None:
    record = answer((word, 0.2, [(0.6, CONTRADICTS, CONTRADICTS)]))

    assert CCP.score(record) == 0


@pytest.mark.parametrize("word", [" not", " no", " never", " before"])
def test_words_that_turn_a_claim_are_no_function_words(word: str) -> None:
    record = answer((word, 0.2, [(0.6, CONTRADICTS, CONTRADICTS)]))

    assert CCP.score(record) == pytest.approx(-math.log(0.25))


def test_a_piece_of_a_word_is_no_function_word() -> None:
    doubt = [(0.6, CONTRADICTS, CONTRADICTS)]

    pieces = CCP.score(answer((" In", 0.2, doubt), ("diana", 0.2, doubt)))
    words = CCP.score(answer((" In", 0.2, doubt), (" Diana", 0.2, doubt)))

    assert pieces == pytest.approx(2 * math.log(4))
    assert words == pytest.approx(math.log(4))


def test_function_words_need_no_judgement() -> None:
    record = Record(
        "q", "a", tokens=(Token(" the", -1.0),), alternatives=((Alternative(" a", -2.0),),)
    )

    assert CCP.score(record) == 0


def test_probabilities_that_do_not_sum_to_one_are_refused() -> None:
    record = answer((" Paris", 0.2, [(0.6, Nli(0.9, 0.9, 0.0), OPEN)]))

    absent = CCP.score(record)

    assert isinstance(absent, Absent)
    assert absent.reason is Absence.INVALID_INPUT


def test_an_alternative_that_nobody_judged_is_not_neutral() -> None:
    record = Record(
        "q",
        "a",
        tokens=(Token(" Oslo", -1.0),),
        alternatives=((Alternative(" Rome", -2.0, ENTAILS, None),),),
        nli_model="by hand",
    )

    absent = CCP.score(record)

    assert isinstance(absent, Absent)
    assert (absent.reason, absent.need) == (Absence.MISSING_INPUT, Need.NLI)
