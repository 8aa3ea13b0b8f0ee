"""Answers: what is shown, where its claims stand, and what is held of each."""

from __future__ import annotations

import dataclasses

import pytest

from averment.answers import (
    ABSTENTION,
    answer_of,
    report_edited,
    scored_claim,
    unscored_claim,
)
from averment.promises import Promise, Remedy, Unit
from averment.scoring.claims import ScorableClaim
from averment.scoring.withholding import with_withheld
from averment.trace import Trace
from averment.types import (
    Answer,
    Check,
    Claim,
    ClaimScores,
    ClaimVerdict,
    Draft,
    Faithfulness,
    Question,
    Report,
    Retrieval,
    Scores,
    Sentence,
    Support,
    TriggeredRetrieval,
    Triplet,
    Verdict,
)
from doubles import exact, hits, passage, together

QUESTION = Question("q", "Of which country is Oslo the capital?")
CHECK = Check(
    Triplet("Oslo", "is the capital of", "Norway"),
    Support.PRESENT,
    exact(9),
    exact(9),
    together(1),
    1000,
)
CLAIM = Sentence("Oslo is the capital of Norway.", Support.PRESENT, checks=(CHECK,))
FINAL = Sentence("So the answer is Norway.", Support.UNKNOWN)


def answered(
    *sentences: Sentence,
    verdict: Verdict = Verdict.ANSWERED,
    reason: str | None = None,
    retrievals: tuple[Retrieval, ...] = (),
) -> Answer:
    triggered = tuple(TriggeredRetrieval(made, "always", "d") for made in retrievals)
    draft = Draft(sentences, "Norway", triggered, verdict, reason)
    trace = Trace("id", QUESTION, "policy", "model", "index", "now", {}, (), draft)
    return answer_of(trace)


@pytest.mark.parametrize("verdict", [Verdict.ANSWERED, Verdict.WARNED], ids=str)
def test_an_answer_shows_what_the_model_wrote(verdict: Verdict) -> None:
    answer = answered(CLAIM, FINAL, verdict=verdict)

    assert answer.text == answer.draft == f"{CLAIM.text} {FINAL.text}"
    assert answer.final_answer == "Norway"


def test_an_abstention_says_so_and_keeps_the_draft_to_be_looked_at() -> None:
    answer = answered(CLAIM, FINAL, verdict=Verdict.ABSTAINED, reason="no_evidence")

    assert answer.text == ABSTENTION
    assert answer.final_answer == ""
    assert answer.draft == f"{CLAIM.text} {FINAL.text}"
    assert answer.reason == "no_evidence"


def test_an_answer_without_a_sentence_has_no_claim() -> None:
    answer = answered(verdict=Verdict.ABSTAINED, reason="empty_answer")

    assert (answer.draft, answer.claims) == ("", ())


def test_each_claim_is_a_slice_of_the_draft_also_where_the_draft_is_not_ascii() -> None:
    first = Sentence("東京 𝔸 is e\u0301.", Support.UNKNOWN)

    answer = answered(first, CLAIM, FINAL)

    slices = [answer.draft[claim.start : claim.end] for claim in answer.claims]
    assert slices == [claim.text for claim in answer.claims]
    assert slices == [first.text, CLAIM.text, FINAL.text]
    assert [claim.sentence for claim in answer.claims] == [0, 1, 2]


@pytest.mark.parametrize(
    ("support", "verdict", "reason"),
    [
        (Support.ABSENT, ClaimVerdict.UNSUPPORTED, "absent_in_corpus"),
        (Support.NOT_COVERED, ClaimVerdict.UNSUPPORTED, "not_covered_in_corpus"),
        (Support.PRESENT, ClaimVerdict.UNVERIFIED, "mention_only"),
    ],
    ids=str,
)
def test_a_claim_is_never_called_supported_because_its_names_occur_together(
    support: Support, verdict: ClaimVerdict, reason: str
) -> None:
    (claim,) = answered(Sentence("Oslo is in Norway.", support)).claims

    assert (claim.verdict, claim.reasons["verdict"]) == (verdict, reason)


@pytest.mark.parametrize(
    ("reason", "verdict_reason"),
    [
        ("corpus_unavailable", "corpus_unavailable"),
        ("extraction_failed", "extraction_failed"),
        (None, "not_checked"),
    ],
    ids=str,
)
def test_a_claim_that_could_not_be_checked_is_unverified_for_the_reason_of_its_sentence(
    reason: str | None, verdict_reason: str
) -> None:
    (claim,) = answered(Sentence("Oslo is in Norway.", Support.UNKNOWN, reason)).claims

    assert claim.verdict is ClaimVerdict.UNVERIFIED
    assert claim.reasons["verdict"] == verdict_reason


@pytest.mark.parametrize(
    ("reason", "reasons"),
    [("no_claim", {"support": "no_claim"}), (None, {})],
    ids=["with a reason", "without"],
)
def test_the_reason_of_a_sentence_is_that_of_the_support_of_its_claim(
    reason: str | None, reasons: dict[str, str]
) -> None:
    (claim,) = answered(Sentence("It is so.", Support.UNKNOWN, reason)).claims

    assert {k: v for k, v in claim.reasons.items() if k == "support"} == reasons


