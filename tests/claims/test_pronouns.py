from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.claims.pronouns import self_contained

NAMED = {
    "he": (
        ["Haneef is a director from Rome.", "He was born in Zurich."],
        "Haneef was born in Zurich.",
    ),
    "the_person_of_a_work": (
        ["Kumbasaram was directed by Haneef.", "He was born in Zurich."],
        "Haneef was born in Zurich.",
    ),
    "it": (
        ["Kumbasaram was directed by Haneef.", "It was released in 2017."],
        "Kumbasaram was released in 2017.",
    ),
    "possessive": (
        ["Haneef is a director from Rome.", "His father was born in Zurich."],
        "Haneef's father was born in Zurich.",
    ),
    "the_work": (
        ["Kumbasaram is a 2017 film by Haneef.", "The film was shot in Zurich."],
        "Kumbasaram was shot in Zurich.",
    ),
    "behind_an_opening": (
        ["Haneef is a director from Rome.", "In 1990, he moved to Zurich."],
        "In 1990, Haneef moved to Zurich.",
    ),
    "over_a_sentence_without_names": (
        ["Haneef is a director.", "He works a lot.", "He lives in Zurich."],
        "Haneef lives in Zurich.",
    ),
}
LEFT = {
    "first_sentence": ["He was born in Zurich."],
    "two_persons": ["Kumbasaram was directed by Haneef and Arjun Nair.", "He was born in Zurich."],
    "dummy": ["Haneef is a director.", "It is believed that Vetham is lost."],
    "they": ["Haneef is a director.", "They met in Zurich."],
    "object": ["Haneef is a director.", "Arjun Nair met him in Zurich."],
    "no_work": ["Haneef is a director.", "The film was shot in Zurich."],
}


@pytest.mark.parametrize(("sentences", "text"), NAMED.values(), ids=NAMED.keys())
def test_a_subject_becomes_the_name_it_stands_for(sentences: list[str], text: str) -> None:
    told = self_contained(sentences)[-1]

    assert told.text == text
    assert told.pronoun is not None
    replaced = sentences[-1][told.pronoun.start : told.pronoun.end]
    assert replaced.lower() in ("he", "it", "his", "the film")


@pytest.mark.parametrize("sentences", LEFT.values(), ids=LEFT.keys())
def test_a_pronoun_that_cannot_be_named_stays(sentences: list[str]) -> None:
    told = self_contained(sentences)[-1]

    assert told.text == sentences[-1]
    assert told.pronoun is None


_SENTENCES = st.sampled_from(
    ["He was born.", "It is by Haneef.", "Haneef directed Vetham.", "The film", "", "her his its"]
)


@given(st.lists(_SENTENCES | st.text(max_size=40), max_size=6))
def test_every_sentence_comes_back_in_its_place(sentences: list[str]) -> None:
    told = self_contained(sentences)

    assert len(told) == len(sentences)
    for each, sentence in zip(told, sentences, strict=True):
        start, end = each.pronoun or (0, 0)
        assert sentence[:start] == each.text[:start]
        assert each.text.endswith(sentence[end:])
