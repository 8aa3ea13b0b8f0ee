"""Inputs where lm-polygraph's numbers are not right, one a trap, with the numbers it gave."""

from __future__ import annotations

import ast
import importlib
import math
import types
from pathlib import Path
from typing import Any

import numpy as np
import torch
from polygraph import claims_of, plain, theirs


def attempt(estimator: Any, stats: dict[str, Any]) -> Any:
    """The first value, or the name of what was raised."""
    with np.errstate(all="ignore"):
        try:
            return plain(estimator(stats)[0])
        except Exception as error:  # whatever it is, it is what a user would get
            return type(error).__name__


def of_samples(matrix: Any, **more: Any) -> dict[str, Any]:
    """Their statistics of samples that were judged so: (N, N, 3)."""
    nli = np.array([matrix], dtype=float)
    texts = more.pop("texts", [f"text {at}" for at in range(len(matrix))])
    stats = {
        "sample_texts": [texts],
        "semantic_matrix_entail": nli[..., 0],
        "semantic_matrix_contra": nli[..., 2],
        "semantic_matrix_classes": nli.argmax(-1),
        "entailment_id": 0,
        **more,
    }
    classes = theirs("stat_calculators.semantic_classes", "SemanticClassesCalculator")
    return {**stats, **classes(stats, [], None)}


def departures(folder: Path) -> dict[str, Any]:
    """Inputs where their numbers are not right, with the numbers."""
    return {
        **token_departures(),
        **sample_departures(),
        **claim_departures(),
        "nan_becomes_certain": nan_clipped(folder),
    }


def token_departures() -> dict[str, Any]:
    """Of one answer's tokens."""
    words = ("the", "in", "not")
    made: dict[str, Any] = {"ccp_saturates": {"ccp_nats": [800.0, 900.0]}}
    made["ccp_saturates"]["theirs"] = [
        attempt(claim_ccp(()), ccp_stats(" oslo", -nats, " bern", -1e-9))[0] for nats in (800, 900)
    ]
    for name, tokens in {
        "ccp_function_word_with_blank": [" the"],
        "ccp_function_word_with_capital": ["The"],
        "ccp_piece_of_a_word": ["in", "diana"],
        "ccp_negation": ["not"],
    }.items():
        stats = ccp_stats(tokens[0], -1.0, " bern", -0.5, more=tokens[1:])
        values = attempt(claim_ccp(words), stats)
        made[name] = {"tokens": tokens, "function_words": words, "theirs": values[0]}
    pmi = theirs("estimators.claim.pointwise_mutual_information", "PointwiseMutualInformationClaim")
    unprompted = [-4.0, -5.0]
    stats = {
        "greedy_log_likelihoods": [[-1.0, -2.0]],
        "greedy_lm_log_likelihoods": [unprompted],
        "claims": [claims_of([[0, 1]])],
    }
    value = attempt(pmi, stats)[0]
    made["claim_pmi_is_a_sum"] = {
        "logprobs": [-1.0, -2.0],
        "without_prompt": [-4.0, -5.0],
        "without_prompt_afterwards": plain(unprompted),
        "theirs": value,
    }
    made["pmi_reads_the_next_token"] = unprompted_probabilities()
    sar = theirs("estimators.token_sar", "TokenSAR")
    stats = {"token_similarity": [np.ones(2)], "greedy_log_likelihoods": [[-1.0, -2.0]]}
    made["token_sar_without_relevance"] = {"theirs": attempt(sar, stats)}
    empty = theirs("estimators.claim.max_probability", "MaximumClaimProbability")
    stats = {"greedy_log_likelihoods": [[-1.0]], "claims": [claims_of([[]])]}
    made["claim_without_tokens"] = {"theirs": attempt(empty, stats)}
    return made


def ccp_stats(
    text: str, logprob: float, other: str, other_logprob: float, more: list[str] | None = None
) -> dict[str, Any]:
    """One token with one alternative that contradicts it, and tokens after it that are certain."""
    after = [[(each, 0.0)] for each in more or []]
    tables = [[["entail", "contra"], ["contra", "entail"]], *([[["entail"]]] * len(after))]
    return {
        "greedy_tokens_alternatives": [[[(text, logprob), (other, other_logprob)], *after]],
        "greedy_tokens_alternatives_nli": [tables],
        "claims": [claims_of([list(range(1 + len(after)))])],
    }


