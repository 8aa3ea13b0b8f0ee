"""Runs lm-polygraph's estimators on seeded inputs and writes inputs and outputs to reference.json.

It runs in an environment of its own (README.md beside it), knows nothing of averment, and copies
nothing of lm-polygraph: only our inputs and the numbers it gave for them are kept.

`inputs` and `outputs` are those where both must agree; `departures` are inputs where they must not.
"""

from __future__ import annotations

import json
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from departures import claim_ccp, departures
from polygraph import claims_of, plain, prepare_package, theirs

SEED = 20261130
N_RECORDS, N_SAMPLES, N_VOCABULARY, N_ALTERNATIVES = 8, 5, 12, 4
# Words that their stemmer leaves alone, so that the plain reference does not depend on it.
WORDS = "oslo bern rome lima cairo quito riga minsk sofia delhi tokyo seoul".split()
CLASSES = ("entail", "neutral", "contra")


# --- inputs ---------------------------------------------------------------------------------------


def rounded(array: Any) -> Any:
    """As short decimals, so that the file is small and both sides read the same numbers."""
    return np.round(np.asarray(array, dtype=float), 6).tolist()


def probabilities(random: np.random.Generator, *shape: int) -> Any:
    """Probabilities of the three classes, decided enough for classes of meaning to form."""
    logits = random.normal(scale=2.0, size=(*shape, 3))
    odds = np.exp(logits)
    return np.round(odds / odds.sum(-1, keepdims=True), 6)


def a_record(random: np.random.Generator, at: int) -> dict[str, Any]:
    """Everything that estimators read of one answer."""
    n_tokens = int(random.integers(4, 8))
    odds = np.exp(random.normal(scale=2.0, size=(n_tokens, N_VOCABULARY)))
    distributions = np.round(np.log(odds / odds.sum(-1, keepdims=True)), 6)
    written = [int(random.integers(N_VOCABULARY)) for _ in range(n_tokens)]
    others = [
        [word for word in np.argsort(-row) if word != own][:N_ALTERNATIVES]
        for row, own in zip(distributions, written, strict=True)
    ]
    texts = [" ".join(random.choice(WORDS, size=random.integers(1, 5))) for _ in range(N_SAMPLES)]
    sample_nli = probabilities(random, N_SAMPLES, N_SAMPLES)
    sample_nli[np.arange(N_SAMPLES), np.arange(N_SAMPLES)] = (1, 0, 0)
    similarity = np.round(random.uniform(0, 1, (N_SAMPLES, N_SAMPLES)), 6)
    np.fill_diagonal(similarity, 1)
    samples = [a_sample(random, text) for text in texts]
    if at % 2:  # a text is drawn twice
        samples[-1] = samples[0]
        sample_nli[-1], sample_nli[:, -1] = sample_nli[0], sample_nli[:, 0]
        sample_nli[0, -1] = sample_nli[-1, 0] = sample_nli[-1, -1] = (1, 0, 0)
    n_first = int(random.integers(1, n_tokens))
    return {
        "tokens": [f" {WORDS[own]}" for own in written],
        "logprobs": [float(row[own]) for row, own in zip(distributions, written, strict=True)],
        "log_distributions": rounded(distributions),
        "alternatives": [
            [{"text": f" {WORDS[word]}", "logprob": float(row[word])} for word in words]
            for row, words in zip(distributions, others, strict=True)
        ],
        "forward": probabilities(random, n_tokens, N_ALTERNATIVES).tolist(),
        "backward": probabilities(random, n_tokens, N_ALTERNATIVES).tolist(),
        "logprobs_without_prompt": rounded(-random.exponential(3, n_tokens)),
        "p_true": rounded(-random.exponential(1)),
        "claims": [list(range(n_first)), list(range(n_first, n_tokens)), list(range(n_tokens))],
        "claim_nli": probabilities(random, 3, N_SAMPLES).tolist(),
        "claim_p_true": rounded(-random.exponential(1, 3)),
        "similarity_without_token": rounded(random.uniform(0, 1, n_tokens)),
        "samples": samples,
        "sample_nli": sample_nli.tolist(),
        "sample_similarity": similarity.tolist(),
    }


