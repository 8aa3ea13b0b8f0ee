"""A calibrator: what it says of each claim, what it refuses to say, whose numbers it reads."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from claims_by_hand import FITTED_MODES, MADE_WITH, claims, fit_by_hand, p_true

from averment.errors import CalibrationError
from averment.franq.calibration import fit
from averment.franq.calibrator import FaithfulnessRange, Mode, Rule, Side
from averment.franq.isotonic import Monotone
from averment.franq.rows import Row
from averment.franq.score import Score, Source, Unscorable, Unscored, mixture

CALIBRATOR = fit_by_hand(claims(200, seed=1).rows, mode=Mode.CONDITION)
UNCALIBRATED = fit([], mode=Mode.NONE, made_with=MADE_WITH, created_by="t")


def only(made: list[Score | Unscored]) -> Score:
    (score,) = made
    assert isinstance(score, Score)
    return score


def test_a_score_is_the_mixture_of_what_the_two_curves_say() -> None:
    score = only(CALIBRATOR.scores([Row(0.3, 0.4, 0.8)]))

    f, g = CALIBRATOR.faithful.curve, CALIBRATOR.unfaithful.curve
    assert isinstance(f, Monotone)
    assert isinstance(g, Monotone)
    assert (score.p_true_if_faithful, score.p_true_if_unfaithful) == (f(0.4), g(0.8))
    assert score.p_true == float(mixture(0.3, f(0.4), g(0.8)))
    assert (score.source_if_faithful, score.source_if_unfaithful) == (Source.CURVE, Source.CURVE)
    assert score.calibrated


@pytest.mark.parametrize("mode", FITTED_MODES, ids=str)
def test_a_score_never_falls_in_either_confidence(mode: Mode) -> None:
    made = fit_by_hand(claims(200, seed=2).rows, mode=mode)
    rising = np.linspace(-0.2, 1.2, 80).tolist()

    for rows in ([Row(0.6, u, 0.5) for u in rising], [Row(0.6, 0.5, u) for u in rising]):
        assert np.all(np.diff(p_true(made, rows)) >= 0)


def test_scoring_many_claims_is_scoring_each() -> None:
    rows = claims(30, seed=3).rows

    assert CALIBRATOR.scores(rows) == [CALIBRATOR.scores([row])[0] for row in rows]
    assert CALIBRATOR.scores([]) == []


@pytest.mark.parametrize(
    ("row", "missing"),
    [(Row(0.3, None, 0.8), "faithful"), (Row(0.3, 0.4, None), "unfaithful")],
    ids=["uf", "uu"],
)
def test_a_missing_confidence_is_the_base_rate_of_its_side_and_named_so(
    row: Row, missing: str
) -> None:
    score = only(CALIBRATOR.scores([row]))

    side: Side = getattr(CALIBRATOR, missing)
    assert getattr(score, f"p_true_if_{missing}") == side.base_rate
    assert getattr(score, f"source_if_{missing}") is Source.BASE_RATE
    assert {score.source_if_faithful, score.source_if_unfaithful} == {
        Source.BASE_RATE,
        Source.CURVE,
    }


def test_without_labels_a_constant_is_a_prior_that_nobody_fitted_and_named_so() -> None:
    score = only(UNCALIBRATED.scores([Row(0.5, None, None)]))

    assert (score.source_if_faithful, score.source_if_unfaithful) == (Source.PRIOR, Source.PRIOR)
    assert score.p_true == pytest.approx(0.5 * 0.9 + 0.5 * 0.5)
    assert not score.calibrated


def test_without_calibration_the_paper_s_raw_values_are_mixed() -> None:
    score = only(UNCALIBRATED.scores([Row(0.05, math.log(0.19), math.log(0.05))]))

    assert round(score.p_true, 2) == 0.06
    assert (score.source_if_faithful, score.calibrated) == (Source.RAW, False)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (Row(None, 0.1, 0.1), Unscorable.MISSING_P_FAITHFUL),
        (Row(math.nan, 0.1, 0.1), Unscorable.INVALID_P_FAITHFUL),
        (Row(1.2, 0.1, 0.1), Unscorable.INVALID_P_FAITHFUL),
        (Row(0.5, math.nan, 0.1), Unscorable.INVALID_CONFIDENCE),
        (Row(0.5, 0.1, -math.inf), Unscorable.INVALID_CONFIDENCE),
        (Row(0.5, 0.1, 0.1, evidence={"npmi_mean": math.nan}), Unscorable.INVALID_EVIDENCE),
    ],
)
def test_what_cannot_be_scored_says_why_and_leaves_the_others_alone(
    row: Row, reason: Unscorable
) -> None:
    good = Row(0.3, 0.4, 0.8)

    before, refused, after = CALIBRATOR.scores([good, row, good])

    assert isinstance(refused, Unscored)
    assert refused.reason is reason
    assert refused.detail
    assert before == after == CALIBRATOR.scores([good])[0]


def test_without_calibration_what_is_no_probability_is_refused() -> None:
    entropy = replace(MADE_WITH, uu="semantic_entropy")
    made = fit([], mode=Mode.NONE, made_with=entropy, created_by="t")

    first, second = made.scores([Row(0.5, -1.0, -2.0), Row(0.5, 0.3, 0.2)])

    assert isinstance(first, Unscored)
    assert isinstance(second, Unscored)
    assert (first.reason, second.reason) == (Unscorable.OUT_OF_RANGE, Unscorable.OUT_OF_RANGE)
    assert "uu is -2.0, which is no probability" in first.detail
    assert "uf is 0.3, which is no log_probability" in second.detail


def test_an_evidence_value_of_none_is_no_reason_to_refuse() -> None:
    (score,) = CALIBRATOR.scores([Row(0.5, 0.1, 0.1, evidence={"npmi_mean": None})])

    assert isinstance(score, Score)


# --- whose numbers ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["uf", "uu", "faithfulness", "model"])
def test_the_numbers_of_others_are_refused_by_name(name: str) -> None:
    other = replace(MADE_WITH, **{name: "another"})

    with pytest.raises(CalibrationError) as refused:
        CALIBRATOR.require(other)

    was = getattr(MADE_WITH, name)
    assert f"{name} by {was!r}, but here it is 'another'" in refused.value.message
    assert refused.value.hint


def test_its_own_numbers_are_read() -> None:
    CALIBRATOR.require(replace(MADE_WITH))

    assert CALIBRATOR.made_with == MADE_WITH


# --- drift --------------------------------------------------------------------------------------


def test_claims_like_those_of_training_bring_no_warning() -> None:
    alike = [row.p_faithful or 0.0 for row in claims(500, seed=4).rows]

    assert CALIBRATOR.drift_warning(alike) is None
    assert CALIBRATOR.drift_warning([]) is None


def test_claims_that_are_mostly_unfaithful_bring_a_warning_with_both_means() -> None:
    warning = CALIBRATOR.drift_warning([0.1, 0.15, 0.2])

    assert warning is not None
    assert "mean 0.15" in warning
    assert f"{CALIBRATOR.p_faithful_range.mean:.2f} in training" in warning


def test_claims_outside_the_range_of_training_bring_a_warning() -> None:
    made = replace(CALIBRATOR, p_faithful_range=FaithfulnessRange(0.4, 0.6, 0.5))

    assert made.drift_warning([0.5, 0.5, 0.7, 0.3]) is not None


def test_what_was_fitted_on_nothing_cannot_drift() -> None:
    assert UNCALIBRATED.drift_warning([0.0, 0.0]) is None


# --- values that cannot be ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base_rate", "n", "n_true"), [(0.0, 1, 1), (1.0, 1, 1), (math.nan, 1, 1), (0.5, 1, 2)]
)
def test_a_side_that_cannot_be_is_not_made(base_rate: float, n: float, n_true: float) -> None:
    with pytest.raises(ValueError, match=r"base rate|cannot be"):
        Side(None, base_rate, Rule.OWN, n, n_true)


@pytest.mark.parametrize("numbers", [(0.6, 0.4, 0.5), (-0.1, 1, 0.5), (0, 1, 2), (0, 1, math.nan)])
def test_a_range_that_cannot_be_is_not_made(numbers: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="range"):
        FaithfulnessRange(*numbers)