def unprompted_probabilities() -> dict[str, Any]:
    """Their log-probabilities of tokens 0 1 2 by a model whose every position says which it is."""
    table = torch.log_softmax(torch.tensor([[0.0, 3.0, 1.0], [2.0, 0.0, 5.0], [4.0, 1.0, 0.0]]), -1)
    model = types.SimpleNamespace(
        model_type="CausalLM",
        tokenizer=types.SimpleNamespace(decode=lambda tokens: tokens),
        tokenize=lambda texts: {"input_ids": torch.tensor(texts)},
        device=lambda: "cpu",
        model=lambda **_: types.SimpleNamespace(logits=table[None]),
    )
    calculator = theirs("stat_calculators.greedy_lm_probs", "GreedyLMProbsCalculator")
    found = calculator({"greedy_tokens": [[0, 1, 2]]}, [], model)
    return {
        "tokens": [0, 1, 2],
        "log_distribution_after_each_token": plain(table.double().numpy()),
        "theirs": plain(found["greedy_lm_log_likelihoods"][0]),
    }


def _text_departures() -> dict[str, Any]:
    """Of estimators that read the texts of samples alone."""
    lexical = theirs("estimators.lexical_similarity", "LexicalSimilarity")
    jaccard = theirs("estimators.deg_mat", "DegMat", similarity_score="Jaccard_score")
    return {
        **{
            f"lexical_similarity_{name}": {
                "texts": texts,
                "theirs": attempt(lexical, {"sample_texts": [texts]}),
            }
            for name, texts in {
                "stems": ["directed", "directing"],
                "other_scripts": ["Осло", "Осло"],
            }.items()
        },
        **{
            f"jaccard_{name}": {
                "texts": texts,
                "theirs": attempt(jaccard, {"sample_texts": [texts]}),
            }
            for name, texts in {"punctuation": ["Oslo.", "Oslo"], "empty": ["", ""]}.items()
        },
    }


def sample_departures() -> dict[str, Any]:
    """Of samples."""
    alike, apart = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    same = [[alike, alike], [alike, alike]]
    doubting = [[(0.6, 0.4, 0.0), alike], [alike, (0.6, 0.4, 0.0)]]
    nothing = [[(0.0, 1.0, 0.0)] * 2] * 2
    degree, eigen = (
        theirs("estimators.deg_mat", "DegMat"),
        theirs("estimators.eig_val_laplacian", "EigValLaplacian"),
    )
    entropy = theirs("estimators.semantic_entropy", "SemanticEntropy")
    sentence = theirs("estimators.sentence_sar", "SentenceSAR")
    repeats = of_samples(same, texts=["oslo", "oslo"], sample_log_probs=[[-0.1, -0.1]])
    logits = np.array([[[0.0, 100.0], [100.0, 0.0]]], dtype=np.float32)
    luq_stats = {
        "semantic_matrix_entail_logits": logits,
        "semantic_matrix_contra_logits": -logits,
    }
    return {
        "degree_matrix_reads_the_diagonal": {
            "sample_nli": doubting,
            "theirs": attempt(degree, of_samples(doubting)),
        },
        "sum_of_eigenvalues_without_any_likeness": {
            "sample_nli": nothing,
            "theirs": attempt(eigen, of_samples(nothing)),
        },
        "semantic_entropy_adds_repeats": {
            "texts": ["oslo", "oslo"],
            "sample_logprobs": [-0.1, -0.1],
            "theirs": attempt(entropy, repeats),
        },
        "luq_overflows": {
            "entailment_logits": [100.0, 100.0],
            "contradiction_logits": [-100.0, -100.0],
            "theirs": attempt(theirs("estimators.luq", "LUQ"), luq_stats),
        },
        **_text_departures(),
        **{
            f"sentence_sar_{name}": {
                "sample_logprobs": logprobs,
                "similarity": similarity,
                "theirs": attempt(
                    sentence,
                    {
                        "sample_log_probs": [logprobs],
                        "sample_sentence_similarity": [
                            np.array([[1, similarity], [similarity, 1]])
                        ],
                    },
                ),
            }
            for name, logprobs, similarity in (
                ("underflows", [-800.0, -900.0], 0.5),
                ("negative_similarity", [-1.0, -1.0], -0.2),
            )
        },
        "frequency_scoring_breaks_ties": {
            "claim_nli": [[0.4, 0.2, 0.4]],
            "theirs": tie_of_claim(),
        },
        "semantic_sets_without_question": {"theirs": judged_pairs(apart)},
    }


def tie_of_claim() -> Any:
    """A sample that entails a claim as much as it contradicts it."""
    estimator = theirs("estimators.claim.frequency_scoring", "FrequencyScoringClaim")
    stats = {
        "claims": [claims_of([[0]])],
        "nli_to_sample_texts": [[[{"entail": 0.4, "neutral": 0.2, "contra": 0.4}]]],
    }
    return attempt(estimator, stats)[0]


