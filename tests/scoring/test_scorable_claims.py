"""What of an answer is held against passages, and where it stands in it."""

from __future__ import annotations

import pytest

from averment.scoring.claims import ScorableClaim, answer_text, claims_of
from averment.types import Draft, Sentence, Support, Token, Triplet, Verdict
from scoring.scoring_by_hand import QUESTION, TEXT, TRIPLET, checked


def draft(*sentences: Sentence) -> Draft:
    return Draft(sentences, "", (), Verdict.ANSWERED, None)


def said(text: str) -> Sentence:
    return Sentence(text, Support.UNKNOWN)


def test_each_sentence_is_a_claim_that_points_into_the_answer() -> None:
    made = draft(said("Oslo is old 😀."), said(TEXT))

    claims = claims_of(QUESTION, made)

    answer = answer_text(made)
    assert answer == f"Oslo is old 😀. {TEXT}"
    assert [answer[c.start : c.end] for c in claims] == [c.text for c in claims]


def test_an_answer_without_sentences_claims_nothing() -> None:
    assert claims_of(QUESTION, draft()) == []


@pytest.mark.parametrize(
    ("sentence", "claimed"),
    [
        pytest.param(TEXT, TEXT, id="a sentence"),
        pytest.param("So the answer is Norway.", f"{QUESTION.text} Norway", id="a short answer"),
        pytest.param(
            "Oslo is in Norway, so the answer is Norway.", "Oslo is in Norway", id="a reason first"
        ),
        pytest.param("So the answer is unknown.", "", id="no answer"),
        pytest.param("So the answer is", "So the answer is", id="broken off"),
    ],
)
def test_what_a_sentence_claims(sentence: str, claimed: str) -> None:
    (claim,) = claims_of(QUESTION, draft(said(sentence)))

    assert claim.text == claimed
    assert (claim.start, claim.end) == (0, len(sentence))


def test_a_claim_brings_its_relations_their_counts_and_its_tokens() -> None:
    of_question = checked(triplet=Triplet("Oslo", "", "Norway"))
    tokens = (Token(" Norway.", -0.5),)
    sentence = Sentence(TEXT, Support.PRESENT, checks=(checked(), of_question), tokens=tokens)

    (claim,) = claims_of(QUESTION, draft(sentence))

    assert claim == ScorableClaim(TEXT, 0, len(TEXT), (checked(), of_question), tokens)
    assert claim.triplets == (TRIPLET,)
