"""The graph of samples: identities that hold for every number of samples, and one by hand."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from answers_by_hand import CONTRADICTS, ENTAILS, OPEN, record_of_meanings, reordered, samples
from hypothesis import given
from hypothesis import strategies as st

from averment.uq.estimator import Absence, Absent
from averment.uq.records import Nli, NliMatrix, Record
from averment.uq.registry import estimator

GRAPHS = ["degree_matrix", "eccentricity", "sum_of_eigenvalues"]
MEANINGS = st.lists(st.integers(0, 3), min_size=2, max_size=8)


@st.composite
def judged_records(draw: st.DrawFn) -> Record:
    """Samples that were judged anyhow."""
    n_samples = draw(st.integers(2, 6))
    share = st.integers(0, 10)

    def judgement() -> Nli:
        parts = np.array([draw(share), draw(share), draw(share)], dtype=float) + 0.01
        return Nli(*(parts / parts.sum()).tolist())

    matrix: NliMatrix = tuple(
        tuple(judgement() for _ in range(n_samples)) for _ in range(n_samples)
    )
    texts = [str(i) for i in range(n_samples)]
    return Record("q", "a", samples=samples(*texts), sample_nli=matrix, nli_model="by hand")


def drawn_twice(record: Record) -> Record:
    """Every sample again; a text entails itself."""
    twice = [*range(len(record.samples))] * 2
    doubled = reordered(record, twice)
    matrix = tuple(
        tuple(ENTAILS if twice[i] == twice[j] else nli for j, nli in enumerate(row))
        for i, row in enumerate(doubled.sample_nli)
    )
    return replace(doubled, sample_nli=matrix)


@pytest.mark.parametrize("n_samples", [2, 3, 10])
@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("degree_matrix", 0),
        ("eccentricity", 0),
        ("sum_of_eigenvalues", 1),
        ("number_of_semantic_sets", 1),
        ("semantic_entropy_discrete", 0),
        ("luq", 0),
    ],
)
def test_samples_of_one_meaning_have_the_least_uncertainty(
    name: str, least: float, n_samples: int
) -> None:
    record = record_of_meanings([7] * n_samples)

    assert estimator(name).score(record) == pytest.approx(least, abs=1e-6)


@pytest.mark.parametrize("other", [CONTRADICTS, OPEN], ids=["contradicting", "neutral"])
@pytest.mark.parametrize("n_samples", [2, 3, 10])
def test_unrelated_samples_have_the_most(n_samples: int, other: Nli) -> None:
    record = record_of_meanings(range(n_samples), other=other)
    n = n_samples
    most = {
        "degree_matrix": 1 - 1 / n,
        "eccentricity": math.sqrt(n - 1),
        "sum_of_eigenvalues": n,
        "number_of_semantic_sets": n,
        "semantic_entropy_discrete": math.log(n),
    }

    assert {name: estimator(name).score(record) for name in most} == pytest.approx(most)


@given(MEANINGS)
def test_groups_of_meanings_are_counted_and_weighed(meanings: list[int]) -> None:
    sizes = Counter(meanings).values()
    shares = [size / len(meanings) for size in sizes]
    expected = {
        "degree_matrix": 1 - sum(share**2 for share in shares),
        "eccentricity": math.sqrt(len(sizes) - 1),
        "sum_of_eigenvalues": len(sizes),
        "number_of_semantic_sets": len(sizes),
        "semantic_entropy_discrete": -sum(share * math.log(share) for share in shares),
    }

    record = record_of_meanings(meanings)

    scores = {name: estimator(name).score(record) for name in expected}
    assert scores == pytest.approx(expected, abs=1e-6)


@given(judged_records())
def test_samples_drawn_twice_change_nothing(record: Record) -> None:
    names = [*GRAPHS, "number_of_semantic_sets"]

    once = [estimator(name).score(record) for name in names]

    assert [estimator(n).score(drawn_twice(record)) for n in names] == pytest.approx(once, abs=1e-6)


@given(judged_records(), st.randoms())
def test_the_order_of_judged_samples_does_not_matter(record: Record, random: object) -> None:
    order = list(range(len(record.samples)))
    random.shuffle(order)  # type: ignore[attr-defined]
    names = [*GRAPHS, "number_of_semantic_sets", "luq"]

    scores = [estimator(name).score(record) for name in names]

    other = [estimator(name).score(reordered(record, order)) for name in names]
    assert other == pytest.approx(scores, abs=1e-6)


@given(judged_records(), st.sampled_from(["", "_contradiction", "_jaccard"]))
def test_scores_stay_in_their_ranges(record: Record, affinity: str) -> None:
    n_samples = len(record.samples)
    degree, spread, n_meanings = (estimator(f"{name}{affinity}").score(record) for name in GRAPHS)

    assert -1e-9 <= degree <= 1 - 1 / n_samples + 1e-9
    assert 0 <= spread <= math.sqrt(n_samples - 1) + 1e-9
    assert 1 - 1e-9 <= n_meanings <= n_samples + 1e-9


def test_two_samples_by_hand() -> None:
    # W = [[1, .4], [.4, 1]], rows sum to 1.4: eigenvalues of L are 0 and 1 - .6/1.4.
    matrix = ((OPEN, Nli(0.2, 0.1, 0.7)), (Nli(0.6, 0.3, 0.1), OPEN))
    record = Record("q", "a", samples=samples("x", "y"), sample_nli=matrix, nli_model="by hand")

    assert estimator("degree_matrix").score(record) == pytest.approx(0.3)
    assert estimator("degree_matrix_contradiction").score(record) == pytest.approx(0.2)
    assert estimator("sum_of_eigenvalues").score(record) == pytest.approx(1 + 0.6 / 1.4)
    assert estimator("eccentricity").score(record) == pytest.approx(1.0)
    assert estimator("number_of_semantic_sets").score(record) == 2


def test_sets_are_linked_through_a_third() -> None:
    near, far = Nli(0.4, 0.3, 0.3), Nli(0.1, 0.1, 0.8)
    matrix = ((ENTAILS, near, far), (near, ENTAILS, near), (far, near, ENTAILS))
    record = Record("q", "a", samples=samples(*"xyz"), sample_nli=matrix, nli_model="by hand")

    assert estimator("number_of_semantic_sets").score(record) == 1


def test_a_model_that_doubts_that_a_text_entails_itself_is_not_asked() -> None:
    record = record_of_meanings([0, 0, 0])
    doubted = tuple(
        tuple(CONTRADICTS if i == j else nli for j, nli in enumerate(row))
        for i, row in enumerate(record.sample_nli)
    )

    doubtful = replace(record, sample_nli=doubted)

    assert [estimator(name).score(doubtful) for name in GRAPHS] == pytest.approx(
        [0, 0, 1], abs=1e-6
    )


def test_shared_words_make_a_graph_without_any_model() -> None:
    record = Record("q", "a", samples=samples("a b", "a b", "c d"))

    assert estimator("sum_of_eigenvalues_jaccard").score(record) == pytest.approx(2)
    assert estimator("degree_matrix_jaccard").score(record) == pytest.approx(1 - 5 / 9)


def test_a_matrix_of_another_size_is_unaligned() -> None:
    record = record_of_meanings([0, 1, 2])

    absent = estimator("luq").score(replace(record, sample_nli=record.sample_nli[:2]))

    assert isinstance(absent, Absent)
    assert absent.reason is Absence.UNALIGNED
