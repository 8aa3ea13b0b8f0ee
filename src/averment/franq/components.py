"""Which estimator serves which branch, and what to take where the preferred one has no value.

| form  | faithful branch (uf)     | unfaithful branch (uu)     |
| ----- | ------------------------ | -------------------------- |
| long  | `max_probability`        | `parametric_knowledge`     |
| short | `semantic_entropy`       | `sum_of_eigenvalues`       |

The lists below are tried in order; what they end with is `constant`, the base rate of the branch.
That costs .010 PRR on the faithful side of long answers and half of the PRR on the other one, where
corpus evidence can still speak. A calibrator belongs to the pair that it was fitted on: where the
planner falls back, a calibrator of that other pair is needed.
What this module does not do: compute anything, fetch what a record lacks.

Source: FRANQ (arXiv 2505.21072), final version; orders of the rest: its component grids.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from averment.uq.estimator import Absent
from averment.uq.records import Record, Span
from averment.uq.registry import estimator

CONSTANT: Final = "constant"
"""The name of the estimator that says the same of every claim: its branch is a base rate."""
LOG_PROBABILITIES: Final = frozenset({"max_probability", "parametric_knowledge", "p_true"})
"""Estimators whose negated uncertainty is the log of a probability."""


class Form(StrEnum):
    """What kind of answer a claim is from."""

    LONG = "long"
    """Several claims; a claim has some tokens of it."""
    SHORT = "short"
    """The whole answer is one claim."""


FAITHFUL_PREFERENCES: Final[Mapping[Form, tuple[str, ...]]] = MappingProxyType(
    {
        Form.LONG: ("max_probability", "frequency_scoring", "p_true"),
        Form.SHORT: (
            "semantic_entropy",
            "semantic_entropy_discrete",
            "max_token_entropy",
            "max_token_entropy_top",
            "max_probability",
            "lexical_similarity",
            "p_true",
        ),
    }
)
"""Estimators for uf, best first."""

UNFAITHFUL_PREFERENCES: Final[Mapping[Form, tuple[str, ...]]] = MappingProxyType(
    {
        Form.LONG: (
            "parametric_knowledge",
            "ccp",
            "mean_token_entropy",
            "mean_token_entropy_top",
            "max_probability",
            "frequency_scoring",
            "p_true",
        ),
        Form.SHORT: (
            "sum_of_eigenvalues",
            "degree_matrix",
            "semantic_entropy",
            "sum_of_eigenvalues_jaccard",
            "max_token_entropy",
            "max_token_entropy_top",
            "max_probability",
            "parametric_knowledge",
            "p_true",
        ),
    }
)
"""Estimators for uu, best first."""


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A preferred estimator that has no value here, and why."""

    estimator: str
    absent: Absent


@dataclass(frozen=True, slots=True)
class Component:
    """The estimator that was chosen for a branch, and what it says."""

    estimator: str
    """Its name, or ``constant``."""
    label: str
    """The name to report, with the models that judged."""
    confidence: float | None
    """Better when higher; None for ``constant``."""
    passed_over: tuple[PassedOver, ...]
    """What would have been better, best first; empty if the best was taken."""

    @property
    def why(self) -> str:
        """Why not the preferred estimator, in words; empty where it is the one."""
        if not self.passed_over:
            return ""
        because = "; ".join(f"{p.estimator}: {p.absent.detail}" for p in self.passed_over)
        return f"{self.estimator} instead of {self.passed_over[0].estimator} ({because})"


@dataclass(frozen=True, slots=True)
class Components:
    """The pair for one claim."""

    uf: Component
    uu: Component


def confidence(uncertainty: float | Absent) -> float | None:
    """The confidence that an estimator's uncertainty means: its negation; None where absent.

    Raises:
        ValueError: NaN or infinite, which no estimator gives.
    """
    if isinstance(uncertainty, Absent):
        return None
    if not math.isfinite(uncertainty):
        raise ValueError(f"An uncertainty is finite or absent, not {uncertainty}.")
    return -uncertainty


def choose_components(record: Record, span: Span, *, form: Form) -> Components:
    """The best pair of estimators that have a value for this claim.

    Args:
        record: The answer and what is known of it.
        span: The claim; for short answers the whole answer.
        form: Which lists are tried.
    """
    return Components(
        uf=_first_with_a_value(FAITHFUL_PREFERENCES[form], record, span),
        uu=_first_with_a_value(UNFAITHFUL_PREFERENCES[form], record, span),
    )


def _first_with_a_value(names: Sequence[str], record: Record, span: Span) -> Component:
    passed_over: list[PassedOver] = []
    for name in names:
        candidate = estimator(name)
        uncertainty = candidate.score(record, span)
        if not isinstance(uncertainty, Absent):
            label = candidate.label(record)
            return Component(name, label, confidence(uncertainty), tuple(passed_over))
        passed_over.append(PassedOver(name, uncertainty))
    return Component(CONSTANT, CONSTANT, None, tuple(passed_over))
