"""What a check found, in words: where it stands, who the rivals are, how names were counted."""

from __future__ import annotations

import pytest

from averment.page.words import forms_in_words, relation_in_words
from averment.types import (
    Check,
    Count,
    CountKind,
    RelationCheck,
    RelationOutcome,
    Rival,
    Support,
    SurfaceForm,
    Triplet,
)
from doubles import exact, passage, together

WINDOW = passage("Marie Curie was born in Warsaw.", title="Marie Curie")
WARSAW = Rival("Warsaw", together(3))


def check(relation: RelationCheck | None = None, head: Count | None = None) -> Check:
    triplet = Triplet("Marie Curie", "was born in", "Paris")
    pair = together(1)
    return Check(triplet, Support.PRESENT, head or exact(9), exact(9), pair, 1000, relation)


@pytest.mark.parametrize(
    ("relation", "told"),
    [
        pytest.param(None, "", id="nobody looked"),
        pytest.param(
            RelationCheck(RelationOutcome.SUPPORTED, "states_relation", WINDOW),
            "“Marie Curie” says so",
            id="supported",
        ),
        pytest.param(
            RelationCheck(RelationOutcome.CONTRADICTED, "states_another", WINDOW, (WARSAW,)),
            "“Marie Curie” says it of something else (Warsaw)",
            id="of another",
        ),
        pytest.param(
            RelationCheck(RelationOutcome.CONTRADICTED, "rival_stronger", WINDOW, (WARSAW,)),
            "“Marie Curie” says it of something else more often (Warsaw)",
            id="rival",
        ),
        pytest.param(
            RelationCheck(RelationOutcome.CONTRADICTED, "other_kind"),
            "“Paris” is no such thing",
            id="kind",
        ),
        pytest.param(
            RelationCheck(RelationOutcome.CONTRADICTED, "judged_contradicted", WINDOW),
            "“Marie Curie” says otherwise",
            id="judged",
        ),
        pytest.param(
            RelationCheck(RelationOutcome.NOT_FOUND, "not_stated"),
            "nothing near them says so",
            id="not found",
        ),
        pytest.param(
            RelationCheck(RelationOutcome.UNKNOWN, "no_text"),
            "nobody could tell whether it says so",
            id="unknown",
        ),
    ],
)
def test_a_relation_is_told_with_where_it_stands(relation: RelationCheck | None, told: str) -> None:
    assert relation_in_words(check(relation)) == told


def test_names_that_were_counted_as_written_are_not_told() -> None:
    assert forms_in_words(check()) == ""


@pytest.mark.parametrize(
    ("others", "told"),
    [
        pytest.param(["M. Curie"], "Marie Curie, also as M. Curie", id="one"),
        pytest.param(list("abcd"), "Marie Curie, also as a, b, c and 1 more", id="many"),
    ],
)
def test_names_that_were_counted_by_several_forms_say_which(others: list[str], told: str) -> None:
    forms = tuple(SurfaceForm(form, "user") for form in ["Marie Curie", *others])

    assert forms_in_words(check(head=Count(9, 9, CountKind.EXACT, forms))) == told
