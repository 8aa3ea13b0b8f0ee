"""What false, hedged and missing claims cost, and what is therefore done with a claim.

P(true) and these costs decide together: give a claim, hedge it, leave it out or give no answer; and
before that, whether one more search or one more draft is worth what it takes. The unit is a false
claim that is given.

What this module does not do: find out how probable a claim is, or do what it decides.

Source: the rule of the least expected cost with an option to reject (Chow 1970), for the decision
layer of `design/0026`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import StrEnum

from averment.promises import Remedy


class Action(StrEnum):
    """What is done with a drafted claim."""

    GIVE = "give"
    HEDGE = "hedge"
    DROP = "drop"
    ABSTAIN = "abstain"
    SEARCH = "search"
    DRAFT = "draft"

    @property
    def remedy(self) -> Remedy | None:
        """What becomes of a claim that is withheld; None: it is not, or not yet."""
        is_remedy = self in (Action.HEDGE, Action.DROP, Action.ABSTAIN)
        return Remedy(self.value) if is_remedy else None


_DONE = {
    Action.GIVE: "given",
    Action.HEDGE: "hedged",
    Action.DROP: "left out",
    Action.ABSTAIN: "no answer",
    Action.SEARCH: "searched again",
    Action.DRAFT: "drafted again",
}


@dataclass(frozen=True, slots=True)
class Weighed:
    """A draft of a sentence, how probable it was, and what was done with it."""

    text: str
    p_true: float | None
    """None: unknown, which is weighed as false."""
    action: Action
    expected_cost: float
    """Of the best that can be done with the claim as it is: give, hedge, drop or abstain."""
    saved: float = 0.0
    """What the search or the draft is expected to save, less what it costs."""

    @property
    def in_words(self) -> str:
        """One line: the probability, what was done, and why."""
        known = "unknown" if self.p_true is None else f"{self.p_true:.2f}"
        told = f"P(true) {known}, expected cost {self.expected_cost:.2f}: {_DONE[self.action]}"
        return f"{told}, which is expected to save {self.saved:.2f}" if self.saved else told


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs, >= 0, in units of a false claim that is given; and how often a repair mends.

    Args:
        false: A false claim is given.
        hedged: A claim is hedged, be it true or false.
        false_hedged: A false claim is hedged: what that costs besides.
        dropped: A claim is left out of an answer.
        abstained: No answer is given.
        search: One more search, with the draft behind it.
        draft: One more draft with the same evidence.
        search_mends: Of claims that are not good enough, the share that a search makes true. In the
            paper of QuCo-RAG repairs gained .104 of the .693 that a single search left wrong
            (2Wiki, 7B, table 1); of the model at hand it says little.
        draft_mends: The share that one more draft makes true. Nobody measured it: it is taken to be
            so small that a draft alone is not worth its cost.

    Raises:
        ValueError: A cost is negative or not finite, or a share lies outside [0, 1].
    """

    false: float = 1.0
    hedged: float = 0.1
    false_hedged: float = 0.5
    dropped: float = 0.35
    abstained: float = 0.35
    search: float = 0.05
    draft: float = 0.03
    search_mends: float = 0.15
    draft_mends: float = 0.05

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            most = 1.0 if field.name.endswith("_mends") else math.inf
            if not (math.isfinite(value) and 0 <= value <= most):
                expected = "a share in [0, 1]" if most == 1 else "a finite number, 0 or more"
                raise ValueError(f"{field.name} is {value:g}; expected {expected}")

    def withheld(self, p_true: float | None, *, answers: bool) -> tuple[Action, float]:
        """The cheapest way not to give a claim, and its expected cost.

        Args:
            p_true: In [0, 1]; None is weighed as 0.
            answers: The claim gives the answer, so that there is none without it.
        """
        hedged = self.hedged + _p_false(p_true) * self.false_hedged
        out = Action.ABSTAIN if answers else Action.DROP
        left_out = self.abstained if answers else self.dropped
        return (Action.HEDGE, hedged) if hedged < left_out else (out, left_out)

    def best(self, p_true: float | None, *, answers: bool) -> tuple[Action, float]:
        """The cheapest that can be done with a claim as it is; giving it where that ties."""
        given = _p_false(p_true) * self.false
        withheld = self.withheld(p_true, answers=answers)
        return withheld if withheld[1] < given else (Action.GIVE, given)

    def repair(self, cost: float, *, may_search: bool, may_draft: bool) -> tuple[Action, float]:
        """The repair that saves most of an expected cost, and how much; 0 where none is worth it.

        What is mended is expected to cost nothing more, what is not costs what it did.

        Args:
            cost: Of the best that can be done with the claim as it is.
            may_search: There is something left to search for.
            may_draft: Another draft may come out otherwise.
        """
        by_search = self.search_mends * cost - self.search if may_search else 0.0
        by_draft = self.draft_mends * cost - self.draft if may_draft else 0.0
        action = Action.DRAFT if by_draft > by_search else Action.SEARCH
        return action, max(by_search, by_draft, 0.0)

    @property
    def in_words(self) -> str:
        """One line, for whoever reads an answer."""
        return ", ".join(
            f"{f.name.replace('_', ' ')} {getattr(self, f.name):g}" for f in fields(self)
        )


def _p_false(p_true: float | None) -> float:
    """Unknown is never true."""
    return 1.0 if p_true is None else 1.0 - p_true
