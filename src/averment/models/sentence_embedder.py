"""Texts as vectors, by a sentence model in an ONNX file: what dense retrieval compares.

A model is a directory of ``model.onnx`` (see `averment.models.onnx_texts`; its first output is the
last state of every token) and ``tokenizer.json``. The vector of a text is the mean of its states,
scaled to length 1, which is how all-MiniLM-L6-v2 and its like were trained.

Each text is computed by itself. A model of dynamically quantised weights scales its numbers by the
largest of a batch: among fifteen others, the vector of a passage moved by a cosine of up to 0.013.

What this module does not do: fetch models, choose among ways of pooling, write prefixes such as
"query:" before texts (models that need them are none for it).

Source: Reimers and Gurevych 2019, Sentence-BERT, section 3 (the mean of all states).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from averment.errors import ModelFileError
from averment.models.onnx_texts import (
    MODEL,
    TOKENIZER,
    OnnxTexts,
    file_digest,
    open_onnx_texts,
)

MOST_TOKENS = 256
"""Of a text, marks included; what comes after them is not read. MiniLM was not trained on more."""


def open_sentence_embedder(directory: Path, *, n_threads: int = 1) -> OnnxSentenceEmbedder:
    """Open the model of a directory; its files are hashed once.

    Args:
        directory: Holds both files of the module's description.
        n_threads: Threads that compute.

    Raises:
        MissingExtraError: The runtime is not installed.
        ModelFileError: A file is missing, cannot be loaded, or is no sentence model.
    """
    texts = open_onnx_texts(directory, n_threads=n_threads, purpose="Sentence models")
    texts.tokenizer.enable_truncation(MOST_TOKENS)
    files = [file_digest(directory / name) for name in (MODEL, TOKENIZER)]
    told = "\n".join((*files, "mean", str(MOST_TOKENS)))
    embedder = OnnxSentenceEmbedder(texts, digest=hashlib.sha256(told.encode()).hexdigest())
    embedder.embed(["a"])  # whether it is a sentence model shows in its output only
    return embedder


class OnnxSentenceEmbedder:
    """A loaded model; a `ports.TextEmbedder`. Safe to call from threads.

    Args:
        texts: The model.
        digest: Of everything that vectors depend on besides the texts.
    """

    def __init__(self, texts: OnnxTexts, *, digest: str) -> None:
        self._texts = texts
        self._digest = digest

    @property
    def digest(self) -> str:
        """SHA-256 of both files, the pooling and the length; equal ones mean equal vectors.

        That holds on one kind of processor: on another the last digits may differ.
        """
        return self._digest

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """The unit vector of each text, shape ``(n_texts, n_dimensions)``.

        Raises:
            ModelFileError: The output is no state of every token, or no number.
        """
        vectors = [self._embedded(text) for text in texts]
        return np.stack(vectors) if vectors else np.zeros((0, 0), dtype=np.float32)

    def _embedded(self, text: str) -> npt.NDArray[np.float32]:
        encoding = self._texts.tokenizer.encode(text)
        states = self._texts.first_output([encoding])
        n_tokens = len(encoding.ids)
        if states.ndim != 3 or states.shape[:2] != (1, n_tokens):
            raise ModelFileError(
                f"The first output of {MODEL} has the shape {states.shape} for a text of {n_tokens}"
                f" tokens; expected (1, {n_tokens}, n_dimensions): the last state of every token."
            )
        mean = states[0].mean(axis=0, dtype=np.float64)
        length = float(np.linalg.norm(mean))
        if not (np.isfinite(length) and length > 0):
            raise ModelFileError(
                f"The model gave a vector of length {length} for {text[:60]!r}; its file may be "
                "damaged."
            )
        return np.asarray(mean / length, dtype=np.float32)
