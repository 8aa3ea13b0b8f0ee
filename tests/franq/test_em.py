"""The joint fit: its likelihood never falls, and it finds the branch that a label speaks of."""

from __future__ import annotations

import numpy as np
import pytest
from claims_by_hand import claims
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.franq.em import joint_fit

ROWS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 5), st.integers(0, 5), st.booleans()),
    min_size=1,
    max_size=20,
)


@given(ROWS)
@settings(deadline=None)
def test_the_likelihood_never_falls(rows: list[tuple[float, int, int, bool]]) -> None:
    pf, uf, uu, is_true = (np.array(column) for column in zip(*rows, strict=True))

    fit = joint_fit(pf, uf=uf.astype(float), uu=uu.astype(float), is_true=is_true)

    assert len(fit.log_likelihoods) == 26
    assert np.all(np.diff(fit.log_likelihoods) >= -1e-9)
    assert np.all((fit.faithful_weights >= 0) & (fit.faithful_weights <= 1))


def test_it_climbs_on_claims_whose_faithfulness_is_told_too_high() -> None:
    made = claims(300, seed=1, told=0.4).rows
    columns = [np.array([getattr(row, name) for row in made]) for name in ("uf", "uu", "is_true")]
    pf = np.array([row.p_faithful for row in made])

    fit = joint_fit(pf, uf=columns[0], uu=columns[1], is_true=columns[2])

    assert fit.log_likelihoods[-1] > fit.log_likelihoods[0] + 1


def test_a_false_claim_with_high_confidence_if_faithful_speaks_of_the_other_branch() -> None:
    pf = np.full(40, 0.5)
    uf = np.repeat([1.0, 1.0, 0.0, 0.0], 10)
    uu = np.repeat([1.0, 0.0, 1.0, 0.0], 10)
    is_true = np.repeat([True, True, True, False], 10)
    is_true[10:15] = False

    fit = joint_fit(pf, uf=uf, uu=uu, is_true=is_true)

    assert fit.faithful_weights[12] < 0.5 < fit.faithful_weights[17]


@pytest.mark.parametrize("pf", [0.0, 1.0])
def test_certain_faithfulness_leaves_all_weight_on_one_branch(pf: float) -> None:
    confidence = np.arange(4.0)

    fit = joint_fit(
        np.full(4, pf), uf=confidence, uu=confidence, is_true=np.array([0, 1, 0, 1], dtype=bool)
    )

    assert fit.faithful_weights.tolist() == [pf] * 4
