"""The tables of the short-form bench: methods by set, condition and side, and differences.

What is fitted is fitted on all conditions of the training questions: of the same set for the tables
of a set, of all sets for the pooled ones. One table fits on clean passages only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from methods import PAPER_SHORT, Column, best_pair, fitted_columns, single_columns
from plots import count_curve
from scored import ScoredClaim
from tables import RANKING, Selected, absences, difference, grid, markdown, measured, shown

from averment.metrics.calibration_error import brier_score
from averment.metrics.rejection import prediction_rejection_ratio
from averment.metrics.resampling import BootstrapInterval
from averment.metrics.rows import BoolArray, IntArray

PLAIN, CORPUS = "FRANQ condition", "FRANQ condition + corpus"
BEFORE = "FRANQ quantile"
BRIER = "Brier (lower is better)"
CONDITIONS = ("clean", "shuffled", "corrupted")
_DIRTY = (
    "FRANQ quantile",
    "FRANQ shared",
    "FRANQ condition",
    "FRANQ em",
    "FRANQ condition + corpus",
    "XGBoost, FRANQ features",
    "best single, calibrated",
)


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Some claims with every method fitted on them."""

    claims: Sequence[ScoredClaim]
    folds: IntArray
    columns: Mapping[str, Column]

    @classmethod
    def on(cls, claims: Sequence[ScoredClaim], folds: IntArray) -> Fitted:
        """Fit every method, cross-fitted by these folds."""
        fitted = fitted_columns(claims, folds, paper=PAPER_SHORT)
        return cls(claims, folds, {**single_columns(claims), **fitted})

    def select(self, chosen: Callable[[ScoredClaim], bool]) -> Selected:
        """Those of its claims."""
        return Selected.of(self.claims, np.array([chosen(claim) for claim in self.claims]))

    def table(self, title: str, chosen: Callable[[ScoredClaim], bool], *, n_resamples: int) -> str:
        """Every method on some of its claims."""
        selected = self.select(chosen)
        lines = measured(selected, self.columns, n_resamples=n_resamples)
        return markdown(title, selected, lines)


def tables(pooled: Fitted, *, n_resamples: int) -> list[str]:
    """All tables, as Markdown."""
    claims, folds = pooled.claims, pooled.folds
    parts = sorted({claim.part for claim in claims})
    conditions = [c for c in CONDITIONS if _any(claims, condition=c)]
    by_part = {part: _of_part(claims, folds, part) for part in parts}
    made = [
        _overview(claims),
        absences(claims),
        pooled.table("All sets", lambda _: True, n_resamples=n_resamples),
        pooled.table(
            "Faithful side (Pf ≥ 0.5)", lambda c: c.p_faithful >= 0.5, n_resamples=n_resamples
        ),
        pooled.table(
            "Unfaithful side (Pf < 0.5)", lambda c: c.p_faithful < 0.5, n_resamples=n_resamples
        ),
    ]
    for condition in conditions:
        made.append(
            pooled.table(
                f"All sets, {condition}",
                lambda c, of=condition: c.condition == of,
                n_resamples=n_resamples,
            )
        )
    for part, fitted in by_part.items():
        made.append(fitted.table(part, lambda _: True, n_resamples=n_resamples))
        for condition in conditions:
            made.append(
                fitted.table(
                    f"{part}, {condition}",
                    lambda c, of=condition: c.condition == of,
                    n_resamples=n_resamples,
                )
            )
    scopes = {"all sets": pooled, **by_part}
    made.append(_against_best(scopes, n_resamples=n_resamples))
    made.append(_with_corpus(pooled, n_resamples=n_resamples))
    made.append(_calibrated(scopes))
    made.append(_clean_to_dirty(claims, folds, n_resamples=n_resamples))
    made.append(_counts_table(claims, n_resamples=n_resamples))
    made.append(_not_fitted(scopes))
    return made


