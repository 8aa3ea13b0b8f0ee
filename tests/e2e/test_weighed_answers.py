"""One number decides: `ask` and `check` do what is expected to cost least, and say so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import averment
from averment.engine import Engine, replay
from averment.errors import UsageError
from averment.models.scripted import ScriptedModel
from averment.shapes import answer_object
from averment.types import Prompt, Verdict
from e2e.checked import Check, checking
from e2e.strict_json import read_strictly
from labels_by_hand import a_calibrator
from towns_by_hand import QUESTION, build_rivers

RIGHT, WRONG = "The Vltava flows through Prague.", "The Danube flows through Brno."
FINAL = "So the answer is Vltava."
BAD_FINAL = "So the answer is Rhine."
# The best of these labels are true in 3 of 4 cases, which is to be enough.
CHEAP = {"hedged": 0.2, "search": 0.16, "draft": 0.15, "search_mends": 0.5, "draft_mends": 0.4}


@pytest.fixture(scope="module")
def rivers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_rivers(tmp_path_factory.mktemp("rivers") / "rivers")


@pytest.fixture(scope="module")
def calibrator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_calibrator(tmp_path_factory.mktemp("made") / "calibrator.json")


@pytest.fixture
def engine(rivers: Path, calibrator: Path) -> Callable[..., Engine]:
    """An engine whose model writes drafts by how much it has been given to read."""

    def opened(*drafts: str, last: str = FINAL, **settings: Any) -> Engine:
        left = list(drafts)

        def write(prompt: Prompt) -> str:
            if prompt.answer:
                return f" {last}"
            return f" {left.pop(0) if len(left) > 1 else left[0]}"

        settings = {"calibrator": calibrator, "costs": CHEAP, **settings}
        model = ScriptedModel(write, name="tiny", capabilities=frozenset())
        return averment.open_engine(
            rivers,
            model,
            policy="expected-cost",
            policy_parameters={"k": 1},  # so that a second search finds another town
            faithfulness="lexical",
            **settings,
        )

    return opened


def test_a_bad_draft_is_searched_for_drafted_again_and_the_better_one_given(
    engine: Callable[..., Engine],
) -> None:
    with engine(WRONG, RIGHT) as opened:
        answered = opened.ask(QUESTION)

    answer = answered.answer
    assert (answer.verdict, answer.text) == (Verdict.ANSWERED, f"{RIGHT} {FINAL}")
    weighed = answer.claims[0].weighed
    assert [(each.text, each.action.value) for each in weighed] == [
        (WRONG, "search"),
        (RIGHT, "give"),
    ]
    assert weighed[0].expected_cost > weighed[1].expected_cost
    assert "improbable_claim" in [made.trigger for made in answer.retrievals]
    told = answer_object(answer)
    assert told["costs"]["search"] == 0.16
    assert told["claims"][0]["weighed"][0]["p_true"] < 0.6


def test_an_answer_that_stays_bad_is_not_given(engine: Callable[..., Engine]) -> None:
    with engine(RIGHT, last=BAD_FINAL) as opened:
        answer = opened.ask(QUESTION).answer

    assert (answer.verdict, answer.reason) == (Verdict.ABSTAINED, "weak_evidence")
    assert answer.claims[-1].reasons["remedy"] == "abstain"


def test_dear_abstaining_hedges_instead(engine: Callable[..., Engine]) -> None:
    with engine(RIGHT, last=BAD_FINAL, costs={**CHEAP, "abstained": 2.0}) as opened:
        answer = opened.ask(QUESTION).answer

    assert (answer.verdict, answer.reason) == (Verdict.WARNED, "claims_hedged")
    assert answer.text == f"{RIGHT} The answer may be Rhine."


def test_what_was_weighed_is_weighed_alike_in_a_replay(engine: Callable[..., Engine]) -> None:
    with engine(WRONG, RIGHT) as opened:
        answered = opened.ask(QUESTION)

        again = replay(answered.trace, opened.policy, opened.scoring)

    assert again == answered.answer


def test_without_a_calibrator_nothing_can_be_weighed(engine: Callable[..., Engine]) -> None:
    with pytest.raises(UsageError, match="can only be told by a calibrator") as refused:
        engine(RIGHT, calibrator=None)
    assert "--calibrator" in refused.value.hint


def test_costs_choose_the_remedy_and_nobody_else(engine: Callable[..., Engine]) -> None:
    with pytest.raises(UsageError, match="lets costs choose"):
        engine(RIGHT, withheld="drop")
    with engine(RIGHT, withheld="cheapest") as opened:
        assert opened.ask(QUESTION).verdict is Verdict.ANSWERED


# --- by the command line ------------------------------------------------------------------------


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Check:
    """Runs `check` on a sentence that the context says and one that it does not."""
    return checking(tmp_path, capsys, answer=f"{RIGHT} {WRONG}", source=RIGHT)


def test_a_text_is_edited_by_what_costs_least(
    tmp_path: Path, calibrator: Path, check: Check
) -> None:
    made = ("--calibrator", str(calibrator), "--withheld", "cheapest", "--cost", "hedged=0.2")
    made += ("--edited", "out.txt")

    code, out, err = check(*made)

    assert code == 1
    assert (tmp_path / "out.txt").read_text() == RIGHT
    assert "withheld: by expected cost" in out
    assert "By expected cost (false 1, hedged 0.2" in err
    assert "1 claim withheld." in err

    code, out, _ = check(*made, "--cost", "dropped=3", "--json")
    told = read_strictly(out)
    assert (
        tmp_path / "out.txt"
    ).read_text() == f"{RIGHT} It may be that the Danube flows through Brno."
    assert told["costs"]["dropped"] == 3.0
    assert told["claims"][1]["reasons"]["remedy"] == "hedge"


@pytest.mark.parametrize(
    ("cost", "told"),
    [
        ("hedged", "--cost hedged has no name and number"),
        ("=1", "--cost =1 has no name and number"),
        ("hedgd=1", "there is no cost hedgd"),
        ("hedged=-1", "hedged is -1; expected a finite number, 0 or more"),
        ("hedged=much", "valid number"),
    ],
)
def test_a_cost_that_is_none_is_refused_by_name(
    cost: str, told: str, calibrator: Path, check: Check
) -> None:
    code, _, err = check("--calibrator", str(calibrator), "--withheld", "cheapest", "--cost", cost)

    assert code == 2
    assert told in " ".join(err.split())


def test_costs_that_nothing_weighs_are_refused(check: Check) -> None:
    code, _, err = check("--cost", "hedged=0.2")

    assert code == 2
    assert "nothing weighs costs" in err
    assert "--withheld cheapest" in " ".join(err.split())
