"""Tokens of a part of what they join to."""

from __future__ import annotations

import pytest

from averment.tokens import clip
from averment.types import Token

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