def test_a_score_that_nobody_gave_is_missing_with_a_reason() -> None:
    (claim,) = answered(CLAIM).claims

    scores = {
        name: getattr(claim, name)
        for name in ("p_faithful", "p_true_if_faithful", "p_true_if_unfaithful", "p_true")
    }
    assert set(scores.values()) == {None}
    assert {name: claim.reasons[name] for name in scores} == dict.fromkeys(scores, "no_estimator")
    assert claim.calibrated is False


def test_a_claim_carries_its_triplets_and_checks() -> None:
    (claim,) = answered(CLAIM).claims

    assert claim.triplets == (CHECK.triplet,)
    assert claim.checks == (CHECK,)


def test_a_pair_of_the_question_and_the_answer_is_a_check_but_no_triplet_of_the_claim() -> None:
    pair = dataclasses.replace(CHECK, triplet=Triplet("Oslo", "", "Norway"))

    (claim,) = answered(dataclasses.replace(FINAL, checks=(pair,))).claims

    assert (claim.triplets, claim.checks) == ((), (pair,))


def test_evidence_is_each_retrieved_passage_that_holds_both_ends_of_a_triplet() -> None:
    both = passage("OSLO lies in Norway.")
    by_title = passage("The capital of Norway.", title="Oslo")
    one_end = passage("Norway is large.")
    retrievals = (hits("q1", both, one_end), hits("q2", by_title, both))

    (claim,) = answered(CLAIM, retrievals=retrievals).claims

    assert claim.evidence == (both, by_title)


def test_a_claim_without_checks_has_no_evidence() -> None:
    (claim,) = answered(FINAL, retrievals=(hits("q", passage("Norway.")),)).claims

    assert claim.evidence == ()


def test_an_answer_that_was_found_in_a_passage_has_that_passage_as_evidence() -> None:
    final = Sentence("So the answer is Norway.", Support.PRESENT, "in_passage")
    there, elsewhere = passage("NORWAY is large."), passage("Sweden is larger.")

    (claim,) = answered(final, retrievals=(hits("q", elsewhere, there),)).claims

    assert claim.evidence == (there,)


# --- scores -------------------------------------------------------------------------------------

ENTAILED = Faithfulness(0.8, passage=1, start=4, end=8)
SCORED = ClaimScores(
    ENTAILED,
    uf=-1.0,
    uu=None,
    features={"npmi_weakest": 0.5},
    score=0.6,
    p_true_if_faithful=0.7,
    p_true_if_unfaithful=0.2,
    p_true=0.6,
    calibrated=True,
    reasons={"uu": "missing_input"},
)
PASSAGES = (
    passage("Elsewhere."),
    dataclasses.replace(passage("The Oslo fjord."), start=50, end=65),
)


def unscored(support: Support = Support.UNKNOWN, reason: str | None = None) -> Claim:
    reasons = {} if reason is None else {"support": reason}
    return Claim("Oslo.", 0, 5, 0, (), support, ClaimVerdict.UNVERIFIED, (), (), reasons)


def scores(*claims: ClaimScores) -> Scores:
    return Scores(claims, "lexical", "constant", "constant", "")


def test_a_claim_shows_every_number_that_it_was_given() -> None:
    claim = scored_claim(unscored(), SCORED, PASSAGES, from_corpus=False)

    assert (claim.p_faithful, claim.uf, claim.uu) == (0.8, -1.0, None)
    assert (claim.score, claim.p_true, claim.calibrated) == (0.6, 0.6, True)
    assert (claim.p_true_if_faithful, claim.p_true_if_unfaithful) == (0.7, 0.2)
    assert claim.features == {"npmi_weakest": 0.5}
    assert claim.reasons == {"uu": "missing_input", "verdict": "passage_entails"}


def test_the_best_span_is_evidence_at_its_place_in_the_document() -> None:
    (evidence,) = scored_claim(unscored(), SCORED, PASSAGES, from_corpus=False).evidence

    assert (evidence.text, evidence.start, evidence.end) == ("Oslo", 54, 58)
    assert evidence.document_id == PASSAGES[1].document_id


@pytest.mark.parametrize(
    "faithfulness", [None, Faithfulness(0.0, reason="no_evidence")], ids=["nobody judged", "none"]
)
def test_without_a_span_there_is_no_evidence(faithfulness: Faithfulness | None) -> None:
    scored = ClaimScores(faithfulness)

    assert scored_claim(unscored(), scored, PASSAGES, from_corpus=False).evidence == ()


def test_a_claim_that_nobody_judged_has_the_verdict_of_the_corpus() -> None:
    claim = scored_claim(unscored(Support.ABSENT), ClaimScores(None), (), from_corpus=False)

    assert (claim.verdict, claim.p_faithful) == (ClaimVerdict.UNSUPPORTED, None)


