"""QuCo-RAG, driven by hand: what holds a final answer, and what the whole is worth."""

from __future__ import annotations

from dataclasses import replace

import pytest

from averment.policies.loop import Inspection, Query, SentenceLoop
from averment.policies.quco import QuCo
from averment.steps import (
    Commit,
    CountPhrases,
    ExtractEntities,
    ExtractTriplets,
    Search,
)
from averment.types import (
    Check,
    Cooccurrence,
    Count,
    Draft,
    DroppedTriplet,
    Extraction,
    Passage,
    Question,
    Sentence,
    Support,
    SurfaceForm,
    Triplet,
    Verdict,
)
from doubles import Exchange, exact, follow, hits, next_step, passage, text_of, together
from policies.quco_by_hand import (
    DOWN,
    ENTITIES_FAILED,
    OSLO_NORWAY,
    OSLO_SWEDEN,
    QUESTION,
    RIGHT,
    TEXT,
    TRIGGER,
    UNPARSED,
    WRONG,
    answer,
    claims,
    counted,
    held,
    inspect,
    names,
    said_before,
    short_answer,
)


def test_a_final_answer_near_an_entity_of_the_question_passes() -> None:
    found = inspect("So the answer is Norway.", names("Oslo"), *held((answer("Oslo"), together(1))))

    assert (found.support, found.queries) == (Support.PRESENT, ())


def test_one_link_to_the_entities_of_the_question_suffices() -> None:
    pairs = [
        (answer("Oslo"), together(0)),
        (answer("Skien"), Cooccurrence.unavailable()),
        (answer("Telemark"), together(1)),
    ]

    found = inspect("So the answer is Norway.", names("Oslo", "Skien", "Telemark"), *held(*pairs))

    assert (found.support, found.reason, found.queries) == (Support.PRESENT, None, ())
    assert [check.triplet.head for check in found.checks] == ["Telemark"]


@pytest.mark.parametrize("end", ["Norway", "NORWAY"], ids=["as written", "up to case"])
@pytest.mark.parametrize("ends", ["tail", "head"])
def test_an_answer_that_ends_a_claim_that_was_found_is_not_asked_again(end: str, ends: str) -> None:
    triplet = replace(Triplet("Oslo", "is in", "Oslo"), **{ends: end})
    said = said_before(RIGHT, Support.PRESENT, triplet)

    found = inspect("So the answer is Norway.", names("Oslo"), committed=[said])

    assert found == Inspection(Support.PRESENT)


@pytest.mark.parametrize("support", [Support.ABSENT, Support.UNKNOWN, Support.NOT_COVERED])
def test_an_answer_that_ends_a_claim_that_was_not_found_is_asked(support: Support) -> None:
    said = said_before(RIGHT, support, OSLO_NORWAY)

    found = inspect(
        "So the answer is Norway.",
        names("Oslo"),
        *held((answer("Oslo"), together(0))),
        committed=[said],
    )

    assert found.support is Support.ABSENT


def test_an_entity_that_the_answer_contains_is_not_paired_with_it() -> None:
    found = inspect(
        "So the answer is Oslo Airport.",
        names("Oslo", "Norway"),
        *held((answer("Norway", "Oslo Airport"), together(1))),
    )

    assert [check.triplet.head for check in found.checks] == ["Norway"]


@pytest.mark.parametrize("failure", ENTITIES_FAILED)
def test_an_answer_is_not_checked_where_the_entities_of_the_question_could_not_be_found(
    failure: object,
) -> None:
    found = inspect("So the answer is Norway.", (ExtractEntities(TEXT), failure))

    assert found == Inspection(reason="extraction_failed")


@pytest.mark.parametrize(
    ("pair", "head", "support", "reason", "trigger"),
    [
        pytest.param(together(0), exact(9), Support.ABSENT, None, "absent_answer", id="absent"),
        pytest.param(
            together(0),
            exact(0),
            Support.NOT_COVERED,
            None,
            "not_covered_answer",
            id="not covered",
        ),
        pytest.param(
            DOWN,
            exact(9),
            Support.UNKNOWN,
            "corpus_unavailable",
            "corpus_unavailable",
            id="the index failed",
        ),
    ],
)
def test_a_final_answer_without_a_link_is_searched_with_the_question(
    pair: object, head: Count, support: Support, reason: str | None, trigger: str
) -> None:
    exchanges = held((answer("Oslo", "Sweden"), pair), head=head)

    found = inspect("So the answer is Sweden.", names("Oslo"), *exchanges)

    assert (found.support, found.reason) == (support, reason)
    assert [(query.text, query.trigger) for query in found.queries] == [(TEXT, trigger)]


