"""How much corpus evidence counts: the damping α of each branch, chosen on held-out groups.

The pair of α with the best likelihood of held-out labels under the whole mixture is taken, of
equals the smallest. The mixture is what is scored in the end, and unlike the likelihood of one
branch it needs no weights that have seen the label.
What this module does not do: look at a test split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from averment.errors import CalibrationError
from averment.franq.calibrator import Mode, Side
from averment.franq.corpus_stack import Features, Stack, shifted, sum_of_terms
from averment.franq.folds import fold_of_each
from averment.franq.isotonic import BoolArray, FloatArray
from averment.franq.rows import Table
from averment.franq.score import mixture
from averment.franq.sides import Branches, Scarcity, fit_branches

_ALPHAS: Final = tuple(step / 10 for step in range(11))
_N_FOLDS: Final = 5


def dampings(
    table: Table,
    mode: Mode,
    *,
    centred: bool,
    scarcity: Scarcity,
    features: Features,
    seed: int,
) -> tuple[float, float]:
    """The α of the faithful branch and of the other one.

    Args:
        table: The rows that teach the curves; whole groups are held out.
        mode: One that reads labels.
        centred: See `isotonic`.
        scarcity: What counts as few rows.
        features: Corpus features of each branch; without any, its α is 0.
        seed: Of the folds.

    Raises:
        CalibrationError: Fewer than 2 groups, or a fold leaves too little to fit on.
    """
    folds = fold_of_each(table.group, n_folds=_N_FOLDS, seed=seed)
    held_out = []
    for fold in range(int(folds.max()) + 1):
        taught, rest = table.take(np.flatnonzero(folds != fold)), np.flatnonzero(folds == fold)
        if len(taught.is_true) < scarcity.min_labelled or len(set(taught.is_true.tolist())) < 2:
            raise CalibrationError(
                f"Corpus evidence is damped by cross-fitting, and without fold {fold + 1} too few "
                f"labelled rows remain: {len(taught.is_true)}, {int(taught.is_true.sum())} true.",
                hint="Label more claims, or calibrate without corpus features.",
            )
        fitted = fit_branches(taught, mode, centred=centred, scarcity=scarcity, features=features)
        held_out.append(_HeldOut.of(fitted, table.take(rest)))
    return max(
        ((f, u) for f in _alphas(features.faithful) for u in _alphas(features.unfaithful)),
        key=lambda pair: (
            round(sum(part.log_likelihood(*pair) for part in held_out), 9),
            -pair[0] - pair[1],
        ),
    )


def _alphas(features: Sequence[str]) -> tuple[float, ...]:
    return _ALPHAS if features else (0.0,)


@dataclass(frozen=True, slots=True, eq=False)
class _HeldOut:
    """What the curves of the other folds say of the rows of one fold. Shapes (n,)."""

    p_faithful: FloatArray
    is_true: BoolArray
    branches: tuple[FloatArray, FloatArray]
    terms: tuple[FloatArray, FloatArray]

    @classmethod
    def of(cls, fitted: Branches, table: Table) -> _HeldOut:
        faithful, unfaithful = fitted.sides
        return cls(
            table.p_faithful,
            table.is_true,
            (faithful.p_true(table.uf), unfaithful.p_true(table.uu)),
            (
                sum_of_terms(fitted.terms[0], table.evidence),
                sum_of_terms(fitted.terms[1], table.evidence),
            ),
        )

    def log_likelihood(self, alpha_faithful: float, alpha_unfaithful: float) -> float:
        """Σ log P(label), in nats."""
        if_faithful = shifted(self.branches[0], alpha_faithful * self.terms[0])
        if_unfaithful = shifted(self.branches[1], alpha_unfaithful * self.terms[1])
        p_true = mixture(self.p_faithful, if_faithful, if_unfaithful)
        return float(np.log(np.where(self.is_true, p_true, 1 - p_true)).sum())


def with_stacks(fitted: Branches, alphas: tuple[float, float]) -> tuple[Side, Side]:
    """The branches with their corpus terms, damped."""
    faithful, unfaithful = (
        replace(side, evidence=Stack(alpha, terms)) if terms else side
        for side, alpha, terms in zip(fitted.sides, alphas, fitted.terms, strict=True)
    )
    return faithful, unfaithful
