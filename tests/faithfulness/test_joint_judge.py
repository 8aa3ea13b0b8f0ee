"""A model's judgement and lexical alignment in one number."""

from __future__ import annotations

import math

import pytest

from averment.faithfulness.joint import JointJudge, JointWeights
from averment.faithfulness.lexical import LexicalAlignment
from averment.uq.records import Nli
from faithfulness.judges import GivenJudge, OverlapJudge

WEIGHTS = JointWeights(model=0.5, lexical=2.0, against=1.0, intercept=-1.0)
STATED = ("The mill stands in Ashford.", "The mill stands in Ashford.")
OTHER_NUMBER = ("The bridge is 4 km long.", "The bridge is 5 km long.")
UNRELATED = ("Stir the flour into warm milk.", "The mill stands in Ashford.")


def joint(judgement: Nli, weights: JointWeights = WEIGHTS) -> JointJudge:
    return JointJudge(GivenJudge(judgement), weights=weights)


def test_entailment_is_the_formula_of_its_three_numbers() -> None:
    [by_words] = LexicalAlignment().judge([OTHER_NUMBER])
    logit = 0.5 * math.log(0.7 / 0.3) + 2 * by_words.entailment - by_words.contradiction - 1

    [found] = joint(Nli(0.7, 0.2, 0.1)).judge([OTHER_NUMBER])

    assert found.entailment == pytest.approx(1 / (1 + math.exp(-logit)))


@pytest.mark.parametrize("sure", [0.0, 1.0])
def test_a_model_that_is_wholly_sure_gives_a_finite_distribution(sure: float) -> None:
    [found] = joint(Nli(sure, 1 - sure, 0.0)).judge([STATED])

    assert 0.0 < found.entailment < 1.0
    assert found.entailment + found.neutral + found.contradiction == pytest.approx(1.0)


def test_words_raise_what_the_model_doubts_and_lower_what_it_takes_for_stated() -> None:
    judge = joint(Nli(0.5, 0.5, 0.0))

    stated, other = judge.judge([STATED, OTHER_NUMBER])

    assert stated.entailment > 0.5 > other.entailment


def test_a_rule_that_contradicts_is_heard_where_the_model_sees_nothing() -> None:
    [by_words] = LexicalAlignment().judge([OTHER_NUMBER])
    share = by_words.contradiction / (1 - by_words.entailment)

    [found] = joint(Nli(0.1, 0.9, 0.0)).judge([OTHER_NUMBER])

    assert share > 0.4
    assert found.contradiction == pytest.approx(share * (1 - found.entailment))


def test_a_model_that_contradicts_is_heard_where_no_rule_does() -> None:
    [found] = joint(Nli(0.0, 0.25, 0.75)).judge([STATED])

    assert found.contradiction == pytest.approx(0.75 * (1 - found.entailment))


def test_a_premise_without_a_word_of_the_hypothesis_is_neutral_and_not_asked() -> None:
    asked = OverlapJudge()

    found = JointJudge(asked, weights=WEIGHTS).judge([UNRELATED, STATED, UNRELATED])

    assert [found[0], found[2]] == [Nli(0.0, 1.0, 0.0)] * 2
    assert asked.calls == [[STATED]]


def test_nothing_that_could_be_asked_asks_nobody() -> None:
    asked = OverlapJudge()

    assert JointJudge(asked, weights=WEIGHTS).judge([UNRELATED]) == [Nli(0.0, 1.0, 0.0)]
    assert asked.calls == []


def test_the_name_is_of_both() -> None:
    assert joint(Nli(1.0, 0.0, 0.0)).name == "given + lexical-alignment"
