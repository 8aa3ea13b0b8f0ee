"""What a sentence claims after others, or in answer to a question."""

from __future__ import annotations

import pytest

from averment.claims.in_context import extractions
from averment.claims.rules import RulesExtractor
from averment.steps import ExtractTriplets
from averment.types import Extraction, Triplet

DIRECTED = "Kumbasaram was directed by Haneef."
BORN = "He was born in Zurich."
ASKED = "Was Kumbasaram directed by Haneef?"


class Reader(RulesExtractor):
    """The rules, which remember what they were asked."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[list[str]] = []

    def triplets(self, sentences: object) -> list[Extraction]:
        self.calls.append(list(sentences))  # type: ignore[call-overload]
        return super().triplets(sentences)  # type: ignore[arg-type]


def ends(extraction: Extraction) -> list[tuple[str, str]]:
    return [(triplet.head, triplet.tail) for triplet in extraction.triplets]


def test_a_pronoun_is_the_name_that_it_stands_for() -> None:
    [found] = extractions([ExtractTriplets(BORN, (DIRECTED,))], RulesExtractor())

    assert ends(found) == [("Haneef", "Zurich")]


def test_a_pronoun_without_a_sentence_before_it_claims_nothing() -> None:
    [found] = extractions([ExtractTriplets(BORN)], RulesExtractor())

    assert found.triplets == ()


@pytest.mark.parametrize(
    ("said", "question", "expected"),
    [
        pytest.param("Haneef", "Who directed Kumbasaram?", [("Kumbasaram", "Haneef")], id="name"),
        pytest.param("Yes", ASKED, [("Kumbasaram", "Haneef")], id="yes"),
        pytest.param("No", ASKED, [], id="no"),
        pytest.param("maybe", ASKED, [], id="maybe"),
        pytest.param(DIRECTED, ASKED, [("Kumbasaram", "Haneef")], id="a sentence"),
    ],
)
def test_an_answer_claims_together_with_its_question(
    said: str, question: str, expected: list[tuple[str, str]]
) -> None:
    [found] = extractions([ExtractTriplets(said, question=question)], RulesExtractor())

    assert ends(found) == expected


def test_outcomes_come_in_order_and_the_extractor_is_asked_once() -> None:
    reader = Reader()
    short = ExtractTriplets("Haneef", question="Who directed Kumbasaram?")

    found = extractions([ExtractTriplets(DIRECTED), short, ExtractTriplets(BORN)], reader)

    assert [ends(each) for each in found] == [[("Kumbasaram", "Haneef")]] * 2 + [[]]
    assert reader.calls == [[DIRECTED, BORN]]
    assert found[1].triplets == (Triplet("Kumbasaram", "directed", "Haneef", "person"),)
