"""How alike texts are, by the cosine of sentence embeddings in an ONNX file.

It stands where the papers of SAR have a cross-encoder, and is reported by its name. What a model is
and how texts are embedded: `averment.models.sentence_embedder`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from averment.metrics.rows import FloatArray
from averment.models.sentence_embedder import open_sentence_embedder


class Embedder:
    """Compares texts; each is embedded once.

    Args:
        directory: Of the model.
        name: Under which results are reported.
        n_threads: Threads that compute.
    """

    def __init__(self, directory: Path, *, name: str, n_threads: int = 1) -> None:
        self.name = name
        self._embedder = open_sentence_embedder(directory, n_threads=n_threads)
        self._known: dict[str, FloatArray] = {}

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The cosine of each pair, at most 1."""
        texts = list(
            dict.fromkeys(text for pair in pairs for text in pair if text not in self._known)
        )
        vectors = self._embedder.embed(texts).astype(float)
        self._known.update(zip(texts, vectors, strict=True))
        return [min(1.0, float(self._known[a] @ self._known[b])) for a, b in pairs]
