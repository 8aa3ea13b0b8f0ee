"""What the corpus says of a claim, apart from the passages that it was written from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from averment.franq.evidence import TripleCounts, claim_features
from averment.scoring.corpus import corpus_features
from averment.text import TextForm
from averment.types import (
    Check,
    Cooccurrence,
    Count,
    CountKind,
    Passage,
    RelationCheck,
    RelationOutcome,
    Rival,
    Triplet,
)
from doubles import exact, passage, together
from scoring.scoring_by_hand import CORPUS, ELSEWHERE, PASSAGE, checked


def features(*checks: Check, retrieved: tuple[Passage, ...] = ()) -> dict[str, float]:
    return corpus_features(checks, retrieved, corpus=CORPUS, form=TextForm())


def of_counts(head: int, tail: int, pair: Cooccurrence) -> dict[str, float | None]:
    counts = TripleCounts(exact(head), exact(tail), pair)
    made = claim_features([counts], corpus=CORPUS)
    return {name: value for name, value in made.items() if value is not None}


ONE_LESS = Cooccurrence(True, 3, 3, None, CountKind.EXACT)
"""Of four documents one left, and nobody knows how near the names are in the others."""


@pytest.mark.parametrize(
    "checks",
    [
        pytest.param((), id="no relation"),
        pytest.param((checked(triplet=Triplet("Oslo", "", "Norway")),), id="question and answer"),
    ],
)
def test_without_a_claimed_relation_the_corpus_says_nothing(checks: tuple[Check, ...]) -> None:
    assert features(*checks) == {}


def test_the_features_are_those_of_the_counts() -> None:
    assert features(checked()) == of_counts(10, 10, together(4))


def test_what_is_not_known_is_left_out_and_never_zero() -> None:
    unknown = Cooccurrence.unavailable()

    found = features(checked(unknown, head=Count.unavailable()))

    assert set(found) == {"log_tail_weakest", "log_tail_mean"}


def test_a_lower_bound_of_zero_is_unknown() -> None:
    bound = Cooccurrence(None, 0, 0, None, CountKind.LOWER_BOUND)

    found = features(checked(bound))

    assert not [name for name in found if name.startswith(("zero", "npmi", "surprise"))]


def test_a_passage_that_was_retrieved_is_no_evidence_for_what_it_says() -> None:
    assert features(checked(), retrieved=(PASSAGE,)) == of_counts(9, 9, ONE_LESS)


def test_names_that_only_the_retrieved_passages_know_are_strangers_and_not_contradicted() -> None:
    only_there = checked(together(1), head=exact(1), tail=exact(30))

    found = features(only_there, retrieved=(PASSAGE,))

    assert "npmi_weakest" not in found
    assert found["surprise_weakest"] == 0.0
    assert found["rarity_weakest"] == 1.0


def test_a_passage_that_was_retrieved_twice_leaves_once() -> None:
    assert features(checked(), retrieved=(PASSAGE, PASSAGE)) == of_counts(9, 9, ONE_LESS)


def test_two_passages_of_one_document_leave_as_one_document() -> None:
    second = passage("Norway and Oslo.", passage_id="second")
    same_document = Passage("d1#1", "d1", "Oslo", second.text, 40, 40 + len(second.text))

    assert features(checked(), retrieved=(PASSAGE, same_document)) == of_counts(9, 9, ONE_LESS)


def test_a_passage_that_mentions_one_end_changes_nothing() -> None:
    assert features(checked(), retrieved=(ELSEWHERE,)) == features(checked())


def test_a_count_that_nobody_could_give_stays_unknown_whatever_was_retrieved() -> None:
    found = features(checked(head=Count.unavailable()), retrieved=(PASSAGE,))

    assert "log_head_weakest" not in found
    assert "log_tail_weakest" in found


def test_a_count_never_falls_below_zero() -> None:
    found = features(checked(together(1), head=exact(3, 0)), retrieved=(PASSAGE,))

    assert found["log_head_weakest"] == 0.0


def test_a_claim_is_as_strong_as_its_weakest_relation() -> None:
    weak = checked(together(0), triplet=Triplet("Oslo", "is near", "Rome"))

    found = features(checked(), weak)

    assert found["zero_weakest"] == 1.0
    assert found["zero_mean"] == 0.5


def with_rivals(*rivals: Rival) -> Check:
    """A pair of four documents whose relation was read for other tails."""
    relation = RelationCheck(RelationOutcome.NOT_FOUND, "not_stated", None, rivals)
    return replace(checked(), relation=relation)


@pytest.mark.parametrize(
    ("rivals", "contrast"),
    [
        pytest.param((Rival("Sweden", together(12)),), 0.25, id="a stronger one"),
        pytest.param((Rival("Sweden", together(1)), Rival("Iran", together(4))), 0.5, id="best"),
        pytest.param((), 1.0, id="none was found"),
    ],
)
def test_the_contrast_is_with_the_strongest_rival(
    rivals: tuple[Rival, ...], contrast: float
) -> None:
    assert features(with_rivals(*rivals))["contrast_weakest"] == pytest.approx(contrast)


def test_where_nobody_looked_for_rivals_there_is_no_contrast() -> None:
    assert "contrast_weakest" not in features(checked())


def test_a_passage_that_was_retrieved_is_no_evidence_for_a_rival() -> None:
    said = passage("Oslo is the capital of Sweden.")

    found = features(with_rivals(Rival("Sweden", together(1))), retrieved=(said,))

    assert found["contrast_weakest"] == 1.0