def _of_part(claims: Sequence[ScoredClaim], folds: IntArray, part: str) -> Fitted:
    at = [index for index, claim in enumerate(claims) if claim.part == part]
    return Fitted.on([claims[index] for index in at], folds[at])


def _any(claims: Sequence[ScoredClaim], *, condition: str) -> bool:
    return any(claim.condition == condition for claim in claims)


def _overview(claims: Sequence[ScoredClaim]) -> str:
    cells: dict[tuple[str, str], list[ScoredClaim]] = {}
    for claim in claims:
        cells.setdefault((claim.part, claim.condition), []).append(claim)
    body = [
        [
            *name,
            str(len(of)),
            f"{np.mean([c.is_true for c in of]):.2f}",
            f"{np.mean([c.p_faithful for c in of]):.2f}",
            f"{np.mean([c.p_faithful >= 0.5 for c in of]):.2f}",
            f"{np.mean([c.repeats_replaced for c in of]):.2f}",
            f"{np.mean([bool(c.counts) for c in of]):.2f}",
        ]
        for name, of in sorted(cells.items())
    ]
    head = "set,condition,claims,true,mean Pf,Pf ≥ 0.5,repeats the false answer,has counts"
    return f"### Claims\n\n{grid(head.split(','), body)}"


def _against_best(scopes: Mapping[str, Fitted], *, n_resamples: int) -> str:
    """FRANQ beside the estimator that turned out best on these very claims, and beside the rest."""
    body = []
    for name, fitted in scopes.items():
        selected = fitted.select(lambda _: True)
        reached = {
            method: prediction_rejection_ratio(
                -column.confidence[rows], selected.is_true[rows]
            ).value
            for method, column in fitted.columns.items()
            for rows in [selected.rows(column.confidence)]
            if rows.any()
        }
        known = {method: value for method, value in reached.items() if value is not None}
        if PLAIN not in known:
            continue
        ranked = sorted(known, key=lambda method: -known[method])
        others = [method for method in ranked if method != PLAIN]
        singles = [method for method in others if method in single_columns(fitted.claims)]
        for what, rival in (("best other", others[0]), ("best single", singles[0])):
            found = _differences(selected, fitted, PLAIN, rival, n_resamples)
            rank = f"{ranked.index(PLAIN) + 1} of {len(ranked)}"
            cells = [*map(shown, found), "–"][: len(RANKING) + 1]  # no Brier score of a mere order
            body.append([name, rank, what, rival, *cells])
    head = ["claims", "rank in PRR", "beside", "which", *RANKING, BRIER]
    return (
        f"### {PLAIN} − the best by hindsight\n\nThe rival is chosen on the claims that it is "
        f"measured on, which favours it.\n\n{grid(head, body)}"
    )


def _with_corpus(pooled: Fitted, *, n_resamples: int) -> str:
    """What corpus evidence adds, by side."""
    sides: dict[str, Callable[[ScoredClaim], bool]] = {
        "unfaithful side": lambda c: c.p_faithful < 0.5,
        "faithful side": lambda c: c.p_faithful >= 0.5,
        "all": lambda _: True,
    }
    compared = (
        (CORPUS, PLAIN),
        ("FRANQ em + corpus", "FRANQ em"),
        ("FRANQ condition, chosen pair + corpus", "FRANQ condition, chosen pair"),
        ("XGBoost, all and corpus", "XGBoost, all"),
    )
    body = [
        [side, better, *map(shown, _differences(selected, pooled, better, base, n_resamples))]
        for side, chosen in sides.items()
        for selected in [pooled.select(chosen)]
        for better, base in compared
        if {better, base} <= set(pooled.columns)
    ]
    head = ["claims", "method", *RANKING, BRIER]
    return f"### With corpus evidence − without, sets pooled\n\n{grid(head, body)}"


