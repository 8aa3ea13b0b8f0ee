"""Passages of given texts, and an embedder that needs no model: cosines by words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from averment.types import Passage

N_DIMENSIONS = 64


def passages_of(*texts: str, title: str = "") -> list[Passage]:
    """Passages with these texts, numbered from 0."""
    return [
        Passage(str(number), str(number), title, text, 0, len(text))
        for number, text in enumerate(texts)
    ]


class WordEmbedder:
    """A text is the sum of the directions of its words; what was embedded is remembered.

    Args:
        digest: Its name; embedders of other digests give other directions.
    """

    def __init__(self, digest: str = "words") -> None:
        self.digest = digest
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.embedded += texts
        sums = [sum(map(self._direction, text.split()), np.zeros(N_DIMENSIONS)) for text in texts]
        return np.array([each / np.linalg.norm(each) for each in sums], dtype=np.float32)

    def _direction(self, word: str) -> npt.NDArray[np.float64]:
        seed = hashlib.sha256(f"{self.digest} {word}".encode()).digest()
        return np.random.default_rng(list(seed)).normal(size=N_DIMENSIONS)


class OneByOne(Sequence[Passage]):
    """Passages that remember which of them were read."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self.read: list[int] = []

    def __len__(self) -> int:
        return len(self._passages)

    @overload
    def __getitem__(self, number: int) -> Passage: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Passage]: ...

    def __getitem__(self, number: Any) -> Any:
        self.read.append(number)
        return self._passages[number]

    def __iter__(self) -> Iterator[Passage]:
        raise AssertionError("all passages were read")
