"""The language that adapters speak: one protocol for each edge of the system.

Every method that does work takes a sequence and returns a list of the same length and order, so
that an adapter can batch. An adapter translates foreign exceptions into `averment.errors` and
keeps tensors and wire formats to itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from averment.dating import Dates, Days
from averment.readings import Attention, Sampling, Spread
from averment.types import (
    Cooccurrence,
    CorpusInfo,
    Count,
    Entity,
    Extraction,
    Faithfulness,
    Generation,
    GenerationOptions,
    ModelInfo,
    Occurrence,
    Passage,
    Phrase,
    Prompt,
    Retrieval,
    SurfaceForm,
    Token,
)
from averment.uq.records import Nli

if TYPE_CHECKING:  # so that an engine does not import it
    import numpy as np
    import numpy.typing as npt

DamagedSegments = Literal["fail", "lower_bound"]
"""What to do with a segment that cannot be read: refuse the index, or answer without it."""


class CorpusIndex(Protocol):
    """Exact phrase counts and windowed co-occurrence over a corpus.

    A phrase is text; it passes through the index's own text form. (i, j) is a pair of A and B iff
    both are start positions in one document and |i - j| <= window_words; overlapping spans and
    A = B (distance 0) count. A phrase is one text or a set of the forms of one name. A phrase
    without a word, or a set without a form, raises `QueryError`.
    """

    @property
    def info(self) -> CorpusInfo:
        """What this index is."""
        ...

    def count(self, phrases: Sequence[Phrase]) -> list[Count]:
        """Occurrences and documents of each phrase."""
        ...

    def exists(
        self, pairs: Sequence[tuple[Phrase, Phrase]], *, window_words: int
    ) -> list[bool | None]:
        """Whether each pair occurs at all; None where that is unknown. The fast path."""
        ...

    def cooccurrence(
        self, pairs: Sequence[tuple[Phrase, Phrase]], *, window_words: int
    ) -> list[Cooccurrence]:
        """Pairs, documents and the smallest distance of each pair of phrases."""
        ...

    def cooccurrence_by_window(
        self, pairs: Sequence[tuple[Phrase, Phrase]], *, windows_words: Sequence[int]
    ) -> list[tuple[Cooccurrence, ...]]:
        """What `cooccurrence` gives for each of some windows."""
        ...

    def locate(self, phrase: Phrase, *, limit: int) -> list[Occurrence]:
        """The first occurrences of a phrase, in corpus order, with snippets."""
        ...

    def locate_pair(
        self, a: Phrase, b: Phrase, *, window_words: int, limit: int
    ) -> list[Occurrence]:
        """One occurrence a document that holds a pair: from the earlier phrase to the later."""
        ...

    def nearest_windows(
        self,
        pairs: Sequence[tuple[Phrase, Phrase]],
        *,
        window_words: int,
        context_words: int,
        limit: int,
    ) -> list[tuple[Passage, ...]]:
        """The text around each pair where it stands closest, one window a document.

        The nearest come first, then those nearer to the beginning of their documents. So a phrase
        paired with itself gives the documents that it opens first. An index without text raises
        `CapabilityError`: that it shows nothing does not mean that there is nothing.
        """
        ...


@runtime_checkable
class DatedIndex(CorpusIndex, Protocol):
    """An index that knows the dates of its documents."""

    def dated(self, dates: Dates) -> CorpusIndex:
        """The same index about documents of some dates; exact, as if it were built of them."""
        ...

    def dates(self) -> Mapping[Days | None, int]:
        """How many documents have each date, the earliest first; None: no known date."""
        ...


class AliasResolver(Protocol):
    """Knows how else a name is written."""

    def forms(self, names: Sequence[str]) -> list[tuple[SurfaceForm, ...]]:
        """The forms that may be counted as each name: itself first, each once, with its source.

        A form that could mean something else is left out: that two names are one is never guessed.
        """
        ...


class Retriever(Protocol):
    """Finds passages for a query."""

    def search(self, queries: Sequence[str], *, k: int) -> list[Retrieval]:
        """At most k passages for each query, best first; fewer or none if fewer match."""
        ...


class TextEmbedder(Protocol):
    """Turns texts into vectors whose cosine says how alike they are."""

    @property
    def digest(self) -> str:
        """Hexadecimal; embedders of equal digests give equal vectors."""
        ...

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """The vector of each text, of length 1; shape ``(n_texts, n_dimensions)``.

        It depends on the text alone, not on those that come with it.
        """
        ...


class LanguageModel(Protocol):
    """Writes text."""

    @property
    def info(self) -> ModelInfo:
        """Which model this is and what it can do."""
        ...

    def generate(self, prompts: Sequence[Prompt], options: GenerationOptions) -> list[Generation]:
        """One continuation for each prompt."""
        ...

    def sample(
        self, prompts: Sequence[Prompt], n_samples: int, options: GenerationOptions
    ) -> list[list[Generation]]:
        """Several continuations for each prompt, drawn at `options.temperature`.

        Sample i is drawn with seed `options.seed + i`.
        """
        ...


@runtime_checkable
class ScoringModel(Protocol):
    """Gives the log-probabilities of a text that somebody else wrote."""

    def score(self, continuations: Sequence[tuple[Prompt, str]]) -> list[list[Token]]:
        """The tokens of each continuation after its prompt, each with its logprob in nats."""
        ...


@runtime_checkable
class IntrospectiveModel(Protocol):
    """Lets itself be looked into: attention and hidden states, reduced to plain numbers."""

    def attention(self, texts: Sequence[tuple[str, str, int]]) -> list[Attention]:
        """How the last layer attends while each (before, text, rows_from) is read.

        Rows are given for the tokens of the text that reach behind the code point `rows_from`.
        """
        ...

    def spread(self, prompts: Sequence[Prompt], sampling: Sampling) -> list[Spread]:
        """How far apart the continuations of each prompt are inside the model."""
        ...


class ClaimExtractor(Protocol):
    """Finds entities and claimed relations."""

    @property
    def name(self) -> str:
        """The name under which results are reported."""
        ...

    def entities(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The named things of each text, in order of appearance, without duplicates."""
        ...

    def triplets(self, sentences: Sequence[str]) -> list[Extraction]:
        """The relations that each sentence claims; heads and tails are spans of it."""
        ...


class PairJudge(Protocol):
    """Says what a premise does to a hypothesis."""

    @property
    def name(self) -> str:
        """The name under which results are reported: what it is, not what it wants to be."""
        ...

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Nli]:
        """The judgement of each (premise, hypothesis); a model of two classes gives (p, 1-p, 0)."""
        ...


class FaithfulnessScorer(Protocol):
    """Says how far passages entail claims; faithfulness is not factuality."""

    @property
    def name(self) -> str:
        """The name under which results are reported."""
        ...

    def score(self, claims: Sequence[tuple[str, Sequence[str]]]) -> list[Faithfulness]:
        """The faithfulness of each (claim, passages).

        Passages are kept apart: one more of them changes the score only where it holds better
        evidence. Without any the score is 0 with the reason ``no_evidence``.
        """
        ...
