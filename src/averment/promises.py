"""What is promised of the error of what is shown, or why nothing can be: values, no arithmetic.

`averment.franq.selective` makes them; a `Promise` goes along with the scores that it speaks of.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

ASSUMPTIONS = (
    "The questions to come are exchangeable with those of the held-out labels, the labels are "
    "right, and the target was chosen without looking at them."
)
"""Without these the promise does not hold."""


class Unit(StrEnum):
    """What is kept or withheld as a whole."""

    CLAIM = "claim"
    """Error: the share of false claims among those kept of a question, averaged over questions that
    keep any. It is the share of false claims where each question has one."""
    ANSWER = "answer"
    """Error: the share of kept answers with a false claim, or with one of which nobody can tell. An
    answer is as probable as its least probable claim."""


class Remedy(StrEnum):
    """What becomes of a text of which something is withheld."""

    DROP = "drop"
    """It is left out."""
    HEDGE = "hedge"
    """It is given as something that may be."""
    ABSTAIN = "abstain"
    """No answer is given."""
    CHEAPEST = "cheapest"
    """Of these, each claim gets the one that is expected to cost least (`averment.costs`)."""


@dataclass(frozen=True, slots=True)
class Promise:
    """Of what is at least as probable as the threshold, no more than the target is false.

    With probability `confidence` over the held-out labels, and under `ASSUMPTIONS`.
    """

    target_error: float
    """In (0, 1)."""
    confidence: float
    """In (0, 1)."""
    unit: Unit
    p_true_at_least: float
    """The threshold, in [0, 1]: less probable claims or answers are withheld."""
    n_questions: int
    """Held out."""
    n_kept_questions: int
    """Of those, the ones that keep something."""
    error_kept: float
    """The error among those: an estimate, and lower than the target for that reason."""
    coverage: float
    """The share of held-out claims or answers that are kept, in (0, 1]."""
    remedy: Remedy = Remedy.DROP
    """For what is withheld; what is hedged is not given, as far as the promise goes."""

    @property
    def in_words(self) -> str:
        """One sentence."""
        return (
            f"Promised with confidence {self.confidence:g}: of the {self.unit}s that are given at "
            f"most {self.target_error:g} is false. P(true) must be {self.p_true_at_least:.3f}; "
            f"{self.coverage:.0%} of those held out reach it ({self.n_questions} questions)."
        )


@dataclass(frozen=True, slots=True)
class NotAttainable:
    """No threshold keeps the target with these labels."""

    target_error: float
    confidence: float
    unit: Unit
    n_questions: int
    n_kept_questions: int
    """That keep something at the strictest threshold that is tried."""
    error_kept: float | None
    """The error among those; None without any."""
    best_target_error: float | None
    """The lowest target that these labels could have kept, about; None: none."""
    n_questions_needed: int | None
    """How many held-out questions the target would need if the error at the strictest threshold
    stayed what it is, about; None: no number of them, the scores are not good enough."""

    @property
    def why(self) -> str:
        """One or two sentences."""
        told = (
            f"An error of at most {self.target_error:g} cannot be promised with confidence "
            f"{self.confidence:g}: {self.n_questions} questions were held out"
        )
        if self.error_kept is None:
            return f"{told}, and at the strictest threshold none of them keeps anything."
        told += (
            f", and of the {self.n_kept_questions} with the most probable {self.unit}s "
            f"{self.error_kept:.1%} is false."
        )
        if self.best_target_error is not None:
            told += f" At best {self.best_target_error:.3f} can be promised."
        if self.n_questions_needed is None:
            return f"{told} More labels alone would not help."
        return f"{told} If that share stays, about {self.n_questions_needed:,} are needed."
