"""Documents, passages and what a corpus says of phrases: counts, pairs, places.

What this module does not do: count.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from averment.places import Layout, Place


class CountKind(StrEnum):
    """How far a count may be trusted."""

    EXACT = "exact"
    LOWER_BOUND = "lower_bound"
    ESTIMATE = "estimate"
    UNAVAILABLE = "unavailable"


class Support(StrEnum):
    """What the corpus says about a claim. Presence is never proof, absence is a warning."""

    PRESENT = "present"
    ABSENT = "absent"
    NOT_COVERED = "not_covered"
    """The corpus hardly knows the head at all, so absence says little."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Document:
    """One record of a corpus. ``date`` is ISO 8601; ``layout``: its sections and pages."""

    document_id: str
    text: str
    title: str = ""
    source: str = ""
    date: str | None = None
    language: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    layout: Layout | None = None


Phrase: TypeAlias = str | Set[str]
"""What can be counted: some words in a row, or any of the forms of one name.
Of several forms that overlap in a text, the first counts, the longest of those that start together;
so they are counted once. A set of one form is that form."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What is retrieved: ``document.text[start:end]``; ``date`` is that of the document."""

    passage_id: str
    document_id: str
    title: str
    text: str
    start: int
    end: int
    place: Place | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A hit. ``score`` is comparable within one retrieval only; ``rank`` starts at 1."""

    passage: Passage
    score: float
    rank: int


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The hits of one query, best first."""

    query: str
    hits: tuple[ScoredPassage, ...]
    retriever: str


@dataclass(frozen=True, slots=True)
class CorpusInfo:
    """What an index is: compared when it is opened, echoed with its results.

    ``entity_threshold_documents`` is the 25 % quantile of the document frequencies of capitalised
    names in a sample: by default rarer ones are rare. Numbers are of what is not deleted, ``None``
    is what the index does not know. ``tells_documents``: its counts say in how many documents.
    """

    name: str
    format_version: int
    engine: str
    text_form: str
    n_documents: int | None
    n_words: int | None
    n_terms: int | None
    n_segments: int
    n_passages: int
    n_deleted_documents: int
    counts_bytes: int | None
    passages_bytes: int
    generation: int
    digest: str
    built_at: str
    entity_threshold_documents: int | None
    tells_documents: bool = True


@dataclass(frozen=True, slots=True)
class SurfaceForm:
    """A spelling; its ``source``: ``name`` (as asked), ``user``, ``rule:ID``, ``table:FILE`` …."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Count:
    """Start positions (``value``) and documents of a phrase; ``forms``: if several were counted."""

    value: int | None
    documents: int | None
    kind: CountKind
    forms: tuple[SurfaceForm, ...] = ()
    reason: str | None = None  # why it is not available, where that is known

    @classmethod
    def unavailable(cls, reason: str | None = None) -> Count:
        """The count that nobody could give."""
        return cls(None, None, CountKind.UNAVAILABLE, reason=reason)

    def support(self, at_least: int = 1) -> Support:
        """Whether it occurs so often; neither a lower bound nor an estimate proves absence."""
        if self.value is None or self.kind is CountKind.ESTIMATE:
            return Support.UNKNOWN
        if self.value >= at_least:
            return Support.PRESENT
        return Support.ABSENT if self.kind is CountKind.EXACT else Support.UNKNOWN


@dataclass(frozen=True, slots=True)
class Cooccurrence:
    """How often two phrases start within a window of words in one document.

    ``pairs`` counts pairs of start positions, ``documents`` documents with at least one pair,
    ``nearest_words`` is the smallest distance in words, ``None`` if the phrases share no document.
    ``a_forms``, ``b_forms``: if several were counted together. ``exists`` is never an estimate.
    """

    exists: bool | None
    documents: int | None
    pairs: int | None
    nearest_words: int | None
    kind: CountKind
    a_forms: tuple[SurfaceForm, ...] = ()
    b_forms: tuple[SurfaceForm, ...] = ()
    reason: str | None = None

    @classmethod
    def unavailable(cls, reason: str | None = None) -> Cooccurrence:
        """The co-occurrence that nobody could establish."""
        return cls(None, None, None, None, CountKind.UNAVAILABLE, reason=reason)

    def support(self, at_least: int = 1) -> Support:
        """Whether so many pairs occur; only an exact count proves an absence."""
        if self.pairs is None or self.kind is CountKind.ESTIMATE:
            return Support.PRESENT if self.exists and at_least == 1 else Support.UNKNOWN
        if self.pairs >= at_least:
            return Support.PRESENT
        return Support.ABSENT if self.kind is CountKind.EXACT else Support.UNKNOWN


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where a phrase occurs; an index without document text knows the document only."""

    document_id: str
    start: int | None
    end: int | None
    snippet: str | None
    place: Place | None = None