def test_a_claim_in_front_of_the_answer_is_checked_before_it() -> None:
    claim = "Oslo is the capital of Sweden"

    found = inspect(
        f"{claim}, so the answer is Sweden.",
        claims(claim, OSLO_SWEDEN),
        *held((OSLO_SWEDEN, together(0))),
    )

    assert found.support is Support.ABSENT
    assert [query.trigger for query in found.queries] == ["absent_pair"]


def test_a_claim_that_was_found_in_front_of_the_answer_carries_it() -> None:
    claim = "Oslo is the capital of Norway"
    dropped = (DroppedTriplet(OSLO_SWEDEN, "not_a_span"),)

    found = inspect(
        f"{claim}, so the answer is Norway.",
        (ExtractTriplets(claim), Extraction((OSLO_NORWAY,), dropped)),
        *held((OSLO_NORWAY, together(1))),
        names("Oslo"),
    )

    assert found.support is Support.PRESENT
    assert [check.triplet for check in found.checks] == [OSLO_NORWAY]
    assert found.dropped == dropped


def test_the_checks_of_a_final_sentence_are_those_of_its_claims_and_of_its_answer() -> None:
    claim = "Oslo is in Scandinavia"
    triplet = Triplet("Oslo", "is in", "Scandinavia")

    found = inspect(
        f"{claim}, so the answer is Norway.",
        claims(claim, triplet),
        *held((triplet, together(1))),
        names("Oslo"),
        *held((answer("Oslo"), together(1))),
    )

    assert [check.triplet for check in found.checks] == [triplet, answer("Oslo")]


def test_a_claim_in_front_of_the_answer_that_could_not_be_found_is_not_forgotten() -> None:
    claim = "Oslo is the capital of Norway"

    found = inspect(
        f"{claim}, so the answer is Norway.",
        (ExtractTriplets(claim), UNPARSED),
        names("Oslo"),
        *held((answer("Oslo"), together(1))),
    )

    assert (found.support, found.reason) == (Support.UNKNOWN, "extraction_failed")


def finish(sentence: Sentence, search: Search, *checked: Exchange) -> Draft:
    """A whole answer of one sentence, which fails and for which nothing is found."""
    loop = SentenceLoop(TRIGGER)
    assessed = [names("Oslo"), counted(Oslo=exact(3))]
    draft = (next_step(loop.run(QUESTION), assessed), text_of(sentence.text))
    searched: list[Exchange] = [(search, hits(TEXT)), (Commit(sentence), None)]
    return follow(loop.run(QUESTION), [*assessed, draft, *checked, *searched])


def test_a_final_answer_of_nowhere_is_searched_and_if_nothing_is_found_it_abstains() -> None:
    triplet, pair = answer("Oslo", "Sweden"), together(0)
    check = Check(triplet, Support.ABSENT, exact(9), exact(9), pair, 1000)
    why = "Sweden and Oslo: never near each other in the corpus"

    made = finish(
        Sentence("So the answer is Sweden.", Support.ABSENT, checks=(check,)),
        Search(TEXT, 3, "absent_answer", why),
        names("Oslo"),
        *held((triplet, pair)),
    )

    assert (made.verdict, made.reason) == (Verdict.ABSTAINED, "no_evidence")


def test_a_model_that_does_not_know_is_helped_and_if_nothing_is_found_it_abstains() -> None:
    made = finish(
        Sentence("So the answer is unknown.", Support.UNKNOWN, "unknown_answer"),
        Search(TEXT, 3, "unknown_answer", "the model says that it does not know"),
    )

    assert (made.verdict, made.reason) == (Verdict.ABSTAINED, "no_evidence")


def test_an_answer_that_repeats_the_only_entity_is_searched_and_if_it_stays_it_abstains() -> None:
    why = "Oslo stands in the question and is no answer to it"

    made = finish(
        Sentence("So the answer is Oslo.", Support.UNKNOWN, "echoed_question"),
        Search(TEXT, 3, "echoed_question", why),
        names("Oslo"),
    )

    assert (made.verdict, made.reason) == (Verdict.ABSTAINED, "no_evidence")


