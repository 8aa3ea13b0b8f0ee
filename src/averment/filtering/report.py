"""What a run came to, as one object: shares, reasons, histograms, what the corpus lacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from averment.filtering.fields import FieldChoice
from averment.filtering.labelled import Quality, quality_of
from averment.filtering.tally import HISTOGRAMS, Tally, bin_names

MOST_LACKING = 50


@dataclass(frozen=True, slots=True)
class FilterReport:
    """What a run came to.

    Args:
        settings: What it was, by name.
        fields: The fields that were read.
        tally: Sums over its rows.
        rare_below: A name in fewer documents is one that the corpus lacks.
    """

    settings: Mapping[str, Any]
    fields: FieldChoice
    tally: Tally
    rare_below: int

    @property
    def n_rows(self) -> int:
        """All rows, those that could not be read included."""
        return self.tally.n_rows

    @property
    def n_kept(self) -> int:
        """Rows that are kept."""
        return self.tally.n_kept

    @property
    def reasons(self) -> Mapping[str, int]:
        """Rejected rows by the reason, most frequent first."""
        return dict(self.tally.reasons.most_common())

    @property
    def quality(self) -> Quality | None:
        """How good the rejection is, by the labels; None without any."""
        return quality_of(self.tally.labelled)

    @property
    def lacking(self) -> list[tuple[str, int, int]]:
        """What to add to the corpus, as (name, rows, documents); what most rows name first."""
        return self.tally.lacking.most_common(MOST_LACKING)

    def to_json(self) -> dict[str, Any]:
        """The object of `--json` and of `report.json`."""
        tally, quality = self.tally, self.quality
        return {
            "settings": dict(self.settings),
            "n_rows": tally.n_rows,
            "n_kept": tally.n_kept,
            "n_rejected": tally.n_rows - tally.n_kept,
            "share_kept": tally.n_kept / tally.n_rows if tally.n_rows else None,
            "n_claims": tally.n_claims,
            "n_pairs": tally.n_pairs,
            "reasons": self.reasons,
            "flags": dict(tally.flags.most_common()),
            "histograms": {
                name: dict(zip(bin_names(name), tally.bins[name], strict=True))
                for name in HISTOGRAMS
            },
            "labels": None if quality is None else _quality(quality),
            "under_covered": {
                "fewer_documents_than": self.rare_below,
                "rows_missed_at_most": tally.lacking.missed_at_most,
                "names": [
                    {"name": name, "n_rows": n_rows, "documents": documents}
                    for name, n_rows, documents in self.lacking
                ],
            },
        }


def _quality(quality: Quality) -> dict[str, Any]:
    shares = ("precision", "recall", "f1")
    return {
        **{n: getattr(quality, n) for n in ("n_labelled", "n_wrong", "n_rejected")},
        **{name: getattr(quality, name)._asdict() for name in shares},
    }
