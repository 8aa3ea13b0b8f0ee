"""What can say how far a window supports a claim: the exported model and counting words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from averment.text import TextForm

FloatArray = npt.NDArray[np.float64]
_MAX_TOKENS = 384


class Scorer(Protocol):
    """Gives each (window, claim) a score; higher is better supported."""

    def entailment(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """The score of each pair, in [0, 1]."""
        ...


class OnnxJudge:
    """An exported cross-encoder on one thread."""

    def __init__(self, model: Path, tokenizer: Path, threads: int = 1) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MAX_TOKENS, strategy="only_first")

    def probabilities(
        self, pairs: Sequence[tuple[str, str]], *, batch_size: int = 16
    ) -> FloatArray:
        """P(entailment, neutral, contradiction) of each pair, in the order given."""
        encoded = self._tokenizer.encode_batch(list(pairs))
        order = sorted(range(len(pairs)), key=lambda i: len(encoded[i].ids))
        found = np.zeros((len(pairs), 3))
        for at in range(0, len(order), batch_size):
            rows = order[at : at + batch_size]
            longest = max(len(encoded[i].ids) for i in rows)
            inputs = {
                name: np.zeros((len(rows), longest), dtype=np.int64)
                for name in ("input_ids", "attention_mask", "token_type_ids")
            }
            for row, i in enumerate(rows):
                length = len(encoded[i].ids)
                inputs["input_ids"][row, :length] = encoded[i].ids
                inputs["attention_mask"][row, :length] = 1
                inputs["token_type_ids"][row, :length] = encoded[i].type_ids
            logits = self._session.run(["logits"], inputs)[0].astype(np.float64)
            exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
            found[rows] = exponentials / exponentials.sum(axis=1, keepdims=True)
        return found

    def entailment(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """P(entailment) of each pair."""
        return self.probabilities(pairs)[:, 0]


class LexicalCoverage:
    """The IDF-weighted share of the claim's words that the window holds."""

    def __init__(self, texts: Iterable[str]) -> None:
        frequency: Counter[str] = Counter()
        count = 0
        for text in texts:
            frequency.update(_words(text))
            count += 1
        self._idf = {word: math.log(1 + count / n) for word, n in frequency.items()}
        self._unknown = math.log(1 + count)

    def entailment(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """The coverage of each claim by its window."""
        return np.array([self._coverage(window, claim) for window, claim in pairs])

    def _coverage(self, window: str, claim: str) -> float:
        held = _words(window)
        weights = {word: self._idf.get(word, self._unknown) for word in _words(claim)}
        total = sum(weights.values())
        return sum(w for word, w in weights.items() if word in held) / total if total else 0.0


@lru_cache(maxsize=20_000)
def _words(text: str) -> frozenset[str]:
    return frozenset(TextForm().words(text))
