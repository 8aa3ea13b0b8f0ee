from __future__ import annotations

import pytest

from averment.claims import declarative
from averment.claims.declarative import claims_nothing, is_fragment
from averment.claims.reading import outline, read


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("is_question", "Who directed Kumbasaram?"),
        ("is_question", "Which film is older"),
        ("is_question", "Was Kumbasaram directed by Haneef"),
        ("is_question", "(Kumbasaram is by whom?)"),
        ("is_conclusion", "So Haneef directed both films."),
        ("is_conclusion", "Thus, Haneef was born in Zurich."),
        ("is_conclusion", "Therefore the answer is Haneef."),
        ("is_conclusion", "The final answer is Haneef."),
        ("is_comparison", "Haneef is older than Arjun."),
        ("is_comparison", "Haneef has more films than Arjun."),
        ("is_comparison", "Haneef died before Arjun."),
        ("is_comparison", "Vetham was released after the film Kumbasaram."),
        ("is_comparison", "Haneef was born first."),
        ("is_comparison", "Kumbasaram came out earlier."),
        ("is_comparison", "Haneef and Arjun are of the same nationality."),
        ("is_comparison", "Both films are from different countries."),
        ("is_comparison", "Kumbasaram has the director who is older."),
        ("is_negated", "Haneef did not direct Vetham."),
        ("is_negated", "Haneef didn't direct Vetham."),
        ("is_negated", "Haneef never lived in Zurich."),
        ("is_negated", "There is no film by Haneef in Zurich."),
        ("is_negated", "Neither Haneef nor Arjun was born in Zurich."),
        ("is_refusal", "The director of Kumbasaram is unknown."),
        ("is_refusal", "The passages give insufficient information about Haneef."),
        ("is_talk", "I know that Haneef directed Vetham."),
        ("is_talk", "I'm happy to help with Kumbasaram."),
        ("is_talk", "Let's look at Kumbasaram."),
        ("is_talk", "To find the director of Kumbasaram, the cast is needed."),
    ],
)
def test_a_sentence_that_claims_nothing_is_recognised(rule: str, sentence: str) -> None:
    pieces = read(sentence)

    assert getattr(declarative, rule)(pieces, outline(pieces))
    assert claims_nothing(pieces)


@pytest.mark.parametrize(
    "sentence",
    [
        "Kumbasaram was directed by Haneef.",
        "Haneef was the first director of Vetham.",
        "Vetham sold more than 200 copies in Zurich.",
        "Haneef died before 1900 in Zurich.",
        "Haneef lived in Zurich rather than in Rome.",
        "No Country for Old Men was directed by Joel Coen.",
        "The director of Never Let Me Go is Mark Romanek.",
        'The song "I Will Not Go" was written by Haneef.',
        "Vetham was based on the novel of the same name by Haneef.",
        "Symphony No. 5 was written by Haneef.",
        "Haneef became prime minister in 1990.",
    ],
)
def test_a_claim_is_not_silenced(sentence: str) -> None:
    assert not claims_nothing(read(sentence))


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Paris, France", True),
        ("1. Kumbasaram (2017)", True),
        ("Director: Haneef", True),
        ("Kumbasaram stars Haneef", False),
        ("Haneef moved to Paris", False),
    ],
)
def test_a_fragment_has_no_verb(sentence: str, expected: bool) -> None:
    assert is_fragment(read(sentence)) is expected