def test_the_question_is_not_searched_again_for_the_final_answer() -> None:
    loop = SentenceLoop(TRIGGER)
    why = "min of documents (Oslo 0) is below the threshold 3"
    assessed: list[Exchange] = [
        names("Oslo"),
        counted(Oslo=exact(0)),
        (Search(TEXT, 3, "rare_entity", why), hits(TEXT)),
    ]
    draft = next_step(loop.run(QUESTION), assessed)
    unknown = "So the answer is unknown."

    step = next_step(loop.run(QUESTION), [*assessed, (draft, text_of(unknown))])

    assert step == Commit(Sentence(unknown, Support.UNKNOWN, "unknown_answer"))


@pytest.mark.parametrize("yes_or_no", ["yes", "No"])
@pytest.mark.parametrize(
    ("said", "support"),
    [
        pytest.param([], Support.UNKNOWN, id="nothing"),
        pytest.param([Sentence("So.", Support.UNKNOWN)], Support.UNKNOWN, id="no claim"),
        pytest.param(
            [said_before(RIGHT, Support.PRESENT, OSLO_NORWAY), Sentence("So.", Support.UNKNOWN)],
            Support.PRESENT,
            id="a present claim",
        ),
        pytest.param(
            [
                said_before(RIGHT, Support.PRESENT, OSLO_NORWAY),
                said_before(WRONG, Support.ABSENT, OSLO_SWEDEN),
            ],
            Support.ABSENT,
            id="an absent claim",
        ),
    ],
)
def test_yes_and_no_are_worth_what_was_said_before_them(
    yes_or_no: str, said: list[Sentence], support: Support
) -> None:
    found = inspect(
        f"So the answer is {yes_or_no}.", short_answer(yes_or_no.rstrip(".")), committed=said
    )

    assert found == Inspection(support, "by_its_claims")


@pytest.mark.parametrize(
    ("pairs", "support", "queries"),
    [
        pytest.param(1, Support.PRESENT, (), id="present"),
        pytest.param(
            0,
            Support.ABSENT,
            (
                Query(
                    "Oslo is the capital of",
                    "absent_pair",
                    "Oslo and Norway: never near each other in the corpus",
                ),
            ),
            id="absent",
        ),
    ],
)
def test_yes_is_worth_what_it_says_of_the_question(
    pairs: int, support: Support, queries: tuple[Query, ...]
) -> None:
    said = said_before(WRONG, Support.ABSENT, OSLO_SWEDEN)

    found = inspect(
        "So the answer is yes.",
        short_answer("yes", OSLO_NORWAY),
        *held((OSLO_NORWAY, together(pairs))),
        committed=[said],
    )

    assert (found.support, found.queries) == (support, queries)


def test_a_final_answer_that_is_not_to_be_checked_is_unknown_without_a_step() -> None:
    trigger = replace(TRIGGER, check_final_answer=False)

    found = inspect("So the answer is Norway.", trigger=trigger)

    assert found == Inspection(reason="no_claim")


def test_yes_and_no_are_worth_what_stands_in_front_of_them() -> None:
    claim = "Oslo is the capital of Norway"

    found = inspect(
        f"{claim}, so the answer is yes.",
        claims(claim, OSLO_NORWAY),
        *held((OSLO_NORWAY, together(1))),
        short_answer("yes"),
    )

    assert (found.support, found.reason) == (Support.PRESENT, "by_its_claims")


@pytest.mark.parametrize("title", ["No Country for Old Men", "Yes Minister"])
def test_a_title_that_begins_with_yes_or_no_is_an_answer_to_be_checked(title: str) -> None:
    said = said_before(RIGHT, Support.PRESENT, OSLO_NORWAY)

    found = inspect(
        f"So the answer is {title}.",
        names("Oslo"),
        *held((answer("Oslo", title), together(0))),
        committed=[said],
    )

    assert found.support is Support.ABSENT


@pytest.mark.parametrize(
    ("support", "found_support"),
    [(Support.PRESENT, Support.PRESENT), (Support.ABSENT, Support.ABSENT)],
    ids=str,
)
def test_the_choice_between_the_entities_of_a_question_is_worth_the_claims(
    support: Support, found_support: Support
) -> None:
    question = Question("q", "Which is older, Oslo or Bergen?")
    said = [
        said_before(
            "Oslo was founded in 1049.", Support.PRESENT, Triplet("Oslo", "founded", "1049")
        ),
        said_before("Bergen dates from 1070.", support, Triplet("Bergen", "from", "1070")),
    ]

    found = inspect(
        "So the answer is Oslo.",
        names("Oslo", "Bergen", text=question.text),
        question=question,
        committed=said,
    )

    assert found == Inspection(found_support, "by_its_claims")


