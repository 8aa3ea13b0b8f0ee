"""The claims of an answer or of a text, scored step by step; outcomes are fed by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from averment.costs import Costs
from averment.errors import (
    CalibrationError,
    CapabilityError,
    ContextOverflow,
    ModelError,
    ModelUnavailable,
)
from averment.franq.calibrator import MadeWith
from averment.policies.ledger import Ledger
from averment.scoring.claims import ScorableClaim
from averment.scoring.flow import Scoring
from averment.steps import Rescore
from averment.types import (
    Draft,
    Faithfulness,
    Passage,
    Scores,
    Sentence,
    Support,
    Token,
    TriggeredRetrieval,
    Verdict,
)
from doubles import Exchange, exact, follow, hits, next_step, passage, together
from scoring.scoring_by_hand import (
    CLAIM,
    CORPUS,
    ELSEWHERE,
    ENTAILED,
    LEXICAL,
    MODEL,
    PASSAGE,
    PLAIN,
    QUESTION,
    RESCORED,
    TEXT,
    WORDS,
    calibrator,
    checked,
    judged,
    prompt,
    rescored,
)

SCORING = Scoring(LEXICAL)
WITH_MODEL = Scoring(LEXICAL, MODEL)
WITH_CORPUS = Scoring(LEXICAL, corpus=CORPUS)
NO_EVIDENCE = Faithfulness(0.0, reason="no_evidence")
CONTEXT = f"Context:\n[1] Oslo: {TEXT}\n\n"
P_TRUE = ("p_true", "p_true_if_faithful", "p_true_if_unfaithful")
PRIOR_IF_FAITHFUL, PRIOR_IF_UNFAITHFUL = 0.9, 0.5


def of_text(
    scoring: Scoring,
    *exchanges: Exchange,
    text: str = TEXT,
    claims: tuple[ScorableClaim, ...] = (CLAIM,),
    passages: tuple[Passage, ...] = (PASSAGE,),
    are_retrieved: bool = False,
) -> Scores:
    flow = scoring.of_text(QUESTION, text, claims, passages, are_retrieved=are_retrieved)
    return follow(flow, exchanges)


def draft(*sentences: Sentence, passages: tuple[Passage, ...] = ()) -> Draft:
    made = TriggeredRetrieval(hits("query", *passages), "always", "")
    return Draft(sentences, "", (made,) if passages else (), Verdict.ANSWERED, None)


def said(text: str = TEXT, **more: object) -> Sentence:
    return replace(Sentence(text, Support.UNKNOWN), **more)


# --- without a model ----------------------------------------------------------------------------


def test_without_a_model_nothing_is_asked_but_how_faithful_the_claims_are() -> None:
    scores = of_text(SCORING, judged(ENTAILED, passages=(PASSAGE,)))

    (claim,) = scores.claims
    assert claim.faithfulness == ENTAILED
    assert (claim.uf, claim.uu) == (None, None)
    assert claim.reasons["uf"] == claim.reasons["uu"] == "not_rescored"
    assert (scores.uf_estimator, scores.uu_estimator, scores.model) == ("constant", "constant", "")
    assert scores.estimators_used == (LEXICAL,)
    assert scores.notes == ()


def test_without_a_calibrator_there_is_a_score_and_no_probability() -> None:
    (claim,) = of_text(SCORING, judged(ENTAILED, passages=(PASSAGE,))).claims

    assert claim.score == pytest.approx(0.75 * PRIOR_IF_FAITHFUL + 0.25 * PRIOR_IF_UNFAITHFUL)
    assert {getattr(claim, name) for name in P_TRUE} == {None}
    assert [claim.reasons[name] for name in P_TRUE] == ["uncalibrated"] * 3
    assert claim.calibrated is False


def test_without_passages_the_unfaithful_branch_alone_decides() -> None:
    (claim,) = of_text(SCORING, judged(NO_EVIDENCE), passages=()).claims

    assert claim.score == PRIOR_IF_UNFAITHFUL
    assert claim.reasons["p_faithful"] == "no_evidence"


@pytest.mark.parametrize("scoring", [SCORING, WITH_MODEL], ids=["no model", "a model"])
def test_a_text_without_claims_asks_nothing(scoring: Scoring) -> None:
    assert of_text(scoring, text="Hello!", claims=()).claims == ()


@pytest.mark.parametrize("scoring", [SCORING, WITH_MODEL], ids=["no model", "a model"])
def test_an_answer_without_sentences_asks_nothing(scoring: Scoring) -> None:
    assert follow(scoring.of_draft(QUESTION, draft())).claims == ()


def test_claims_are_judged_in_one_step_and_scored_in_order() -> None:
    second = ScorableClaim("Oslo is old.", 31, 43)
    found = judged(ENTAILED, NO_EVIDENCE, claims=(TEXT, "Oslo is old."), passages=(PASSAGE,))

    scores = of_text(SCORING, found, text=f"{TEXT} Oslo is old.", claims=(CLAIM, second))

    assert [claim.faithfulness for claim in scores.claims] == [ENTAILED, NO_EVIDENCE]


def test_a_claim_that_nobody_could_judge_has_no_score_and_says_why() -> None:
    broken = judged(passages=(PASSAGE,))[0], ModelUnavailable("The judge is away.")

    scores = of_text(SCORING, broken)

    (claim,) = scores.claims
    assert (claim.faithfulness, claim.score) == (None, None)
    assert claim.reasons["p_faithful"] == "not_judged"
    assert {claim.reasons[name] for name in ("score", *P_TRUE)} == {"missing_p_faithful"}
    assert scores.notes == (f"{LEXICAL}: The judge is away.",)


def test_what_claims_nothing_is_not_scored() -> None:
    empty = Faithfulness(0.0, reason="empty_claim")
    exchange = judged(empty, claims=("",))

    (claim,) = follow(
        SCORING.of_draft(QUESTION, draft(said("So the answer is unknown."))), [exchange]
    ).claims

    assert (claim.faithfulness, claim.score) == (None, None)
    assert claim.reasons["p_faithful"] == "empty_claim"
    assert claim.reasons["score"] == "missing_p_faithful"


# --- confidences --------------------------------------------------------------------------------


def test_a_text_is_rescored_with_its_passages_and_without_them() -> None:
    scores = of_text(
        WITH_MODEL,
        rescored(prompt(CONTEXT), -0.25),
        rescored(prompt(), -0.5),
        judged(ENTAILED, passages=(PASSAGE,)),
    )

    (claim,) = scores.claims
    assert (claim.uf, claim.uu) == (6 * -0.25, 6 * -0.5)
    assert claim.score == pytest.approx(0.75 * math.exp(-1.5) + 0.25 * math.exp(-3.0))
    assert scores.model == MODEL
    assert scores.estimators_used == (LEXICAL, "max_probability", "parametric_knowledge")


def test_a_claim_has_the_confidence_of_its_own_words() -> None:
    text = f"Oslo is old. {TEXT}"
    words = (" Oslo", " is", " old.", *WORDS)
    claims = (ScorableClaim("Oslo is old.", 0, 12), replace(CLAIM, start=13, end=len(text)))
    both = (-4.0, -2.0, -1.0, *[-0.5] * 6)

    scores = of_text(
        WITH_MODEL,
        rescored(prompt(CONTEXT), *both, words=words),
        rescored(prompt(), *both, words=words),
        judged(ENTAILED, ENTAILED, claims=("Oslo is old.", TEXT), passages=(PASSAGE,)),
        text=text,
        claims=claims,
    )

    assert [claim.uf for claim in scores.claims] == [-7.0, -3.0]


def test_passages_stand_in_the_prompt_as_they_do_when_an_answer_is_written() -> None:
    passages = (passage("No title\nand two lines."), ELSEWHERE)
    ledger = Ledger(1000)
    ledger.add(hits("query", *passages), trigger="", detail="")

    step = next_step(WITH_MODEL.of_text(QUESTION, TEXT, [CLAIM], passages, are_retrieved=False))

    assert step == Rescore(prompt(ledger.context()), f" {TEXT}")


def test_a_text_without_a_question_is_rescored_all_the_same() -> None:
    step = next_step(WITH_MODEL.of_text(None, TEXT, [CLAIM], [], are_retrieved=False))

    assert step == Rescore(prompt(question="What is known about this?"), f" {TEXT}")


def test_an_answer_has_the_confidence_with_which_it_was_written_and_that_without_passages() -> None:
    written = tuple(Token(word, -0.125) for word in WORDS)
    made = draft(said(tokens=written), passages=(PASSAGE,))

    (claim,) = follow(
        WITH_MODEL.of_draft(QUESTION, made),
        [rescored(prompt(), -0.5), judged(ENTAILED, passages=(PASSAGE,))],
    ).claims

    assert (claim.uf, claim.uu) == (6 * -0.125, 6 * -0.5)


def test_a_sentence_whose_tokens_are_not_known_has_no_confidence_of_its_own() -> None:
    (claim,) = follow(
        WITH_MODEL.of_draft(QUESTION, draft(said())),
        [rescored(prompt(), -0.5), judged(NO_EVIDENCE)],
    ).claims

    assert (claim.uf, claim.reasons["uf"]) == (None, "missing_input")
    assert claim.uu == -3.0


@pytest.mark.parametrize(
    ("logprob", "reason"),
    [(None, "missing_input"), (math.nan, "invalid_input"), (-math.inf, "invalid_input")],
    ids=["unknown", "nan", "infinite"],
)
def test_a_log_probability_that_is_none_is_a_reason_and_never_a_number(
    logprob: float | None, reason: str
) -> None:
    (claim,) = of_text(
        WITH_MODEL,
        rescored(prompt(CONTEXT), -0.5),
        rescored(prompt(), -0.5, logprob, *[-0.5] * 4),
        judged(ENTAILED, passages=(PASSAGE,)),
    ).claims

    assert (claim.uu, claim.reasons["uu"]) == (None, reason)
    assert claim.uf == -3.0
    assert claim.score == pytest.approx(0.75 * math.exp(-3.0) + 0.25 * PRIOR_IF_UNFAITHFUL)


@pytest.mark.parametrize(
    "error",
    [ContextOverflow("The prompt is too long."), CapabilityError("It cannot.")],
    ids=lambda error: type(error).__name__,
)
def test_a_text_that_cannot_be_rescored_ends_nothing(error: ModelError) -> None:
    scores = of_text(
        WITH_MODEL,
        (Rescore(prompt(CONTEXT), f" {TEXT}"), error),
        rescored(prompt(), -0.5),
        judged(ENTAILED, passages=(PASSAGE,)),
    )

    (claim,) = scores.claims
    assert (claim.uf, claim.reasons["uf"]) == (None, "rescoring_failed")
    assert claim.uu == -3.0
    assert claim.score is not None
    assert scores.notes == (f"max_probability: {error.message}",)


def test_tokens_that_do_not_join_to_the_text_are_of_other_words_and_end_nothing() -> None:
    other_words = rescored(prompt(), -0.5)[0], [Token(" Bergen", -0.5)]

    scores = of_text(
        WITH_MODEL,
        rescored(prompt(CONTEXT), -0.5),
        other_words,
        judged(ENTAILED, passages=(PASSAGE,)),
    )

    (claim,) = scores.claims
    assert (claim.uu, claim.reasons["uu"]) == (None, "rescoring_failed")
    assert "the tokens join to 'Bergen'" in scores.notes[0]


# --- the corpus ---------------------------------------------------------------------------------


def with_corpus(*, are_retrieved: bool, scoring: Scoring = WITH_CORPUS) -> Scores:
    claim = replace(CLAIM, checks=(checked(),))
    exchange = judged(ENTAILED, passages=(PASSAGE,))
    return of_text(scoring, exchange, claims=(claim,), are_retrieved=are_retrieved)


def test_counts_become_features_of_the_claim_and_are_named_among_what_was_used() -> None:
    scores = with_corpus(are_retrieved=False)

    assert scores.claims[0].features["log_head_weakest"] == pytest.approx(math.log10(11))
    assert scores.estimators_used == (LEXICAL, "corpus_evidence")


def test_passages_are_taken_out_of_the_counts_only_if_they_are_of_the_corpus() -> None:
    given, found = (with_corpus(are_retrieved=each).claims[0] for each in (False, True))

    name = "log_cooccurrence_weakest"
    assert given.features[name] == pytest.approx(math.log10(5))
    assert found.features[name] == pytest.approx(math.log10(4))


def test_the_passages_of_an_answer_are_taken_out_of_its_counts() -> None:
    made = draft(said(checks=(checked(),)), passages=(PASSAGE, PASSAGE))

    (claim,) = follow(
        WITH_CORPUS.of_draft(QUESTION, made), [judged(ENTAILED, passages=(PASSAGE, PASSAGE))]
    ).claims

    assert claim.features["log_cooccurrence_weakest"] == pytest.approx(math.log10(4))


def test_without_a_corpus_counts_change_nothing() -> None:
    plain = of_text(SCORING, judged(ENTAILED, passages=(PASSAGE,)))

    assert with_corpus(are_retrieved=False, scoring=SCORING) == plain


def test_a_zero_where_many_were_expected_lowers_the_score_and_leaves_faithfulness_alone() -> None:
    absent = checked(together(0), head=exact(50), tail=exact(50))
    claim = replace(CLAIM, checks=(absent,))

    (scored,) = of_text(WITH_CORPUS, judged(ENTAILED, passages=(PASSAGE,)), claims=(claim,)).claims

    plain = 0.75 * PRIOR_IF_FAITHFUL + 0.25 * PRIOR_IF_UNFAITHFUL
    assert scored.score is not None
    assert scored.score < plain
    assert scored.faithfulness == ENTAILED


# --- a calibrator -------------------------------------------------------------------------------


def test_with_a_calibrator_the_score_is_a_probability_with_its_parts() -> None:
    made = calibrator()

    (claim,) = of_text(
        Scoring(LEXICAL, calibrator=made), judged(ENTAILED, passages=(PASSAGE,))
    ).claims

    f, g = made.faithful.base_rate, made.unfaithful.base_rate
    assert (claim.p_true_if_faithful, claim.p_true_if_unfaithful) == (f, g)
    assert claim.p_true == claim.score == pytest.approx(0.75 * f + 0.25 * g)
    assert f == pytest.approx(0.75)
    assert g == pytest.approx(0.25)
    assert claim.calibrated is True


def test_a_branch_that_is_no_curve_says_what_it_is() -> None:
    (claim,) = of_text(
        Scoring(LEXICAL, calibrator=calibrator()), judged(ENTAILED, passages=(PASSAGE,))
    ).claims

    assert {name: claim.reasons[name] for name in P_TRUE[1:]} == {
        "p_true_if_faithful": "base_rate",
        "p_true_if_unfaithful": "base_rate",
    }


def test_a_calibrator_does_not_make_up_a_probability_for_what_nobody_judged() -> None:
    broken = judged(passages=(PASSAGE,))[0], ModelUnavailable("The judge is away.")

    (claim,) = of_text(Scoring(LEXICAL, calibrator=calibrator()), broken).claims

    assert (claim.score, claim.p_true, claim.calibrated) == (None, None, False)


@pytest.mark.parametrize(
    ("scoring", "made_with"),
    [(SCORING, PLAIN), (WITH_MODEL, RESCORED)],
    ids=["without a model", "with a model"],
)
def test_who_makes_the_numbers_is_named(scoring: Scoring, made_with: MadeWith) -> None:
    assert scoring.made_with == made_with


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (replace(PLAIN, faithfulness="another judge"), "faithfulness by 'another judge'"),
        (RESCORED, "uf by 'max_probability'.*uu by 'parametric_knowledge'.*model by 'tiny'"),
    ],
    ids=["another judge", "of a model"],
)
def test_a_calibrator_of_other_estimators_is_refused_by_name(other: MadeWith, named: str) -> None:
    with pytest.raises(CalibrationError, match=named):
        Scoring(LEXICAL, calibrator=calibrator(other))


def test_costs_weigh_no_scores_that_are_no_probabilities() -> None:
    with pytest.raises(CalibrationError, match="without a calibrator no score is one"):
        Scoring("lexical", costs=Costs())


def test_the_last_sentence_alone_is_scored_behind_what_was_said_as_the_whole_would_be() -> None:
    second, words = "Oslo is old.", (" Oslo", " is", " old.")
    made = draft(said(), said(second), passages=(PASSAGE,))
    behind = replace(prompt(), answer=f" {TEXT}")

    alone = follow(
        WITH_MODEL.of_last(QUESTION, made),
        [
            rescored(behind, -0.1, -0.2, -0.3, words=words),
            judged(NO_EVIDENCE, claims=(second,), passages=(PASSAGE,)),
        ],
    )
    whole = follow(
        WITH_MODEL.of_draft(QUESTION, made),
        [
            rescored(prompt(), *[-1.0] * 6, -0.1, -0.2, -0.3, words=WORDS + words),
            judged(ENTAILED, NO_EVIDENCE, claims=(TEXT, second), passages=(PASSAGE,)),
        ],
    )

    assert alone == whole.claims[1]
    assert alone.uu is not None


def test_without_a_model_the_last_sentence_is_judged_alone() -> None:
    made = draft(said("Oslo is old."), said(), passages=(PASSAGE,))

    alone = follow(SCORING.of_last(QUESTION, made), [judged(ENTAILED, passages=(PASSAGE,))])

    assert (alone.faithfulness, alone.uf, alone.uu) == (ENTAILED, None, None)
