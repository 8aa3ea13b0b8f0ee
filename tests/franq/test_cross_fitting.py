"""Cross-fitting and bootstrap bands: groups stay whole, and order and luck do not matter."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest
from claims_by_hand import claims, fit_by_hand

from averment.errors import CalibrationError
from averment.franq.calibrator import Calibrator, Mode
from averment.franq.cross_fitting import bootstrap_band, cross_fitted_scores
from averment.franq.folds import fold_of_each
from averment.franq.rows import Row
from averment.franq.score import Score, Unscored

FIT = partial(fit_by_hand, mode=Mode.CONDITION)


def test_folds_keep_groups_whole_and_differ_by_at_most_one_group() -> None:
    groups = [f"q{number % 13}" for number in range(60)]

    folds = fold_of_each(groups, n_folds=4, seed=0).tolist()

    by_group = {
        group: {f for f, g in zip(folds, groups, strict=True) if g == group} for group in groups
    }
    sizes = [sum(of == {fold} for of in by_group.values()) for fold in range(4)]
    assert sorted(sizes) == [3, 3, 3, 4]


def test_folds_depend_on_the_seed_and_not_on_the_order_of_the_rows() -> None:
    groups = [f"q{number}" for number in range(30)]
    backwards = groups[::-1]

    folds = fold_of_each(groups, n_folds=5, seed=1).tolist()

    assert fold_of_each(backwards, n_folds=5, seed=1).tolist() == folds[::-1]
    assert fold_of_each(groups, n_folds=5, seed=2).tolist() != folds


def test_no_more_folds_are_made_than_there_are_groups() -> None:
    assert sorted(fold_of_each(["a", "b"], n_folds=5, seed=0).tolist()) == [0, 1]


def test_one_group_cannot_be_held_out() -> None:
    with pytest.raises(CalibrationError, match="at least 2 questions; these are of 1"):
        fold_of_each(["a", "a"], n_folds=2, seed=0)


def test_one_fold_is_no_cross_fitting() -> None:
    with pytest.raises(ValueError, match="at least 2 folds"):
        fold_of_each(["a", "b"], n_folds=1, seed=0)


def test_no_claim_is_scored_by_a_calibrator_that_saw_its_question() -> None:
    rows = claims(120, seed=1, groups_of=3).rows
    scored_with: dict[str, Calibrator] = {}
    seen: list[tuple[set[str | None], Calibrator]] = []

    def watched(taught: Sequence[Row]) -> Calibrator:
        made = FIT(taught)
        seen.append(({row.group for row in taught}, made))
        return made

    scores = cross_fitted_scores(rows, watched)

    assert len(seen) == 5
    for row, score in zip(rows, scores, strict=True):
        others = [made for groups, made in seen if row.group not in groups]
        assert [made.scores([row])[0] for made in others] == [score]
        scored_with[row.group or ""] = others[0]
    assert len(scored_with) == 40


def test_cross_fitted_scores_do_not_depend_on_the_order_of_the_rows() -> None:
    rows = claims(90, seed=2).rows
    shuffled = random.Random(1).sample(rows, len(rows))

    straight = dict(zip(rows_as_keys(rows), cross_fitted_scores(rows, FIT), strict=True))
    mixed = dict(zip(rows_as_keys(shuffled), cross_fitted_scores(shuffled, FIT), strict=True))

    assert straight == mixed


def rows_as_keys(rows: Sequence[Row]) -> list[str]:
    return [repr(row) for row in rows]


def test_unlabelled_claims_are_scored_and_unscorable_ones_say_so() -> None:
    rows = claims(90, seed=3).rows
    rows[0], rows[1] = replace(rows[0], is_true=None), replace(rows[1], p_faithful=None)

    scores = cross_fitted_scores(rows, FIT)

    assert isinstance(scores[0], Score)
    assert isinstance(scores[1], Unscored)


def test_a_band_holds_what_all_rows_say_and_narrows_with_more_of_them() -> None:
    at = [Row(0.2, 0.5, u / 10) for u in range(11)]

    few, many = (
        bootstrap_band(claims(n, seed=4).rows, FIT, at=at, n_resamples=40) for n in (100, 900)
    )

    wide, narrow = ([band.high - band.low for band in made.bands if band] for made in (few, many))
    assert sum(narrow) < 0.7 * sum(wide)
    within = [
        band.low <= score.p_true <= band.high
        for band, score in zip(many.bands, FIT(claims(900, seed=4).rows).scores(at), strict=True)
        if band and isinstance(score, Score)
    ]
    assert within == [True] * 11


def test_a_band_does_not_depend_on_the_order_of_the_rows() -> None:
    rows = claims(80, seed=5, groups_of=2).rows
    at = rows[:3]

    first = bootstrap_band(rows, FIT, at=at, n_resamples=10)

    assert bootstrap_band(rows[::-1], FIT, at=at, n_resamples=10) == first


def test_a_claim_that_cannot_be_scored_has_no_band() -> None:
    made = bootstrap_band(
        claims(80, seed=6).rows, FIT, at=[Row(None, 0.5, 0.5), Row(0.5, 0.5, 0.5)], n_resamples=5
    )

    assert made.bands[0] is None
    assert made.bands[1] is not None


def test_resamples_that_teach_nothing_are_left_out_and_counted() -> None:
    rows = [replace(row, is_true=index > 0) for index, row in enumerate(claims(40, seed=7).rows)]

    made = bootstrap_band(rows, FIT, at=rows[:1], n_resamples=40)

    assert 0 < made.n_failed < made.n_resamples == 40


def test_rows_of_which_no_resample_teaches_anything_are_refused() -> None:
    rows = [replace(row, is_true=True) for row in claims(40, seed=8).rows]

    with pytest.raises(CalibrationError, match=r"None of 3 resamples.*claims are true"):
        bootstrap_band(rows, FIT, at=rows[:1], n_resamples=3)
    with pytest.raises(CalibrationError, match="no rows to draw from"):
        bootstrap_band([], FIT, at=rows[:1])


@pytest.mark.parametrize(("n_resamples", "level"), [(0, 0.9), (5, 1.0), (5, 0.0)])
def test_a_band_of_no_resamples_or_levels_is_refused(n_resamples: int, level: float) -> None:
    with pytest.raises(ValueError, match="needs resamples and a level"):
        bootstrap_band([], FIT, at=[], n_resamples=n_resamples, level=level)