@pytest.mark.parametrize(
    "found_there",
    [
        pytest.param(passage("The capital of NORWAY."), id="in the text"),
        pytest.param(passage("A country.", title="Norway"), id="in the title"),
    ],
)
def test_an_answer_without_anything_to_stand_near_is_looked_for_in_the_passages(
    found_there: Passage,
) -> None:
    passages = [passage("Norwayish things."), found_there]

    found = inspect(
        "So the answer is Norway.", names(), counted(Norway=exact(1)), passages=passages
    )

    assert found == Inspection(Support.PRESENT, "in_passage")


@pytest.mark.parametrize(
    ("passages", "asked"),
    [
        pytest.param(
            [passage("Norwayish things.")], [counted(Norway=exact(1))], id="in none of them"
        ),
        pytest.param([], [], id="no passages"),
    ],
)
def test_an_answer_in_none_of_the_passages_is_unknown_since_nobody_asked_the_corpus(
    passages: list[Passage], asked: list[Exchange]
) -> None:
    found = inspect("So the answer is Norway.", names(), *asked, passages=passages)

    assert (found.support, found.reason) == (Support.UNKNOWN, "not_in_passages")
    assert found.queries == (
        Query(TEXT, "not_in_passages", "Norway stands in none of the passages"),
    )


# --- after the answer ---------------------------------------------------------------------------

PRESENT, ABSENT = Support.PRESENT, Support.ABSENT
NOT_COVERED, UNKNOWN = Support.NOT_COVERED, Support.UNKNOWN
FINAL = "So the answer is Norway."


@pytest.mark.parametrize(
    ("said", "verdict", "reason"),
    [
        pytest.param([], Verdict.ABSTAINED, "empty_answer", id="nothing"),
        pytest.param(
            [(RIGHT, PRESENT), ("So the answer is unknown.", UNKNOWN)],
            Verdict.ABSTAINED,
            "no_evidence",
            id="an unknown answer",
        ),
        pytest.param([(FINAL, ABSENT)], Verdict.ABSTAINED, "no_evidence", id="absent answer"),
        pytest.param(
            [(FINAL, NOT_COVERED)], Verdict.ABSTAINED, "no_evidence", id="answer not covered"
        ),
        pytest.param(
            [(WRONG, ABSENT), (FINAL, PRESENT)],
            Verdict.WARNED,
            "unsupported_claim",
            id="an absent claim on the way",
        ),
        pytest.param(
            [(WRONG, NOT_COVERED), (FINAL, PRESENT)],
            Verdict.WARNED,
            "unsupported_claim",
            id="a claim on the way that is not covered",
        ),
        pytest.param(
            [(FINAL, UNKNOWN, "echoed_question")],
            Verdict.ABSTAINED,
            "no_evidence",
            id="the question as its answer",
        ),
        pytest.param(
            [(RIGHT, PRESENT), ("So the answer is ...", PRESENT)],
            Verdict.ABSTAINED,
            "no_evidence",
            id="a final answer without a word",
        ),
        pytest.param(
            [(RIGHT, PRESENT)], Verdict.WARNED, "no_final_answer", id="present and not final"
        ),
        pytest.param(
            [(WRONG, ABSENT)], Verdict.WARNED, "no_final_answer", id="absent and not final"
        ),
        pytest.param(
            [(RIGHT, UNKNOWN, "corpus_unavailable"), (FINAL, PRESENT)],
            Verdict.WARNED,
            "not_checked",
            id="a claim on the way that nobody could check",
        ),
        pytest.param(
            [(RIGHT, UNKNOWN, "extraction_failed"), (FINAL, PRESENT)],
            Verdict.WARNED,
            "not_checked",
            id="a sentence on the way whose claims could not be found",
        ),
        pytest.param(
            [("It is so.", UNKNOWN, "no_claim"), (FINAL, PRESENT)],
            Verdict.ANSWERED,
            None,
            id="a sentence on the way that claims nothing",
        ),
        pytest.param(
            [(RIGHT, PRESENT), (FINAL, UNKNOWN)],
            Verdict.WARNED,
            "not_checked",
            id="an answer that nobody could check",
        ),
        pytest.param([(RIGHT, PRESENT), (FINAL, PRESENT)], Verdict.ANSWERED, None, id="answered"),
    ],
)
def test_the_verdict_is_decided_by_the_final_answer_then_by_the_claims(
    said: list[tuple[str, Support, str | None]], verdict: Verdict, reason: str | None
) -> None:
    sentences = tuple(Sentence(*each) for each in said)

    assert QuCo(3).conclude(sentences) == (verdict, reason)


