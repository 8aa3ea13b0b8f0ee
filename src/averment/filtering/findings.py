"""What was found about a row: its claims, the pairs that they claim, how well its names are known.

A number that nobody could establish is None, with the reason under its name; it is never zero.
With counts alone nothing is supported and nothing contradicted, so these numbers are None then.
What this module does not do: decide (`averment.filtering.rules`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from averment.types import Check, ClaimVerdict, Count, Support

STATISTICS_ONLY = "statistics_only"
UNCALIBRATED = "uncalibrated"
NO_CLAIMS = "no_claims"
NO_NAMES = "no_names"
NO_CORPUS = "no_corpus"
UNKNOWN_COUNTS = "unknown_counts"
EXTRACTION_FAILED = "extraction_failed"
Numbers = Mapping[str, int | float | None]


@dataclass(frozen=True, slots=True)
class PairFound:
    """A pair that a row claims.

    ``absent``: both ends occur in the corpus and never near each other. ``not_covered``: one of
    them does not occur, or is hardly known, and nothing follows.
    """

    head: str
    relation: str
    tail: str
    support: Support
    documents: int | None

    @classmethod
    def of(cls, check: Check) -> PairFound:
        """What a check of the ends of a triplet says."""
        triplet = check.triplet
        return cls(
            triplet.head,
            triplet.relation,
            triplet.tail,
            _support(check),
            check.cooccurrence.documents,
        )

    @property
    def shown(self) -> dict[str, str]:
        """Its triplet, for a column."""
        return {"head": self.head, "relation": self.relation, "tail": self.tail}


def _support(check: Check) -> Support:
    if check.support is not Support.ABSENT:
        return check.support
    ends = {check.head_count.support(), check.tail_count.support()}
    if Support.UNKNOWN in ends:
        return Support.UNKNOWN
    return Support.NOT_COVERED if Support.ABSENT in ends else Support.ABSENT


@dataclass(frozen=True, slots=True)
class ClaimFound:
    """A claim at ``text[start:end]``; verdict and probabilities are None where nobody judged."""

    start: int
    end: int
    support: Support
    reason: str | None = None
    verdict: ClaimVerdict | None = None
    p_faithful: float | None = None
    p_true: float | None = None
    withheld: bool = False

    @property
    def shown(self) -> dict[str, Any]:
        """Itself, for a column; without the fields of a judge where there was none."""
        counted = {
            "start": self.start,
            "end": self.end,
            "support": self.support.value,
            "reason": self.reason,
        }
        if self.verdict is None:
            return counted
        judged = {"p_faithful": self.p_faithful, "p_true": self.p_true}
        return {**counted, "verdict": self.verdict.value, **judged}


@dataclass(frozen=True)
class Findings:
    """All that was found about a row.

    Args:
        claims: In order.
        pairs: What they claim, each pair once.
        names: The names of the text and in how many documents each occurs; None: unknown.
        judged: Somebody judged the claims; False: they were counted only.
        calibrated: What was judged are probabilities.
        has_corpus: Pairs and names could be counted.
    """

    claims: tuple[ClaimFound, ...] = ()
    pairs: tuple[PairFound, ...] = ()
    names: tuple[tuple[str, int | None], ...] = ()
    judged: bool = False
    calibrated: bool = False
    has_corpus: bool = True
    reasons: dict[str, str] = field(default_factory=dict, compare=False)

    def of_support(self, support: Support) -> list[PairFound]:
        """The pairs of which this is known."""
        return [pair for pair in self.pairs if pair.support is support]

    @property
    def n_unread(self) -> int:
        """Claims of which it is not known what they claim."""
        return sum(claim.reason == EXTRACTION_FAILED for claim in self.claims)

    @property
    def has_unknown_pairs(self) -> bool:
        """Whether there may be pairs of which nothing is known."""
        return self.n_unread > 0 or any(p.support is Support.UNKNOWN for p in self.pairs)

    @cached_property
    def rarest(self) -> tuple[str | None, int | None]:
        """The name that occurs in the fewest documents; None where nobody knows."""
        known = [(n, name) for name, n in self.names if n is not None]
        if not self.names or len(known) < len(self.names):
            return None, None
        documents, name = min(known)
        return name, documents

    @cached_property
    def numbers(self) -> Numbers:
        """The fields that a rule may speak of; see `averment.filtering.keep`."""
        absent = len(self.of_support(Support.ABSENT))
        not_covered = len(self.of_support(Support.NOT_COVERED))
        unknown = len(self.of_support(Support.UNKNOWN)) + self.n_unread
        unknown += sum(n is None for _, n in self.names)
        counts: dict[str, int | float | None] = {
            "n_pairs": len(self.pairs),
            # A pair of which nothing is known could be one more of these.
            "n_absent_pairs": None if self.has_unknown_pairs else absent,
            "n_not_covered_pairs": None if self.has_unknown_pairs else not_covered,
            "n_unknown_counts": unknown,
            "least_documents": self.rarest[1],
        }
        if not self.has_corpus:
            counts = dict.fromkeys(counts)
        for name in counts:
            if counts[name] is None:
                self.reasons[name] = self._why_uncounted(name)
        return {"n_claims": len(self.claims), **counts, **self._judgements()}

    def _why_uncounted(self, name: str) -> str:
        if not self.has_corpus:
            return NO_CORPUS
        return NO_NAMES if name == "least_documents" and not self.names else UNKNOWN_COUNTS

    def _judgements(self) -> Numbers:
        names = [f"n_{verdict.value}" for verdict in ClaimVerdict]
        names += ["n_withheld", "lowest_p_faithful", "lowest_p_true"]
        if not self.judged:
            self.reasons.update(dict.fromkeys(names, STATISTICS_ONLY))
            return dict.fromkeys(names)
        found: dict[str, int | float | None] = {
            f"n_{verdict.value}": sum(claim.verdict is verdict for claim in self.claims)
            for verdict in ClaimVerdict
        }
        found["n_withheld"] = sum(claim.withheld for claim in self.claims)
        found["lowest_p_faithful"] = self._lowest(
            "lowest_p_faithful", [claim.p_faithful for claim in self.claims]
        )
        found["lowest_p_true"] = self._lowest(
            "lowest_p_true", [claim.p_true for claim in self.claims]
        )
        return found

    def _lowest(self, name: str, values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        if known and len(known) == len(values):
            return min(known)
        if not values:
            self.reasons[name] = NO_CLAIMS
        else:
            calibration = name == "lowest_p_true" and not self.calibrated
            self.reasons[name] = UNCALIBRATED if calibration else "unknown_claim"
        return None


def documents_of(count: Count) -> int | None:
    """In how many documents a name occurs; None unless that is exact."""
    return count.documents if count.support() is not Support.UNKNOWN and _exact(count) else None


def _exact(count: Count) -> bool:
    return count.kind.value == "exact"
