from __future__ import annotations

import pytest

from averment.claims.rules import RulesExtractor

READ = {
    "is_the_of": ("paris is the capital of france", ("paris", "is the capital of", "france")),
    "role_of": (
        "the director of the film last rampage is haneef.",
        ("last rampage", "director of the film", "haneef"),
    ),
    "possessive": ("kumbasaram's director is haneef.", ("kumbasaram", "director is", "haneef")),
    "passive": ("kumbasaram was directed by haneef.", ("kumbasaram", "was directed by", "haneef")),
    "date": ("haneef was born on june 9, 1956.", ("haneef", "was born on", "june 9, 1956")),
}
COMMON = {
    "plural": "patients were treated in the morning.",
    "article": "the treatment was stopped by the doctor.",
    "noun": "water is a liquid.",
    "long": "haneef was born in zurich and " + "then he moved on and on " * 4 + "to rome.",
    "one_capital": "haneef was born in Zurich.",
}


@pytest.mark.parametrize(("sentence", "triplet"), READ.values(), ids=READ.keys())
def test_a_claim_without_capitals_is_read(sentence: str, triplet: tuple[str, str, str]) -> None:
    [found] = RulesExtractor().triplets([sentence])

    assert [(each.head, each.relation, each.tail) for each in found.triplets] == [triplet]


@pytest.mark.parametrize("sentence", COMMON.values(), ids=COMMON.keys())
def test_common_words_are_no_names(sentence: str) -> None:
    [found] = RulesExtractor().triplets([sentence])

    assert found.triplets == ()
