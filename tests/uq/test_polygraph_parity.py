"""averment's estimators beside lm-polygraph's, on inputs and numbers of bench/uq_parity.

The first tests hold them equal where its code is right. Each of the others is named after a place
where it is not, and shows both numbers. `make_reference.py` there makes the numbers anew.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from averment.claims.alignment import StatedClaim, Unaligned, align_claims
from averment.text import Span
from averment.types import Token
from averment.uq import pairs
from averment.uq.ccp import ccp
from averment.uq.estimator import Absence, Absent
from averment.uq.meaning import semantic_entropy
from averment.uq.records import Alternative, ClaimSpan, Nli, Record, Sample, TruthReply
from averment.uq.registry import ESTIMATORS, estimator
from conftest import REPOSITORY

REFERENCE = json.loads(
    (REPOSITORY / "bench" / "uq_parity" / "reference.json").read_text(encoding="utf-8")
)
DEPARTURES = REFERENCE["departures"]
ENTAILS, CONTRADICTS = Nli(1, 0, 0), Nli(0, 0, 1)


# --- where both are right -------------------------------------------------------------------------


def nli_rows(rows: Any) -> tuple[Any, ...]:
    return tuple(tuple(Nli(*judgement) for judgement in row) for row in rows)


def record_of(given: dict[str, Any]) -> Record:
    texts, logprobs = given["tokens"], given["logprobs"]
    alternatives = zip(given["alternatives"], given["forward"], given["backward"], strict=True)
    return Record(
        "Which city?",
        "".join(texts),
        tokens=tuple(map(Token, texts, logprobs)),
        alternatives=tuple(
            tuple(
                Alternative(other["text"], other["logprob"], Nli(*ahead), Nli(*back))
                for other, ahead, back in zip(*position, strict=True)
            )
            for position in alternatives
        ),
        entropies=tuple(
            -float((np.exp(row) * row).sum()) for row in np.array(given["log_distributions"])
        ),
        tokens_without_prompt=tuple(map(Token, texts, given["logprobs_without_prompt"])),
        similarity_without_token=tuple(given["similarity_without_token"]),
        p_true=TruthReply(given["p_true"]),
        samples=tuple(
            Sample(
                sample["text"],
                tuple(map(Token, sample["text"].split(), sample["logprobs"])),
                similarity_without_token=tuple(sample["similarity_without_token"]),
            )
            for sample in given["samples"]
        ),
        sample_nli=nli_rows(given["sample_nli"]),
        sample_similarity=tuple(map(tuple, given["sample_similarity"])),
        nli_model="given",
        similarity_model="given",
    )


def claims_of(given: dict[str, Any]) -> list[ClaimSpan]:
    rows = zip(given["claims"], given["claim_p_true"], given["claim_nli"], strict=True)
    return [
        ClaimSpan(tuple(tokens), "a claim", TruthReply(p_true), tuple(Nli(*row) for row in nli))
        for tokens, p_true, nli in rows
    ]


def minus_product(nats: float) -> float:
    """CCP as lm-polygraph gives it: minus the product, which is ours as minus a logarithm."""
    return -math.exp(-nats)


ON_ANSWERS: dict[str, Callable[[float], float]] = {
    name: minus_product if name == "ccp" else lambda ours: ours
    for name in REFERENCE["outputs"]
    if name != "semantic_entropy_repeats_add"
}
ON_CLAIMS = dict.fromkeys(set(REFERENCE["claim_outputs"]) - {"pmi"}, lambda ours: ours) | {
    "ccp": minus_product
}
WITHOUT_A_COUNTERPART = {
    "mean_token_entropy_top",  # of listed alternatives instead of the vocabulary
    "max_token_entropy_top",
    "parametric_knowledge",  # FRANQ's; a probability of the answer without the passages
}


def test_every_estimator_is_compared_but_for_those_that_it_does_not_have() -> None:
    assert set(ON_ANSWERS) | set(ON_CLAIMS) == set(ESTIMATORS) - WITHOUT_A_COUNTERPART


@pytest.mark.parametrize("name", sorted(ON_ANSWERS))
def test_an_answer_scores_the_same(name: str) -> None:
    records = map(record_of, REFERENCE["inputs"])

    ours = [ON_ANSWERS[name](value(estimator(name).score(record))) for record in records]

    assert ours == pytest.approx(REFERENCE["outputs"][name], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", sorted(ON_CLAIMS))
def test_a_claim_scores_the_same(name: str) -> None:
    ours = [
        ON_CLAIMS[name](value(estimator(name).score(record_of(given), claim)))
        for given in REFERENCE["inputs"]
        for claim in claims_of(given)
    ]

    theirs = [number for numbers in REFERENCE["claim_outputs"][name] for number in numbers]
    assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-12)


def value(scored: float | Absent) -> float:
    assert isinstance(scored, float), scored
    return scored


# --- where it is not right: tokens ----------------------------------------------------------------


def ccp_record(texts: list[str], *, nats: float | None = None) -> Record:
    """One token with an alternative that contradicts it, and certain tokens after it."""
    own, other = (-1.0, -0.5) if nats is None else (-nats, -1e-9)
    alternative = Alternative(" bern", other, CONTRADICTS, CONTRADICTS)
    harmless = Alternative(" x", -50.0, ENTAILS, ENTAILS)
    return Record(
        "Where?",
        "".join(texts),
        tokens=(Token(texts[0], own), *(Token(text, 0.0) for text in texts[1:])),
        alternatives=((alternative,), *(((harmless,),) * (len(texts) - 1))),
        nli_model="given",
    )


def ccp_of(name: str) -> tuple[float, float]:
    """Our CCP and theirs, both as theirs is given."""
    given = DEPARTURES[name]
    record = ccp_record(given["tokens"])
    claim = ClaimSpan(tuple(range(len(record.tokens))))
    ours = ccp(record, claim, function_words=frozenset(given["function_words"]))
    return minus_product(ours), given["theirs"]


WEIGHED = -math.exp(-1.0) / (math.exp(-1.0) + math.exp(-0.5))


def test_ccp_of_hopeless_claims_is_told_apart() -> None:
    nats = DEPARTURES["ccp_saturates"]["ccp_nats"]

    ours = [value(estimator("ccp").score(ccp_record([" oslo"], nats=each))) for each in nats]

    assert ours == pytest.approx([800.0, 900.0])
    assert DEPARTURES["ccp_saturates"]["theirs"] == [0.0, 0.0]


@pytest.mark.parametrize("name", ["ccp_function_word_with_blank", "ccp_function_word_with_capital"])
def test_ccp_knows_a_function_word_with_a_blank_or_a_capital(name: str) -> None:
    ours, theirs = ccp_of(name)

    assert ours == -1.0  # no alternative counts
    assert theirs == pytest.approx(WEIGHED)


def test_ccp_takes_no_piece_of_a_word_for_a_function_word() -> None:
    ours, theirs = ccp_of("ccp_piece_of_a_word")

    assert ours == pytest.approx(WEIGHED)  # "in" of "indiana"
    assert theirs == -1.0


def test_ccp_counts_a_negation() -> None:
    given = DEPARTURES["ccp_negation"]

    ours = minus_product(value(estimator("ccp").score(ccp_record(given["tokens"]))))

    assert ours == pytest.approx(WEIGHED)
    assert given["theirs"] == -1.0  # NLTK's list, which it takes, holds "not"


def test_pmi_of_a_claim_is_a_mean_and_leaves_its_input_alone() -> None:
    given = DEPARTURES["claim_pmi_is_a_sum"]
    record = Record(
        "Where?",
        "a b",
        tokens=tuple(map(Token, ["a", " b"], given["logprobs"])),
        tokens_without_prompt=tuple(map(Token, ["a", " b"], given["without_prompt"])),
    )

    ours = value(estimator("pmi").score(record, ClaimSpan((0, 1))))

    assert ours == -1.0 == value(estimator("pmi").score(record))
    assert given["theirs"] == -2.0
    assert given["without_prompt_afterwards"] != given["without_prompt"]


@pytest.mark.parametrize("at", range(len(REFERENCE["inputs"])))
def test_pmi_of_a_claim_is_theirs_over_its_number_of_tokens(at: int) -> None:
    given = REFERENCE["inputs"][at]

    ours = [value(estimator("pmi").score(record_of(given), claim)) for claim in claims_of(given)]

    sums = [mean * len(tokens) for mean, tokens in zip(ours, given["claims"], strict=True)]
    assert sums == pytest.approx(REFERENCE["claim_outputs"]["pmi"][at], rel=1e-9)


def test_pmi_compares_a_token_with_its_own_probability() -> None:
    given = DEPARTURES["pmi_reads_the_next_token"]
    after, tokens = given["log_distribution_after_each_token"], given["tokens"]

    own = [after[at - 1][tokens[at]] for at in (1, 2)]
    of_the_next = [after[at][tokens[at]] for at in (1, 2)]

    assert given["theirs"][1:] == of_the_next
    assert own == pytest.approx([-0.1698, -0.0550], abs=1e-4)
    assert of_the_next == pytest.approx([-5.0550, -4.0659], abs=1e-4)


def test_token_sar_without_relevance_is_refused() -> None:
    record = Record(
        "Where?",
        "a b",
        tokens=(Token("a", -1.0), Token(" b", -2.0)),
        similarity_without_token=(1.0, 1.0),
        similarity_model="given",
    )

    ours = estimator("token_sar").score(record)

    assert isinstance(ours, Absent)
    assert ours.reason is Absence.UNDEFINED
    assert DEPARTURES["token_sar_without_relevance"]["theirs"] == "nan"


def test_a_claim_without_tokens_has_a_reason_instead_of_an_exception() -> None:
    record = Record("Where?", "a", tokens=(Token("a", -1.0),))

    ours = estimator("max_probability").score(record, ClaimSpan(()))

    assert isinstance(ours, Absent)
    assert ours.reason is Absence.EMPTY_SPAN
    assert DEPARTURES["claim_without_tokens"]["theirs"] == "IndexError"


def test_nan_is_no_certainty() -> None:
    given = DEPARTURES["nan_becomes_certain"]
    record = Record("Where?", "a", tokens=(Token("a", float("nan")),))

    ours = estimator("max_probability").score(record)

    assert isinstance(ours, Absent)
    assert ours.reason is Absence.INVALID_INPUT
    assert given["theirs"] == [-1e7, 1.0]  # more certain than anything


# --- where it is not right: samples ---------------------------------------------------------------


def sampled(texts: list[str], judgement: Any = None, **more: Any) -> Record:
    """Samples that are all judged alike against each other."""
    n_samples = len(texts)
    rows = ((judgement,) * n_samples,) * n_samples if judgement else ()
    logprobs = more.pop("logprobs", [None] * n_samples)
    drawn = tuple(Sample(text, logprob=each) for text, each in zip(texts, logprobs, strict=True))
    named = {"nli_model": "given", "similarity_model": "given"}
    return Record("Where?", "a", samples=drawn, sample_nli=rows, **named, **more)


def test_a_sample_is_like_itself_whatever_the_judge_says() -> None:
    given = DEPARTURES["degree_matrix_reads_the_diagonal"]
    record = Record(
        "Where?",
        "a",
        samples=(Sample("a"), Sample("b")),
        sample_nli=nli_rows(given["sample_nli"]),
        nli_model="given",
    )

    ours = value(estimator("degree_matrix").score(record))

    assert ours == 0.0  # both samples entail each other
    assert given["theirs"] == pytest.approx(0.2)


def test_samples_that_are_like_nothing_have_as_many_meanings_as_samples() -> None:
    given = DEPARTURES["sum_of_eigenvalues_without_any_likeness"]
    record = sampled(["a", "b"], Nli(*given["sample_nli"][0][1]))

    ours = value(estimator("sum_of_eigenvalues").score(record))

    assert ours == pytest.approx(2.0)
    assert given["theirs"] == "LinAlgError"


def test_semantic_entropy_of_a_repeated_text_is_not_below_zero() -> None:
    given = DEPARTURES["semantic_entropy_adds_repeats"]
    record = sampled(given["texts"], ENTAILS, logprobs=given["sample_logprobs"])

    ours = value(estimator("semantic_entropy").score(record))

    assert ours == pytest.approx(0.1)
    assert given["theirs"] == pytest.approx(0.1 - math.log(2))
    assert semantic_entropy(record, repeats_add=True) == pytest.approx(given["theirs"])


@pytest.mark.parametrize("at", range(len(REFERENCE["inputs"])))
def test_semantic_entropy_that_adds_repeats_can_be_had_to_compare(at: int) -> None:
    record = record_of(REFERENCE["inputs"][at])

    ours = semantic_entropy(record, repeats_add=True)

    theirs = REFERENCE["outputs"]["semantic_entropy_repeats_add"][at]
    assert ours == pytest.approx(theirs, rel=1e-9)


def test_luq_of_a_sure_judge_does_not_overflow() -> None:
    given = DEPARTURES["luq_overflows"]
    assert given["entailment_logits"] > given["contradiction_logits"]

    ours = value(estimator("luq").score(sampled(["a", "b"], ENTAILS)))

    assert ours == 0.0
    assert given["theirs"] == "nan"


def test_lexical_similarity_takes_words_as_they_are() -> None:
    given = DEPARTURES["lexical_similarity_stems"]

    ours = value(estimator("lexical_similarity").score(sampled(given["texts"])))

    assert ours == 0.0  # "directed" is not "directing"
    assert given["theirs"] == -1.0


def test_lexical_similarity_reads_every_script() -> None:
    given = DEPARTURES["lexical_similarity_other_scripts"]

    ours = value(estimator("lexical_similarity").score(sampled(given["texts"])))

    assert ours == -1.0  # the same word twice
    assert given["theirs"] == 0.0


@pytest.mark.parametrize("name", ["jaccard_punctuation", "jaccard_empty"])
def test_jaccard_of_the_same_words_is_one(name: str) -> None:
    given = DEPARTURES[name]

    ours = value(estimator("degree_matrix_jaccard").score(sampled(given["texts"])))

    assert ours == 0.0
    assert given["theirs"] == 0.5


def sentence_sar_of(name: str) -> tuple[float, float | str]:
    given = DEPARTURES[name]
    likeness = given["similarity"]
    record = sampled(
        ["a", "b"],
        logprobs=given["sample_logprobs"],
        sample_similarity=((1.0, likeness), (likeness, 1.0)),
    )
    return value(estimator("sentence_sar").score(record)), given["theirs"]


def test_sentence_sar_of_long_samples_does_not_underflow() -> None:
    ours, theirs = sentence_sar_of("sentence_sar_underflows")

    shared = 800.0 - math.log(500)  # of the second sample, whose own probability adds nothing
    assert ours == pytest.approx((800.0 + shared) / 2)
    assert theirs == "inf"


def test_sentence_sar_of_unlike_samples_counts_each_for_itself() -> None:
    ours, theirs = sentence_sar_of("sentence_sar_negative_similarity")

    assert ours == pytest.approx(1.0)
    assert theirs == "nan"


def test_frequency_scoring_takes_no_side_in_a_tie() -> None:
    given = DEPARTURES["frequency_scoring_breaks_ties"]
    record = Record("Where?", "a", samples=(Sample("a"),), nli_model="given")
    claim = ClaimSpan((), "a", nli=(Nli(*given["claim_nli"][0]),))

    ours = value(estimator("frequency_scoring").score(record, claim))

    assert ours == 0.0
    assert given["theirs"] == -1.0  # the class that it lists first


def test_samples_are_judged_as_answers_to_the_question() -> None:
    shown: list[tuple[str, str]] = []

    def judge(asked: pairs.Pairs) -> list[Nli]:
        shown.extend(asked)
        return [ENTAILS] * len(asked)

    pairs.judge_samples(sampled(["Oslo", "in Oslo"]), judge, model="given")

    assert shown == [("Where? Oslo", "Where? in Oslo"), ("Where? in Oslo", "Where? Oslo")]
    assert ["Oslo", "in Oslo"] in DEPARTURES["semantic_sets_without_question"]["theirs"]


# --- where it is not right: claims ----------------------------------------------------------------


def token_texts(in_hex: list[str]) -> list[str]:
    """The texts of tokens that are bytes: a character goes to the token that completes it."""
    texts, done = [], b""
    for piece in map(bytes.fromhex, in_hex):
        done += piece
        try:
            texts.append(done.decode())
        except UnicodeDecodeError:
            texts.append("")
        else:
            done = b""
    return texts


def aligned(name: str, claim: str) -> tuple[tuple[int, ...], list[Any]]:
    """The tokens of a claim here, and what they make of the answer there."""
    given = DEPARTURES[name]
    tokens = [Token(text, -1.0) for text in token_texts(given["tokens_in_hex"])]
    (found,) = align_claims(given["answer"], tokens, [StatedClaim(claim)])
    assert found.unaligned is None
    return found.claim.tokens, given["theirs"]


def test_a_decimal_point_cuts_no_claim() -> None:
    ours, theirs = aligned("claims_decimal", "it cost 3.5 million")

    assert ours == (1, 2, 3, 4, 5)
    assert theirs == [{"sentence": "It cost 3", "tokens": [0, 1]}]


def test_a_last_sentence_without_a_mark_keeps_its_claim() -> None:
    ours, theirs = aligned("claims_unfinished_sentence", "Oslo is big")

    assert ours == (0, 1, 2)
    assert theirs == []


def test_a_claim_in_another_case_is_found() -> None:
    ours, theirs = aligned("claims_case", "the city")

    assert ours == (1,)
    assert theirs == []


def test_a_character_over_several_tokens_is_carried_by_all_of_them() -> None:
    given = DEPARTURES["claims_split_character"]
    tokens = [Token(text, -1.0) for text in token_texts(given["tokens_in_hex"])]
    castle = given["answer"].index("🏰")

    (found,) = align_claims(given["answer"], tokens, [StatedClaim("🏰", Span(castle, castle + 1))])

    assert found.claim.tokens == (1, 2)
    assert given["theirs"] == []


def test_a_claim_that_is_not_found_is_returned() -> None:
    given = DEPARTURES["claims_case"]

    (found,) = align_claims(given["answer"], [Token(given["answer"], -1.0)], [StatedClaim("x y")])

    assert (found.claim.text, found.unaligned) == ("x y", Unaligned.UNALIGNED)


def test_the_prompt_that_asks_for_truth_holds_the_claim() -> None:
    (prompt,) = DEPARTURES["claims_decimal"]["prompts_for_truth"]
    record = Record("Where?", "It cost 3.5 million.")
    claim = ClaimSpan((), "It cost 3.5 million", TruthReply(-0.1, prompt))

    ours = estimator("p_true").score(record, claim)

    assert isinstance(ours, Absent)
    assert ours.reason is Absence.UNALIGNED
    assert "Claim(claim_text='the claim'" in prompt  # a printed object
