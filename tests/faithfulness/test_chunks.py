from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.faithfulness.chunks import balanced_chunks, cut_sentence, n_words, packed_chunks
from averment.text import Span, sentence_spans

SHORT = "The ferry leaves at noon. It arrives at two. Cars pay more."
LONG = " ".join(
    f"Number {at} of the series stands in the yard behind the old mill." for at in range(90)
)


def alignscore_by_hand(context: str, chunk_words: int) -> list[str]:
    """The rule as its authors' code has it, on one text."""
    sentences = [context[span.start : span.end] for span in sentence_spans(context)]
    n_chunks = len(context.strip().split()) // chunk_words + 1
    step = max(len(sentences) // n_chunks, 1)
    return [" ".join(sentences[at : at + step]) for at in range(0, len(sentences), step)]


@pytest.mark.parametrize("text", [SHORT, LONG, LONG + " " + SHORT], ids=["short", "long", "more"])
@pytest.mark.parametrize("chunk_words", [350, 100, 12, 1])
def test_balanced_chunks_of_one_passage_are_those_of_alignscore(
    text: str, chunk_words: int
) -> None:
    chunks = balanced_chunks([text], chunk_words=chunk_words)

    assert [chunk.text for chunk in chunks] == alignscore_by_hand(text, chunk_words)


def test_alignscore_cuts_a_text_of_350_words_in_two_and_a_shorter_one_not_at_all() -> None:
    at_350 = " ".join(["Seven words stand in each sentence here."] * 50)

    assert len(balanced_chunks([at_350])) == 2
    assert len(balanced_chunks([at_350[: at_350.rindex("Seven")]])) == 1


def test_a_remainder_of_sentences_is_a_chunk_more() -> None:
    text = "A one is here. A two is here. A three is here. A four is here. A five is here."

    chunks = balanced_chunks([text], chunk_words=12)  # 20 words: 2 chunks of 2 sentences, and 1

    assert [len(chunk.sentences) for chunk in chunks] == [2, 2, 1]


@pytest.mark.parametrize("passages", [[], [""], [" \n "]], ids=["none", "empty", "blank"])
def test_what_has_no_sentence_has_no_chunk(passages: list[str]) -> None:
    assert balanced_chunks(passages) == []
    assert packed_chunks(passages, budget=10) == []


def test_passages_are_never_joined() -> None:
    chunks = packed_chunks([SHORT, "", SHORT], budget=1000)

    assert [(chunk.passage, chunk.text) for chunk in chunks] == [(0, SHORT), (2, SHORT)]


def test_packed_chunks_fit_the_budget_and_lose_no_word() -> None:
    chunks = packed_chunks([LONG], budget=40)

    assert all(n_words(chunk.text) <= 40 for chunk in chunks)
    assert sum(n_words(chunk.text) for chunk in chunks) == n_words(LONG)
    assert all(LONG[chunk.start : chunk.end] == chunk.text for chunk in chunks)


def test_chunks_overlap_by_whole_sentences() -> None:
    chunks = packed_chunks([LONG], budget=40, overlap_sentences=1)

    assert all(one.sentences[-1] == other.sentences[0] for one, other in itertools.pairwise(chunks))


def test_a_sentence_longer_than_the_budget_is_cut_between_words() -> None:
    endless = "word " * 100

    chunks = packed_chunks([endless], budget=30)

    assert [n_words(chunk.text) for chunk in chunks] == [25, 25, 25, 25]


def test_a_budget_may_be_of_tokens() -> None:
    chunks = packed_chunks([SHORT], budget=30, count=len)

    assert [chunk.text for chunk in chunks] == [
        "The ferry leaves at noon.",
        "It arrives at two.",
        "Cars pay more.",
    ]


def test_scripts_without_blanks_are_cut_too() -> None:
    chunks = packed_chunks(["東" * 100], budget=30)

    assert max(len(chunk.text) for chunk in chunks) <= 30


def test_one_word_that_is_longer_than_the_budget_stays_whole() -> None:
    assert cut_sentence("Donaudampfschiff", Span(0, 16), budget=3, count=len) == [Span(0, 16)]


@given(
    st.lists(st.text(alphabet="ab. \n!é東", max_size=80), max_size=4),
    st.integers(1, 20),
    st.integers(0, 3),
)
def test_packed_chunks_cover_every_word_of_any_texts(
    passages: list[str], budget: int, overlap: int
) -> None:
    chunks = packed_chunks(passages, budget=budget, overlap_sentences=overlap)

    for at, passage in enumerate(passages):
        inside = {i for c in chunks if c.passage == at for i in range(c.start, c.end)}
        assert all(passage[i].isspace() for i in range(len(passage)) if i not in inside)
        ends = [chunk.end for chunk in chunks if chunk.passage == at]
        assert ends == sorted(set(ends))


@pytest.mark.parametrize(
    "settings", [{"budget": 0}, {"budget": 5, "overlap_sentences": -1}], ids=["budget", "overlap"]
)
def test_settings_out_of_range_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least"):
        packed_chunks([SHORT], **settings)


def test_a_chunk_of_no_words_is_refused() -> None:
    with pytest.raises(ValueError, match="chunk_words"):
        balanced_chunks([SHORT], chunk_words=0)
