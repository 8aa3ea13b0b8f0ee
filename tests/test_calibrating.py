"""From labelled claims to a calibrator, and to what it changes on claims that it has not seen."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from averment.calibrating import calibrate, quality, row_of, scored_by
from averment.errors import CalibrationError
from averment.franq.calibration import fit
from averment.franq.calibrator import MadeWith, Mode, Rule
from averment.franq.corpus_stack import CORPUS, Stack
from averment.franq.cross_fitting import cross_fitted_scores
from averment.franq.rows import Row
from averment.franq.score import Score
from averment.labels import LabelledClaim
from averment.metrics.calibration_error import brier_score, expected_calibration_error
from averment.metrics.ranking import pr_auc, roc_auc
from averment.metrics.rejection import aurc, prediction_rejection_ratio
from labels_by_hand import MADE_WITH, labelled, some_labels

PLAIN = MadeWith("constant", "constant", "lexical-alignment", "")
RESCORED = {
    "uf": "max_probability",
    "uu": "parametric_knowledge",
    "faithfulness": "lexical-alignment",
    "model": "tiny",
}
fitted = partial(calibrate, mode=Mode.CONDITION, created_by="test 1")


# --- what is held out ---------------------------------------------------------------------------


def test_nothing_is_held_out_unless_it_is_asked_for() -> None:
    assert fitted(some_labels()).calibrator.held_out is None


def test_the_calibrator_and_its_report_are_of_what_is_not_held_out() -> None:
    whole, half = fitted(some_labels()), fitted(some_labels(), hold_out=0.5)

    assert half.calibrator.held_out is not None
    assert half.calibrator.held_out.n_questions == 30
    assert half.calibrator.counts.n_groups == 30
    assert half.n_rows + len(half.calibrator.held_out.p_true) == whole.n_rows


# --- the calibrator -----------------------------------------------------------------------------


def test_the_calibrator_is_fitted_on_all_labels_in_the_name_of_whoever_scored_them() -> None:
    labels = some_labels()

    made = fitted(labels).calibrator

    rows = [row_of(label) for label in labels]
    assert made == fit(rows, mode=Mode.CONDITION, made_with=PLAIN, created_by="test 1")


@pytest.mark.parametrize("mode", [mode for mode in Mode if mode.reads_labels], ids=str)
def test_every_mode_that_reads_labels_makes_a_calibrator(mode: Mode) -> None:
    made = fitted(some_labels(), mode=mode).calibrator

    assert (made.mode, made.calibrated) == (mode, True)


@pytest.mark.parametrize(
    ("with_features", "with_corpus", "expected"),
    [(True, True, True), (True, False, False), (False, True, False)],
    ids=["features", "not wanted", "none there"],
)
def test_corpus_features_enter_if_they_are_there_and_wanted(
    with_features: bool, with_corpus: bool, expected: bool
) -> None:
    labels = some_labels(with_features=with_features)

    made = fitted(labels, with_corpus=with_corpus).calibrator

    assert isinstance(made.unfaithful.evidence, Stack) is expected


def test_claims_of_which_nobody_knows_whether_they_are_true_are_counted_and_left_out() -> None:
    labels = [*some_labels(), labelled(900, None, p_faithful=0.5), labelled(901, True)]

    made = fitted(labels)

    counts = made.calibrator.counts
    assert (counts.n_unlabelled, counts.n_without_p_faithful, counts.n_used) == (1, 1, 120)
    assert made.n_rows == 120


def test_a_claim_that_was_labelled_twice_counts_twice_and_is_told() -> None:
    labels = some_labels()

    made = fitted([*labels, labels[0]])

    assert made.calibrator.counts.n_duplicates == 1
    assert made.n_rows == 121


def test_the_order_of_the_labels_changes_nothing() -> None:
    labels = some_labels()

    assert fitted(labels[::-1]).calibrator == fitted(labels).calibrator
    assert fitted(labels[::-1]).after.ece == pytest.approx(fitted(labels).after.ece)


# --- what is reported ---------------------------------------------------------------------------


def test_what_is_reported_was_scored_by_calibrators_that_never_saw_the_question() -> None:
    labels = some_labels()
    rows = [row_of(label) for label in labels]
    fit_again = partial(fit, mode=Mode.CONDITION, made_with=PLAIN, created_by="test 1")

    made = fitted(labels, n_folds=4, seed=3)

    held_out = cross_fitted_scores(rows, fit_again, n_folds=4, seed=3)
    p_true = np.array([score.p_true for score in held_out if isinstance(score, Score)])
    assert made.after == quality("after", p_true, np.array([bool(label.label) for label in labels]))


def test_labels_that_follow_no_score_are_not_learnt_by_heart() -> None:
    random = np.random.default_rng(5)
    labels = [
        labelled(n, bool(random.random() < 0.5), p_faithful=float(random.random()))
        for n in range(300)
    ]

    after = fitted(labels).after

    assert after.roc_auc is not None
    assert 0.38 < after.roc_auc < 0.62


def test_before_are_the_scores_that_a_check_gives_without_a_calibrator() -> None:
    labels = some_labels(with_features=True)
    raw = fit([], mode=Mode.NONE, made_with=PLAIN, created_by="test", features=CORPUS)

    made = fitted(labels)

    scores = raw.scores([row_of(label) for label in labels])
    p_true = np.array([score.p_true for score in scores if isinstance(score, Score)])
    assert made.before == quality("before", p_true, np.array([label.label for label in labels]))


def test_calibration_brings_scores_nearer_to_the_share_of_true_claims() -> None:
    made = fitted(some_labels(600), mode=Mode.GOLD)

    assert made.before.ece is not None
    assert made.after.ece is not None
    assert made.ece_band.high is not None
    assert made.after.ece < made.before.ece
    assert made.after.ece <= made.ece_band.high


def test_before_and_after_are_of_the_same_claims() -> None:
    beyond = [  # no log of a probability, so that it has no score without a calibrator
        replace(label, scores={**label.scores, "uf": 2.0, "uu": -1.0})
        for label in some_labels(10, seed=1)
    ]
    within = [
        replace(label, scores={**label.scores, "uf": -1.0, "uu": -1.0}) for label in some_labels()
    ]
    rescored = [
        replace(label, made_by={"made_with": RESCORED}, claim_id=f"{number}")
        for number, label in enumerate([*within, *beyond])
    ]

    made = fitted(rescored)

    assert made.n_rows == 120
    assert sum(b.n_rows for b in made.before.reliability) == 120
    assert sum(b.n_rows for b in made.after.reliability) == 120


def test_estimators_without_a_score_of_their_own_are_reported_calibrated() -> None:
    made_by = {"made_with": {**RESCORED, "uf": "semantic_entropy", "uu": "degree_matrix"}}
    entropies = [
        replace(label, made_by=made_by, scores={**label.scores, "uf": -0.5, "uu": -0.1})
        for label in some_labels()
    ]

    made = fitted(entropies)

    assert made.n_rows == 120
    assert made.after.ece is not None
    assert made.before.ece is None
    assert sum(b.n_rows for b in made.before.reliability) == 0


def test_a_quality_is_made_of_the_metrics_of_this_package() -> None:
    p_true, is_true = np.array([0.9, 0.2, 0.6, 0.4]), np.array([True, False, False, True])

    found = quality("some", p_true, is_true)

    assert found.name == "some"
    assert found.ece == expected_calibration_error(p_true, is_true).value
    assert found.brier == brier_score(p_true, is_true).value
    assert found.pr_auc == pr_auc(1 - p_true, is_true).value
    assert found.roc_auc == roc_auc(1 - p_true, is_true).value
    assert found.prr == prediction_rejection_ratio(1 - p_true, is_true).value
    assert found.aurc == aurc(1 - p_true, is_true).value
    assert found.risk_coverage == ((0.25, 0.0), (0.5, 0.5), (0.75, pytest.approx(1 / 3)), (1, 0.5))
    assert sum(each.n_rows for each in found.reliability) == 4


def test_a_metric_that_is_undefined_is_none_and_never_nan() -> None:
    found = quality("of true claims only", np.array([0.9, 0.4]), np.array([True, True]))

    assert (found.roc_auc, found.pr_auc, found.prr) == (None, None, None)
    assert found.ece is not None


# --- who scored ---------------------------------------------------------------------------------


def test_the_estimators_of_all_rows_are_named() -> None:
    assert scored_by(some_labels(3)) == PLAIN
    assert scored_by([labelled(0, True, made_with=RESCORED)]) == MadeWith(
        "max_probability", "parametric_knowledge", "lexical-alignment", "tiny"
    )


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        pytest.param([], "There are no labelled claims", id="no row"),
        pytest.param(
            [replace(labelled(0, True), made_by={})], "made_with' is missing", id="nobody"
        ),
        pytest.param(
            [replace(labelled(0, True), made_by={"made_with": "me"})], "is missing", id="a text"
        ),
        pytest.param(
            [labelled(0, True, made_with={**MADE_WITH, "uu": None})], "is missing", id="half"
        ),
        pytest.param(
            [labelled(0, True), replace(labelled(1, True), made_by={})], "is missing", id="some"
        ),
        pytest.param(
            [labelled(0, True), labelled(1, True, made_with=RESCORED)],
            "different estimators: .*constant.*max_probability",
            id="several",
        ),
    ],
)
def test_rows_of_nobody_or_of_several_are_refused(labels: list[LabelledClaim], words: str) -> None:
    with pytest.raises(CalibrationError, match=words) as refused:
        scored_by(labels)

    assert refused.value.hint


# --- rows ---------------------------------------------------------------------------------------


def test_a_row_has_the_scores_and_labels_of_its_claim() -> None:
    label = labelled(
        7,
        False,
        faithful=True,
        p_faithful=0.5,
        uf=-1,
        uu=None,
        features={"npmi_weakest": 0.25, "zero_weakest": None},
        verdict="supported",
    )

    assert row_of(label) == Row(
        p_faithful=0.5,
        uf=-1,
        uu=None,
        is_true=False,
        is_faithful=True,
        group="q7",
        evidence={"npmi_weakest": 0.25, "zero_weakest": None},
    )


def test_a_claim_without_scores_is_a_row_without_numbers() -> None:
    assert row_of(labelled(7, None)) == Row(None, None, None, group="q7")


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ({"p_faithful": "0.9"}, "p_faithful '0.9'"),
        ({"uf": True}, "uf True"),
        ({"uu": [1]}, r"uu \[1\]"),
        ({"uu": 10**400}, "uu inf"),
        ({"features": {"npmi_weakest": "high"}}, "npmi_weakest 'high'"),
        ({"features": [0.5]}, r"features \[0.5\]"),
    ],
    ids=["a text", "a truth value", "a list", "too long", "a feature", "no features"],
)
def test_a_score_that_is_no_number_is_refused_with_its_claim(
    scores: dict[str, Any], words: str
) -> None:
    with pytest.raises(CalibrationError, match=rf"'Claim 3.' \(c3\) has {words}; expected"):
        row_of(labelled(3, True, **scores))


# --- what cannot be calibrated ------------------------------------------------------------------


def one_class(label: bool) -> list[LabelledClaim]:
    return [replace(row, label=label) for row in some_labels(60)]


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        pytest.param(some_labels(10), "There are 10 labelled claims", id="few"),
        pytest.param(one_class(True), "All 60 labelled claims are true", id="all true"),
        pytest.param(one_class(False), "All 60 labelled claims are false", id="all false"),
        pytest.param(
            some_labels(60, claims_a_question=60), "rows of at least 2 questions", id="one question"
        ),
        pytest.param(
            [*some_labels(60), labelled(99, True, p_faithful=math.inf)],
            "Row 61 has p_faithful inf",
            id="infinite",
        ),
        pytest.param(
            [*some_labels(60), labelled(99, True, p_faithful=1.5)],
            r"p_faithful 1.5; it lies in \[0, 1\]",
            id="no share",
        ),
    ],
)
def test_labels_that_teach_nothing_are_refused_with_what_to_do(
    labels: list[LabelledClaim], words: str
) -> None:
    with pytest.raises(CalibrationError, match=words) as refused:
        fitted(labels)

    assert refused.value.hint


def test_labels_too_few_to_hold_some_out_are_not_called_too_few_to_fit() -> None:
    with pytest.raises(CalibrationError, match="enough for a calibrator, but not to test it"):
        fitted(some_labels(22))


def test_scarce_labels_of_a_side_are_shrunk_and_said_so() -> None:
    few_unfaithful = [
        replace(label, scores={**label.scores, "p_faithful": 0.9, "uf": -1.0, "uu": -float(n)})
        for n, label in enumerate(some_labels(60))
    ]
    rows = [replace(label, made_by={"made_with": RESCORED}) for label in few_unfaithful]

    assert fitted(rows).calibrator.unfaithful.rule is Rule.SHRUNK
