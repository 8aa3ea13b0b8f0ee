"""Whether a row is kept, and why not.

Without an expression: a run that counts rejects a row that claims a pair of which both ends are
known to the corpus and never stand near each other; a run that judges rejects one with a claim
that a passage contradicts, or that a promise withholds. What could not be established is no reason
to keep a row. That names are rare, or not covered, is told by flags and rejects nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from averment.filtering.findings import UNKNOWN_COUNTS, Findings
from averment.filtering.keep import Keep
from averment.types import Support

ABSENT_PAIR = "absent_pair"
CONTRADICTED = "contradicted_claim"
WITHHELD = "withheld_claim"
EXPRESSION = "keep_expression"
MALFORMED = "malformed"
NOT_COVERED = "not_covered"
RARE = "rare_name"
NOTHING_CLAIMED = "no_claims"


@dataclass(frozen=True, slots=True)
class Rule:
    """What rejects a row.

    Args:
        keep: An expression; None: the rule of the house.
        rare_below: A name in fewer documents is rare, which is told and rejects nothing.
    """

    keep: Keep | None = None
    rare_below: int = 2

    def rejects(self, found: Findings) -> str | None:
        """Why a row is rejected: a code; None: it is kept."""
        if self.keep is not None:
            kept = self.keep(found.numbers)
            if kept is None:
                return f"unknown_{self._unknown(found)}"
            return None if kept else EXPRESSION
        if found.judged:
            if found.numbers["n_contradicted"]:
                return CONTRADICTED
            return WITHHELD if found.numbers["n_withheld"] else None
        if found.of_support(Support.ABSENT):
            return ABSENT_PAIR
        return UNKNOWN_COUNTS if found.has_unknown_pairs else None

    def flags(self, found: Findings) -> list[str]:
        """What is worth a look about a row, and no reason to reject it."""
        rarest = found.rarest[1]
        told = {
            NOTHING_CLAIMED: not found.claims,
            NOT_COVERED: bool(found.of_support(Support.NOT_COVERED)),
            RARE: rarest is not None and rarest < self.rare_below,
        }
        return [flag for flag, holds in told.items() if holds]

    def _unknown(self, found: Findings) -> str:
        """The first field of the expression that is unknown; a number may also be undefined."""
        fields = self.keep.fields if self.keep else ()
        return next((name for name in fields if found.numbers[name] is None), "number")