@pytest.mark.parametrize("scored", [None, ClaimScores(None)], ids=["not scored", "no numbers"])
def test_the_reason_of_the_support_is_kept_and_explains_a_verdict_that_there_is_none(
    scored: ClaimScores | None,
) -> None:
    claim = scored_claim(unscored(reason="corpus_unavailable"), scored, (), from_corpus=False)

    assert claim.verdict is ClaimVerdict.UNVERIFIED
    assert claim.reasons["support"] == claim.reasons["verdict"] == "corpus_unavailable"


def test_the_sentences_of_a_scored_answer_are_scored_claims_on_its_passages() -> None:
    both = (hits("q1", PASSAGES[0]), hits("q2", PASSAGES[1]))
    triggered = tuple(TriggeredRetrieval(made, "always", "d") for made in both)
    given = scores(SCORED, ClaimScores(None, reasons={"p_faithful": "empty_claim"}))
    draft = Draft((CLAIM, FINAL), "Norway", triggered, Verdict.ANSWERED, None, given)

    answer = answer_of(Trace("id", QUESTION, "policy", "model", "index", "now", {}, (), draft))

    first, second = answer.claims
    assert answer.scores == given
    assert (first.p_true, [found.text for found in first.evidence]) == (0.6, ["Oslo"])
    assert (second.p_true, second.reasons["p_faithful"]) == (None, "empty_claim")


def test_a_score_too_few_is_a_mistake_of_the_program() -> None:
    draft = Draft((CLAIM, FINAL), "Norway", (), Verdict.ANSWERED, None, scores(ClaimScores(None)))

    with pytest.raises(ValueError, match="zip"):
        answer_of(Trace("id", QUESTION, "policy", "model", "index", "now", {}, (), draft))


# --- a promise of an error rate -----------------------------------------------------------------


def promised(*p_true: float | None, remedy: Remedy = Remedy.DROP) -> Answer:
    """Both sentences with these probabilities, and a promise that withholds what is below 0.8."""
    claims = tuple(ClaimScores(None, p_true=p, calibrated=p is not None) for p in p_true)
    scores = Scores(
        claims,
        "lexical",
        "constant",
        "constant",
        "",
        promise=Promise(0.1, 0.9, Unit.CLAIM, 0.8, 9, 9, 0, 1, remedy),
    )
    draft = Draft((CLAIM, FINAL), "Norway", (), Verdict.ANSWERED, None, scores)
    return answer_of(Trace("id", QUESTION, "policy", "model", "index", "now", {}, (), draft))


def test_what_is_probable_enough_is_given_whole() -> None:
    answer = promised(0.9, 0.8)

    assert (answer.verdict, answer.text) == (Verdict.ANSWERED, answer.draft)


def test_a_sentence_that_is_not_is_left_out_and_claims_still_point_into_the_draft() -> None:
    answer = promised(0.7, 0.8)

    assert (answer.verdict, answer.reason) == (Verdict.WARNED, "claims_withheld")
    assert (answer.text, answer.final_answer) == (FINAL.text, "Norway")
    assert [answer.draft[c.start : c.end] for c in answer.claims] == [CLAIM.text, FINAL.text]


@pytest.mark.parametrize("p_true", [0.7, None])
def test_without_its_last_claim_an_answer_is_not_given(p_true: float | None) -> None:
    answer = promised(0.9, p_true)

    assert (answer.verdict, answer.reason) == (Verdict.ABSTAINED, "weak_evidence")
    assert (answer.text, answer.final_answer) == (ABSTENTION, "")


def test_hedged_answers_say_that_they_may_be_wrong() -> None:
    answer = promised(0.9, 0.7, remedy=Remedy.HEDGE)

    assert (answer.verdict, answer.reason) == (Verdict.WARNED, "claims_hedged")
    assert answer.text == f"{CLAIM.text} The answer may be Norway."


# --- the text of a report -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("remedy", "expected"),
    [
        (Remedy.DROP, "Hello! Oslo has a port."),
        (Remedy.HEDGE, "Hello! It may be that Oslo is a country. It has a port."),
        (Remedy.ABSTAIN, ABSTENTION),
    ],
    ids=str,
)
def test_a_report_is_edited_as_its_promise_has_it(remedy: Remedy, expected: str) -> None:
    text = "Hello! Oslo is a country. It has a port."
    promise = Promise(0.1, 0.9, Unit.CLAIM, 0.8, 9, 9, 0, 1, remedy)
    scores = Scores((), "lexical", "constant", "constant", "", promise=promise)
    claims = with_withheld(
        [
            dataclasses.replace(a_claim(text, 7, 25), p_true=0.3),
            dataclasses.replace(a_claim(text, 26, 40), p_true=0.9),
        ],
        promise,
        None,
        answers=False,
    )
    report = Report(text, None, claims, (), (), scores)

    assert report_edited(report) == expected
    assert report_edited(dataclasses.replace(report, claims=claims[1:])) == text


def a_claim(text: str, start: int, end: int) -> Claim:
    place = ScorableClaim(text[start:end], start, end)
    return unscored_claim(0, place.text, place, support=Support.UNKNOWN, reason=None)
