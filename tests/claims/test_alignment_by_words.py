"""Claims in other words than the answer's, and where they are found in it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from averment.claims.alignment import Alignment, StatedClaim, Unaligned, align_claims
from averment.types import Token

ANSWER = (
    "Kumbasaram is a film from St. Louis. It was directed by Haneef in 2017. "
    "It cost 3.5 million dollars.\n- It won no prize\n- Nobody saw it"
)


def by_words(claim: str, answer: str = ANSWER, **options: float) -> Alignment:
    (aligned,) = align_claims(answer, [Token(answer, -1.0)], [StatedClaim(claim)], **options)
    return aligned


def carried(claim: str, answer: str = ANSWER) -> list[str]:
    """The stretches of the answer that carry the claim."""
    return [answer[span.start : span.end] for span in by_words(claim, answer).spans]


def test_a_claim_is_found_in_its_best_sentence() -> None:
    assert carried("The prize was not won: it won no prize.") == ["won no prize"]


def test_a_claim_may_have_words_in_several_sentences() -> None:
    # The pronoun was replaced by what it stands for.
    assert carried("Kumbasaram was directed by Haneef.") == ["Kumbasaram", "directed by Haneef"]


def test_words_without_content_between_matched_words_belong_to_the_claim() -> None:
    assert carried("Haneef directed it in 2017") == ["directed by Haneef in 2017"]


def test_what_turns_a_claim_is_a_content_word() -> None:
    assert carried("it won a prize") == ["won", "prize"]
    assert carried("it won no prize") == ["won no prize"]


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        pytest.param("It cost 3.5 million dollars", ["cost 3.5 million dollars"], id="decimal"),
        pytest.param("a film from St. Louis", ["film from St. Louis"], id="abbreviation"),
        pytest.param("nobody saw it", ["Nobody saw"], id="last_sentence_without_a_mark"),
        pytest.param("KUMBASARAM: A FILM!", ["Kumbasaram is a film"], id="case_and_punctuation"),
    ],
)
def test_traps_of_the_other_matcher_lose_no_claim(claim: str, expected: list[str]) -> None:
    assert carried(claim) == expected


@pytest.mark.parametrize(
    ("answer", "claim"),
    [
        pytest.param("Malaga lies in Spain.", "Málaga lies in Spain", id="accents"),
        pytest.param("Ma\u0301laga lies in Spain.", "M\u00e1laga lies in Spain", id="normal_forms"),
        pytest.param("Die STRASSE liegt dort.", "die Straße liegt dort", id="full_case_folding"),
        pytest.param("Оно лежит в Осло.", "оно лежит в осло", id="cyrillic"),
        pytest.param("東京は日本の首都です。", "東京は日本の首都", id="without_blanks"),
        pytest.param(
            "“Nevada’s capital” is Carson City", "Nevada's capital is Carson City", id="quotes"
        ),
    ],
)
def test_writing_it_otherwise_makes_no_other_claim(answer: str, claim: str) -> None:
    aligned = by_words(claim, answer)

    assert aligned.unaligned is None
    (only,) = aligned.spans
    assert only.end - only.start >= len(answer) - 4


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        pytest.param("Bergman made Persona in Sweden", Unaligned.UNALIGNED, id="of_another_answer"),
        pytest.param("Haneef was born in Kochi, India", Unaligned.UNALIGNED, id="one_word_of_four"),
        pytest.param("It is what it is.", Unaligned.NO_CONTENT_WORDS, id="function_words"),
        pytest.param("…", Unaligned.NO_CONTENT_WORDS, id="no_words"),
        pytest.param("", Unaligned.NO_CONTENT_WORDS, id="empty"),
    ],
)
def test_what_cannot_be_found_is_returned_with_the_reason(claim: str, reason: Unaligned) -> None:
    aligned = by_words(claim)

    assert (aligned.claim.text, aligned.claim.tokens) == (claim, ())
    assert aligned.unaligned is reason


def test_how_many_words_must_be_found_can_be_asked_for() -> None:
    claim = "Haneef directed Persona in Sweden"

    assert by_words(claim).unaligned is None
    assert by_words(claim, least_share=0.75).unaligned is Unaligned.UNALIGNED


def test_claims_come_back_in_their_order_and_none_is_left_out() -> None:
    texts = ["Nobody saw it", "nothing of this", "It won no prize", "Nobody saw it"]

    aligned = align_claims(ANSWER, [Token(ANSWER, -1.0)], map(StatedClaim, texts))

    assert [each.claim.text for each in aligned] == texts
    assert aligned[0].spans == aligned[3].spans


def test_a_repeated_word_is_matched_once() -> None:
    assert carried("Oslo is Oslo", "Oslo is big. Riga is not.") == ["Oslo"]


@pytest.mark.data
def test_claims_of_real_answers_are_found_in_the_sentence_they_were_made_from(
    shared_data: Path,
) -> None:
    path = shared_data / "faithfulness" / "factcheckgpt_benchmark.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    made_from = [  # (answer, start and end of the sentence, claim)
        (row["response"], start, start + len(sentence["text"].strip()), claim)
        for row in rows
        for sentence in row["sentences"].values()
        if (start := row["response"].find(sentence["text"].strip())) >= 0
        for claim in sentence.get("claims") or ()
    ]

    found = [(by_words(claim, answer), start, end) for answer, start, end, claim in made_from]

    n_found = sum(each.unaligned is None for each, _, _ in found)
    in_sentence = [
        any(start <= span.start < end for span in each.spans) for each, start, end in found
    ]
    n_claims, n_in_sentence = len(found), sum(in_sentence)
    assert n_claims > 400
    assert n_found / n_claims > 0.98
    assert n_in_sentence / n_claims > 0.98
