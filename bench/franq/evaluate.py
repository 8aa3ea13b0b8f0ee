r"""Tables and diagrams of the short-form FRANQ bench, from the rows of `generate.py`.

    python bench/franq/evaluate.py --index IDX --model qwen2.5-coder-0.5b --nli MODEL_DIR \
        --embedder EMBEDDER_DIR
    python bench/franq/evaluate.py --model qwen2.5-coder-0.5b --from-scores

The first scores whatever rows there are and writes their numbers to
`bench/runs/franq-short-MODEL-scores.jsonl`; the second makes the tables again from that file alone,
without data, index or model. Without `--nli` the lexical alignment stands in for entailment, for
development only, and every output says so; without `--embedder` SAR has no value.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from methods import folds_of
from plots import count_curve, write_count_curve, write_diagram
from scored import MadeBy, ScoredClaim, read_scored, write_scored
from short_tables import BEFORE, CORPUS, PLAIN, Fitted, listed, tables

if TYPE_CHECKING:
    from averment.ports import CorpusIndex

BENCH = Path(__file__).parents[1]
RUNS, PLOTS = BENCH / "runs", BENCH / "plots"
EMBEDDER = "all-MiniLM-L6-v2"


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
    aliases: bool,
) -> tuple[MadeBy, list[ScoredClaim]]:
    """Score the rows of a run."""
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

    from corpus import CorpusCounter, passages_taken_out

    rows = read_rows(rows_path)
    kept, dropped = attempts(rows)
    every = items(index_path)
    clean = {(i.set_name, i.row): i for i in every if i.condition == "clean"}
    pairs = matched(kept, every)
    counter = CorpusCounter(opened(index_path, aliases=aliases))
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
        f"{len(rows)} rows; dropped as no attempt: {listed(dropped)}; without a head of the "
        f"question: {n_without_heads}; pairs in more retrieved passages than documents: "
        f"{n_overdrawn}. Re-scoring: {check.n_other_tokens} of {check.n_rows} answers are cut "
        f"into other tokens when given; over the {check.n_tokens} tokens of the others the largest "
        f"difference is {check.largest_nats:.4f} nats ({check.largest_key or 'none'})"
    )
    similarity = comparing.name if comparing else ""
    corpus = counter.name + (", names by all their forms" if aliases else "")
    made_by = MadeBy(model, judging.scorer_name, judging.name, similarity, corpus, told)
    return made_by, claims


def opened(index_path: str, *, aliases: bool) -> CorpusIndex:
    """The index as policies have it, with names counted by all their forms or as written."""
    import averment
    from averment.settings import resolve_settings
    from averment.wiring.aliases import open_aliases, widened

    index = averment.open_index(index_path)
    return widened(index, open_aliases(resolve_settings(), index)) if aliases else index


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
    parser.add_argument("--written", action="store_true", help="count names as they are written")
    arguments = parser.parse_args()
    stem = f"franq-short-{arguments.model}"
    target = RUNS / f"{stem}-scores.jsonl"
    if not arguments.from_scores:
        if arguments.index is None:
            parser.error("--index is needed to score rows (or --from-scores)")
        fresh = scored(
            arguments.rows or RUNS / f"{stem}.jsonl",
            arguments.index,
            nli=arguments.nli,
            embedder=arguments.embedder,
            cache=arguments.cache,
            model=arguments.model,
            n_threads=arguments.threads,
            keep_originals=arguments.keep_originals,
            aliases=not arguments.written,
        )
        write_scored(target, *fresh)
    # From the file in any case: what it rounds makes and breaks ties.
    made_by, claims = read_scored(target)
    about = "\n".join(
        f"- {name.replace('_', ' ')}: {getattr(made_by, name)}"
        for name in MadeBy.__dataclass_fields__
        if getattr(made_by, name)
    )
    sys.stdout.write(f"## Short form, {arguments.model}\n\n{about}\n\n")
    pooled = Fitted.on(claims, folds_of(claims))
    for table in tables(pooled, n_resamples=arguments.resamples):
        sys.stdout.write(table + "\n")
    diagrams(pooled, stem, made_by=made_by, n=arguments.resamples)


if __name__ == "__main__":
    main()
