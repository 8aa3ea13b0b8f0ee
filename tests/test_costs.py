"""What is expected to cost least: giving, hedging, leaving out, abstaining, and repairs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.costs import Action, Costs, Weighed
from averment.promises import Remedy

COSTS = Costs()
SHARES = st.floats(0, 1)
ANY_COSTS = st.builds(
    Costs,
    **{
        name: st.floats(0, 5)
        for name in ("false", "hedged", "false_hedged", "dropped", "abstained", "search", "draft")
    },
    search_mends=SHARES,
    draft_mends=SHARES,
)


@pytest.mark.parametrize(
    ("p_true", "action"),
    [
        (1.0, Action.GIVE),
        (0.8, Action.GIVE),  # as dear as a hedge: what was written is given
        (0.79, Action.HEDGE),
        (0.51, Action.HEDGE),
        (0.5, Action.DROP),
        (0.0, Action.DROP),
        (None, Action.DROP),
    ],
)
def test_a_claim_is_given_hedged_or_left_out_as_it_is_probable(
    p_true: float | None, action: Action
) -> None:
    assert COSTS.best(p_true, answers=False)[0] is action


def test_without_the_claim_that_answers_there_is_no_answer() -> None:
    assert COSTS.best(0.1, answers=True) == (Action.ABSTAIN, COSTS.abstained)
    assert COSTS.best(0.1, answers=False) == (Action.DROP, COSTS.dropped)


@given(ANY_COSTS, SHARES, st.booleans())
def test_the_best_is_never_dearer_than_any_of_what_may_be_done(
    costs: Costs, p_true: float, answers: bool
) -> None:
    left_out = costs.abstained if answers else costs.dropped
    hedged = costs.hedged + (1 - p_true) * costs.false_hedged

    _, cost = costs.best(p_true, answers=answers)

    assert cost == min((1 - p_true) * costs.false, hedged, left_out)


@given(ANY_COSTS, SHARES, SHARES, st.booleans())
def test_a_more_probable_claim_never_costs_more(
    costs: Costs, one: float, other: float, answers: bool
) -> None:
    low, high = sorted((one, other))

    assert costs.best(high, answers=answers)[1] <= costs.best(low, answers=answers)[1]


@given(ANY_COSTS, st.booleans())
def test_unknown_is_weighed_as_false(costs: Costs, answers: bool) -> None:
    assert costs.best(None, answers=answers) == costs.best(0.0, answers=answers)


@pytest.mark.parametrize(
    ("cost", "may_search", "may_draft", "action", "saved"),
    [
        (0.35, True, True, Action.SEARCH, 0.0025),
        (1.0, False, True, Action.DRAFT, 0.02),
        (1.0, False, False, Action.SEARCH, 0.0),
        (0.3, True, True, Action.SEARCH, 0.0),
    ],
)
def test_a_repair_is_made_where_it_saves_more_than_it_costs(
    cost: float, may_search: bool, may_draft: bool, action: Action, saved: float
) -> None:
    found, by = COSTS.repair(cost, may_search=may_search, may_draft=may_draft)

    assert (found, by) == (action, pytest.approx(saved))


def test_the_repair_that_saves_more_is_made() -> None:
    cheap = Costs(draft=0.0, draft_mends=0.3)

    assert cheap.repair(0.35, may_search=True, may_draft=True)[0] is Action.DRAFT


@pytest.mark.parametrize(
    ("costs", "told"),
    [
        ({"false": -0.1}, "false is -0.1; expected a finite number, 0 or more"),
        ({"search": math.inf}, "search is inf"),
        ({"hedged": math.nan}, "hedged is nan"),
        ({"search_mends": 1.5}, "search_mends is 1.5; expected a share"),
    ],
)
def test_what_is_no_cost_is_refused(costs: dict[str, float], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Costs(**costs)


def test_only_what_withholds_is_a_remedy() -> None:
    assert [action.remedy for action in Action] == [
        None,
        Remedy.HEDGE,
        Remedy.DROP,
        Remedy.ABSTAIN,
        None,
        None,
    ]


def test_how_a_draft_was_weighed_reads_as_a_line() -> None:
    searched = Weighed("Oslo.", 0.31, Action.SEARCH, 0.35, 0.02)

    assert searched.in_words == (
        "P(true) 0.31, expected cost 0.35: searched again, which is expected to save 0.02"
    )
    unknown = Weighed("Oslo.", None, Action.DROP, 0.35)
    assert unknown.in_words == "P(true) unknown, expected cost 0.35: left out"


def test_costs_read_as_a_line() -> None:
    assert COSTS.in_words.startswith("false 1, hedged 0.1, false hedged 0.5, dropped 0.35")
