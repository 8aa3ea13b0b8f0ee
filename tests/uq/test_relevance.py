"""SAR, by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from answers_by_hand import known_record, samples, tokens
from hypothesis import given
from hypothesis import strategies as st

from averment.uq.estimator import Absence, Absent, Need
from averment.uq.records import ClaimSpan, Record, Sample
from averment.uq.registry import estimator
from averment.uq.relevance import sentence_sar

RECORD = Record(
    "q",
    "a",
    tokens=tokens(-1.0, -2.0, -4.0),
    similarity_without_token=(0.9, 0.7, 1.0),
    similarity_model="by hand",
)


def similar(probabilities: list[float], similarity: float) -> Record:
    n_samples = len(probabilities)
    return Record(
        "q",
        "a",
        samples=samples(*map(str, range(n_samples)), logprobs=[math.log(p) for p in probabilities]),
        sample_similarity=((similarity,) * n_samples,) * n_samples,
        similarity_model="by hand",
    )


def test_token_sar_by_hand() -> None:
    # Relevance .1, .3, 0: shares 1/4, 3/4, 0.
    assert estimator("token_sar").score(RECORD) == pytest.approx(0.25 * 1 + 0.75 * 2)
    assert estimator("token_sar").score(RECORD, ClaimSpan((0, 2))) == pytest.approx(0.25)


def test_equal_relevance_is_perplexity() -> None:
    record = replace(RECORD, similarity_without_token=(0.4, 0.4, 0.4))

    assert estimator("token_sar").score(record) == pytest.approx(
        estimator("perplexity").score(record)
    )


@given(st.lists(st.booleans(), min_size=3, max_size=3))
def test_disjoint_claims_add_up_to_the_answer(in_first: list[bool]) -> None:
    parts = [
        tuple(t for t, first in enumerate(in_first) if first is side) for side in (True, False)
    ]

    scores = [estimator("token_sar").score(RECORD, ClaimSpan(part)) for part in parts if part]

    assert sum(scores) == pytest.approx(estimator("token_sar").score(RECORD))


@pytest.mark.parametrize("name", ["token_sar", "sar"])
def test_if_no_token_matters_the_score_is_undefined_and_not_certain(name: str) -> None:
    # lm-polygraph gives 0, the most certain value, for one and NaN for the other.
    record = known_record()
    alike = replace(
        record,
        similarity_without_token=(1.0, 1.0, 1.0),
        samples=tuple(replace(s, similarity_without_token=(1.0, 1.0)) for s in record.samples),
    )

    absent = estimator(name).score(alike)

    assert isinstance(absent, Absent)
    assert absent.reason is Absence.UNDEFINED


def test_sentence_sar_by_hand() -> None:
    record = similar([0.5, 0.25], 0.5)

    expected = -(math.log(0.5 + 0.5 * 0.25 / 0.001) + math.log(0.25 + 0.5 * 0.5 / 0.001)) / 2
    assert estimator("sentence_sar").score(record) == pytest.approx(expected)


@pytest.mark.parametrize("similarity", [0.0, -0.3])
def test_samples_like_nothing_count_for_themselves(similarity: float) -> None:
    record = similar([0.5, 0.25], similarity)

    assert estimator("sentence_sar").score(record) == pytest.approx(-math.log(0.125) / 2)


def test_a_higher_temperature_counts_others_less() -> None:
    record = similar([0.5, 0.25], 0.5)

    assert sentence_sar(record, temperature=0.1) > sentence_sar(record, temperature=0.001)


def test_samples_of_thousands_of_nats_are_not_infinite() -> None:
    # exp(-2000) is 0 in floating point.
    long = replace(similar([0.5, 0.5], 0.0), samples=samples("x", "y", logprobs=[-2000.0, -3000.0]))

    assert estimator("sentence_sar").score(long) == pytest.approx(2500.0)


def test_sar_is_sentence_sar_of_token_sar() -> None:
    drawn = (
        Sample("x", tokens=tokens(-1.0, -3.0), similarity_without_token=(0.5, 0.5)),
        Sample("y", tokens=tokens(-4.0, -2.0), similarity_without_token=(0.0, 1.0)),
    )
    record = replace(similar([0.5, 0.5], 0.5), samples=drawn)
    by_token_sar = replace(record, samples=samples("x", "y", logprobs=[-2.0, -4.0]))

    assert estimator("sar").score(record) == pytest.approx(
        estimator("sentence_sar").score(by_token_sar)
    )


def test_sar_needs_the_tokens_of_samples() -> None:
    absent = estimator("sar").score(similar([0.5, 0.5], 0.5))

    assert isinstance(absent, Absent)
    assert (absent.reason, absent.need) == (Absence.MISSING_INPUT, Need.SAMPLE_LOGPROBS)


def test_a_similarity_above_one_is_refused() -> None:
    absent = estimator("token_sar").score(replace(RECORD, similarity_without_token=(0.9, 7.0, 1.0)))

    assert isinstance(absent, Absent)
    assert absent.reason is Absence.INVALID_INPUT
