"""Estimators of what samples mean: entropy over meanings, and agreement by entailment.

Trap of lm-polygraph: pairs of samples are judged without the question, although "in Paris" and
"Paris" only mean the same as answers to one question; `pairs.judge_samples` puts it first unless
told not to.
"""

from __future__ import annotations

import numpy as np

from averment.uq.estimator import Absence, Refusal
from averment.uq.inputs import claim_judgements, sample_judgements, sample_logprob, several_samples
from averment.uq.records import NliClass, Record, Span


def semantic_entropy(record: Record, *, repeats_add: bool = False) -> float:
    """How spread the probability is over meanings: -(1/N) sum over samples j of log P(class of j).

    P(class) is the sum of the probabilities of the texts in it. A text that was drawn several times
    is one text: its probability counts once, or P(class) passes 1 and certain answers score below
    0. lm-polygraph adds it each time unless told otherwise (`repeats_add`, to compare with it).

    Args:
        record: The answer and what is known of it.
        repeats_add: Whether a text counts as often as it was drawn.

    Returns:
        Nats in [0, inf), worse when higher (any sign with `repeats_add`).

    Needs: SAMPLES, SAMPLE_LOGPROBS, NLI of samples.

    Source: Kuhn et al. 2023 (arXiv 2302.09664), "semantic entropy"; lm-polygraph `SemanticEntropy`;
    FRANQ's estimator of the faithful branch for short answers.
    """
    classes = _semantic_classes(record)
    by_class: dict[int, dict[object, float]] = {}
    for index, (sample, meaning) in enumerate(zip(record.samples, classes, strict=True)):
        texts = by_class.setdefault(meaning, {})
        key = index if repeats_add else sample.text
        texts[key] = max(texts.get(key, -np.inf), sample_logprob(sample))
    mass = {meaning: np.logaddexp.reduce(list(of.values())) for meaning, of in by_class.items()}
    return 0.0 - float(np.mean([mass[meaning] for meaning in classes]))


def semantic_entropy_discrete(record: Record) -> float:
    """How spread the samples are over meanings: -sum over classes of q log q, q a class's share.

    Returns:
        Nats in [0, log N], worse when higher; 0 if all mean the same.

    Needs: SAMPLES, NLI of samples.

    Source: Farquhar et al. 2024, "discrete semantic entropy".
    """
    classes = _semantic_classes(record)
    shares = np.unique(classes, return_counts=True)[1] / len(classes)
    return 0.0 - float((shares * np.log(shares)).sum())


def luq(record: Record) -> float:
    """How little the samples support each other: 1 - mean over i != j of E_ij / (E_ij + C_ij).

    That ratio is the logistic function of the two logits' difference, without overflow.

    Returns:
        In [0, 1], worse when higher.

    Needs: SAMPLES, NLI of samples.

    Source: Zhang et al. 2024 (LUQ), on whole answers; lm-polygraph `LUQ`.
    """
    entailment, contradiction = sample_judgements(record)
    others = ~np.eye(len(entailment), dtype=bool)
    supporting, decided = entailment[others], (entailment + contradiction)[others]
    if not decided.all():
        raise Refusal(Absence.UNDEFINED, "a pair of samples is purely neutral: 0 / 0")
    return 1 - float((supporting / decided).mean())


def frequency_scoring(record: Record, span: Span) -> float:
    """How many more samples contradict the claim than entail it.

    Returns:
        A whole number in [-N, N], worse when higher.

    Needs: SAMPLES, NLI of each sample (premise) and the claim or answer.

    Source: Mohri and Hashimoto 2024 (arXiv 2402.10978), "frequency scoring"; lm-polygraph
    `FrequencyScoringClaim`.
    """
    labels = [judgement.label for judgement in claim_judgements(record, span)]
    return float(labels.count(NliClass.CONTRADICTION) - labels.count(NliClass.ENTAILMENT))


def _semantic_classes(record: Record) -> list[int]:
    """The class of each sample, in the order of the samples.

    A sample joins the first class whose first member it entails and is entailed by. Where
    entailment is not transitive, the classes depend on the order of the samples.

    Source: Kuhn et al. 2023, its clustering by bidirectional entailment.
    """
    several_samples(record)
    sample_judgements(record)  # refuses what is missing or wrong
    judgements = record.sample_nli
    first_members: list[int] = []
    classes = []
    for j in range(len(record.samples)):
        for meaning, first in enumerate(first_members):
            both_ways = {judgements[first][j].label, judgements[j][first].label}
            if both_ways == {NliClass.ENTAILMENT}:
                classes.append(meaning)
                break
        else:
            classes.append(len(first_members))
            first_members.append(j)
    return classes
