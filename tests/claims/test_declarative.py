from __future__ import annotations

import pytest

from averment.claims import declarative
from averment.claims.declarative import (
    BY_WORDING,
    SILENT_RULES,
    checked_rules,
    is_fragment,
    silent_rule,
)
from averment.claims.reading import outline, read
from averment.claims.rules import RulesExtractor


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
        ("is_list", "Haneef, Arjun Nair and Vijay."),
        ("is_list", "1. Kumbasaram and Vetham"),
    ],
)
def test_a_sentence_that_claims_nothing_is_recognised(rule: str, sentence: str) -> None:
    pieces = read(sentence)

    assert getattr(declarative, rule)(pieces, outline(pieces))
    assert silent_rule(pieces) is not None


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
        "Vetham is about people of different generations in Zurich.",
        "Antoni Ribas i Piera was born in Barcelona.",
        "Vetham was written by I.A.L. Diamond.",
        "Let's Make It Legal is a 1951 American comedy film directed by Richard Sale.",
    ],
)
def test_a_claim_is_not_silenced(sentence: str) -> None:
    assert silent_rule(read(sentence)) is None


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


SWITCHED = {
    "question": "Haneef directed Vetham in Zurich?",
    "conclusion": "So Haneef directed Vetham.",
    "comparison": "Haneef directed Vetham earlier than Arjun.",
    "negation": "Haneef never directed Vetham.",
    "refusal": "Haneef, it is unclear, directed Vetham.",
    "talk": "Haneef, I think, directed Vetham.",
}


@pytest.mark.parametrize(("rule", "sentence"), SWITCHED.items(), ids=SWITCHED.keys())
def test_a_rule_that_is_switched_off_silences_nothing(rule: str, sentence: str) -> None:
    without = [name for name in SILENT_RULES if name != rule]

    [silenced] = RulesExtractor().triplets([sentence])
    [spoken] = RulesExtractor(silent_rules=without).triplets([sentence])

    assert (silenced.triplets, silenced.silent) == ((), rule)
    assert spoken.silent is None
    assert [each.tail for each in spoken.triplets][:1] == ["Vetham"]


@pytest.mark.parametrize(
    ("rule", "sentence"), [("list", "Haneef, Arjun Nair and Vijay"), ("fragment", "Paris, France")]
)
def test_what_has_no_verb_is_silent_by_name(rule: str, sentence: str) -> None:
    [found] = RulesExtractor().triplets([sentence])

    assert found.silent == rule


def test_rules_by_wording_leave_out_those_that_hang_on_lists_of_verbs() -> None:
    assert set(SILENT_RULES) - set(BY_WORDING) == {"list", "fragment"}


def test_a_name_of_no_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="irony"):
        checked_rules(["question", "irony"])
