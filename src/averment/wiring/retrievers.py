"""Retrievers opened as the settings say; the vectors that dense ones need, made and kept.

Vectors go with an index as BM25 does: files of the generation, listed in the manifest with their
hashes. When passages get other numbers, those whose text has a vector keep it; the others lack one
until `embed_index`, and a retriever that would never find them is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from averment.errors import UsageError
from averment.index.build import IndexWriter
from averment.index.embedded import EmbeddedIndex, open_embedded
from averment.index.infinigram.index import InfiniGramIndex
from averment.index.staging import disk_errors
from averment.ports import Retriever, TextEmbedder
from averment.settings import Settings
from averment.wiring.aliases import names_in_languages
from averment.wiring.foreign import AnyIndex

if TYPE_CHECKING:
    from averment.retrieval.dense import DenseRetriever, PassageVectors

_BM25, _VECTORS = "bm25", "dense"
_LEAST_STRIDE = 4096
_MOST_STRIDES = 16
"""Vectors are published so often, so that whoever is killed has not worked for nothing."""


def has_passages(index: AnyIndex) -> bool:
    """Whether there is anything to retrieve; an index of counts only has nothing."""
    return isinstance(index, InfiniGramIndex) or index.extra_directory(_BM25) is not None


def open_retriever(index: AnyIndex, settings: Settings | None = None) -> Retriever:
    """The retriever of the settings over the passages of an index; without settings, BM25.

    An index of infini-gram has no passages: those of `settings.passages` are searched, or else its
    documents are read around the names of a query.

    Raises:
        UsageError: The index was built with counts only, or a passage has no vector; the sentence
            model is not named, or is another one than made the vectors.
        MissingExtraError, ModelFileError: The sentence model cannot be opened.
    """
    from averment.retrieval.bm25 import open_bm25
    from averment.retrieval.fusion import ReciprocalRankFusion

    if isinstance(index, InfiniGramIndex):
        if settings is None or settings.passages is None:
            from averment.retrieval.around_names import AroundNames

            return AroundNames(index)
        index = open_embedded(settings.passages)
    searched = index
    whole = index.opened_extra(_BM25, lambda below: open_bm25(below, searched.passages()))
    if whole is None:
        raise _counts_only(index)
    name = settings.retriever if settings else "bm25"
    if settings is not None and name == "dense":
        return _open_dense(index, settings)
    book = names_in_languages(settings, index) if settings and settings.aliases else None
    forms_of = None if book is None else book.forms_in_languages
    bm25 = whole.restricted(index.passages_meant(), forms_of)
    if settings is not None and name == "fusion":
        return ReciprocalRankFusion([bm25, _open_dense(index, settings)])
    return bm25


def _open_dense(index: EmbeddedIndex, settings: Settings) -> DenseRetriever:
    from averment.retrieval.dense import open_dense

    vectors = _vectors_of(index)
    if vectors is None:
        raise UsageError(
            f"The index {index.info.name!r} has no vectors, which the retriever "
            f"{settings.retriever!r} needs.",
            hint="Make them: averment index embed --embedder DIR",
        )
    embedder = open_embedder(settings)
    passages, among = index.passages(), index.passages_meant()
    return open_dense(vectors, passages, embedder=embedder, among=among)


def _counts_only(index: AnyIndex) -> UsageError:
    return UsageError(
        f"The index {index.info.name!r} has counts only, no passages to retrieve from.",
        hint="Build it without --counts-only.",
    )


def open_embedder(settings: Settings) -> TextEmbedder:
    """The sentence model of the settings.

    Raises:
        UsageError: None is named.
        MissingExtraError: The runtime is not installed.
        ModelFileError: It is not there, or is no sentence model.
    """
    from averment.models.sentence_embedder import open_sentence_embedder

    if settings.embedder is None:
        raise UsageError(
            "Dense retrieval needs a sentence model, and none is named.",
            hint="Name a directory with model.onnx and tokenizer.json: --embedder DIR, or "
            "AVERMENT_EMBEDDER.",
        )
    return open_sentence_embedder(settings.embedder, n_threads=settings.threads or 1)


# --- vectors ------------------------------------------------------------------------------------


class VectorState(NamedTuple):
    """Of how many passages an index has vectors, and the digest of the model that made them."""

    n_vectors: int
    n_missing: int
    model: str


def vector_state(index: AnyIndex) -> VectorState | None:
    """The vectors of an index; None if it has none.

    Raises:
        IndexFormatError: They are damaged.
    """
    found = _vectors_of(index)
    if found is None:
        return None
    n_missing = len(found.missing(index.passages_meant()))
    return VectorState(index.info.n_passages - n_missing, n_missing, found.model)


def _vectors_of(index: AnyIndex) -> PassageVectors | None:
    from averment.retrieval.dense import read_vectors

    return index.opened_extra(_VECTORS, read_vectors)


def carry_vectors(writer: IndexWriter) -> None:
    """Put the vectors of the index as it was, if it had any, where the new one is published from.

    Args:
        writer: All documents are there, and passages have other numbers than before.
    """
    from averment.retrieval.dense import move_vectors, read_vectors

    before = writer.previous_extra(_VECTORS)
    if before is not None:
        move_vectors(read_vectors(before), writer.passages(), writer.extra_directory(_VECTORS))


def embed_index(
    path: str | Path,
    embedder: TextEmbedder,
    *,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Give every passage of an index a vector; what is interrupted goes on where it had got to.

    Vectors of another model are replaced. Other writers are refused meanwhile.

    Args:
        path: The index directory.
        embedder: Who embeds.
        on_progress: Told how many of the passages that lacked a vector have one now, and how many
            lacked one.

    Returns:
        How many passages lacked a vector.

    Raises:
        UsageError: The index was built with counts only.
        IndexUnavailable: Another process is writing it.
        CorpusError: The disk refused.
    """
    from averment.retrieval.dense import add_vectors, passage_text

    n_done = n_missing = 0
    while True:
        # The lock first: as long as it is held, passages keep their numbers.
        with IndexWriter(Path(path), add=True) as writer:
            index = open_embedded(Path(path))
            passages, before = index.passages(), _vectors_by(embedder, index)
            missing = before.missing(index.passages_meant())
            n_missing = n_missing or len(missing)
            if not missing:
                return n_missing
            stride = max(_LEAST_STRIDE, n_missing // _MOST_STRIDES)
            made: dict[int, npt.NDArray[np.float32]] = {}
            try:
                for number in missing[:stride]:
                    [made[number]] = embedder.embed([passage_text(passages[number])])
                    n_done += 1
                    on_progress(n_done, n_missing)
            finally:  # also what was made before an interruption is kept
                if made:
                    with disk_errors(Path(path)):
                        add_vectors(before, made, passages, writer.extra_directory(_VECTORS))
                    writer.publish()


def _vectors_by(embedder: TextEmbedder, index: EmbeddedIndex) -> PassageVectors:
    """The vectors that an embedder made for an index; none yet, if they are another's."""
    from averment.retrieval.dense import PassageVectors

    if not has_passages(index):
        raise _counts_only(index)
    found = _vectors_of(index)
    if found is not None and found.model == embedder.digest:
        return found
    n_dimensions = embedder.embed(["a"]).shape[1]
    return PassageVectors.none_yet(len(index.passages()), n_dimensions, model=embedder.digest)
