"""Second looks of the model, by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from answers_by_hand import known_record, tokens, whole_claim

from averment.types import Token
from averment.uq.estimator import Absence, Absent
from averment.uq.records import WHOLE, ClaimSpan, Record, TruthReply
from averment.uq.registry import estimator

OWN = tokens(-1.0, -2.0, -3.0)
ALONE = tokens(-9.0, -4.0, -8.0)
RECORD = Record(
    "q",
    "a",
    tokens=OWN,
    entropies=(2.0, 0.01, 2.0),
    tokens_without_context=ALONE,
    tokens_without_prompt=ALONE,
)


def test_parametric_knowledge_sums_the_tokens_of_the_claim_without_the_passages() -> None:
    method = estimator("parametric_knowledge")

    assert method.score(RECORD, WHOLE) == pytest.approx(21.0)
    assert method.score(RECORD, ClaimSpan((1, 2))) == pytest.approx(12.0)


def test_re_scoring_with_the_same_prompt_gives_the_claim_probability() -> None:
    record = replace(RECORD, tokens_without_context=OWN)

    again = estimator("parametric_knowledge").score(record)

    assert again == estimator("max_probability").score(record)


@pytest.mark.parametrize("printed", [3.5e-15, 0.05, 3.8e-15])
def test_the_probability_of_the_papers_examples_is_the_exponential(printed: float) -> None:
    # FRANQ's worked examples print p(claim | question), which is exp(-uncertainty).
    record = replace(RECORD, tokens_without_context=tokens(*[math.log(printed) / 3] * 3))

    uncertainty = estimator("parametric_knowledge").score(record)

    assert isinstance(uncertainty, float)
    assert math.exp(-uncertainty) == pytest.approx(printed)


@pytest.mark.parametrize("name", ["parametric_knowledge", "pmi", "conditional_pmi"])
def test_other_tokens_for_the_same_text_are_unaligned(name: str) -> None:
    other = (Token(" w", -1.0), Token("0 w1", -1.0), Token(" w2", -1.0))
    record = replace(RECORD, tokens_without_context=other, tokens_without_prompt=other)

    absent = estimator(name).score(record)

    assert isinstance(absent, Absent)
    assert absent.reason is Absence.UNALIGNED


def test_pmi_by_hand() -> None:
    # l - u: -1 - 0 (nothing stands before the first), -2 + 4, -3 + 8
    assert estimator("pmi").score(RECORD, WHOLE) == pytest.approx(-(-1 + 2 + 5) / 3)
    assert estimator("pmi").score(RECORD, ClaimSpan((1, 2))) == pytest.approx(-3.5)


def test_pmi_compares_each_token_with_itself() -> None:
    # lm-polygraph read the probability of a neighbour; then this is not 0.
    record = replace(RECORD, tokens_without_prompt=OWN)

    assert estimator("pmi").score(record, ClaimSpan((1, 2))) == 0


def test_the_first_token_without_prompt_is_not_read() -> None:
    record = replace(RECORD, tokens_without_prompt=(Token(" w0", None), *ALONE[1:]))

    assert estimator("pmi").score(record) == estimator("pmi").score(RECORD)


def test_conditional_pmi_subtracts_only_where_the_model_was_undecided() -> None:
    # Token 1 has an entropy below the threshold, token 0 is the first.
    expected = -(-1.0 - 2.0 + (-3.0 + 3.599 * 8.0)) / 3

    assert estimator("conditional_pmi").score(RECORD) == pytest.approx(expected)


def test_scoring_claims_leaves_the_record_as_it_was() -> None:
    # lm-polygraph sets the first entry of its input to 0.
    record = known_record()

    for name in ("pmi", "conditional_pmi"):
        estimator(name).score(record, whole_claim(record))

    assert record == known_record()


def test_p_true_is_the_negative_log_probability_of_true() -> None:
    record = Record("q", "Oslo is cold.", p_true=TruthReply(-0.25))
    claim = ClaimSpan((), "Oslo is cold", p_true=TruthReply(-3.0))

    assert estimator("p_true").score(record, WHOLE) == 0.25
    assert estimator("p_true").score(record, claim) == 3.0


def test_p_true_refuses_a_prompt_that_does_not_hold_the_claim() -> None:
    # lm-polygraph prints the claim object into the prompt.
    prompt = "Is it true? Claim(claim_text=..., aligned_token_ids=[1, 2])"
    claim = ClaimSpan((), "Oslo is cold", p_true=TruthReply(-3.0, prompt))

    absent = estimator("p_true").score(Record("q", "a"), claim)

    assert isinstance(absent, Absent)
    assert absent.reason is Absence.UNALIGNED
