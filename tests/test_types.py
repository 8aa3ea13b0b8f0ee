"""Counts and what they support: unknown is never zero, and never presence."""

from __future__ import annotations

import pytest

from averment.types import Cooccurrence, Count, CountKind, Support

EXACT, LOWER, ESTIMATE = CountKind.EXACT, CountKind.LOWER_BOUND, CountKind.ESTIMATE


@pytest.mark.parametrize(
    ("value", "kind", "support"),
    [
        pytest.param(0, EXACT, Support.ABSENT, id="exact zero"),
        pytest.param(2, EXACT, Support.ABSENT, id="exact, too few"),
        pytest.param(3, EXACT, Support.PRESENT, id="exact, enough"),
        pytest.param(0, LOWER, Support.UNKNOWN, id="a lower bound of zero"),
        pytest.param(2, LOWER, Support.UNKNOWN, id="a lower bound that is too few"),
        pytest.param(3, LOWER, Support.PRESENT, id="a lower bound that is enough"),
        pytest.param(0, ESTIMATE, Support.UNKNOWN, id="an estimate of zero"),
        pytest.param(99, ESTIMATE, Support.UNKNOWN, id="a large estimate"),
        pytest.param(None, CountKind.UNAVAILABLE, Support.UNKNOWN, id="unavailable"),
    ],
)
def test_three_occurrences_are_supported_only_by_a_count_that_proves_them(
    value: int | None, kind: CountKind, support: Support
) -> None:
    phrase = Count(value, value, kind)
    pair = Cooccurrence(value != 0, value, value, 1, kind)

    assert phrase.support(at_least=3) is support
    assert pair.support(at_least=3) is support


@pytest.mark.parametrize(
    ("exists", "at_least", "support"),
    [
        pytest.param(True, 1, Support.PRESENT, id="known to exist"),
        pytest.param(True, 2, Support.UNKNOWN, id="known to exist, not how often"),
        pytest.param(None, 1, Support.UNKNOWN, id="not known to exist"),
    ],
)
def test_an_estimate_supports_no_more_than_that_a_pair_exists(
    exists: bool | None, at_least: int, support: Support
) -> None:
    assert Cooccurrence(exists, None, 99, None, ESTIMATE).support(at_least) is support


def test_what_could_not_be_counted_has_no_number_at_all() -> None:
    phrase, pair = Count.unavailable(), Cooccurrence.unavailable()

    assert (phrase.value, phrase.documents) == (None, None)
    assert (pair.exists, pair.documents, pair.pairs, pair.nearest_words) == (None,) * 4
    assert phrase.support() is pair.support() is Support.UNKNOWN


def test_values_cannot_be_changed() -> None:
    count = Count(1, 1, EXACT)

    with pytest.raises(AttributeError):
        count.value = 2  # type: ignore[misc]
