"""FLARE, the paper's and the simplified one: which drafts are looked up, and with which words."""

from __future__ import annotations

import pytest
from baselines_by_hand import QUESTION, committed, draft, inspect, progress, written

from averment.policies.flare import Flare, FlareSimplified, probability
from averment.policies.loop import Inspection, Query, SentenceLoop
from averment.steps import Search
from averment.types import Generation, Token
from doubles import follow, hits, passage, text_of

PASSED = Inspection(reason="not_checked")
SURE = written((" Oslo", 0.95), (" is", 0.99), (" in", 0.9), (" Norway", 0.81), (".", 0.99))
# The masked query of the paper's figure: what is improbable does not enter it.
UNSURE = written((" Oslo", 0.95), (" is", 0.7), (" in", 0.9), (" Sweden", 0.3), (".", 0.99))
# Mean of 1 - p: (0 + 0.5 + 0.04) / 3 = 0.18.
DOUBTFUL = written((" Oslo", 1.0), (" Sweden", 0.5), (".", 0.96))


def query_of(found: Inspection) -> Query:
    (query,) = found.queries
    return query


# --- as published -------------------------------------------------------------------------------


def test_flare_opens_with_the_question() -> None:
    (query,) = follow(Flare().before(QUESTION))

    assert query.text == QUESTION.text


def test_a_draft_of_probable_tokens_passes() -> None:
    assert inspect(Flare(), SURE) == PASSED


@pytest.mark.parametrize(
    ("p", "passes"), [(0.81, True), (0.8, False), (0.79, False)], ids=["above", "at", "below"]
)
def test_one_token_at_most_as_probable_as_theta_triggers(p: float, passes: bool) -> None:
    found = inspect(Flare(probability_threshold=0.8), written((" Oslo", p), (".", 1.0)))

    assert (found == PASSED) is passes


def test_tokens_at_most_as_probable_as_beta_stay_out_of_the_query() -> None:
    assert query_of(inspect(Flare(), UNSURE)) == Query(
        "Oslo is in.", "improbable_token", "'Sweden' has probability 0.30"
    )


def test_a_new_draft_is_accepted_unseen() -> None:
    assert inspect(Flare(), UNSURE, progress(repairs=1)) == PASSED


def test_flare_looks_the_draft_up_and_writes_it_again_once() -> None:
    found = passage("Oslo is in Norway.")
    question = Search(QUESTION.text, 2, "always", "the question opens the search")
    why = ("improbable_token", "'Sweden' has probability 0.30")
    final = written((" So", 1.0), (" the answer is Norway.", 1.0))
    context = "Context:\n[1] Oslo is in Norway.\n\n"
    again = written((" Oslo", 0.5), (" is in Norway.", 0.9))

    made = follow(
        SentenceLoop(Flare(), k=2).run(QUESTION),
        [
            (question, hits(QUESTION.text)),
            (draft(), UNSURE),
            (Search("Oslo is in.", 2, *why), hits("Oslo is in.", found)),
            (draft(context=context), again),
            committed("Oslo is in Norway.", again, repairs=1),
            (draft("Oslo is in Norway.", context=context), final),
            committed("So the answer is Norway.", final),
        ],
    )

    assert made.final_answer == "Norway"


# --- simplified ---------------------------------------------------------------------------------


def test_the_simplified_one_does_not_open_with_a_search() -> None:
    assert follow(FlareSimplified().before(QUESTION)) == ()


@pytest.mark.parametrize(
    ("threshold", "passes"), [(0.19, True), (0.17, False)], ids=["above", "below"]
)
def test_the_mean_doubt_of_the_tokens_decides(threshold: float, passes: bool) -> None:
    found = inspect(FlareSimplified(threshold), DOUBTFUL)

    assert (found == PASSED) is passes


def test_tokens_of_more_doubt_than_theta_stay_out_of_the_query() -> None:
    assert query_of(inspect(FlareSimplified(0.1), DOUBTFUL)) == Query(
        "Oslo.", "doubtful_sentence", "the mean doubt of its tokens is 0.18"
    )


def test_one_improbable_token_among_sure_ones_does_not_trigger_the_simplified_one() -> None:
    draft_of_ten = written(*[(" sure", 1.0)] * 9, (" unsure", 0.1))

    assert inspect(FlareSimplified(0.1), draft_of_ten) == PASSED
    assert inspect(Flare(), draft_of_ten) != PASSED


def test_the_simplified_one_accepts_a_new_draft_unseen() -> None:
    assert inspect(FlareSimplified(), DOUBTFUL, progress(repairs=1)) == PASSED


# --- what is not known --------------------------------------------------------------------------

BOTH = pytest.mark.parametrize("trigger", [Flare(), FlareSimplified()], ids=["flare", "simplified"])


@BOTH
def test_a_query_without_a_word_is_the_question(trigger: Flare | FlareSimplified) -> None:
    found = inspect(trigger, written((" Sweden", 0.1), (".", 0.99)))

    assert query_of(found).text == QUESTION.text


@BOTH
@pytest.mark.parametrize("text", [" Oslo is in Norway.", " Oslo"], ids=["sentence", "word"])
def test_a_draft_without_probabilities_is_looked_up(
    trigger: Flare | FlareSimplified, text: str
) -> None:
    found = inspect(trigger, text_of(text))

    assert query_of(found) == Query(
        QUESTION.text, "unknown_probability", "the model gave no probabilities"
    )


@BOTH
def test_a_draft_in_which_nothing_was_written_passes(trigger: Flare | FlareSimplified) -> None:
    assert inspect(trigger, Generation("", (), SURE.finish, SURE.usage)) == PASSED


def test_a_token_without_a_probability_is_as_improbable_as_can_be() -> None:
    assert probability(Token(" Oslo", None)) == 0.0
