"""Estimators and similarities of the words of samples: no model, no probabilities.

Words are those of `averment.text.TextForm`, so that every script has some.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations

import numpy as np

from averment.text import TextForm
from averment.uq.inputs import FloatArray, several_samples
from averment.uq.records import Record


def lexical_similarity(record: Record) -> float:
    """How little the samples share words in order: -mean over pairs of ROUGE-L F.

    ROUGE-L F of two texts of m and n words is 2·LCS / (m + n), LCS being their longest common
    subsequence. lm-polygraph stems the words and keeps ASCII only, which leaves nothing of other
    scripts; here words are whole and of any script.

    Returns:
        In [-1, 0], worse when higher; -1 if all samples have the same words.

    Needs: SAMPLES.

    Source: Fomicheva et al. 2020; Kuhn et al. 2023 with ROUGE-L; lm-polygraph
    `LexicalSimilarity`.
    """
    texts = [sample.text for sample in several_samples(record)]
    return -float(np.mean([rouge_l(a, b) for a, b in combinations(texts, 2)]))


def jaccard_similarities(texts: Sequence[str]) -> FloatArray:
    """Shared words over all words of each pair of texts, (N, N); 1 on the diagonal.

    Two texts without words are alike if they are equal, where lm-polygraph gives 0.
    """
    words = [frozenset(TextForm().words(text)) for text in texts]
    similarity = np.eye(len(texts))
    for i, j in combinations(range(len(texts)), 2):
        union = words[i] | words[j]
        shared = len(words[i] & words[j]) / len(union) if union else float(texts[i] == texts[j])
        similarity[i, j] = similarity[j, i] = shared
    return similarity


def rouge_l(a: str, b: str) -> float:
    """ROUGE-L F of two texts, in [0, 1]; 1 for equal texts, also without words."""
    words_a, words_b = TextForm().words(a), TextForm().words(b)
    total = len(words_a) + len(words_b)
    return 2 * _lcs_length(words_a, words_b) / total if total else float(a == b)


def _lcs_length(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    # One bit a word of a, one addition a word of b (Hyyrö 2004); a bit falls where the LCS grows.
    places: dict[Hashable, int] = {}
    for index, word in enumerate(a):
        places[word] = places.get(word, 0) | 1 << index
    everywhere = (1 << len(a)) - 1
    open_bits = everywhere
    for word in b:
        matched = open_bits & places.get(word, 0)
        open_bits = ((open_bits + matched) | (open_bits - matched)) & everywhere
    return len(a) - open_bits.bit_count()
