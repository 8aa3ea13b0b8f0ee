"""Shared words, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from answers_by_hand import samples
from hypothesis import given
from hypothesis import strategies as st

from averment.uq.lexical import jaccard_similarities, rouge_l
from averment.uq.records import Record
from averment.uq.registry import estimator

LEXICAL = estimator("lexical_similarity")


def longest_common_subsequence(a: list[str], b: list[str]) -> int:
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = (
                table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
            )
    return table[-1][-1]


@pytest.mark.parametrize(
    ("a", "b", "f"),
    [
        pytest.param("the cat sat", "the dog sat", 2 / 3, id="two of three in order"),
        pytest.param("one two three", "three two one", 1 / 3, id="order counts"),
        pytest.param("It is Paris.", "it is paris", 1.0, id="case and punctuation do not"),
        pytest.param("東京", "東京", 1.0, id="any script"),
        pytest.param("Oslo", "", 0.0, id="nothing shared with nothing"),
        pytest.param("?", "?", 1.0, id="equal without words"),
        pytest.param("?", "!", 0.0, id="different without words"),
    ],
)
def test_rouge_l_by_hand(a: str, b: str, f: float) -> None:
    assert rouge_l(a, b) == pytest.approx(f)
    assert rouge_l(b, a) == pytest.approx(f)


@given(st.lists(st.sampled_from("abc"), min_size=1), st.lists(st.sampled_from("abc"), min_size=1))
def test_rouge_l_counts_the_longest_common_subsequence(a: list[str], b: list[str]) -> None:
    expected = 2 * longest_common_subsequence(a, b) / (len(a) + len(b))

    assert rouge_l(" ".join(a), " ".join(b)) == pytest.approx(expected)


def test_lexical_similarity_is_the_negative_mean_over_pairs() -> None:
    record = Record("q", "a", samples=samples("the cat sat", "the dog sat", "who knows"))

    assert LEXICAL.score(record) == pytest.approx(-(2 / 3 + 0 + 0) / 3)


def test_equal_samples_are_as_sure_as_can_be_and_one_more_changes_nothing() -> None:
    two, three = (Record("q", "a", samples=samples(*["Oslo"] * n)) for n in (2, 3))

    assert LEXICAL.score(two) == LEXICAL.score(three) == -1


def test_jaccard_by_hand() -> None:
    similarity = jaccard_similarities(["a b c", "B c d", "?", "?"])

    expected = [[1, 0.5, 0, 0], [0.5, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    assert np.array_equal(similarity, expected)
