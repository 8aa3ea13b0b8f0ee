"""A text held against passages and the corpus, claim by claim; outcomes are fed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from averment.checking import TextCheck
from averment.errors import ExtractionError, IndexUnavailable
from averment.franq.evidence import CorpusSize
from averment.policies.quco import QuCo
from averment.scoring.flow import Scoring
from averment.steps import Cooccur, CountPhrases, ExtractTriplets, JudgeFaithfulness, Search
from averment.types import (
    ClaimVerdict,
    Extraction,
    Faithfulness,
    Passage,
    Question,
    Report,
    Support,
    Triplet,
)
from doubles import Exchange, exact, follow, hits, passage, together

LEXICAL = "lexical-alignment"
OSLO = "Oslo is the capital of Norway."
ITS_AGE = "It is old."
OSLO_NORWAY = Triplet("Oslo", "is the capital of", "Norway")
ABOUT_OSLO = passage(f"A guide. {OSLO} More follows.", title="Oslo", passage_id="d1")
ABOUT_BERGEN = passage("Bergen is in Norway.", title="Bergen", passage_id="d2")
NO_EVIDENCE = Faithfulness(0.0, reason="no_evidence")
ENTAILED = Faithfulness(1.0, passage=0, start=9, end=9 + len(OSLO))
NO_CORPUS = TextCheck(Scoring(LEXICAL))
COUNTING = TextCheck(
    Scoring(LEXICAL, corpus=CorpusSize(100, 10_000, 1000)), QuCo(entity_threshold=1), n_passages=3
)


def check(
    rule: TextCheck,
    text: str,
    *exchanges: Exchange,
    question: Question | None = None,
    contexts: tuple[Passage, ...] = (),
) -> Report:
    return follow(rule.run(text, question, contexts), exchanges)


def extracted(sentence: str, *triplets: Triplet) -> Exchange:
    return ExtractTriplets(sentence), Extraction(triplets)


def answered(said: str, *triplets: Triplet, question: str) -> Exchange:
    return ExtractTriplets(said, question=question), Extraction(triplets)


def counted(triplet: Triplet, pairs: int) -> list[Exchange]:
    return [
        (CountPhrases((triplet.head,)), [exact(9)]),
        (CountPhrases((triplet.tail,)), [exact(9)]),
        (Cooccur(((triplet.head, triplet.tail),), 1000), [together(pairs)]),
    ]


def searched(query: str, *found: Passage) -> Exchange:
    return Search(query, 3, "check", "evidence for a claim"), hits(query, *found)


def judged(
    *found: Faithfulness, claims: tuple[str, ...] = (OSLO,), passages: tuple[Passage, ...] = ()
) -> Exchange:
    return JudgeFaithfulness(claims, tuple(each.text for each in passages)), list(found)


# --- what is asked ------------------------------------------------------------------------------


def test_without_passages_and_corpus_a_claim_is_unverified_and_says_so() -> None:
    (claim,) = check(NO_CORPUS, OSLO, judged(NO_EVIDENCE)).claims

    assert (claim.verdict, claim.reasons["verdict"]) == (ClaimVerdict.UNVERIFIED, "no_corpus")
    assert (claim.support, claim.reasons["support"]) == (Support.UNKNOWN, "no_corpus")
    assert (claim.p_faithful, claim.reasons["p_faithful"]) == (0.0, "no_evidence")
    assert claim.evidence == ()


def test_given_passages_are_what_claims_are_held_against_and_nothing_is_searched() -> None:
    report = check(
        COUNTING,
        OSLO,
        extracted(OSLO, OSLO_NORWAY),
        *counted(OSLO_NORWAY, 2),
        judged(ENTAILED, passages=(ABOUT_OSLO,)),
        contexts=(ABOUT_OSLO,),
    )

    assert report.passages == (ABOUT_OSLO,)
    assert report.claims[0].verdict is ClaimVerdict.SUPPORTED


def test_a_passage_without_a_word_was_given_all_the_same() -> None:
    blank = passage(" ", passage_id="blank")

    report = check(NO_CORPUS, OSLO, judged(NO_EVIDENCE, passages=(blank,)), contexts=(blank,))

    assert report.claims[0].reasons["p_faithful"] == "no_evidence"


def test_with_a_corpus_each_claim_is_counted_and_its_passages_are_searched() -> None:
    report = check(
        COUNTING,
        OSLO,
        extracted(OSLO, OSLO_NORWAY),
        *counted(OSLO_NORWAY, 2),
        searched(OSLO, ABOUT_OSLO, ABOUT_BERGEN),
        judged(ENTAILED, passages=(ABOUT_OSLO, ABOUT_BERGEN)),
    )

    (claim,) = report.claims
    assert claim.triplets == (OSLO_NORWAY,)
    assert [found.cooccurrence for found in claim.checks] == [together(2)]
    assert claim.support is Support.PRESENT
    assert report.passages == (ABOUT_OSLO, ABOUT_BERGEN)


def test_what_was_retrieved_is_taken_out_of_the_counts_and_what_was_given_is_not() -> None:
    asked = [extracted(OSLO, OSLO_NORWAY), *counted(OSLO_NORWAY, 9)]
    held = judged(ENTAILED, passages=(ABOUT_OSLO,))

    found = check(COUNTING, OSLO, *asked, searched(OSLO, ABOUT_OSLO), held)
    given = check(COUNTING, OSLO, *asked, held, contexts=(ABOUT_OSLO,))

    name = "log_cooccurrence_weakest"
    assert found.claims[0].features[name] < given.claims[0].features[name] == 1.0


def test_an_index_of_counts_only_is_not_searched() -> None:
    rule = replace(COUNTING, n_passages=0)

    report = check(
        rule, OSLO, extracted(OSLO, OSLO_NORWAY), *counted(OSLO_NORWAY, 0), judged(NO_EVIDENCE)
    )

    (claim,) = report.claims
    assert (claim.verdict, claim.support) == (ClaimVerdict.UNSUPPORTED, Support.ABSENT)


def test_a_passage_that_several_claims_find_is_held_once_in_the_order_of_the_claims() -> None:
    bergen = "Bergen is in Norway."

    report = check(
        COUNTING,
        f"{OSLO} {bergen}",
        extracted(OSLO),
        extracted(bergen),
        searched(OSLO, ABOUT_OSLO, ABOUT_BERGEN),
        searched(bergen, ABOUT_BERGEN, ABOUT_OSLO),
        judged(ENTAILED, NO_EVIDENCE, claims=(OSLO, bergen), passages=(ABOUT_OSLO, ABOUT_BERGEN)),
    )

    assert report.passages == (ABOUT_OSLO, ABOUT_BERGEN)


def test_passages_for_a_claim_about_it_are_looked_for_by_name() -> None:
    report = check(
        COUNTING,
        f"{OSLO} {ITS_AGE}",
        extracted(OSLO),
        extracted("Oslo is old."),
        searched(OSLO, ABOUT_OSLO),
        searched("Oslo is old.", ABOUT_OSLO),
        judged(ENTAILED, NO_EVIDENCE, claims=(OSLO, ITS_AGE), passages=(ABOUT_OSLO,)),
    )

    assert [claim.text for claim in report.claims] == [OSLO, ITS_AGE]


def test_a_claim_about_nobody_knows_whom_is_held_against_what_the_others_found() -> None:
    theirs = "They are old."

    report = check(
        COUNTING,
        f"{OSLO} {theirs}",
        extracted(OSLO),
        extracted(theirs),
        searched(OSLO, ABOUT_OSLO),
        judged(ENTAILED, NO_EVIDENCE, claims=(OSLO, theirs), passages=(ABOUT_OSLO,)),
    )

    assert len(report.claims) == 2


# --- short answers ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "said", "claimed"),
    [
        pytest.param(
            "Of which country is Oslo the capital?",
            "Norway",
            "Of which country is Oslo the capital? Norway",
            id="name",
        ),
        pytest.param("Is Oslo the capital of Norway?", "Yes", OSLO, id="yes"),
        pytest.param(
            "Is Oslo the capital of Norway?", "No.", "Oslo is not the capital of Norway.", id="no"
        ),
    ],
)
def test_a_short_answer_is_one_claim_together_with_its_question(
    question: str, said: str, claimed: str
) -> None:
    report = check(
        COUNTING,
        f" {said}\n",
        answered(said, OSLO_NORWAY, question=question),
        *counted(OSLO_NORWAY, 1),
        searched(claimed, ABOUT_OSLO),
        judged(ENTAILED, claims=(claimed,), passages=(ABOUT_OSLO,)),
        question=Question("q", question),
    )

    (claim,) = report.claims
    assert (claim.text, claim.start, claim.support) == (said, 1, Support.PRESENT)


def test_a_short_answer_without_a_corpus_is_judged_alone() -> None:
    asked = "Of which country is Oslo the capital?"

    report = check(
        NO_CORPUS,
        "Norway",
        judged(ENTAILED, claims=(f"{asked} Norway",), passages=(ABOUT_OSLO,)),
        question=Question("q", asked),
        contexts=(ABOUT_OSLO,),
    )

    assert report.claims[0].reasons["support"] == "no_corpus"


@pytest.mark.parametrize(
    ("said", "skipped"),
    [
        pytest.param("maybe", ((0, 5, "refusal"),), id="maybe"),
        pytest.param("I don't know.", ((0, 13, "refusal"),), id="refusal"),
        pytest.param(" ", (), id="blank"),
    ],
)
def test_an_answer_that_says_nothing_is_no_claim(
    said: str, skipped: tuple[tuple[int, int, str], ...]
) -> None:
    report = check(COUNTING, said, question=Question("q", "Is Oslo the capital of Norway?"))

    assert (report.claims, report.skipped) == ((), skipped)


# --- single facts -------------------------------------------------------------------------------

BORN_AND_DIED = "Marie Curie was born in Warsaw and died in 1934."
BORN = Triplet("Marie Curie", "was born in", "Warsaw")
DIED = Triplet("Marie Curie", "died in", "1934")


def test_facts_of_a_sentence_are_claims_that_are_counted_one_by_one() -> None:
    rule = replace(COUNTING, atomic=True, n_passages=0)

    report = check(
        rule,
        BORN_AND_DIED,
        extracted(BORN_AND_DIED, BORN, DIED),
        *counted(BORN, 1),
        *counted(DIED, 0),
        judged(
            NO_EVIDENCE,
            NO_EVIDENCE,
            claims=("Marie Curie was born in Warsaw", "Marie Curie died in 1934"),
        ),
    )

    born, died = report.claims
    assert (born.text, born.start, born.end) == ("Marie Curie was born in Warsaw", 0, 30)
    assert (died.text, died.start, died.end) == ("Marie Curie died in 1934", 0, 47)
    assert [claim.support for claim in report.claims] == [Support.PRESENT, Support.ABSENT]
    assert [claim.sentence for claim in report.claims] == [0, 0]


def test_a_sentence_without_facts_stays_one_claim() -> None:
    rule = replace(COUNTING, atomic=True, n_passages=0)

    report = check(rule, ITS_AGE, extracted(ITS_AGE), judged(NO_EVIDENCE, claims=(ITS_AGE,)))

    assert [(claim.text, claim.reasons["support"]) for claim in report.claims] == [
        (ITS_AGE, "no_claim")
    ]


def test_facts_are_found_without_a_corpus_too() -> None:
    report = check(
        replace(NO_CORPUS, atomic=True),
        BORN_AND_DIED,
        extracted(BORN_AND_DIED, BORN),
        judged(ENTAILED, claims=("Marie Curie was born in Warsaw",), passages=(ABOUT_OSLO,)),
        contexts=(ABOUT_OSLO,),
    )

    assert report.claims[0].reasons["support"] == "no_corpus"


# --- what fails ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failed", "reason"),
    [
        pytest.param(
            [(ExtractTriplets(OSLO), ExtractionError("Expected a list.", raw="?"))],
            "extraction_failed",
            id="extraction",
        ),
        pytest.param(
            [
                extracted(OSLO, OSLO_NORWAY),
                *counted(OSLO_NORWAY, 1)[:2],
                (Cooccur((("Oslo", "Norway"),), 1000), IndexUnavailable("It is away.")),
            ],
            "corpus_unavailable",
            id="the corpus",
        ),
    ],
)
def test_what_could_not_be_counted_is_unknown_with_the_reason(
    failed: list[Exchange], reason: str
) -> None:
    report = check(COUNTING, OSLO, *failed, searched(OSLO), judged(NO_EVIDENCE))

    (claim,) = report.claims
    assert (claim.support, claim.reasons["support"]) == (Support.UNKNOWN, reason)
    assert (claim.verdict, claim.reasons["verdict"]) == (ClaimVerdict.UNVERIFIED, reason)


# --- what is reported ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("", []),
        ("Hello!", ["greeting"]),
        ("I do not know.", ["refusal"]),
        ("```\nx = 1\n```", ["code"]),
        ("Who knows?", ["question"]),
        ("***", ["no_words"]),
    ],
    ids=["empty", "greeting", "refusal", "code", "question", "marks"],
)
def test_a_text_that_claims_nothing_is_a_report_without_claims_and_asks_nothing(
    text: str, kinds: list[str]
) -> None:
    report = check(COUNTING, text)

    assert report.claims == ()
    assert [kind for _, _, kind in report.skipped] == kinds
    assert report.calibrated is False


def test_claims_and_what_claims_nothing_are_slices_of_the_text() -> None:
    text = f"Hello! {OSLO}\n\n- {ITS_AGE}\n"

    report = check(NO_CORPUS, text, judged(NO_EVIDENCE, NO_EVIDENCE, claims=(OSLO, ITS_AGE)))

    assert [text[claim.start : claim.end] for claim in report.claims] == [OSLO, ITS_AGE]
    assert [claim.sentence for claim in report.claims] == [0, 1]
    assert [(text[start:end], kind) for start, end, kind in report.skipped] == [
        ("Hello!", "greeting")
    ]


def test_evidence_is_the_best_span_at_its_place_in_the_document() -> None:
    later = replace(ABOUT_OSLO, start=100, end=100 + len(ABOUT_OSLO.text))

    (claim,) = check(NO_CORPUS, OSLO, judged(ENTAILED, passages=(later,)), contexts=(later,)).claims

    assert claim.evidence == (replace(later, text=OSLO, start=109, end=109 + len(OSLO)),)


def test_a_report_says_what_was_checked_and_by_whom() -> None:
    question = Question("q", "Which city is the capital?")

    report = check(NO_CORPUS, OSLO, judged(NO_EVIDENCE), question=question)

    assert (report.text, report.question) == (OSLO, question)
    assert report.scores.estimators_used == (LEXICAL,)
