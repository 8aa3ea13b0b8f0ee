"""Dense retrieval: the passages whose vectors have the largest cosine with the query's.

The vectors of an index are three files in a directory of their own: ``vectors.npy`` (one row a
passage, by its number), ``keys.npy`` (from which text each row was made, empty where there is no
vector yet) and ``dense.json`` (by which model). Since a row knows its text, vectors move with their
passages when these get other numbers, and are never taken for those of a passage that has changed.

Every passage is compared with the query: the search is exact. An approximate index would have to be
built, would miss passages and would not be the same bytes twice; one product of a matrix and a
vector takes 7 ms for 50,000 passages and 154 ms for a million, where an answer takes seconds. Half
precision would halve the file (1.5 kB a passage) and take five times as long.

What this module does not do: embed (`ports.TextEmbedder`), keep the passages, notice a flipped bit
inside an array (checksums are a matter of the index directory).

Source: Karpukhin et al. 2020, Dense Passage Retrieval (arXiv 2004.04906), section 3, with the
cosine of one encoder for queries and passages (Reimers and Gurevych 2019).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from averment.errors import IndexFormatError, UsageError
from averment.files import mapped_array
from averment.places import headed
from averment.ports import TextEmbedder
from averment.text import TextForm
from averment.types import Passage, Retrieval, ScoredPassage

FloatVectors = npt.NDArray[np.float32]

_FORMAT = "averment-dense-1"
_SETTINGS, _VECTORS, _KEYS = "dense.json", "vectors.npy", "keys.npy"
_KEY = np.dtype("S16")
_NONE = b""
_REBUILD = "Build the index again: averment index build PATHS"
_EMBED = "Make them: averment index embed"
_ROUNDING = 1e-4  # more than a cosine in single precision can be wrong by
_TEXT_FORM = TextForm()
_SHOWN_DIGITS = 12


@dataclass(frozen=True, slots=True, eq=False)
class PassageVectors:
    """The vectors of the passages of an index, by number.

    Args:
        model: The digest of the embedder that made them.
        keys: Of the text that each was made from, or empty: there is none yet. ``(n_passages,)``.
        vectors: Of length 1. ``(n_passages, n_dimensions)``.
    """

    model: str
    keys: npt.NDArray[np.bytes_]
    vectors: FloatVectors

    @classmethod
    def none_yet(cls, n_passages: int, n_dimensions: int, *, model: str) -> PassageVectors:
        """Room for the vectors of so many passages."""
        # A row of zeros takes no memory until it is written.
        vectors = np.zeros((n_passages, n_dimensions), dtype=np.float32)
        return cls(model, np.zeros(n_passages, dtype=_KEY), vectors)

    def missing(self, among: npt.NDArray[np.bool_] | None) -> list[int]:
        """The numbers of the passages without a vector, of those that are meant (None: all)."""
        lacks = self.keys == _NONE
        found: list[int] = np.flatnonzero(lacks if among is None else lacks & among).tolist()
        return found


def read_vectors(directory: Path) -> PassageVectors:
    """Open what was written to a directory, by memory map.

    Raises:
        IndexFormatError: A file is missing or damaged, or of another format.
    """
    path = directory / _SETTINGS
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
        is_ours = settings["format"] == _FORMAT
        model, shape = str(settings["model"]), (settings["n_passages"], settings["n_dimensions"])
        keys, vectors = mapped_array(directory / _KEYS), mapped_array(directory / _VECTORS)
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise IndexFormatError(
            f"The vectors in {directory} cannot be read: {error!r}.", hint=_REBUILD
        ) from error
    if not is_ours:
        raise IndexFormatError(f"{path} is not of format {_FORMAT!r}.", hint=_REBUILD)
    found = (keys.dtype, keys.shape, vectors.dtype, vectors.shape)
    if found != (_KEY, shape[:1], np.dtype(np.float32), shape):
        raise IndexFormatError(
            f"The vectors in {directory} are damaged: keys of {keys.dtype} {keys.shape} and "
            f"vectors of {vectors.dtype} {vectors.shape}, expected {_KEY} {shape[:1]} and float32 "
            f"{shape}.",
            hint=_REBUILD,
        )
    return PassageVectors(model, keys, np.asarray(vectors))


# --- making and moving --------------------------------------------------------------------------


def move_vectors(before: PassageVectors, passages: Iterable[Passage], directory: Path) -> None:
    """Write the vectors of passages that have other numbers than before, as far as there are any.

    Args:
        before: By the old numbers.
        passages: In the order of the new numbers.
        directory: Where to write; it exists.
    """
    keys = np.array([_key(passage_text(passage)) for passage in passages], dtype=_KEY)
    order = np.argsort(before.keys, kind="stable")
    places = np.searchsorted(before.keys, keys, sorter=order)
    rows = order[np.minimum(places, len(order) - 1)]
    is_known = before.keys[rows] == keys
    vectors = np.zeros((len(keys), before.vectors.shape[1]), dtype=np.float32)
    vectors[is_known] = before.vectors[rows[is_known]]
    keys[~is_known] = _NONE
    _write(PassageVectors(before.model, keys, vectors), directory)


def add_vectors(
    before: PassageVectors,
    made: Mapping[int, FloatVectors],
    passages: Sequence[Passage],
    directory: Path,
) -> None:
    """Write the vectors that there are and some more.

    Args:
        before: Made by the same model.
        made: The others, of what `passage_text` gives for the passages of these numbers.
        passages: By number.
        directory: Where to write; it exists.
    """
    keys, vectors = before.keys.copy(), before.vectors.copy()
    for number, vector in made.items():
        keys[number] = _key(passage_text(passages[number]))
        vectors[number] = vector
    _write(PassageVectors(before.model, keys, vectors), directory)


def passage_text(passage: Passage) -> str:
    """What of a passage is embedded: title and section, and the text below them."""
    over = headed(passage.title, passage.place)
    return f"{over}\n{passage.text}" if over else passage.text


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[: _KEY.itemsize]


def _write(made: PassageVectors, directory: Path) -> None:
    np.save(directory / _VECTORS, made.vectors, allow_pickle=False)
    np.save(directory / _KEYS, made.keys, allow_pickle=False)
    n_passages, n_dimensions = made.vectors.shape
    settings = {
        "format": _FORMAT,
        "model": made.model,
        "n_passages": n_passages,
        "n_dimensions": n_dimensions,
    }
    text = json.dumps(settings, indent=0)
    (directory / _SETTINGS).write_text(text, encoding="utf-8", newline="\n")


# --- searching ----------------------------------------------------------------------------------


class DenseRetriever:
    """Finds the passages that are most like a query; see `open_dense`.

    Args:
        passages: The passages by number.
        vectors: Theirs; every passage that may be found has one.
        embedder: Who made them.
        among: Which passages may be found; None: all.
    """

    def __init__(
        self,
        passages: Sequence[Passage],
        vectors: FloatVectors,
        *,
        embedder: TextEmbedder,
        among: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        self._passages = passages
        self._vectors = vectors
        self._embedder = embedder
        self._among = among

    @property
    def name(self) -> str:
        """With the first digits of the model's digest, since another model finds others."""
        return f"dense({self._embedder.digest[:_SHOWN_DIGITS]})"

    def search(self, queries: Sequence[str], *, k: int) -> list[Retrieval]:
        """The k passages that are most like each query, best first; ties go to the earlier passage.

        Every passage is like a query to some degree, so k come back if there are so many, however
        unlike; only a query without a word has none.

        Raises:
            ValueError: k is below 1.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        return [self._search(query, k) for query in queries]

    def _search(self, query: str, k: int) -> Retrieval:
        if not _TEXT_FORM.words(query):
            return Retrieval(query, (), self.name)
        [vector] = self._embedder.embed([query])
        hits = tuple(
            ScoredPassage(self._passages[number], cosine, rank)
            for rank, (number, cosine) in enumerate(self._nearest(vector, k), start=1)
        )
        return Retrieval(query, hits, self.name)

    def _nearest(self, vector: FloatVectors, k: int) -> list[tuple[int, float]]:
        """The numbers and cosines of the k nearest, nearest first, ties by number."""
        rough = self._vectors @ vector
        if self._among is not None:
            rough[~self._among] = -np.inf
        k = min(k, int(np.isfinite(rough).sum()))
        if k == 0:
            return []
        least = np.partition(rough, len(rough) - k)[len(rough) - k]
        near = np.flatnonzero(rough >= least - _ROUNDING)
        # The product above may round equal rows differently; these sums cannot.
        cosines = (self._vectors[near].astype(np.float64) * vector).sum(axis=1)
        order = np.lexsort((near, -cosines))[:k]
        return list(zip(near[order].tolist(), cosines[order].tolist(), strict=True))


def open_dense(
    found: PassageVectors,
    passages: Sequence[Passage],
    *,
    embedder: TextEmbedder,
    among: npt.NDArray[np.bool_] | None = None,
) -> DenseRetriever:
    """A retriever over the vectors of passages.

    Args:
        found: What `read_vectors` gives.
        passages: The same passages in the same order; read one by one, as they are found.
        embedder: The one that made them; it embeds the queries.
        among: Which passages may be found, shape ``(n_passages,)``; None: all.

    Raises:
        IndexFormatError: They are of another number of passages.
        UsageError: Another model made them, or a passage that may be found has none.
    """
    if len(found.keys) != len(passages):
        raise IndexFormatError(
            f"The index has vectors of {len(found.keys)} passages, but there are {len(passages)}.",
            hint=_REBUILD,
        )
    if found.model != embedder.digest:
        raise UsageError(
            "The vectors of the passages were made by the sentence model "
            f"{found.model[:_SHOWN_DIGITS]}, but this is {embedder.digest[:_SHOWN_DIGITS]}; they "
            "cannot be compared.",
            hint="Name the model that made them, or make them anew: averment index embed",
        )
    missing = found.missing(among)
    if missing:
        raise UsageError(
            f"{len(missing):,} of {len(passages):,} passages have no vector yet and would never "
            "be found.",
            hint=_EMBED,
        )
    return DenseRetriever(passages, found.vectors, embedder=embedder, among=among)
