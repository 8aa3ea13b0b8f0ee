"""Steps: the helpers yield the step they name, and an outage of the corpus is unknown, not zero."""

from __future__ import annotations

from typing import Any

import pytest

from averment import steps
from averment.dating import Dates
from averment.errors import (
    AvermentError,
    CapabilityError,
    CorpusError,
    ExtractionError,
    IndexFormatError,
    IndexUnavailable,
    ModelUnavailable,
    QueryError,
)
from averment.steps import Flow
from averment.types import (
    Cooccurrence,
    Count,
    Extraction,
    GenerationOptions,
    Prompt,
    Sentence,
    Support,
)
from doubles import exact, follow, hits, next_step, passage, text_of, together

OPTIONS = GenerationOptions(max_tokens=8)
SENTENCE = Sentence("Oslo is in Norway.", Support.PRESENT)


@pytest.mark.parametrize(
    ("flow", "step", "outcome"),
    [
        pytest.param(steps.entities("t"), steps.ExtractEntities("t"), (), id="entities"),
        pytest.param(
            steps.triplets("s"), steps.ExtractTriplets("s"), Extraction(()), id="triplets"
        ),
        pytest.param(steps.count(["a"]), steps.CountPhrases(("a",)), [exact(1)], id="count"),
        pytest.param(
            steps.cooccurrence([("a", "b")], 9),
            steps.Cooccur((("a", "b"),), 9),
            [together(1)],
            id="cooccurrence",
        ),
        pytest.param(
            steps.windows([(("a",), ("b", "c"))], window_words=9, context_words=2, limit=3),
            steps.LocatePairs(((("a",), ("b", "c")),), 9, 2, 3),
            [(passage("a b"),)],
            id="windows",
        ),
        pytest.param(
            steps.search("q", 3, trigger="t", detail="d"),
            steps.Search("q", 3, "t", "d"),
            hits("q"),
            id="search",
        ),
        pytest.param(
            steps.generate(Prompt("p"), OPTIONS),
            steps.Generate(Prompt("p"), OPTIONS),
            text_of("w"),
            id="generate",
        ),
        pytest.param(steps.commit(SENTENCE), steps.Commit(SENTENCE), None, id="commit"),
    ],
)
def test_a_helper_yields_its_step_and_returns_the_outcome(
    flow: Flow[Any], step: steps.Step, outcome: object
) -> None:
    assert follow(flow, [(step, outcome)]) == outcome


@pytest.mark.parametrize(
    "flow", [steps.count([]), steps.cooccurrence([], 9)], ids=["phrases", "pairs"]
)
def test_counting_nothing_asks_nobody(flow: Flow[Any]) -> None:
    assert follow(flow) == []


@pytest.mark.parametrize(
    "error", [IndexUnavailable("down"), IndexFormatError("torn"), CorpusError("odd")], ids=repr
)
def test_a_corpus_that_cannot_answer_gives_unknown_counts_one_for_each(error: CorpusError) -> None:
    phrases = follow(steps.count(["a", "b"]), [(steps.CountPhrases(("a", "b")), error)])
    pairs = follow(steps.cooccurrence([("a", "b")], 9), [(steps.Cooccur((("a", "b"),), 9), error)])

    assert phrases == [Count.unavailable()] * 2
    assert pairs == [Cooccurrence.unavailable()]


def test_a_corpus_that_knows_no_dates_gives_unknown_counts_where_dates_are_asked_for() -> None:
    refusal = CapabilityError("This corpus knows no dates.")
    dates = Dates(until="2020")

    phrases = follow(
        steps.count(["a"], dates=dates), [(steps.CountPhrases(("a",), dates), refusal)]
    )
    pairs = follow(
        steps.cooccurrence([("a", "b")], 9, dates=dates),
        [(steps.Cooccur((("a", "b"),), 9, dates), refusal)],
    )

    assert phrases == [Count.unavailable()]
    assert pairs == [Cooccurrence.unavailable()]


@pytest.mark.parametrize(
    ("flow", "step"),
    [
        pytest.param(steps.count(["a"]), steps.CountPhrases(("a",)), id="phrases"),
        pytest.param(
            steps.cooccurrence([("a", "b")], 9), steps.Cooccur((("a", "b"),), 9), id="pairs"
        ),
    ],
)
def test_a_corpus_that_is_not_there_is_no_outage(flow: Flow[Any], step: steps.Step) -> None:
    with pytest.raises(CapabilityError, match="none was given"):
        follow(flow, [(step, CapabilityError("This needs an index, and none was given."))])


def test_an_extraction_that_fails_says_so_rather_than_that_there_is_nothing() -> None:
    error = ExtractionError("Expected a list.", raw="?")

    found = follow(steps.entities("t"), [(steps.ExtractEntities("t"), error)])
    extraction = follow(steps.triplets("s"), [(steps.ExtractTriplets("s"), error)])

    assert found is None
    assert extraction == Extraction((), failed="Expected a list.")


@pytest.mark.parametrize(
    ("flow", "step"),
    [
        pytest.param(steps.count(["!"]), steps.CountPhrases(("!",)), id="phrases"),
        pytest.param(
            steps.cooccurrence([("!", "b")], 9), steps.Cooccur((("!", "b"),), 9), id="pairs"
        ),
    ],
)
def test_a_question_that_is_nonsense_is_no_outage(flow: Flow[Any], step: steps.Step) -> None:
    with pytest.raises(QueryError):
        follow(flow, [(step, QueryError("The phrase '!' has no word."))])


@pytest.mark.parametrize(
    ("flow", "error"),
    [
        pytest.param(steps.entities("t"), ModelUnavailable("down"), id="entities"),
        pytest.param(steps.triplets("s"), ModelUnavailable("down"), id="triplets"),
        pytest.param(steps.generate(Prompt("p"), OPTIONS), ModelUnavailable("down"), id="model"),
        pytest.param(
            steps.search("q", 3, trigger="t", detail="d"), IndexUnavailable("down"), id="search"
        ),
    ],
)
def test_every_other_failure_is_left_to_the_policy(flow: Flow[Any], error: AvermentError) -> None:
    next_step(flow)

    with pytest.raises(type(error)):
        flow.throw(error)


def test_windows_of_what_cannot_be_asked_are_an_error_and_not_unknown() -> None:
    step = steps.LocatePairs(((("!",), ("x",)),), 10, 10, 1)
    flow = steps.windows([(("!",), ("x",))], window_words=10, context_words=10, limit=1)

    with pytest.raises(QueryError):
        follow(flow, [(step, QueryError("The phrase '!' has no word."))])
