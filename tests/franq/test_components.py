"""Which estimators serve which branch, and what is said where the preferred one has no value."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from averment.franq.components import (
    CONSTANT,
    FAITHFUL_PREFERENCES,
    LOG_PROBABILITIES,
    UNFAITHFUL_PREFERENCES,
    Form,
    choose_components,
    confidence,
)
from averment.types import Token
from averment.uq.estimator import Absence, Absent, Level
from averment.uq.records import WHOLE, ClaimSpan, Nli, Record, Sample
from averment.uq.registry import ESTIMATORS

SAME = Nli(1.0, 0.0, 0.0)
WHITE_BOX = Record(
    "Who?",
    "He did.",
    tokens=(Token("He", -0.1), Token(" did.", -0.3)),
    tokens_without_context=(Token("He", -1.0), Token(" did.", -2.0)),
    samples=(Sample("He did.", logprob=-0.5), Sample("He did.", logprob=-0.5)),
    sample_nli=((SAME, SAME), (SAME, SAME)),
    nli=(SAME, SAME),
    nli_model="by hand",
)
CLAIM = ClaimSpan((1,), "did", nli=(SAME, SAME))
TEXT_ONLY = Record("Who?", "He did.", samples=WHITE_BOX.samples)


def test_a_long_answer_is_scored_by_the_pair_of_the_paper() -> None:
    chosen = choose_components(WHITE_BOX, CLAIM, form=Form.LONG)

    assert (chosen.uf.estimator, chosen.uu.estimator) == ("max_probability", "parametric_knowledge")
    assert (chosen.uf.confidence, chosen.uu.confidence) == (-0.3, -2.0)
    assert (chosen.uf.why, chosen.uu.passed_over) == ("", ())


def test_a_short_answer_is_scored_by_the_pair_of_the_paper_named_with_its_judge() -> None:
    chosen = choose_components(WHITE_BOX, WHOLE, form=Form.SHORT)

    assert (chosen.uf.estimator, chosen.uu.estimator) == ("semantic_entropy", "sum_of_eigenvalues")
    assert chosen.uu.label == "sum_of_eigenvalues(nli=by hand)"
    assert chosen.uu.confidence == pytest.approx(-1.0)


@pytest.mark.parametrize(
    ("lacking", "form", "span", "uf", "uu"),
    [
        ({"tokens_without_context": ()}, Form.LONG, CLAIM, "max_probability", "max_probability"),
        ({"tokens": ()}, Form.LONG, CLAIM, "frequency_scoring", "frequency_scoring"),
        (
            {"samples": (Sample("He did."), Sample("He did."))},
            Form.SHORT,
            WHOLE,
            "semantic_entropy_discrete",
            "sum_of_eigenvalues",
        ),
        ({"sample_nli": ()}, Form.SHORT, WHOLE, "max_probability", "sum_of_eigenvalues_jaccard"),
        ({"samples": ()}, Form.SHORT, WHOLE, "max_probability", "max_probability"),
    ],
    ids=["not re-scored", "no tokens", "no sample logprobs", "no NLI", "no samples"],
)
def test_what_a_record_lacks_is_replaced_by_the_next_best(
    lacking: dict[str, object], form: Form, span: ClaimSpan, uf: str, uu: str
) -> None:
    chosen = choose_components(replace(WHITE_BOX, **lacking), span, form=form)

    assert (chosen.uf.estimator, chosen.uu.estimator) == (uf, uu)


def test_it_says_in_words_why_the_preferred_one_was_not_taken() -> None:
    unrescored = replace(WHITE_BOX, tokens_without_context=())

    why = choose_components(unrescored, CLAIM, form=Form.LONG).uu.why

    assert why.startswith("max_probability instead of parametric_knowledge")
    assert "parametric_knowledge: the tokens were not re-scored" in why
    assert "ccp: " in why


def test_text_alone_is_scored_by_its_samples() -> None:
    chosen = choose_components(TEXT_ONLY, WHOLE, form=Form.SHORT)

    assert (chosen.uf.estimator, chosen.uu.estimator) == (
        "lexical_similarity",
        "sum_of_eigenvalues_jaccard",
    )


@pytest.mark.parametrize("form", Form)
def test_where_nothing_has_a_value_both_branches_are_constant(form: Form) -> None:
    chosen = choose_components(Record("Who?", "He did."), WHOLE, form=form)

    for component, preferences in (
        (chosen.uf, FAITHFUL_PREFERENCES[form]),
        (chosen.uu, UNFAITHFUL_PREFERENCES[form]),
    ):
        assert (component.estimator, component.label) == (CONSTANT, CONSTANT)
        assert component.confidence is None
        assert tuple(passed.estimator for passed in component.passed_over) == preferences
        assert component.why.startswith(f"constant instead of {preferences[0]} (")


def test_a_claim_without_tokens_is_scored_by_what_reads_its_text() -> None:
    unaligned = replace(CLAIM, tokens=())

    chosen = choose_components(WHITE_BOX, unaligned, form=Form.LONG)

    assert chosen.uf.estimator == "frequency_scoring"
    assert chosen.uf.passed_over[0].absent.reason is Absence.EMPTY_SPAN


@pytest.mark.parametrize("form", Form)
def test_every_preference_is_an_estimator_that_can_score_such_claims(form: Form) -> None:
    names = (*FAITHFUL_PREFERENCES[form], *UNFAITHFUL_PREFERENCES[form], *LOG_PROBABILITIES)

    level = Level.CLAIM if form is Form.LONG else Level.SEQUENCE
    assert all(level in ESTIMATORS[name].levels for name in names)
    assert CONSTANT not in ESTIMATORS


def test_confidence_is_negated_uncertainty_and_absent_where_that_is() -> None:
    assert confidence(2.5) == -2.5
    assert confidence(Absent(Absence.UNDEFINED, "0 / 0")) is None


@pytest.mark.parametrize("uncertainty", [math.nan, math.inf])
def test_an_uncertainty_that_is_no_number_is_refused(uncertainty: float) -> None:
    with pytest.raises(ValueError, match="finite or absent"):
        confidence(uncertainty)
