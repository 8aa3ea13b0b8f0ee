"""Claims that know where they stand, and the tokens that overlap them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.claims.alignment import StatedClaim, Unaligned, align_claims
from averment.errors import MalformedReply
from averment.text import Span
from averment.types import Token
from averment.uq.records import Record
from averment.uq.registry import estimator


def tokens(*texts: str) -> list[Token]:
    return [Token(text, -1.0) for text in texts]


def cut(text: str, lengths: list[int]) -> list[Token]:
    """The text in tokens of those lengths, some of them empty, and the rest."""
    made, start = [], 0
    for length in lengths:
        made.append(Token(text[start : start + length], -1.0))
        start += length
    return [*made, Token(text[start:], -1.0)]


def indices_of(answer: str, answer_tokens: list[Token], said: str) -> tuple[int, ...]:
    """Token indices of a claim that stands in the answer word for word."""
    start = answer.index(said)
    claim = StatedClaim(said, Span(start, start + len(said)))
    (aligned,) = align_claims(answer, answer_tokens, [claim])
    return aligned.claim.tokens


def test_a_claim_gets_the_tokens_that_overlap_it() -> None:
    answer_tokens = tokens("Oslo", " is", " big", ".", " Ri", "ga", " is", " small", ".")

    assert indices_of("Oslo is big. Riga is small.", answer_tokens, "Riga is small.") == (
        4,
        5,
        6,
        7,
        8,
    )


def test_a_token_with_a_leading_blank_is_in_and_one_of_blanks_only_is_not() -> None:
    answer = "A. \n Oslo is big."
    answer_tokens = tokens("A", ".", " \n", " Oslo", " is", " ", "big", ".")

    with_blanks = StatedClaim("Oslo is big.", Span(2, len(answer)))
    (aligned,) = align_claims(answer, answer_tokens, [with_blanks])

    assert aligned.claim.tokens == (3, 4, 5, 6, 7)
    assert aligned.spans == (Span(5, len(answer)),)


def test_a_decimal_point_ends_no_claim() -> None:
    answer_tokens = tokens("It", " cost", " 3", ".", "5", " million", ".", " Yes", ".")

    found = indices_of("It cost 3.5 million. Yes.", answer_tokens, "It cost 3.5 million.")

    assert found == (0, 1, 2, 3, 4, 5, 6)


def test_a_last_sentence_without_a_mark_is_not_dropped() -> None:
    answer = "Oslo is big. Riga is"

    found = indices_of(answer, tokens("Oslo is big", ".", " Riga", " is"), "Riga is")

    assert found == (2, 3)


def test_all_tokens_of_a_character_that_was_split_over_them_carry_it() -> None:
    # The bytes of the castle came in three tokens; adapters give the character to the last.
    answer = "Oslo 🏰 is old."
    answer_tokens = tokens("Oslo", " ", "", "", "🏰", " is", " old", ".")

    assert indices_of(answer, answer_tokens, "🏰 is") == (2, 3, 4, 5)
    assert indices_of(answer, answer_tokens, "is old") == (5, 6)


def test_offsets_are_code_points_beyond_the_basic_plane() -> None:
    answer = "𝒜𝒷 🏰🏰 Oslo lies there."
    answer_tokens = tokens("𝒜𝒷", " 🏰", "🏰", " Oslo", " lies", " there", ".")

    assert indices_of(answer, answer_tokens, "Oslo lies") == (3, 4)


@pytest.mark.parametrize(
    ("answer_tokens", "span", "expected"),
    [
        pytest.param(("cafe", "\u0301", " x"), Span(0, 4), (0, 1), id="mark_after_the_span"),
        pytest.param(("cafe", "\u0301", " x"), Span(4, 5), (0, 1), id="span_begins_with_a_mark"),
        pytest.param(("👩", "\u200d", "🚀", " x"), Span(0, 1), (0, 1, 2), id="joined_emoji"),
        pytest.param(("🏰", "\ufe0f", " x"), Span(0, 1), (0, 1), id="variation_selector"),
    ],
)
def test_a_span_is_never_cut_inside_a_character(
    answer_tokens: tuple[str, ...], span: Span, expected: tuple[int, ...]
) -> None:
    (aligned,) = align_claims(
        "".join(answer_tokens), tokens(*answer_tokens), [StatedClaim("it", span)]
    )

    assert aligned.claim.tokens == expected


@pytest.mark.parametrize(
    "span",
    [
        pytest.param(Span(0, 5), id="beyond_the_end"),
        pytest.param(Span(-1, 2), id="before_the_start"),
        pytest.param(Span(2, 2), id="empty"),
        pytest.param(Span(3, 1), id="backwards"),
        pytest.param(Span(1, 2), id="blank"),
    ],
)
def test_a_span_that_is_not_of_the_answer_is_said_to_be_so(span: Span) -> None:
    (aligned,) = align_claims("a b", tokens("a", " b"), [StatedClaim("a", span)])

    assert (aligned.claim.tokens, aligned.unaligned) == ((), Unaligned.OUTSIDE_ANSWER)
    assert aligned.claim.text == "a"


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(("Oslo is",), id="too_short"),
        pytest.param((" Oslo is big",), id="leading_blank"),
        pytest.param(("Oslo is big", "."), id="too_long"),
        pytest.param(("Oslo is bog",), id="another_word"),
    ],
)
def test_tokens_that_do_not_join_to_the_answer_are_refused(texts: tuple[str, ...]) -> None:
    with pytest.raises(MalformedReply, match="the answer has"):
        align_claims("Oslo is big", tokens(*texts), [])


def test_an_answer_without_tokens_leaves_the_claim_with_its_place_and_a_reason() -> None:
    (aligned,) = align_claims("Oslo is big.", [], [StatedClaim("Oslo is big.", Span(0, 12))])

    assert aligned.unaligned is Unaligned.NO_TOKENS
    assert (aligned.claim.tokens, aligned.spans) == ((), (Span(0, 12),))


def test_an_empty_answer_has_no_claim_anywhere() -> None:
    aligned = align_claims("", [], [StatedClaim("Oslo is big."), StatedClaim("x", Span(0, 1))])

    assert [each.unaligned for each in aligned] == [Unaligned.UNALIGNED, Unaligned.OUTSIDE_ANSWER]


def test_an_aligned_claim_can_be_scored() -> None:
    answer = "Oslo is big."
    answer_tokens = [Token("Oslo", -0.5), Token(" is", -0.25), Token(" big.", -2.0)]

    (aligned,) = align_claims(answer, answer_tokens, [StatedClaim("Oslo is", Span(0, 7))])
    record = Record("Where?", answer, tokens=tuple(answer_tokens))

    assert estimator("max_probability").score(record, aligned.claim) == pytest.approx(0.75)


@settings(deadline=None)
@given(
    st.text(alphabet="ab .\n\u0301\u200d🏰é", min_size=1, max_size=30),
    st.lists(st.integers(0, 4), max_size=10),
    st.integers(0, 29),
    st.integers(1, 30),
)
def test_every_letter_of_a_span_is_in_a_token_of_the_claim(
    answer: str, lengths: list[int], start: int, length: int
) -> None:
    answer_tokens = cut(answer, lengths)
    span = Span(start, start + length)

    (aligned,) = align_claims(answer, answer_tokens, [StatedClaim("it", span)])

    if aligned.unaligned:
        assert aligned.claim.tokens == ()
        assert not answer[start : start + length].strip() or span.end > len(answer)
        return
    (found,) = aligned.spans
    assert answer[span.start : span.end].strip() in answer[found.start : found.end]
    covered: set[int] = set()
    at = 0
    for index, token in enumerate(answer_tokens):
        if index in aligned.claim.tokens:
            covered |= set(range(at, at + len(token.text)))
        at += len(token.text)
    assert set(range(found.start, found.end)) <= covered