def a_sample(random: np.random.Generator, text: str) -> dict[str, Any]:
    """A text with a number a word."""
    n_words = len(text.split())
    return {
        "text": text,
        "logprobs": rounded(-random.exponential(1, n_words)),
        "similarity_without_token": rounded(random.uniform(0, 1, n_words)),
    }


# --- what both must agree on ----------------------------------------------------------------------


def stats_of(record: dict[str, Any]) -> dict[str, Any]:
    """A record as their statistics: a batch of one."""
    nli = np.array([record["sample_nli"]])
    samples = record["samples"]
    entropy = theirs("stat_calculators.entropy", "EntropyCalculator")
    log_probs = [[np.array(row) for row in record["log_distributions"]]]
    stats = {
        **entropy({"greedy_log_probs": log_probs}),
        "greedy_log_likelihoods": [record["logprobs"]],
        "greedy_lm_log_likelihoods": [list(record["logprobs_without_prompt"])],
        "greedy_tokens": [record["tokens"]],
        "greedy_tokens_alternatives": [alternatives_of(record)],
        "greedy_tokens_alternatives_nli": [alternative_classes(record)],
        "p_true": [record["p_true"]],
        "p_true_claim": record["claim_p_true"],
        "claims": [claims_of(record["claims"])],
        "nli_to_sample_texts": [
            [[dict(zip(CLASSES, row, strict=True)) for row in rows] for rows in record["claim_nli"]]
        ],
        "token_similarity": [np.array(record["similarity_without_token"])],
        "sample_texts": [[sample["text"] for sample in samples]],
        "sample_log_probs": [[sum(sample["logprobs"]) for sample in samples]],
        "sample_log_likelihoods": [[sample["logprobs"] for sample in samples]],
        "sample_token_similarity": [
            [np.array(sample["similarity_without_token"]) for sample in samples]
        ],
        "sample_sentence_similarity": [np.array(record["sample_similarity"])],
        "semantic_matrix_entail": nli[..., 0],
        "semantic_matrix_contra": nli[..., 2],
        "semantic_matrix_entail_logits": safe_log(nli[..., 0]),
        "semantic_matrix_contra_logits": safe_log(nli[..., 2]),
        "semantic_matrix_classes": nli.argmax(-1),
        "entailment_id": 0,
    }
    classes = theirs("stat_calculators.semantic_classes", "SemanticClassesCalculator")
    return {**stats, **classes(stats, [], None)}


def safe_log(array: Any) -> Any:
    """Logits whose softmax over two classes is their ratio; 0 becomes a very small number."""
    return np.log(np.maximum(array, 1e-30))


def alternatives_of(record: dict[str, Any]) -> list[list[tuple[str, float]]]:
    """The written token first, as they list it."""
    return [
        [(text, logprob), *((other["text"], other["logprob"]) for other in others)]
        for text, logprob, others in zip(
            record["tokens"], record["logprobs"], record["alternatives"], strict=True
        )
    ]


def alternative_classes(record: dict[str, Any]) -> list[list[list[str]]]:
    """Row 0: the written token as premise; column 0: as hypothesis."""
    tables = []
    for forward, backward in zip(record["forward"], record["backward"], strict=True):
        size = len(forward) + 1
        table = [["neutral"] * size for _ in range(size)]
        table[0][0] = "entail"
        for at, (ahead, back) in enumerate(zip(forward, backward, strict=True), start=1):
            table[0][at] = CLASSES[int(np.argmax(ahead))]
            table[at][0] = CLASSES[int(np.argmax(back))]
        tables.append(table)
    return tables


