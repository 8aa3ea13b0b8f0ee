"""ETC: where the trend of entropy breaks, the sentence is cut, and what it rests on looked up."""

from __future__ import annotations

from dataclasses import replace

import pytest
from baselines_by_hand import (
    QUESTION,
    attention,
    committed,
    draft,
    inspect,
    progress,
    uncertain,
    written,
)

from averment.policies.etc_trend import Etc, scaled, smoothed_trend
from averment.policies.loop import Inspection, Query, SentenceLoop
from averment.steps import ReadAttention, Search
from averment.types import Generation
from doubles import Exchange, follow, hits, passage

PASSED = Inspection(reason="not_checked")
# Entropies 1, 3, 2, 6 of the words with content; the trend breaks at "seas".
DRAFT = uncertain((" Oslo", 1.0), (" borders", 3.0), (" seven", 2.0), (" seas", 6.0), (".", 0.5))
BEFORE = "Examples.\n\nQuestion:"
ASKED = f" {QUESTION.text}\nAnswer:"
# Tokens 0 to 5 are the question, 6 and 7 "Answer:", 8 to 12 the draft; the mark looks back evenly.
EVENLY = {(12, 8): 0.1, (12, 9): 0.1, (12, 10): 0.1, (12, 11): 0.1}


def reading(pays: dict[tuple[int, int], float], *, before: str = BEFORE) -> Exchange:
    text = ASKED + DRAFT.text
    step = ReadAttention(before, text, len(ASKED))
    return step, attention(text, rows_from=len(ASKED), pays=pays)


# --- the trend ----------------------------------------------------------------------------------


def test_the_trend_is_the_second_difference_smoothed_by_distances_to_the_mean() -> None:
    # First differences 2, -1, 4; second -3, 5. M of the first is itself. Of the second: mean 1,
    # |5 - 1| = |-3 - 1| = 4, so alpha 0.95 and 0.95 · 5 + 0.05 · -3.
    assert smoothed_trend([1.0, 3.0, 2.0, 6.0]) == pytest.approx([0.0, 0.0, -3.0, 4.6])


def test_what_is_remembered_of_a_word_is_not_smoothed() -> None:
    # Second differences -3, 5, -9; mean -7/3, far 20/3, near 22/3, alpha 0.9 + 0.1 · 22/42.
    alpha = 0.9 + 0.1 * 22 / 42

    trend = smoothed_trend([1.0, 3.0, 2.0, 6.0, 1.0])

    assert trend[-1] == pytest.approx(alpha * -9 + (1 - alpha) * 5)


@pytest.mark.parametrize("entropies", [[], [2.0], [2.0, 5.0], [2.0] * 5], ids=len)
def test_there_is_no_trend_in_two_words_or_in_equal_ones(entropies: list[float]) -> None:
    assert smoothed_trend(entropies) == [0.0] * len(entropies)


def test_a_word_counts_by_its_share_of_attention_times_the_number_of_words() -> None:
    assert scaled([0.1, 0.3], [0.0, 4.0]) == pytest.approx([0.0, 6.0])
    assert scaled([0.0, 0.0], [0.0, 4.0]) == [0.0, 0.0]


# --- the trigger --------------------------------------------------------------------------------


def test_the_sentence_is_cut_before_the_word_at_which_the_trend_breaks() -> None:
    found = inspect(Etc(), DRAFT, None, reading(EVENLY))

    assert found.kept == "Oslo borders seven"
    # Of five words the last is attended to by none: 5 · 0.25 · 4.6.
    assert [query.detail for query in found.queries] == ["'seas' is at 5.75"]


def test_the_query_is_what_the_word_attends_to_of_question_and_answer_before_it() -> None:
    pays = EVENLY | {(11, 0): 0.5, (11, 2): 0.3, (11, 4): 0.1, (11, 6): 0.9, (11, 9): 0.2}

    found = inspect(Etc(top_k=2), DRAFT, None, reading(pays))

    # It looks back at "borders" more than the mark does, so that its own share is 0.1 of 0.5.
    assert found.queries == (Query("country borders", "broken_trend", "'seas' is at 4.60"),)


