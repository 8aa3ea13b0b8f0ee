"""How alike texts are, by the cosine of sentence embeddings in an ONNX file.

A directory has ``model.onnx`` and ``tokenizer.json``; the embedding is the mean of the last states.
It stands where the papers of SAR have a cross-encoder, and is reported by its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from averment.metrics.rows import FloatArray

_MOST_TOKENS = 256
_BATCH = 64


class Embedder:
    """Compares texts; each is embedded once.

    Args:
        directory: Of the model.
        name: Under which results are reported.
        n_threads: Threads that compute.
    """

    def __init__(self, directory: Path, *, name: str, n_threads: int = 1) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = n_threads
        path = str(directory / "model.onnx")
        self.name = name
        self._session = onnxruntime.InferenceSession(
            path, options, providers=["CPUExecutionProvider"]
        )
        self._inputs = [each.name for each in self._session.get_inputs()]
        self._tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
        self._tokenizer.enable_truncation(_MOST_TOKENS)
        self._tokenizer.enable_padding()
        self._known: dict[str, FloatArray] = {}

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The cosine of each pair, at most 1."""
        texts = dict.fromkeys(text for pair in pairs for text in pair if text not in self._known)
        left = list(texts)
        for first in range(0, len(left), _BATCH):
            some = left[first : first + _BATCH]
            self._known.update(zip(some, self._embedded(some), strict=True))
        return [min(1.0, float(self._known[a] @ self._known[b])) for a, b in pairs]

    def _embedded(self, texts: Sequence[str]) -> list[FloatArray]:
        encodings = self._tokenizer.encode_batch(list(texts))
        columns: dict[str, Any] = {
            "input_ids": [each.ids for each in encodings],
            "attention_mask": [each.attention_mask for each in encodings],
            "token_type_ids": [each.type_ids for each in encodings],
        }
        feed = {name: np.array(columns[name], dtype=np.int64) for name in self._inputs}
        states = np.asarray(self._session.run(None, feed)[0], dtype=np.float64)
        mask = np.array(columns["attention_mask"], dtype=np.float64)[:, :, None]
        means = (states * mask).sum(axis=1) / mask.sum(axis=1)
        return list(means / np.linalg.norm(means, axis=1, keepdims=True))