def estimators() -> dict[str, Any]:
    """Theirs, under names of ours."""
    graph = {"": {}, "_contradiction": {"affinity": "contra"}, "_jaccard": {}}
    graph["_jaccard"] = {"similarity_score": "Jaccard_score"}
    made = {
        "max_probability": theirs("estimators.max_probability", "MaximumSequenceProbability"),
        "perplexity": theirs("estimators.perplexity", "Perplexity"),
        "mean_token_entropy": theirs("estimators.token_entropy", "MeanTokenEntropy"),
        "pmi": theirs("estimators.pointwise_mutual_information", "MeanPointwiseMutualInformation"),
        "conditional_pmi": theirs(
            "estimators.conditional_pointwise_mutual_information",
            "MeanConditionalPointwiseMutualInformation",
        ),
        "p_true": theirs("estimators.p_true", "PTrue"),
        "ccp": theirs("estimators.claim_conditioned_probability", "ClaimConditionedProbability"),
        "lexical_similarity": theirs("estimators.lexical_similarity", "LexicalSimilarity"),
        "number_of_semantic_sets": theirs("estimators.num_sem_sets", "NumSemSets"),
        "semantic_entropy_repeats_add": theirs("estimators.semantic_entropy", "SemanticEntropy"),
        "semantic_entropy": theirs(
            "estimators.semantic_entropy", "SemanticEntropy", use_unique_responses=True
        ),
        "semantic_entropy_discrete": theirs(
            "estimators.semantic_entropy",
            "SemanticEntropy",
            class_probability_estimation="frequency",
        ),
        "luq": theirs("estimators.luq", "LUQ"),
        "token_sar": theirs("estimators.token_sar", "TokenSAR"),
        "sentence_sar": theirs("estimators.sentence_sar", "SentenceSAR"),
        "sar": theirs("estimators.sar", "SAR"),
    }
    for suffix, options in graph.items():
        made[f"degree_matrix{suffix}"] = theirs("estimators.deg_mat", "DegMat", **options)
        made[f"eccentricity{suffix}"] = theirs("estimators.eccentricity", "Eccentricity", **options)
        made[f"sum_of_eigenvalues{suffix}"] = theirs(
            "estimators.eig_val_laplacian", "EigValLaplacian", **options
        )
    return made


def claim_estimators() -> dict[str, Any]:
    """Theirs of claims, under names of ours."""
    claim = "estimators.claim"
    return {
        "max_probability": theirs(f"{claim}.max_probability", "MaximumClaimProbability"),
        "perplexity": theirs(f"{claim}.perplexity", "PerplexityClaim"),
        "max_token_entropy": theirs(f"{claim}.token_entropy", "MaxTokenEntropyClaim"),
        "pmi": theirs(f"{claim}.pointwise_mutual_information", "PointwiseMutualInformationClaim"),
        "p_true": theirs(f"{claim}.p_true", "PTrueClaim"),
        "ccp": claim_ccp(()),
        "frequency_scoring": theirs(f"{claim}.frequency_scoring", "FrequencyScoringClaim"),
        "token_sar": theirs(f"{claim}.token_sar", "TokenSARClaim"),
    }


def main() -> None:
    """Write reference.json beside this file."""
    folder = prepare_package()
    random = np.random.default_rng(SEED)
    records = [a_record(random, at) for at in range(N_RECORDS)]
    outputs = {
        name: [plain(estimator(stats_of(record))[0]) for record in records]
        for name, estimator in estimators().items()
    }
    claim_outputs = {
        name: [plain(estimator(stats_of(record))[0]) for record in records]
        for name, estimator in claim_estimators().items()
    }
    reference = {
        "made_with": {"lm-polygraph": metadata.version("lm-polygraph"), "seed": SEED},
        "inputs": records,
        "outputs": outputs,
        "claim_outputs": claim_outputs,
        "departures": departures(folder),
    }
    text = json.dumps(reference, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    target = Path(__file__).with_name("reference.json")
    target.write_text(text.replace('],"', '],\n"') + "\n", encoding="utf-8")
    sys.stderr.write(f"{target.name}: {len(text):,} characters\n")


if __name__ == "__main__":
    main()
