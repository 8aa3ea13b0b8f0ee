"""Fitting: which rows teach which curve, what is done where they are few, what is refused."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from claims_by_hand import FITTED_MODES, MADE_WITH, claims, fit_by_hand, p_true
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.errors import CalibrationError
from averment.franq.calibration import fit
from averment.franq.calibrator import Mode, Raw, Rule
from averment.franq.corpus_stack import Features
from averment.franq.isotonic import Monotone, isotonic
from averment.franq.rows import Row
from averment.franq.score import Score, Source
from averment.franq.sides import Scarcity

MODES = pytest.mark.parametrize("mode", FITTED_MODES, ids=str)


def column(rows: list[Row], name: str) -> np.ndarray:
    return np.array([getattr(row, name) for row in rows], dtype=float)


# --- which rows teach which curve ---------------------------------------------------------------


def test_shared_curves_are_taught_by_all_rows() -> None:
    rows = claims(200, seed=1).rows

    made = fit_by_hand(rows, mode=Mode.SHARED)

    for name, side in (("uf", made.faithful), ("uu", made.unfaithful)):
        assert side.curve == isotonic(column(rows, name), column(rows, "is_true")).clipped()
        assert (side.rule, side.n) == (Rule.OWN, 200)


@pytest.mark.parametrize(
    ("mode", "is_of_side"),
    [
        (Mode.CONDITION, lambda row: row.p_faithful >= 0.5),
        (Mode.GOLD, lambda row: row.is_faithful),
    ],
    ids=["condition", "gold"],
)
def test_a_side_is_taught_by_its_own_rows_alone(mode: Mode, is_of_side: object) -> None:
    rows = claims(300, seed=2).rows
    faithful = [row for row in rows if is_of_side(row)]  # type: ignore[operator]
    unfaithful = [row for row in rows if not is_of_side(row)]  # type: ignore[operator]

    made = fit_by_hand(rows, mode=mode)

    own = isotonic(column(faithful, "uf"), column(faithful, "is_true")).clipped()
    other = isotonic(column(unfaithful, "uu"), column(unfaithful, "is_true")).clipped()
    assert (made.faithful.curve, made.unfaithful.curve) == (own, other)
    assert made.faithful.base_rate == pytest.approx(column(faithful, "is_true").mean())


def test_soft_weights_are_p_faithful_and_its_complement() -> None:
    rows = claims(200, seed=3).rows
    rows = sorted(rows, key=lambda row: str(row.p_faithful))

    made = fit_by_hand(rows, mode=Mode.SOFT)

    pf = column(rows, "p_faithful")
    expected = isotonic(column(rows, "uu"), column(rows, "is_true"), weights=1 - pf).clipped()
    assert made.unfaithful.curve(column(rows, "uu")) == pytest.approx(  # type: ignore[operator]
        expected(column(rows, "uu"))
    )
    assert made.faithful.n == pytest.approx(pf.sum())


def test_soft_with_certain_faithfulness_is_the_hard_split() -> None:
    rows = [replace(row, p_faithful=round(row.p_faithful or 0)) for row in claims(200, seed=4).rows]

    soft, hard = (fit_by_hand(rows, mode=mode) for mode in (Mode.SOFT, Mode.CONDITION))

    assert (soft.faithful, soft.unfaithful) == (hard.faithful, hard.unfaithful)


def test_gold_rows_without_gold_teach_neither_side() -> None:
    rows = claims(300, seed=5).rows
    rows[:100] = [replace(row, is_faithful=None) for row in rows[:100]]

    made = fit_by_hand(rows, mode=Mode.GOLD)

    assert made.faithful.n + made.unfaithful.n == 200


@MODES
def test_a_fit_does_not_depend_on_the_order_of_the_rows(mode: Mode) -> None:
    rows = claims(150, seed=6).rows
    shuffled = random.Random(0).sample(rows, len(rows))

    assert fit_by_hand(shuffled, mode=mode) == fit_by_hand(rows, mode=mode)


@MODES
def test_centred_curves_leave_fewer_ties(mode: Mode) -> None:
    rows = claims(400, seed=7).rows

    at = [Row(1.0, row.uf, row.uu) for row in rows]
    n_different = [
        len({float(f) for f in p_true(fit_by_hand(rows, mode=mode, centred=centred), at)})
        for centred in (False, True)
    ]

    assert n_different[1] > n_different[0]


@pytest.mark.parametrize("mode", [Mode.SHARED, Mode.CONDITION], ids=str)
def test_duplicated_rows_change_nothing_but_the_weights(mode: Mode) -> None:
    rows = claims(300, seed=8).rows

    once, twice = fit_by_hand(rows, mode=mode), fit_by_hand(rows * 2, mode=mode)

    for a, b in ((once.faithful, twice.faithful), (once.unfaithful, twice.unfaithful)):
        assert isinstance(a.curve, Monotone)
        assert isinstance(b.curve, Monotone)
        margin = 1 / (a.curve.n + 2)
        assert b.curve.x == a.curve.x
        assert np.clip(b.curve.y, margin, 1 - margin) == pytest.approx(a.curve.y)
        assert b.n == 2 * a.n
    assert twice.counts.n_duplicates == 300


def test_a_fit_tells_what_it_saw() -> None:
    rows = [*claims(100, seed=9, groups_of=4).rows, Row(0.5, 0.5, 0.5)]

    made = fit_by_hand(rows, mode=Mode.CONDITION)

    assert (made.counts.n_rows, made.counts.n_used, made.counts.n_groups) == (101, 100, 25)
    assert (made.made_with, made.created_by) == (MADE_WITH, "test 1")
    pf = column(rows[:100], "p_faithful")
    assert made.p_faithful_range.mean == pytest.approx(pf.mean())
    assert pf.min() <= made.p_faithful_range.low < made.p_faithful_range.high <= pf.max()


# --- few rows -----------------------------------------------------------------------------------


def few_faithful(n_faithful: int) -> list[Row]:
    rows = claims(300, seed=10).rows
    faithful = [row for row in rows if (row.p_faithful or 0) >= 0.5]
    unfaithful = [row for row in rows if (row.p_faithful or 0) < 0.5]
    return faithful[:n_faithful] + unfaithful


def test_a_side_of_few_rows_is_mixed_with_the_curve_of_all_rows() -> None:
    rows = few_faithful(20)

    side = fit_by_hand(rows, mode=Mode.CONDITION).faithful

    own = isotonic(column(rows[:20], "uf"), column(rows[:20], "is_true")).clipped()
    pool = isotonic(column(rows, "uf"), column(rows, "is_true")).clipped()
    share = 20 / (20 + 50)
    at = np.linspace(-0.5, 1.5, 50)
    assert side.curve(at) == pytest.approx(share * own(at) + (1 - share) * pool(at))  # type: ignore[operator]
    assert (side.rule, side.n) == (Rule.SHRUNK, 20)


def test_a_side_of_enough_rows_but_one_class_is_mixed_too() -> None:
    rows = [
        replace(row, is_true=True) if (row.p_faithful or 0) >= 0.5 else row
        for row in claims(300, seed=11).rows
    ]

    side = fit_by_hand(rows, mode=Mode.CONDITION).faithful

    assert side.rule is Rule.SHRUNK
    assert side.n > 100
    assert side.base_rate < 1 - 1 / (side.n + 2)


def test_a_side_without_rows_is_the_curve_of_all_rows() -> None:
    rows = few_faithful(0)

    side = fit_by_hand(rows, mode=Mode.CONDITION).faithful

    assert side.curve == isotonic(column(rows, "uf"), column(rows, "is_true")).clipped()
    assert side.base_rate == pytest.approx(column(rows, "is_true").mean())
    assert (side.rule, side.n) == (Rule.SHRUNK, 0)


def test_what_counts_as_few_can_be_chosen() -> None:
    side = fit_by_hand(few_faithful(20), mode=Mode.CONDITION, scarcity=Scarcity(min_side=20))

    assert side.faithful.rule is Rule.OWN


@MODES
def test_no_height_is_surer_than_the_number_of_rows_allows(mode: Mode) -> None:
    made = fit_by_hand(claims(60, seed=12).rows, mode=mode)

    heights = p_true(made, [Row(pf, u, u) for pf in (0.0, 1.0) for u in (-9.0, 9.0)])

    assert heights.min() >= 1 / 62
    assert heights.max() <= 1 - 1 / 62


@MODES
def test_a_confidence_that_few_rows_have_is_not_used_and_its_side_is_the_base_rate(
    mode: Mode,
) -> None:
    rows = claims(200, seed=13).rows
    rows[10:] = [replace(row, uf=None) for row in rows[10:]]

    made = fit_by_hand(rows, mode=mode)

    assert (made.faithful.curve, made.faithful.rule) == (None, Rule.BASE_RATE)
    assert isinstance(made.unfaithful.curve, Monotone)
    (score,) = made.scores([Row(0.9, 0.5, 0.5)])
    assert isinstance(score, Score)
    assert score.p_true_if_faithful == made.faithful.base_rate
    assert score.source_if_faithful is Source.BASE_RATE


@MODES
def test_a_constant_branch_is_a_base_rate_whatever_confidence_it_is_given(mode: Mode) -> None:
    rows = claims(200, seed=14).rows

    made = fit(rows, mode=mode, made_with=replace(MADE_WITH, uf="constant"), created_by="t")

    assert made.faithful.curve is None
    assert {score.source_if_faithful for score in made.scores(rows)} == {  # type: ignore[union-attr]
        Source.BASE_RATE
    }


def test_em_fits_on_rows_with_both_confidences() -> None:
    rows = claims(200, seed=15).rows
    complete = rows[:120]
    rows[120:] = [replace(row, uf=None) for row in rows[120:]]

    made = fit_by_hand(rows, mode=Mode.EM)

    assert made.faithful.n + made.unfaithful.n == pytest.approx(len(complete))


# --- what is refused ----------------------------------------------------------------------------


def test_too_few_labelled_claims_are_refused_with_their_number() -> None:
    rows = [*claims(19, seed=16).rows, Row(0.5, 0.5, 0.5), Row(None, 0.5, 0.5, is_true=True)]

    with pytest.raises(CalibrationError, match=r"19 labelled claims \(2 left out\).*at least 20"):
        fit_by_hand(rows, mode=Mode.CONDITION)


@pytest.mark.parametrize(("label", "kind"), [(True, "true"), (False, "false")])
def test_labels_of_one_class_are_refused(label: bool, kind: str) -> None:
    rows = [replace(row, is_true=label) for row in claims(40, seed=17).rows]

    with pytest.raises(CalibrationError, match=f"All 40 labelled claims are {kind}"):
        fit_by_hand(rows, mode=Mode.EM)


def test_gold_without_gold_is_refused() -> None:
    rows = [replace(row, is_faithful=None) for row in claims(40, seed=18).rows]

    with pytest.raises(CalibrationError, match="no labelled row has it"):
        fit_by_hand(rows, mode=Mode.GOLD)


def test_em_without_rows_that_have_both_confidences_is_refused() -> None:
    rows = claims(60, seed=19).rows
    rows = [replace(row, uf=None) if i % 2 else replace(row, uu=None) for i, row in enumerate(rows)]

    with pytest.raises(CalibrationError, match="0 have uf and uu"):
        fit_by_hand(rows, mode=Mode.EM)


# --- without labels -----------------------------------------------------------------------------


def test_quantiles_are_mid_ranks_of_all_rows_and_read_no_label() -> None:
    rows = claims(50, seed=20).rows
    unlabelled = [replace(row, is_true=None) for row in rows]

    made = fit_by_hand(unlabelled, mode=Mode.QUANTILE)

    assert not made.calibrated
    ranks = made.faithful.curve(sorted(column(rows, "uf")))  # type: ignore[operator]
    assert ranks == pytest.approx((np.arange(50) + 0.5) / 50)
    (score,) = made.scores(rows[:1])
    assert isinstance(score, Score)
    assert (score.source_if_faithful, score.calibrated) == (Source.QUANTILE, False)


def test_quantiles_of_confidences_that_no_row_has_are_refused() -> None:
    rows = [replace(row, uu=None) for row in claims(50, seed=21).rows]

    with pytest.raises(CalibrationError, match="no row has one of 'parametric_knowledge'"):
        fit_by_hand(rows, mode=Mode.QUANTILE)


def test_without_calibration_log_probabilities_are_read_as_such_and_the_rest_as_it_is() -> None:
    made = fit(
        [], mode=Mode.NONE, made_with=replace(MADE_WITH, uu="semantic_entropy"), created_by="t"
    )

    assert made.faithful.curve is Raw.LOG_PROBABILITY
    assert made.unfaithful.curve is Raw.PROBABILITY
    assert not made.calibrated


# --- whatever the numbers -----------------------------------------------------------------------

FINITE = st.none() | st.floats(allow_nan=False, allow_infinity=False)
FEATURES = Features(unfaithful=("npmi_weakest", "zero_mean"), faithful=("conflict_mean",))
EVIDENCE = st.dictionaries(st.sampled_from(["npmi_weakest", "conflict_mean", "zero_mean"]), FINITE)
LABELLED = st.lists(
    st.builds(
        Row,
        st.none() | st.floats(0, 1),
        FINITE,
        FINITE,
        st.sampled_from([True, False, None]),
        st.sampled_from([True, False, None]),
        st.none() | st.sampled_from("abc"),
        EVIDENCE,
    ),
    max_size=12,
)
NO_LABEL = st.none()
SCORED = st.lists(
    st.builds(Row, st.floats(0, 1), FINITE, FINITE, NO_LABEL, NO_LABEL, NO_LABEL, EVIDENCE),
    max_size=4,
)


@given(LABELLED, SCORED)
@settings(deadline=None, max_examples=60)
@MODES
def test_any_finite_rows_give_scores_in_the_unit_interval_or_a_typed_refusal(
    mode: Mode, rows: list[Row], at: list[Row]
) -> None:
    try:
        made = fit_by_hand(rows, mode=mode, scarcity=Scarcity(min_labelled=2), features=FEATURES)
    except CalibrationError:
        return

    for score in made.scores(at):
        assert isinstance(score, Score)
        parts = (score.p_true, score.p_true_if_faithful, score.p_true_if_unfaithful)
        assert all(0 <= part <= 1 for part in parts)