def test_several_words_of_the_question_in_a_row_are_an_echo_too() -> None:
    question = Question("q", "In which village of Telemark, Norway, does Ann Lee live?")

    found = inspect(
        "So the answer is Telemark, Norway.",
        names("Telemark", "Norway", "Ann Lee", text=question.text),
        question=question,
    )

    assert (found.support, found.reason) == (Support.UNKNOWN, "echoed_question")


def test_one_of_two_names_is_an_echo_where_the_question_offers_no_choice() -> None:
    question = Question("q", "Which team of Kolles became Bergen?")

    found = inspect(
        "So the answer is Bergen.",
        names("Kolles", "Bergen", text=question.text),
        question=question,
    )

    assert (found.support, found.reason) == (Support.UNKNOWN, "echoed_question")
    assert [query.text for query in found.queries] == [question.text]


# --- choices and bridges ------------------------------------------------------------------------

CHOICE = Question("q", "Which is older, Oslo or the city of Bergen?")
BIRTHPLACE = Question("q", "Where was the director of Rio born?")
ABOUT_ANN = passage("Ann Lee was born in Skien.", title="Ann Lee")
BRIDGES = replace(TRIGGER, allow_bridges=True)


@pytest.mark.parametrize("one_of_them", ["Bergen", "Oslo is older"], ids=["part", "more words"])
def test_one_of_the_choices_may_be_named_in_part_or_in_more_words(one_of_them: str) -> None:
    said = said_before("Oslo was founded in 1049.", Support.PRESENT, OSLO_NORWAY)

    found = inspect(
        f"So the answer is {one_of_them}.",
        names("Oslo", "city of Bergen", text=CHOICE.text),
        question=CHOICE,
        committed=[said],
    )

    assert found == Inspection(Support.PRESENT, "by_its_claims")


@pytest.mark.parametrize("both_or_none", ["Skien", "Oslo, not the city of Bergen"])
def test_an_answer_that_is_none_of_the_choices_is_searched_and_none(both_or_none: str) -> None:
    found = inspect(
        f"So the answer is {both_or_none}.",
        names("Oslo", "city of Bergen", text=CHOICE.text),
        question=CHOICE,
    )

    assert (found.support, found.reason) == (Support.UNKNOWN, "not_among_choices")
    assert [query.text for query in found.queries] == [CHOICE.text]


def test_a_name_is_no_answer_where_yes_or_no_was_asked_for() -> None:
    asked = Question("q", "Are Oslo and Bergen in the same country?")

    found = inspect(
        "So the answer is Skien.", names("Oslo", "Bergen", text=asked.text), question=asked
    )

    assert (found.support, found.reason) == (Support.UNKNOWN, "not_yes_or_no")
    assert [query.detail for query in found.queries] == ["Skien is neither yes nor no"]


def bridge(film_and_director: int, director_and_place: int) -> list[Exchange]:
    """The answer is not near the film; its forms; then film, director and answer are counted."""
    return [
        names("Rio", text=BIRTHPLACE.text),
        *held((answer("Rio", "Skien"), together(0))),
        counted(Skien=exact(9)),
        *held(
            (answer("Rio", "Ann Lee"), together(film_and_director)),
            (answer("Ann Lee", "Skien"), together(director_and_place)),
        ),
    ]


def test_an_answer_may_be_linked_by_the_title_of_its_passage() -> None:
    found = inspect(
        "So the answer is Skien.",
        *bridge(1, 1),
        trigger=BRIDGES,
        question=BIRTHPLACE,
        passages=[ABOUT_ANN],
    )

    assert (found.support, found.reason, found.queries) == (Support.PRESENT, "by_a_bridge", ())
    assert [check.triplet.head for check in found.checks] == ["Rio", "Ann Lee"]


