"""Long-form FRANQ bench: claims of other models, held against their evidence and re-scored.

    python bench/franq/long_form.py rescore --model qwen2.5-coder-0.5b
    python bench/franq/long_form.py evaluate --model qwen2.5-coder-0.5b --nli MODEL_DIR

`rescore` asks the local model how probable each claim is after its question, with and without the
evidence, and whether it is true. It appends one JSON row a claim to
`bench/runs/franq-long-MODEL.jsonl`, skips what is there, and may be stopped at any time; whole
questions come in seeded order, so every beginning is a sample. Evidence is cut to what fits.

`evaluate` needs Pf of the claims, computes the tables as `evaluate.py` does, and adds what is the
stand-in for RAGTruth's `implicit_true`: among claims that people found not supported, are the true
ones told from the false ones? There is no corpus evidence here.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from long_form_data import LongClaim, long_claims
from methods import PAPER_LONG, fitted_columns, folds_of, single_columns
from records import Judging, read_rows, uncertainties
from scored import MadeBy, ScoredClaim, read_scored, write_scored
from tables import Selected, absences, markdown, measured

from averment.errors import ContextOverflow
from averment.models.llama_cpp import LlamaCpp, open_llama_cpp
from averment.models.registry import Registry
from averment.prompts import Template
from averment.settings import resolve_settings
from averment.types import Prompt, Token
from averment.uq.records import Record, TruthReply

RUNS = Path(__file__).parents[1] / "runs"
SETS = ("factcheckgpt", "expertqa")
N_CTX = 1024
_EVIDENCE_WORDS = 450
_LEAST_WORDS = 25

CLAIM = Template(
    "bench_long_claim",
    """\
Answer the question. The passages may or may not help.

{passages}Question: {question}
Answer:""",
)
TRUTH = Template(
    "bench_is_claim_true",
    """\
Question: {question}
Statement: {claim}
Is the statement true? Reply True or False.
Reply:""",
)


# --- re-scoring ---------------------------------------------------------------------------------


def row_of(claim: LongClaim, model: LlamaCpp) -> dict[str, Any]:
    """How probable the claim is, with and without its evidence."""
    start = time.perf_counter()
    text = f" {claim.claim}"
    (without,) = model.score([(_prompt(claim, ()), text)])
    n_words, with_evidence = 0, without
    if claim.passages:
        n_words, with_evidence = _with_evidence(claim, text, model)
    asked = Prompt(TRUTH.fill(question=claim.question, claim=claim.claim))
    true, false = model.score([(asked, " True"), (asked, " False")])
    return {
        "key": claim.key,
        "evidence_words": n_words,
        "tokens": _plain(with_evidence),
        "without_context": _plain(without),
        "p_true": [_total(true), _total(false)],
        "seconds": round(time.perf_counter() - start, 2),
    }


def _with_evidence(claim: LongClaim, text: str, model: LlamaCpp) -> tuple[int, list[Token]]:
    """Words of evidence that were shown, and the tokens: as many words as the context holds."""
    n_words = _EVIDENCE_WORDS
    while True:
        passages = cut(claim.passages, n_words)
        try:
            (tokens,) = model.score([(_prompt(claim, passages), text)])
        except ContextOverflow:
            n_words = n_words * 2 // 3
            if n_words < _LEAST_WORDS:
                raise
            continue
        return sum(len(passage.split()) for passage in passages), tokens


def cut(passages: Sequence[str], n_words: int) -> list[str]:
    """The passages cut to so many words together, the same share of each."""
    lengths = [len(passage.split()) for passage in passages]
    share = min(1.0, n_words / max(sum(lengths), 1))
    kept = [
        " ".join(passage.split()[: int(length * share)])
        for passage, length in zip(passages, lengths, strict=True)
    ]
    return [passage for passage in kept if passage]


def _prompt(claim: LongClaim, passages: Sequence[str]) -> Prompt:
    lines = "".join(f"- {passage}\n" for passage in passages)
    shown = f"Passages:\n{lines}\n" if passages else ""
    return Prompt(CLAIM.fill(passages=shown, question=claim.question))


def _plain(tokens: Sequence[Token]) -> list[list[Any]]:
    """Numbers alone: the texts are the claim's, which is not ours to copy."""
    return [[None if t.logprob is None else round(t.logprob, 4)] for t in tokens]


def _total(tokens: Sequence[Token]) -> float | None:
    values = [token.logprob for token in tokens]
    known = [value for value in values if value is not None]
    return round(sum(known), 4) if len(known) == len(values) else None


def rescore(model_name: str, *, limit: int | None, n_threads: int, sets: Sequence[str]) -> None:
    """Go on with the run."""
    target = RUNS / f"franq-long-{model_name}.jsonl"
    done = {row["key"] for row in read_rows(target)} if target.exists() else set()
    every = [claim for name in sets for claim in long_claims(name)]
    left = [claim for claim in every if claim.key not in done][:limit]
    path = Registry(resolve_settings().home).resolve(model_name)
    with (
        open_llama_cpp(
            path, name=model_name, n_ctx=N_CTX, n_threads=n_threads, n_parallel=2
        ) as model,
        target.open("a", encoding="utf-8") as rows,
    ):
        for at, claim in enumerate(left, 1):
            row = row_of(claim, model)
            rows.write(json.dumps(row) + "\n")
            rows.flush()
            sys.stderr.write(f"{at}/{len(left)} {row['seconds']} s  {claim.key}\n")


