"""Passages: whole sentences, about a hundred words, nothing lost and nothing twice."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from averment.corpus.passages import cut_passages
from averment.text import TextForm
from averment.types import Document, Passage


def sentence(n_words: int, first: str = "Word") -> str:
    return " ".join([first, *["word"] * (n_words - 1)]) + "."


def cut(text: str, words: int = 100) -> list[Passage]:
    return cut_passages(Document("d", text, title="T"), words=words)


def sizes(passages: list[Passage]) -> list[int]:
    return [len(TextForm().words(passage.text)) for passage in passages]


def test_short_document_is_one_passage_without_the_blanks_around_it() -> None:
    assert cut("\n One. Two. \n") == [Passage("d#0", "d", "T", "One. Two.", 2, 11)]


def test_blank_document_has_no_passage() -> None:
    assert cut(" \n ") == []


def test_text_below_its_title_may_begin_with_a_mark() -> None:
    document = Document("d", "Trema\n\n\u0308 stands over vowels. It is a mark.", title="Trema")

    assert [passage.text for passage in cut_passages(document)] == [
        "\u0308 stands over vowels. It is a mark."
    ]


def test_first_line_that_is_the_title_is_in_no_passage() -> None:
    assert cut("T\n\nOne. Two.") == [Passage("d#0", "d", "T", "One. Two.", 3, 12)]


def test_document_without_a_word_is_one_passage() -> None:
    assert [passage.text for passage in cut("?! … ***")] == ["?! … ***"]


def test_passages_are_whole_sentences_numbered_from_zero() -> None:
    passages = cut(" ".join([sentence(20)] * 12))

    assert sizes(passages) == [100, 100, 40]
    assert all(passage.text.endswith(".") for passage in passages)
    assert [passage.passage_id for passage in passages] == ["d#0", "d#1", "d#2"]


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        pytest.param([60, 60], [120], id="brings it nearer"),
        pytest.param([60, 100], [60, 100], id="leads it astray"),
        pytest.param([100, 30], [130], id="short rest joins"),
        pytest.param([100, 31], [100, 31], id="longer rest stays"),
        pytest.param([100, 100, 10], [100, 110], id="joins the last one"),
        pytest.param([200], [200], id="long sentence stays whole"),
        pytest.param([201], [100, 101], id="longer one is cut"),
        pytest.param([350], [100, 100, 100, 50], id="cut in hundreds"),
        pytest.param([50, 201], [50, 100, 101], id="cut sentence after another"),
    ],
)
def test_sizes_stay_near_a_hundred_words(sentences: list[int], expected: list[int]) -> None:
    text = " ".join(map(sentence, sentences))

    assert sizes(cut(text)) == expected


def test_sizes_follow_the_words_asked_for() -> None:
    assert sizes(cut(" ".join([sentence(5)] * 8), words=10)) == [10, 10, 10, 10]


def test_long_list_without_marks_is_cut_between_words() -> None:
    text = "list\n" + "\n".join(f"item (no{number})" for number in range(150))

    passages = cut(text)

    assert sizes(passages) == [100, 100, 101]
    assert [passage.text.split()[0] for passage in passages] == ["list", "(no49)", "(no99)"]
    assert "\n".join(passage.text for passage in passages).split() == text.split()


def test_text_without_blanks_is_cut_between_characters() -> None:
    passages = cut("東" * 450)

    assert sizes(passages) == [100, 100, 100, 100, 50]
    assert "".join(passage.text for passage in passages) == "東" * 450


def test_headings_and_blank_lines_end_sentences() -> None:
    heading = "# " + " ".join(["Heading"] * 60)
    body = " ".join(["body"] * 90)

    passages = cut(f"{heading}\n{body}\n \n{body}")

    assert [passage.text for passage in passages] == [heading, body, body]


def test_document_language_is_used() -> None:
    text = "Er kam z. B. nach Wien. Dann ging er."

    (passage,) = cut_passages(Document("d", text, language="de"))

    assert passage.text == text


@given(
    st.text(st.sampled_from("ab é\n.?!#(-)東\u0301\U0001f600"), max_size=400),
    st.integers(1, 12),
)
@example("?\u0301a\u0301東a", 1)
@settings(deadline=None, max_examples=200)
def test_nothing_is_lost_and_nothing_is_there_twice(text: str, words: int) -> None:
    passages = cut(text, words=words)

    end = 0
    for passage in passages:
        assert text[end : passage.start].strip() == ""
        assert passage.text == text[passage.start : passage.end] != ""
        assert passage.text == passage.text.strip()
        end = passage.end
    assert text[end:].strip() == ""
    assert max(sizes(passages), default=0) <= max(2 * words, 2)
