"""Token probabilities, by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from answers_by_hand import known_record, tokens

from averment.uq.estimator import Absence, Absent, Need
from averment.uq.records import WHOLE, Alternative, ClaimSpan, Record
from averment.uq.registry import estimator

RECORD = Record("q", "a", tokens=tokens(-1.0, -2.0, -6.0), entropies=(0.5, 0.25, 1.5))
CLAIM = ClaimSpan((0, 2))


@pytest.mark.parametrize(
    ("name", "of_answer", "of_claim"),
    [
        ("max_probability", 9.0, 7.0),
        ("perplexity", 3.0, 3.5),
        ("mean_token_entropy", 0.75, 1.0),
        ("max_token_entropy", 1.5, 1.5),
    ],
)
def test_by_hand(name: str, of_answer: float, of_claim: float) -> None:
    method = estimator(name)

    assert method.score(RECORD, WHOLE) == pytest.approx(of_answer)
    assert method.score(RECORD, CLAIM) == pytest.approx(of_claim)


def test_tokens_outside_the_claim_need_no_probability() -> None:
    record = replace(RECORD, tokens=tokens(-1.0, None, -6.0))

    assert estimator("max_probability").score(record, CLAIM) == pytest.approx(7.0)


def test_one_missing_probability_inside_is_no_zero() -> None:
    record = replace(RECORD, tokens=tokens(-1.0, -2.0, None))

    absent = estimator("perplexity").score(record, CLAIM)

    assert isinstance(absent, Absent)
    assert (absent.reason, absent.need) == (Absence.MISSING_INPUT, Need.LOGPROBS)


def test_rounding_above_zero_is_cut_off() -> None:
    record = replace(RECORD, tokens=tokens(4e-4, 0.0, 0.0))

    assert estimator("max_probability").score(record) == 0


@pytest.mark.parametrize(
    ("shares", "entropy"),
    [
        pytest.param([0.4, 0.4], math.log(2), id="two alike: log 2"),
        pytest.param([0.1, 0.1, 0.1, 0.1], math.log(4), id="four alike: log 4"),
        pytest.param([0.75, 0.25], -(0.75 * math.log(0.75) + 0.25 * math.log(0.25)), id="uneven"),
    ],
)
def test_entropy_of_the_top_is_renormalised(shares: list[float], entropy: float) -> None:
    own, *others = map(math.log, shares)
    alternatives = tuple(Alternative(f" x{i}", lp) for i, lp in enumerate(others))
    record = Record("q", "a", tokens=tokens(own), alternatives=(alternatives,))

    assert estimator("mean_token_entropy_top").score(record) == pytest.approx(entropy)
    assert estimator("max_token_entropy_top").score(record) == pytest.approx(entropy)


def test_a_position_without_alternatives_is_not_certain() -> None:
    record = Record("q", "a", tokens=tokens(-1.0), alternatives=((),))

    absent = estimator("mean_token_entropy_top").score(record)

    assert isinstance(absent, Absent)
    assert (absent.reason, absent.need) == (Absence.MISSING_INPUT, Need.TOP_LOGPROBS)


def test_the_written_token_among_its_alternatives_would_count_twice() -> None:
    record = Record("q", "a", tokens=tokens(-1.0), alternatives=((Alternative(" w0", -1.0),),))

    absent = estimator("mean_token_entropy_top").score(record)

    assert isinstance(absent, Absent)
    assert absent.reason is Absence.INVALID_INPUT


def test_a_negative_entropy_is_refused() -> None:
    absent = estimator("max_token_entropy").score(replace(known_record(), entropies=(-0.5, 1, 1)))

    assert isinstance(absent, Absent)
    assert absent.reason is Absence.INVALID_INPUT


def test_one_missing_entropy_inside_is_no_zero() -> None:
    absent = estimator("mean_token_entropy").score(
        replace(RECORD, entropies=(0.5, 0.25, None)), CLAIM
    )

    assert isinstance(absent, Absent)
    assert (absent.reason, absent.need) == (Absence.MISSING_INPUT, Need.FULL_DISTRIBUTION)