def judged_pairs(judgement: tuple[float, ...]) -> list[list[str]]:
    """Which pairs of texts their judge is shown for two samples of the question "Where?"."""
    shown: list[list[str]] = []

    def tokenizer(batch: list[tuple[str, str]], **_: object) -> Any:
        shown.extend([list(pair) for pair in batch])
        encoded = types.SimpleNamespace(n=len(batch), keys=lambda: ["n"])
        encoded.to = lambda _: {"n": len(batch)}
        return encoded

    def judge(n: int) -> Any:
        return types.SimpleNamespace(logits=torch.tensor([judgement] * n))

    judge_config = {"ENTAILMENT": 0, "NEUTRAL": 1, "CONTRADICTION": 2}
    judge.config = types.SimpleNamespace(label2id=judge_config)  # type: ignore[attr-defined]
    model = types.SimpleNamespace(
        batch_size=8, device="cpu", deberta=judge, deberta_tokenizer=tokenizer
    )
    calculator = theirs("stat_calculators.semantic_matrix", "SemanticMatrixCalculator", model)
    calculator({"sample_texts": [["Oslo", "in Oslo"]]}, ["Where?"], None)
    return shown


class Chat:
    """Says for every sentence that it is one claim, whose words are all of its words."""

    def __init__(self, words: str) -> None:
        self._words = words

    def ask(self, prompt: str) -> str:
        """A claim for the first prompt about a sentence, its words for the second."""
        return self._words if "MATCH" in prompt else "- the claim"


def claim_departures() -> dict[str, Any]:
    """Of claims and the tokens that carry them."""
    cases = {
        "claims_decimal": (["It", " cost", " 3", ".", "5", " million", "."], "It, cost"),
        "claims_unfinished_sentence": (["Oslo", " is", " big"], "Oslo, is, big"),
        "claims_case": (["The", " city", "."], "the, city"),
        "claims_split_character": (["Oslo ", b"\xf0\x9f", b"\x8f\xb0", "."], "🏰"),
    }
    return {name: extracted(*case) for name, case in cases.items()}


def extracted(pieces: list[Any], words: str) -> dict[str, Any]:
    """What their extractor makes of an answer: claims with their tokens, and prompts for truth."""
    module = importlib.import_module("lm_polygraph.stat_calculators.extract_claims")
    in_bytes = [piece if isinstance(piece, bytes) else piece.encode() for piece in pieces]
    answer = b"".join(in_bytes).decode()

    def decode(tokens: int | list[int]) -> str:
        tokens = [tokens] if isinstance(tokens, int) else tokens
        return b"".join(in_bytes[token] for token in tokens).decode(errors="replace")

    made = module.ClaimsExtractor.__new__(module.ClaimsExtractor)
    vars(made).update(
        language="en",
        openai_chat=Chat(words),
        sent_separators=".?!。？！\n",
        extraction_prompts={"en": "{sent}"},
        matching_prompts={"en": "MATCH {sent} {claim}"},
        n_threads=1,
        progress_bar=False,
    )
    model = types.SimpleNamespace(tokenizer=types.SimpleNamespace(decode=decode))
    stats = {"greedy_texts": [answer], "greedy_tokens": [list(range(len(pieces)))]}
    found = made(stats, ["Where?"], model)
    return {
        "answer": answer,
        "tokens_in_hex": [piece.hex() for piece in in_bytes],
        "theirs": [
            {"sentence": claim.sentence, "tokens": claim.aligned_token_ids}
            for claim in found["claims"][0]
        ],
        "prompts_for_truth": [
            f"Possible answer:{claim}" for claim in found["claim_texts_concatenated"]
        ],
    }


def nan_clipped(folder: Path) -> dict[str, Any]:
    """What their evaluation makes of an uncertainty that is NaN."""
    tree = ast.parse((folder / "utils" / "manager.py").read_text(encoding="utf-8"))
    (function,) = [node for node in tree.body if getattr(node, "name", "") == "_delete_nans"]
    scope: dict[str, Any] = {"np": np}
    exec(compile(ast.Module([function], []), "manager", "exec"), scope)
    clipped, _ = scope["_delete_nans"](np.array([math.nan, 1.0]), np.array([0.0, 1.0]))
    return {"uncertainties": ["nan", 1.0], "theirs": plain(clipped)}


def claim_ccp(function_words: tuple[str, ...]) -> Any:
    """Their CCP of claims, with our list of words in the place of a download."""
    return theirs(
        "estimators.claim.claim_conditioned_probability",
        "ClaimConditionedProbabilityClaim",
        is_stopword=lambda text: text in function_words,
    )