def test_the_passage_may_have_another_form_of_the_answer() -> None:
    text, forms = (
        "Skien, Norway",
        (SurfaceForm("Skien, Norway", "name"), SurfaceForm("Skien", "rule:place")),
    )

    found = inspect(
        f"So the answer is {text}.",
        names("Rio", text=BIRTHPLACE.text),
        *held((answer("Rio", text), together(0))),
        (CountPhrases((text,)), [replace(exact(9), forms=forms)]),
        *held((answer("Rio", "Ann Lee"), together(1)), (answer("Ann Lee", text), together(1))),
        trigger=BRIDGES,
        question=BIRTHPLACE,
        passages=[ABOUT_ANN],
    )

    assert (found.support, found.reason) == (Support.PRESENT, "by_a_bridge")


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0)], ids=["first", "second"])
def test_a_bridge_has_two_ends(first: int, second: int) -> None:
    found = inspect(
        "So the answer is Skien.",
        *bridge(first, second),
        trigger=BRIDGES,
        question=BIRTHPLACE,
        passages=[ABOUT_ANN],
    )

    assert found.support is Support.ABSENT


@pytest.mark.parametrize(
    "elsewhere",
    [
        pytest.param(passage("Ann Lee was born in Bergen.", title="Ann Lee"), id="not in it"),
        pytest.param(passage("Born in Skien.", title="Skien"), id="about the answer"),
        pytest.param(passage("Born in Skien."), id="without a title"),
    ],
)
def test_a_passage_without_the_answer_or_a_title_of_its_own_is_no_bridge(
    elsewhere: Passage,
) -> None:
    found = inspect(
        "So the answer is Skien.",
        *bridge(1, 1)[:5],
        trigger=BRIDGES,
        question=BIRTHPLACE,
        passages=[elsewhere],
    )

    assert found.support is Support.ABSENT


@pytest.mark.parametrize(
    ("reason", "concluded"),
    [
        ("by_a_bridge", (Verdict.WARNED, "by_a_bridge")),
        ("not_among_choices", (Verdict.ABSTAINED, "no_evidence")),
        ("not_yes_or_no", (Verdict.ABSTAINED, "no_evidence")),
    ],
)
def test_a_bridge_is_a_warning_and_none_of_the_choices_no_answer(
    reason: str, concluded: tuple[Verdict, str]
) -> None:
    support = Support.PRESENT if reason == "by_a_bridge" else Support.UNKNOWN

    assert TRIGGER.conclude((Sentence("So the answer is Skien.", support, reason),)) == concluded


# --- several steps ------------------------------------------------------------------------------

STEPS = replace(BRIDGES, require_steps=True)
BORN = Triplet("Rio", "director was born in", "Skien")


def test_an_answer_that_names_nobody_between_has_skipped_a_step() -> None:
    said = said_before("Rio's director was born in Skien.", Support.PRESENT, BORN)

    found = inspect(
        "So the answer is Skien.",
        names("Rio", text=BIRTHPLACE.text),
        trigger=STEPS,
        question=BIRTHPLACE,
        committed=[said],
    )

    assert (found.support, found.reason) == (Support.UNKNOWN, "skipped_step")
    assert [query.text for query in found.queries] == [BIRTHPLACE.text]


def test_an_answer_that_skipped_a_step_may_be_linked_by_its_passage() -> None:
    found = inspect(
        "So the answer is Skien.",
        names("Rio", text=BIRTHPLACE.text),
        *bridge(1, 1)[4:],
        trigger=STEPS,
        question=BIRTHPLACE,
        passages=[ABOUT_ANN],
    )

    assert (found.support, found.reason) == (Support.PRESENT, "by_a_bridge")


def test_an_answer_by_way_of_somebody_is_checked_as_any_other() -> None:
    by_ann = Triplet("Rio", "was directed by", "Ann Lee")
    said = said_before("Rio was directed by Ann Lee.", Support.PRESENT, by_ann)

    found = inspect(
        "So the answer is Skien.",
        names("Rio", text=BIRTHPLACE.text),
        *held((answer("Rio", "Skien"), together(1))),
        trigger=STEPS,
        question=BIRTHPLACE,
        committed=[said],
    )

    assert (found.support, found.reason) == (Support.PRESENT, None)


def test_an_answer_that_skipped_a_step_is_withheld() -> None:
    last = Sentence("So the answer is Skien.", Support.UNKNOWN, "skipped_step")

    assert TRIGGER.conclude((last,)) == (Verdict.ABSTAINED, "skipped_step")
