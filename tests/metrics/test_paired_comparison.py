"""Two policies on the same questions: the interval of the difference, and the sign-flip test."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.metrics.permutation import sign_flip_test
from averment.metrics.resampling import bootstrap_mean_difference
from averment.metrics.rows import FloatArray
from metrics.labelled_rows import untimed


def two_policies(n_questions: int, *, gain: float, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """Scores that share what makes a question hard, the first being better by `gain` on average."""
    random = np.random.default_rng(seed)
    hard = random.random(n_questions)
    return hard + gain + 0.1 * random.normal(size=n_questions), hard


# --- the interval -------------------------------------------------------------------------------


def test_the_interval_is_of_the_mean_of_the_differences() -> None:
    scores, baseline = two_policies(200, gain=0.05)
    drawn = np.random.default_rng(4)
    means = [(scores - baseline)[drawn.integers(200, size=200)].mean() for _ in range(300)]

    found = bootstrap_mean_difference(
        scores, baseline=baseline, question_ids=range(200), n_resamples=300, seed=4
    )

    assert found.value == pytest.approx((scores - baseline).mean())
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])))
    assert (found.n_rows, found.n_questions, found.n_undefined) == (200, 200, 0)


def test_what_makes_questions_hard_for_both_does_not_widen_the_interval() -> None:
    scores, baseline = two_policies(200, gain=0.05)

    found = bootstrap_mean_difference(scores, baseline=baseline, question_ids=range(200))

    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low < 0.2 * np.std(baseline)


def test_rows_of_one_question_are_drawn_together() -> None:
    scores, baseline = two_policies(30, gain=0.0)
    ids = np.arange(30)

    once = bootstrap_mean_difference(scores, baseline=baseline, question_ids=ids)
    often = bootstrap_mean_difference(
        np.repeat(scores, 4), baseline=np.repeat(baseline, 4), question_ids=np.repeat(ids, 4)
    )

    assert (often.low, often.high) == pytest.approx((once.low, once.high))
    assert (often.n_rows, often.n_questions) == (120, 30)


def test_no_rows_have_no_difference() -> None:
    found = bootstrap_mean_difference(np.array([]), baseline=np.array([]), question_ids=[])

    assert (found.value, found.low, found.reason) == (None, None, "there are no rows")


# --- the test -----------------------------------------------------------------------------------


def p_value_by_definition(differences: list[float]) -> float:
    """The share of all choices of signs whose sum is as far from 0."""
    observed = abs(sum(differences))
    sums = [
        abs(sum(sign * each for sign, each in zip(signs, differences, strict=True)))
        for signs in product([1, -1], repeat=len(differences))
    ]
    return sum(each >= observed - 1e-9 for each in sums) / len(sums)


@untimed
@given(st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=8))
def test_with_few_questions_the_p_value_is_exact(differences: list[float]) -> None:
    scores = np.array(differences)

    found = sign_flip_test(scores, baseline=np.zeros(len(scores)), question_ids=range(len(scores)))

    assert found.is_exact
    assert found.p_value == pytest.approx(p_value_by_definition(differences))
    assert found.n_permutations == 2 ** sum(each != 0 for each in differences)


def test_with_many_questions_signs_are_drawn_and_come_near_the_exact_value() -> None:
    scores, baseline = two_policies(14, gain=0.04, seed=1)

    exact = sign_flip_test(scores, baseline=baseline, question_ids=range(14), n_permutations=2**14)
    drawn = sign_flip_test(scores, baseline=baseline, question_ids=range(14))

    assert (exact.is_exact, drawn.is_exact) == (True, False)
    assert (exact.n_permutations, drawn.n_permutations) == (2**14, 10_000)
    assert exact.p_value is not None
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.015)


def test_a_clear_difference_is_hardly_chance_but_never_surely_not() -> None:
    scores, baseline = two_policies(2000, gain=0.2)

    found = sign_flip_test(scores, baseline=baseline, question_ids=range(2000), n_permutations=500)

    assert found.p_value == 1 / 501
    assert found.mean_difference == pytest.approx(0.2, abs=0.02)


def test_the_direction_does_not_matter() -> None:
    scores, baseline = two_policies(40, gain=0.02)

    one = sign_flip_test(scores, baseline=baseline, question_ids=range(40))
    other = sign_flip_test(baseline, baseline=scores, question_ids=range(40))

    assert one.p_value == other.p_value
    assert one.mean_difference == pytest.approx(-(other.mean_difference or 0))


def test_the_same_seed_draws_the_same_signs() -> None:
    scores, baseline = two_policies(40, gain=0.02)

    p_values = [
        sign_flip_test(scores, baseline=baseline, question_ids=range(40), seed=seed).p_value
        for seed in (3, 3, 4)
    ]

    assert p_values[0] == p_values[1] != p_values[2]


def test_rows_of_one_question_change_their_sign_together() -> None:
    scores, ids = np.array([1.0, 2.0, -0.5, 1.0]), ["a", "a", "b", "c"]

    found = sign_flip_test(scores, baseline=np.zeros(4), question_ids=ids)

    assert found.p_value == p_value_by_definition([3.0, -0.5, 1.0])
    assert (found.n_rows, found.n_questions, found.n_differing) == (4, 3, 3)


def test_questions_on_which_both_are_equal_change_nothing() -> None:
    scores, baseline = two_policies(8, gain=0.05)
    equal = np.ones(500)

    few = sign_flip_test(scores, baseline=baseline, question_ids=range(8))
    many = sign_flip_test(
        np.concatenate([scores, equal]),
        baseline=np.concatenate([baseline, equal]),
        question_ids=range(508),
    )

    assert many.p_value == few.p_value
    assert (many.n_questions, many.n_differing, many.is_exact) == (508, 8, True)


def test_two_policies_that_never_differ_are_no_evidence() -> None:
    found = sign_flip_test(np.ones(5), baseline=np.ones(5), question_ids=range(5))

    assert (found.mean_difference, found.p_value, found.n_differing) == (0.0, 1.0, 0)


def test_no_rows_cannot_be_tested() -> None:
    found = sign_flip_test(np.array([]), baseline=np.array([]), question_ids=[])

    assert (found.mean_difference, found.p_value, found.reason) == (None, None, "there are no rows")


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize("compare", [bootstrap_mean_difference, sign_flip_test])
@pytest.mark.parametrize(
    ("scores", "baseline", "ids", "message"),
    [
        pytest.param([1.0], [1.0, 2.0], [0], "there are 1 scores, 2 baseline", id="lengths"),
        pytest.param([1.0, np.nan], [0.0, 0.0], [0, 1], "score of 1 of 2 rows .* NaN", id="nan"),
        pytest.param([1.0], [np.inf], [0], "baseline of 1 of 1 rows .* infinite", id="infinite"),
        pytest.param([1.0], [0.0], [None], "question id of row 0 is None", id="question id"),
    ],
)
def test_what_was_not_measured_is_refused(compare, scores, baseline, ids, message) -> None:
    with pytest.raises(ValueError, match=message):
        compare(np.array(scores), baseline=np.array(baseline), question_ids=ids)


def test_a_test_without_permutations_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 permutation, not 0"):
        sign_flip_test(np.ones(1), baseline=np.ones(1), question_ids=[0], n_permutations=0)
