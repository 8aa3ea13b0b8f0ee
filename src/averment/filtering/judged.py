"""What a judge of faithfulness finds about rows, one after the other, beside what is counted.

What this module does not do: judge; it is given who checks a text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from averment.filtering.claimed import Counting
from averment.filtering.fields import RowTexts
from averment.filtering.findings import ClaimFound, Findings, PairFound
from averment.scoring.withholding import is_withheld
from averment.types import Claim, Report


class Judging:
    """Says of texts what a check of them found.

    Args:
        check: Checks the text of a row.
        counting: Counts names; None: there is no corpus.
    """

    def __init__(self, check: Callable[[RowTexts], Report], counting: Counting | None) -> None:
        self._check = check
        self._counting = counting

    def __call__(self, rows: Sequence[RowTexts]) -> list[Findings]:
        """What is found about each row, in order."""
        return [self._found(self._check(row)) for row in rows]

    def _found(self, report: Report) -> Findings:
        names: list[tuple[str, int | None]] = []
        if self._counting is not None:
            texts = [claim.text for claim in report.claims]
            names = self._counting.documents(self._counting.names_in(texts))
        checks = [check for claim in report.claims for check in claim.checks]
        pairs = {check.triplet: PairFound.of(check) for check in checks}
        return Findings(
            tuple(map(_claim, report.claims)),
            tuple(pairs.values()),
            tuple(names),
            judged=True,
            calibrated=report.calibrated,
            has_corpus=self._counting is not None,
        )


def _claim(claim: Claim) -> ClaimFound:
    return ClaimFound(
        claim.start,
        claim.end,
        claim.support,
        claim.reasons.get("support"),
        claim.verdict,
        claim.p_faithful,
        claim.p_true,
        withheld=is_withheld(claim),
    )