def _differences(
    selected: Selected, fitted: Fitted, better: str, base: str, n_resamples: int
) -> list[BootstrapInterval]:
    metrics = list(RANKING.values())
    columns = fitted.columns[better], fitted.columns[base]
    if all(column.is_probability for column in columns):
        metrics.append(brier_score)
    return [difference(selected, *columns, metric, n_resamples=n_resamples) for metric in metrics]


def _calibrated(scopes: Mapping[str, Fitted]) -> str:
    """ECE before and after calibration beside the band of perfect calibration."""
    body = []
    for name, fitted in scopes.items():
        selected = fitted.select(lambda _: True)
        wanted = {m: fitted.columns[m] for m in (BEFORE, PLAIN, CORPUS) if m in fitted.columns}
        for line in measured(selected, wanted, n_resamples=1):
            if line.ece is None or line.ece.value is None or line.band is None:
                continue
            low, high = line.band.low or 0.0, line.band.high or 0.0
            is_within = "yes" if line.ece.value <= high else "no"
            cells = [f"{line.ece.value:.3f}", f"{low:.3f}–{high:.3f}", is_within]
            body.append([name, line.name, *cells])
    head = ["claims", "method", "ECE", "if perfect", "within"]
    return f"### ECE before and after calibration\n\n{grid(head, body)}"


def _clean_to_dirty(claims: Sequence[ScoredClaim], folds: IntArray, *, n_resamples: int) -> str:
    """Fitted on clean passages only, beside fitted on all conditions, both cross-fitted."""
    is_clean: BoolArray = np.array([claim.condition == "clean" for claim in claims])
    fits = {
        "clean": fitted_columns(claims, folds, paper=PAPER_SHORT, taught=is_clean, only=_DIRTY),
        "all": fitted_columns(claims, folds, paper=PAPER_SHORT, only=_DIRTY),
    }
    body = []
    for condition in CONDITIONS:
        chosen = np.array([claim.condition == condition for claim in claims])
        selected = Selected.of(claims, chosen)
        for taught, columns in fits.items():
            for line in measured(selected, columns, n_resamples=n_resamples):
                prr, ece = line.ranking["PRR"], line.ece
                cells = [shown(prr), shown(ece) if ece else "–"]
                body.append([condition, line.name, taught, str(line.n), *cells])
    body.sort(key=lambda line: (line[0], line[1], line[2]))
    head = ["tested on", "method", "calibrated on", "claims", "PRR", "ECE"]
    return f"### Calibrated on clean passages, tested on others\n\n{grid(head, body)}"


def _counts_table(claims: Sequence[ScoredClaim], *, n_resamples: int) -> str:
    bins = count_curve(claims, n_resamples=n_resamples)
    body = [[b.label, str(b.share_true.n_rows), shown(b.share_true)] for b in bins]
    head = ["documents with entity and answer", "claims", "share correct"]
    return f"### P(correct | count)\n\n{grid(head, body)}"


def _not_fitted(scopes: Mapping[str, Fitted]) -> str:
    """Which pairs were chosen, and what could not be fitted."""
    lines = []
    for name, fitted in scopes.items():
        pairs: Counter[str] = Counter()
        for fold in np.unique(fitted.folds):
            teachers = [fitted.claims[at] for at in np.flatnonzero(fitted.folds != fold)]
            pairs[" / ".join(best_pair(teachers, otherwise=PAPER_SHORT))] += 1
        lines.append(f"- {name}: pairs chosen in the folds: {listed(pairs)}")
        silent: dict[str, Counter[str]] = {}
        for method, column in fitted.columns.items():
            for note in column.notes:
                silent.setdefault(note, Counter())[method] += 1
        lines += [
            f"- {name}: {note} Methods and folds: {listed(of)}" for note, of in silent.items()
        ]
    return "### Choices, and what could not be fitted\n\n" + "\n".join(lines) + "\n"


def listed(counts: Mapping[str, int]) -> str:
    """Such as ``2 empty, 1 unknown``."""
    return ", ".join(f"{n} {name}" for name, n in sorted(counts.items())) or "none"
