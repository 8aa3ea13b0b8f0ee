from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from averment.claims.alignment import StatedClaim, align_claims
from averment.claims.atomic import atomic_claims
from averment.claims.rules import RulesExtractor
from averment.text import Span
from averment.types import Token

ANSWER = "Kumbasaram was directed by Haneef in 2017. He was born in Zurich."


def test_each_fact_is_a_claim_that_names_its_subject() -> None:
    claims = atomic_claims(ANSWER, RulesExtractor())

    assert [claim.text for claim in claims] == [
        "Kumbasaram was directed by Haneef",
        "Kumbasaram was directed in 2017",
        "Haneef was born in Zurich",
    ]


def test_a_claim_stands_from_its_head_or_pronoun_to_its_tail() -> None:
    claims = atomic_claims(ANSWER, RulesExtractor())

    assert [ANSWER[claim.start : claim.end] for claim in claims] == [
        "Kumbasaram was directed by Haneef",
        "Kumbasaram was directed by Haneef in 2017",
        "He was born in Zurich",
    ]


def test_claims_find_their_tokens_by_their_place() -> None:
    tokens = [Token(text, -0.1) for text in ANSWER.replace(" ", "| ").split("|")]

    claims = atomic_claims(ANSWER, RulesExtractor())
    aligned = align_claims(
        ANSWER, tokens, [StatedClaim(claim.text, Span(claim.start, claim.end)) for claim in claims]
    )

    assert [each.unaligned for each in aligned] == [None, None, None]
    assert "".join(tokens[at].text for at in aligned[2].claim.tokens) == " He was born in Zurich."


def test_what_cannot_be_taken_apart_is_one_claim() -> None:
    [claim] = atomic_claims("Water is wet.", RulesExtractor())

    assert (claim.text, claim.triplet, claim.silent) == ("Water is wet.", None, None)


def test_what_claims_nothing_says_by_which_rule() -> None:
    [claim] = atomic_claims("So the answer is Haneef.", RulesExtractor())

    assert (claim.triplet, claim.silent) == (None, "conclusion")


def test_a_role_is_put_the_right_way_round() -> None:
    [claim] = atomic_claims("The capital of France is Paris.", RulesExtractor())

    assert claim.text == "The capital of France is Paris"


def test_greetings_and_questions_are_left_out() -> None:
    assert atomic_claims("Hello! Who directed Vetham?", RulesExtractor()) == []


@given(st.text(max_size=80) | st.sampled_from([ANSWER, "It. He. He was Haneef of Zurich."]))
def test_every_claim_stands_in_the_answer(answer: str) -> None:
    for claim in atomic_claims(answer, RulesExtractor()):
        assert 0 <= claim.start < claim.end <= len(answer)
