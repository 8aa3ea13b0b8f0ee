"""What corpus counts say of a claim: features of its triples, and of the claim by its weakest link.

All counts are of documents: of N documents, d_h hold the head, d_t the tail, d_ht both within the
window. A feature that is not known is None, never 0: a count that nobody could give, a lower bound
of 0, an estimate of 0 say nothing. A feature of a claim is known only if it is known of all its
triples. No corpus makes every feature None, and a score that reads none of them is plain FRANQ.

Passages that were retrieved are no evidence for what was copied from them: `retrieved` takes them
out of the counts first.
What this module does not do: ask an index, weigh features against labels (`corpus_stack`).

Source: after QuCo-RAG (arXiv 2512.19134), whose thresholds of entity counts and co-occurrence
become features; NPMI: Bouma 2009.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from averment.types import Cooccurrence, Count, CountKind

SURPRISE_CAP: Final = 5.0
"""The largest surprise of a zero: exp(−5) is a chance below 1 %, and more says no more."""

TRIPLE_DIRECTIONS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "log_head": 1,
        "log_tail": 1,
        "log_cooccurrence": 1,
        "zero": -1,
        "npmi": 1,
        "surprise": -1,
        "rarity": -1,
        "contrast": 1,
        "conflict": -1,
        "log_distance": -1,
    }
)
"""Features of a triple; 1: speaks for the claim when higher, −1: speaks against it."""

DIRECTIONS: Final[Mapping[str, int]] = MappingProxyType(
    {
        f"{name}_{how}": direction
        for name, direction in TRIPLE_DIRECTIONS.items()
        for how in ("weakest", "mean")
    }
)
"""Features of a claim by name, such as ``npmi_weakest``; directions as for triples."""


@dataclass(frozen=True, slots=True)
class CorpusSize:
    """How large the corpus is and how near two names must be.

    Raises:
        ValueError: No documents, no words, or a window below 0.
    """

    n_documents: int
    n_words: int
    window_words: int

    def __post_init__(self) -> None:
        if self.n_documents < 1 or self.n_words < 1 or self.window_words < 0:
            raise ValueError(f"A corpus has documents and words; this one is {self}.")

    @property
    def window_factor(self) -> float:
        """The share of a mean document that lies within the window of a word, in (0, 1].

        Names that share a document by chance share the window about so often. Several occurrences
        in one document are not considered, so that the expectation is rather too small.
        """
        return min(1.0, (2 * self.window_words + 1) * self.n_documents / self.n_words)


@dataclass(frozen=True, slots=True)
class TripleCounts:
    """The counts of one claimed triple.

    Args:
        head: Of the head.
        tail: Of the tail.
        together: Of both within the window, without what was retrieved (`retrieved`).
        rivals: Of the head with other tails of the same type. Empty where nobody looked.
    """

    head: Count
    tail: Count
    together: Cooccurrence
    rivals: tuple[Cooccurrence, ...] = ()


def claim_features(
    triples: Sequence[TripleCounts], *, corpus: CorpusSize
) -> dict[str, float | None]:
    """The features of a claim, by the names of `DIRECTIONS`.

    ``…_weakest`` is the value of the triple that speaks least for the claim, as a claim is as true
    as its weakest part; ``…_mean`` the mean over its triples.

    Args:
        triples: Of the claim; without any, every feature is None.
        corpus: Where the counts are from.
    """
    of_triples = [triple_features(triple, corpus=corpus) for triple in triples]
    features: dict[str, float | None] = {}
    for name, direction in TRIPLE_DIRECTIONS.items():
        values = [of_triple[name] for of_triple in of_triples]
        known = [value for value in values if value is not None]
        complete = bool(values) and len(known) == len(values)
        weakest = min if direction > 0 else max
        features[f"{name}_weakest"] = weakest(known) if complete else None
        features[f"{name}_mean"] = math.fsum(known) / len(known) if complete else None
    return features


def triple_features(triple: TripleCounts, *, corpus: CorpusSize) -> dict[str, float | None]:
    """The features of one triple, by the names of `TRIPLE_DIRECTIONS`.

    ``log_head``, ``log_tail``, ``log_cooccurrence``: log10(1 + documents). ``zero``: 1 if both
    never occur together, else 0. ``npmi``: normalised pointwise mutual information in [−1, 1]; −1
    for a zero, None where an end does not occur at all. ``surprise``: of a zero, the documents
    expected under independence, at most `SURPRISE_CAP`; 0 without a zero. Under independence
    exp(−surprise) is the chance of the zero. ``rarity``: 1 / (1 + d_h). ``contrast``:
    d_ht / (d_ht + the most frequent rival's). ``conflict``: by how many powers of ten that rival is
    more frequent, at least 0. ``log_distance``: log10(1 + nearest words).
    """
    head, tail = _documents(triple.head), _documents(triple.tail)
    together = _documents(triple.together)
    zero = None if together is None else float(together == 0)
    rival = _strongest(triple.rivals)
    nearest = triple.together.nearest_words
    return {
        "log_head": _log10(head),
        "log_tail": _log10(tail),
        "log_cooccurrence": _log10(together),
        "zero": zero,
        "npmi": _npmi(triple, corpus.n_documents),
        "surprise": _surprise(zero, expected_documents(triple, corpus=corpus)),
        "rarity": None if head is None else 1 / (1 + head),
        "contrast": _contrast(triple.together, rival),
        "conflict": None if rival is None else _conflict(triple.together, rival),
        "log_distance": _log10(nearest) if together else None,
    }


def expected_documents(triple: TripleCounts, *, corpus: CorpusSize) -> float | None:
    """Documents with both ends within the window if they knew nothing of each other.

    d_h · d_t / N · window factor. A lower bound of a count makes it a lower bound.
    """
    head, tail = _documents(triple.head), _documents(triple.tail)
    if head is None or tail is None:
        return None
    return head * tail / corpus.n_documents * corpus.window_factor


def _documents(count: Count | Cooccurrence) -> int | None:
    """The documents of a count, None where a 0 is none."""
    if count.documents is None or count.kind is CountKind.UNAVAILABLE:
        return None
    return count.documents if count.documents or count.kind is CountKind.EXACT else None


def _measured(count: Count | Cooccurrence) -> int | None:
    """The documents, unless they are a lower bound, which moves a ratio nobody knows where to."""
    return None if count.kind is CountKind.LOWER_BOUND else _documents(count)


def _log10(documents: int | None) -> float | None:
    return None if documents is None else math.log10(1 + documents)


def _npmi(triple: TripleCounts, n_documents: int) -> float | None:
    """None where an end does not occur at all: then nothing follows from the zero."""
    head, tail = _measured(triple.head), _measured(triple.tail)
    together = _measured(triple.together)
    if not head or not tail or together is None:
        return None
    if together == 0:
        return -1.0
    if together >= n_documents:
        return 1.0
    pmi = math.log(together) + math.log(n_documents) - math.log(head) - math.log(tail)
    return max(-1.0, min(1.0, pmi / math.log(n_documents / together)))


def _surprise(zero: float | None, expected: float | None) -> float | None:
    if zero is None or expected is None:
        return None
    return zero * min(expected, SURPRISE_CAP)


def _strongest(rivals: Sequence[Cooccurrence]) -> int | None:
    """The documents of the most frequent rival; None without rivals or where one is unknown."""
    documents = [_measured(rival) for rival in rivals]
    known = [n for n in documents if n is not None]
    return max(known) if known and len(known) == len(documents) else None


def _contrast(together: Cooccurrence, rival: int | None) -> float | None:
    own = _measured(together)
    if own is None or rival is None or own + rival == 0:
        return None
    return own / (own + rival)


def _conflict(together: Cooccurrence, rival: int) -> float | None:
    own = _measured(together)
    return None if own is None else max(0.0, math.log10((1 + rival) / (1 + own)))
