"""SeaKR: continuations that lie far apart are looked up; of the hits one stays, the uniting one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from baselines_by_hand import QUESTION, committed, draft, inspect, progress, written

from averment.policies.loop import Inspection, Query, SentenceLoop
from averment.policies.seakr import Seakr
from averment.readings import Sampling, Spread
from averment.steps import MeasureSpread, Search
from averment.types import Draft, Generation, Prompt, Usage
from doubles import Exchange, follow, hits, passage

SAMPLING = Sampling(20, 100, (". ", "\n"), 1.0, 50, 0.9, 42)
DRAFT = written((" Oslo", 0.5), (" lies", 0.95), (" in", 0.99), (" Swe", 0.95), ("den", 0.4))
NORWAY = written((" Oslo", 0.5), (" lies", 0.95), (" in", 0.99), (" Norway.", 0.9))
FINAL = written((" So the answer is Norway.", 1.0))
QUERY = "Oslo lies"


def spread(volume: float | None, prompt: Prompt | None = None, n_used: int = 20) -> Exchange:
    step = MeasureSpread(prompt or progress().prompt, SAMPLING)
    return step, Spread(volume, n_used, Usage(10, 100))


def wrote(volume: float, generation: Generation, *said: str, context: str = "") -> list[Exchange]:
    """A draft, and the spread of the continuations of its prompt."""
    step = draft(*said, context=context)
    return [(step, generation), spread(volume, step.prompt)]  # type: ignore[union-attr]


# --- the trigger --------------------------------------------------------------------------------


@pytest.mark.parametrize(("volume", "n_queries"), [(-6.1, 0), (-6.0, 0), (-5.9, 1)])
def test_a_spread_above_theta_is_looked_up(volume: float, n_queries: int) -> None:
    found = inspect(Seakr(), DRAFT, None, spread(volume))

    assert len(found.queries) == n_queries
    assert found.uncertainty == volume


def test_the_query_is_the_sure_words_and_those_of_the_question() -> None:
    # Oslo is unsure and stands in the question; lies is sure; one token of Sweden is unsure.
    found = inspect(Seakr(), DRAFT, None, spread(-2.0))

    assert found.queries == (
        Query(QUERY, "spread_continuations", "the spread of 20 continuations is -2.00"),
    )


def test_a_word_of_the_sentence_before_is_sure() -> None:
    at = progress("Sweden is cold.")

    (query,) = inspect(Seakr(), DRAFT, at, spread(-2.0, at.prompt)).queries

    assert query.text == "Oslo lies Sweden"


def test_without_a_sure_word_the_question_is_asked() -> None:
    (query,) = inspect(Seakr(), written((" Stockholm", 0.2)), None, spread(-2.0)).queries

    assert query.text == "country Oslo"


def test_continuations_that_are_all_empty_are_looked_up() -> None:
    found = inspect(Seakr(), DRAFT, None, spread(None, n_used=0))

    assert found.queries[0].detail == "the spread of 0 continuations is unknown"


def test_of_a_new_draft_only_the_spread_is_told() -> None:
    found = inspect(Seakr(), DRAFT, progress(repairs=1), spread(-1.0))

    assert found == Inspection(reason="not_checked", uncertainty=-1.0)


# --- in the loop --------------------------------------------------------------------------------


def searched(*found: str, query: str = QUERY) -> Exchange:
    step = Search(query, 3, "spread_continuations", "the spread of 20 continuations is -2.00")
    return step, hits(query, *map(passage, found))


def answer(*exchanges: Sequence[Exchange]) -> Draft:
    flat = [exchange for some in exchanges for exchange in some]
    return follow(SentenceLoop(Seakr()).run(QUESTION), flat)


def test_the_hit_whose_draft_has_the_least_spread_stays_with_its_draft() -> None:
    one, two = ("Context:\n[1] One.\n\n", "Context:\n[1] Two.\n\n")
    said = "Oslo lies in Norway."

    made = answer(
        wrote(-2.0, DRAFT),
        [searched("One.", "Two.")],
        wrote(-3.0, DRAFT, context=one),
        wrote(-5.0, NORWAY, context=two),
        [committed(said, NORWAY, repairs=1)],
        wrote(-9.0, FINAL, said, context=two),
        [committed("So the answer is Norway.", FINAL)],
    )

    assert [len(found.retrieval.hits) for found in made.retrievals] == [2]


def test_a_draft_in_which_nothing_is_said_is_not_chosen() -> None:
    said = "Oslo lies in Norway."

    made = answer(
        wrote(-2.0, DRAFT),
        [searched("One.", "Two.")],
        [(draft(context="Context:\n[1] One.\n\n"), written())],
        wrote(-1.0, NORWAY, context="Context:\n[1] Two.\n\n"),
        [committed(said, NORWAY, repairs=1)],
        wrote(-9.0, FINAL, said, context="Context:\n[1] Two.\n\n"),
        [committed("So the answer is Norway.", FINAL)],
    )

    assert [sentence.text for sentence in made.sentences] == [said, "So the answer is Norway."]


def test_a_search_that_finds_nothing_leaves_the_draft_and_is_not_made_again() -> None:
    said = "Oslo lies in Sweden"
    again = written((" Oslo", 0.5), (" lies", 0.95), (" there.", 0.2))

    made = answer(
        wrote(-2.0, DRAFT),
        [searched(), committed(said, DRAFT)],
        wrote(-2.0, again, said),
        [committed("Oslo lies there.", again)],
        wrote(-9.0, FINAL, said, "Oslo lies there."),
        [committed("So the answer is Norway.", FINAL)],
    )

    assert len(made.retrievals) == 1
