"""Tokens of a part of what they join to."""

from __future__ import annotations

import pytest

from averment.tokens import clip, joined, n_tokens
from averment.types import FinishReason, Generation, Token, Usage

TOKENS = [Token(" Os", -1.0), Token("lo", -2.0), Token(" is", -3.0)]


@pytest.mark.parametrize(
    ("start", "end", "texts"),
    [
        pytest.param(0, 8, [" Os", "lo", " is"], id="all"),
        pytest.param(0, 5, [" Os", "lo"], id="between two tokens"),
        pytest.param(1, 4, ["Os", "l"], id="through two tokens"),
        pytest.param(1, 2, ["O"], id="within a token"),
        pytest.param(5, 8, [" is"], id="the end"),
        pytest.param(3, 3, [], id="nothing"),
        pytest.param(8, 9, [], id="behind"),
    ],
)
def test_tokens_are_cut_with_the_text(start: int, end: int, texts: list[str]) -> None:
    clipped = clip(TOKENS, start, end)

    assert [token.text for token in clipped] == texts
    assert "".join(texts) == " Oslo is"[start:end]


def test_a_token_on_both_sides_of_a_cut_keeps_its_log_probability_and_alternatives() -> None:
    (token,) = clip([Token(" Oslo", -1.0, ((" Rome", -2.0),))], 1, 3)

    assert token == Token("Os", -1.0, ((" Rome", -2.0),))


@pytest.mark.parametrize(
    ("start", "end", "logprobs"),
    [(0, 1, [-1.0]), (1, 2, [-2.0, -3.0]), (0, 2, [-1.0, -2.0, -3.0])],
    ids=["before", "with its character", "all"],
)
def test_the_beginning_of_a_character_stays_with_the_character(
    start: int, end: int, logprobs: list[float]
) -> None:
    tokens = [Token("a", -1.0), Token("", -2.0), Token("😀", -3.0)]

    assert [token.logprob for token in clip(tokens, start, end)] == logprobs


def test_no_tokens_give_none() -> None:
    assert clip([], 0, 5) == ()


# --- several calls ------------------------------------------------------------------------------


def written(*texts: str, listed: bool = True, generated: int = 3) -> Generation:
    tokens = tuple(Token(text, -1.0) for text in texts) if listed else ()
    usage = Usage(10, generated, 5)
    return Generation("".join(texts), tokens, FinishReason.LENGTH, usage)


def test_listed_tokens_are_counted_rather_than_those_that_were_written() -> None:
    assert n_tokens(written(" Oslo", " is", generated=3)) == 2
    assert n_tokens(written(" Oslo", " is", listed=False, generated=3)) == 3


def test_one_call_is_joined_to_itself() -> None:
    call = written(" Oslo")

    assert joined([call]) is call


def test_calls_in_a_row_are_one_text_with_the_cost_of_all() -> None:
    whole = joined([written(" Oslo"), written("", listed=False), written(" is")])

    assert whole.text == " Oslo is"
    assert whole.tokens == (Token(" Oslo", -1.0), Token(" is", -1.0))
    assert whole.usage == Usage(30, 9, 15)


def test_a_call_that_lists_no_tokens_leaves_the_whole_without_them() -> None:
    assert joined([written(" Oslo"), written(" is", listed=False)]).tokens == ()