@pytest.mark.parametrize(
    ("trigger", "kept"),
    [(Etc(), "Oslo borders seven"), (Etc(absolute=True), "Oslo borders")],
    ids=["signed", "absolute"],
)
def test_a_falling_trend_counts_only_where_it_is_asked_for(trigger: Etc, kept: str) -> None:
    assert inspect(trigger, DRAFT, None, reading(EVENLY)).kept == kept


def test_below_theta_a_sentence_passes() -> None:
    assert inspect(Etc(6.0), DRAFT, None, reading(EVENLY)) == PASSED


def test_the_trend_goes_on_from_the_sentences_before() -> None:
    said = uncertain((" Oslo", 1.0), (" borders", 3.0), (" seven", 2.0), (".", 0.0))
    now = uncertain((" Seas", 6.0), (" there", 0.0), (".", 0.0))
    at = progress("Oslo borders seven.", pieces=[said])
    begun = f"{ASKED} Oslo borders seven."
    step = ReadAttention(BEFORE, begun + now.text, len(begun))
    pays = {(13, 12): 0.5, (14, 13): 0.5}

    found = inspect(
        Etc(), now, at, (step, attention(begun + now.text, rows_from=len(begun), pays=pays))
    )

    assert [query.detail for query in found.queries] == ["'Seas' is at 6.90"]
    assert found.kept == ""


def test_without_a_trend_nothing_is_read() -> None:
    assert inspect(Etc(0.0), uncertain((" Oslo", 1.0), (".", 5.0))) == PASSED


def test_a_new_draft_is_accepted_unread() -> None:
    assert inspect(Etc(), DRAFT, progress(repairs=1)) == PASSED


@pytest.mark.parametrize(
    "unknown",
    [written((" Oslo", 0.5)), uncertain((" Oslo", 0.5), (" is", None))],
    ids=["all", "one"],
)
def test_a_draft_of_unknown_entropy_is_looked_up_with_the_question(unknown: Generation) -> None:
    (query,) = inspect(Etc(), unknown).queries

    assert query == Query(QUESTION.text, "unknown_entropy", "no entropies are given")


def test_what_stays_is_gone_on_from_with_what_was_found() -> None:
    first = draft()
    before = first.prompt.text[: -len(ASKED)]  # type: ignore[union-attr]
    query = Search("country Oslo Oslo borders seven", 3, "broken_trend", "'seas' is at 5.75")
    context = "Context:\n[1] Seven hills.\n\n"
    rest = uncertain((" hills.", 0.1))
    final = uncertain((" So the answer is Norway.", 0.1))
    whole = "Oslo borders seven hills."

    made = follow(
        SentenceLoop(Etc()).run(QUESTION),
        [
            (first, DRAFT),
            reading(EVENLY, before=before),
            (query, hits(query.query, passage("Seven hills."))),
            (draft("Oslo borders seven", context=context), rest),
            committed(whole, rest, repairs=1),
            (draft(whole, context=context), final),
            committed("So the answer is Norway.", final),
        ],
    )

    assert made.final_answer == "Norway"


def test_a_sentence_that_is_shorter_than_what_was_written_is_drafted_again_whole() -> None:
    (step, read) = reading(EVENLY)

    found = follow(Etc().inspect(progress(), "Oslo borders seven.", DRAFT), [(step, read)])

    assert found.kept == ""
    assert found.queries


def test_a_mark_that_shares_its_token_with_a_word_pays_and_gets_nothing() -> None:
    step, read = reading(EVENLY | {(11, 8): 0.2, (11, 9): 0.2, (11, 10): 0.2})
    # The tokenizer of the reading takes "seas." as one.
    merged = (read.spans[11][0], read.spans[12][1])
    whole = replace(read, spans=(*read.spans[:11], merged), rows=read.rows[:-1])

    found = inspect(Etc(absolute=True), DRAFT, None, (step, whole))

    # Only "seas" looks back: at three of five words, evenly. M of "seven" is -3.
    assert [query.detail for query in found.queries] == ["'seven' is at -5.00"]
