"""Corpus evidence inside the branches: what it adds, its damping, plain FRANQ without it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from claims_by_hand import (
    FITTED_MODES,
    MADE_WITH,
    Claims,
    claims,
    fit_by_hand,
    p_true,
    with_evidence,
)
from hypothesis import given
from hypothesis import strategies as st

from averment.errors import CalibrationError, UnknownNameError
from averment.franq.calibration import fit
from averment.franq.calibrator import Mode
from averment.franq.corpus_stack import (
    CORPUS,
    PRIOR_WEIGHTS,
    Features,
    PriorWeights,
    Stack,
    Term,
    fitted_terms,
    reanchored,
    shifted,
)
from averment.franq.isotonic import Monotone
from averment.franq.rows import Row
from averment.franq.score import Score

TERM = Term("npmi_weakest", 1, 0.5, Monotone((-1.0, 1.0), (0.2, 0.8), 4.0, 2.0))
FALLING = Term("surprise_weakest", -1, 0.5, Monotone((-5.0, 0.0), (0.2, 0.5), 4.0, 2.0))
KNOWING = Features(unfaithful=("npmi_weakest", "log_head_weakest"))


def without_evidence(rows: list[Row]) -> list[Row]:
    return [replace(row, evidence={}) for row in rows]


def scores(calibrator: object, rows: list[Row]) -> list[Score]:
    made = calibrator.scores(rows)  # type: ignore[attr-defined]
    assert all(isinstance(score, Score) for score in made)
    return made


# --- terms --------------------------------------------------------------------------------------


def test_a_term_is_the_log_odds_of_its_curve_over_its_prior() -> None:
    gains = TERM.log_odds([{"npmi_weakest": 1.0}, {"npmi_weakest": -1.0}, {"npmi_weakest": 0.0}])

    assert gains == pytest.approx([math.log(4), -math.log(4), 0.0])


def test_a_feature_that_speaks_against_the_claim_lowers_it() -> None:
    gains = FALLING.log_odds([{"surprise_weakest": 0.0}, {"surprise_weakest": 5.0}])

    assert gains == pytest.approx([0.0, math.log(0.25)])


@pytest.mark.parametrize("evidence", [{}, {"npmi_weakest": None}, {"zero_mean": 1.0}])
def test_a_feature_that_is_not_known_adds_nothing(evidence: dict[str, float | None]) -> None:
    assert Stack(1.0, (TERM, FALLING)).log_odds([evidence]).tolist() == [0.0]


def test_a_stack_damps_the_sum_of_its_terms() -> None:
    stack = Stack(0.5, (TERM, FALLING))

    gains = stack.log_odds([{"npmi_weakest": 1.0, "surprise_weakest": 5.0}])

    assert gains == pytest.approx([0.5 * (math.log(4) - math.log(4))], abs=1e-12)


@pytest.mark.parametrize(
    ("direction", "prior", "heights"),
    [(0, 0.5, (0.2, 0.8)), (1, 0.0, (0.2, 0.8)), (1, 0.5, (0.0, 0.8)), (1, 0.5, (0.2, 1.0))],
)
def test_a_term_that_is_certain_or_has_no_direction_is_refused(
    direction: int, prior: float, heights: tuple[float, float]
) -> None:
    with pytest.raises(ValueError, match="npmi_weakest"):
        Term("npmi_weakest", direction, prior, Monotone((-1.0, 1.0), heights, 4.0, 2.0))


@pytest.mark.parametrize("alpha", [-0.1, 1.1, math.nan])
def test_a_damping_outside_the_unit_interval_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha"):
        Stack(alpha, (TERM,))


def test_an_unknown_feature_is_refused_with_close_names() -> None:
    with pytest.raises(UnknownNameError, match="npmi_weakest"):
        Features(faithful=("npmi_weakes",))


def test_a_term_is_fitted_on_rows_of_its_branch_that_have_the_feature() -> None:
    evidence = [{"zero_mean": 0.0}, {"zero_mean": 0.0}, {"zero_mean": 1.0}, {"zero_mean": 1.0}, {}]
    is_true = np.array([True, True, True, False, False])

    (term,) = fitted_terms(
        ["zero_mean", "npmi_mean"],
        evidence=evidence,
        is_true=is_true,
        weights=np.array([1.0, 1.0, 0.0, 1.0, 1.0]),
    )

    assert (term.feature, term.direction) == ("zero_mean", -1)
    assert term.curve == Monotone((-1.0, 0.0), (0.2, 0.8), 3.0, 2.0)
    assert term.prior == pytest.approx(2 / 3)


@given(st.floats(0, 1), st.floats(-1e6, 1e6))
def test_shifted_probabilities_stay_probabilities(probability: float, log_odds: float) -> None:
    moved = shifted(np.array([probability]), np.array([log_odds]))

    assert 0 <= moved[0] <= 1


@given(st.floats(0, 1))
def test_a_shift_of_nothing_changes_no_bit(probability: float) -> None:
    assert shifted(np.array([probability]), np.array([0.0])).tolist() == [probability]


def test_reanchoring_moves_the_mean_to_the_new_prior_and_back() -> None:
    moved = reanchored([0.5, 0.9], prior=0.5, new_prior=0.2)

    assert moved == pytest.approx([0.2, 9 / 13])
    assert reanchored(moved, prior=0.2, new_prior=0.5) == pytest.approx([0.5, 0.9])
    assert reanchored(0.3, prior=0.4, new_prior=0.4).tolist() == 0.3


@pytest.mark.parametrize(("prior", "new_prior"), [(0.0, 0.5), (0.5, 1.0), (math.nan, 0.5)])
def test_a_prior_of_certainty_cannot_be_reanchored(prior: float, new_prior: float) -> None:
    with pytest.raises(ValueError, match="Priors"):
        reanchored([0.5], prior=prior, new_prior=new_prior)


# --- inside a calibrator ------------------------------------------------------------------------


@pytest.mark.parametrize("mode", FITTED_MODES, ids=str)
def test_without_an_index_the_scores_are_those_of_plain_franq_bit_for_bit(mode: Mode) -> None:
    rows = with_evidence(claims(300, seed=1), seed=1).rows
    plain = fit_by_hand(rows, mode=mode)
    stacked = fit_by_hand(rows, mode=mode, features=replace(CORPUS, unfaithful=KNOWING.unfaithful))

    bare = without_evidence(rows)

    assert stacked.unfaithful.evidence is not None
    assert stacked.scores(bare) == plain.scores(bare)


@pytest.mark.parametrize("mode", FITTED_MODES, ids=str)
def test_features_that_no_row_has_leave_plain_franq(mode: Mode) -> None:
    rows = claims(200, seed=2).rows

    assert fit_by_hand(rows, mode=mode, features=CORPUS) == fit_by_hand(rows, mode=mode)


def test_evidence_that_knows_more_brings_the_scores_nearer_to_the_labels() -> None:
    train, test = (with_evidence(claims(n, seed=s), seed=s) for n, s in ((500, 3), (2000, 4)))
    plain = fit_by_hand(train.rows, mode=Mode.CONDITION)
    stacked = fit_by_hand(train.rows, mode=Mode.CONDITION, features=KNOWING)

    squared = [
        float(((p_true(made, test.rows) - test.is_true) ** 2).mean()) for made in (plain, stacked)
    ]

    assert squared[1] < squared[0] - 0.01


def test_noise_is_damped_away() -> None:
    made = claims(400, seed=5)
    random = np.random.default_rng(5)
    noisy = [replace(row, evidence={"npmi_mean": float(random.random())}) for row in made.rows]

    stack = fit_by_hand(
        noisy, mode=Mode.CONDITION, features=Features(unfaithful=("npmi_mean",))
    ).unfaithful.evidence

    assert isinstance(stack, Stack)
    assert stack.alpha <= 0.2


def test_a_copied_feature_is_damped_more_than_a_single_one() -> None:
    made = with_evidence(claims(600, seed=6), seed=6)
    copied = [
        replace(
            row,
            evidence={
                **row.evidence,
                **{
                    name: row.evidence.get("npmi_weakest")
                    for name in ("npmi_mean", "log_tail_mean")
                },
            },
        )
        for row in made.rows
    ]
    one = Features(unfaithful=("npmi_weakest",))
    three = Features(unfaithful=("npmi_weakest", "npmi_mean", "log_tail_mean"))

    single, triple = (
        fit_by_hand(copied, mode=Mode.CONDITION, features=features).unfaithful.evidence
        for features in (one, three)
    )

    assert isinstance(single, Stack)
    assert isinstance(triple, Stack)
    assert triple.alpha < single.alpha


def test_evidence_on_the_unfaithful_side_leaves_the_faithful_branch_alone() -> None:
    rows = with_evidence(claims(300, seed=7), seed=7).rows
    plain, stacked = (
        fit_by_hand(rows, mode=Mode.CONDITION, features=features)
        for features in (Features(), KNOWING)
    )

    for a, b in zip(scores(plain, rows), scores(stacked, rows), strict=True):
        assert a.p_true_if_faithful == b.p_true_if_faithful
        assert b.evidence_log_odds_if_faithful == 0
        moved = b.p_true_if_unfaithful - a.p_true_if_unfaithful
        assert moved * b.evidence_log_odds_if_unfaithful >= 0


def conflicting(made: Claims) -> list[Row]:
    """False claims that follow a passage which the corpus contradicts."""
    random = np.random.default_rng(8)
    return [
        replace(
            row, evidence={"conflict_weakest": 0.0 if row.is_true else float(random.random() < 0.7)}
        )
        for row in made.rows
    ]


def test_a_conflict_with_the_corpus_lowers_the_faithful_branch() -> None:
    rows = conflicting(claims(400, seed=8))
    made = fit_by_hand(rows, mode=Mode.CONDITION, features=Features(faithful=("conflict_weakest",)))

    calm, conflict = scores(
        made, [Row(0.9, 0.5, 0.5, evidence={"conflict_weakest": value}) for value in (0.0, 1.0)]
    )

    assert conflict.p_true_if_faithful < calm.p_true_if_faithful - 0.2
    assert conflict.p_true_if_unfaithful == calm.p_true_if_unfaithful
    assert made.unfaithful.evidence is None


@pytest.mark.parametrize("mode", [Mode.SOFT, Mode.EM], ids=str)
def test_a_stack_does_not_depend_on_the_order_of_the_rows(mode: Mode) -> None:
    rows = with_evidence(claims(120, seed=13, groups_of=2), seed=13).rows

    made = fit_by_hand(rows, mode=mode, features=KNOWING)

    assert fit_by_hand(rows[::-1], mode=mode, features=KNOWING) == made
    assert isinstance(made.unfaithful.evidence, Stack)


def test_damping_needs_groups_to_hold_out() -> None:
    rows = [replace(row, group="one") for row in with_evidence(claims(100, seed=9), seed=9).rows]

    with pytest.raises(CalibrationError, match="at least 2 questions"):
        fit_by_hand(rows, mode=Mode.CONDITION, features=KNOWING)


def test_damping_needs_enough_rows_without_each_fold() -> None:
    rows = with_evidence(claims(22, seed=10), seed=10).rows

    with pytest.raises(CalibrationError, match="without fold 1 too few labelled rows remain: 1"):
        fit_by_hand(rows, mode=Mode.CONDITION, features=KNOWING)


# --- without labels -----------------------------------------------------------------------------


def test_weights_that_nobody_fitted_stand_for_the_stack_and_stay_uncalibrated() -> None:
    rows = claims(50, seed=11).rows
    made = fit(rows, mode=Mode.QUANTILE, made_with=MADE_WITH, created_by="t", features=CORPUS)

    plain, strong, absent = scores(
        made,
        [
            Row(0.2, 0.5, 0.5),
            Row(0.2, 0.5, 0.5, evidence={"npmi_weakest": 0.8, "surprise_weakest": 0.0}),
            Row(0.2, 0.5, 0.5, evidence={"npmi_weakest": -1.0, "surprise_weakest": 4.0}),
        ],
    )

    assert made.unfaithful.evidence == PRIOR_WEIGHTS
    assert absent.p_true < plain.p_true < strong.p_true
    assert strong.evidence_log_odds_if_unfaithful == pytest.approx(1.2)
    assert absent.evidence_log_odds_if_unfaithful == -4.0
    assert not any(score.calibrated for score in (plain, strong, absent))


def test_weights_of_features_that_were_not_asked_for_are_left_out() -> None:
    rows = claims(50, seed=12).rows
    features = Features(unfaithful=("npmi_weakest",))

    made = fit_by_hand(rows, mode=Mode.QUANTILE, features=features)

    assert made.unfaithful.evidence == PriorWeights(1, (("npmi_weakest", 1.5),))
    assert fit_by_hand(rows, mode=Mode.QUANTILE).unfaithful.evidence is None


def test_weights_that_are_not_finite_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        PriorWeights(1, (("npmi_weakest", math.inf),))
