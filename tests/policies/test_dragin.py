"""DRAGIN: uncertain words that matter trigger, and the query is what they rest on."""

from __future__ import annotations

import pytest
from baselines_by_hand import QUESTION, attention, inspect, progress, uncertain, written

from averment.policies.dragin import Dragin, rind
from averment.policies.loop import Inspection, Query
from averment.steps import ReadAttention
from averment.types import Capability, Generation
from doubles import Exchange

PASSED = Inspection(reason="not_checked")
DRAFT = uncertain(
    (" Oslo", 0.1), (" is", 0.2), (" in", 0.3), (" Swe", 2.0), ("den", 1.0), (".", 0.0)
)
TEXT = f"{QUESTION.text} Oslo is in Sweden."  # 6 + 4 words; the mark behind Oslo is a token


def alone(*received: float, draft: Generation = DRAFT) -> Exchange:
    """The draft, read by itself: its words and its mark are the tokens."""
    text = draft.text
    step = ReadAttention("", text, len(text))
    return step, attention(text, rows_from=len(text), received=received)


def behind_the_question(pays: dict[tuple[int, int], float], text: str = TEXT) -> Exchange:
    """Question and draft, read together; rows from the word before the draft on."""
    start = text.index("Oslo?")
    return ReadAttention("", text, start), attention(text, rows_from=start, pays=pays)


def test_rind_is_the_share_of_attention_times_entropy_times_the_number_of_words() -> None:
    assert rind([0.4, 0.1, 0.1, 0.4], [0.1, 0.2, 0.3, 1.0]) == pytest.approx(
        [0.16, 0.08, 0.12, 1.6]
    )


def test_rind_is_nothing_where_nothing_is_attended_to() -> None:
    assert rind([0.0], [3.0]) == [0.0]


@pytest.mark.parametrize(
    ("threshold", "passes"), [(1.7, True), (1.5, False)], ids=["above", "below"]
)
def test_a_sentence_with_a_word_above_theta_is_looked_up(threshold: float, passes: bool) -> None:
    # Sweden: mean entropy of three tokens 1.0, attention (0.3 + 0.1) of 1.0, of four words: 1.6.
    exchanges = [alone(0.4, 0.1, 0.1, 0.3, 0.1)]
    if not passes:
        exchanges.append(behind_the_question({}))

    found = inspect(Dragin(threshold), DRAFT, None, *exchanges)

    assert (found == PASSED) is passes


def test_the_query_is_the_words_with_content_that_the_hits_rest_on_most() -> None:
    # Tokens 0 to 5: In which country is Oslo ?; 6 to 8: Oslo is in; 9 and 10: Sweden and its mark.
    # Sweden's token is written at the token before it, its mark at Sweden itself.
    looked_at = {(8, 0): 0.5, (8, 2): 0.3, (8, 4): 0.2, (9, 2): 0.1, (9, 6): 0.3, (9, 9): 0.6}
    # In: 0.5/2, country: (0.3 + 0.25)/2, Oslo?: 0.2/2, Oslo: 0.75/2. "In" has no content.
    exchanges = [alone(0.4, 0.1, 0.1, 0.3, 0.1), behind_the_question(looked_at)]

    found = inspect(Dragin(1.0, top_k=2), DRAFT, None, *exchanges)

    assert found == Inspection(
        reason="not_checked",
        queries=(Query("country Oslo", "uncertain_word", "'Sweden.' is at 1.60"),),
    )


def test_a_hit_is_no_candidate_for_the_query() -> None:
    exchanges = [alone(0.4, 0.1, 0.1, 0.3, 0.1), behind_the_question({(8, 2): 1.0})]

    (query,) = inspect(Dragin(1.0), DRAFT, None, *exchanges).queries

    assert query.text == "country Oslo Oslo"


def test_the_answer_so_far_stands_between_question_and_draft() -> None:
    text = f"{QUESTION.text} Oslo lies there. Oslo is in Sweden."
    start = text.index("there.")
    reading = attention(text, rows_from=start, pays={})
    exchanges = [alone(0.4, 0.1, 0.1, 0.3, 0.1), (ReadAttention("", text, start), reading)]

    found = inspect(Dragin(1.0), DRAFT, progress("Oslo lies there."), *exchanges)

    assert found != PASSED


def test_function_words_trigger_and_leave_the_question_as_the_query() -> None:
    draft = uncertain((" Oslo", 0.1), (" is", 3.0))

    (query,) = inspect(Dragin(1.0), draft, None, alone(0.5, 0.5, draft=draft)).queries

    assert query == Query(QUESTION.text, "uncertain_word", "'is' is at 3.00")


def test_a_new_draft_is_accepted_unread() -> None:
    assert inspect(Dragin(0.0), DRAFT, progress(repairs=1)) == PASSED


@pytest.mark.parametrize(
    "draft", [written((" Oslo", 0.5)), uncertain((" Oslo", 0.5), (" is", None))], ids=["all", "one"]
)
def test_a_draft_of_unknown_entropy_is_looked_up_with_the_question(draft: Generation) -> None:
    (query,) = inspect(Dragin(), draft).queries

    assert query == Query(QUESTION.text, "unknown_entropy", "no entropies are given")


def test_it_needs_to_look_into_the_model_and_says_how_content_is_told() -> None:
    assert Dragin.needs >= {Capability.ATTENTION, Capability.ENTROPIES}
    assert Dragin().content_words == "no_function_words"
