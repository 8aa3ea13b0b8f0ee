"""A calibrator as text: exact both ways, canonical, and refused where it is not exactly one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from claims_by_hand import FITTED_MODES, MADE_WITH, claims, fit_by_hand, with_evidence
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.errors import CalibrationError
from averment.franq.calibration import fit
from averment.franq.calibrator import Calibrator, Mode
from averment.franq.calibrator_json import from_json, to_json
from averment.franq.corpus_stack import CORPUS, Features
from averment.franq.selective import HeldOut

ROWS = with_evidence(claims(200, seed=1), seed=1).rows
STACKED = fit_by_hand(ROWS, mode=Mode.CONDITION, features=CORPUS)
HELD_OUT = replace(
    STACKED,
    held_out=HeldOut((0.9, 0.0), (0.7, 0.0), (0, 0), (0.3, 0.1), (0.5, 1 / 3), (True, False)),
)
PRIOR = fit_by_hand(ROWS, mode=Mode.QUANTILE, features=CORPUS)
MADE = [
    *(fit_by_hand(ROWS, mode=mode) for mode in FITTED_MODES),
    fit_by_hand(ROWS, mode=Mode.CONDITION, centred=True),
    fit([], mode=Mode.NONE, made_with=replace(MADE_WITH, uf="constant"), created_by="tést"),
    STACKED,
    HELD_OUT,
    PRIOR,
]


@pytest.mark.parametrize("made", MADE, ids=lambda made: made.mode)
def test_a_calibrator_comes_back_exactly(made: Calibrator) -> None:
    text = to_json(made)

    again = from_json(text, made_with=made.made_with)

    assert again == made
    assert to_json(again) == text
    assert again.scores(ROWS[:20]) == made.scores(ROWS[:20])


@given(st.integers(0, 10_000), st.sampled_from(FITTED_MODES), st.floats(1e-300, 1e300))
@settings(deadline=None, max_examples=20)
def test_any_fit_comes_back_exactly(seed: int, mode: Mode, scale: float) -> None:
    rows = [replace(row, uu=(row.uu or 0) * scale) for row in claims(40, seed=seed).rows]
    made = fit_by_hand(rows, mode=mode)

    assert from_json(to_json(made), made_with=None) == made


def test_the_text_is_canonical() -> None:
    text = to_json(STACKED)

    canonical = json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))
    assert text == canonical
    assert json.loads(text)["format_version"] == 2


def test_a_calibrator_of_other_estimators_is_refused_by_name() -> None:
    other = replace(MADE_WITH, uu="sum_of_eigenvalues")

    with pytest.raises(CalibrationError, match="uu by 'parametric_knowledge', but here it is 'sum"):
        from_json(to_json(STACKED), made_with=other)


@pytest.mark.parametrize("version", [0, 1, "2", None, True])
def test_another_format_version_is_refused(version: object) -> None:
    plain = json.loads(to_json(STACKED)) | {"format_version": version}

    with pytest.raises(CalibrationError, match="format version"):
        from_json(json.dumps(plain), made_with=None)


@pytest.mark.parametrize("text", ["[]", "{}", '{"format": "averment-trace"}', "3", "null"])
def test_what_is_no_calibrator_is_refused(text: str) -> None:
    with pytest.raises(CalibrationError, match="not a calibrator"):
        from_json(text, made_with=None)


@pytest.mark.parametrize("text", ["", "[" * 100_000, to_json(STACKED)[:-1], to_json(STACKED)[:200]])
def test_a_text_that_was_cut_off_is_refused(text: str) -> None:
    with pytest.raises(CalibrationError, match="not JSON"):
        from_json(text, made_with=None)


def set_at(*path: Any) -> Callable[[dict[str, Any]], None]:
    """Sets the last of the path at the keys before it."""
    *keys, last, value = path

    def change(plain: Any) -> None:
        for key in keys:
            plain = plain[key]
        plain[last] = value

    return change


NAN, HUGE = float("nan"), int("9" * 400)
TERM = ("unfaithful", "evidence", "terms", 0)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (set_at("faithful", "curve", "y", 0, NAN), "NaN"),
        (set_at("faithful", "base_rate", float("inf")), "Infinity"),
        (set_at("faithful", "curve", "y", 0, 0.999999), "faithful curve: .*never falls"),
        (set_at("faithful", "curve", "x", 0, 1e9), "rise in x"),
        (set_at("faithful", "curve", "x", []), "needs breakpoints"),
        (set_at("faithful", "curve", "x", 0, HUGE), "not finite"),
        (set_at("faithful", "curve", "x", {}), "is a list"),
        (set_at("faithful", "curve", "x", 0, "1"), "is a number"),
        (set_at("faithful", "curve", "x", 0, True), "is a number"),
        (set_at("faithful", "curve", "odd"), "none of probability"),
        (set_at("faithful", "n", -1), "cannot be"),
        (set_at("faithful", "n_true", 1e9), "cannot be"),
        (set_at("faithful", "rule", "guessed"), "none of own"),
        (set_at("faithful", None), "faithful has the keys"),
        (set_at("faithful", "extra", 1), "faithful has the keys"),
        (set_at("extra", 1), "the calibrator has the keys"),
        (set_at("mode", "best"), "none of none, quantile"),
        (set_at("centred", 1), "centred is a bool"),
        (set_at("fingerprint", 7), "fingerprint is a str"),
        (set_at("made_with", "uf", None), "uf is a str"),
        (set_at("counts", "n_rows", 1.5), "n_rows is a whole number"),
        (set_at("counts", "n_rows", True), "n_rows is a whole number"),
        (set_at("p_faithful_range", "low", 2), "lies in"),
        (set_at("unfaithful", "evidence", "alpha", 1.5), "alpha lies in"),
        (set_at(*TERM, "direction", 2), "direction 2"),
        (set_at(*TERM, "prior", 1), "prior 1"),
        (set_at(*TERM, "curve", "y", 0, 0), "certain"),
        (set_at(*TERM, "feature", "horoscope"), "no corpus feature 'horoscope'"),
        (set_at("held_out", "p_true", 0, 2), r"lie in \[0, 1\]"),
        (set_at("held_out", "p_true", [0.5]), "have one question, score and label each"),
        (set_at("held_out", "claim_thresholds", 0, 0), "fall to 0"),
        (set_at("held_out", "is_true", 0, 1), "is_true is a bool"),
        (set_at("held_out", "question", 0, "a"), "question is a whole number"),
        (set_at("held_out", "p_faithful", {}), "p_faithful is a list"),
        (set_at("held_out", {}), "held_out has the keys"),
    ],
)
def test_a_damaged_calibrator_is_refused(
    change: Callable[[dict[str, Any]], None], complaint: str
) -> None:
    plain = json.loads(to_json(HELD_OUT))
    change(plain)

    with pytest.raises(CalibrationError, match=complaint) as refused:
        from_json(json.dumps(plain), made_with=None)
    assert refused.value.message.startswith("The calibrator cannot be read")


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        ([["npmi_weakest"]], "a feature and a number"),
        ([["npmi_weakest", "1"]], "is a number"),
        ([["horoscope", 1]], "no corpus feature"),
        ("all", "is a list"),
    ],
)
def test_damaged_prior_weights_are_refused(weights: object, complaint: str) -> None:
    plain = json.loads(to_json(PRIOR))
    plain["unfaithful"]["evidence"]["weights"] = weights

    with pytest.raises(CalibrationError, match=complaint):
        from_json(json.dumps(plain), made_with=None)


def test_a_plain_calibrator_is_small() -> None:
    made = fit_by_hand(claims(300, seed=2).rows, mode=Mode.CONDITION, features=Features())

    assert len(to_json(made)) < 4096
