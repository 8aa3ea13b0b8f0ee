"""The numbers that harnesses show for confidence."""

from __future__ import annotations

import math

import pytest

from averment.integrations.confidence import calibration, selective_accuracy

SURE_AND_RIGHT = [(0.9, 1.0)] * 9 + [(0.9, 0.0)]


def test_confidence_that_means_what_it_says_has_no_calibration_error() -> None:
    found = calibration(SURE_AND_RIGHT)

    assert found["ece"] == pytest.approx(0.0)
    assert 0 <= found["ece_band_low"] < found["ece_band_high"] < 1


def test_confidence_that_is_always_wrong_is_as_far_off_as_it_is_sure() -> None:
    assert calibration([(0.9, 0.0)] * 10)["ece"] == pytest.approx(0.9)


def test_the_surest_answers_are_kept() -> None:
    pairs = [(0.9, 1.0), (0.8, 1.0), (0.7, 1.0), (0.6, 1.0), (0.1, 0.0)]

    found = selective_accuracy(pairs, coverage=0.8)

    assert found["selective_accuracy"] == 1.0
    assert selective_accuracy(pairs, coverage=1.0)["selective_accuracy"] == pytest.approx(0.8)
    assert found["selective_accuracy_low"] <= 1.0 <= found["selective_accuracy_high"]


@pytest.mark.parametrize("turned", [False, True], ids=["right first", "wrong first"])
def test_answers_of_one_confidence_stay_together_in_whatever_order_they_come(turned: bool) -> None:
    pairs = [(0.5, 1.0), (0.5, 0.0)]

    assert (
        selective_accuracy(pairs[:: -1 if turned else 1], coverage=0.5)["selective_accuracy"] == 0.5
    )


def test_what_has_no_confidence_is_left_out() -> None:
    pairs = [*SURE_AND_RIGHT, (math.nan, 0.0), (0.9, math.nan)]

    assert calibration(pairs) == calibration(SURE_AND_RIGHT)
    assert selective_accuracy(pairs) == selective_accuracy(SURE_AND_RIGHT)


def test_nothing_that_is_known_gives_no_number() -> None:
    found = [*calibration([(math.nan, 1.0)]).values(), *selective_accuracy([]).values()]

    assert all(map(math.isnan, found))


@pytest.mark.parametrize("coverage", [0.0, 1.1])
def test_a_coverage_that_keeps_nothing_or_too_much_is_refused(coverage: float) -> None:
    with pytest.raises(ValueError, match="Coverage is in"):
        selective_accuracy(SURE_AND_RIGHT, coverage=coverage)


def test_a_grade_that_is_neither_right_nor_wrong_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing between"):
        calibration([(0.9, 0.5)])
