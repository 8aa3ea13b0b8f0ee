"""Which rows are held out together: whole groups, so that no claim is scored by its own answer.

Folds depend on the names of the groups and the seed, never on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from averment.errors import CalibrationError
from averment.franq.isotonic import IntArray


def fold_of_each(groups: Sequence[str], *, n_folds: int, seed: int) -> IntArray:
    """The fold of each row, from 0; all rows of a group are in one fold.

    Args:
        groups: The group of each row. Length n.
        n_folds: At least 2; fewer folds are made where there are fewer groups.
        seed: The same seed gives the same folds.

    Returns:
        Shape (n,). The folds differ by at most one group.

    Raises:
        ValueError: Fewer than 2 folds are asked for.
        CalibrationError: There are fewer than 2 groups.
    """
    if n_folds < 2:
        raise ValueError(f"Cross-fitting needs at least 2 folds, not {n_folds}.")
    names, group = np.unique(np.asarray(groups), return_inverse=True)
    if len(names) < 2:
        raise CalibrationError(
            f"Cross-fitting needs rows of at least 2 questions; these are of {len(names)}.",
            hint="Give each row the group of its question, and label more questions.",
        )
    order = np.random.default_rng(seed).permutation(len(names))
    fold_of_group = np.empty(len(names), dtype=np.int64)
    fold_of_group[order] = np.arange(len(names)) % min(n_folds, len(names))
    folds: IntArray = fold_of_group[group]
    return folds
