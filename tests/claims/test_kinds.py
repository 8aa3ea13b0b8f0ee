from __future__ import annotations

import pytest

from averment.claims.rules import RulesExtractor

TAILS = {
    "director": ("Kumbasaram was directed by Haneef.", "person"),
    "role": ("Haneef's father is Arjun Nair.", "person"),
    "parents": ("Haneef was born to Arjun Nair.", "person"),
    "field_of_a_prize": ("Haneef won it twice in Physics.", "other"),
    "birth": ("Haneef was born in Zurich.", "place"),
    "capital": ("Paris is the capital of France.", "place"),
    "place_word": ("Haneef joined Babol County.", "place"),
    "date": ("Haneef was born on 12 May 1815.", "date"),
    "number": ("Oslo has 700,000 inhabitants.", "number"),
    "title": ('Haneef wrote "Vetham".', "title"),
    "organisation": ("Haneef studied at Cambridge University.", "other"),
    "role_in_a_work": ("Haneef played a leading role in Vetham.", "other"),
    "nothing_tells": ("Haneef likes Vetham and worked on Oasis.", "other"),
}


@pytest.mark.parametrize(("sentence", "kind"), TAILS.values(), ids=TAILS.keys())
def test_a_tail_is_what_leads_to_it(sentence: str, kind: str) -> None:
    [found] = RulesExtractor().triplets([sentence])

    assert found.triplets[0].tail_kind == kind