# --- scoring ------------------------------------------------------------------------------------


def record_of(row: Any, claim: LongClaim) -> Record:
    """What a row knows of its claim. Tokens of one claim are the same in both scorings."""
    return Record(
        question=claim.question,
        answer=claim.claim,
        passages=claim.passages,
        tokens=_numbered(row["tokens"]),
        tokens_without_context=_numbered(row["without_context"]),
        p_true=TruthReply(row["p_true"][0]),
    )


def _numbered(plain: Sequence[Sequence[float | None]]) -> tuple[Token, ...]:
    return tuple(Token(str(at), logprob) for at, (logprob,) in enumerate(plain))


def scored(
    model: str, *, nli: Path | None, cache: Path, n_threads: int
) -> tuple[MadeBy, list[ScoredClaim]]:
    """The claims of the rows with every number."""
    by_key = {claim.key: claim for name in SETS for claim in long_claims(name)}
    rows = read_rows(RUNS / f"franq-long-{model}.jsonl")
    judging = Judging.open(nli, cache=cache, n_threads=n_threads)
    claims = [by_key[row["key"]] for row in rows]
    found = judging.scorer.score([(claim.claim, claim.passages) for claim in claims])
    made = []
    for row, claim, faithfulness in zip(rows, claims, found, strict=True):
        values, absent = uncertainties(record_of(row, claim))
        made.append(
            ScoredClaim(
                key=claim.key,
                question=claim.group,
                part=claim.set_name,
                condition="",
                is_true=claim.is_true,
                p_faithful=faithfulness.score,
                uncertainty=values,
                absent=absent,
                is_faithful=claim.is_faithful,
            )
        )
    return MadeBy(model, judging.scorer_name, judging.name), made


# --- evaluating ---------------------------------------------------------------------------------

_GROUPS: dict[str, Callable[[ScoredClaim], bool]] = {
    "all": lambda _: True,
    "faithful side (Pf ≥ 0.5)": lambda c: c.p_faithful >= 0.5,
    "unfaithful side (Pf < 0.5)": lambda c: c.p_faithful < 0.5,
    "not supported, says a person: true beside false": lambda c: c.is_faithful is False,
    "supported, says a person": lambda c: c.is_faithful is True,
}


def tables(claims: Sequence[ScoredClaim], *, n_resamples: int) -> list[str]:
    """The tables of each set; what is fitted is fitted on the set."""
    made = [absences(claims)]
    for part in sorted({claim.part for claim in claims}):
        of_part = [claim for claim in claims if claim.part == part]
        folds = folds_of(of_part)
        fitted = fitted_columns(of_part, folds, paper=PAPER_LONG)
        columns = {**single_columns(of_part), **fitted}
        for title, chosen in _GROUPS.items():
            selected = Selected.of(of_part, np.array([chosen(claim) for claim in of_part]))
            lines = measured(selected, columns, n_resamples=n_resamples)
            made.append(markdown(f"{part}: {title}", selected, lines))
        made.append(_implicit(part, of_part))
        notes = sorted({note for column in fitted.values() for note in column.notes})
        made += [f"Not fitted: {note}\n" for note in notes]
    return made


def _implicit(part: str, claims: Sequence[ScoredClaim]) -> str:
    """How the two labels lie together, and where Pf puts them."""
    lines = []
    for is_faithful in (True, False, None):
        for is_true in (True, False):
            of = [c for c in claims if c.is_faithful is is_faithful and c.is_true is is_true]
            if of:
                mean = np.mean([c.p_faithful for c in of])
                lines.append(
                    f"- supported {is_faithful}, true {is_true}: {len(of)}, mean Pf {mean:.2f}"
                )
    return f"### {part}: support and truth\n\n" + "\n".join(lines) + "\n"


def main() -> None:
    """Re-score, or evaluate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("do", choices=("rescore", "evaluate"))
    parser.add_argument("--model", required=True)
    parser.add_argument("--nli", type=Path, help="directory of an entailment model")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "franq-bench")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=int, help="claims to add at most")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--from-scores", action="store_true")
    arguments = parser.parse_args()
    name = arguments.model
    if arguments.do == "rescore":
        rescore(name, limit=arguments.limit, n_threads=arguments.threads, sets=arguments.sets)
        return
    target = RUNS / f"franq-long-{name}-scores.jsonl"
    if not arguments.from_scores:
        fresh = scored(name, nli=arguments.nli, cache=arguments.cache, n_threads=arguments.threads)
        write_scored(target, *fresh)
    made_by, claims = read_scored(target)
    sys.stdout.write(f"## Long form, {name}\n\n- faithfulness: {made_by.faithfulness}\n\n")
    for table in tables(claims, n_resamples=arguments.resamples):
        sys.stdout.write(table + "\n")


if __name__ == "__main__":
    main()
