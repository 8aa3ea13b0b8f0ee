"""Texts after withheld claims are dropped or hedged: grammatical, and with their other claims."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_withholding import GONE, KEPT, remedied

from averment.claims.parsed import PIPELINE
from averment.claims.split import PartKind, split_text
from averment.promises import Remedy
from averment.scoring.post_editing import hedged, post_edited
from averment.text import Span
from averment.types import Claim

TEXT = "Ada Lovelace was born in London. She was a painter. She wrote notes on the engine."


def edited(text: str, gone: set[int], remedy: Remedy = Remedy.DROP) -> str:
    """The text with some of its sentences, by number, withheld."""
    withheld = remedied(GONE, remedy)
    parts = [part for part in split_text(text) if part.kind is PartKind.CLAIM]
    claims = [
        replace(withheld if n in gone else KEPT, text=part.text, start=part.start, end=part.end)
        for n, part in enumerate(parts)
    ]
    return post_edited(text, claims, sentences=[Span(p.start, p.end) for p in parts])


@pytest.mark.parametrize("remedy", [Remedy.DROP, Remedy.HEDGE], ids=str)
def test_where_nothing_is_withheld_the_text_stays_to_the_letter(remedy: Remedy) -> None:
    text = "# Oslo\n\nOslo  is in Norway. \n\n- It has a port.\n- It has a castle.\n\nIs it old?\n"

    assert edited(text, set(), remedy) == text


@pytest.mark.parametrize(
    ("gone", "expected"),
    [
        ({1}, "Ada Lovelace was born in London. Ada Lovelace wrote notes on the engine."),
        ({0}, "Ada Lovelace was a painter. Ada Lovelace wrote notes on the engine."),
        ({0, 1}, "Ada Lovelace wrote notes on the engine."),
        ({2}, "Ada Lovelace was born in London. She was a painter."),
        ({0, 1, 2}, ""),
    ],
)
def test_a_pronoun_whose_name_may_be_gone_becomes_that_name(gone: set[int], expected: str) -> None:
    assert edited(TEXT, gone) == expected


def test_what_is_hedged_stays_in_its_place() -> None:
    assert edited(TEXT, {1}, Remedy.HEDGE) == (
        "Ada Lovelace was born in London. It may be that Ada Lovelace was a painter. "
        "She wrote notes on the engine."
    )


@pytest.mark.parametrize(
    ("gone", "expected"),
    [
        ({0}, "Norway:\n\n- It has fjords there.\n- It has an army there.\n"),
        ({1}, "Norway:\n\n- It has a king there.\n- It has an army there.\n"),
        ({2}, "Norway:\n\n- It has a king there.\n- It has fjords there.\n"),
        ({0, 1, 2}, "Norway:\n"),
    ],
)
def test_the_mark_of_a_list_goes_with_its_item(gone: set[int], expected: str) -> None:
    text = "Norway:\n\n- It has a king there.\n- It has fjords there.\n- It has an army there.\n"

    assert edited(text, gone) == expected


def test_a_heading_stays_where_what_follows_is_gone() -> None:
    text = "# Norway\n\nOslo is in Norway. Bergen is in Sweden.\n\nTromsø is in Norway."

    assert edited(text, {0}) == "# Norway\n\nBergen is in Sweden.\n\nTromsø is in Norway."
    assert edited(text, {1}) == "# Norway\n\nOslo is in Norway.\n\nTromsø is in Norway."


@pytest.mark.parametrize(
    ("remedy", "expected"),
    [
        (Remedy.DROP, "Ada was born in London."),
        (Remedy.HEDGE, "Ada was born in London. It may be that Ada died in Paris."),
    ],
    ids=str,
)
def test_of_a_sentence_with_a_false_fact_the_others_stay(remedy: Remedy, expected: str) -> None:
    text = "Ada was born in London and died in Paris."
    facts: list[Claim] = [
        replace(KEPT, text="Ada was born in London", start=0, end=22),
        replace(remedied(GONE, remedy), text="Ada died in Paris.", start=27, end=41),
    ]

    assert post_edited(text, facts, sentences=[Span(0, len(text))]) == expected


def test_one_fact_of_a_sentence_is_hedged_and_another_dropped() -> None:
    text = "Ada was born in London and died in Paris and wrote notes."
    facts = [
        replace(remedied(GONE, Remedy.HEDGE), text="Ada was born in London", start=0, end=22),
        replace(remedied(GONE, Remedy.DROP), text="Ada died in Paris", start=27, end=40),
        replace(KEPT, text="Ada wrote notes.", start=45, end=57),
    ]

    told = post_edited(text, facts, sentences=[Span(0, len(text))])
    assert told == "It may be that Ada was born in London. Ada wrote notes."


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("So the answer is Norway.", "The answer may be Norway."),
        ("The final answer is no.", "The answer may be no."),
        ("The Rhine is long.", "It may be that the Rhine is long."),
        ("Paris is in France.", "It may be that Paris is in France."),
        ("However, he died in 1999.", "It may be that he died in 1999."),
        ("Yes, both are rivers.", "It may be that both are rivers."),
        ("In 1999 Ada died.", "It may be that in 1999 Ada died."),
        ("Norway.", "Perhaps Norway."),
    ],
)
def test_a_hedge_keeps_the_sentence_a_sentence(sentence: str, expected: str) -> None:
    assert hedged(sentence) == expected


def test_what_remains_parses_as_sentences_and_keeps_its_other_claims() -> None:
    """Read by a parser that knows nothing of us: each sentence has a finite verb as its root."""
    spacy = pytest.importorskip("spacy", reason="the extra [spacy] is not installed")
    parser = spacy.load(PIPELINE)
    text = (
        "The Danube is the second-longest river of Europe. It flows through ten states. However, "
        "the Danube ends in the Baltic Sea. In Vienna the river was regulated in 1875. The city of "
        "Budapest lies on both banks."
    )
    sentences = [part.text for part in split_text(text)]
    for gone in range(len(sentences)):
        for remedy in (Remedy.DROP, Remedy.HEDGE):
            made = parser(edited(text, {gone}, remedy))
            read = list(made.sents)
            assert len(read) == len(sentences) - (remedy is Remedy.DROP)
            assert {sentence.root.pos_ for sentence in read} <= {"VERB", "AUX"}
            for number, sentence in enumerate(sentences):
                if number != gone:
                    assert sentence.split(" ", 1)[1] in made.text
