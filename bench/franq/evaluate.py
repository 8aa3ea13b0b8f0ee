r"""Tables and diagrams of the short-form FRANQ bench, from the rows of `generate.py`.

    python bench/franq/evaluate.py --index IDX --model qwen2.5-coder-0.5b --nli MODEL_DIR \
        --embedder EMBEDDER_DIR
    python bench/franq/evaluate.py --model qwen2.5-coder-0.5b --from-scores

The first scores whatever rows there are and writes their numbers to
`bench/runs/franq-short-MODEL-scores.jsonl`; the second makes the tables again from that file alone,
without data, index or model. Without `--nli` the lexical alignment stands in for entailment, for
development only, and every output says so; without `--embedder` the
estimators of SAR have no value.

What is fitted is fitted on all conditions of the training questions: of the same set for the tables
of a set, of all sets for the pooled ones. The last table but one fits on clean passages only.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from methods import (
    PAPER_SHORT,
    Column,
    best_pair,
    fitted_columns,
    folds_of,
    single_columns,
)
from plots import count_curve, write_count_curve, write_diagram
from scored import MadeBy, ScoredClaim, read_scored, write_scored
from tables import RANKING, Selected, absences, difference, grid, markdown, measured, shown

from averment.metrics.calibration_error import brier_score
from averment.metrics.rejection import prediction_rejection_ratio
from averment.metrics.resampling import BootstrapInterval
from averment.metrics.rows import BoolArray, IntArray

BENCH = Path(__file__).parents[1]
RUNS, PLOTS = BENCH / "runs", BENCH / "plots"
EMBEDDER = "all-MiniLM-L6-v2"
PLAIN, CORPUS = "FRANQ condition", "FRANQ condition + corpus"
BEFORE = "FRANQ quantile"
_DIRTY = (
    "FRANQ quantile",
    "FRANQ shared",
    "FRANQ condition",
    "FRANQ em",
    "FRANQ condition + corpus",
    "XGBoost, FRANQ features",
    "best single, calibrated",
)


# --- scoring ------------------------------------------------------------------------------------


def scored(
    rows_path: Path,
    index_path: str,
    *,
    nli: Path | None,
    embedder: Path | None,
    cache: Path,
    model: str,
    n_threads: int,
    keep_originals: bool,
) -> tuple[MadeBy, list[ScoredClaim], str]:
    """Score the rows of a run; the text says what became of them."""
    from questions import items
    from records import (
        Judging,
        Rescoring,
        attempts,
        compared,
        matched,
        read_rows,
        record_of,
        uncertainties,
    )
    from similarity import Embedder

    import averment
    from corpus import CorpusCounter, passages_taken_out

    rows = read_rows(rows_path)
    kept, dropped = attempts(rows)
    every = items(index_path)
    clean = {(i.set_name, i.row): i for i in every if i.condition == "clean"}
    pairs = matched(kept, every)
    counter = CorpusCounter(averment.open_index(index_path))
    judging = Judging.open(nli, cache=cache, n_threads=n_threads)
    comparing = Embedder(embedder, name=EMBEDDER, n_threads=n_threads) if embedder else None
    records = [record_of(row, item) for row, item in pairs]
    p_faithful = judging.faithfulness(records)
    claims, n_without_heads, n_overdrawn = [], 0, 0
    for at, ((row, item), record) in enumerate(zip(pairs, records, strict=True)):
        if at % 100 == 0:
            sys.stderr.write(f"{at} of {len(pairs)} rows\n")
        values, absent = uncertainties(compared(judging.judged(record), comparing))
        taken_out = passages_taken_out(
            item, clean[item.set_name, item.row], keep_originals=keep_originals
        )
        found = counter.evidence(row, item.question, taken_out)
        n_without_heads += not found.n_heads
        n_overdrawn += found.n_overdrawn
        claims.append(
            ScoredClaim(
                key=item.key,
                question=f"{item.set_name}:{item.row}",
                part=item.set_name,
                condition=item.condition,
                is_true=row["correct"],
                p_faithful=p_faithful[at],
                uncertainty=values,
                absent=absent,
                evidence=found.features,
                counts=found.counts,
                repeats_replaced=row["repeats_replaced"],
            )
        )
    check = Rescoring.of(rows)
    told = (
        f"{len(rows)} rows; dropped as no attempt: {_listed(dropped)}; without a head of the "
        f"question: {n_without_heads}; pairs in more retrieved passages than documents: "
        f"{n_overdrawn}\n\nRe-scoring: {check.n_other_tokens} of {check.n_rows} answers are cut "
        f"into other tokens when given; over the {check.n_tokens} tokens of the others the largest "
        f"difference is {check.largest_nats:.4f} nats ({check.largest_key or 'none'})"
    )
    similarity = comparing.name if comparing else ""
    made_by = MadeBy(model, judging.scorer_name, judging.name, similarity, counter.name)
    return made_by, claims, told


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {name}" for name, n in sorted(counts.items())) or "none"


# --- evaluating ---------------------------------------------------------------------------------


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
    conditions = [c for c in ("clean", "shuffled", "corrupted") if _any(claims, condition=c)]
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
        singles = [method for method in ranked if method in single_columns(fitted.claims)]
        for what, rival in (("best of all", ranked[0]), ("best single", singles[0])):
            found = _differences(selected, fitted, PLAIN, rival, n_resamples)
            rank = f"{ranked.index(PLAIN) + 1} of {len(ranked)}"
            body.append([name, rank, what, rival, *map(shown, found)])
    head = ["claims", "rank in PRR", "beside", "which", *RANKING]
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
    head = ["claims", "method", *RANKING, "Brier (lower is better)"]
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
    for condition in ("clean", "shuffled", "corrupted"):
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
        lines.append(f"- {name}: pairs chosen in the folds: {_listed(pairs)}")
        silent: dict[str, Counter[str]] = {}
        for method, column in fitted.columns.items():
            for note in column.notes:
                silent.setdefault(note, Counter())[method] += 1
        lines += [
            f"- {name}: {note} Methods and folds: {_listed(of)}" for note, of in silent.items()
        ]
    return "### Choices, and what could not be fitted\n\n" + "\n".join(lines) + "\n"


def diagrams(fitted: Fitted, stem: str, *, made_by: MadeBy, n: int) -> None:
    """Reliability before and after, and the count curve."""
    claims = fitted.claims
    wanted = {m: fitted.columns[m] for m in (BEFORE, PLAIN, CORPUS) if m in fitted.columns}
    write_diagram(
        PLOTS / f"{stem}-reliability.svg",
        fitted.select(lambda _: True),
        wanted,
        title=f"Short answers of {made_by.language_model}, cross-fitted",
    )
    conditions = sorted({claim.condition for claim in claims})
    curves = {
        of: count_curve([c for c in claims if c.condition == of], n_resamples=n)
        for of in conditions
    }
    path = PLOTS / f"{stem}-count-curve.svg"
    write_count_curve(path, curves, title=f"Short answers of {made_by.language_model}")


def main() -> None:
    """Score, print the tables, draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--index")
    parser.add_argument("--nli", type=Path, help="directory of an entailment model")
    parser.add_argument("--embedder", type=Path, help=f"directory of {EMBEDDER}")
    parser.add_argument("--rows", type=Path, help="the run; bench/runs/franq-short-MODEL.jsonl")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "franq-bench")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--from-scores", action="store_true")
    parser.add_argument(
        "--keep-originals", action="store_true", help="corrupted passages leave the corpus as it is"
    )
    arguments = parser.parse_args()
    stem = f"franq-short-{arguments.model}"
    target, told = RUNS / f"{stem}-scores.jsonl", "From the scores alone"
    if arguments.from_scores:
        made_by, claims = read_scored(target)
    else:
        if arguments.index is None:
            parser.error("--index is needed to score rows (or --from-scores)")
        made_by, claims, told = scored(
            arguments.rows or RUNS / f"{stem}.jsonl",
            arguments.index,
            nli=arguments.nli,
            embedder=arguments.embedder,
            cache=arguments.cache,
            model=arguments.model,
            n_threads=arguments.threads,
            keep_originals=arguments.keep_originals,
        )
        write_scored(target, made_by, claims)
    about = "\n".join(
        f"- {name.replace('_', ' ')}: {getattr(made_by, name)}"
        for name in MadeBy.__dataclass_fields__
    )
    sys.stdout.write(f"## Short form, {arguments.model}\n\n{about}\n\n{told}\n\n")
    pooled = Fitted.on(claims, folds_of(claims))
    for table in tables(pooled, n_resamples=arguments.resamples):
        sys.stdout.write(table + "\n")
    diagrams(pooled, stem, made_by=made_by, n=arguments.resamples)


if __name__ == "__main__":
    main()
