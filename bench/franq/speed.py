"""How long FRANQ's own computation takes for an answer of five claims, and how fast Pf is.

    python bench/franq/speed.py [--nli MODEL_DIR]

Own computation is everything that is neither a model nor the index: splitting the answer into
claims, giving them their tokens, the estimators, the corpus features of counts that are there, and
the calibrated score. The answer is made up: five sentences of twenty words, ten samples, judgements
and counts by a seeded generator. Medians over repetitions, on one thread.

Faithfulness is measured on claims of Factcheck-GPT with one passage and with five (75 words in the
mean), in claims a second of wall and of processor time; on a busy machine the second is the one to
read.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from long_form_data import long_claims
from records import Judging
from tables import grid

from averment.claims.alignment import StatedClaim, align_claims
from averment.claims.split import PartKind, split_text
from averment.franq.calibration import fit
from averment.franq.calibrator import Calibrator, MadeWith, Mode
from averment.franq.components import confidence
from averment.franq.corpus_stack import CORPUS
from averment.franq.evidence import CorpusSize, TripleCounts, claim_features
from averment.franq.rows import Row
from averment.text import Span
from averment.types import Cooccurrence, Count, CountKind, Token
from averment.uq.records import Nli, Record, Sample
from averment.uq.registry import ESTIMATORS, estimator

N_CLAIMS, N_WORDS, N_SAMPLES, N_TRAINING, N_RIVALS = 5, 20, 10, 500, 4
SEED = 20261130
_SIZE = CorpusSize(n_documents=50_000, n_words=5_000_000, window_words=1000)


# --- own computation ----------------------------------------------------------------------------


def made_up_answer(random: np.random.Generator) -> str:
    """Sentences of different words."""
    words = [f"word{at}" for at in range(400)]
    sentences = (" ".join(random.choice(words, N_WORDS)) for _ in range(N_CLAIMS))
    return " ".join(f"Norway {sentence}." for sentence in sentences)


def made_up_record(answer: str, random: np.random.Generator) -> Record:
    """A token a word, samples that were judged against each other."""
    words = answer.split(" ")
    texts = [words[0], *(f" {word}" for word in words[1:])]

    def tokens() -> tuple[Token, ...]:
        return tuple(Token(text, -float(random.exponential())) for text in texts)

    def judgement() -> Nli:
        return Nli(*(float(p) for p in random.dirichlet((1, 1, 1))))

    return Record(
        question="What is known of Norway?",
        answer=answer,
        tokens=tokens(),
        tokens_without_context=tokens(),
        samples=tuple(
            Sample(f"sample {at}", logprob=-float(random.exponential())) for at in range(N_SAMPLES)
        ),
        sample_nli=tuple(tuple(judgement() for _ in range(N_SAMPLES)) for _ in range(N_SAMPLES)),
        nli_model="made up",
    )


def made_up_counts(random: np.random.Generator) -> TripleCounts:
    """Counts of a claimed relation with rivals."""

    def together() -> Cooccurrence:
        n = int(random.integers(0, 5))
        return Cooccurrence(n > 0, n, n, 3 if n else None, CountKind.EXACT)

    head, tail = (Count(n, n, CountKind.EXACT) for n in random.integers(5, 500, size=2).tolist())
    return TripleCounts(head, tail, together(), tuple(together() for _ in range(N_RIVALS)))


def made_up_calibrator(random: np.random.Generator) -> Calibrator:
    """Fitted on so many rows with corpus evidence."""
    rows = [
        Row(
            p_faithful=float(random.random()),
            uf=-float(random.exponential()),
            uu=-float(random.exponential()),
            is_true=bool(random.random() < 0.7),
            group=str(at // N_CLAIMS),
            evidence=claim_features([made_up_counts(random)], corpus=_SIZE),
        )
        for at in range(N_TRAINING)
    ]
    made_with = MadeWith("max_probability", "parametric_knowledge", "made up", "made up")
    return fit(rows, mode=Mode.CONDITION, made_with=made_with, created_by="bench", features=CORPUS)


def own_parts() -> dict[str, Callable[[], object]]:
    """What is timed, by name; the parts are those of one answer."""
    random = np.random.default_rng(SEED)
    answer = made_up_answer(random)
    record = made_up_record(answer, random)
    counts = [[made_up_counts(random)] for _ in range(N_CLAIMS)]
    calibrator = made_up_calibrator(random)
    claims = [
        StatedClaim(part.text, Span(part.start, part.end))
        for part in split_text(answer)
        if part.kind is PartKind.CLAIM
    ]
    spans = [aligned.claim for aligned in align_claims(answer, record.tokens, claims)]
    features = [claim_features(of, corpus=_SIZE) for of in counts]
    uf, uu = estimator("max_probability"), estimator("parametric_knowledge")
    rows = [
        Row(0.5, confidence(uf.score(record, s)), confidence(uu.score(record, s)), evidence=each)
        for s, each in zip(spans, features, strict=True)
    ]
    short = [estimator("semantic_entropy"), estimator("sum_of_eigenvalues")]
    return {
        "claims of the answer": lambda: split_text(answer),
        "their tokens": lambda: align_claims(answer, record.tokens, claims),
        "long form: uf and uu of each claim": lambda: [
            (uf.score(record, span), uu.score(record, span)) for span in spans
        ],
        "short form: uf and uu of ten samples": lambda: [each.score(record) for each in short],
        "corpus features of each claim": lambda: [
            claim_features(of, corpus=_SIZE) for of in counts
        ],
        "calibrated scores": lambda: calibrator.scores(rows),
        "every estimator on the answer": lambda: [e.score(record) for e in ESTIMATORS.values()],
        "(fitting on 500 claims with corpus evidence)": lambda: made_up_calibrator(
            np.random.default_rng(SEED)
        ),
    }


_OF_ONE_ANSWER = 6  # the first parts; the rest is not done for an answer


def own_table(n_repeats: int) -> str:
    """Milliseconds an answer, by part."""
    medians = {name: _median_ms(part, n_repeats) for name, part in own_parts().items()}
    total = sum(list(medians.values())[:_OF_ONE_ANSWER])
    body = [[name, f"{ms:.3f}"] for name, ms in medians.items()]
    body.insert(_OF_ONE_ANSWER, ["**all of the above**", f"**{total:.3f}**"])
    return f"### Own computation, five claims\n\n{grid(['part', 'median ms'], body)}"


def _median_ms(part: Callable[[], object], n_repeats: int) -> float:
    times = []
    for _ in range(n_repeats):
        start = time.perf_counter()
        part()
        times.append(time.perf_counter() - start)
        if sum(times) > 5:  # what takes long needs no hundred repetitions
            break
    return statistics.median(times) * 1000


# --- faithfulness -------------------------------------------------------------------------------


def faithfulness_table(nli: Path | None, n_claims: int) -> str:
    """Claims a second of the tiers that are there; nothing is remembered between claims."""
    claims = [(claim.claim, claim.passages) for claim in long_claims("factcheckgpt")]
    body = []
    for model, n in ((None, len(claims)), *([(nli, n_claims)] if nli else [])):
        judging = Judging.open(model, cache=None)
        name = "lexical-alignment" if model is None else judging.scorer_name
        for n_passages in (1, 5):
            asked = [(claim, passages[:n_passages]) for claim, passages in claims[:n]]
            wall_s, processor_s = _seconds(lambda to=asked, by=judging: by.scorer.score(to))
            cells = [f"{n / wall_s:.1f}", f"{n / processor_s:.1f}"]
            body.append([name, str(n_passages), str(n), *cells])
    head = ["scorer", "passages a claim", "claims", "claims / s", "claims / processor second"]
    return f"### Faithfulness, one thread\n\n{grid(head, body)}"


def _seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Of wall and of processor time."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nli", type=Path, help="directory of an entailment model")
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--claims", type=int, default=100, help="for the model")
    arguments = parser.parse_args()
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    sys.stdout.write(f"## Speed, {load} at the start\n\n{own_table(arguments.repeats)}\n")
    sys.stdout.write(faithfulness_table(arguments.nli, arguments.claims) + "\n")


if __name__ == "__main__":
    main()
