"""QuCo-RAG, driven by hand: which counts lead to which step, before the answer and in it."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from averment.policies.loop import Inspection, Query, SentenceLoop
from averment.policies.quco import Aggregation, CountUnit, QuCo
from averment.steps import (
    Commit,
    Cooccur,
    CountPhrases,
    ExtractEntities,
    ExtractTriplets,
    Generate,
    Search,
)
from averment.types import (
    Check,
    Cooccurrence,
    Count,
    CountKind,
    DroppedTriplet,
    Entity,
    Extraction,
    Support,
    Triplet,
)
from doubles import exact, hits, next_step, passage, text_of, together
from policies.quco_by_hand import (
    DOWN,
    ENTITIES_FAILED,
    OSLO_NORWAY,
    OSLO_SWEDEN,
    QUESTION,
    RIGHT,
    TEXT,
    TRIGGER,
    TRIPLETS_FAILED,
    WRONG,
    before,
    claims,
    counted,
    held,
    inspect,
    names,
    said_before,
)

# --- before the answer --------------------------------------------------------------------------


def test_a_rare_entity_makes_it_search_with_the_question_before_the_first_sentence() -> None:
    flow = SentenceLoop(QuCo(entity_threshold=3)).run(QUESTION)

    search = next_step(flow, [names("Oslo"), counted(Oslo=exact(2))])
    draft = flow.send(hits(TEXT))

    why = "min of documents (Oslo 2) is below the threshold 3"
    assert search == Search(TEXT, 3, "rare_entity", why)
    assert isinstance(draft, Generate)


def test_a_common_entity_makes_it_write_at_once() -> None:
    flow = SentenceLoop(QuCo(entity_threshold=3)).run(QUESTION)

    step = next_step(flow, [names("Oslo"), counted(Oslo=exact(3))])

    assert isinstance(step, Generate)


def test_over_a_corpus_of_ones_own_the_question_is_searched_for_however_common_its_names() -> None:
    detail = "over a corpus of one's own every question is searched for"

    common = before(QuCo(3, search_first=True), names("Oslo"), counted(Oslo=exact(5000)))
    rare = before(QuCo(3, search_first=True), names("Oslo"), counted(Oslo=exact(1)))

    assert common == (Query(TEXT, "always", detail),)
    assert [query.trigger for query in rare] == ["rare_entity"]


@pytest.mark.parametrize(
    ("aggregation", "at_most"),
    [
        (Aggregation.MIN, 2),
        (Aggregation.MEAN, 5),
        (Aggregation.MAX, 8),
        (Aggregation.GEOMETRIC, 4),
    ],
    ids=str,
)
def test_several_entities_are_rare_together_by_their_aggregate(
    aggregation: Aggregation, at_most: int
) -> None:
    exchanges = [names("Oslo", "Skien"), counted(Oslo=exact(8), Skien=exact(2))]

    common = before(QuCo(at_most, aggregation=aggregation), *exchanges)
    rare = before(QuCo(at_most + 0.1, aggregation=aggregation), *exchanges)

    assert common == ()
    assert [query.trigger for query in rare] == ["rare_entity"]


@pytest.mark.parametrize(
    ("counts", "mean"),
    [
        pytest.param([1000] * 3, 1000, id="a whole number stays whole"),
        pytest.param([10**8] * 60, 10**8, id="a product beyond every float"),
    ],
)
def test_the_geometric_mean_of_equal_counts_is_that_count(counts: list[int], mean: int) -> None:
    assert Aggregation.GEOMETRIC.of(counts) == mean


def test_an_entity_that_never_occurs_makes_the_geometric_mean_zero() -> None:
    assert Aggregation.GEOMETRIC.of([1000, 0]) == 0


@pytest.mark.parametrize(
    ("unit", "queries"), [(CountUnit.OCCURRENCES, 0), (CountUnit.DOCUMENTS, 1)], ids=str
)
def test_the_unit_says_what_is_compared_with_the_threshold(unit: CountUnit, queries: int) -> None:
    many_in_one = exact(50, documents=1)

    found = before(QuCo(3, entity_unit=unit), names("Oslo"), counted(Oslo=many_in_one))

    assert len(found) == queries


@pytest.mark.parametrize("unit", CountUnit, ids=str)
@pytest.mark.parametrize(
    "unknown",
    [
        pytest.param(Count.unavailable(), id="unavailable"),
        pytest.param(Count(5000, 5000, CountKind.ESTIMATE), id="estimate"),
    ],
)
def test_an_unknown_count_is_never_common(unit: CountUnit, unknown: Count) -> None:
    trigger = QuCo(3, entity_unit=unit, aggregation=Aggregation.MEAN)

    found = before(trigger, names("Oslo", "Skien"), counted(Oslo=exact(5000), Skien=unknown))

    assert found == (Query(TEXT, "unknown_count", "the corpus could not count Skien"),)


def test_a_lower_bound_below_the_threshold_is_never_common() -> None:
    found = before(QuCo(3), names("Oslo"), counted(Oslo=Count(0, 0, CountKind.LOWER_BOUND)))

    assert found == (Query(TEXT, "unknown_count", "the corpus could not count Oslo"),)


def test_a_lower_bound_that_reaches_the_threshold_is_common() -> None:
    found = before(QuCo(3), names("Oslo"), counted(Oslo=Count(3, 3, CountKind.LOWER_BOUND)))

    assert found == ()


def test_an_index_that_fails_makes_it_search() -> None:
    found = before(QuCo(3), names("Oslo"), (CountPhrases(("Oslo",)), DOWN))

    assert found == (Query(TEXT, "unknown_count", "the corpus could not count Oslo"),)


@pytest.mark.parametrize("failure", ENTITIES_FAILED)
def test_a_question_whose_entities_could_not_be_found_is_searched(failure: object) -> None:
    trigger = QuCo(3, retrieve_without_entities=False)

    found = before(trigger, (ExtractEntities(TEXT), failure))

    assert found == (Query(TEXT, "extraction_failed", "its entities could not be found"),)


def test_a_question_without_entities_is_searched() -> None:
    assert before(QuCo(3), names()) == (
        Query(TEXT, "no_entities", "no entity was found in the question"),
    )


def test_a_question_without_entities_is_not_searched_if_so_configured() -> None:
    assert before(QuCo(3, retrieve_without_entities=False), names()) == ()


def test_an_entity_without_a_word_is_not_counted() -> None:
    (query,) = before(QuCo(3), names("!!!"))

    assert query.trigger == "no_entities"


@pytest.mark.parametrize("kind", ["date", "number", "generic"])
def test_dates_numbers_and_nationalities_are_not_counted(kind: str) -> None:
    step, found = names("Oslo")
    assert isinstance(found, tuple)

    queries = before(QuCo(3), (step, (*found, Entity("1905", 0, 4, kind))), counted(Oslo=exact(3)))

    assert queries == ()


# --- a claim ------------------------------------------------------------------------------------


def test_a_pair_that_is_there_lets_the_sentence_pass() -> None:
    found = inspect(RIGHT, claims(RIGHT, OSLO_NORWAY), *held((OSLO_NORWAY, together(1))))

    assert (found.support, found.reason, found.queries) == (Support.PRESENT, None, ())
    (check,) = found.checks
    assert check == Check(
        OSLO_NORWAY, Support.PRESENT, exact(9), exact(9), together(1), window_words=1000
    )


def test_an_absent_pair_is_searched_with_head_and_relation_but_without_the_tail() -> None:
    found = inspect(WRONG, claims(WRONG, OSLO_SWEDEN), *held((OSLO_SWEDEN, together(0))))

    assert found.support is Support.ABSENT
    assert found.queries == (
        Query(
            "Oslo is the capital of",
            "absent_pair",
            "Oslo and Sweden: never near each other in the corpus",
        ),
    )


def test_an_absent_pair_is_searched_redrafted_and_the_new_draft_is_verified_again() -> None:
    loop = SentenceLoop(QuCo(entity_threshold=3))
    flow = loop.run(QUESTION)
    first = next_step(flow, [names("Oslo"), counted(Oslo=exact(3))])
    assert isinstance(first, Generate)
    query = "Oslo is the capital of"
    why = "Oslo and Sweden: never near each other in the corpus"

    flow = loop.run(QUESTION)
    redraft = next_step(
        flow,
        [
            names("Oslo"),
            counted(Oslo=exact(3)),
            (first, text_of(WRONG)),
            claims(WRONG, OSLO_SWEDEN),
            *held((OSLO_SWEDEN, together(0))),
            (Search(query, 3, "absent_pair", why), hits(query, passage(RIGHT))),
        ],
    )
    assert isinstance(redraft, Generate)
    assert f"Context:\n[1] {RIGHT}\n\n" in redraft.prompt.text
    assert flow.send(text_of(RIGHT)) == ExtractTriplets(RIGHT)
    assert flow.send(Extraction((OSLO_NORWAY,))) == CountPhrases(("Oslo",))
    assert flow.send([exact(9)]) == CountPhrases(("Norway",))
    assert flow.send([exact(9)]) == Cooccur((("Oslo", "Norway"),), 1000)

    commit = flow.send([together(2)])

    assert isinstance(commit, Commit)
    assert (commit.sentence.text, commit.sentence.support) == (RIGHT, Support.PRESENT)
    assert commit.sentence.repairs == 1


def test_a_pair_with_a_head_that_the_corpus_does_not_know_is_not_covered() -> None:
    exchanges = held((OSLO_SWEDEN, together(0)), head=exact(0))

    found = inspect(WRONG, claims(WRONG, OSLO_SWEDEN), *exchanges)

    assert found.support is Support.NOT_COVERED
    assert [query.trigger for query in found.queries] == ["not_covered_pair"]
    assert found.queries[0].detail.endswith("the corpus hardly knows the first")


def test_a_head_that_could_not_be_counted_leaves_an_absent_pair_absent() -> None:
    exchanges = held((OSLO_SWEDEN, together(0)), head=Count.unavailable())

    found = inspect(WRONG, claims(WRONG, OSLO_SWEDEN), *exchanges)

    assert found.support is Support.ABSENT


@pytest.mark.parametrize(
    "pair",
    [
        pytest.param(Cooccurrence.unavailable(), id="unavailable"),
        pytest.param(Cooccurrence(None, None, 9, None, CountKind.ESTIMATE), id="estimate"),
        pytest.param(Cooccurrence(False, 0, 0, None, CountKind.LOWER_BOUND), id="lower bound"),
        pytest.param(DOWN, id="the index failed"),
    ],
)
def test_a_pair_that_is_not_known_is_neither_present_nor_absent(pair: object) -> None:
    found = inspect(RIGHT, claims(RIGHT, OSLO_NORWAY), *held((OSLO_NORWAY, pair)))

    assert (found.support, found.reason) == (Support.UNKNOWN, "corpus_unavailable")
    assert [query.trigger for query in found.queries] == ["unknown_pair"]
    assert found.queries[0].detail == "Oslo and Norway: the corpus could not tell"


def test_one_bad_claim_of_several_is_enough_and_only_that_one_is_searched() -> None:
    sentence = "Oslo is the capital of Norway and of Sweden."

    found = inspect(
        sentence,
        claims(sentence, OSLO_NORWAY, OSLO_SWEDEN),
        *held((OSLO_NORWAY, together(1)), (OSLO_SWEDEN, together(0))),
    )

    assert found.support is Support.ABSENT
    assert len(found.checks) == 2
    assert len(found.queries) == 1


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        pytest.param("Oslo", "the city of Oslo", id="head in tail"),
        pytest.param("Oslo, Norway", "OSLO", id="tail in head"),
        pytest.param("Oslo", "Oslo", id="the same"),
    ],
)
def test_a_pair_of_which_one_contains_the_other_is_not_asked(head: str, tail: str) -> None:
    sentence = "Oslo is the city of Oslo."

    found = inspect(sentence, claims(sentence, Triplet(head, "is", tail)))

    assert found == Inspection(reason="no_claim")


def test_a_sentence_without_claims_stays_unknown_and_is_not_searched() -> None:
    assert inspect("It is so.", claims("It is so.")) == Inspection(reason="no_claim")


@pytest.mark.parametrize("failure", TRIPLETS_FAILED)
def test_a_sentence_whose_claims_could_not_be_found_stays_unknown_and_says_so(
    failure: object,
) -> None:
    found = inspect(RIGHT, (ExtractTriplets(RIGHT), failure))

    assert found == Inspection(reason="extraction_failed")


def test_what_the_extractor_refused_is_kept() -> None:
    dropped = (DroppedTriplet(OSLO_SWEDEN, "not_a_span"),)
    step = ExtractTriplets(RIGHT)

    found = inspect(RIGHT, (step, Extraction((), dropped)))

    assert found.dropped == dropped


@pytest.mark.parametrize(
    ("pairs", "support"), [(1, Support.ABSENT), (2, Support.PRESENT)], ids=["too few", "enough"]
)
def test_a_higher_threshold_asks_for_more_pairs(pairs: int, support: Support) -> None:
    trigger = QuCo(3, cooccurrence_threshold=2, window_words=50)
    exchanges = held((OSLO_NORWAY, together(pairs)), window_words=50)

    found = inspect(RIGHT, claims(RIGHT, OSLO_NORWAY), *exchanges, trigger=trigger)

    assert found.support is support


def test_a_pair_below_a_higher_threshold_is_called_too_seldom_rather_than_never() -> None:
    trigger = QuCo(3, cooccurrence_threshold=2)

    found = inspect(
        RIGHT, claims(RIGHT, OSLO_NORWAY), *held((OSLO_NORWAY, together(1))), trigger=trigger
    )

    (query,) = found.queries
    assert query.detail == "Oslo and Norway: too seldom near each other in the corpus"


def test_two_failing_claims_with_one_query_are_searched_once() -> None:
    sentence = "Oslo is the capital of Sweden and Denmark."
    wrong = (OSLO_SWEDEN, replace(OSLO_SWEDEN, tail="Denmark"))
    loop = SentenceLoop(TRIGGER)
    assessed = [names("Oslo"), counted(Oslo=exact(3))]
    draft = next_step(loop.run(QUESTION), assessed)
    why = "Oslo and Sweden: never near each other in the corpus"

    step = next_step(
        loop.run(QUESTION),
        [
            *assessed,
            (draft, text_of(sentence)),
            claims(sentence, *wrong),
            *held(*((triplet, together(0)) for triplet in wrong)),
            (
                Search("Oslo is the capital of", 3, "absent_pair", why),
                hits("Oslo is the capital of"),
            ),
        ],
    )

    assert isinstance(step, Commit)


# --- as a value ---------------------------------------------------------------------------------


def test_a_policy_can_be_sent_to_another_process() -> None:
    policy = SentenceLoop(QuCo(3, aggregation=Aggregation.MEAN))

    assert pickle.loads(pickle.dumps(policy)) == policy


def test_quco_has_the_name_of_its_paper_and_needs_nothing_of_the_model() -> None:
    loop = SentenceLoop(QuCo(3))

    assert (loop.name, loop.needs) == ("quco", frozenset())


# --- claims in context, and claims without a tail -------------------------------------------------


@pytest.mark.parametrize(
    ("trigger", "before"),
    [
        pytest.param(replace(TRIGGER, resolve_pronouns=True), (RIGHT,), id="resolved"),
        pytest.param(TRIGGER, (), id="as they are"),
    ],
)
def test_pronouns_are_read_after_the_sentences_before(
    trigger: QuCo, before: tuple[str, ...]
) -> None:
    said = said_before(RIGHT, Support.PRESENT, OSLO_NORWAY)

    found = inspect(
        "It is old.",
        (ExtractTriplets("It is old.", before), Extraction(())),
        trigger=trigger,
        committed=[said],
    )

    assert found.reason == "no_claim"


@pytest.mark.parametrize(
    ("count", "queries"),
    [
        pytest.param(exact(20), (), id="common"),
        pytest.param(
            exact(19),
            (Query("Oslo is", "rare_head", "Oslo: 19 occurrences, below 20"),),
            id="rare",
        ),
        pytest.param(
            Count.unavailable(),
            (Query("Oslo is", "rare_head", "Oslo: unknown occurrences, below 20"),),
            id="unknown",
        ),
    ],
)
def test_a_claim_that_lost_its_tail_fails_where_its_head_is_rare(
    count: Count, queries: tuple[Query, ...]
) -> None:
    dropped = DroppedTriplet(Triplet("Oslo", "is", "Norwegian"), "generic_tail")

    found = inspect(
        "Oslo is Norwegian.",
        (ExtractTriplets("Oslo is Norwegian."), Extraction((), (dropped,))),
        (CountPhrases(("Oslo",)), [count]),
        trigger=replace(TRIGGER, head_threshold=20),
    )

    assert (found.reason, found.queries) == ("no_claim", queries)
