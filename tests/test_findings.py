"""What counts as saying so, as saying otherwise, and as a denial."""

from __future__ import annotations

from averment.faithfulness.rules import Rule
from averment.findings import OPPOSING


def test_what_opposes_are_the_rules_that_contradict() -> None:
    assert {rule.code for rule in Rule if rule.contradicts} == OPPOSING
