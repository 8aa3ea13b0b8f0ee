from __future__ import annotations

import pytest

from averment.models.writing import Ending, Writing, find_ending
from averment.tokens import clip
from averment.types import FinishReason, GenerationOptions, Token, Usage

SENTENCE = GenerationOptions(until_sentence_end=True)


def written(
    *pieces: str,
    options: GenerationOptions = SENTENCE,
    begun: str = "",
    logprob: float | None = -1.0,
) -> Writing:
    writing = Writing(options, begun=begun)
    for piece in pieces:
        writing.add(Token(piece, logprob))
    return writing


@pytest.mark.parametrize(
    ("text", "options", "ending"),
    [
        ("One. Two", SENTENCE, Ending(4, FinishReason.SENTENCE)),
        ("One.", SENTENCE, None),
        ("One.\n", SENTENCE, Ending(4, FinishReason.SENTENCE)),
        ("In St. Louis", SENTENCE, None),
        ("One. Two", GenerationOptions(), None),
        ("abcabc", GenerationOptions(stop=("ca", "b")), Ending(1, FinishReason.STOP)),
        ("One. Two", GenerationOptions(stop=("ne",), until_sentence_end=True), Ending(1, "stop")),
    ],
    ids=[
        "the next sentence has begun",
        "an abbreviation is still possible",
        "a line break settles it",
        "an abbreviation",
        "no end asked for",
        "the earliest stop string",
        "a stop string before the sentence end",
    ],
)
def test_ending_of_a_growing_text(
    text: str, options: GenerationOptions, ending: Ending | None
) -> None:
    assert find_ending(text, options) == ending


@pytest.mark.parametrize(
    ("start", "end", "texts"),
    [(0, 6, ["ab", "", "cd", "ef"]), (1, 5, ["b", "", "cd", "e"]), (2, 4, ["", "cd"]), (3, 3, [])],
    ids=["everything", "tokens that straddle", "whole tokens", "nothing"],
)
def test_clipped_tokens_join_to_the_slice(start: int, end: int, texts: list[str]) -> None:
    tokens = [Token("ab", -1.0), Token("", -2.0), Token("cd", -3.0), Token("ef", -4.0)]

    clipped = clip(tokens, start, end)

    assert [token.text for token in clipped] == texts


def test_a_clipped_token_keeps_its_logprob_and_alternatives() -> None:
    token = Token("abc", -0.5, ((" x", -1.0),))

    assert clip([token], 0, 2) == (Token("ab", -0.5, ((" x", -1.0),)),)


def test_a_token_on_the_cut_keeps_its_logprob() -> None:
    writing = written("Yes", ". No")

    generation = writing.generation(FinishReason.STOP, Usage())

    assert generation.text == "Yes."
    assert generation.tokens == (Token("Yes", -1.0), Token(".", -1.0))


def test_nothing_is_added_behind_the_ending() -> None:
    writing = written("Yes", ". No", " more")

    generation = writing.generation(FinishReason.LENGTH, Usage())

    assert generation.finish is FinishReason.SENTENCE
    assert generation.text == "Yes."


def test_a_text_without_an_ending_finishes_as_the_model_did() -> None:
    generation = written("Yes").generation(FinishReason.LENGTH, Usage(1, 1))

    assert generation.finish is FinishReason.LENGTH
    assert generation.usage == Usage(1, 1)


def test_tokens_are_left_out_when_none_has_a_logprob() -> None:
    assert written("Yes", logprob=None).generation(FinishReason.STOP, Usage()).tokens == ()


def test_a_repeated_beginning_is_taken_off_with_its_tokens() -> None:
    writing = written("It", " is", " on. The", " end", begun="It is ")

    generation = writing.generation(FinishReason.STOP, Usage())

    assert generation.text == " on."
    assert [token.text for token in generation.tokens] == [" on."]


def test_the_repeated_beginning_is_no_sentence_of_its_own() -> None:
    writing = written("One", ". Two", ". Three", begun="One.")

    assert writing.generation(FinishReason.STOP, Usage()).text == " Two."


def test_a_text_that_only_resembles_the_beginning_stays() -> None:
    writing = written("It", " was. So", begun="It is")

    assert writing.generation(FinishReason.STOP, Usage()).text == "It was."
